//! What a node knows of the homes of pages, and what a home counts of their use.
//!
//! This module must never know messages, nor what a block's states mean.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use tempest::{Block, Memory, NodeId, Tag};

use super::{Migration, Usage, Whereabouts};

/// The homes of pages, as far as a node knows them.
pub(super) struct KnownHomes(Box<[AtomicU64]>);

impl KnownHomes {
    /// The node does not know who the home is.
    const UNKNOWN: u64 = 0;

    /// What a node knows before anything runs: the layout. A page whose home is the node that touches it first has no home yet, and no
    /// node has a right to it.
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

    /// Where a page is, if the node knows.
    pub(super) fn find(&self, page: u32) -> Option<Whereabouts> {
        let found = self.0[page as usize].load(Ordering::Acquire);
        let moves = (found >> 32).checked_sub(1)?;
        Some(Whereabouts { moves: moves as u32, home: NodeId(found as u32) })
    }

    /// The home of a page, if it is known.
    pub(super) fn of(&self, page: u32) -> Option<NodeId> {
        self.find(page).map(|known| known.home)
    }

    /// Notes where a page is, unless the node knows of a later home. What makes this node the home, or takes that from it, is noted under
    /// the sequential key.
    pub(super) fn note(&self, page: u32, now: Whereabouts) {
        self.0[page as usize].fetch_max(packed(now), Ordering::AcqRel);
    }
}

/// Later homes have greater numbers, and none has that of an unknown one.
fn packed(now: Whereabouts) -> u64 {
    (u64::from(now.moves) + 1) << 32 | u64::from(now.home.0)
}

/// Where homes move: the policy, and by page what it goes by.
pub(super) struct Moves {
    policy: Migration,
    /// The requests in a row of one other node: how many, and whose.
    usage: Box<[AtomicU64]>,
    /// Blocks that have been called in, or that have come.
    blocks: Box<[AtomicU32]>,
}

impl Moves {
    pub(super) fn new(policy: Migration, pages: u32) -> Self {
        let usage = (0..pages).map(|_| AtomicU64::default()).collect();
        Self { policy, usage, blocks: (0..pages).map(|_| AtomicU32::default()).collect() }
    }

    /// Counts a request of another node at the home. Returns whether the page moves there. Of requests that are counted at the same moment
    /// one may be lost: the policy needs no exact number.
    pub(super) fn asks(&self, page: u32, by: NodeId, moves: u32) -> bool {
        let count = &self.usage[page as usize];
        let packed = count.load(Ordering::Relaxed);
        let mut usage = Usage { requests: (packed >> 32) as u32, by: packed as u32 };
        let has_earned = self.policy.has_earned(&mut usage, by, moves);
        count.store(u64::from(usage.requests) << 32 | u64::from(usage.by), Ordering::Relaxed);
        has_earned
    }

    /// The home itself has faulted: requests before that do not count.
    pub(super) fn used_at_home(&self, page: u32) {
        self.usage[page as usize].store(0, Ordering::Relaxed);
    }

    /// Counts a block of a page that has been called in, or has come. Returns whether it is the last of `blocks`. The counts before it
    /// happen before that.
    pub(super) fn is_last(&self, page: u32, blocks: u32) -> bool {
        let last = self.blocks[page as usize].fetch_add(1, Ordering::AcqRel) + 1 == blocks;
        if last {
            self.blocks[page as usize].store(0, Ordering::Release);
        }
        last
    }
}
