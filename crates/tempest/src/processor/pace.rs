//! The polling interval of a computing processor where the policy does not state it. The interval, counted in
//! back-edges of the program's threads, is adjusted until polls are about as frequent as the world wants.
//!
//! A back-edge may come every nanosecond or every millisecond, and a look for events takes longer than the work of most
//! threads between two back-edges. So a thread that may look at every back-edge looks only at some of them. The number
//! of back-edges between two looks doubles if two looks came shortly after each other and found nothing; it halves if
//! they were far apart or found something. A policy that states the interval (`+every=K`) is obeyed as it stands.
//!
//! This module must never know the events that a look finds, nor the world whose time it is given.

use std::cell::Cell;
use std::num::NonZeroU32;

use units::Time;

/// The largest number of back-edges between two looks. Where a loop of short steps is followed by a loop of long steps,
/// up to this number of long steps pass before the interval shrinks.
const MOST: u32 = 256;

/// The rule that decides which of a thread's [`poll`](crate::Thread::poll) calls look for messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PollInterval {
    /// No call looks for messages.
    Never,
    /// Calls look for messages once per this number of loop back-edges.
    Every(NonZeroU32),
    /// The processor chooses the interval anew at each look, such as by a [`Pace`].
    Paced,
}

impl PollInterval {
    /// Makes the interval of `count` loop back-edges. If `count` is 0, no poll looks for messages.
    pub fn every(count: u32) -> Self {
        NonZeroU32::new(count).map_or(Self::Never, Self::Every)
    }
}

/// The polling interval of one processor, which adjusts itself.
#[derive(Clone, Debug)]
pub struct Pace {
    /// The wanted time between two looks for messages.
    apart: Time,
    /// The present number of back-edges between two looks for messages.
    every: Cell<u32>,
    /// The time of the last look for messages, from the start of the run.
    looked: Cell<Time>,
    /// Whether the last look for messages found any.
    found: Cell<bool>,
}

impl Pace {
    /// Makes an interval that adjusts itself until the time between two looks for messages is about `apart`. It begins
    /// at one loop back-edge.
    pub const fn new(apart: Time) -> Self {
        Self { apart, every: Cell::new(1), looked: Cell::new(Time::ZERO), found: Cell::new(false) }
    }

    /// Notes whether the last look for messages found any.
    #[inline]
    pub fn note(&self, found: bool) {
        self.found.set(found);
    }

    /// Adjusts the interval at a look for messages at the time `now`, from the start of the run. Returns the number of
    /// loop back-edges until the next look.
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

    /// Returns the intervals at `looks` looks of a processor whose back-edges are `edge_ns` nanoseconds apart.
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
