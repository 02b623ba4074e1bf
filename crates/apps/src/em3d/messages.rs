//! em3d by messages: a few values travel in each, and the handler puts them into the ghosts.
//!
//! Must never know which values travel, nor what is computed from them.

use tempest::{NodeId, Thread};

use super::ghosts::Em3d;
use super::graph::Kind;

/// Sends values to a node that needs them, for its ghosts from place `at` on.
pub(super) fn export(thread: &Thread<'_>, to: NodeId, kind: Kind, at: u32, values: &[u64]) {
    thread.send_with(to, Em3d::ghosts(at, kind as u32), values);
}
