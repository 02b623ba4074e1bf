//! em3d by messages: a few values travel in each, and the handler puts them into the ghosts.
//!
//! This module must never know the meaning of the values that travel, nor their use.

use tempest::{Message, Thread};

use super::ghosts::Field;
use super::layout::Export;

/// Sends the values of an export, at most `size` in each message. `message` makes the message for the ghosts from a place on.
pub(super) fn export<M: Message>(
    thread: &Thread<'_>,
    field: &Field,
    export: &Export,
    size: usize,
    message: impl Fn(u32) -> M,
) {
    field.in_pieces(thread, export, size, |at, values| thread.send_with(export.to, message(at), values));
}
