//! em3d by bulk transfers: all values for one node are gathered into a block, and one transfer moves it into the ghosts.
//!
//! Must never know which values travel, nor what is computed from them.

use bytemuck::{Pod, Zeroable};
use tempest::{Handler, Key, Message, Thread};

use super::ghosts::{Em3d, Field, READ, WRITE};
use super::graph::Kind;
use super::layout::Export;

/// The message behind a transfer: so many ghosts of a kind have been filled.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Filled {
    count: u32,
    kind: u32,
}

impl Message for Filled {
    type Protocol = Em3d;

    fn key(&self) -> Key {
        Key::NoSync
    }

    fn handle(self, em3d: &Em3d, _payload: &[u64], cx: &mut Handler<'_>) {
        cx.signal(&em3d.fields[self.kind as usize].filled, self.count.into());
    }
}

/// Moves all values of an export into the ghosts where they are used, so that the receiver has nothing to scatter.
pub(super) fn export(thread: &Thread<'_>, field: &Field, kind: Kind, export: &Export) {
    let count = export.places.len() as u32;
    let gathered: Vec<u64> = field.bits(&export.places).collect();
    thread.charge(READ.and(WRITE).times(count));
    let place = field.values.place(export.at);
    thread.transfer(export.to, place, &gathered, Filled { count, kind: kind as u32 });
    thread.poll();
}
