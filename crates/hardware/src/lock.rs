//! The lock of a network interface that two processors drive. There is one lock for both directions.
//!
//! The price of an access includes taking a free lock. A processor that finds the lock held waits. After the release the line
//! of the lock has to move between the caches, the *migration*, before the waiting processor has the lock. An idle processor
//! may look for messages under the lock, again and again, while no other processor has it. Another processor that wants the
//! lock then waits for the end of the look. A look is no event of its own: its times are computed when another processor wants
//! the lock.

use units::Time;

/// A lock whose release to a waiting processor takes a migration of its line.
#[derive(Clone, Debug)]
pub struct Lock {
    migration: Time,
    /// The end of the last hold, or the beginning of the looks if that was later. Looks follow one another from this time on.
    free_at: Time,
    last: Option<usize>,
    /// The processor that looks for messages all the time, and the time of one look.
    looker: Option<(usize, Time)>,
    /// The time for which the lock was held or its line migrated. Looks do not count.
    busy: Time,
}

impl Lock {
    /// A lock that no processor has held.
    pub fn new(migration: Time) -> Self {
        Self { migration, free_at: Time::ZERO, last: None, looker: None, busy: Time::ZERO }
    }

    /// Gives processor `who` the lock for `hold`. The processor wants it at `now`; returns the time from which it has
    /// it. Calls come in the order of time, and the lock is granted in that order, after a look that has begun. A
    /// processor that [looks](Self::look) wants the lock for the event that it has found. It gets the lock at the end
    /// of the look that finds it, and its looks end.
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

    /// The time up to `now` for which the lock was held or its line migrated. Looks do not count, because a look ends when
    /// another processor wants the lock.
    pub fn busy_at(&self, now: Time) -> Time {
        self.busy.saturating_sub(self.free_at.saturating_sub(now))
    }

    /// Lets processor `who` look for messages from `now` on, for `look` under the lock each time. The looks end when it
    /// [acquires](Self::acquire) the lock or [stops](Self::stop_looking). Only one processor looks at a time.
    pub fn look(&mut self, now: Time, who: usize, look: Time) {
        self.free_at = self.free_at.max(now);
        self.looker = Some((who, look));
    }

    /// Ends the looks of processor `who`.
    pub fn stop_looking(&mut self, who: usize) {
        self.looker = self.looker.filter(|(looker, _)| *looker != who);
    }

    /// The first end of a look at or after `now`. It is the end of look number `least`, counted since the lock was free, or of
    /// a later one.
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
        // Processor 0 holds it 0-10 and again 10-20. Processor 1 waits from 12 to 20 and holds it 25-35.
        assert_eq!(lock.acquire(ns(0), 0, ns(10)), ns(0));
        assert_eq!(lock.acquire(ns(4), 0, ns(10)), ns(10));
        assert_eq!(lock.acquire(ns(12), 1, ns(10)), ns(25));
        // The lock is free from 35 on.
        assert_eq!(lock.acquire(ns(35), 0, ns(1)), ns(35));
        assert_eq!([10, 22, 36, 99].map(|at| lock.busy_at(ns(at))), [10, 22, 36, 36].map(ns));
    }

    #[test]
    fn one_who_looks_all_the_time_makes_the_other_wait_for_its_look_and_the_migration() {
        let mut lock = Lock::new(ns(5));
        lock.look(ns(0), 0, ns(4));
        // Looks take 0-4, 4-8, 8-12. Processor 1 comes at 9 and holds the lock from 12 + 5 until 27.
        assert_eq!(lock.acquire(ns(9), 1, ns(10)), ns(17));
        // The looker has the lock again at 27 and looks until 31. Processor 1 comes at 28 and has it at 31 + 5.
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
        // The first look sees a message that was there before.
        assert_eq!(lock.acquire(ns(20), 0, ns(1)), ns(24));
    }

    #[test]
    fn long_afterwards_it_is_as_if_every_look_had_been_an_event() {
        let mut lock = Lock::new(ns(5));
        lock.look(ns(0), 0, ns(10));
        // One look takes 10 000 000-10 000 010.
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
