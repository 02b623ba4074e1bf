//! The tuning constants of the parts. Each names the row of `docs/speed.md` that it pays for, or the bound that it sets.

use std::time::Duration;

use units::Time;

/// Target interval between a computing processor's looks for events (see [`Pace`](tempest::world::Pace)). Looks then take a twentieth of
/// the time, and a message waits for half an interval on average, about as long as its round trip takes.
///
/// Row: fft by bulk.
pub const LOOKS_APART: Time = Time::from_microseconds(1);

/// Sends of threads per timed send: two clock readings cost as much as a send.
///
/// Row: stream of small messages.
pub(crate) const SENDS_PER_TIMED: u32 = 64;

/// Number of messages per look that is worth the moves of their cache lines.
///
/// Row: stream of small messages.
pub(crate) const STREAM_BATCH: usize = 32;

/// Maximum pause between two looks of a processor that receives a stream, in spin-loop pauses.
///
/// Row: stream of small messages.
pub(crate) const LONGEST_PAUSE: u32 = 16;

/// Batches per timed batch: two clock readings cost as much as a handler.
///
/// Row: handler round trip.
pub(crate) const BATCHES_PER_TIMED: u32 = 16;

/// Maximum time of a brief handler, in nanoseconds. A brief handler costs less than its move to another processor, which moves some
/// cache lines of the queue between two caches.
///
/// Row: handlers of a microsecond.
pub(crate) const BRIEF_NS: u64 = 500;

/// Minimum number of handlers of which a mean time is taken: the first of a batch waits for cache lines that all of them need.
///
/// Row: handlers of a microsecond.
pub(crate) const FEWEST_HANDLERS: u64 = 8;

/// Holds of threads per timed hold: two clock readings cost as much as a hold.
///
/// Row: fetch-add by 8 processors, floating+keyed.
pub(crate) const HOLDS_PER_TIMED: u32 = 16;

/// Looks at an unchanged queue between two searches: a few microseconds. For that long a processor without other work does not disturb a
/// processor that serves. It is a fraction of the time for which a processor looks before it sleeps.
///
/// Row: handlers of a microsecond.
pub(crate) const LOOKS_PER_SEARCH: u32 = 64;

/// Searches of an unchanged queue before the processor stops: time enough to catch a claim that has taken too long.
///
/// Row: message beside a long handler.
pub(crate) const SEARCHES: u32 = 4;

/// Number of waiting events at which a node stops receiving, until half of them have been handled: about the capacity of the rings
/// into it. Its servers have enough to do, and messages wait at their senders, whose memory is bounded (`lane`). Events wait
/// only for handlers, so the queue drains.
///
/// Bound: the memory of a dispatch queue; no row.
pub(crate) const CROWD: usize = 1 << 16;

/// Receptions between two counts of the queue's length: a count takes a latch of each lane of the queue.
///
/// Row: handlers of a microsecond.
pub(crate) const RECEPTIONS_PER_COUNT: u32 = 64;

/// Time of a handler, in nanoseconds, up to which other processors wait for it: passing the receive lock on moves the cache lines of the
/// lanes to another cache, and back.
///
/// Row: message beside a long handler.
pub(crate) const PATIENCE_NS: u64 = 5_000;

/// Time of a handler up to which others wait for it if processors share cores: its processor may have lost its core for a while.
///
/// Row: fetch-add by 8 processors.
pub(crate) const SHARED_PATIENCE_NS: u64 = 100_000;

/// Maximum length of the first wait for the holder of the contention hint, in spin-loop pauses: a microsecond or two, enough to see whether
/// the holder goes on. After a wait during which it did not, the next first wait is half as long.
///
/// Row: fetch-add by 8 processors.
pub(crate) const FIRST_PAUSES: u32 = 32;

/// Lengths of the later waits for that holder, in spin-loop pauses, some twenty microseconds in all: time for some hundreds of operations,
/// so that moving the cache lines to another processor hardly counts.
///
/// Row: fetch-add by 8 processors.
pub(crate) const LATER_PAUSES: [u32; 4] = [64, 128, 128, 128];

/// Looks of an idle processor, with a pause each, between two tests whether the holder of the contention hint is silent.
///
/// Row: fetch-add by 8 processors.
pub(crate) const LOOKS_PER_TEST: u32 = 64;

/// Consecutive looks that find the contention hint held before a processor ignores it: some holders go on without ever reaching an
/// opportunity to serve.
///
/// Row: fetch-add by 8 processors.
pub(crate) const LOOKS_REFUSED: u32 = 8;

/// Pauses per operation, about a microsecond, below which the holder of the contention hint counts as active. A slower one counts as
/// computing.
///
/// Row: fetch-add by 8 processors.
pub(crate) const PAUSES_PER_OPERATION: u32 = 16;

/// Opportunities to serve between two clock readings. A clock reading costs as much as a handler; an opportunity without events costs
/// a few loads.
///
/// Row: em3d adaptive.
pub(crate) const POINTS_PER_READING: u64 = 64;

/// Time between two measurements, in nanoseconds. Times of handlers are sampled, one batch in sixteen, of a few microseconds each, so an
/// interval has some dozens of samples. A change costs refilled caches: about a hundredth of the interval.
///
/// Row: em3d adaptive.
pub(crate) const INTERVAL_NS: u64 = 1_000_000;

/// Distance of the stack prefetch, in turns of threads.
///
/// Row: thread switch, 16384 threads.
pub(crate) const TURNS_AHEAD: usize = 4;

/// Maximum number of threads whose stacks stay in the caches without prefetch.
///
/// Row: thread switch, 1024 threads.
pub(crate) const CACHED_STACKS: u32 = 512;

/// Length of the first nap of several in a row.
///
/// Row: message to itself beside 8 busy loops.
pub(crate) const NAP: Duration = Duration::from_micros(50);

/// Time of a yield, in nanoseconds, above which it has met a rival: time slices are longer than this.
///
/// Row: message to itself beside 8 busy loops.
pub(crate) const LONG_YIELD_NS: u64 = 500_000;

/// Time until the next trial of a yield, as a multiple of the time of a yield to rivals.
///
/// Row: message to itself beside 8 busy loops.
pub(crate) const RETRY_FACTOR: u64 = 64;

/// Length of a pause beside rivals; a host may add up to 50 us.
///
/// Row: message to itself beside 8 busy loops.
pub(crate) const RIVAL_PAUSE: Duration = Duration::from_micros(20);

/// Minimum length in nanoseconds of a spell at the end of which the host's count of stolen time is read.
///
/// Row: message to itself beside 8 busy loops.
pub(crate) const LONG_SPELL_NS: u64 = 100_000;
