//! A node whose computing processor runs all handlers: it looks for messages at its polls and between its threads.
//!
//! To the program, a message has arrived only when the processor has looked at it. Until then it leaves its key free. This
//! module must never know when the processor looks.

use units::Time;

use super::Found;
use super::events::{Arrived, Events, Inbox};
use crate::processor::core::Job;

/// The messages that the processor has not looked at.
#[derive(Debug, Default)]
pub(crate) struct Own {
    pub(super) inbox: Inbox,
}

impl Own {
    /// A message has arrived.
    pub(crate) fn join(&mut self, message: Arrived) {
        self.inbox.push(message);
    }

    /// Whether a look would find an event.
    pub(crate) fn has_event(&self, server: usize, events: &Events) -> bool {
        events.has_resumed() || !self.inbox.is_empty() || events.can_dispatch(server)
    }

    /// The event that processor `number` finds at `now`: the first one, which is server 0, looks. It looks at a message only if it
    /// can take no event of the queue.
    pub(crate) fn next(&mut self, now: Time, number: usize, events: &mut Events) -> Option<Found> {
        let server = 0;
        if number != server {
            return None;
        }
        if events.something_waits() && (events.has_resumed() || events.can_dispatch(server)) {
            return events.next_resumed().or_else(|| events.dispatch(now, server));
        }
        if let Some(message) = self.inbox.pop() {
            events.enqueue(&message);
        }
        events.dispatch(now, server)
    }

    /// The message that processor `number` finds at `now`, if no other event waits and the message's key is free: mostly all that
    /// there is to a look.
    #[inline]
    pub(crate) fn next_at_once(&mut self, now: Time, number: usize, events: &mut Events) -> Option<Job> {
        if number != 0 || events.something_waits() {
            return None;
        }
        let job = events.pass(now, self.inbox.first()?)?;
        self.inbox.pop();
        Some(job)
    }
}

#[cfg(test)]
mod tests {
    use machine::Class;

    use super::*;
    use crate::dispatch::testing::{events, key, message};
    use crate::processor::core::Event;
    use crate::testing::ns;

    #[test]
    fn a_message_that_waits_leaves_its_key_free_until_it_is_looked_at() {
        let (mut own, mut events) = (Own::default(), events());
        events.note_arrival(ns(1));
        own.join(message(0, 7, Class::User));
        let held = events.try_hold(ns(2), key(7)).expect("the message has not been looked at");
        assert!(
            own.next(ns(2), 0, &mut events).is_none(),
            "the message has been looked at, and its key is held"
        );
        events.complete(ns(3), held);
        let job = own.next(ns(3), 0, &mut events).expect("the key is free").job;
        assert!(own.next_at_once(ns(3), 0, &mut events).is_none(), "no message waits");
        assert_eq!(job.event, Event::Message { flight: 0 });
        assert!(events.try_hold(ns(3), key(7)).is_none());
    }

    #[test]
    fn a_message_is_found_at_once_if_nothing_else_waits_and_its_key_is_free() {
        let (mut own, mut events) = (Own::default(), events());
        for flight in 0..2 {
            events.note_arrival(ns(1));
            own.join(message(flight, 7, Class::User));
        }
        assert!(own.next_at_once(ns(2), 1, &mut events).is_none(), "another processor looks");
        let job = own.next_at_once(ns(2), 0, &mut events).expect("its key is free");
        assert_eq!((job.event, own.inbox.len()), (Event::Message { flight: 0 }, 1));
        assert!(own.next_at_once(ns(2), 0, &mut events).is_none(), "its key is held");
        assert!(own.inbox.len() == 1 && !events.something_waits(), "the message still waits for a look");
        assert!(own.next(ns(2), 0, &mut events).is_none());
        events.complete(ns(3), job.held);
        assert!(own.next_at_once(ns(3), 0, &mut events).is_none(), "the message waits in the queue");
        let job = own.next(ns(3), 0, &mut events).expect("its key is free").job;
        assert_eq!(job.event, Event::Message { flight: 1 });
    }

    #[test]
    fn messages_of_one_key_are_handled_in_order_and_a_resumed_handler_comes_first() {
        let (mut own, mut events) = (Own::default(), events());
        for flight in 0..3 {
            events.note_arrival(ns(0));
            own.join(message(flight, 7, Class::User));
        }
        let first = own.next(ns(0), 0, &mut events).expect("three messages wait").job;
        assert!(own.next(ns(0), 0, &mut events).is_none(), "all are of one key");
        // The handler waits for a right and keeps its key. The processor has looked at another message meanwhile.
        events.resume(first);
        for flight in 0..3 {
            let job = own.next(ns(1), 0, &mut events).expect("nothing is held").job;
            assert_eq!(job.event, Event::Message { flight });
            events.complete(ns(1), job.held);
        }
        assert!(!own.has_event(0, &events));
    }
}
