//! The events to come of a fabric whose caller is a test or a benchmark. This file must never know a network.

use des::{Order, Timetable};
use units::Time;

/// Events in the order of their times, then of their ties, then of their pushes.
pub(crate) struct Agenda<E> {
    pub(crate) events: Timetable<E>,
    pushed: u64,
}

impl<E: Copy> Agenda<E> {
    pub(crate) fn new() -> Self {
        Self { events: Timetable::new([0].into()), pushed: 0 }
    }

    pub(crate) fn push(&mut self, at: Time, tie: u32, event: E) {
        self.pushed += 1;
        self.events.push(0, Order { at, major: tie.into(), minor: self.pushed }, event);
    }

    pub(crate) fn pop(&mut self) -> Option<(Time, E)> {
        self.events.pop().map(|(order, event)| (order.at, event))
    }
}
