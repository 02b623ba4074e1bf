//! The lock of a network interface that two processors drive. There is one lock for both directions.
//!
//! The price of an access includes taking a lock whose line is in the processor's own cache. The line moves between the caches,
//! the *migration*, whenever another processor had the lock last, whether or not that processor still holds it. A processor
//! that finds the lock held waits for the release, and the migration follows. An idle processor may look for messages under
//! the lock, again and again, while no other processor has it. The line moves to it before its first look. Another processor
//! that wants the lock then waits for the end of the look, and the line moves back. A look is no event of its own: its times
//! are computed when another processor wants the lock.

use units::Time;

/// A lock whose line moves to each processor that takes it after another.
#[derive(Clone, Debug)]
pub struct Lock {
    migration: Time,
    /// The end of the last hold, or the beginning of the looks if that was later. From this time on the line moves to the
    /// processor that looks, and its looks follow one another.
    free_at: Time,
    /// The processor that has the line.
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
        let free = match self.looker {
            Some((looker, look)) if looker == who || self.free_at < now => self.end_look(now, looker, look),
            _ => self.free_at.max(now),
        };
        let migration = self.migration_to(who);
        let start = free + migration;
        self.looker = self.looker.filter(|(looker, _)| *looker != who);
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
    /// [acquires](Self::acquire) the lock or [stops](Self::stop_looking). Only one processor looks at a time: the looks of another one
    /// end.
    pub fn look(&mut self, now: Time, who: usize, look: Time) {
        if let Some((other, _)) = self.looker.filter(|&(other, _)| other != who) {
            self.stop_looking(now, other);
        }
        self.free_at = self.free_at.max(now);
        self.looker = Some((who, look));
    }

    /// Whether a processor looks for messages.
    pub fn is_looked_at(&self) -> bool {
        self.looker.is_some()
    }

    /// Ends the looks of processor `who` at `now`, in the middle of a look. The processor keeps the line if the line has begun to
    /// move to it.
    pub fn stop_looking(&mut self, now: Time, who: usize) {
        let Some((_, look)) = self.looker.take_if(|(looker, _)| *looker == who) else { return };
        if self.free_at < now && !look.is_zero() {
            self.last = Some(who);
        }
    }

    /// The time that the line takes to processor `who`.
    fn migration_to(&self, who: usize) -> Time {
        if self.last.is_some_and(|last| last != who) { self.migration } else { Time::ZERO }
    }

    /// The first end of a look of processor `looker` at or after `now`. The processor then has the line. Looks of no time leave the
    /// line at its place.
    fn end_look(&mut self, now: Time, looker: usize, look: Time) -> Time {
        let length = look.as_femtoseconds();
        if length == 0 {
            return self.free_at.max(now);
        }
        let first = self.free_at + self.migration_to(looker);
        self.last = Some(looker);
        let behind = now.saturating_sub(first).as_femtoseconds();
        first + look * behind.div_ceil(length).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(n: u64) -> Time {
        Time::from_nanoseconds(n)
    }

    #[test]
    fn the_line_moves_to_every_processor_that_takes_the_lock_after_another() {
        let mut lock = Lock::new(ns(5));
        // Processor 0 holds it 0-10 and again 10-20. Processor 1 waits from 12 to 20 and holds it 25-35.
        assert_eq!(lock.acquire(ns(0), 0, ns(10)), ns(0));
        assert_eq!(lock.acquire(ns(4), 0, ns(10)), ns(10));
        assert_eq!(lock.acquire(ns(12), 1, ns(10)), ns(25));
        assert_eq!([12, 22, 35, 50].map(|at| lock.busy_at(ns(at))), [12, 22, 35, 35].map(ns));
        // The lock is free from 35 on, and its line is still at processor 1.
        assert_eq!(lock.acquire(ns(60), 0, ns(1)), ns(65));
        assert_eq!(lock.acquire(ns(70), 0, ns(1)), ns(70));
        assert_eq!(lock.busy_at(ns(99)), ns(42));
    }

    #[test]
    fn looks_make_another_processor_wait_for_their_end_and_the_migration() {
        let mut lock = Lock::new(ns(5));
        lock.look(ns(0), 0, ns(4));
        // Looks take 0-4, 4-8, 8-12. Processor 1 comes at 9 and holds the lock from 12 + 5 until 27.
        assert_eq!(lock.acquire(ns(9), 1, ns(10)), ns(17));
        // The looker has the line again at 27 + 5 and looks until 36. Processor 1 comes at 28 and has it at 36 + 5.
        assert_eq!(lock.acquire(ns(28), 1, ns(10)), ns(41));
        // The looks from 51 + 5 on end at 60, when the line is with the looker.
        lock.stop_looking(ns(60), 0);
        assert_eq!(lock.acquire(ns(70), 1, ns(1)), ns(75));
    }

    #[test]
    fn a_lock_that_is_wanted_at_the_instant_of_its_release_is_taken_before_a_look() {
        let mut lock = Lock::new(ns(5));
        lock.look(ns(0), 0, ns(4));
        assert_eq!(lock.acquire(ns(9), 1, ns(10)), ns(17));
        assert_eq!(lock.acquire(ns(27), 1, ns(10)), ns(27));
        // Looks that end before they begin leave the line at its place.
        lock.stop_looking(ns(37), 0);
        assert_eq!(lock.acquire(ns(99), 1, ns(1)), ns(99));
    }

    #[test]
    fn the_looker_has_what_it_found_at_the_end_of_its_look() {
        let mut lock = Lock::new(ns(5));
        lock.look(ns(0), 0, ns(4));
        assert_eq!(lock.acquire(ns(7), 0, ns(10)), ns(8));
        lock.look(ns(20), 0, ns(4));
        // The first look sees a message that was there before.
        assert_eq!(lock.acquire(ns(20), 0, ns(1)), ns(24));
    }

    #[test]
    fn long_afterwards_the_looks_are_as_if_each_had_been_an_event() {
        let mut lock = Lock::new(ns(5));
        lock.look(ns(0), 0, ns(10));
        // One look takes 10 000 000-10 000 010.
        assert_eq!(lock.clone().acquire(ns(10_000_003), 1, ns(1)), ns(10_000_015));
        assert_eq!(lock.acquire(ns(10_000_010), 1, ns(1)), ns(10_000_015));
    }

    #[test]
    fn looks_that_take_no_time_are_in_nobodys_way() {
        let mut lock = Lock::new(ns(5));
        lock.look(ns(0), 0, Time::ZERO);
        assert_eq!(lock.acquire(ns(9), 1, ns(1)), ns(9));
    }
}
