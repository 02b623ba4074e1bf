//! A node whose hardware state machine runs the handlers of the system, one event after the other in the order of arrival.
//!
//! This module must never know the effect of a handler.

use machine::Class;
use units::Time;

use super::events::{Events, Found};
use super::service::Service;

/// The state machine. All events that wait for it are in the dispatch queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateMachine(pub(super) Service);

impl StateMachine {
    /// Whether the machine runs handlers of a class.
    pub(crate) fn runs(self, class: Class) -> bool {
        self.0.serves(class)
    }

    /// Whether an event waits that could start now.
    pub(crate) fn has_event(self, server: usize, events: &Events) -> bool {
        events.has_resumed() || events.can_dispatch(server)
    }

    /// The event that starts at `now`.
    pub(crate) fn next(self, now: Time, server: usize, events: &mut Events) -> Option<Found> {
        events.next_resumed().or_else(|| events.dispatch(now, server))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::testing::{events, message};
    use crate::processor::core::Event;
    use crate::testing::ns;

    #[test]
    fn events_start_one_after_the_other_and_none_of_them_is_the_programs() {
        let machine = StateMachine(Service::of_hardware());
        assert!(machine.runs(Class::Read) && !machine.runs(Class::User) && !machine.runs(Class::Atomic));
        let mut events = events();
        for flight in 0..2 {
            events.note_arrival(ns(0));
            events.enqueue(&message(flight, flight, Class::Read));
        }
        let first = machine.next(ns(0), 0, &mut events).expect("nothing runs").job;
        assert!(!machine.has_event(0, &events), "the first is running, and keys do not matter");
        events.complete(ns(1), first.held);
        let second = machine.next(ns(1), 0, &mut events).expect("the first has ended").job;
        assert_eq!(second.event, Event::Message { flight: 1 });
    }
}
