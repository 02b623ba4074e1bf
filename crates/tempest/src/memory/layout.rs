//! The address space as plain data: equal on every node, made before anything runs.
//!
//! It is a sequence of pages, each with a home node. Arrays begin at pages. Must never know tags, threads or messages.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use crate::{Key, NodeId, Word};

/// Modelled and native bytes of a word.
pub(crate) const WORD_BYTES: u32 = 8;

/// Words of a page: 4096 bytes.
pub(crate) const PAGE_WORDS: u32 = 512;

/// A block of the address space, numbered from 0; equal on every node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Block(pub u32);

impl Block {
    /// The key of all events that concern the block.
    pub const fn key(self) -> Key {
        Key::Block(self)
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block {}", self.0)
    }
}

/// Where the pages of an array live.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Homes {
    /// All at one node.
    At(NodeId),
    /// One page after the other at one node after the other.
    RoundRobin,
    /// Each node has a part of so many elements; parts begin at pages. [`Shared::at`](crate::Shared::at) says which index
    /// an element of a part has.
    Parts,
}

/// An array of the address space, for [`Memory::bind`](crate::Memory::bind).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Array<T> {
    pub(crate) region: u32,
    /// That of its region.
    pub(crate) identity: u64,
    pub(crate) word: PhantomData<T>,
}

/// What lies at consecutive words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Region {
    pub(crate) name: &'static str,
    /// A number over the space up to here: an array of another space is not taken for one of this.
    pub(crate) identity: u64,
    /// Elements, the unused ones that fill a part's last page among them.
    pub(crate) len: usize,
    /// An element takes `1 << stride` words.
    pub(crate) stride: u32,
    /// Elements from the beginning of a part to that of the next; all of them where there is only one.
    pub(crate) part: usize,
    /// First word.
    pub(crate) base: usize,
    /// Its pages.
    pub(crate) pages: Range<u32>,
}

/// Words for an address space that cannot be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadLayout(String);

impl fmt::Display for BadLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The address space: its blocks, its pages and their homes, what lies in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    nodes: u32,
    /// A block is `1 << block` words.
    block: u32,
    homes: Vec<NodeId>,
    regions: Vec<Region>,
}

impl Layout {
    /// An empty space of blocks of `block` bytes for so many nodes.
    ///
    /// # Errors
    /// [`BadLayout`] if a block is not of 16, 32, 64 or 128 bytes, or there is no node.
    pub fn new(nodes: u32, block: u32) -> Result<Self, BadLayout> {
        if ![16, 32, 64, 128].contains(&block) {
            return Err(BadLayout(format!("blocks of {block} bytes: expected 16, 32, 64 or 128")));
        }
        if nodes == 0 {
            return Err(BadLayout("shared memory of no nodes: expected at least 1".to_owned()));
        }
        let block = (block / WORD_BYTES).trailing_zeros();
        Ok(Self { nodes, block, homes: Vec::new(), regions: Vec::new() })
    }

    /// Room for `len` words.
    ///
    /// # Errors
    /// [`BadLayout`] if the space has no room for it.
    pub fn array<T: Word>(
        &mut self,
        name: &'static str,
        len: usize,
        homes: Homes,
    ) -> Result<Array<T>, BadLayout> {
        self.records(name, len, 1, homes)
    }

    /// Room for `len` records of `words` words, a power of two, so that a record either lies in one block or begins one. `T` is the
    /// type of a record's first word; [`Shared::field`](crate::Shared::field) names the others.
    ///
    /// # Errors
    /// [`BadLayout`] if `words` is no power of two, or the space has no room for them.
    pub fn records<T: Word>(
        &mut self,
        name: &'static str,
        len: usize,
        words: u32,
        homes: Homes,
    ) -> Result<Array<T>, BadLayout> {
        if !words.is_power_of_two() {
            return Err(BadLayout(format!("records of {words} words in `{name}`: expected a power of two")));
        }
        let (nodes, page) = (self.nodes as usize, PAGE_WORDS as usize);
        let parts = if homes == Homes::Parts { nodes } else { 1 };
        let first = self.homes.len();
        let part_pages = len.checked_mul(words as usize).map(|words| words.div_ceil(page).max(1));
        let pages = part_pages.and_then(|pages| pages.checked_mul(parts));
        let Some((part_pages, pages)) =
            part_pages.zip(pages).filter(|&(_, pages)| pages <= Self::MAX_PAGES - first)
        else {
            return Err(BadLayout(format!(
                "{len} records of {words} words in `{name}`: the space has no room for them"
            )));
        };
        self.homes.extend((0..pages).map(|index| match homes {
            Homes::At(node) => node,
            Homes::RoundRobin => NodeId((index % nodes) as u32),
            Homes::Parts => NodeId((index / part_pages) as u32),
        }));
        let region = self.regions.len() as u32;
        let part = if parts > 1 { part_pages * page / words as usize } else { len };
        let identity = self.next_identity(name, len, words, homes);
        self.regions.push(Region {
            name,
            identity,
            len: part * parts,
            stride: words.trailing_zeros(),
            part,
            base: first * page,
            pages: first as u32..(first + pages) as u32,
        });
        match homes {
            Homes::At(node) if node.0 >= self.nodes => {
                Err(BadLayout(format!("`{name}` at {node}: there are {} nodes", self.nodes)))
            }
            _ => Ok(Array { region, identity, word: PhantomData }),
        }
    }

    /// The most pages, of 4096 bytes: 32 GiB, and block numbers fit 32 bits.
    const MAX_PAGES: usize = 1 << 23;

    /// Nodes that share it.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Bytes of a block.
    pub fn block_bytes(&self) -> u32 {
        WORD_BYTES << self.block
    }

    /// Words of a block.
    pub fn block_words(&self) -> usize {
        1 << self.block
    }

    /// Binary logarithm of that.
    pub(crate) fn block_shift(&self) -> u32 {
        self.block
    }

    /// Words of the whole space.
    pub fn words(&self) -> usize {
        self.homes.len() * PAGE_WORDS as usize
    }

    /// Blocks of the whole space.
    pub fn blocks(&self) -> u32 {
        (self.words() >> self.block) as u32
    }

    /// Pages of the whole space.
    pub fn pages(&self) -> u32 {
        self.homes.len() as u32
    }

    /// The page of a block.
    pub fn page_of(&self, block: Block) -> u32 {
        ((block.0 as usize) << self.block) as u32 / PAGE_WORDS
    }

    /// The blocks of a page.
    pub fn blocks_of(&self, page: u32) -> Range<u32> {
        let each = PAGE_WORDS >> self.block;
        page * each..(page + 1) * each
    }

    /// The home of a page.
    ///
    /// # Panics
    /// If there is no such page.
    pub fn home_of_page(&self, page: u32) -> NodeId {
        self.homes[page as usize]
    }

    /// The home of a block.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn home(&self, block: Block) -> NodeId {
        self.home_of_page(self.page_of(block))
    }

    /// The words of a block.
    pub(crate) fn words_of(&self, block: Block) -> Range<usize> {
        let first = (block.0 as usize) << self.block;
        first..first + self.block_words()
    }

    /// How many arrays there are.
    pub(crate) fn regions(&self) -> usize {
        self.regions.len()
    }

    pub(crate) fn region(&self, region: u32) -> Option<&Region> {
        self.regions.get(region as usize)
    }

    /// Where an array is, if it is of this space.
    pub(crate) fn region_in<T>(&self, array: Array<T>) -> Option<&Region> {
        self.region(array.region).filter(|region| region.identity == array.identity)
    }

    /// Equal on every node, since all make the same space in the same order.
    fn next_identity(&self, name: &str, len: usize, words: u32, homes: Homes) -> u64 {
        let before = self.regions.last().map_or(0, |region| region.identity);
        let mut identity = DefaultHasher::new();
        (before, self.nodes, self.block, name, len, words, homes).hash(&mut identity);
        identity.finish()
    }

    /// The number of an array's region, as messages of a protocol may name it.
    pub fn region_of<T>(&self, array: Array<T>) -> u32 {
        array.region
    }

    /// The pages of an array.
    ///
    /// # Panics
    /// If the array is of another space.
    pub fn pages_of<T>(&self, array: Array<T>) -> Range<u32> {
        self.region_in(array).expect("an array of this space").pages.clone()
    }
}

/// Layouts are shared, not copied, by all that a node has.
pub(crate) type SharedLayout = Arc<Layout>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_begin_at_pages_and_parts_at_pages_of_their_homes() {
        let mut layout = Layout::new(2, 64).unwrap();
        let first = layout.array::<u64>("first", 3, Homes::RoundRobin).unwrap();
        let second = layout.records::<f64>("second", 150, 4, Homes::Parts).unwrap();
        assert_eq!(layout.pages_of(first), 0..1);
        // 150 records of 4 words are 600 words: two pages for each of two nodes.
        assert_eq!(layout.pages_of(second), 1..5);
        let homes: Vec<_> = (0..5).map(|page| layout.home_of_page(page).0).collect();
        assert_eq!(homes, [0, 0, 0, 1, 1]);
        assert_eq!((layout.blocks(), layout.page_of(Block(64)), layout.blocks_of(1)), (5 * 64, 1, 64..128));
        assert_eq!(layout.home(Block(3 * 64)), NodeId(1));
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_can() {
        let error = Layout::new(2, 48).unwrap_err().to_string();
        assert_eq!(error, "blocks of 48 bytes: expected 16, 32, 64 or 128");
        let mut layout = Layout::new(2, 64).unwrap();
        let error = layout.records::<u64>("odd", 3, 3, Homes::Parts).unwrap_err().to_string();
        assert_eq!(error, "records of 3 words in `odd`: expected a power of two");
        assert!(layout.array::<u64>("huge", usize::MAX, Homes::Parts).is_err());
        let error = layout.array::<u64>("far", 1, Homes::At(NodeId(2))).unwrap_err().to_string();
        assert_eq!(error, "`far` at node 2: there are 2 nodes");
    }
}
