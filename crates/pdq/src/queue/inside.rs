//! The queue whose handler a thread runs, if it runs one. This module must never know a queue beyond its name.

use std::cell::Cell;

use crate::DispatcherId;
use crate::sync::thread_local;

thread_local! {
    /// Name of the queue whose handler this thread runs, if a worker runs it.
    static HANDLING: Cell<Option<DispatcherId>> = const { Cell::new(None) };
}

/// Panics, in debug builds, if the caller is a handler of the queue `id`: the handler would wait for itself for ever.
pub(super) fn assert_outside_handlers(id: DispatcherId) {
    debug_assert!(
        HANDLING.with(Cell::get) != Some(id),
        "a handler must not wait for its own queue: what it waits for may wait for its key"
    );
}

pub(super) fn enter_handlers(id: DispatcherId) -> Option<DispatcherId> {
    if cfg!(debug_assertions) { HANDLING.with(|handling| handling.replace(Some(id))) } else { None }
}

pub(super) fn leave_handlers(outer: Option<DispatcherId>) {
    if cfg!(debug_assertions) {
        HANDLING.with(|handling| handling.set(outer));
    }
}
