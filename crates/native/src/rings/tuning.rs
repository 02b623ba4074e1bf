//! The tuning constants of rings, credits and outboxes. Each names the row of `docs/speed.md` that it pays for, or the bound that it sets.

/// Maximum number of lines of a ring after which the consumer publishes its progress.
///
/// Row: stream of small messages.
pub(crate) const LINES_PER_RETURN: u64 = 128;

/// Half lines of a ring by which the consumer looks ahead of the next message: eight long messages, or sixteen short ones.
///
/// Row: 2^22 foreseen keys.
pub(crate) const HALVES_AHEAD: u64 = 16;

/// Reciprocal of the largest share of threads' messages in an outbox: one in eight.
///
/// Row: fetch-add by 8 processors.
pub(crate) const THREADS_SHARE: usize = 8;

/// Slots of a ring if memory allows. Streams run best with thousands of lines between their ends; a window of requests touches as few
/// lines of a large ring at a time as of a small one.
///
/// Row: stream of small messages.
pub(crate) const RING_SLOTS: usize = 2048;

/// Maximum number of unacknowledged thread messages of one lane: half as many as a ring holds short ones. A sender that runs out of credit
/// has to fetch the receiver's cache line for every few messages.
///
/// Row: stream of small messages.
pub(crate) const WINDOW: u64 = 4096;

/// Memory of the outboxes of a world, in bytes: 1 GiB.
///
/// Bound: the memory of outboxes; no row.
pub(crate) const OUTBOX_BYTES: usize = 1 << 30;

/// Bytes in the outboxes of a node up to which it acknowledges messages: about the size of a core's own cache. If the outboxes of a world
/// have little memory, a quarter of the node's share.
///
/// Bound: the memory of outboxes; no row.
pub(crate) const RESERVE_BYTES: usize = 4 << 20;

/// Bytes that a handler is assumed to leave in outboxes before the first of its kind has run: 25,000 short messages.
///
/// Bound: the memory of outboxes; no row.
pub(crate) const ASSUMED_BYTES: usize = 1 << 20;

/// Maximum window of a kind of which no handler has run yet.
///
/// Bound: the memory of outboxes; no row.
pub(crate) const FIRST_WINDOW: u64 = 32;
