//! What one processor measures of itself: plain counters that only it writes and anybody may read.
//!
//! Single writer, so an increment is a load and a store, never a locked instruction. Times are nanoseconds of the
//! host's monotonic clock.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tempest::{Counters, Volume, VolumeBytes};

/// Bytes a message carries beside its own: the two header words of a ring slot.
pub(crate) const HEADER_BYTES: u64 = 16;

/// The gauges of one processor, on lines of their own.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Gauge {
    /// Messages sent and threads woken on other processors, counted before anybody can see them.
    pub(crate) sent: AtomicU64,
    /// The same, once they have been dealt with here.
    pub(crate) handled: AtomicU64,
    /// Nothing to do here. See `ending`.
    pub(crate) idle: AtomicBool,
    messages: AtomicU64,
    handlers: AtomicU64,
    blocks: AtomicU64,
    refused: AtomicU64,
    data: AtomicU64,
    requests: AtomicU64,
    invalidations: AtomicU64,
    remote: AtomicU64,
    pub(crate) idle_ns: AtomicU64,
    /// When the idling that is going on began, plus one; 0 for none.
    pub(crate) idle_since_ns: AtomicU64,
    pub(crate) memory_ns: AtomicU64,
    pub(crate) overhead_ns: AtomicU64,
}

/// Adds to a counter that only the caller writes.
#[inline]
pub(crate) fn bump(counter: &AtomicU64, amount: u64) {
    counter.store(counter.load(Ordering::Relaxed) + amount, Ordering::Relaxed);
}

impl Gauge {
    /// Counts a message of this processor before it is sent. `bytes` is `None` for one to its own node.
    pub(crate) fn count_message(&self, volume: Volume, bytes: Option<u64>) {
        bump(&self.messages, 1);
        let Some(bytes) = bytes else { return };
        bump(&self.remote, 1);
        match volume {
            Volume::Data => bump(&self.data, bytes),
            Volume::Request => bump(&self.requests, bytes),
            Volume::Invalidation => bump(&self.invalidations, bytes),
        }
    }

    /// Counts a handler that has run.
    pub(crate) fn count_handler(&self) {
        bump(&self.handlers, 1);
    }

    /// Counts a thread that blocked.
    pub(crate) fn count_block(&self) {
        bump(&self.blocks, 1);
    }

    /// Counts a send that found no room.
    pub(crate) fn count_refused(&self) {
        bump(&self.refused, 1);
    }

    /// Everything that has happened here: it stands still only when nothing does.
    pub(crate) fn progress(&self) -> u64 {
        self.handlers.load(Ordering::Relaxed) + self.messages.load(Ordering::Relaxed)
    }

    /// The counters as they stand.
    pub(crate) fn counters(&self) -> Counters {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counters {
            messages: read(&self.messages),
            handlers: read(&self.handlers),
            interrupts: 0,
            blocks: read(&self.blocks),
            refused: read(&self.refused),
            volume: VolumeBytes {
                data: read(&self.data),
                headers: read(&self.remote) * HEADER_BYTES,
                requests: read(&self.requests),
                invalidations: read(&self.invalidations),
            },
        }
    }

    /// Idle time up to `now`.
    pub(crate) fn idle_until(&self, now: u64) -> u64 {
        let since = self.idle_since_ns.load(Ordering::Relaxed);
        let running = if since == 0 { 0 } else { now.saturating_sub(since - 1) };
        self.idle_ns.load(Ordering::Relaxed) + running
    }
}
