//! The gauge of a processor: its counters of itself, which only it writes and any processor may read.
//!
//! Single writer, so an increment is a load and a store, never a locked instruction. Times are nanoseconds of the
//! host's monotonic clock.

use tempest::Volume;
use tempest::outcome::{Counters, VolumeBytes};

use crate::padding::bump;
use crate::rings::message::LINE_WORDS;
use crate::sync::{AtomicBool, AtomicU8, AtomicU64, Ordering, mutated};

/// Bytes of the head of a line, or of half a line.
const HEAD_BYTES: u64 = size_of::<u64>() as u64;

/// Bytes in a ring beside a message of `words` words: a head, and a second one if the message takes two lines. A block of shared memory
/// that travels with it is not included: its own bytes are counted, as in a model.
#[inline(always)]
pub(crate) fn header_bytes(words: usize) -> u64 {
    HEAD_BYTES * (1 + u64::from(words > LINE_WORDS))
}

/// The gauges of one processor, on lines of their own.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Gauge {
    /// Messages sent and threads woken on other processors, counted before any processor can see them.
    pub(crate) sent: AtomicU64,
    /// Messages and wake-ups from other processors that have been handled here.
    pub(crate) handled: AtomicU64,
    /// Whether the processor has no work. See `quiescence`.
    pub(crate) idle: AtomicBool,
    /// Time at which it last became idle after some work, and the number of works handled then, plus one; 0 before that.
    sleeps_since_ns: AtomicU64,
    handled_then: AtomicU64,
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
    /// Start of the present idle time, plus one; 0 if the processor is not idle.
    idle_since_ns: AtomicU64,
    /// The kind of wait of the processor's threads meanwhile: an [`Awaited`] as a number.
    awaited: AtomicU8,
    /// Value of `overhead_ns` at the start of the present idle time.
    overhead_before_ns: AtomicU64,
    memory_ns: AtomicU64,
    pub(crate) overhead_ns: AtomicU64,
    /// The part of the overhead that is serving.
    pub(crate) serving_ns: AtomicU64,
}

/// The kind of wait of the threads of a processor that has none to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Awaited {
    /// No wait: no thread is left.
    Nothing,
    /// At least one thread waits for a block of shared memory, which is a wait for memory.
    Block,
    /// All threads wait for other events.
    Event,
}

/// Idle time of a processor, in nanoseconds, by the kind of wait of its threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Waited {
    /// Time of waits for room, or for a block of shared memory.
    pub(crate) memory_ns: u64,
    /// Time of all other waits.
    pub(crate) awaited_ns: u64,
    /// Time without a thread.
    pub(crate) idle_ns: u64,
}

impl Waited {
    /// Total idle time.
    pub(crate) fn total_ns(self) -> u64 {
        self.memory_ns + self.awaited_ns + self.idle_ns
    }
}

impl Gauge {
    /// Counts a message of this processor before it is sent. `bytes` is `None` for a message to its own node; `words` is its length.
    #[inline]
    pub(crate) fn count_message(&self, volume: Volume, bytes: Option<u64>, words: usize) {
        bump(&self.messages, 1);
        let Some(bytes) = bytes else { return };
        let header = header_bytes(words);
        // As `VolumeBytes::count`, without storing unchanged counters.
        match volume {
            Volume::Data => {
                bump(&self.data, bytes);
                bump(&self.headers, header);
            }
            Volume::Request => bump(&self.requests, bytes + header),
            Volume::Invalidation => bump(&self.invalidations, bytes + header),
        }
    }

    /// Counts a transfer, beside its message. `bytes` is `None` for a transfer to its own node.
    pub(crate) fn count_transfer(&self, bytes: Option<u64>) {
        bump(&self.transfers, 1);
        bump(&self.data, bytes.unwrap_or(0));
    }

    /// Counts a block of shared memory that goes to another node with a message.
    pub(crate) fn count_copy(&self, bytes: u64) {
        bump(&self.data, bytes);
    }

    /// Counts a deposit. It has no header, because it is written to its destination. `bytes` is `None` for a deposit to its own node.
    pub(crate) fn count_deposit(&self, bytes: Option<u64>) {
        bump(&self.deposits, 1);
        bump(&self.data, bytes.unwrap_or(0));
    }

    /// Counts handled work. Stored with release, so that a processor that reads the count also sees that this one was not idle: see
    /// `quiescence`.
    pub(crate) fn count_handled(&self, amount: u64) {
        let order = if mutated!("handled-relaxed") { Ordering::Relaxed } else { Ordering::Release };
        self.handled.store(self.handled.load(Ordering::Relaxed) + amount, order);
    }

    /// Marks the processor as idle, because it has no work. If it has worked since it last was, that is since `now`.
    pub(crate) fn fall_idle(&self, now: impl FnOnce() -> u64) {
        let handled = self.handled.load(Ordering::Relaxed) + 1;
        if self.handled_then.load(Ordering::Relaxed) != handled {
            self.handled_then.store(handled, Ordering::Relaxed);
            self.sleeps_since_ns.store(now(), Ordering::Relaxed);
        }
        self.idle.store(true, Ordering::SeqCst);
    }

    /// Time in nanoseconds from the start of the run since which the processor has had no work, if it is idle.
    pub(crate) fn sleeps_since(&self) -> u64 {
        self.sleeps_since_ns.load(Ordering::Relaxed)
    }

    /// Counts handlers that have run.
    pub(crate) fn count_handlers(&self, handlers: u64) {
        bump(&self.handlers, handlers);
    }

    /// Counts a thread that blocked. Returns the total.
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

    /// Counts a wake-up from sleep for a message.
    pub(crate) fn count_interrupt(&self) {
        bump(&self.interrupts, 1);
    }

    /// A measure of progress: it is constant only while nothing happens on this processor.
    pub(crate) fn progress(&self) -> u64 {
        [&self.messages, &self.deposits, &self.handled, &self.blocks]
            .iter()
            .map(|counter| counter.load(Ordering::Relaxed))
            .sum()
    }

    /// Reads the counters.
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

    /// Marks the processor as idle from `now` on, except for the handlers that it runs. The kind of wait does not change before the idle
    /// time ends: no thread runs that could begin to wait, and a thread whose wait is over is ready.
    pub(crate) fn begin_idle(&self, now: u64, awaited: Awaited) {
        self.awaited.store(awaited as u8, Ordering::Relaxed);
        self.overhead_before_ns.store(self.overhead_ns.load(Ordering::Relaxed), Ordering::Relaxed);
        self.idle_since_ns.store(now + 1, Ordering::Relaxed);
    }

    /// Whether the processor is idle now.
    pub(crate) fn is_idling(&self) -> bool {
        self.idle_since_ns.load(Ordering::Relaxed) > 0
    }

    /// Ends the idle time at `now`.
    pub(crate) fn end_idle(&self, now: u64) {
        let Waited { memory_ns, awaited_ns, idle_ns } = self.waited_until(now);
        self.idle_since_ns.store(0, Ordering::Relaxed);
        self.memory_ns.store(memory_ns, Ordering::Relaxed);
        self.awaited_ns.store(awaited_ns, Ordering::Relaxed);
        self.idle_ns.store(idle_ns, Ordering::Relaxed);
    }

    /// Idle time up to `now`, the present idle time included.
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

    /// The kind of wait in the present idle time, or in the last one.
    pub(crate) fn awaits(&self) -> Awaited {
        match self.awaited.load(Ordering::Relaxed) {
            awaited if awaited == Awaited::Block as u8 => Awaited::Block,
            awaited if awaited == Awaited::Event as u8 => Awaited::Event,
            _ => Awaited::Nothing,
        }
    }
}
