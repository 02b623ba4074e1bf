//! The progress of a run: the time of the last event that may end a wait, and the failed attempts of each thread
//! since then.
//!
//! Such an event is: a message leaves or is handled, a wait begins or ends, an event is signalled, a key is given
//! back, a word of shared memory is stored, or a thread returns. A look that finds no message is a failed
//! attempt. So is a send that finds no room.
//!
//! This module must never know threads, processors or events.

use tempest::outcome::Attempt;
use units::Time;

/// The failed attempts of one thread after which the whole machine is checked for a standstill. Every other
/// spinning thread must have reached this number, too: each has then seen everything that happened before.
const ENOUGH: u64 = 1 << 10;

/// The looks that a thread's failed attempts must contain before it has seen everything that happened earlier.
/// The first look may have begun before the last progress.
const LOOKED: u32 = 2;

/// Number of failed attempts without progress after which a thread or device makes them seldom, so that a wait of hours
/// costs the host no more than one of seconds. From then on the check for a standstill no longer waits for events that
/// only make a part of the machine look again.
const LONG: u64 = 1 << 17;

/// The reciprocal of the share of the wait for which it rests after each attempt.
const REST: u64 = 1 << 12;

/// The rest after an attempt, given the length of the wait up to now.
fn part_of(wait: Time) -> Time {
    Time::from_femtoseconds(wait.as_femtoseconds() / REST)
}

/// The failed looks, with no work between them, after which a thread counts as waiting though it does not say so.
/// The number is large because a program may measure how long many polls take.
const IDLE_LOOKS: u64 = 1 << 24;

/// The last event that may end a wait, and the number of such events.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Progress {
    at: Time,
    /// The number of events up to now that may end a wait.
    steps: u64,
}

impl Progress {
    /// Records, at `now`, an event that may end a wait.
    #[inline]
    pub(crate) fn note(&mut self, now: Time) {
        self.at = self.at.max(now);
        self.steps += 1;
    }

    /// The rest of a device that looks every `look`: zero, until no event has ended a wait for a long time.
    pub(crate) fn rest(&self, now: Time, look: Time) -> Time {
        let waited = now.saturating_sub(self.at);
        if waited < look * LONG { Time::ZERO } else { part_of(waited) }
    }

    /// The time of the last event that may end a wait.
    pub(crate) fn at(&self) -> Time {
        self.at
    }
}

/// The failed attempts of one thread since the last event that may end a wait.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Attempts {
    /// The failed attempts during which the thread says that it waits.
    waits: Tries,
    /// The failed looks of a thread that may be computing, with no work between them.
    looks: Tries,
    /// The processor's total work at the last of these looks.
    worked: Time,
    /// Whether the thread has looked for messages since it last said that it waits. A poll may pass by without a
    /// look.
    looked: bool,
}

/// Failed attempts of one sort in a row.
#[derive(Clone, Copy, Debug)]
struct Tries {
    attempt: Attempt,
    /// The number of events that may end a wait, at the first of these attempts.
    steps: u64,
    times: u64,
    /// The number of these attempts that looked for messages. A thread may pass many back-edges between two
    /// looks.
    looked: u32,
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
        self.looked = self.looked.saturating_add(u32::from(looked));
        self.attempt = attempt;
    }

    /// The attempt, its number and its first time, if there are at least `enough` attempts and no progress since.
    fn at_least(&self, enough: u64, progress: &Progress) -> Option<(Attempt, u64, Time)> {
        let in_vain = self.steps == progress.steps && self.times >= enough && self.looked >= LOOKED;
        in_vain.then_some((self.attempt, self.times, self.since))
    }
}

/// The consequence of one more failed attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Patience {
    /// The thread goes on: it has not yet tried often enough.
    Lasts,
    /// The run is over if nothing is under way and no other thread can get further.
    Doubts,
    /// The run is over if no other thread can get further and nothing is under way. Events that only make a part
    /// of the machine look again do not count.
    Ends,
}

impl Attempts {
    /// Records that the thread has looked for messages.
    pub(crate) fn note_look(&mut self) {
        self.looked = true;
    }

    /// Records one more failed attempt of a thread that says that it waits. `sees` says whether the thread would notice
    /// the end of its wait without a look.
    pub(crate) fn wait(&mut self, attempt: Attempt, sees: bool, now: Time, progress: &Progress) -> Patience {
        let looked = std::mem::take(&mut self.looked) || sees;
        self.waits.count(attempt, looked, now, progress);
        match self.waits.times {
            _ if self.waits.looked < LOOKED => Patience::Lasts,
            times if !times.is_multiple_of(ENOUGH) => Patience::Lasts,
            times if times >= LONG => Patience::Ends,
            _ => Patience::Doubts,
        }
    }

    /// The time for which a thread that says that it waits rests before its next attempt: none, until it has waited for long.
    pub(crate) fn rest(&self, now: Time, progress: &Progress) -> Time {
        let long = self.waits.at_least(LONG, progress);
        long.map_or(Time::ZERO, |(_, _, since)| part_of(now - since))
    }

    /// Records one more failed look of a thread that may be computing. `worked` is the total work of its processor up
    /// to now.
    pub(crate) fn look(&mut self, worked: Time, now: Time, progress: &Progress) -> Patience {
        if self.has_worked(worked) {
            self.looks = Tries::default();
        }
        self.looks.count(Attempt::Look, true, now, progress);
        if self.looks.times.is_multiple_of(IDLE_LOOKS) { Patience::Ends } else { Patience::Lasts }
    }

    /// Whether the thread's processor has worked since the last call or the last look. `worked` is its total work up to
    /// now.
    pub(crate) fn has_worked(&mut self, worked: Time) -> bool {
        std::mem::replace(&mut self.worked, worked) != worked
    }

    /// The thread's attempt, the number of failures and the time of the first, if it has failed often enough to
    /// have seen all that happened.
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
        let often = (2..=LONG).map(|_| attempts.wait(Attempt::Look, true, at(6), &progress));
        assert_eq!(often.last(), Some(Patience::Ends));
        assert_eq!(attempts.in_vain(&progress), Some((Attempt::Look, LONG, at(5))));
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
    fn a_thread_that_has_waited_for_long_rests_for_a_part_of_its_wait() {
        let (mut progress, mut attempts) = (Progress::default(), Attempts::default());
        for _ in 1..LONG {
            attempts.wait(Attempt::Send, true, at(1), &progress);
        }
        assert_eq!(attempts.rest(at(1 + REST), &progress), Time::ZERO);
        attempts.wait(Attempt::Send, true, at(1), &progress);
        assert_eq!(attempts.rest(at(1 + 3 * REST), &progress), at(3));
        progress.note(at(9));
        assert_eq!(attempts.rest(at(1 + REST), &progress), Time::ZERO);
        let look = Time::from_nanoseconds(1);
        assert_eq!(
            [progress.rest(at(9 + 100), look), progress.rest(at(9 + REST), look)],
            [Time::ZERO, at(1)]
        );
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
