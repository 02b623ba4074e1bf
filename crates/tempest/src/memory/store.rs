//! A node's copy of the address space: words, tags, mapped pages, waiting threads.
//!
//! A tag changes only under the key of its block, or by a handler that runs alone on the node. The caller, in
//! `handler`, checks that. This module must never know a protocol's states.

use std::ops::{Deref, Range, RangeInclusive};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ::segment::{Form, Mapping, MemorySource, Pages, Width};

use super::blocks::Blocks;
use super::faults::Faults;
use super::layout::{PAGE_BYTES, PAGE_WORDS, SharedLayout};
use super::tags::Tags;
use super::watchers::Watchers;
use crate::data::address::AddressRange;
use crate::memory::Fault;
use crate::sync::TagCells;
use crate::{Array, Block, Layout, NodeId, Right, Tag, Waiter};

/// The binary logarithm of the number of bytes that share one tag, which is the size of the shortest block. A longer
/// block has several tags, all equal, so a test need not know the length of blocks.
pub(super) const TAG_SHIFT: u32 = 4;

/// The number of pages whose tags fill a page of memory.
const PAGES_OF_TAGS: u32 = 1 << TAG_SHIFT;

/// Makes the memory of `tags` tags, each `Invalid`.
fn tag_cells(tags: usize) -> TagCells {
    let mapping = Mapping::new([(Form::elements(Width::One), tags)], Pages::Usual);
    Arc::new(mapping).words(0).expect("the words of the only stretch have one byte")
}

/// A node's copy of the shared address space: its words, the node's right to each block, and the threads that wait for
/// blocks.
#[derive(Debug)]
pub struct Memory {
    node: NodeId,
    layout: SharedLayout,
    pub(super) mapping: Arc<Mapping>,
    blocks: Blocks,
    pub(super) tags: Tags,
    mapped: Box<[AtomicBool]>,
    freed: Box<[AtomicBool]>,
    faults: Faults,
    watchers: Watchers,
}

/// A copy of the words of a block, in units of 8 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    words: [u64; MAX_BLOCK_WORDS],
    len: usize,
}

/// The number of words of the longest block.
const MAX_BLOCK_WORDS: usize = 16;

impl Deref for Words {
    type Target = [u64];
    fn deref(&self) -> &[u64] {
        &self.words[..self.len]
    }
}

impl Memory {
    /// Makes the copy of `node`. The node may write the blocks of which it is the home, and has no right to other
    /// blocks. The pages of which it is the home are mapped; other pages are mapped if `premapped`. The memory of the words
    /// comes from `source`.
    pub(crate) fn new(node: NodeId, layout: &Layout, premapped: bool, source: &MemorySource) -> Self {
        let flags = |count| (0..count).map(|_| AtomicBool::new(false)).collect::<Box<[_]>>();
        let mapping = Arc::new(source.mapping(layout.forms(), Pages::Usual));
        let shared = Arc::new(layout.clone());
        let memory = Self {
            node,
            blocks: Blocks::new(Arc::clone(&shared), Arc::clone(&mapping)),
            mapping,
            tags: Tags::new(tag_cells(layout.bytes() >> TAG_SHIFT)),
            mapped: flags(layout.pages() as usize),
            freed: flags(layout.regions()),
            faults: Faults::default(),
            watchers: Watchers::default(),
            layout: shared,
        };
        for page in 0..layout.pages() {
            let own = layout.home_of_page(page) == node;
            memory.mapped[page as usize].store(own || premapped, Ordering::Relaxed);
            if own {
                let blocks = layout.blocks_of(page);
                blocks.for_each(|block| memory.set_tag(Block(block), Tag::Writable));
            }
        }
        memory
    }

    /// The node that has this copy of shared memory.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// The layout of the shared address space.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// This node's right to a block of shared memory.
    ///
    /// # Panics
    /// If there is no such block.
    #[inline]
    pub fn tag(&self, block: Block) -> Tag {
        self.tags.at(self.tags_of(block).start)
    }

    /// Sets this node's right to a block. A thread that sees the new right sees all words that were written before.
    /// Only a world, or a handler that holds the block's key, may call this.
    pub fn set_tag(&self, block: Block, tag: Tag) {
        self.tags.set(self.tags_of(block), tag);
    }

    fn tags_of(&self, block: Block) -> Range<usize> {
        let bytes = self.layout.bytes_of(block);
        bytes.start >> TAG_SHIFT..bytes.end >> TAG_SHIFT
    }

    /// Reduces this node's right to `blocks` to `tag`, unless it is less already. The caller holds the blocks' key.
    pub fn lower(&self, blocks: impl Iterator<Item = Block>, tag: Tag) {
        for block in blocks {
            self.tags.lower(self.tags_of(block), tag);
        }
    }

    /// Whether a handler has granted a thread an access to any of `blocks` that the thread has not done yet. The caller
    /// holds the blocks' key; handlers grant accesses only under that key.
    pub fn is_pinned(&self, blocks: impl Iterator<Item = Block>) -> bool {
        self.faults.pins_any_of(blocks)
    }

    /// The modelled address of the byte at the offset `byte` of the space. It does not depend on the host.
    #[inline]
    pub(crate) fn address(&self, byte: usize) -> u64 {
        AddressRange::Shared.first() + byte as u64
    }

    /// The address of a block on the modelled machine.
    pub fn block_address(&self, block: Block) -> u64 {
        AddressRange::Shared.first() + u64::from(block.0) * u64::from(self.layout.block_bytes())
    }

    /// Returns a copy of a block's words on this node, in units of 8 bytes.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn contents(&self, block: Block) -> Words {
        let (mut words, len) = ([0; MAX_BLOCK_WORDS], self.layout.block_words());
        self.mapping.load(self.layout.bytes_of(block).start, &mut words[..len]);
        Words { words, len }
    }

    /// Puts `words`, the contents of a block in units of 8 bytes, into this node's memory. Only a world may call this.
    ///
    /// # Panics
    /// If there is no such block, if a block has another number of words, or if the node has a right to the block. A
    /// node with a right has the words already, and a thread may be accessing them.
    pub fn place(&self, block: Block, words: &[u64]) {
        let tag = self.tag(block);
        assert_eq!(
            tag,
            Tag::Invalid,
            "words for {block} are brought to {}, which has a right to it",
            self.node
        );
        self.blocks.place(block, words);
    }

    /// The words of the copy.
    pub fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// Enlists a thread that waits until this node loses its right to a block. The caller holds the block's key.
    pub(crate) fn watch(&self, block: Block, waiter: Waiter) {
        self.watchers.enlist(block, waiter);
    }

    /// Removes and returns the threads that watch any of the blocks. The caller holds the blocks' key.
    pub(crate) fn take_watchers(&self, blocks: &RangeInclusive<Block>) -> Vec<Waiter> {
        self.watchers.take(blocks)
    }

    /// Whether a page is mapped on this node: the node has room for a copy of it.
    pub fn is_mapped(&self, page: u32) -> bool {
        self.mapped[page as usize].load(Ordering::Acquire)
    }

    /// Sets whether a page is mapped on this node. Each fault tells the protocol by [`Fault::mapped`]. No other event
    /// of the node may run meanwhile.
    pub fn set_mapped(&self, page: u32, mapped: bool) {
        self.mapped[page as usize].store(mapped, Ordering::Release);
    }

    /// Gives the memory of a page's words back to the operating system. The words are 0 afterwards. The memory of the
    /// page's tags is given back too, when all pages whose tags share that memory are unmapped. No other event of the
    /// node may run meanwhile.
    ///
    /// # Panics
    /// If there is no such page, or the node has a right to a block of it.
    pub fn forget(&self, page: u32) {
        let used = self.layout.blocks_of(page).map(Block).find(|block| self.tag(*block) != Tag::Invalid);
        if let Some(block) = used {
            panic!("page {page} is forgotten by {}, which has a right to {block}", self.node);
        }
        self.mapping.give_back(page as usize * PAGE_BYTES, PAGE_WORDS as usize);
        let first = page / PAGES_OF_TAGS * PAGES_OF_TAGS;
        let others = first..self.layout.pages().min(first + PAGES_OF_TAGS);
        if others.clone().all(|other| !self.is_mapped(other)) {
            let words = others.len() * (PAGE_BYTES >> TAG_SHIFT) / size_of::<u64>();
            self.tags.cells().mapping().give_back(first as usize * (PAGE_BYTES >> TAG_SHIFT), words);
        }
    }

    /// Whether an array has been freed.
    ///
    /// # Panics
    /// If the address space has no array with this array's number. The call does not notice an array of another address
    /// space if both spaces have its number.
    pub fn is_freed<T>(&self, array: Array<T>) -> bool {
        self.freed[array.region as usize].load(Ordering::Acquire)
    }

    /// Marks the array with the number `region` as freed. A later access to the array that faults panics with the
    /// array's name.
    ///
    /// # Panics
    /// If there is no such array.
    pub fn set_freed(&self, region: u32) {
        self.freed[region as usize].store(true, Ordering::Release);
    }

    /// Panics, with the array's name, if the array with the region number `region` has been freed: no protocol can
    /// serve a fault in it.
    pub(crate) fn expect_in_use(&self, region: u32) {
        let freed = self.freed[region as usize].load(Ordering::Acquire);
        let name = self.layout.region(region).map_or("?", |region| region.name);
        assert!(!freed, "shared array `{name}` is used after it has been freed");
    }

    /// Enlists the thread of `waiter`, whose access to `block` needs the right `wants`. Returns the fault of which the
    /// caller has to tell the protocol; `None` if this right is under way already, for another thread or by a prefetch.
    pub(crate) fn enlist(&self, block: Block, wants: Right, waiter: Waiter) -> Option<Fault> {
        let first = self.faults.enlist(block, wants, waiter);
        first.then(|| Fault { block, wants, mapped: self.is_mapped(self.layout.page_of(block)) })
    }

    /// Notes a prefetch of the right `wants` to `block`, a block of the array with the region number `region`. Returns
    /// the fault of which the caller has to tell the protocol. Returns `None` if the block's page is not mapped on this
    /// node, the array has been freed, the right is under way already, or there is no room for another prefetch.
    pub(crate) fn prefetch(&self, region: u32, block: Block, wants: Right) -> Option<Fault> {
        let has_room = self.is_mapped(self.layout.page_of(block));
        let in_use = has_room && !self.freed[region as usize].load(Ordering::Acquire);
        let goes = in_use && self.faults.prefetch(block, wants);
        goes.then_some(Fault { block, wants, mapped: true })
    }

    /// Grants the access of the next thread that waits for `block` and needs no more than `right`, and returns the
    /// thread's waiter. Returns `None` if no such thread waits.
    pub(crate) fn serve(&self, block: Block, right: Right) -> Option<Waiter> {
        self.faults.serve(block, right)
    }

    /// Records that the thread with the index `thread` has done the access to `block` for which it faulted. Returns
    /// true if no granted access to the block is outstanding any more: the lowering of a tag may be waiting for that.
    pub(crate) fn done(&self, block: Block, thread: u32) -> bool {
        self.faults.done(block, thread)
    }
}
