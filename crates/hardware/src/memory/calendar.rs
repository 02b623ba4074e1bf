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
    /// The reservations before the last one, in order. Two that would touch are one.
    before: Vec<Span>,
    /// The number of those that are known to be over, which come first.
    over: usize,
    /// The number of those that end before the next use of a client whose uses follow one another; [`UNSOUGHT`] before that client seeks
    /// its first gap.
    passed: usize,
    last: Span,
    /// The time before which no later request begins.
    now: Time,
    busy: Time,
}

/// A time for which the resource is reserved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Span {
    start: Time,
    end: Time,
}

/// No gap has been sought yet.
const UNSOUGHT: usize = usize::MAX;

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
        self.last.end <= now
    }

    /// Reserves the first gap of length `hold` from `from` on, and returns its start.
    #[inline]
    pub(crate) fn reserve(&mut self, from: Time, hold: Time) -> Time {
        self.busy += hold;
        if from < self.last.end {
            return self.reserve_before_the_end(from, hold);
        }
        self.place_behind(from, hold);
        from
    }

    /// Reserves the first gap from `from` on, which is before the end of the last reservation.
    #[inline(never)]
    fn reserve_before_the_end(&mut self, from: Time, hold: Time) -> Time {
        self.begin();
        self.place_before_the_end(from, hold)
    }

    /// Begins with the uses of a client that follow one another: none begins before the one before it has ended.
    #[inline]
    pub(crate) fn begin(&mut self) {
        self.passed = UNSOUGHT;
    }

    /// Reserves the first gap of length `hold` from `from` on for the [next](Self::begin) use of a client, and returns its start. The
    /// caller counts the time of the use.
    #[inline(always)]
    pub(crate) fn place(&mut self, from: Time, hold: Time) -> Time {
        if from < self.last.end {
            return self.place_before_the_end(from, hold);
        }
        self.place_alone_behind(from, hold);
        from
    }

    /// [Reserves](Self::place_behind) a time behind all others, where that is a call.
    #[inline(never)]
    fn place_alone_behind(&mut self, from: Time, hold: Time) {
        self.place_behind(from, hold);
    }

    /// Reserves the time of length `hold` from `from` on, from which on nothing is reserved. The caller counts the time of the use.
    #[inline(always)]
    pub(crate) fn place_behind(&mut self, from: Time, hold: Time) {
        let end = from + hold;
        if self.last.end <= self.now {
            self.before.clear();
            self.over = 0;
        } else if self.last.end == from {
            self.last.end = end;
            return;
        } else {
            self.before.push(self.last);
        }
        self.last = Span { start: from, end };
    }

    /// Reserves the first gap of length `hold` from `from` on, which is before the end of the last reservation, and returns its start.
    #[inline(always)]
    fn place_before_the_end(&mut self, from: Time, hold: Time) -> Time {
        let mut start = from;
        let mut place = if self.passed == UNSOUGHT { self.pass_over() } else { self.passed };
        while let Some(span) = self.before.get(place) {
            if start + hold <= span.start {
                break;
            }
            start = start.max(span.end);
            place += 1;
        }
        let end = start + hold;
        if place < self.before.len() || end <= self.last.start {
            self.passed = self.insert(place, Span { start, end });
            return start;
        }
        // It follows the last one at once.
        self.passed = place;
        let start = self.last.end;
        self.last.end = start + hold;
        start
    }

    /// Passes over the reservations that have ended. Returns their number.
    #[inline]
    fn pass_over(&mut self) -> usize {
        while self.before.get(self.over).is_some_and(|span| span.end <= self.now) {
            self.over += 1;
        }
        self.over
    }

    /// Puts a reservation before number `place`, and joins it with the neighbours that it touches. Returns the number of the first
    /// one that does not end with it.
    #[inline(always)]
    fn insert(&mut self, place: usize, span: Span) -> usize {
        let follows = place > self.over && self.before[place - 1].end == span.start;
        match (follows, self.number(place).start == span.end) {
            (true, true) => self.join(place),
            (true, false) => {
                self.before[place - 1].end = span.end;
                place
            }
            (false, true) => {
                self.number(place).start = span.start;
                place
            }
            (false, false) => self.insert_apart(place, span),
        }
    }

    /// The reservation of a number.
    #[inline]
    fn number(&mut self, place: usize) -> &mut Span {
        self.before.get_mut(place).unwrap_or(&mut self.last)
    }

    /// Joins number `place` with the one before. Returns the number of both.
    #[inline(never)]
    fn join(&mut self, place: usize) -> usize {
        let joined = self.before.remove(place - 1);
        self.number(place - 1).start = joined.start;
        place - 1
    }

    /// Puts a reservation before number `place` that touches no other. Returns the number of the one behind it.
    #[inline(never)]
    fn insert_apart(&mut self, mut place: usize, span: Span) -> usize {
        if self.over > MOST_OVER {
            self.before.drain(..self.over);
            place -= std::mem::take(&mut self.over);
        }
        self.before.insert(place, span);
        place + 1
    }

    /// The reserved time beyond `now`.
    pub(crate) fn beyond(&self, now: Time) -> Time {
        let spans = std::iter::once(&self.last).chain(self.before.iter().rev());
        spans.take_while(|span| span.end > now).map(|span| span.end - span.start.max(now)).sum()
    }

    /// The length of all [reservations](Self::reserve) so far, without those that callers [count](Self::place).
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
        assert_eq!((&calendar.before[..], calendar.last), (&spans[..1], spans[1]));
        assert_eq!(calendar.busy(), ns(28));
        assert_eq!(
            [0, 1, 2, 12, 99].map(|at| calendar.busy() - calendar.beyond(ns(at))),
            [0, 1, 1, 11, 28].map(ns)
        );
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
            steps in proptest::collection::vec(
                (0_u64..20, proptest::collection::vec((0_u64..30, 1_u64..6), 1..5)),
                0..60,
            ),
        ) {
            let (mut calendar, mut naive, mut now) = (Calendar::default(), Naive::default(), 1);
            let mut counted = Time::ZERO;
            for (passed, uses) in steps {
                now += passed;
                calendar.forget(ns(now));
                let is_free = naive.0.iter().skip(now as usize).all(|taken| !taken);
                prop_assert_eq!(calendar.is_free(ns(now)), is_free);
                // A use alone, and then uses that follow one another.
                let (&(later, hold), uses) = uses.split_first().expect("there is one");
                prop_assert_eq!(calendar.reserve(ns(now + later), ns(hold)), ns(naive.reserve(now + later, hold)));
                calendar.begin();
                let mut from = now;
                for &(later, hold) in uses {
                    let start = naive.reserve(from + later, hold);
                    prop_assert_eq!(calendar.place(ns(from + later), ns(hold)), ns(start));
                    (from, counted) = (start + hold, counted + ns(hold));
                }
                for at in [now, now + 3, now + 1000] {
                    let busy = calendar.busy() + counted - calendar.beyond(ns(at));
                    prop_assert_eq!(busy, ns(naive.busy_at(at)));
                }
            }
        }
    }
}
