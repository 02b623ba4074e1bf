//! When a world has ended, or never will.
//!
//! # Exactness
//!
//! Every processor counts what it gives others to do (`sent`: messages, wake-ups across processors, grants) before
//! anybody can see it, and what it has done of that (`handled`) after it has done it. It says `idle` when it has no ready
//! thread, sees no work and is about to sleep, and takes that back before it touches any.
//!
//! Two waves look at all processors: the first reads `idle` and `handled`, the second `idle` and `sent`. If both find
//! everybody idle and the sums agree, nothing was going on at the end of the first wave (Mattern, "Algorithms for
//! distributed termination detection", 1987, the four-counter method): `handled` only grows and was read first, `sent`
//! only grows and was read last, so equality means that at the moment between the waves everything sent had been
//! handled. Then nobody has work, and only work makes work. (A processor takes back what it has counted for a send that found
//! no room. It is not idle then, and what is counted meanwhile is too much, never too little.)
//!
//! `handled` is stored with release and read with acquire. A processor that handled something after it had been found
//! idle, and whose first wave counts that already, is therefore seen awake by the second.
//!
//! At that moment the world has ended if every thread has returned; else those that have not all wait for something
//! that nobody is left to do: a deadlock. The last processor to become idle always comes here after having said so, and
//! then sees everybody idle, so neither can go unnoticed.

use std::sync::atomic::Ordering;

use crate::gauge::Gauge;
use crate::world::{Stage, World};

impl World {
    /// Stops the world if nothing is going on and nothing is in flight.
    pub(crate) fn detect_ending(&self) {
        if !self.is_running() || !self.is_quiescent() {
            return;
        }
        let finished = self.live.load(Ordering::Acquire) == 0;
        self.stop(if finished { Stage::Ended } else { Stage::Deadlocked });
    }

    fn is_quiescent(&self) -> bool {
        let handled = self.wave(|gauge| gauge.handled.load(Ordering::SeqCst));
        let sent = handled.and_then(|_| self.wave(|gauge| gauge.sent.load(Ordering::SeqCst)));
        handled.is_some() && handled == sent
    }

    /// The sum over all processors, or `None` if one is not idle.
    fn wave(&self, read: impl Fn(&Gauge) -> u64) -> Option<u64> {
        self.gauges.iter().map(|gauge| gauge.idle.load(Ordering::SeqCst).then(|| read(gauge))).sum()
    }
}
