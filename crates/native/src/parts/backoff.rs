//! Back-off of processors that share cores: how one yields its core, and how it notices rivals that keep the core.
//!
//! A yield puts the processor behind every other task of the core. Among the processors of one world that takes about as long as a task
//! switch. Beside a program of another user it takes a whole time slice of that program, and of each further one. A task that sleeps and
//! is woken is served before tasks that have used up their share, so beside rivals the processor sleeps.
//!
//! A yield that took longer than [`LONG_YIELD_NS`] has met rivals, and counts for all processors of the world. The next yield is tried
//! after [`RETRY_FACTOR`] times as long, so yields to rivals take a small part of the time, and rivals that are gone are forgotten.
//!
//! The note is advice, read and written relaxed: no processor's progress depends on it.
//!
//! This module must never know the reason of a wait.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::parts::tuning::{LONG_YIELD_NS, RETRY_FACTOR, RIVAL_PAUSE};

/// The time at which a world's processors may yield again.
#[derive(Default)]
pub(crate) struct YieldBackoff {
    /// The time before which no processor yields.
    no_yield_before_ns: AtomicU64,
}

impl YieldBackoff {
    /// Whether the world has rivals, as far as is known at `now_ns`.
    pub(crate) fn has_rivals(&self, now_ns: u64) -> bool {
        now_ns < self.no_yield_before_ns.load(Ordering::Relaxed)
    }

    /// Gives the core away for a moment: by a yield, or, beside rivals, by a short sleep.
    pub(crate) fn give_way(&self, now_ns: impl Fn() -> u64) {
        let start = now_ns();
        if self.has_rivals(start) {
            thread::sleep(RIVAL_PAUSE);
        } else {
            thread::yield_now();
            self.note_yield(start, now_ns());
        }
    }

    /// Records a yield from `start_ns` to `end_ns`.
    fn note_yield(&self, start_ns: u64, end_ns: u64) {
        let took = end_ns.saturating_sub(start_ns);
        if took > LONG_YIELD_NS {
            let before = end_ns.saturating_add(took.saturating_mul(RETRY_FACTOR));
            self.no_yield_before_ns.fetch_max(before, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yields_to_rivals_take_a_small_part_of_the_time() {
        let backoff = YieldBackoff::default();
        let (slice, mut now, mut yielded) = (3_000_000, 0, 0);
        while now < 1000 * slice {
            if backoff.has_rivals(now) {
                now += 20_000;
            } else {
                backoff.note_yield(now, now + slice);
                (now, yielded) = (now + slice, yielded + slice);
            }
        }
        assert!(
            yielded > slice && yielded * RETRY_FACTOR <= now + slice * RETRY_FACTOR,
            "{yielded} of {now}"
        );
    }

    #[test]
    fn a_short_yield_has_met_no_rival() {
        let backoff = YieldBackoff::default();
        backoff.note_yield(0, LONG_YIELD_NS);
        assert!(!backoff.has_rivals(LONG_YIELD_NS));
        backoff.note_yield(0, LONG_YIELD_NS + 1);
        assert!(backoff.has_rivals(LONG_YIELD_NS + 1));
        assert!(
            !backoff.has_rivals((LONG_YIELD_NS + 1) * (RETRY_FACTOR + 1)),
            "rivals that are gone are forgotten"
        );
    }
}
