//! The table of a node's pages with frames, and of the faults that wait for a frame. This module must never know a message.

use std::collections::{BTreeMap, VecDeque};

use tempest::memory::Frames;
use tempest::{Block, Right};

use super::{Registered, Residence, Touch};

/// Table of a node's remote pages with frames, and of the faults that wait for a frame.
pub(super) struct Pages {
    frames: Frames,
    /// Pages that were given a frame on demand and may be accessed, the oldest first.
    pub(super) active: VecDeque<u32>,
    /// Pages that have a frame and may not be accessed until a thread faults there. The page that has rested longest comes first.
    pub(super) resting: VecDeque<u32>,
    /// Pages without frames whose entries remain until their words have arrived at the home. Robust variant only.
    pub(super) departing: Vec<u32>,
    /// Faults in pages without a frame or without a known home.
    pub(super) waiting: VecDeque<(Block, Right)>,
    /// Knowledge of this node about the homes of first-touch pages, by page.
    pub(super) touches: BTreeMap<u32, Touch>,
    /// Homes of the first-touch pages that this node manages, by page.
    pub(super) registered: BTreeMap<u32, Registered>,
    /// Part of this node in the moves of pages' homes, by page.
    moving: BTreeMap<u32, Residence>,
}

impl Pages {
    pub(super) fn new(frames: Frames) -> Self {
        let (active, resting, departing, waiting) = Default::default();
        let (touches, registered, moving) = Default::default();
        Self { frames, active, resting, departing, waiting, touches, registered, moving }
    }

    /// Returns this node's part in the move of `page`; `None` if the page does not move.
    pub(super) fn residence(&self, page: u32) -> Option<Residence> {
        self.moving.get(&page).copied()
    }

    pub(super) fn set_residence(&mut self, page: u32, residence: Residence) {
        if residence.is_moving() {
            self.moving.insert(page, residence);
        } else {
            self.moving.remove(&page);
        }
    }

    /// Returns the pages that have been offered to this node, and for which it may have outstanding requests.
    pub(super) fn invited(&self) -> Vec<u32> {
        let invited = self.moving.iter().filter(|(_, residence)| **residence == Residence::Invited);
        invited.map(|(&page, _)| page).collect()
    }

    /// Queues a fault until the block's page is mapped.
    pub(super) fn wait(&mut self, block: Block, right: Right) {
        self.waiting.push_back((block, right));
    }

    pub(super) fn is_full(&self) -> bool {
        let given = self.active.len() + self.resting.len();
        matches!(self.frames, Frames::AtMost(most) if given >= most as usize)
    }

    /// Whether more pages are active than the replacement policy allows.
    pub(super) fn has_too_many_active(&self) -> bool {
        matches!(self.frames, Frames::AtMost(most) if self.active.len() > (most - most / 4) as usize)
    }

    /// Gives `page` a frame and makes it active.
    pub(super) fn give(&mut self, page: u32) {
        self.departing.retain(|&departing| departing != page);
        self.active.push_back(page);
    }

    /// Lays the active page `page` to rest.
    pub(super) fn lay_to_rest(&mut self, page: u32) {
        self.active.retain(|&active| active != page);
        self.resting.push_back(page);
    }

    /// Makes the resting page `page` active again. Returns false if the page does not rest.
    pub(super) fn wake(&mut self, page: u32) -> bool {
        let Some(at) = self.resting.iter().position(|&resting| resting == page) else { return false };
        self.resting.remove(at);
        self.active.push_back(page);
        true
    }

    /// Takes the frame away from `page`, if it has one. Returns whether the page was at rest.
    pub(super) fn remove(&mut self, page: u32) -> bool {
        self.departing.retain(|&departing| departing != page);
        self.active.retain(|&active| active != page);
        let before = self.resting.len();
        self.resting.retain(|&resting| resting != page);
        self.resting.len() < before
    }
}

/// Number of the only entry in the table of pages.
pub(super) const ALL: u64 = 0;
