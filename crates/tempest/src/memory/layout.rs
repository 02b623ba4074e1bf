//! The address space as plain data: equal on every node, and made before anything runs.
//!
//! It is a sequence of pages, each with a home node. Arrays begin at pages. This module must never know tags,
//! threads or messages.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use ::segment::{Field, Form, Width};

use crate::data::{BadLayout, Word};
use crate::plain::names::lasting;
use crate::{Block, Element, NodeId};

/// The size in bytes of a word of a block: block sizes are counted in words of this size, and blocks move in them.
pub(crate) const WORD_BYTES: u32 = 8;

/// The number of words of a page of 4096 bytes.
pub(crate) const PAGE_WORDS: u32 = 512;

/// The size of a page in bytes.
pub(crate) const PAGE_BYTES: usize = PAGE_WORDS as usize * WORD_BYTES as usize;

/// The rule that gives each page of an array its home node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Homes {
    /// All pages have this node as home.
    At(NodeId),
    /// Nodes are the homes of pages in turn: node 0 of the first page, node 1 of the second.
    RoundRobin,
    /// Each node is the home of its own part of the array. A part has the allocated length, rounded up to whole pages.
    /// [`Shared::at`](crate::Shared::at) gives the index of an element of a part.
    Parts,
    /// The home of each page is the node that accesses it first, if the protocol can move homes, as `stache` can. The
    /// home in the layout is then only the page's manager, where such a protocol may record the home. Nodes are
    /// managers of pages in turn. A protocol that cannot move homes uses the manager as the home.
    FirstTouch,
}

impl Homes {
    /// The home of page `index`, from 0, of an array on `nodes` nodes. Each part of the array has `part` pages.
    fn of_page(self, index: usize, nodes: usize, part: usize) -> NodeId {
        match self {
            Self::At(node) => node,
            Self::RoundRobin | Self::FirstTouch => NodeId((index % nodes) as u32),
            Self::Parts => NodeId((index / part) as u32),
        }
    }
}

/// An array of shared memory, allocated in a [`Layout`]. [`Memory::bind`](crate::Memory::bind) gives a node access to
/// its elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Array<T> {
    pub(crate) region: u32,
    /// A hash by which the space recognizes the array's region.
    pub(crate) identity: u64,
    pub(crate) word: PhantomData<T>,
}

/// The part of the address space that an array takes: consecutive words, and the way in which elements lie there.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Region {
    pub(crate) name: &'static str,
    /// A hash of the space up to this region, by which an array of another space is recognized.
    pub(crate) identity: u64,
    /// The number of elements, including unused elements that fill a part's last page.
    pub(crate) len: usize,
    /// The division of an element among words.
    pub(crate) form: Form,
    /// The number of elements of a node's part; the number of all elements where the array is not divided into parts.
    pub(crate) part: usize,
    /// The offset of the region's first byte in the address space.
    pub(crate) base: usize,
    /// The numbers of the region's pages.
    pub(crate) pages: Range<u32>,
}

/// The layout of a shared address space: its arrays, its pages with their home nodes, and its blocks.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Layout {
    nodes: u32,
    /// The binary logarithm of the size of a block in words of 8 bytes.
    block: u32,
    homes: Vec<NodeId>,
    /// For each page, whether its home is the node that touches it first.
    touched: Vec<bool>,
    regions: Vec<Region>,
}

impl Layout {
    /// Makes an empty address space for `nodes` nodes, with coherence blocks of `block` bytes.
    ///
    /// # Errors
    /// [`BadLayout`] if a block is not of 16, 32, 64 or 128 bytes, or there is no node.
    pub fn new(nodes: u32, block: u32) -> Result<Self, BadLayout> {
        if ![16, 32, 64, 128].contains(&block) {
            return Err(BadLayout::new(format!("blocks of {block} bytes: expected 16, 32, 64 or 128")));
        }
        if nodes == 0 {
            return Err(BadLayout::new("shared memory of no nodes: expected at least 1".to_owned()));
        }
        let block = (block / WORD_BYTES).trailing_zeros();
        Ok(Self { nodes, block, homes: Vec::new(), touched: Vec::new(), regions: Vec::new() })
    }

    /// Allocates an array of `len` words, each of 1, 2, 4 or 8 bytes. With [`Homes::Parts`] each node has a part of
    /// `len` words.
    ///
    /// # Errors
    /// [`BadLayout`] if the space has no room for the array, or `homes` names a node that does not exist.
    pub fn array<T: Word>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        len: usize,
        homes: Homes,
    ) -> Result<Array<T>, BadLayout> {
        self.allocate(lasting(name), len, Form::elements(Width::of::<T::Atomic>()), homes)
    }

    /// Allocates `len` records of `words` words of 8 bytes, a power of two, so that a record either lies in one block
    /// or begins one. `T` is the type of a record's first word; [`Shared::field`](crate::Shared::field) gives the
    /// others. With [`Homes::Parts`] each node has a part of `len` records.
    ///
    /// # Errors
    /// [`BadLayout`] if `words` is no power of two, `T` is not of 8 bytes, the space has no room for the records, or
    /// `homes` names a node that does not exist.
    pub fn records<T: Word>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        len: usize,
        words: u32,
        homes: Homes,
    ) -> Result<Array<T>, BadLayout> {
        let (name, width) = (lasting(name), Width::of::<T::Atomic>());
        if width != Width::Eight {
            return Err(BadLayout::new(format!(
                "`{name}` begins with a word of {width}: expected one of 8 bytes"
            )));
        }
        let Ok(form) = Form::words(words as usize) else {
            return Err(BadLayout::new(format!(
                "records of {words} words in `{name}`: expected a power of two"
            )));
        };
        self.allocate(name, len, form, homes)
    }

    /// Allocates `len` records with the layout that their type declares. The size of a record is a power of two, so
    /// that a record either lies in one block or begins one. With [`Homes::Parts`] each node has a part of `len`
    /// records. [`Memory::bind_field`](crate::Memory::bind_field) gives the array of each field.
    ///
    /// # Errors
    /// [`BadLayout`] if the layout of `R` is not possible, the size of a record is no power of two, the space has no
    /// room for the records, or `homes` names a node that does not exist.
    pub fn structs<R: Element>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        len: usize,
        homes: Homes,
    ) -> Result<Array<R>, BadLayout> {
        R::LAYOUT.check()?;
        let name = lasting(name);
        let width = |bytes: u32| Width::ALL.into_iter().find(|width| width.bytes() == bytes as usize);
        let fields = R::LAYOUT.fields.iter().filter_map(|field| {
            Some(Field { name: field.name, offset: field.at as usize, width: width(field.bytes)? })
        });
        let form = Form::record(R::LAYOUT.bytes as usize, &fields.collect::<Vec<_>>());
        let form = form.map_err(|bad| BadLayout::new(format!("`{}` in `{name}`: {bad}", R::LAYOUT.name)))?;
        self.allocate(name, len, form, homes)
    }

    /// Allocates an array of `len` elements. `form` gives an element's size and its division into words. With
    /// [`Homes::Parts`] each node has a part of `len` elements.
    fn allocate<T>(
        &mut self,
        name: &'static str,
        len: usize,
        form: Form,
        homes: Homes,
    ) -> Result<Array<T>, BadLayout> {
        if let Homes::At(node) = homes
            && node.0 >= self.nodes
        {
            return Err(BadLayout::new(format!("`{name}` at {node}: there are {} nodes", self.nodes)));
        }
        let (nodes, bytes) = (self.nodes as usize, form.bytes());
        let parts = if homes == Homes::Parts { nodes } else { 1 };
        let first = self.homes.len();
        let part_pages = len.checked_mul(bytes).map(|bytes| bytes.div_ceil(PAGE_BYTES).max(1));
        let pages = part_pages.and_then(|pages| pages.checked_mul(parts));
        let Some((part_pages, pages)) =
            part_pages.zip(pages).filter(|&(_, pages)| pages <= Self::MAX_PAGES - first)
        else {
            return Err(BadLayout::new(format!(
                "{len} elements of {bytes} bytes in `{name}`: shared memory has at most {} GiB, and no room for them",
                (Self::MAX_PAGES * PAGE_BYTES) >> 30
            )));
        };
        self.homes.extend((0..pages).map(|index| homes.of_page(index, nodes, part_pages)));
        self.touched.resize(self.homes.len(), homes == Homes::FirstTouch);
        let region = self.regions.len() as u32;
        let part = if parts > 1 { part_pages * PAGE_BYTES / bytes } else { len };
        let identity = self.next_identity(name, len, bytes, homes);
        self.regions.push(Region {
            name,
            identity,
            len: part * parts,
            form,
            part,
            base: first * PAGE_BYTES,
            pages: first as u32..(first + pages) as u32,
        });
        Ok(Array { region, identity, word: PhantomData })
    }

    /// Makes `home` the home node of the pages that hold elements `range` of an array. If several calls concern a page,
    /// the last call counts.
    ///
    /// ```
    /// use tradewind_tempest::{Homes, Layout, NodeId};
    ///
    /// // A matrix of 8 rows of 512 numbers: a row is a page. The rows are dealt out to two nodes.
    /// let mut layout = Layout::new(2, 64)?;
    /// let matrix = layout.array::<f64>("matrix", 8 * 512, Homes::RoundRobin)?;
    /// for row in 0..8 {
    ///     layout.place(matrix, row * 512..(row + 1) * 512, NodeId(row as u32 / 4))?;
    /// }
    /// assert_eq!(layout.home_of_page(3), NodeId(0));
    /// # Ok::<(), tradewind_tempest::data::BadLayout>(())
    /// ```
    ///
    /// # Errors
    /// [`BadLayout`] if the array is of another address space or has no such elements, or there is no such node.
    pub fn place<T>(&mut self, array: Array<T>, range: Range<usize>, home: NodeId) -> Result<(), BadLayout> {
        let Some(region) = self.region_in(array) else {
            return Err(BadLayout::new("a home for elements of an array of another space".to_owned()));
        };
        if range.start > range.end || range.end > region.len || home.0 >= self.nodes {
            return Err(BadLayout::new(format!(
                "elements {range:?} of `{}` at {home}: it has {} elements, and there are {} nodes",
                region.name, region.len, self.nodes
            )));
        }
        let byte = |element: usize| region.base + element * region.form.bytes();
        let pages = byte(range.start) / PAGE_BYTES..byte(range.end).div_ceil(PAGE_BYTES);
        if !range.is_empty() {
            self.homes[pages.clone()].fill(home);
            self.touched[pages].fill(false);
        }
        Ok(())
    }

    /// Gives all pages of an array the homes `homes`, which must not be [`Homes::Parts`].
    pub(super) fn set_homes<T>(&mut self, array: Array<T>, homes: Homes) -> Result<(), BadLayout> {
        let Some(region) = self.region_in(array) else {
            return Err(BadLayout::new("homes for an array of another space".to_owned()));
        };
        let (nodes, pages) = (self.nodes as usize, region.pages.start as usize..region.pages.end as usize);
        for (index, page) in pages.enumerate() {
            self.homes[page] = homes.of_page(index, nodes, 1);
            self.touched[page] = homes == Homes::FirstTouch;
        }
        Ok(())
    }

    /// The forms of all arrays, each with the number of bytes of the array's pages. Together the arrays are the whole
    /// space.
    pub(crate) fn forms(&self) -> impl Iterator<Item = (Form, usize)> {
        self.regions.iter().map(|region| (region.form.clone(), region.pages.len() * PAGE_BYTES))
    }

    /// The largest number of pages of 4096 bytes: 32 GiB, so that block numbers fit 32 bits.
    const MAX_PAGES: usize = 1 << 23;

    /// The number of nodes that share the address space.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// The size of a coherence block in bytes.
    pub fn block_bytes(&self) -> u32 {
        WORD_BYTES << self.block
    }

    /// The size of a coherence block in words of 8 bytes.
    pub fn block_words(&self) -> usize {
        1 << self.block
    }

    /// The binary logarithm of the size of a block in bytes.
    pub(crate) fn block_shift(&self) -> u32 {
        self.block_bytes().trailing_zeros()
    }

    /// The size of the address space in words of 8 bytes.
    pub fn words(&self) -> usize {
        self.homes.len() * PAGE_WORDS as usize
    }

    /// The size of the space in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.homes.len() * PAGE_BYTES
    }

    /// The number of coherence blocks in the address space.
    pub fn blocks(&self) -> u32 {
        (self.words() >> self.block) as u32
    }

    /// The number of pages in the address space, each of 4096 bytes.
    pub fn pages(&self) -> u32 {
        self.homes.len() as u32
    }

    /// The number of the page that contains `block`.
    pub fn page_of(&self, block: Block) -> u32 {
        block.0 / self.page_blocks()
    }

    /// The number of coherence blocks in a page.
    pub fn page_blocks(&self) -> u32 {
        PAGE_WORDS >> self.block
    }

    /// The numbers of the coherence blocks in a page.
    ///
    /// # Panics
    /// If there is no such page.
    pub fn blocks_of(&self, page: u32) -> Range<u32> {
        assert!(page < self.pages(), "page {page} of a space of {} pages", self.pages());
        let each = self.page_blocks();
        page * each..(page + 1) * each
    }

    /// The home node of a page; under [`Homes::FirstTouch`] the page's manager.
    ///
    /// # Panics
    /// If there is no such page.
    pub fn home_of_page(&self, page: u32) -> NodeId {
        self.homes[page as usize]
    }

    /// Whether the home of a page is the node that accesses it first ([`Homes::FirstTouch`]).
    ///
    /// # Panics
    /// If there is no such page.
    pub fn is_touched_home(&self, page: u32) -> bool {
        self.touched[page as usize]
    }

    /// The home node of a block's page; under [`Homes::FirstTouch`] the page's manager.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn home(&self, block: Block) -> NodeId {
        self.home_of_page(self.page_of(block))
    }

    /// The range of the bytes of a block in the address space.
    pub(crate) fn bytes_of(&self, block: Block) -> Range<usize> {
        let first = (block.0 as usize) << self.block_shift();
        first..first + self.block_bytes() as usize
    }

    /// The number of arrays of the space.
    pub(crate) fn regions(&self) -> usize {
        self.regions.len()
    }

    pub(crate) fn region(&self, region: u32) -> Option<&Region> {
        self.regions.get(region as usize)
    }

    /// The region of an array; `None` if the array is of another space.
    pub(crate) fn region_in<T>(&self, array: Array<T>) -> Option<&Region> {
        self.region(array.region).filter(|region| region.identity == array.identity)
    }

    /// Computes the hash by which the space recognizes the next region. The hash is equal on every node, because all
    /// nodes make the space in the same order.
    fn next_identity(&self, name: &str, len: usize, bytes: usize, homes: Homes) -> u64 {
        let before = self.regions.last().map_or(0, |region| region.identity);
        let mut identity = DefaultHasher::new();
        (before, self.nodes, self.block, name, len, bytes, homes).hash(&mut identity);
        identity.finish()
    }

    /// The number of an array in this layout, by which messages of a protocol may name the array.
    pub fn region_of<T>(&self, array: Array<T>) -> u32 {
        array.region
    }

    /// The numbers of the pages that an array occupies.
    ///
    /// # Panics
    /// If the array is of another address space.
    pub fn pages_of<T>(&self, array: Array<T>) -> Range<u32> {
        self.region_in(array).expect("an array of this space").pages.clone()
    }
}

/// A layout shared by all parts of a node.
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
        // No number of a block is so large that it becomes that of another one.
        assert_eq!(layout.page_of(Block(u32::MAX)), u32::MAX / 64);
    }

    #[test]
    fn pages_have_the_home_that_their_elements_were_given_last() {
        let mut layout = Layout::new(3, 64).unwrap();
        layout.array::<u64>("before", 1, Homes::At(NodeId(0))).unwrap();
        let rows = layout.array::<f64>("rows", 4 * 300, Homes::FirstTouch).unwrap();
        layout.place(rows, 300..600, NodeId(2)).unwrap();
        layout.place(rows, 600..600, NodeId(1)).unwrap();
        // Elements 300 to 599 lie in the first two of three pages.
        let homes: Vec<_> =
            (1..4).map(|page| (layout.home_of_page(page).0, layout.is_touched_home(page))).collect();
        assert_eq!(homes, [(2, false), (2, false), (2, true)]);
        let error = layout.place(rows, 0..1201, NodeId(0)).unwrap_err().to_string();
        assert_eq!(
            error,
            "elements 0..1201 of `rows` at node 0: it has 1200 elements, and there are 3 nodes"
        );
        assert!(layout.place(rows, 0..1, NodeId(3)).is_err());
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_can() {
        let error = Layout::new(2, 48).unwrap_err().to_string();
        assert_eq!(error, "blocks of 48 bytes: expected 16, 32, 64 or 128");
        let mut layout = Layout::new(2, 64).unwrap();
        let error = layout.records::<u64>("odd", 3, 3, Homes::Parts).unwrap_err().to_string();
        assert_eq!(error, "records of 3 words in `odd`: expected a power of two");
        for len in [usize::MAX, 1 << 32] {
            let error = layout.array::<u64>("huge", len, Homes::Parts).unwrap_err().to_string();
            assert!(
                error.ends_with("`huge`: shared memory has at most 32 GiB, and no room for them"),
                "{error}"
            );
        }
        let error = layout.array::<u64>("far", 1, Homes::At(NodeId(2))).unwrap_err().to_string();
        assert_eq!(error, "`far` at node 2: there are 2 nodes");
        assert_eq!((layout.pages(), layout.regions()), (0, 0), "a refused array takes no pages");
    }
}
