//! The numbers that decide how the queue trades latency for throughput, in one place.
//!
//! None of them decides what is correct. Tests that explore schedules shrink them so that every boundary is near.

/// Whether schedules are being explored, by a model checker or Miri.
const SMALL: bool = cfg!(any(test, miri));

/// Items per block of an inbox, and the most that one claim takes.
pub(super) const BLOCK: usize = if SMALL { 2 } else { 64 };

/// Lanes per server. More lanes make two servers meet in one less often, fewer make batches larger.
pub(super) const LANES_PER_SERVER: usize = if SMALL { 1 } else { 2 };

/// Most lanes: who looks for work looks at all of them.
pub(super) const MOST_LANES: usize = 256;

/// A claim should be done after so many nanoseconds: what it has claimed but not begun, nobody else can run.
pub(super) const CLAIM_NS: u64 = 4_000;

/// Most items of a worker's first claim, as long as it does not know how long its handlers take.
pub(super) const FIRST_CLAIM: u64 = if SMALL { BLOCK as u64 } else { 1 };

/// Claims of one lane in a row before a worker looks at its next lane.
pub(super) const STAY: usize = if SMALL { 1 } else { 4 };

/// Every so many claims a worker begins with a lane that is not its own: so no lane depends on one worker.
pub(super) const AWAY: usize = if SMALL { 2 } else { 64 };

/// Items that [`Queue::dequeue`](super::Queue::dequeue) takes from a lane before it goes on to the next.
pub(super) const TURN: usize = if SMALL { 1 } else { 8 };

/// Looks around for work between two looks at the clock.
pub(super) const LOOKS: usize = if SMALL { 0 } else { 16 };

/// How long a worker without work looks around before it sleeps, in nanoseconds. Longer than a claim should take, so that
/// who finds only claimed lanes waits for the claim to end instead of breaking into it.
pub(super) const SPIN_NS: u64 = if SMALL { 0 } else { 20_000 };

/// How long a worker that sees only claims of others watches one before it breaks into it, in nanoseconds. Longer than a
/// claim should take, so that claims of short handlers are left in peace.
pub(super) const PATIENCE_NS: u64 = if SMALL { 0 } else { 2 * CLAIM_NS };

/// Picks after a break-in that sort more than they need.
pub(super) const SORT_AHEAD: usize = 16;

/// Items that a break-in looks behind what others run.
pub(super) const LOOK_BEHIND: u64 = 4 * BLOCK as u64;

/// Of the claims whose size would not change anyway, one in so many is timed.
pub(super) const SAMPLE: usize = 8;

/// So many claims in a row of fewer than [`FEW`] items, each all there was, show that a worker runs after a producer.
pub(super) const CHASES: usize = 4;

/// See [`CHASES`].
pub(super) const FEW: usize = 24;

/// Nanoseconds for which such a worker holds back.
pub(super) const HOLD_BACK_NS: u64 = if SMALL { 0 } else { 700 };

/// If it finds fewer items after that, on average of [`TRIALS`], holding back was in vain.
pub(super) const GATHERED: usize = 4;

/// See [`GATHERED`].
pub(super) const TRIALS: usize = 8;

/// Claims of few items before it is tried again.
pub(super) const NO_CHASE: usize = 256;
