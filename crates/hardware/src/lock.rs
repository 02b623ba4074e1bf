//! The lock over a network interface that two processors drive: one lock for both directions.
//!
//! Taking it while it is free is part of what the access costs. A processor that finds it held waits, and when it is
//! given up its line has to move between the caches, the *migration*, before the one that waited has it. A processor
//! that has nothing to do but look for messages looks under the lock, again and again, whenever nobody else has it;
//! whoever wants the lock meanwhile waits for the end of the look. Looks are not events of their own: where they stand is
//! computed when it matters.

use units::Time;

/// A lock that is dear to those who wait for it.
#[derive(Clone, Debug)]
pub struct Lock {
    migration: Time,
    /// The end of the last hold, or when the looker began if that was later: looks follow one another from here on.
    free_at: Time,
    last: Option<usize>,
    /// Who looks for messages all the time, and how long a look takes.
    looker: Option<(usize, Time)>,
    /// The time for which it has been held or has moved between caches; looks do not count.
    busy: Time,
}

impl Lock {
    /// A free lock that nobody has held.
    pub fn new(migration: Time) -> Self {
        Self { migration, free_at: Time::ZERO, last: None, looker: None, busy: Time::ZERO }
    }

    /// `who` wants the lock at `now` and will hold it for `hold`; returns when it has it. Call in the order of time: it
    /// is granted in that order, after a look that has begun. One who [looks](Self::look) wants it for what it finds: it
    /// has it from the end of the look in which it sees that, and looks no longer.
    pub fn acquire(&mut self, now: Time, who: usize, hold: Time) -> Time {
        let held = self.last.is_some_and(|last| last != who) && self.free_at > now;
        let (free, migrates) = match self.looker {
            Some((looker, look)) if looker == who => (self.end_of_look(now, look, 1), false),
            Some((_, look)) if self.free_at < now => {
                let end = self.end_of_look(now, look, 0);
                (end, end > now)
            }
            _ => (self.free_at.max(now), held),
        };
        let migration = if migrates { self.migration } else { Time::ZERO };
        let start = free + migration;
        self.stop_looking(who);
        self.last = Some(who);
        self.free_at = start + hold;
        self.busy += migration + hold;
        start
    }

    /// The time up to `now` for which it has been held or has moved between caches. Looks do not count: a look ends when
    /// somebody wants the lock.
    pub fn busy_at(&self, now: Time) -> Time {
        self.busy.saturating_sub(self.free_at.saturating_sub(now))
    }

    /// From `now` on `who` looks for messages, each time for `look` under the lock, until it [acquires](Self::acquire) the
    /// lock for something or [stops](Self::stop_looking). It looks alone.
    pub fn look(&mut self, now: Time, who: usize, look: Time) {
        self.free_at = self.free_at.max(now);
        self.looker = Some((who, look));
    }

    /// `who` looks no longer.
    pub fn stop_looking(&mut self, who: usize) {
        self.looker = self.looker.filter(|(looker, _)| *looker != who);
    }

    /// The first end of a look at or after `now`, the `least`-th since the lock was free or a later one.
    fn end_of_look(&self, now: Time, look: Time, least: u64) -> Time {
        match look.as_femtoseconds() {
            0 => self.free_at.max(now),
            length => {
                let behind = now.saturating_sub(self.free_at).as_femtoseconds();
                self.free_at + look * behind.div_ceil(length).max(least)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(n: u64) -> Time {
        Time::from_nanoseconds(n)
    }

    #[test]
    fn who_finds_it_free_has_it_and_who_waits_pays_the_migration() {
        let mut lock = Lock::new(ns(5));
        // Held 0-10 by 0; again 10-20 by 0; 1 waits from 12 to 20 and has it from 25 to 35.
        assert_eq!(lock.acquire(ns(0), 0, ns(10)), ns(0));
        assert_eq!(lock.acquire(ns(4), 0, ns(10)), ns(10));
        assert_eq!(lock.acquire(ns(12), 1, ns(10)), ns(25));
        // Free since 35.
        assert_eq!(lock.acquire(ns(35), 0, ns(1)), ns(35));
        assert_eq!([10, 22, 36, 99].map(|at| lock.busy_at(ns(at))), [10, 22, 36, 36].map(ns));
    }

    #[test]
    fn one_who_looks_all_the_time_makes_the_other_wait_for_its_look_and_the_migration() {
        let mut lock = Lock::new(ns(5));
        lock.look(ns(0), 0, ns(4));
        // Looks 0-4, 4-8, 8-12; 1 comes at 9 and has it at 12 + 5, until 27.
        assert_eq!(lock.acquire(ns(9), 1, ns(10)), ns(17));
        // The looker has it back at 27, looks until 31; 1 has come at 28 and has it at 31 + 5.
        assert_eq!(lock.acquire(ns(28), 1, ns(10)), ns(36));
        lock.stop_looking(0);
        assert_eq!(lock.acquire(ns(60), 1, ns(1)), ns(60));
    }

    #[test]
    fn one_who_looks_finds_something_at_the_end_of_its_look_and_goes_on() {
        let mut lock = Lock::new(ns(5));
        lock.look(ns(0), 0, ns(4));
        assert_eq!(lock.acquire(ns(7), 0, ns(10)), ns(8));
        lock.look(ns(20), 0, ns(4));
        // What is there already is seen by the first look.
        assert_eq!(lock.acquire(ns(20), 0, ns(1)), ns(24));
    }

    #[test]
    fn long_afterwards_it_is_as_if_every_look_had_been_an_event() {
        let mut lock = Lock::new(ns(5));
        lock.look(ns(0), 0, ns(10));
        // Looks 10 000 000-10 000 010.
        assert_eq!(lock.clone().acquire(ns(10_000_003), 1, ns(1)), ns(10_000_015));
        assert_eq!(lock.acquire(ns(10_000_010), 1, ns(1)), ns(10_000_010));
    }

    #[test]
    fn looks_that_take_no_time_are_in_nobodys_way() {
        let mut lock = Lock::new(ns(5));
        lock.look(ns(0), 0, Time::ZERO);
        assert_eq!(lock.acquire(ns(9), 1, ns(1)), ns(9));
    }
}
