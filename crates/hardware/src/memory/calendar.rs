//! The reservations of a resource that serves one user at a time, with the gaps between them.
//!
//! A split transaction reserves its data phase long before that phase begins. A later request may still fit into the gap
//! before it. A [`des::Server`] has no such gaps.
//!
//! This module must never know what the resource is.

use std::collections::VecDeque;

use units::Time;

/// The reservations of a resource that serves one user at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calendar {
    /// The start and end of each reservation, in order. No two touch.
    taken: VecDeque<(Time, Time)>,
    busy: Time,
}

impl Calendar {
    /// Forgets the reservations that end by `now`. No later request begins before `now`.
    pub(crate) fn forget(&mut self, now: Time) {
        while self.taken.front().is_some_and(|&(_, end)| end <= now) {
            self.taken.pop_front();
        }
    }

    /// Reserves the first gap of length `hold` from `from` on, and returns its start.
    pub(crate) fn reserve(&mut self, from: Time, hold: Time) -> Time {
        self.busy += hold;
        // Mostly all reservations end before `from`, and there are no gaps to look at.
        match self.taken.back_mut() {
            Some(last) if from < last.1 => {}
            Some(last) if from == last.1 => {
                last.1 += hold;
                return from;
            }
            _ => {
                self.taken.push_back((from, from + hold));
                return from;
            }
        }
        let (mut start, mut place) = (from, 0);
        for (index, &(taken, end)) in self.taken.iter().enumerate() {
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
        let after = self.taken.get(place).is_some_and(|&(next, _)| next == end);
        let before = place.checked_sub(1).filter(|&before| self.taken[before].1 == start);
        match (before, after) {
            (Some(before), true) => {
                self.taken[before].1 = self.taken[place].1;
                self.taken.remove(place);
            }
            (Some(before), false) => self.taken[before].1 = end,
            (None, true) => self.taken[place].0 = start,
            (None, false) => self.taken.insert(place, (start, end)),
        }
    }

    /// The time up to `now` that has been reserved.
    pub(crate) fn busy_at(&self, now: Time) -> Time {
        let beyond = self.taken.iter().rev().take_while(|(_, end)| *end > now);
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
        assert_eq!(calendar.taken, [(ns(0), ns(1)), (ns(2), ns(29))]);
        assert_eq!(calendar.busy(), ns(28));
        assert_eq!([0, 1, 2, 12, 99].map(|at| calendar.busy_at(ns(at))), [0, 1, 1, 11, 28].map(ns));
        calendar.forget(ns(1));
        assert_eq!(calendar.taken.len(), 1);
    }
}
