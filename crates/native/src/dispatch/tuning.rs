//! The tuning constants of dispatch. Each names the row of `docs/speed.md` that it pays for, or the bound that it sets.

use crate::rings::tuning::FIRST_WINDOW;

/// Maximum number of messages taken from one lane before the next is looked at.
///
/// Row: stream of small messages.
pub(crate) const BATCH: usize = 32;

/// Maximum number of messages handled in place that their sender does not know to be handled. Below the first window of a lane, so that
/// messages behind a long handler still have credit.
///
/// Bound: the credits that a long handler keeps back; no row.
pub(crate) const MOST_UNTOLD: u64 = BATCH as u64 / 2;

const _: () = assert!(MOST_UNTOLD < FIRST_WINDOW);

/// Rounds through the lanes per seizure of the whole queue, as long as each brings a full batch. The cost of the seizure, and of moving
/// the cache lines that the node's processors share, then hardly counts.
///
/// Row: fetch-add by 8 processors, floating+keyed.
pub(crate) const ROUNDS_PER_SEIZURE: usize = 4;

/// Refusals of the receive lock, some microseconds of a processor that looks for work, between two looks at the holder. Each look
/// takes a cache line from the holder, which stores to it with every handler and has to fetch it again.
///
/// Row: message beside a long handler.
pub(crate) const REFUSALS_PER_LOOK: u32 = 128;

/// Refusals between two looks at the holder if processors share cores: each may last until its processor has a core again.
///
/// Row: fetch-add by 8 processors.
pub(crate) const SHARED_REFUSALS_PER_LOOK: u32 = 16;
