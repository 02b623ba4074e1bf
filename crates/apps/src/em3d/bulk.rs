//! em3d by bulk transfers: all values for one node are gathered into a block, and one transfer moves it into the ghosts.
//!
//! This module must never know the meaning of the values that travel, nor their use.

use tempest::data::Piece;
use tempest::{Access, Message, Thread};

use super::ghosts::Field;
use super::layout::Export;
use super::work::{READ, WRITE};

/// Moves all values of an export into the ghosts where they are used, so that the receiver need not scatter them.
/// `filled` makes the message that tells how many ghosts the transfer has filled.
pub(super) fn export<M: Message>(
    thread: &Thread<'_>,
    field: &Field,
    export: &Export,
    filled: impl FnOnce(u32) -> M,
) {
    let count = export.places.len();
    let [values, gathered] = [&field.values, &field.gathered].map(|segment| thread.words(segment));
    for (at, &place) in (export.gathered as usize..).zip(&export.places) {
        gathered.set(at, values.get(place as usize));
    }
    thread.charge(READ.and(WRITE).times(count as u32));
    let block = field.gathered.place(export.gathered);
    if !thread.is_coherent() {
        // The interface reads memory, not the cache.
        thread.touch(block, count, Access::Flush);
        thread.drain();
    }
    let gathered = [Piece { place: block, words: count as u32 }];
    thread.transfer(export.to, field.values.place(export.at), &gathered, filled(count as u32));
    thread.poll();
}
