//! Things that come one of a few fixed delays after their pushes.
//!
//! Time never goes back, so things of one delay come in the order of their pushes, whatever their number. They stand in a row: a
//! push is at its end, a pop at its beginning, and what comes soon lies together in the memory of the host.
//!
//! This module must never know what a thing is.

use std::collections::VecDeque;

use units::Time;

use crate::timetable::Order;

/// The number of things that a push may overtake: those pushed at the same instant that come behind it. A push that would have to
/// overtake more is refused.
const REACH: usize = 16;

/// A row of things for each of a few delays.
#[derive(Clone, Debug)]
pub struct DelayLines<E> {
    lines: Box<[Line<E>]>,
    /// The number of lines whose delays never change. They come first.
    fixed: usize,
    /// The place of the first thing of all lines; [`Order::NEVER`] if nothing is to come.
    first: Order,
    /// The line of that thing.
    from: usize,
    /// The line of the thing that was popped last.
    popped: usize,
}

/// The things that come a fixed delay after their pushes.
#[derive(Clone, Debug)]
struct Line<E> {
    delay: Time,
    /// The place of the first thing; [`Order::NEVER`] if there is none.
    first: Order,
    /// The things in their order.
    things: VecDeque<(Order, E)>,
}

impl<E: Copy> DelayLines<E> {
    /// Empty lines of these delays, and so many `free` ones. A free line that is empty takes any delay.
    pub fn new(delays: &[Time], free: usize) -> Self {
        let delays = delays.iter().copied().chain(std::iter::repeat_n(Time::MAX, free));
        let lines: Box<[_]> = delays.map(Line::new).collect();
        Self { fixed: lines.len() - free, lines, first: Order::NEVER, from: 0, popped: 0 }
    }

    /// Adds a thing that is pushed at `now`, if a line has its delay and the thing comes behind nearly all of that line. Returns
    /// whether it was added.
    #[inline]
    pub fn push(&mut self, now: Time, order: Order, event: E) -> bool {
        let delay = order.at.saturating_sub(now);
        let line = self.lines.iter().position(|line| line.delay == delay);
        line.is_some_and(|line| self.push_to(line, order, event))
    }

    /// Adds a thing that is pushed at `now`, with a delay that many others have: a free line takes that delay if no line has it.
    /// Returns whether the thing was added.
    #[inline]
    pub fn push_usual(&mut self, now: Time, order: Order, event: E) -> bool {
        self.push(now, order, event) || self.take_delay(now, order, event)
    }

    /// Adds a thing to a free line that is empty, if there is one. Returns whether it was added.
    fn take_delay(&mut self, now: Time, order: Order, event: E) -> bool {
        let free = (self.fixed..self.lines.len()).find(|&line| self.lines[line].things.is_empty());
        free.is_some_and(|free| {
            self.lines[free].delay = order.at.saturating_sub(now);
            self.push_to(free, order, event)
        })
    }

    #[inline]
    fn push_to(&mut self, line: usize, order: Order, event: E) -> bool {
        let is_in = self.lines[line].push(order, event);
        if is_in && order < self.first {
            (self.first, self.from) = (order, line);
        }
        is_in
    }

    /// The number of things to come.
    pub fn len(&self) -> usize {
        self.lines.iter().map(|line| line.things.len()).sum()
    }

    /// Whether nothing is to come.
    pub fn is_empty(&self) -> bool {
        self.first == Order::NEVER
    }

    /// The place of the first thing; [`Order::NEVER`] if nothing is to come.
    #[inline]
    pub fn first(&self) -> Order {
        self.first
    }

    /// The first thing.
    #[inline]
    pub fn next(&self) -> Option<E> {
        Some(self.lines.get(self.from)?.things.front()?.1)
    }

    /// Removes and returns the first thing.
    #[inline]
    pub fn pop(&mut self) -> Option<(Order, E)> {
        let popped = self.lines.get_mut(self.from)?.pop();
        self.popped = self.from;
        self.first = Order::NEVER;
        for (from, line) in self.lines.iter().enumerate() {
            if line.first < self.first {
                (self.first, self.from) = (line.first, from);
            }
        }
        popped
    }

    /// The thing that stood `number` places behind the thing popped last, in its line.
    #[inline]
    pub fn behind(&self, number: usize) -> Option<E> {
        Some(self.lines.get(self.popped)?.things.get(number.checked_sub(1)?)?.1)
    }
}

impl<E: Copy> Line<E> {
    fn new(delay: Time) -> Self {
        Self { delay, first: Order::NEVER, things: VecDeque::new() }
    }

    /// Removes and returns the first thing.
    #[inline]
    fn pop(&mut self) -> Option<(Order, E)> {
        let popped = self.things.pop_front();
        self.first = self.things.front().map_or(Order::NEVER, |&(order, _)| order);
        popped
    }

    /// Adds a thing that overtakes few others. Returns whether it was added.
    #[inline]
    fn push(&mut self, order: Order, event: E) -> bool {
        let last = self.things.back().map(|&(last, _)| last);
        let is_in = if last.is_none_or(|last| last < order) {
            self.things.push_back((order, event));
            true
        } else {
            self.overtake(order, event)
        };
        if is_in && order < self.first {
            self.first = order;
        }
        is_in
    }

    /// Adds a thing that comes before the last one, if it comes before few.
    #[inline(never)]
    fn overtake(&mut self, order: Order, event: E) -> bool {
        let behind =
            self.things.iter().rev().take(REACH + 1).take_while(|&&(other, _)| order < other).count();
        if behind <= REACH {
            self.things.insert(self.things.len() - behind, (order, event));
        }
        behind <= REACH
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn order(at: u64, major: u64, minor: u64) -> Order {
        Order { at: Time::from_femtoseconds(at), major, minor }
    }

    #[test]
    fn a_thing_without_a_line_of_its_delay_is_refused() {
        let now = Time::from_femtoseconds(10);
        let mut lines = DelayLines::new(&[Time::from_femtoseconds(3)], 0);
        assert!(!lines.push(now, order(14, 0, 0), 'a') && lines.push(now, order(13, 0, 1), 'b'));
        assert_eq!((lines.first(), lines.pop()), (order(13, 0, 1), Some((order(13, 0, 1), 'b'))));
        assert_eq!((lines.first(), lines.pop()), (Order::NEVER, None));
    }

    #[test]
    fn a_thing_that_would_overtake_many_is_refused() {
        let mut lines = DelayLines::new(&[Time::from_femtoseconds(3)], 0);
        let mut push = |major| lines.push(Time::ZERO, order(3, major, 0), major);
        assert!((1..=REACH as u64 + 1).all(&mut push));
        assert!(!push(0), "it would come before all");
        let popped: Vec<_> = std::iter::from_fn(|| lines.pop()).map(|(_, event)| event).collect();
        assert_eq!(popped, (1..=REACH as u64 + 1).collect::<Vec<_>>());
    }

    #[test]
    fn a_free_line_takes_a_delay_while_it_has_none() {
        let mut lines = DelayLines::new(&[], 1);
        assert!(!lines.push(Time::ZERO, order(3, 0, 0), 'a'), "no line has that delay");
        assert!(
            lines.push_usual(Time::ZERO, order(3, 0, 1), 'b') && lines.push(Time::ZERO, order(3, 0, 2), 'c')
        );
        assert!(!lines.push_usual(Time::ZERO, order(4, 0, 3), 'd'), "the line is not empty");
        assert_eq!(
            [lines.pop(), lines.pop()].map(|popped| popped.map(|(_, event)| event)),
            [Some('b'), Some('c')]
        );
        assert!(lines.push_usual(Time::ZERO, order(4, 0, 4), 'e'));
    }

    #[test]
    fn what_stands_behind_the_thing_popped_last_is_that_of_its_line() {
        let mut lines = DelayLines::new(&[3, 5].map(Time::from_femtoseconds), 0);
        for (at, event) in [(3, 'a'), (5, 'x'), (3, 'b'), (3, 'c')] {
            assert!(lines.push(Time::ZERO, order(at, 0, u64::from(event)), event));
        }
        lines.pop();
        assert_eq!([0, 1, 2, 3].map(|number| lines.behind(number)), [None, Some('b'), Some('c'), None]);
    }

    proptest! {
        /// A step pushes a thing with one of the delays, or lets time go on to the next thing and pops it.
        #[test]
        fn things_come_in_their_order(
            steps in proptest::collection::vec(proptest::option::of((0_usize..3, 0_u64..40)), 0..300)
        ) {
            let delays = [2, 7, 0].map(Time::from_femtoseconds);
            let mut lines = DelayLines::new(&delays[..2], 1);
            let (mut plain, mut now) = (std::collections::BTreeMap::new(), Time::ZERO);
            for (number, step) in (0..).zip(steps) {
                match step {
                    Some((delay, major)) => {
                        let order = Order { at: now + delays[delay], major, minor: number };
                        if lines.push_usual(now, order, number) {
                            plain.insert(order, number);
                        } else {
                            let overtaken = plain.range(order..).filter(|(other, _)| other.at == order.at).count();
                            let free = &lines.lines[2];
                            // It took a thing of a fixed delay that would have overtaken too many.
                            let is_taken = free.delay != delays[delay] && !free.things.is_empty();
                            prop_assert!(overtaken > REACH || delay == 2 && is_taken);
                        }
                    }
                    None => {
                        now = plain.keys().next().map_or(now, |order| order.at);
                        prop_assert_eq!(lines.pop(), plain.pop_first());
                    }
                }
                prop_assert_eq!(lines.first(), plain.keys().next().copied().unwrap_or(Order::NEVER));
            }
        }
    }
}
