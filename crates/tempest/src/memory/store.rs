//! One node's copy of the address space: words, tags, which pages are mapped, who waits.
//!
//! Tags change only under the key of their block (or alone on the node); that is checked where they are changed
//! (`handler`). Must never know a protocol's states.

use std::ops::{Deref, Range, RangeInclusive};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::faults::Faults;
use super::layout::{SharedLayout, WORD_BYTES};
use super::watchers::Watchers;
use crate::{Array, Block, Layout, NodeId, Packet, Shared, Waiter, Word};

/// Modelled shared memory begins here, far from the segments of a node.
const SHARED_BASE: u64 = 1 << 40;

/// There is a tag for each `1 << TAG_SHIFT` words, the shortest block, and those of a block are equal: so a test need not know
/// how long blocks are.
pub(super) const TAG_SHIFT: u32 = 1;

/// What a node may do to a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Tag {
    /// Nothing: it has no copy.
    Invalid = 0,
    /// Load.
    ReadOnly = 1,
    /// Load and store: nobody else has a copy.
    Writable = 2,
}

/// What an access needs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Right {
    /// To load.
    Read,
    /// To store.
    Write,
}

impl Right {
    /// The least tag that gives it.
    pub const fn tag(self) -> Tag {
        match self {
            Right::Read => Tag::ReadOnly,
            Right::Write => Tag::Writable,
        }
    }
}

/// An access that a tag forbids, as the protocol is told of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The block.
    pub block: Block,
    /// What the access needs.
    pub wants: Right,
    /// Whether the block's page is mapped on this node. Where not, the protocol has to find room for it first.
    pub mapped: bool,
}

/// A right to be taken away from the own node, and what is to be done then.
///
/// For worlds: the tags of `blocks` are lowered to `tag` when no granted access to them is outstanding; when every
/// processor that computes has acknowledged, `then` is handled under the key that has been held since.
#[derive(Clone, Debug)]
pub struct Lowering {
    /// First of the blocks.
    pub first: Block,
    /// How many of them.
    pub count: u32,
    /// What they are lowered to.
    pub tag: Tag,
    /// What is handled then.
    pub then: Packet,
}

/// One node's copy of the address space.
#[derive(Debug)]
pub struct Memory {
    node: NodeId,
    layout: SharedLayout,
    pub(super) words: Box<[AtomicU64]>,
    pub(super) tags: Box<[AtomicU8]>,
    mapped: Box<[AtomicBool]>,
    freed: Box<[AtomicBool]>,
    faults: Mutex<Faults>,
    /// How many faults there are: who finds none needs no lock.
    outstanding: AtomicUsize,
    watchers: Watchers,
}

/// The words of a block.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    words: [u64; MAX_BLOCK_WORDS],
    len: usize,
}

/// The words of the longest block.
const MAX_BLOCK_WORDS: usize = 16;

impl Deref for Words {
    type Target = [u64];
    fn deref(&self) -> &[u64] {
        &self.words[..self.len]
    }
}

impl Memory {
    /// The copy of `node`, which has the right to write what lives there, and no other right. Its own pages are mapped; the others
    /// are if `premapped`.
    pub(crate) fn new(node: NodeId, layout: &Layout, premapped: bool) -> Self {
        let flags = |count| (0..count).map(|_| AtomicBool::new(false)).collect::<Box<[_]>>();
        let memory = Self {
            node,
            words: bytemuck::zeroed_slice_box(layout.words()),
            tags: bytemuck::zeroed_slice_box(layout.words() >> TAG_SHIFT),
            mapped: flags(layout.pages() as usize),
            freed: flags(layout.regions()),
            faults: Mutex::default(),
            outstanding: AtomicUsize::new(0),
            watchers: Watchers::default(),
            layout: Arc::new(layout.clone()),
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

    /// The node whose copy it is.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// The address space.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The elements of an array, as they stand in this copy.
    ///
    /// # Panics
    /// If the array is of another space.
    pub fn bind<T: Word>(self: &Arc<Self>, array: Array<T>) -> Shared<T> {
        Shared::new(Arc::clone(self), array)
    }

    /// The tag of a block.
    ///
    /// # Panics
    /// If there is no such block.
    #[inline]
    pub fn tag(&self, block: Block) -> Tag {
        match self.tags[self.tags_of(block).start].load(Ordering::Acquire) {
            0 => Tag::Invalid,
            1 => Tag::ReadOnly,
            _ => Tag::Writable,
        }
    }

    /// For worlds, and for handlers that hold the block's key: sets the tag, releasing what was written before.
    pub fn set_tag(&self, block: Block, tag: Tag) {
        for one in &self.tags[self.tags_of(block)] {
            one.store(tag as u8, Ordering::Release);
        }
    }

    fn tags_of(&self, block: Block) -> Range<usize> {
        let words = self.layout.words_of(block);
        words.start >> TAG_SHIFT..words.end >> TAG_SHIFT
    }

    /// Lowers the tags that a lowering names.
    pub fn lower(&self, lowering: &Lowering) {
        for block in lowering.blocks() {
            self.set_tag(block, self.tag(block).min(lowering.tag));
        }
    }

    /// Whether an access that has been granted to a thread is still to be done, in any of the blocks. Asked under their key,
    /// under which alone accesses are granted.
    pub fn is_pinned(&self, lowering: &Lowering) -> bool {
        self.has_faults() && {
            let faults = self.faults();
            lowering.blocks().any(|block| faults.is_pinned(block))
        }
    }

    /// Whether there is any fault whose access is not done. One whose enlisting happened before is seen: the count falls only
    /// when an access is done, and then who reads that acquires it.
    #[inline]
    fn has_faults(&self) -> bool {
        self.outstanding.load(Ordering::Acquire) > 0
    }

    /// The modelled address of a word; no host address is ever used.
    pub(crate) fn address(&self, word: usize) -> u64 {
        SHARED_BASE + word as u64 * u64::from(WORD_BYTES)
    }

    /// The modelled address of a block.
    pub fn block_address(&self, block: Block) -> u64 {
        SHARED_BASE + u64::from(block.0) * u64::from(self.layout.block_bytes())
    }

    /// The words of a block.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn contents(&self, block: Block) -> Words {
        let place = &self.words[self.layout.words_of(block)];
        let mut words = [0; MAX_BLOCK_WORDS];
        for (word, place) in words.iter_mut().zip(place) {
            *word = place.load(Ordering::Relaxed);
        }
        Words { words, len: place.len() }
    }

    /// For worlds: puts the words of a block in place.
    ///
    /// # Panics
    /// If there is no such block, it has another number of words, or the node has a right to it: then it has the words, and a
    /// thread may be at them.
    pub fn place(&self, block: Block, words: &[u64]) {
        let place = &self.words[self.layout.words_of(block)];
        let tag = self.tag(block);
        assert_eq!(
            tag,
            Tag::Invalid,
            "words for {block} are brought to {}, which has a right to it",
            self.node
        );
        assert_eq!(place.len(), words.len(), "the words of {block}");
        for (place, word) in place.iter().zip(words) {
            place.store(*word, Ordering::Relaxed);
        }
    }

    /// Enlists a thread that waits for a block to be taken away, under its key.
    pub(crate) fn watch(&self, block: Block, waiter: Waiter) {
        self.watchers.enlist(block, waiter);
    }

    /// The threads that watch any of some blocks, under their key.
    pub(crate) fn take_watchers(&self, blocks: &RangeInclusive<Block>) -> Vec<Waiter> {
        self.watchers.take(blocks)
    }

    /// Whether the node has room for a page.
    pub fn is_mapped(&self, page: u32) -> bool {
        self.mapped[page as usize].load(Ordering::Acquire)
    }

    /// Gives a page room, or takes it away: alone on the node, and with none of its blocks in use.
    pub fn set_mapped(&self, page: u32, mapped: bool) {
        self.mapped[page as usize].store(mapped, Ordering::Release);
    }

    /// Whether an array has been given back.
    ///
    /// # Panics
    /// If the array is of another space.
    pub fn is_freed<T>(&self, array: Array<T>) -> bool {
        self.freed[array.region as usize].load(Ordering::Acquire)
    }

    /// Marks an array as given back: who uses it from now on is told so where its access faults.
    ///
    /// # Panics
    /// If there is no such region.
    pub fn set_freed(&self, region: u32) {
        self.freed[region as usize].store(true, Ordering::Release);
    }

    /// What the access of a fault is told if it can never be served.
    pub(crate) fn expect_in_use(&self, region: u32) {
        let freed = self.freed[region as usize].load(Ordering::Acquire);
        let name = self.layout.region(region).map_or("?", |region| region.name);
        assert!(!freed, "shared array `{name}` is used after it has been freed");
    }

    /// Enlists a thread that cannot do its access. The fault that the protocol is to be told of, if it is the first.
    pub(crate) fn enlist(&self, block: Block, wants: Right, waiter: Waiter) -> Option<Fault> {
        let first = self.with_faults(|faults| faults.enlist(block, wants, waiter));
        first.then(|| Fault { block, wants, mapped: self.is_mapped(self.layout.page_of(block)) })
    }

    /// The next thread that a right serves: it does its access next.
    pub(crate) fn serve(&self, block: Block, right: Right) -> Option<Waiter> {
        if self.has_faults() { self.faults().serve(block, right) } else { None }
    }

    /// The access that a thread faulted for has been done. True if a lowering may have waited for it.
    pub(crate) fn done(&self, block: Block, thread: u32) -> bool {
        self.with_faults(|faults| faults.done(block, thread))
    }

    fn with_faults<R>(&self, change: impl FnOnce(&mut Faults) -> R) -> R {
        let mut faults = self.faults();
        let result = change(&mut faults);
        self.outstanding.store(faults.len(), Ordering::Release);
        result
    }

    fn faults(&self) -> MutexGuard<'_, Faults> {
        // Nothing that can panic runs under the lock.
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lowering {
    /// The blocks.
    pub fn blocks(&self) -> impl Iterator<Item = Block> {
        (self.first.0..self.first.0 + self.count).map(Block)
    }
}
