//! How often a processor that computes looks for events: about once in a microsecond, told in back-edges of its threads.
//!
//! A back-edge may come every nanosecond or every millisecond, and a look costs some ten nanoseconds, fifty with the clock. So a
//! thread that may look at every back-edge looks at every so many: twice as many where two looks came shortly after each other
//! and found nothing, half as many where they were far apart or found something. Where the policy says how often a thread polls
//! (`+every=K`), that is how often.
//!
//! This module must never know what is looked for.

use std::cell::Cell;

/// Looks are meant to be so far apart, in nanoseconds: a twentieth of the time goes into looking then, and a message waits half
/// of it on the average, which is what it takes to come and go.
const APART_NS: u64 = 1_000;

/// Back-edges between two looks at most. Where a loop of short steps is followed by one of long steps, so many of these pass
/// before anybody finds out.
const MOST: u32 = 256;

/// How far apart a processor's looks are.
pub(crate) struct Pace {
    /// In back-edges.
    every: Cell<u32>,
    /// When the last one was.
    looked_ns: Cell<u64>,
    /// Whether it found anything.
    found: Cell<bool>,
}

impl Default for Pace {
    fn default() -> Self {
        Self { every: Cell::new(1), looked_ns: Cell::new(0), found: Cell::new(false) }
    }
}

impl Pace {
    /// What a look found.
    #[inline]
    pub(crate) fn note(&self, found: bool) {
        self.found.set(found);
    }

    /// Back-edges from a look to the next one; it is `now_ns`.
    pub(crate) fn next(&self, now_ns: u64) -> u32 {
        let elapsed = now_ns.saturating_sub(self.looked_ns.replace(now_ns));
        let every = self.every.get();
        let next = match (self.found.take(), elapsed) {
            (true, _) | (_, APART_NS..) => (every / 2).max(1),
            (false, ..APART_NS) if elapsed < APART_NS / 2 => (every * 2).min(MOST),
            (false, _) => every,
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
            every = pace.next(now);
            every
        };
        (0..looks).map(|_| look()).collect()
    }

    #[test]
    fn looks_come_to_be_about_a_microsecond_apart() {
        let pace = Pace::default();
        // 20, 40, 80, 160, 320 ns apart, then 640.
        assert_eq!(numbers(&pace, 0, 20, 7), [2, 4, 8, 16, 32, 32, 32]);
        // 32 of 100 ns are 3.2 us, 16 are 1.6 us, 8 are 0.8 us.
        assert_eq!(numbers(&pace, 10_000, 100, 4), [16, 8, 8, 8]);
        // Each is far apart.
        assert_eq!(numbers(&pace, 100_000, 5_000, 4), [4, 2, 1, 1]);
    }

    #[test]
    fn what_is_found_lets_the_next_look_come_sooner() {
        let pace = Pace::default();
        assert_eq!(numbers(&pace, 0, 1, 9).last(), Some(&MOST));
        pace.note(true);
        assert_eq!(pace.next(0), MOST / 2);
        assert_eq!(pace.next(10), MOST, "it was for that look");
    }
}
