//! Counts of a dispatcher's own work.
//!
//! Plain numbers since the dispatcher was made. This module must never know time: waiting is counted, not measured.

/// Counts since the dispatcher was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Items that arrived: by `enqueue`, or by a `try_hold` that succeeded. Continuations are not new items.
    pub enqueued: u64,
    /// Number of dispatches, with the items of `try_hold` and continuations. When all items are done, and none was
    /// aborted, this is `enqueued + continued`.
    pub dispatched: u64,
    /// Continuations queued by `complete_with`.
    pub continued: u64,
    /// Handlers that panicked: in a [`Worker`](crate::Worker), or by unwinding out of their [`Dispatch`](crate::Dispatch)
    /// guard.
    pub panicked: u64,
    /// Calls of `dispatch` that came back empty although items waited beyond the search window with no sequential item
    /// before them: head-of-line blocking. (Those items may have been blocked too; the hardware cannot see them either.)
    pub blocked_by_window: u64,
    /// Items that were accepted beyond the bound: the modelled device's capacity, or the concurrent queue's limit.
    pub spilled: u64,
    /// Items that a [`Worker`](crate::Worker) took away from home, that is from a lane that another worker prefers.
    pub stolen: u64,
    /// Items that a search for work passed over because their key was held. (In the concurrent queue, a worker that
    /// takes items in order does not search.)
    pub waited_on_key: u64,
    /// Items that arrived behind an unfinished sequential item, and sequential items that arrived behind any.
    pub waited_on_sequential: u64,
}
