//! Stack prefetch: predicts which thread runs soon. The prediction is the thread that ran the same number of turns later in the last round.
//!
//! The stacks of thousands of threads fit neither the near caches nor the TLB, and reaching one takes several times as long as a switch.
//! A prefetch some turns ahead hides that. Programs mostly wake their threads in the order of the last time; a wrong prediction costs a
//! few cache lines and has no other effect.
//!
//! Only its processor accesses it. This module must never know why a thread runs.

use std::cell::Cell;

use crate::parts::tuning::{CACHED_STACKS, TURNS_AHEAD};

/// The order of threads in the last round, by their number among the threads of the processor.
pub(crate) struct StackPrefetch {
    /// By thread: its successor at distance [`TURNS_AHEAD`] in the last round. Empty if there are few threads.
    after: Box<[Cell<u32>]>,
    /// The last threads that ran, as a circular buffer.
    last: [Cell<u32>; TURNS_AHEAD],
    turns: Cell<usize>,
}

impl StackPrefetch {
    /// Makes the state for `threads` threads, none of which has run.
    pub(crate) fn new(threads: u32) -> Self {
        let many = if threads > CACHED_STACKS { threads } else { 0 };
        Self {
            after: (0..many).map(|_| Cell::default()).collect(),
            last: Default::default(),
            turns: Cell::new(0),
        }
    }

    /// Records that a thread runs now. Returns the thread that is predicted to run [`TURNS_AHEAD`] turns later.
    #[inline]
    pub(crate) fn note(&self, thread: u32) -> Option<u32> {
        if self.after.is_empty() {
            return None;
        }
        let turns = self.turns.get();
        self.turns.set(turns.wrapping_add(1));
        let before = self.last[turns % TURNS_AHEAD].replace(thread);
        self.after[before as usize].set(thread);
        Some(self.after[thread as usize].get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_ran_four_turns_later_the_last_time_will_again() {
        let prefetch = StackPrefetch::new(CACHED_STACKS + 1);
        let guesses = |order: [u32; 6]| order.map(|thread| prefetch.note(thread).expect("there are many"));
        // No thread has run yet: any prediction will do.
        guesses([7, 3, 9, 1, 4, 2]);
        // The last time 4 came four turns after 7, and 2 after 3; then came 7 after 9, 3 after 1, and now 9 after 4, 1 after 2.
        assert_eq!(guesses([7, 3, 9, 1, 4, 2])[..2], [4, 2]);
        assert_eq!(guesses([7, 3, 9, 1, 4, 2]), [4, 2, 7, 3, 9, 1]);
    }

    #[test]
    fn few_threads_are_not_worth_a_guess() {
        assert_eq!(StackPrefetch::new(CACHED_STACKS).note(0), None);
    }
}
