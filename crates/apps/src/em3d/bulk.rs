//! em3d by bulk transfers: all values for one node are gathered into a block, and one transfer moves it into the ghosts.
//!
//! Must never know which values travel, nor what is computed from them.

use tempest::{Message, Thread};

use super::ghosts::Field;
use super::layout::Export;
use super::work::{READ, WRITE};

/// Moves all values of an export into the ghosts where they are used, so that the receiver has nothing to scatter. `filled` makes
/// the message that tells how many ghosts the transfer has filled.
pub(super) fn export<M: Message>(
    thread: &Thread<'_>,
    field: &Field,
    export: &Export,
    filled: impl FnOnce(u32) -> M,
) {
    let count = export.places.len() as u32;
    let gathered: Vec<u64> = field.bits(&export.places).collect();
    thread.charge(READ.and(WRITE).times(count));
    thread.transfer(export.to, field.values.place(export.at), &gathered, filled(count));
    thread.poll();
}
