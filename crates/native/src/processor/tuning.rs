//! The tuning constants of a processor at work. Each names the row of `docs/speed.md` that it pays for, or the bound that it sets.

use std::time::Duration;

/// Threads that run before the processor serves, if it may, and empties its inbox.
///
/// Row: fetch-add by message, 64 blocking threads.
pub(crate) const TURNS_PER_SERVICE: u32 = 16;

/// Blocks per clock reading, which costs as much as two switches.
///
/// Row: thread switch.
pub(crate) const BLOCKS_PER_READING: u64 = 64;

/// Spin time before sleep, in nanoseconds, if every processor has a core of its own.
///
/// Row: target computes.
pub(crate) const SPIN_NS: u64 = 20_000;

/// Looks of an idle processor between two clock readings.
///
/// Row: handler round trip.
pub(crate) const LOOKS_PER_READING: u32 = 64;

/// Looks, with a yield of the core before each, if processors share cores and have no rivals.
///
/// Row: fetch-add by 8 processors.
pub(crate) const YIELDS: u32 = 8;

/// Attempts to find room before a nap, if every processor has a core of its own: about as long as [`SPIN_NS`]. A receiver that is slower
/// than its senders returns credit batch by batch, much sooner.
///
/// Row: stream of small messages.
pub(crate) const TRIES_FOR_ROOM: u32 = 128;

/// Growth of consecutive naps (exponential back-off): each is longer than the last by this fraction, and so about this fraction of the
/// time waited already. A wait of seconds thus takes hardly any processor time, and ends at most this fraction late.
///
/// Row: message to itself beside 8 busy loops.
pub(crate) const NAP_GROWTH: f64 = 1.0 / 16.0;

/// Maximum length of a nap.
///
/// Row: message to itself beside 8 busy loops.
pub(crate) const LONGEST_NAP: Duration = Duration::from_millis(100);

/// Time for which a thread that a panic unwinds tries to hold a key before it ends the run.
///
/// Bound: the time of an unwinding thread; no row.
pub(crate) const HOLD_PATIENCE: Duration = Duration::from_secs(1);

/// Attempts of a thread to keep others from receiving while it holds a key: some ten microseconds in all, about the length of a batch of
/// brief handlers.
///
/// Row: fetch-add by 8 processors, floating+keyed.
pub(crate) const TRIES_FOR_LOCK: u32 = 512;
