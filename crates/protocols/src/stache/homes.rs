//! A node's record of the homes of pages, and a home's count of the requests of other nodes for each of its pages.
//!
//! This module must never know messages, nor the meaning of a block's states.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use tempest::{Block, Memory, NodeId, Tag};

use super::{Migration, Usage, Whereabouts};

/// The homes of pages, as far as a node knows them, indexed by page.
pub(super) struct KnownHomes(Box<[AtomicU64]>);

impl KnownHomes {
    /// Code of an unknown home.
    const UNKNOWN: u64 = 0;

    /// Makes the table of a node before the run, from the layout. A first-touch page has no home yet and no node has a right to
    /// it.
    pub(super) fn new(memory: &Memory) -> Self {
        let layout = memory.layout();
        let home = |page| {
            if !layout.is_touched_home(page) {
                return packed(Whereabouts::first(layout.home_of_page(page)));
            }
            memory.set_mapped(page, false);
            layout.blocks_of(page).for_each(|block| memory.set_tag(Block(block), Tag::Invalid));
            Self::UNKNOWN
        };
        Self((0..layout.pages()).map(home).map(AtomicU64::new).collect())
    }

    /// Returns the home of a page and its number of moves; `None` if the node does not know them.
    pub(super) fn find(&self, page: u32) -> Option<Whereabouts> {
        let found = self.0[page as usize].load(Ordering::Acquire);
        let moves = (found >> 32).checked_sub(1)?;
        Some(Whereabouts { moves: moves as u32, home: NodeId(found as u32) })
    }

    /// Returns the home of a page; `None` if the node does not know it.
    pub(super) fn of(&self, page: u32) -> Option<NodeId> {
        self.find(page).map(|known| known.home)
    }

    /// Records the home of a page and its number of moves, unless the node knows of a later home. Changes that make this node the
    /// home, or end that, are recorded under the sequential key.
    pub(super) fn note(&self, page: u32, now: Whereabouts) {
        self.0[page as usize].fetch_max(packed(now), Ordering::AcqRel);
    }
}

/// Encodes a home and its number of moves: later homes have greater codes, and none has the code of an unknown home.
fn packed(now: Whereabouts) -> u64 {
    (u64::from(now.moves) + 1) << 32 | u64::from(now.home.0)
}

/// Home migration at a node: the policy, and counters for each page.
pub(super) struct Moves {
    policy: Migration,
    /// Number of consecutive requests of one other node, and that node, packed; indexed by page.
    usage: Box<[AtomicU64]>,
    /// Number of blocks that have been reclaimed or have arrived during a move, indexed by page.
    blocks: Box<[AtomicU32]>,
}

impl Moves {
    pub(super) fn new(policy: Migration, pages: u32) -> Self {
        let usage = (0..pages).map(|_| AtomicU64::default()).collect();
        Self { policy, usage, blocks: (0..pages).map(|_| AtomicU32::default()).collect() }
    }

    /// Counts a request of node `by` at the home of `page`, which has moved `moves` times. Returns whether the page is to move to
    /// `by`. One of two simultaneous requests may not be counted: the policy needs no exact number.
    pub(super) fn asks(&self, page: u32, by: NodeId, moves: u32) -> bool {
        let count = &self.usage[page as usize];
        let packed = count.load(Ordering::Relaxed);
        let mut usage = Usage { requests: (packed >> 32) as u32, by: packed as u32 };
        let has_earned = self.policy.has_earned(&mut usage, by, moves);
        count.store(u64::from(usage.requests) << 32 | u64::from(usage.by), Ordering::Relaxed);
        has_earned
    }

    /// Clears the count of requests for `page`, because a thread of the home itself has faulted.
    pub(super) fn used_at_home(&self, page: u32) {
        self.usage[page as usize].store(0, Ordering::Relaxed);
    }

    /// Counts a block of `page` as reclaimed or arrived. Returns whether it is the last of the page's `blocks` blocks; all
    /// earlier counts happen before that.
    pub(super) fn is_last(&self, page: u32, blocks: u32) -> bool {
        let last = self.blocks[page as usize].fetch_add(1, Ordering::AcqRel) + 1 == blocks;
        if last {
            self.blocks[page as usize].store(0, Ordering::Release);
        }
        last
    }
}
