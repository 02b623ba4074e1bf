//! The constants by which the queue trades latency for throughput, in one place.
//!
//! None of them affects correctness. Tests that explore schedules shrink them so that every boundary is near.

/// Whether schedules are being explored, by a model checker or Miri.
const SMALL: bool = cfg!(any(test, miri));

/// Items per block of an inbox, and the most that one claim takes.
pub(super) const BLOCK: usize = if SMALL { 2 } else { 64 };

/// Lanes per server. More lanes make two servers meet in one less often, fewer make batches larger.
pub(super) const LANES_PER_SERVER: usize = if SMALL { 1 } else { 2 };

/// Most lanes: a search for work looks at all of them.
pub(super) const MOST_LANES: usize = 256;

/// Target duration of a claim, in nanoseconds: no other server can run an item that is claimed and has not begun.
pub(super) const CLAIM_NS: u64 = 4_000;

/// Most items of a worker's first claim, before it knows the duration of its handlers.
pub(super) const FIRST_CLAIM: u64 = if SMALL { BLOCK as u64 } else { 1 };

/// Claims of one lane in a row before a worker looks at its next lane.
pub(super) const STAY: usize = if SMALL { 1 } else { 4 };

/// Number of claims after which a worker begins once with a lane that is not its own, so that no lane depends on one
/// worker.
pub(super) const AWAY: usize = if SMALL { 2 } else { 64 };

/// Number of items that [`Queue::dequeue`](super::Queue::dequeue) takes from a lane before it goes on to the next.
pub(super) const TURN: usize = if SMALL { 1 } else { 8 };

/// Number of looks for work between two looks at the clock.
pub(super) const LOOKS: usize = if SMALL { 0 } else { 16 };

/// Time for which a worker without work spins before it sleeps, in nanoseconds. Longer than a claim should take, so
/// that a worker that finds only claimed lanes waits for the claim to end instead of breaking into it.
pub(super) const SPIN_NS: u64 = if SMALL { 0 } else { 20_000 };

/// Time for which a worker that sees only claims of others watches one before it breaks into it, in nanoseconds.
/// Longer than a claim should take, so that claims of short handlers are left in peace.
pub(super) const PATIENCE_NS: u64 = if SMALL { 0 } else { 2 * CLAIM_NS };

/// Number of picks after a break-in that sort more than they need.
pub(super) const SORT_AHEAD: usize = 16;

/// Number of items behind a claim that a break-in looks at.
pub(super) const LOOK_BEHIND: u64 = 4 * BLOCK as u64;

/// Sampling period of timed claims, among claims whose size would not change anyway.
pub(super) const SAMPLE: usize = 8;

/// Number of claims in a row, each of fewer than [`FEW`] items and of all there were, that show that a worker runs
/// after a producer.
pub(super) const CHASES: usize = 4;

/// Number of items below which a claim counts for [`CHASES`].
pub(super) const FEW: usize = 24;

/// Time for which such a worker holds back, in nanoseconds.
pub(super) const HOLD_BACK_NS: u64 = if SMALL { 0 } else { 700 };

/// Number of items per claim, on average of [`TRIALS`] claims, below which holding back was in vain.
pub(super) const GATHERED: usize = 4;

/// Number of claims in the average of [`GATHERED`].
pub(super) const TRIALS: usize = 8;

/// Number of claims of few items before a worker tries holding back again.
pub(super) const NO_CHASE: usize = 256;
