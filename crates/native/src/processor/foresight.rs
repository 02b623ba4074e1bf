//! Guessing which thread runs soon: the one that ran as many turns after this one the last time.
//!
//! The stacks of thousands of threads lie in no near cache, and the pages they begin in among no translations that the core
//! keeps: to come to one takes several times as long as a switch. Asked for some turns ahead, it is there in time. Programs
//! mostly wake their threads in the order of the last time; a wrong guess costs a few lines, and changes nothing.
//!
//! Only its processor touches it. This module must never know why a thread runs.

use std::cell::Cell;

/// Turns ahead that are guessed.
const AHEAD: usize = 4;

/// So few threads stay near anyway.
const FEW: u32 = 512;

/// Who ran after whom, by their number among the threads of the processor.
pub(crate) struct Foresight {
    /// Who ran [`AHEAD`] turns after each thread the last time; empty where there are few.
    after: Box<[Cell<u32>]>,
    /// Who ran last, in turn.
    last: [Cell<u32>; AHEAD],
    turns: Cell<usize>,
}

impl Foresight {
    /// Of so many threads, none of which has run.
    pub(crate) fn new(threads: u32) -> Self {
        let many = if threads > FEW { threads } else { 0 };
        Self {
            after: (0..many).map(|_| Cell::default()).collect(),
            last: Default::default(),
            turns: Cell::new(0),
        }
    }

    /// A thread runs now; returns who will some turns later, as far as anybody can guess.
    #[inline]
    pub(crate) fn note(&self, thread: u32) -> Option<u32> {
        if self.after.is_empty() {
            return None;
        }
        let turns = self.turns.get();
        self.turns.set(turns.wrapping_add(1));
        let before = self.last[turns % AHEAD].replace(thread);
        self.after[before as usize].set(thread);
        Some(self.after[thread as usize].get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_ran_four_turns_later_the_last_time_will_again() {
        let foresight = Foresight::new(FEW + 1);
        let guesses = |order: [u32; 6]| order.map(|thread| foresight.note(thread).expect("there are many"));
        // Nobody has run yet: any guess will do.
        guesses([7, 3, 9, 1, 4, 2]);
        // The last time 4 came four turns after 7, and 2 after 3; then came 7 after 9, 3 after 1, and now 9 after 4, 1 after 2.
        assert_eq!(guesses([7, 3, 9, 1, 4, 2])[..2], [4, 2]);
        assert_eq!(guesses([7, 3, 9, 1, 4, 2]), [4, 2, 7, 3, 9, 1]);
    }

    #[test]
    fn few_threads_are_not_worth_a_guess() {
        assert_eq!(Foresight::new(FEW).note(0), None);
    }
}
