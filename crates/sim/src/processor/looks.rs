//! The polls of a processor's threads, and how many of them look for events.
//!
//! A poll may take no time: another processor looks, or a look is free. A thread that did nothing else would stop the
//! time of the machine, and the event that it waits for would never come. So from a number of such polls on, each takes
//! time.
//!
//! This module must never know the result of a look, only whether it found something.

use tempest::world::Pace;
use units::Time;

/// The polls that take no time, with nothing else between them, after which each takes time. The number is large because a program may
/// measure how long many polls take.
const IDLE_POLLS: u32 = 1 << 20;

/// Stands for the number of polls until the next look where every poll looks.
const ALWAYS: u32 = 0;

/// The polls of one processor.
#[derive(Debug)]
pub(crate) struct Looks {
    /// The distance that looks aim at.
    pace: Pace,
    /// The number of polls until the next look; [`ALWAYS`] if every poll looks.
    until: u32,
    /// The number of polls that took no time, with nothing else between them.
    passed: u32,
    /// Total time that the processor had spent at the last such poll, including the time charged for polls since.
    spent: Time,
}

impl Looks {
    /// Polls whose looks aim at a distance of `apart`. If that is zero, every poll looks.
    pub(crate) fn new(apart: Time) -> Self {
        let until = if apart.is_zero() { ALWAYS } else { 1 };
        Self { pace: Pace::new(apart), until, passed: 0, spent: Time::ZERO }
    }

    /// Counts a poll. Returns whether the thread passes by without a look.
    pub(crate) fn passes(&mut self) -> bool {
        let passes = self.until > 1;
        self.until -= u32::from(passes);
        passes
    }

    /// Records a poll that takes no time on a processor that has spent `spent` in total. Returns whether time has to go
    /// on.
    #[cold]
    pub(crate) fn stand_still(&mut self, spent: Time) -> bool {
        let idles = std::mem::replace(&mut self.spent, spent) == spent;
        self.passed = if idles { self.passed.saturating_add(1) } else { 1 };
        self.passed > IDLE_POLLS
    }

    /// Records that the processor spends `time` on a poll. That is no work between two polls that take no time.
    #[inline]
    pub(crate) fn spend(&mut self, time: Time) {
        self.spent += time;
    }

    /// Records a look of the thread at `at`, and whether it found an event.
    pub(crate) fn note(&mut self, found: bool, at: Time) {
        if self.until != ALWAYS {
            self.pace.note(found);
            self.until = self.pace.next(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_pass_by_until_a_look_is_due() {
        let ns = Time::from_nanoseconds;
        let mut looks = Looks::new(ns(100));
        let mut looked = 0;
        // Polls come 10 ns apart.
        for poll in 0..1000 {
            if !looks.passes() {
                looked += 1;
                looks.note(false, ns(10 * poll));
            }
        }
        assert!((20..=200).contains(&looked), "{looked} looks");
        let mut always = Looks::new(Time::ZERO);
        assert!(!always.passes());
    }

    #[test]
    fn polls_that_take_no_time_are_counted_from_the_last_work_which_polls_are_not() {
        let ns = Time::from_nanoseconds;
        let mut looks = Looks::new(Time::ZERO);
        assert!((0..IDLE_POLLS).all(|_| !looks.stand_still(ns(5))));
        assert!(looks.stand_still(ns(5)));
        looks.spend(ns(2));
        assert!(looks.stand_still(ns(7)), "a poll has taken 2 ns");
        assert!(!looks.stand_still(ns(8)), "the processor has worked for 1 ns");
        assert!((1..IDLE_POLLS).all(|_| !looks.stand_still(ns(8))));
        assert!(looks.stand_still(ns(8)));
    }
}
