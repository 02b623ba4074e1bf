//! em3d by bulk transfers: all values for one node are gathered into a block, and one transfer moves it into the ghosts.
//!
//! Must never know which values travel, nor what is computed from them.

use tempest::Thread;

use super::ghosts::{Em3d, Field, READ, WRITE};
use super::graph::Kind;
use super::layout::Export;

/// Moves all values of an export into the ghosts where they are used, so that the receiver has nothing to scatter.
pub(super) fn export(thread: &Thread<'_>, field: &Field, kind: Kind, export: &Export) {
    let count = export.places.len() as u32;
    let gathered: Vec<u64> = field.bits(&export.places).collect();
    thread.charge(READ.and(WRITE).times(count));
    let place = field.values.place(export.at);
    thread.transfer(export.to, place, &gathered, Em3d::filled(count, kind as u32));
    thread.poll();
}
