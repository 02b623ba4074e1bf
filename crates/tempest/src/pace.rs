//! How often a processor that computes looks for events where the policy leaves that open: about as often as its world wants to,
//! told in back-edges of its threads.
//!
//! A back-edge may come every nanosecond or every millisecond, and a look takes longer than most of what threads do in
//! between. So a thread that may look at every back-edge looks at every so many: twice as many where two looks came
//! shortly after each other and found nothing, half as many where they were far apart or found something. Where the
//! policy says how often a thread polls (`+every=K`), that is how often.
//!
//! This module must never know what is looked for, nor which world's time it is.

use std::cell::Cell;

use units::Time;

/// Back-edges between two looks at most. Where a loop of short steps is followed by one of long steps, so many of these pass
/// before anybody finds out.
const MOST: u32 = 256;

/// How far apart a processor's looks are.
#[derive(Clone, Debug)]
pub struct Pace {
    /// They are meant to be so far apart.
    apart: Time,
    /// In back-edges.
    every: Cell<u32>,
    /// When the last one was, since the run began.
    looked: Cell<Time>,
    /// Whether it found anything.
    found: Cell<bool>,
}

impl Pace {
    /// Looks that are meant to be so far apart.
    pub const fn new(apart: Time) -> Self {
        Self { apart, every: Cell::new(1), looked: Cell::new(Time::ZERO), found: Cell::new(false) }
    }

    /// What a look found.
    #[inline]
    pub fn note(&self, found: bool) {
        self.found.set(found);
    }

    /// Back-edges from a look to the next one; it is `now`, since the run began.
    pub fn next(&self, now: Time) -> u32 {
        let elapsed = now.saturating_sub(self.looked.replace(now));
        let every = self.every.get();
        let next = if self.found.take() || elapsed >= self.apart {
            (every / 2).max(1)
        } else if elapsed * 2 < self.apart {
            (every * 2).min(MOST)
        } else {
            every
        };
        self.every.set(next);
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers that a processor goes through whose back-edges take so long.
    fn numbers(pace: &Pace, start_ns: u64, edge_ns: u64, looks: usize) -> Vec<u32> {
        let mut now = start_ns;
        let mut every = pace.every.get();
        let mut look = || {
            now += u64::from(every) * edge_ns;
            every = pace.next(Time::from_nanoseconds(now));
            every
        };
        (0..looks).map(|_| look()).collect()
    }

    #[test]
    fn looks_come_to_be_about_as_far_apart_as_wanted() {
        let pace = Pace::new(Time::from_nanoseconds(1_000));
        // 20, 40, 80, 160, 320 ns apart, then 640.
        assert_eq!(numbers(&pace, 0, 20, 7), [2, 4, 8, 16, 32, 32, 32]);
        // 32 of 100 ns are 3.2 us, 16 are 1.6 us, 8 are 0.8 us.
        assert_eq!(numbers(&pace, 10_000, 100, 4), [16, 8, 8, 8]);
        // Each is far apart.
        assert_eq!(numbers(&pace, 100_000, 5_000, 4), [4, 2, 1, 1]);
    }

    #[test]
    fn what_is_found_lets_the_next_look_come_sooner() {
        let pace = Pace::new(Time::from_nanoseconds(1_000));
        assert_eq!(numbers(&pace, 0, 1, 9).last(), Some(&MOST));
        pace.note(true);
        assert_eq!(pace.next(Time::ZERO), MOST / 2);
        assert_eq!(pace.next(Time::from_nanoseconds(10)), MOST, "it was for that look");
    }
}
