//! The state of a node: its copy of the address space, and its entries for blocks and pages. This module must never know the
//! handler of a message.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tempest::data::Word;
use tempest::{Array, Block, Event, Handler, Keyed, Memory, NodeId, Shared, Thread};

use super::frames::{ALL, Pages};
use super::homes::{KnownHomes, Moves};
use super::{Home, Line, Variant};

/// Shared memory at one node: its copy of the address space and its entries for blocks.
pub struct Stache {
    pub(super) node: NodeId,
    pub(super) memory: Arc<Memory>,
    pub(super) variant: Variant,
    /// The homes of pages, as far as this node knows them.
    pub(super) homes: Arc<KnownHomes>,
    /// Entries of blocks, by block. A page has entries as long as it has a frame, and until its words have arrived at the home.
    pub(super) entries: Keyed<BlockEntry>,
    /// Whether there may be pages without entries.
    pub(super) has_gaps: bool,
    pub(super) pages: Keyed<Pages>,
    /// Whether a page waits for a frame. The handler that ends the next transaction then triggers another try.
    pub(super) starving: AtomicBool,
    /// Whether a page whose home moves here has outstanding requests. The handler that ends the next one then triggers another
    /// try.
    pub(super) inviting: AtomicBool,
    /// Home migration, if homes move.
    pub(super) moves: Option<Moves>,
    /// Whether the array of a page has been freed, indexed by page. No right to a freed page is raised any more.
    pub(super) freed: Box<[AtomicBool]>,
    /// Event that counts the arrays that this node has freed.
    pub(super) frees: Event,
}

/// Entry of a block at a node.
pub(super) enum BlockEntry {
    /// This node is the block's home. The directory entry is `None` until another node wants the block, which never happens to most
    /// blocks.
    Home(Option<Box<Home>>),
    /// Another node is the block's home.
    Cached(Line),
}

impl Stache {
    /// Returns this node's copy of the address space.
    pub fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// Returns the home of a block; `None` if this node does not know it.
    pub(super) fn home_of(&self, block: Block) -> Option<NodeId> {
        self.homes.of(self.memory.layout().page_of(block))
    }

    /// Whether the array of `page` has been freed.
    pub(super) fn is_freed(&self, page: u32) -> bool {
        self.freed[page as usize].load(Ordering::Acquire)
    }

    /// Returns a handle by which this node's threads access the elements of `array`.
    ///
    /// # Panics
    /// If the array is of another address space.
    pub fn bind<T: Word>(&self, array: Array<T>) -> Shared<T> {
        self.memory.bind(array)
    }

    /// Applies `f` to the table of pages, under the sequential key.
    pub(super) fn at_pages<R>(&self, cx: &mut Handler<'_>, f: impl FnOnce(&mut Pages) -> R) -> R {
        cx.with_any(&self.pages, ALL, |pages, _| f(pages))
    }

    /// Frees `array` on this node. A single thread of each node calls it, when no thread of any node will use the
    /// array any more. A later access ends the run with an error.
    ///
    /// # Panics
    /// If the array is of another address space, or has been freed before.
    pub fn free<T: Word>(&self, thread: &Thread<'_>, array: Array<T>) {
        assert!(!self.memory.is_freed(array), "a shared array is freed twice");
        let layout = self.memory.layout();
        let pages = layout.pages_of(array);
        let frees = self.frees.count(thread);
        let free = Self::give_back(layout.region_of(array), pages.start, pages.len() as u32);
        thread.send(self.node, free);
        thread.wait(&self.frees, frees + 1);
    }
}
