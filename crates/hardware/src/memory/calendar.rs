//! The reservations of a resource that serves one user at a time, with the gaps between them.
//!
//! A split transaction reserves its data phase long before that phase begins. A later request may still fit into the gap
//! before it. A [`des::Server`] has no such gaps.
//!
//! This module must never know what the resource is.

use units::Time;

/// The reservations of a resource that serves one user at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calendar {
    /// The reservations, in order. Two that would touch are one.
    spans: Vec<Span>,
    /// The number of those that are known to be over, which come first.
    over: usize,
    /// The end of the last one.
    end: Time,
    /// The time before which no later request begins.
    now: Time,
    busy: Time,
}

/// A time for which the resource is reserved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Span {
    start: Time,
    end: Time,
}

/// The number of reservations that are over above which they are removed.
const MOST_OVER: usize = 32;

impl Calendar {
    /// Forgets the reservations that end by `now`. No later request begins before `now`.
    #[inline]
    pub(crate) fn forget(&mut self, now: Time) {
        self.now = now;
    }

    /// Whether nothing is reserved beyond `now`.
    #[inline]
    pub(crate) fn is_free(&self, now: Time) -> bool {
        self.end <= now
    }

    /// Counts time for which the resource is in use, where it is free for so long or is reserved [one after the other](Self::place).
    #[inline]
    pub(crate) fn count(&mut self, time: Time) {
        self.busy += time;
    }

    /// Reserves the first gap of length `hold` from `from` on, and returns its start.
    #[inline]
    pub(crate) fn reserve(&mut self, from: Time, hold: Time) -> Time {
        self.busy += hold;
        self.place(from, hold)
    }

    /// Reserves the first gap of length `hold` from `from` on for a use that is [counted](Self::count) by itself, and returns its start.
    #[inline(always)]
    pub(crate) fn place(&mut self, from: Time, hold: Time) -> Time {
        if from < self.end {
            return self.place_before_the_end(from, hold);
        }
        if self.end <= self.now {
            self.spans.clear();
            self.over = 0;
        }
        let end = from + hold;
        match self.spans.last_mut() {
            Some(last) if last.end == from => last.end = end,
            _ => self.spans.push(Span { start: from, end }),
        }
        self.end = end;
        from
    }

    /// Reserves the first gap of length `hold` from `from` on, which is before the end of the last reservation.
    #[inline(never)]
    fn place_before_the_end(&mut self, from: Time, hold: Time) -> Time {
        // The last one is not over.
        while self.spans[self.over].end <= self.now {
            self.over += 1;
        }
        let mut start = from;
        for (passed, span) in self.spans[self.over..].iter().enumerate() {
            if start + hold <= span.start {
                self.insert(self.over + passed, Span { start, end: start + hold });
                return start;
            }
            start = start.max(span.end);
        }
        // It follows the last one at once.
        self.end = start + hold;
        self.spans.last_mut().into_iter().for_each(|last| last.end = self.end);
        start
    }

    /// Puts a reservation before number `place`, and joins it with the neighbours that it touches.
    #[inline]
    fn insert(&mut self, place: usize, span: Span) {
        let follows = place > self.over && self.spans[place - 1].end == span.start;
        let leads = self.spans[place].start == span.end;
        match (follows, leads) {
            (true, true) => self.spans[place - 1].end = self.spans.remove(place).end,
            (true, false) => self.spans[place - 1].end = span.end,
            (false, true) => self.spans[place].start = span.start,
            (false, false) => self.insert_apart(place, span),
        }
    }

    /// Puts a reservation before number `place` that touches no other.
    #[inline(never)]
    fn insert_apart(&mut self, mut place: usize, span: Span) {
        if self.over > MOST_OVER {
            self.spans.drain(..self.over);
            place -= std::mem::take(&mut self.over);
        }
        self.spans.insert(place, span);
    }

    /// The time up to `now` that has been reserved.
    pub(crate) fn busy_at(&self, now: Time) -> Time {
        let beyond = self.spans.iter().rev().take_while(|span| span.end > now);
        let beyond = beyond.map(|span| span.end - span.start.max(now)).fold(Time::ZERO, |all, one| all + one);
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
        let spans = [(0, 1), (2, 29)].map(|(start, end)| Span { start: ns(start), end: ns(end) });
        assert_eq!((&calendar.spans[..], calendar.end), (&spans[..], ns(29)));
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
