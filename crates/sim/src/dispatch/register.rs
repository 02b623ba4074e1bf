//! A node whose dispatch queue presents its next event to any processor that runs handlers.
//!
//! The queue is a register of a device, a queue in memory, or the queue of a hardware state machine. This module must never
//! know which processors look, or when.

use units::Time;

use super::events::{Events, Found};

/// The register in which the next event of the dispatch queue appears.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Register;

impl Register {
    /// Whether a processor that looks would find an event.
    pub(crate) fn has_event(self, server: usize, events: &Events) -> bool {
        events.has_resumed() || events.can_dispatch(server)
    }

    /// The event that a processor finds at `now`.
    pub(crate) fn next(self, now: Time, server: usize, events: &mut Events) -> Option<Found> {
        events.next_resumed().or_else(|| events.dispatch(now, server))
    }
}

#[cfg(test)]
mod tests {
    use machine::Class;

    use super::*;
    use crate::dispatch::testing::{message, parallel_events};
    use crate::processor::core::Event;
    use crate::testing::ns;

    #[test]
    fn two_processors_handle_distinct_keys_side_by_side_and_equal_ones_in_order() {
        let mut events = parallel_events();
        for (flight, number) in [(0, 7), (1, 7), (2, 8)] {
            events.note_arrival(ns(0));
            events.enqueue(&message(flight, number, Class::User));
        }
        let first = Register.next(ns(1), 0, &mut events).expect("nothing is held").job;
        let third = Register.next(ns(1), 1, &mut events).expect("the third is of another key").job;
        assert_eq!([first.event, third.event], [0, 2].map(|flight| Event::Message { flight }));
        assert!(!Register.has_event(1, &events), "the second has to wait for the first");
        events.complete(ns(2), first.held);
        let second = Register.next(ns(2), 1, &mut events).expect("its key is free").job;
        assert_eq!(second.event, Event::Message { flight: 1 });
    }
}
