//! The constants by which the queue trades latency for throughput, in one place.
//!
//! None of them affects correctness. Tests that explore schedules shrink them so that every boundary is near.

/// Whether schedules are being explored, by a model checker or Miri.
const SMALL: bool = cfg!(any(test, miri));

/// Number of items in a block of an inbox, which is also the largest number that one claim takes.
pub(super) const BLOCK: usize = if SMALL { 2 } else { 64 };

/// Number of lanes per server. With more lanes, two servers meet in a lane less often; with fewer, batches are larger.
pub(super) const LANES_PER_SERVER: usize = if SMALL { 1 } else { 2 };

/// Largest number of lanes: a search for work looks at all of them.
pub(super) const MOST_LANES: usize = 256;

/// Target duration of a claim, in nanoseconds. Until the claim ends, no other server can run its remaining items.
pub(super) const CLAIM_NS: u64 = 4_000;

/// Largest number of items of a worker's first claim: the worker does not know the duration of its handlers yet.
pub(super) const FIRST_CLAIM: u64 = if SMALL { BLOCK as u64 } else { 1 };

/// Number of claims in a row from one lane before a worker goes on to its next lane.
pub(super) const STAY: usize = if SMALL { 1 } else { 4 };

/// Number of searches after which a worker (or [`Queue::dequeue`](super::Queue::dequeue)) begins once with a lane that is not its
/// own, so that no lane depends on one worker.
pub(super) const AWAY: usize = if SMALL { 2 } else { 64 };

/// Number of items that [`Queue::dequeue`](super::Queue::dequeue) takes from a lane before it goes on to the next.
pub(super) const TURN: usize = if SMALL { 1 } else { 8 };

/// Number of times that a worker without work looks at the lanes between two readings of the clock.
pub(super) const LOOKS: usize = if SMALL { 0 } else { 16 };

/// Time for which a worker without work spins before it sleeps, in nanoseconds. Longer than a claim should take, so
/// that a worker that finds only claimed lanes waits for the claim to end instead of breaking into it.
pub(super) const SPIN_NS: u64 = if SMALL { 0 } else { 20_000 };

/// Time for which a worker that sees only claims of others watches one before it breaks into it, in nanoseconds.
/// Longer than a claim should take, so that claims of short handlers are left in peace.
pub(super) const PATIENCE_NS: u64 = if SMALL { 0 } else { 2 * CLAIM_NS };

/// Number of picks after a break-in that move a block of items into the index even if an item is ready there.
pub(super) const SORT_AHEAD: usize = 16;

/// Largest number of items behind a claim that one break-in moves into the index.
pub(super) const LOOK_BEHIND: u64 = 4 * BLOCK as u64;

/// Number of searches for work from one timed claim to the next, where a measured duration would not change the size of later
/// claims.
pub(super) const SAMPLE: usize = 8;

/// Number of successive small claims after which a worker counts as faster than its producer. A claim is small if it has fewer than
/// [`FEW`] items and leaves fewer than [`FEW`] behind.
pub(super) const CHASES: usize = 4;

/// Number of items below which a claim is small (see [`CHASES`]). A claim that leaves at least this number behind shows that the
/// worker is slower than its producer.
pub(super) const FEW: usize = 24;

/// Pause of a worker that is faster than its producer, before it looks at its lanes again, in nanoseconds.
pub(super) const HOLD_BACK_NS: u64 = if SMALL { 0 } else { 700 };

/// Average number of items per claim, over [`TRIALS`] claims, below which the pauses before the claims were in vain.
pub(super) const GATHERED: usize = 4;

/// Number of claims over which [`GATHERED`] is an average.
pub(super) const TRIALS: usize = 8;

/// Number of small claims before a worker that has given up its pauses tries them again.
pub(super) const NO_CHASE: usize = 256;
