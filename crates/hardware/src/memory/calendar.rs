//! The reservations of a resource that serves one user at a time, with the gaps between them.
//!
//! A split transaction reserves its data phase long before that phase begins. Later requests take the time before it, and no
//! reservation moves. A use that does not end before the next reservation begins waits for a gap into which it fits whole; or it goes on
//! behind that reservation, in several pieces, and the resource is never free while a request waits. A [`des::Server`] has no such
//! gaps.
//!
//! This module must never know the kind of resource.

use std::ops::Range;

use units::Time;

/// The reservations of a resource that serves one user at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calendar {
    /// The reservations before the last one, in order. Reservations that touch are merged.
    before: Vec<Span>,
    /// The number of the first reservations that are known to be over.
    over: usize,
    /// The number of reservations that end before the next use of a client whose uses follow one another; [`UNSOUGHT`]
    /// before that client seeks free time.
    passed: usize,
    last: Span,
    /// Whether a use may be in several pieces.
    in_pieces: bool,
    /// The time before which no later request begins.
    now: Time,
    busy: Time,
}

/// A time for which the resource is reserved, or a use of it from the start of its first piece to the end of its last one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Span {
    pub(crate) start: Time,
    pub(crate) end: Time,
}

/// Stands for a client that has not sought free time yet.
const UNSOUGHT: usize = usize::MAX;

/// The number of reservations that are over above which they are removed.
const MOST_OVER: usize = 32;

impl Calendar {
    /// An empty calendar. Uses may be `in_pieces`.
    pub(crate) fn new(in_pieces: bool) -> Self {
        Self { in_pieces, ..Self::default() }
    }

    /// Forgets the reservations that end by `now`. No later request begins before `now`.
    #[inline]
    pub(crate) fn forget(&mut self, now: Time) {
        self.now = now;
    }

    /// Whether there is no reservation beyond `now`.
    #[inline]
    pub(crate) fn is_free(&self, now: Time) -> bool {
        self.last.end <= now
    }

    /// The time until which the resource is free from `from` on: `from` itself where it is reserved then, and [`Time::MAX`]
    /// where no reservation follows.
    pub(crate) fn free_until(&self, from: Time) -> Time {
        if self.last.end <= from {
            return Time::MAX;
        }
        let next = self.before.partition_point(|span| span.end <= from);
        self.before.get(next).unwrap_or(&self.last).start.max(from)
    }

    /// Reserves the first free time of length `hold` from `from` on, in pieces where uses may be.
    #[inline]
    pub(crate) fn reserve(&mut self, from: Time, hold: Time) -> Span {
        self.busy += hold;
        if from < self.last.end {
            return self.reserve_before_the_end(from, hold);
        }
        self.place_behind(from, hold);
        Span { start: from, end: from + hold }
    }

    /// [Reserves](Self::reserve) time from `from` on, which is before the end of the last reservation.
    #[inline(never)]
    fn reserve_before_the_end(&mut self, from: Time, hold: Time) -> Span {
        self.begin();
        self.place_before_the_end(from, hold)
    }

    /// Begins with the uses of a client that follow one another: none begins before the one before it has ended.
    #[inline]
    pub(crate) fn begin(&mut self) {
        self.passed = UNSOUGHT;
    }

    /// [Reserves](Self::reserve) time for the [next](Self::begin) use of a client. Returns the end of the use. The caller counts its
    /// time.
    #[inline(always)]
    pub(crate) fn place(&mut self, from: Time, hold: Time) -> Time {
        if from < self.last.end {
            return self.place_before_the_end(from, hold).end;
        }
        self.place_alone_behind(from, hold);
        from + hold
    }

    /// [Reserves](Self::place_behind) a time behind all others, out of line.
    #[inline(never)]
    fn place_alone_behind(&mut self, from: Time, hold: Time) {
        self.place_behind(from, hold);
    }

    /// Reserves the time of length `hold` from `from` on, behind all other reservations. The caller counts the time of
    /// the use.
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

    /// [Reserves](Self::reserve) time from `from` on, which is before the end of the last reservation.
    #[inline(always)]
    fn place_before_the_end(&mut self, from: Time, hold: Time) -> Span {
        let mut first = if self.passed == UNSOUGHT { self.pass_over() } else { self.passed };
        while self.before.get(first).is_some_and(|span| span.end <= from) {
            first += 1;
        }
        let mut start = if self.number(first).start <= from { self.number(first).end } else { from };
        let (mut at, mut left, mut next) = (from, hold, first);
        // Fills the gaps before the reservations that follow, or passes over those into which the use does not fit.
        while next <= self.before.len() {
            let Span { start: from, end } = *self.number(next);
            let gap = from.saturating_sub(at);
            if left < gap {
                break;
            }
            if left == gap && !gap.is_zero() {
                self.passed = self.fill(first..next + 1, start, from);
                return Span { start, end: from };
            }
            (at, next) = (end, next + 1);
            if self.in_pieces {
                left -= gap;
            } else {
                (start, first) = (at, next);
            }
        }
        let end = at + left;
        self.passed = self.fill(first..next, start, end);
        Span { start, end }
    }

    /// Passes over the reservations that have ended. Returns their number.
    #[inline]
    fn pass_over(&mut self) -> usize {
        while self.before.get(self.over).is_some_and(|span| span.end <= self.now) {
            self.over += 1;
        }
        self.over
    }

    /// Merges the reservations `joined` and all time between them into one, from `start` to `end` at least. Joins it
    /// with the reservation before, if they touch. Returns the number of the first reservation that does not end by
    /// `end`.
    #[inline(always)]
    fn fill(&mut self, mut joined: Range<usize>, start: Time, end: Time) -> usize {
        if joined.start > self.over && self.number(joined.start - 1).end == start {
            joined.start -= 1;
        }
        if joined.is_empty() {
            return self.insert_apart(joined.start, Span { start, end });
        }
        let (first, last) = (*self.number(joined.start), *self.number(joined.end - 1));
        let whole = Span { start: first.start.min(start), end: last.end.max(end) };
        *self.number(joined.end - 1) = whole;
        if joined.len() > 1 {
            self.before.drain(joined.start..joined.end - 1);
        }
        let is_last = joined.start == self.before.len();
        joined.start + usize::from(whole.end == end && !is_last)
    }

    /// The reservation of a number.
    #[inline]
    fn number(&mut self, place: usize) -> &mut Span {
        self.before.get_mut(place).unwrap_or(&mut self.last)
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

    /// The length of all [reservations](Self::reserve) since the start, without the ones that callers
    /// [count](Self::place).
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
    fn a_later_request_takes_what_is_free_in_pieces_and_never_overlaps() {
        let mut calendar = Calendar::new(true);
        let mut reserve = |from, hold| {
            let Span { start, end } = calendar.reserve(ns(from), ns(hold));
            [start, end].map(|at| at.as_femtoseconds() / 1_000_000)
        };
        assert_eq!([reserve(0, 1), reserve(20, 4)], [[0, 1], [20, 24]]);
        // 1 to 20 is free: 5 fit at 2, then 10 at 7, then 5 have 3 left before 20 and end behind 24.
        assert_eq!([reserve(2, 5), reserve(2, 10), reserve(2, 5)], [[2, 7], [7, 17], [17, 26]]);
        assert_eq!([reserve(30, 1), reserve(28, 2), reserve(0, 5)], [[30, 31], [28, 30], [1, 33]]);
        assert_eq!((&calendar.before[..], calendar.last), (&[][..], Span { start: ns(0), end: ns(33) }));
        assert_eq!(calendar.busy(), ns(33));
        assert_eq!(
            [0, 1, 12, 99].map(|at| calendar.busy() - calendar.beyond(ns(at))),
            [0, 1, 12, 33].map(ns)
        );
        assert!(calendar.is_free(ns(33)) && !calendar.is_free(ns(32)));
    }

    #[test]
    fn a_later_request_waits_for_a_gap_into_which_it_fits_whole_where_uses_have_no_pieces() {
        let mut calendar = Calendar::new(false);
        // 1 to 20 is free: 5 fit at 2, then 10 at 7, then 5 do not fit before 20, and 3 do.
        let uses = [(0, 1), (20, 4), (2, 5), (2, 10), (2, 5), (2, 3)];
        let starts = uses.map(|(from, hold)| calendar.reserve(ns(from), ns(hold)).start);
        assert_eq!(starts, [0, 20, 2, 7, 24, 17].map(ns));
        let spans = [(0, 1), (2, 29)].map(|(start, end)| Span { start: ns(start), end: ns(end) });
        assert_eq!((&calendar.before[..], calendar.last), (&spans[..1], spans[1]));
    }

    /// A reference for the tests: whether each nanosecond is taken. A use takes the first free nanoseconds from its
    /// request on, or the first that are free in a row.
    #[derive(Default)]
    struct Naive {
        taken: Vec<bool>,
        in_pieces: bool,
    }

    impl Naive {
        /// Takes `hold` nanoseconds. Returns the first one, and the end of the last.
        fn reserve(&mut self, from: u64, hold: u64) -> Span {
            let (from, hold) = (from as usize, hold as usize);
            self.taken.resize(self.taken.len().max(from) + 2 * hold, false);
            let free = |at: &usize| !self.taken[*at];
            let taken: Vec<_> = if self.in_pieces {
                (from..self.taken.len()).filter(free).take(hold).collect()
            } else {
                let start = (from..).find(|start| (*start..start + hold).all(|at| free(&at)));
                start.map(|start| (start..start + hold).collect()).expect("the end is free")
            };
            taken.iter().for_each(|&at| self.taken[at] = true);
            Span { start: ns(taken[0] as u64), end: ns(taken[hold - 1] as u64 + 1) }
        }
        fn busy_at(&self, now: u64) -> u64 {
            self.taken.iter().take(now as usize).filter(|taken| **taken).count() as u64
        }
    }

    proptest! {
        #[test]
        fn it_reserves_what_a_plain_list_of_instants_does(
            steps in proptest::collection::vec(
                (0_u64..20, proptest::collection::vec((0_u64..30, 1_u64..6), 1..5)),
                0..60,
            ),
            in_pieces in any::<bool>(),
        ) {
            let mut naive = Naive { in_pieces, ..Naive::default() };
            let (mut calendar, mut now) = (Calendar::new(in_pieces), 1);
            let mut counted = Time::ZERO;
            for (passed, uses) in steps {
                now += passed;
                calendar.forget(ns(now));
                let is_free = naive.taken.iter().skip(now as usize).all(|taken| !taken);
                prop_assert_eq!(calendar.is_free(ns(now)), is_free);
                for from in [now, now + 7] {
                    let later = (from..naive.taken.len() as u64).find(|&at| naive.taken[at as usize]);
                    prop_assert_eq!(calendar.free_until(ns(from)), later.map_or(Time::MAX, ns));
                }
                // A use alone, and then uses that follow one another.
                let (&(later, hold), uses) = uses.split_first().expect("there is one");
                prop_assert_eq!(calendar.reserve(ns(now + later), ns(hold)), naive.reserve(now + later, hold));
                calendar.begin();
                let mut from = now;
                for &(later, hold) in uses {
                    let end = naive.reserve(from + later, hold).end;
                    prop_assert_eq!(calendar.place(ns(from + later), ns(hold)), end);
                    (from, counted) = (end.as_femtoseconds() / 1_000_000, counted + ns(hold));
                }
                for at in [now, now + 3, now + 1000] {
                    let busy = calendar.busy() + counted - calendar.beyond(ns(at));
                    prop_assert_eq!(busy, ns(naive.busy_at(at)));
                }
            }
        }
    }
}
