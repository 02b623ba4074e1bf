//! Events that come after a delay out of a few usual ones.
//!
//! Time never goes back, so any number of events of one delay come in the order of their pushes. They stand in a row: a
//! push is at its end, a pop at its beginning, and the soonest events lie together in the memory of the host. The rows
//! are kept in the order of their first events.
//!
//! The usual delays are learnt. An event whose delay has no row is refused, and now and then the delay of such an event
//! gets an empty row: a delay that many events have soon has one.
//!
//! This module must never know the meaning of an event.

use units::Time;

use crate::ring::Ring;
use crate::timetable::Order;

/// The number of rows.
const ROWS: usize = 16;

/// The number of events that a push may overtake: events pushed at the same instant that come behind it. A push that
/// would have to overtake more is refused.
const REACH: usize = 16;

/// The interval, in refused events, at which the delay of a refused event gets a row.
const PATIENCE: u32 = 8;

/// A row of events for each of a few delays.
#[derive(Clone, Debug)]
pub struct DelayLines<E> {
    /// The first event of all. It stands in its row too.
    next: Option<(Order, E)>,
    /// The place of the first event of the second row in order, without its `minor` number; [`u128::MAX`] if there is
    /// no such row.
    second: u128,
    /// The rows that have events, in the order of their first events. The entries from `standing` on have no meaning.
    order: [u8; ROWS],
    /// The number of rows that have events.
    standing: usize,
    /// The row of the event that was popped last.
    popped: usize,
    /// The delay of each row; [`Time::MAX`] for a row that has none yet.
    delays: [Time; ROWS],
    /// The place of the first event of each row that has one, without its `minor` number.
    firsts: [u128; ROWS],
    /// The events of each row in their order.
    rows: [Ring<(Order, E)>; ROWS],
    /// The instant of the last push to each row.
    pushed: [Time; ROWS],
    /// The number of events that were refused for their delays.
    refused: u32,
}

impl<E: Copy> Default for DelayLines<E> {
    fn default() -> Self {
        Self {
            next: None,
            second: u128::MAX,
            order: [0; ROWS],
            standing: 0,
            popped: 0,
            delays: [Time::MAX; ROWS],
            firsts: [u128::MAX; ROWS],
            rows: std::array::from_fn(|_| Ring::default()),
            pushed: [Time::ZERO; ROWS],
            refused: 0,
        }
    }
}

impl<E: Copy> DelayLines<E> {
    /// Adds an event that is pushed at `now`, if its delay has a row and the event comes behind nearly all of that row. Returns
    /// whether it was added.
    #[inline(never)]
    pub fn push(&mut self, now: Time, order: Order, event: E) -> bool {
        let delay = order.at.saturating_sub(now);
        match self.delays.iter().position(|&one| one == delay) {
            Some(row) => self.push_to(row, now, order, event),
            None => self.push_unusual(now, order, event),
        }
    }

    /// Adds an event whose delay has no row, if that delay gets one now.
    #[inline(never)]
    fn push_unusual(&mut self, now: Time, order: Order, event: E) -> bool {
        self.refused = self.refused.wrapping_add(1);
        if !self.refused.is_multiple_of(PATIENCE) {
            return false;
        }
        let empty = (0..ROWS).filter(|&row| self.rows[row].is_empty());
        let last_used = |&row: &usize| (self.delays[row] != Time::MAX, self.pushed[row]);
        let Some(row) = empty.min_by_key(last_used) else { return false };
        self.delays[row] = order.at.saturating_sub(now);
        self.push_to(row, now, order, event)
    }

    #[inline(always)]
    fn push_to(&mut self, row: usize, now: Time, order: Order, event: E) -> bool {
        self.pushed[row] = now;
        let things = &mut self.rows[row];
        let last = things.back().map(|&(last, _)| last);
        if last.is_some_and(|last| order < last) {
            return self.overtake(row, order, event);
        }
        if !things.has_room() {
            return self.push_to_full(row, now, order, event);
        }
        things.push_back((order, event));
        match last {
            Some(_) => true,
            None if self.standing == 0 => self.stand_alone(row, order, event),
            None => self.stand(row, order, event),
        }
    }

    /// Makes room in a row, and adds an event to it. Returns whether it was added.
    #[cold]
    #[inline(never)]
    fn push_to_full(&mut self, row: usize, now: Time, order: Order, event: E) -> bool {
        self.rows[row].make_room((order, event));
        self.push_to(row, now, order, event)
    }

    /// Adds an event that comes before the last of a row, if it comes before few. Returns whether it was added.
    #[inline(never)]
    fn overtake(&mut self, row: usize, order: Order, event: E) -> bool {
        let things = &mut self.rows[row];
        let behind = things.iter().rev().take(REACH + 1).take_while(|&&(other, _)| order < other).count();
        if behind > REACH {
            return false;
        }
        let is_first = behind == things.len();
        things.insert_before_last(behind, (order, event));
        if is_first {
            let old = self.order[..self.standing].iter().position(|&one| usize::from(one) == row);
            self.go_back(old.expect("the row stands"));
            self.stand(row, order, event);
        }
        true
    }

    /// Adds a row, whose first event has the place `first`, where no row has events. Returns that it was added.
    #[inline(always)]
    fn stand_alone(&mut self, row: usize, first: Order, event: E) -> bool {
        self.firsts[row] = roughly(first);
        self.order[0] = row as u8;
        self.standing = 1;
        self.next = Some((first, event));
        true
    }

    /// Adds a row, whose first event has the place `first`, to the ordered rows. Returns that it was added.
    #[inline(never)]
    fn stand(&mut self, row: usize, first: Order, event: E) -> bool {
        let key = roughly(first);
        self.firsts[row] = key;
        let mut place = self.standing;
        while let Some(before) = place.checked_sub(1)
            && self.comes_before((row, key), self.order[before % ROWS])
        {
            self.order[place % ROWS] = self.order[before % ROWS];
            place = before;
        }
        self.order[place % ROWS] = row as u8;
        self.standing += 1;
        if place == 0 {
            self.next = Some((first, event));
        }
        self.see_second();
        true
    }

    /// Removes the row at a place of the order.
    #[inline]
    fn go_back(&mut self, place: usize) {
        self.order.copy_within(place + 1.., place);
        self.standing -= 1;
    }

    /// Moves the first row to its place in the order, now that its first event has the place `first`.
    #[inline]
    fn fall_back(&mut self, row: usize, first: u128) {
        let mut place = 0;
        while place + 1 < self.standing {
            let next = self.order[(place + 1) % ROWS];
            if self.comes_before((row, first), next) {
                break;
            }
            self.order[place % ROWS] = next;
            place += 1;
        }
        self.order[place % ROWS] = row as u8;
    }

    /// Looks up the place of the first event of the second row.
    #[inline]
    fn see_second(&mut self) {
        let row = usize::from(self.order[1]) % ROWS;
        self.second = if self.standing > 1 { self.firsts[row] } else { u128::MAX };
    }

    /// Whether the first event of a row, whose place is `first`, comes before that of another row.
    #[inline]
    fn comes_before(&self, (row, first): (usize, u128), other: u8) -> bool {
        let other = usize::from(other) % ROWS;
        let its = self.firsts[other];
        first < its || first == its && self.wins_tie(row, other)
    }

    /// Whether the first event of a row comes before that of another row, by the `minor` numbers of their places.
    #[cold]
    fn wins_tie(&self, row: usize, other: usize) -> bool {
        let first = |row: usize| self.rows[row].front().map(|&(order, _)| order);
        first(row) < first(other)
    }

    /// The number of events to come.
    pub fn len(&self) -> usize {
        self.rows.iter().map(Ring::len).sum()
    }

    /// Whether there is no event to come.
    pub fn is_empty(&self) -> bool {
        self.standing == 0
    }

    /// All events to come, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        self.rows.iter().flat_map(Ring::iter).map(|(_, event)| event)
    }

    /// The first event, and its place.
    #[inline]
    pub fn next(&self) -> Option<(Order, E)> {
        self.next
    }

    /// The place of the first event; [`Order::NEVER`] if nothing is to come.
    #[inline]
    pub fn first(&self) -> Order {
        self.next.map_or(Order::NEVER, |(order, _)| order)
    }

    /// Removes and returns the first event.
    #[inline]
    pub fn pop(&mut self) -> Option<(Order, E)> {
        let first = self.next?;
        self.skip();
        Some(first)
    }

    /// Removes the first event, if there is one.
    #[inline(never)]
    pub fn skip(&mut self) {
        let row = usize::from(self.order[0]) % ROWS;
        let things = &mut self.rows[row];
        things.drop_front();
        self.popped = row;
        match things.front() {
            // Mostly the row stays the first.
            Some(&next) if roughly(next.0) < self.second => {
                self.firsts[row] = roughly(next.0);
                self.next = Some(next);
            }
            None if self.standing <= 1 => {
                self.standing = 0;
                self.next = None;
            }
            _ => self.go_over_from(row),
        }
    }

    /// Puts another row first, now that the first event of `row` has been removed.
    #[inline(never)]
    fn go_over_from(&mut self, row: usize) {
        match self.rows[row].front() {
            Some(&(first, _)) => {
                self.firsts[row] = roughly(first);
                self.fall_back(row, roughly(first));
            }
            None => self.go_back(0),
        }
        self.see_second();
        self.next = self.rows[usize::from(self.order[0]) % ROWS].front().copied();
    }

    /// The event that stood `number` places behind the event popped last, in its row.
    #[inline]
    pub fn behind(&self, number: usize) -> Option<E> {
        Some(self.rows[self.popped % ROWS].get(number.checked_sub(1)?)?.1)
    }
}

/// A place as one number, without its `minor` number.
#[inline]
fn roughly(Order { at, major, .. }: Order) -> u128 {
    u128::from(at.as_femtoseconds()) << 64 | u128::from(major)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn order(at: u64, major: u64, minor: u64) -> Order {
        Order { at: Time::from_femtoseconds(at), major, minor }
    }

    /// Lines with an empty row for this delay.
    fn lines<E: Copy>(delay: u64, event: E) -> DelayLines<E> {
        let mut lines = DelayLines::default();
        while !lines.push(Time::ZERO, order(delay, 0, 0), event) {}
        lines.pop();
        lines
    }

    #[test]
    fn a_delay_that_is_usual_gets_a_row() {
        let mut lines = DelayLines::default();
        let refused = (0..).take_while(|&minor| !lines.push(Time::ZERO, order(3, 0, minor), minor)).count();
        assert_eq!(refused, PATIENCE as usize - 1);
        assert!(
            lines.push(Time::ZERO, order(3, 0, 100), 100) && !lines.push(Time::ZERO, order(4, 0, 101), 101)
        );
        assert_eq!(lines.iter().copied().collect::<Vec<_>>(), [refused as u64, 100]);
    }

    #[test]
    fn a_delay_that_is_no_longer_usual_loses_its_row_and_one_of_things_to_come_does_not() {
        let mut lines = DelayLines::default();
        let delays = 1..=ROWS as u64 + 1;
        for now in 0..2 * PATIENCE * ROWS as u32 {
            let now = Time::from_femtoseconds(u64::from(now));
            for delay in delays.clone().skip(1) {
                let order = order(now.as_femtoseconds() + delay, 0, 0);
                lines.push(now, order, delay);
            }
        }
        let known = |lines: &DelayLines<u64>, delay| lines.delays.contains(&Time::from_femtoseconds(delay));
        assert!(!known(&lines, 1) && delays.clone().skip(1).all(|delay| known(&lines, delay)));
        let now = Time::from_femtoseconds(u64::from(2 * PATIENCE) * ROWS as u64);
        let push = |lines: &mut DelayLines<u64>| {
            (0..PATIENCE).any(|_| lines.push(now, order(now.as_femtoseconds() + 1, 0, 0), 1))
        };
        assert!(!push(&mut lines), "no row is empty");
        while lines.pop().is_some() {}
        assert!(push(&mut lines) && known(&lines, 1));
    }

    #[test]
    fn a_thing_that_would_overtake_many_is_refused() {
        let mut lines = lines(3, 0);
        let mut push = |major| lines.push(Time::ZERO, order(3, major, 0), major);
        assert!((1..=REACH as u64 + 1).all(&mut push));
        assert!(!push(0), "it would come before all");
        let popped: Vec<_> = std::iter::from_fn(|| lines.pop()).map(|(_, event)| event).collect();
        assert_eq!(popped, (1..=REACH as u64 + 1).collect::<Vec<_>>());
    }

    #[test]
    fn what_stands_behind_the_thing_popped_last_is_that_of_its_row() {
        let mut lines = lines(3, 'a');
        while !lines.push(Time::ZERO, order(5, 0, 1), 'x') {}
        for (minor, event) in [(2, 'a'), (3, 'b'), (4, 'c')] {
            assert!(lines.push(Time::ZERO, order(3, 0, minor), event));
        }
        lines.pop();
        assert_eq!([0, 1, 2, 3].map(|number| lines.behind(number)), [None, Some('b'), Some('c'), None]);
    }

    proptest! {
        /// A step pushes an event with a delay out of a few, or lets time go on to the next event and pops it.
        #[test]
        fn things_come_in_their_order(
            steps in proptest::collection::vec(proptest::option::of((0_u64..20, 0_u64..40)), 0..600)
        ) {
            let mut lines = DelayLines::default();
            let (mut plain, mut now) = (std::collections::BTreeMap::new(), Time::ZERO);
            for (number, step) in (0..).zip(steps) {
                match step {
                    Some((delay, major)) => {
                        let order = Order { at: now + Time::from_femtoseconds(delay), major, minor: number };
                        if lines.push(now, order, number) {
                            plain.insert(order, number);
                        }
                    }
                    None => {
                        now = plain.keys().next().map_or(now, |order| order.at);
                        prop_assert_eq!(lines.next(), plain.first_key_value().map(|(&order, &thing)| (order, thing)));
                        prop_assert_eq!(lines.pop(), plain.pop_first());
                    }
                }
                prop_assert_eq!(lines.first(), plain.keys().next().copied().unwrap_or(Order::NEVER));
                prop_assert_eq!((lines.len(), lines.is_empty()), (plain.len(), plain.is_empty()));
            }
        }
    }
}
