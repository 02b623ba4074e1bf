//! The lock over a network interface that two processors drive: one lock for both directions.
//!
//! Taking it while it is free is part of what the access costs. A processor that finds it held waits, and when it is
//! given up its line has to move between the caches, the *migration*, before the one that waited has it. A processor
//! that has nothing to do but look for messages looks under the lock, again and again, with a pause in between if it has
//! other things to look at; whoever wants the lock meanwhile waits for the end of the look. A looker does not queue: it
//! tries, and if somebody has the lock it tries again after its pause. Looks are not events of their own: where they
//! stand is computed when it matters.

use units::Time;

/// A lock that is dear to those who wait for it.
#[derive(Clone, Debug)]
pub struct Lock {
    migration: Time,
    /// The end of the last hold or look so far.
    free_at: Time,
    last: Option<usize>,
    lookers: Vec<Looker>,
}

/// Who looks for messages all the time.
#[derive(Clone, Copy, Debug)]
struct Looker {
    who: usize,
    look: Time,
    pause: Time,
    /// When it tries next.
    next: Time,
}

impl Looker {
    /// When it tries for the first time at or after `free`.
    fn attempt(&self, free: Time) -> Time {
        match (free.saturating_sub(self.next), self.pause.as_femtoseconds()) {
            (behind, _) if behind.is_zero() => self.next,
            (_, 0) => free,
            (behind, pause) => self.next + self.pause * behind.as_femtoseconds().div_ceil(pause),
        }
    }
}

impl Lock {
    /// A free lock that nobody has held.
    pub fn new(migration: Time) -> Self {
        Self { migration, free_at: Time::ZERO, last: None, lookers: Vec::new() }
    }

    /// `who` wants the lock at `now` and will hold it for `hold`; returns when it has it. Call in the order of time: it
    /// is granted in that order, after a look that has begun. One who [looks](Self::look) wants it for what it finds: it
    /// has it from the end of the look in which it sees that, and looks no longer.
    pub fn acquire(&mut self, now: Time, who: usize, hold: Time) -> Time {
        self.look_until(now);
        let own = self.lookers.iter().find(|looker| looker.who == who);
        let start = match own {
            // It sees what it wants at the end of the look that it is in, or else of the next one.
            Some(_) if self.last == Some(who) && self.free_at >= now => self.free_at,
            Some(own) => own.attempt(self.free_at.max(now)) + own.look,
            None if self.free_at > now && self.last != Some(who) => self.free_at + self.migration,
            None => self.free_at.max(now),
        };
        self.stop_looking(who);
        self.last = Some(who);
        self.free_at = start + hold;
        start
    }

    /// From `now` on `who` looks for messages, each time for `look` under the lock and with `pause` in between, until it
    /// [acquires](Self::acquire) the lock for something or [stops](Self::stop_looking).
    pub fn look(&mut self, now: Time, who: usize, look: Time, pause: Time) {
        self.look_until(now);
        self.stop_looking(who);
        self.lookers.push(Looker { who, look, pause, next: now });
    }

    /// `who` looks no longer.
    pub fn stop_looking(&mut self, who: usize) {
        self.lookers.retain(|looker| looker.who != who);
    }

    /// Who will be the first to see what arrives at `now`, if anybody looks.
    pub fn first_to_see(&self, now: Time) -> Option<usize> {
        let mut later = self.clone();
        later.look_until(now);
        let looks = |who: &usize| later.lookers.iter().any(|looker| looker.who == *who);
        let sees = later.last.filter(looks).filter(|_| later.free_at >= now);
        sees.or_else(|| later.next_look().map(|(_, index)| later.lookers[index].who))
    }

    /// Lets those who look do so, up to the last look that begins before `now`.
    fn look_until(&mut self, now: Time) {
        while let Some((at, index)) = self.next_look().filter(|(at, _)| *at < now) {
            let Looker { who, look, pause, .. } = self.lookers[index];
            let mut end = at + look;
            // Nobody else comes in between: as many of its looks as there are before `now` at once.
            let alone = self.lookers.len() == 1 || pause.is_zero();
            let period = (look + pause).as_femtoseconds();
            if alone && period > 0 && end + pause < now {
                end += (look + pause) * ((now - (end + pause)).as_femtoseconds().div_ceil(period));
            }
            self.last = Some(who);
            self.free_at = end;
            // A look that takes no time, and no pause: it is as if it looked when somebody asks.
            self.lookers[index].next = if period == 0 { now } else { end + pause };
        }
    }

    /// When the next look begins, and the place of who looks.
    fn next_look(&self) -> Option<(Time, usize)> {
        let attempts = self.lookers.iter().enumerate();
        attempts.map(|(index, looker)| (looker.attempt(self.free_at), index)).min()
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
    }

    #[test]
    fn one_who_looks_all_the_time_makes_the_other_wait_for_its_look_and_the_migration() {
        let mut lock = Lock::new(ns(5));
        lock.look(ns(0), 0, ns(4), ns(0));
        // Looks 0-4, 4-8, 8-12; 1 comes at 9 and has it at 12 + 5, until 27.
        assert_eq!(lock.acquire(ns(9), 1, ns(10)), ns(17));
        // The looker has it back at 27, looks until 31; 1 has come at 28 and has it at 31 + 5.
        assert_eq!(lock.acquire(ns(28), 1, ns(10)), ns(36));
        lock.stop_looking(0);
        assert_eq!(lock.acquire(ns(60), 1, ns(1)), ns(60));
    }

    #[test]
    fn one_who_pauses_between_looks_is_not_in_the_way_in_between() {
        let mut lock = Lock::new(ns(5));
        lock.look(ns(0), 0, ns(2), ns(10));
        // Looks 0-2, 12-14, 24-26; at 16 it is free. Held 16-25: the try at 24 fails, that at 34 succeeds, until 36.
        assert_eq!(lock.acquire(ns(16), 1, ns(9)), ns(16));
        assert_eq!(lock.clone().acquire(ns(33), 1, ns(1)), ns(33));
        assert_eq!(lock.acquire(ns(35), 1, ns(1)), ns(41));
    }

    #[test]
    fn one_who_looks_finds_something_at_the_end_of_its_look_and_goes_on() {
        let mut lock = Lock::new(ns(5));
        lock.look(ns(0), 0, ns(4), ns(0));
        assert_eq!(lock.first_to_see(ns(7)), Some(0));
        assert_eq!(lock.acquire(ns(7), 0, ns(10)), ns(8));
        assert_eq!(lock.first_to_see(ns(9)), None);
        lock.look(ns(18), 0, ns(4), ns(6));
        // Looks 18-22, 28-32: what is there at 25 is seen at 32.
        assert_eq!(lock.acquire(ns(25), 0, ns(1)), ns(32));
    }

    #[test]
    fn of_two_who_look_the_one_that_looks_first_sees_it() {
        let mut lock = Lock::new(ns(5));
        lock.look(ns(0), 0, ns(4), ns(10));
        lock.look(ns(1), 1, ns(2), ns(20));
        // 0 looks 0-4; 1 has tried at 1 and tries at 21; 0 looks 14-18, 1 21-23, 0 28-32.
        assert_eq!(lock.first_to_see(ns(16)), Some(0));
        assert_eq!(lock.first_to_see(ns(19)), Some(1));
        assert_eq!(lock.clone().acquire(ns(19), 1, ns(3)), ns(23));
        assert_eq!(lock.acquire(ns(29), 2, ns(3)), ns(37));
    }

    #[test]
    fn long_afterwards_it_is_as_if_every_look_had_been_an_event() {
        let mut lock = Lock::new(ns(5));
        lock.look(ns(0), 0, ns(4), ns(6));
        // Looks 10 000 000-10 000 004.
        assert_eq!(lock.clone().acquire(ns(10_000_003), 1, ns(1)), ns(10_000_009));
        assert_eq!(lock.acquire(ns(10_000_005), 1, ns(1)), ns(10_000_005));
    }

    #[test]
    fn looks_that_take_no_time_are_in_nobodys_way() {
        let mut lock = Lock::new(ns(5));
        lock.look(ns(0), 0, Time::ZERO, Time::ZERO);
        assert_eq!(lock.acquire(ns(9), 1, ns(1)), ns(9));
    }
}
