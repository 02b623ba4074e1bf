//! em3d by deposits: a few values at a time are placed in the ghosts, and no handler runs.
//!
//! Must never know which values travel, nor what is computed from them.

use tempest::{NodeId, Thread};

use super::ghosts::Field;

/// Places values in a node that needs them, in its ghosts from place `at` on.
pub(super) fn export(thread: &Thread<'_>, field: &Field, to: NodeId, at: u32, values: &[u64]) {
    thread.deposit(to, field.values.place(at), values);
}
