//! The capacities of rings, windows and outboxes, and the bounds that the outboxes of a world share.
//!
//! This module must never know lanes.

use std::sync::Arc;

use crate::rings::outbox::{PAGE_BYTES, Quota};
use crate::rings::tuning::{ASSUMED_BYTES, OUTBOX_BYTES, RESERVE_BYTES, RING_SLOTS, WINDOW};
use crate::rings::windows::Windows;

/// Capacities of rings, windows and outboxes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Depths {
    /// Messages per ring, a power of two.
    pub(crate) slots: usize,
    /// Maximum number of credits of a lane.
    pub(crate) window: u64,
    /// Bytes for the outboxes of a world.
    pub(crate) outboxes: usize,
}

impl Default for Depths {
    fn default() -> Self {
        Self { slots: RING_SLOTS, window: WINDOW, outboxes: OUTBOX_BYTES }
    }
}

impl Depths {
    /// Words in the outboxes of each of `nodes` nodes up to which it acknowledges handled messages.
    pub(crate) fn reserve(&self, nodes: usize) -> usize {
        RESERVE_BYTES.min(self.outboxes / (4 * nodes)) / size_of::<u64>()
    }
}

/// The bounds of the outboxes of a world, shared by all its lanes.
#[derive(Clone)]
pub(crate) struct Bounds {
    pub(crate) quota: Arc<Quota>,
    pub(crate) windows: Windows,
}

impl Bounds {
    /// Bounds for `nodes` nodes and `kinds` kinds of messages.
    pub(crate) fn new(depths: Depths, nodes: usize, kinds: usize) -> Self {
        let first = depths.outboxes / ASSUMED_BYTES / nodes.pow(2);
        let share = depths.reserve(nodes) / nodes;
        Self {
            quota: Arc::new(Quota::new(depths.outboxes.div_ceil(PAGE_BYTES))),
            windows: Windows::new(kinds, first as u64, depths.window, share as u64),
        }
    }
}
