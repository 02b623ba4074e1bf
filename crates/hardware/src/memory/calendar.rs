//! The reservations of a resource that serves one user at a time, with the gaps between them.
//!
//! A split transaction reserves its data phase long before that phase begins. A later request may still fit into the gap
//! before it. A [`des::Server`] has no such gaps.
//!
//! This module must never know what the resource is.

use std::collections::VecDeque;

use units::Time;

/// The reservations of a resource that serves one user at a time.
///
/// Mostly all reservations but the last are over. The last one is therefore apart from those before it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calendar {
    /// The start and end of the last reservation.
    last: (Time, Time),
    /// The start and end of each reservation before the last, in order. No two reservations touch.
    earlier: VecDeque<(Time, Time)>,
    /// The time before which no later request begins.
    now: Time,
    busy: Time,
}

impl Calendar {
    /// Forgets the reservations that end by `now`. No later request begins before `now`.
    #[inline]
    pub(crate) fn forget(&mut self, now: Time) {
        self.now = now;
    }

    /// Whether nothing is reserved beyond `now`.
    #[inline]
    pub(crate) fn is_free(&self, now: Time) -> bool {
        self.last.1 <= now
    }

    /// Counts time for which the resource has been in use without a reservation, because it was free for so long.
    #[inline]
    pub(crate) fn use_freely(&mut self, time: Time) {
        self.busy += time;
    }

    /// Reserves the first gap of length `hold` from `from` on, and returns its start.
    #[inline]
    pub(crate) fn reserve(&mut self, from: Time, hold: Time) -> Time {
        self.busy += hold;
        if from < self.last.1 {
            let (last, end) = self.last;
            let is_alone = self.earlier.back().is_none_or(|&(_, end)| end <= from);
            if is_alone && from + hold > last {
                // There is no gap: it goes behind the last.
                self.last.1 = end + hold;
                return end;
            }
            return self.reserve_before_the_end(from, hold);
        }
        if from == self.last.1 {
            self.last.1 += hold;
            return from;
        }
        if self.last.1 > self.now {
            self.earlier.push_back(self.last);
        } else if !self.earlier.is_empty() {
            self.earlier.clear();
        }
        self.last = (from, from + hold);
        from
    }

    /// Reserves the first gap of length `hold` from `from` on, which is before the end of the last reservation.
    fn reserve_before_the_end(&mut self, from: Time, hold: Time) -> Time {
        while self.earlier.front().is_some_and(|&(_, end)| end <= self.now) {
            self.earlier.pop_front();
        }
        let (mut start, mut place) = (from, 0);
        for (index, &(taken, end)) in self.earlier.iter().chain([&self.last]).enumerate() {
            if start + hold <= taken {
                break;
            }
            start = start.max(end);
            place = index + 1;
        }
        self.insert(place, start, start + hold);
        start
    }

    /// Puts a reservation before number `place`, and joins it with the neighbours that it touches.
    fn insert(&mut self, place: usize, start: Time, end: Time) {
        let taken = &mut self.earlier;
        taken.push_back(self.last);
        let after = taken.get(place).is_some_and(|&(next, _)| next == end);
        let before = place.checked_sub(1).filter(|&before| taken[before].1 == start);
        match (before, after) {
            (Some(before), true) => {
                taken[before].1 = taken[place].1;
                taken.remove(place);
            }
            (Some(before), false) => taken[before].1 = end,
            (None, true) => taken[place].0 = start,
            (None, false) => taken.insert(place, (start, end)),
        }
        self.last = taken.pop_back().expect("there is a reservation");
    }

    /// The time up to `now` that has been reserved.
    pub(crate) fn busy_at(&self, now: Time) -> Time {
        let beyond =
            [&self.last].into_iter().chain(self.earlier.iter().rev()).take_while(|(_, end)| *end > now);
        let beyond = beyond.map(|&(start, end)| end - start.max(now)).fold(Time::ZERO, |all, one| all + one);
        self.busy - beyond
    }

    /// The length of all reservations so far.
    pub(crate) fn busy(&self) -> Time {
        self.busy
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ns(n: u64) -> Time {
        Time::from_nanoseconds(n)
    }

    #[test]
    fn a_later_request_fits_into_a_gap_and_never_overlaps() {
        let mut calendar = Calendar::default();
        assert_eq!(calendar.reserve(ns(0), ns(1)), ns(0));
        assert_eq!(calendar.reserve(ns(20), ns(4)), ns(20));
        // 1 to 20 is free: 5 fit at 2, then 10 at 7, then 5 do not fit before 20.
        assert_eq!(calendar.reserve(ns(2), ns(5)), ns(2));
        assert_eq!(calendar.reserve(ns(2), ns(10)), ns(7));
        assert_eq!(calendar.reserve(ns(2), ns(5)), ns(24));
        assert_eq!(calendar.reserve(ns(2), ns(3)), ns(17));
        assert_eq!((calendar.last, calendar.earlier.len()), ((ns(2), ns(29)), 1));
        assert_eq!(calendar.busy(), ns(28));
        assert_eq!([0, 1, 2, 12, 99].map(|at| calendar.busy_at(ns(at))), [0, 1, 1, 11, 28].map(ns));
        assert!(calendar.is_free(ns(29)) && !calendar.is_free(ns(28)));
    }

    /// A reference for the tests: whether each nanosecond is taken.
    #[derive(Default)]
    struct Naive(Vec<bool>);

    impl Naive {
        fn reserve(&mut self, from: u64, hold: u64) -> u64 {
            self.0.resize(self.0.len().max((from + hold) as usize + 1), false);
            self.0.resize(self.0.len() + hold as usize, false);
            let is_free = |start: &usize| self.0[*start..][..hold as usize].iter().all(|taken| !taken);
            let start = (from as usize..).find(is_free).expect("the end is free");
            self.0[start..][..hold as usize].fill(true);
            start as u64
        }
        fn busy_at(&self, now: u64) -> u64 {
            self.0.iter().take(now as usize).filter(|taken| **taken).count() as u64
        }
    }

    proptest! {
        #[test]
        fn it_reserves_what_a_plain_list_of_instants_does(
            steps in proptest::collection::vec((0_u64..6, 0_u64..30, 1_u64..6), 0..80),
        ) {
            let (mut calendar, mut naive, mut now) = (Calendar::default(), Naive::default(), 1);
            for (passed, later, hold) in steps {
                now += passed;
                calendar.forget(ns(now));
                let from = now + later;
                let is_free = naive.0.iter().skip(now as usize).all(|taken| !taken);
                prop_assert_eq!(calendar.is_free(ns(now)), is_free);
                prop_assert_eq!(calendar.reserve(ns(from), ns(hold)), ns(naive.reserve(from, hold)));
                for at in [now, now + 3, now + 1000] {
                    prop_assert_eq!(calendar.busy_at(ns(at)), ns(naive.busy_at(at)));
                }
            }
        }
    }
}
