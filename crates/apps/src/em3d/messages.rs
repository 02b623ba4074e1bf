//! em3d by messages: a few values travel in each, and the handler puts them into the ghosts.
//!
//! Must never know which values travel, nor what is computed from them.

use bytemuck::{Pod, Zeroable};
use tempest::{Handler, Key, Message, NodeId, Thread};

use super::ghosts::{Em3d, WRITE};
use super::graph::Kind;

/// A message with a few values for consecutive ghosts.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Ghosts {
    at: u32,
    kind: u32,
}

impl Message for Ghosts {
    type Protocol = Em3d;

    /// Ghosts are cells, and no two messages have the same ones.
    fn key(&self) -> Key {
        Key::NoSync
    }

    fn handle(self, em3d: &Em3d, values: &[u64], cx: &mut Handler<'_>) {
        let field = &em3d.fields[self.kind as usize];
        for (place, value) in (self.at as usize..).zip(values) {
            field.values.cells().set(place, f64::from_bits(*value));
        }
        cx.charge(WRITE.times(values.len() as u32));
        cx.signal(&field.filled, values.len() as u64);
    }
}

/// Sends values to a node that needs them, for its ghosts from place `at` on.
pub(super) fn export(thread: &Thread<'_>, to: NodeId, kind: Kind, at: u32, values: &[u64]) {
    thread.send_with(to, Ghosts { at, kind: kind as u32 }, values);
}
