//! What one processor measures of itself: plain counters that only it writes and anybody may read.
//!
//! Single writer, so an increment is a load and a store, never a locked instruction. Times are nanoseconds of the
//! host's monotonic clock.

use tempest::{Counters, Volume, VolumeBytes};

use crate::apart::bump;
use crate::link::ring::LINE_WORDS;
use crate::sync::{AtomicBool, AtomicU8, AtomicU64, Ordering, mutated};

/// Bytes of the head of a line, or of half a line.
const HEAD_BYTES: u64 = size_of::<u64>() as u64;

/// Bytes in a ring beside a message of so many words: a head, and a second one where the message takes two lines. A block of
/// shared memory that goes with it is aside: it is counted by its own bytes, as in a model.
#[inline(always)]
pub(crate) fn header_bytes(words: usize) -> u64 {
    HEAD_BYTES * (1 + u64::from(words > LINE_WORDS))
}

/// The gauges of one processor, on lines of their own.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Gauge {
    /// Messages sent and threads woken on other processors, counted before anybody can see them.
    pub(crate) sent: AtomicU64,
    /// Messages and wake-ups from other processors that have been dealt with here.
    pub(crate) handled: AtomicU64,
    /// Nothing to do here. See `quiescence`.
    pub(crate) idle: AtomicBool,
    messages: AtomicU64,
    transfers: AtomicU64,
    deposits: AtomicU64,
    handlers: AtomicU64,
    blocks: AtomicU64,
    refused: AtomicU64,
    interrupts: AtomicU64,
    data: AtomicU64,
    requests: AtomicU64,
    invalidations: AtomicU64,
    headers: AtomicU64,
    awaited_ns: AtomicU64,
    idle_ns: AtomicU64,
    /// When the idling that is going on began, plus one; 0 for none.
    idle_since_ns: AtomicU64,
    /// What the threads of the processor wait for meanwhile: an [`Awaited`] as a number.
    awaited: AtomicU8,
    /// The overhead as it was then.
    overhead_before_ns: AtomicU64,
    memory_ns: AtomicU64,
    pub(crate) overhead_ns: AtomicU64,
    /// What of that serving took.
    pub(crate) serving_ns: AtomicU64,
}

/// What the threads of a processor wait for that has none to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Awaited {
    /// No thread is left that could wait.
    Nothing,
    /// A thread waits for a block of shared memory, which is a wait for memory.
    Block,
    /// Threads wait for other things only.
    Event,
}

/// How long a processor had nothing to do, in nanoseconds, by what its threads waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Waited {
    /// Room, or a block of shared memory.
    pub(crate) memory_ns: u64,
    /// Anything else.
    pub(crate) awaited_ns: u64,
    /// Nothing: no thread was left.
    pub(crate) idle_ns: u64,
}

impl Waited {
    /// The whole time without anything to do.
    pub(crate) fn total_ns(self) -> u64 {
        self.memory_ns + self.awaited_ns + self.idle_ns
    }
}

impl Gauge {
    /// Counts a message of this processor, of so many `words`, before it is sent. `bytes` is `None` for one to its own node.
    #[inline]
    pub(crate) fn count_message(&self, volume: Volume, bytes: Option<u64>, words: usize) {
        bump(&self.messages, 1);
        let Some(bytes) = bytes else { return };
        let header = header_bytes(words);
        // As `VolumeBytes::count`, without touching what stays as it is.
        match volume {
            Volume::Data => {
                bump(&self.data, bytes);
                bump(&self.headers, header);
            }
            Volume::Request => bump(&self.requests, bytes + header),
            Volume::Invalidation => bump(&self.invalidations, bytes + header),
        }
    }

    /// Counts a transfer that went, beside its message. `bytes` is `None` for one to its own node.
    pub(crate) fn count_transfer(&self, bytes: Option<u64>) {
        bump(&self.transfers, 1);
        bump(&self.data, bytes.unwrap_or(0));
    }

    /// Counts a block of shared memory that goes to another node with a message.
    pub(crate) fn count_copy(&self, bytes: u64) {
        bump(&self.data, bytes);
    }

    /// Counts a deposit. It has no header: it is written where it belongs. `bytes` is `None` for one to its own node.
    pub(crate) fn count_deposit(&self, bytes: Option<u64>) {
        bump(&self.deposits, 1);
        bump(&self.data, bytes.unwrap_or(0));
    }

    /// Counts what has been dealt with here. Released, so that whoever reads the count also sees that this processor was
    /// not idle: see `quiescence`.
    pub(crate) fn count_handled(&self, amount: u64) {
        let order = if mutated!("handled-relaxed") { Ordering::Relaxed } else { Ordering::Release };
        self.handled.store(self.handled.load(Ordering::Relaxed) + amount, order);
    }

    /// Counts handlers that have run.
    pub(crate) fn count_handlers(&self, handlers: u64) {
        bump(&self.handlers, handlers);
    }

    /// Counts a thread that blocked; returns how many have.
    #[inline]
    pub(crate) fn count_block(&self) -> u64 {
        let blocks = self.blocks.load(Ordering::Relaxed) + 1;
        self.blocks.store(blocks, Ordering::Relaxed);
        blocks
    }

    /// Counts a send that found no room.
    pub(crate) fn count_refused(&self) {
        bump(&self.refused, 1);
    }

    /// Counts a message noticed by being woken for it.
    pub(crate) fn count_interrupt(&self) {
        bump(&self.interrupts, 1);
    }

    /// Everything that has happened here: it stands still only when nothing does.
    pub(crate) fn progress(&self) -> u64 {
        [&self.messages, &self.deposits, &self.handled, &self.blocks]
            .iter()
            .map(|counter| counter.load(Ordering::Relaxed))
            .sum()
    }

    /// The counters as they stand.
    pub(crate) fn counters(&self) -> Counters {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counters {
            messages: read(&self.messages),
            transfers: read(&self.transfers),
            deposits: read(&self.deposits),
            handlers: read(&self.handlers),
            interrupts: read(&self.interrupts),
            blocks: read(&self.blocks),
            refused: read(&self.refused),
            // A count here would be paid at every poll.
            empty_polls: None,
            volume: VolumeBytes {
                data: read(&self.data),
                headers: read(&self.headers),
                requests: read(&self.requests),
                invalidations: read(&self.invalidations),
            },
        }
    }

    /// Counts time spent waiting for room.
    pub(crate) fn count_wait_for_room(&self, nanoseconds: u64) {
        bump(&self.memory_ns, nanoseconds);
    }

    /// From `now` on the processor is idle, but for the handlers it runs. What its threads wait for does not change before
    /// that ends: no thread runs that could begin to wait, and one whose wait is over is ready.
    pub(crate) fn begin_idle(&self, now: u64, awaited: Awaited) {
        self.awaited.store(awaited as u8, Ordering::Relaxed);
        self.overhead_before_ns.store(self.overhead_ns.load(Ordering::Relaxed), Ordering::Relaxed);
        self.idle_since_ns.store(now + 1, Ordering::Relaxed);
    }

    /// Whether it is, now.
    pub(crate) fn is_idling(&self) -> bool {
        self.idle_since_ns.load(Ordering::Relaxed) > 0
    }

    /// It has been, up to `now`.
    pub(crate) fn end_idle(&self, now: u64) {
        let Waited { memory_ns, awaited_ns, idle_ns } = self.waited_until(now);
        self.idle_since_ns.store(0, Ordering::Relaxed);
        self.memory_ns.store(memory_ns, Ordering::Relaxed);
        self.awaited_ns.store(awaited_ns, Ordering::Relaxed);
        self.idle_ns.store(idle_ns, Ordering::Relaxed);
    }

    /// What was waited for up to `now`, the idling that is going on included.
    pub(crate) fn waited_until(&self, now: u64) -> Waited {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let going_on = match read(&self.idle_since_ns) {
            0 => 0,
            since => {
                let overhead = read(&self.overhead_ns).saturating_sub(read(&self.overhead_before_ns));
                (now + 1).saturating_sub(since + overhead)
            }
        };
        let mut waited = Waited {
            memory_ns: read(&self.memory_ns),
            awaited_ns: read(&self.awaited_ns),
            idle_ns: read(&self.idle_ns),
        };
        *match self.awaits() {
            Awaited::Block => &mut waited.memory_ns,
            Awaited::Event => &mut waited.awaited_ns,
            Awaited::Nothing => &mut waited.idle_ns,
        } += going_on;
        waited
    }

    /// What the threads wait for in the idling that goes on, or in the last one.
    pub(crate) fn awaits(&self) -> Awaited {
        match self.awaited.load(Ordering::Relaxed) {
            awaited if awaited == Awaited::Block as u8 => Awaited::Block,
            awaited if awaited == Awaited::Event as u8 => Awaited::Event,
            _ => Awaited::Nothing,
        }
    }
}
