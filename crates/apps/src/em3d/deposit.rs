//! em3d by deposits: a few values at a time are placed in the ghosts, and no handler runs.
//!
//! This module must never know the meaning of the values that travel, nor their use.

use tempest::Thread;

use super::ghosts::Field;
use super::layout::Export;

/// Places the values of an export in the ghosts of the node that needs them, at most `size` in each deposit.
pub(super) fn export(thread: &Thread<'_>, field: &Field, export: &Export, size: usize) {
    field.in_pieces(thread, export, size, |at, values| {
        thread.deposit(export.to, field.values.place(at), values);
    });
}
