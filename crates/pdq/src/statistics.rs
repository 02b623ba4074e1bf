//! Counts of a dispatcher's own work.
//!
//! Plain numbers since the dispatcher was made. This module must never know time: waiting is counted, not measured.

/// Counts of a dispatcher's items and waits since it was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Number of items that arrived: by `enqueue`, or by a `try_hold` that succeeded. Continuations are not new items.
    pub enqueued: u64,
    /// Number of times that an item or continuation was handed to a server, or a key to a caller of `try_hold`. When all items
    /// are done, and none was aborted, this is `enqueued + continued`.
    pub dispatched: u64,
    /// Number of continuations queued by `complete_with`.
    pub continued: u64,
    /// Number of handlers that panicked: in a [`Worker`](crate::Worker), or by unwinding out of their
    /// [`Dispatch`](crate::Dispatch) guard.
    pub panicked: u64,
    /// Number of calls of `dispatch` that found no item although items waited beyond the search window with no sequential item
    /// before them: head-of-line blocking. (The unseen items may have been blocked too; the hardware cannot see them either.)
    pub blocked_by_window: u64,
    /// Number of items accepted beyond the bound: the modelled device's capacity, or the concurrent queue's limit.
    pub spilled: u64,
    /// Number of items that a [`Worker`](crate::Worker) took from a lane that another worker prefers.
    pub stolen: u64,
    /// Number of items that a search for work passed over because their key was held. (In the concurrent queue, a worker that
    /// takes items in order does not search.)
    pub waited_on_key: u64,
    /// Number of items that arrived behind an unfinished sequential item, and of sequential items that arrived behind any item.
    pub waited_on_sequential: u64,
}
