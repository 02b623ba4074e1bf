//! How far a run has got: when something last happened, and how often a thread has tried in vain since.
//!
//! Something happens when a message leaves or is handled, when a wait begins or ends, when an event is signalled, a key is given
//! back, a word of shared memory is stored, a thread returns. A look that finds no message and a send that finds no room are attempts in vain.
//!
//! This module must never know threads, processors or events.

use tempest::Attempt;
use units::Time;

/// The attempts in vain of one thread after which it is worth asking whether the whole machine stands still. Also the number
/// that every other spinning thread must have reached: by then each has seen everything that happened before.
const ENOUGH: u64 = 1 << 10;

/// The looks among those attempts that it takes to have seen everything that happened before: the first may have been before.
const LOOKED: u64 = 2;

/// The attempts in vain after which an event that only makes a part of the machine look again is not waited for.
const PATIENCE: u64 = 1 << 20;

/// The looks in vain, with no work between them, after which a thread that does not say that it waits counts as one that
/// does: a program may measure what so many polls take.
const IDLE_LOOKS: u64 = 1 << 24;

/// What last happened in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Progress {
    at: Time,
    /// How often something has happened.
    steps: u64,
}

impl Progress {
    /// Something happens at `now`.
    #[inline]
    pub(crate) fn note(&mut self, now: Time) {
        self.at = now;
        self.steps += 1;
    }

    /// When something last happened.
    pub(crate) fn at(&self) -> Time {
        self.at
    }
}

/// The attempts of one thread since something last happened.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Attempts {
    /// Those of which the thread says that it waits.
    waits: Tries,
    /// Looks of a thread that may be computing, with no work between them.
    looks: Tries,
    /// The work that the thread's processor had done by the last of these looks.
    worked: Time,
    /// The thread has really looked since it last said that it waits, and not only passed by.
    looked: bool,
}

/// Attempts of one sort in a row.
#[derive(Clone, Copy, Debug)]
struct Tries {
    attempt: Attempt,
    /// What had happened by the first of them.
    steps: u64,
    times: u64,
    /// How many of them really looked: a thread may pass by many back-edges between two looks.
    looked: u64,
    since: Time,
}

impl Default for Tries {
    fn default() -> Self {
        Self { attempt: Attempt::Look, steps: 0, times: 0, looked: 0, since: Time::ZERO }
    }
}

impl Tries {
    fn count(&mut self, attempt: Attempt, looked: bool, now: Time, progress: &Progress) {
        if self.steps != progress.steps || self.times == 0 {
            *self = Self { steps: progress.steps, since: now, ..Self::default() };
        }
        self.times += 1;
        self.looked += u64::from(looked);
        self.attempt = attempt;
    }

    /// These attempts, if nothing has happened since and there are enough of them.
    fn at_least(&self, enough: u64, progress: &Progress) -> Option<(Attempt, u64, Time)> {
        let in_vain = self.steps == progress.steps && self.times >= enough && self.looked >= LOOKED;
        in_vain.then_some((self.attempt, self.times, self.since))
    }
}

/// What follows from an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Patience {
    /// The thread may go on.
    Lasts,
    /// If nothing is under way and nobody else can get further, nothing will ever happen.
    Doubts,
    /// If nothing is under way but events that only make a part of the machine look again, and nobody else can get further,
    /// nothing will ever happen.
    Ends,
}

impl Attempts {
    /// The thread really looks, and does not only pass by.
    pub(crate) fn note_look(&mut self) {
        self.looked = true;
    }

    /// A thread that says that it waits tries once more; `sees` says whether it would see what it waits for without a look.
    pub(crate) fn wait(&mut self, attempt: Attempt, sees: bool, now: Time, progress: &Progress) -> Patience {
        let looked = std::mem::take(&mut self.looked) || sees;
        self.waits.count(attempt, looked, now, progress);
        match self.waits.times {
            _ if self.waits.looked < LOOKED => Patience::Lasts,
            times if times.is_multiple_of(PATIENCE) => Patience::Ends,
            times if times.is_multiple_of(ENOUGH) => Patience::Doubts,
            _ => Patience::Lasts,
        }
    }

    /// A thread that may be computing looks once more. Its processor has worked so long in all.
    pub(crate) fn look(&mut self, worked: Time, now: Time, progress: &Progress) -> Patience {
        if std::mem::replace(&mut self.worked, worked) != worked {
            self.looks = Tries::default();
        }
        self.looks.count(Attempt::Look, true, now, progress);
        if self.looks.times.is_multiple_of(IDLE_LOOKS) { Patience::Ends } else { Patience::Lasts }
    }

    /// What the thread tries, how often and since when it has, if it has tried often enough to have seen all that happened.
    pub(crate) fn in_vain(&self, progress: &Progress) -> Option<(Attempt, u64, Time)> {
        self.waits.at_least(ENOUGH, progress).or_else(|| self.looks.at_least(IDLE_LOOKS, progress))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::from_microseconds(us)
    }

    #[test]
    fn attempts_count_from_the_last_thing_that_happened() {
        let (mut progress, mut attempts) = (Progress::default(), Attempts::default());
        progress.note(at(1));
        for _ in 1..ENOUGH {
            assert_eq!(attempts.wait(Attempt::Send, true, at(2), &progress), Patience::Lasts);
        }
        assert_eq!(attempts.in_vain(&progress), None);
        assert_eq!(attempts.wait(Attempt::Send, true, at(3), &progress), Patience::Doubts);
        assert_eq!(attempts.in_vain(&progress), Some((Attempt::Send, ENOUGH, at(2))));
        progress.note(at(4));
        assert_eq!((attempts.in_vain(&progress), progress.at()), (None, at(4)));
        assert_eq!(attempts.wait(Attempt::Look, true, at(5), &progress), Patience::Lasts);
        let often = (2..=PATIENCE).map(|_| attempts.wait(Attempt::Look, true, at(6), &progress));
        assert_eq!(often.last(), Some(Patience::Ends));
        assert_eq!(attempts.in_vain(&progress), Some((Attempt::Look, PATIENCE, at(5))));
    }

    #[test]
    fn a_thread_that_only_passes_by_has_not_looked() {
        let (progress, mut attempts) = (Progress::default(), Attempts::default());
        let passes = (0..2 * ENOUGH).map(|_| attempts.wait(Attempt::Look, false, at(1), &progress));
        assert!(passes.max_by_key(|patience| *patience != Patience::Lasts) == Some(Patience::Lasts));
        assert_eq!(attempts.in_vain(&progress), None);
        assert_eq!(attempts.wait(Attempt::Look, true, at(1), &progress), Patience::Lasts);
        assert_eq!(attempts.wait(Attempt::Look, true, at(1), &progress), Patience::Lasts);
        assert_eq!(attempts.in_vain(&progress), Some((Attempt::Look, 2 * ENOUGH + 2, at(1))));
    }

    #[test]
    fn looks_between_which_a_thread_works_are_never_in_vain() {
        let (progress, mut attempts) = (Progress::default(), Attempts::default());
        for worked in 1..=2 * IDLE_LOOKS {
            assert_eq!(attempts.look(at(worked), at(worked), &progress), Patience::Lasts);
        }
        assert_eq!(attempts.in_vain(&progress), None);
        let idle = at(2 * IDLE_LOOKS);
        let often = (2..=IDLE_LOOKS).map(|_| attempts.look(idle, idle, &progress));
        assert_eq!(often.last(), Some(Patience::Ends));
    }
}
