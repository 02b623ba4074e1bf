//! A node whose processors look for messages themselves, at their polls and between their threads, because it has no dispatch queue
//! that would present them.
//!
//! To the program, a message has arrived only when a processor has looked at it. Until then it stays in the interface, and leaves its
//! key free. This module must never know when a processor looks.

use units::Time;

use super::events::{Arrived, Events, Found, Inbox};
use crate::processor::core::{Event, Job};

/// The messages that no processor has looked at.
#[derive(Debug)]
pub(crate) struct Own {
    pub(super) inbox: Inbox,
    /// Whether several processors of the node may look.
    shared: bool,
    /// The number of handlers that have begun and not ended, where several processors may look.
    running: u32,
}

impl Own {
    /// A node without messages. `shared` says whether several processors of the node may look.
    pub(crate) fn new(shared: bool) -> Self {
        Self { inbox: Inbox::default(), shared, running: 0 }
    }

    /// Adds a message that has arrived.
    pub(crate) fn join(&mut self, message: Arrived) {
        self.inbox.push(message);
    }

    /// Whether a look would find an event. No processor looks while another one handles an event.
    pub(crate) fn has_event(&self, server: usize, events: &Events) -> bool {
        let looks = self.running == 0 && !self.inbox.is_empty();
        events.has_resumed() || looks || events.can_dispatch(server)
    }

    /// The event that processor `server` finds at `now`. It looks at a message only if it can take no event of the queue.
    pub(crate) fn next(&mut self, now: Time, server: usize, events: &mut Events) -> Option<Found> {
        if events.has_resumed() {
            return events.next_resumed();
        }
        if !events.can_dispatch(server)
            && self.running == 0
            && let Some(message) = self.inbox.pop()
        {
            events.enqueue(&message);
        }
        let found = events.dispatch(now, server)?;
        if self.shared && matches!(found.job.event, Event::Message { .. }) {
            self.running += 1;
        }
        Some(found)
    }

    /// Records that a handler has ended.
    pub(crate) fn note_end(&mut self) {
        self.running = self.running.saturating_sub(1);
    }

    /// The message that the only processor that looks finds at `now`, if no other event waits and the message's key is free: mostly
    /// all that there is to a look.
    #[inline]
    pub(crate) fn next_at_once(&mut self, now: Time, number: usize, events: &mut Events) -> Option<Job> {
        if number != 0 || self.shared || events.something_waits() {
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
    use crate::testing::ns;

    #[test]
    fn a_message_that_waits_leaves_its_key_free_until_it_is_looked_at() {
        let (mut own, mut events) = (Own::new(false), events());
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
        let (mut own, mut events) = (Own::new(false), events());
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
        let (mut own, mut events) = (Own::new(false), events());
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

    #[test]
    fn no_processor_looks_while_another_handles_and_messages_stay_in_the_interface() {
        let (mut own, mut events) = (Own::new(true), events());
        for flight in 0..2 {
            events.note_arrival(ns(0));
            own.join(message(flight, flight, Class::User));
        }
        assert!(own.next_at_once(ns(0), 0, &mut events).is_none(), "another processor may have looked");
        let first = own.next(ns(0), 1, &mut events).expect("nobody handles").job;
        assert!(!own.has_event(0, &events) && own.next(ns(0), 0, &mut events).is_none());
        assert_eq!((own.inbox.len(), events.something_waits()), (1, false));
        // A handler that waits for a right and goes on has begun once.
        events.resume(first);
        let first = own.next(ns(1), 0, &mut events).expect("it goes on").job;
        events.complete(ns(1), first.held);
        own.note_end();
        assert_eq!(
            own.next(ns(1), 0, &mut events).expect("nobody handles").job.event,
            Event::Message { flight: 1 }
        );
    }

    #[test]
    fn processors_look_while_a_thread_holds_a_key_so_that_the_interface_gets_empty() {
        let (mut own, mut events) = (Own::new(true), events());
        let held = events.try_hold(ns(0), key(9)).expect("nothing is unfinished");
        events.note_arrival(ns(1));
        own.join(message(0, 7, Class::User));
        assert!(own.has_event(1, &events) && own.next(ns(1), 1, &mut events).is_none());
        assert_eq!((own.inbox.len(), own.has_event(1, &events)), (0, false));
        events.complete(ns(2), held);
        assert!(own.has_event(1, &events));
    }
}
