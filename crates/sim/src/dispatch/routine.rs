//! The dispatch routine of a node whose software takes its processors from threads to handlers and back.
//!
//! A call of the routine takes messages out of the network and runs their handlers. Then it goes once through the *slots*, one
//! for each processor, in which threads leave their access faults. A node is in one call at a time, so its handlers never
//! overlap. A dedicated processor calls in a loop. A computing processor calls at a back-edge, when its thread cannot go on,
//! and in a loop while it has no thread. A processor whose fault waits in its slot is *held*: it takes no other thread before
//! the fault's handler has run.
//!
//! The routine takes nothing out while a thread holds a key. [`precedence`](super::precedence) keeps it from starving.
//!
//! A ready thread has priority over events that wait: the processor leaves the loop for it.
//!
//! This module must never know the meaning of a message, whose turn a call is ([`turns`](super::turns)), or the cost of
//! a call.

use std::collections::VecDeque;

use machine::SoftwareDispatch;
use tempest::world::AddressRange;
use units::Time;

use super::events::{Arrived, Events, Found, Inbox, Request};
use super::precedence::Precedence;

/// The routine of one node.
#[derive(Debug)]
pub(crate) struct Routine {
    pub(crate) prices: SoftwareDispatch,
    pub(super) inbox: Inbox,
    /// The faults in the slots, oldest first.
    slots: VecDeque<Slot>,
    /// Whether each processor is held.
    held: Box<[bool]>,
    /// The present call; `None` if the node is in no call.
    call: Option<Call>,
    precedence: Precedence,
    /// The modelled address of the routine's data.
    data: u64,
}

/// A fault in a slot.
#[derive(Debug)]
struct Slot {
    /// The processor that the slot belongs to.
    processor: usize,
    fault: Arrived,
}

/// A call that has not returned.
#[derive(Debug)]
struct Call {
    /// The processor that made the call.
    processor: usize,
    /// The number of messages that the call still takes.
    messages: usize,
    /// The number of slots that the call still goes through; `None` before it begins with the slots.
    slots: Option<usize>,
    /// The processor whose fault is being handled.
    serves: Option<usize>,
    /// Whether the call is on its way back.
    returns: bool,
}

impl Routine {
    /// The routine of a node of `processors` processors, before the first call.
    pub(crate) fn new(processors: usize, prices: SoftwareDispatch) -> Self {
        Self {
            prices,
            inbox: Inbox::default(),
            slots: VecDeque::new(),
            held: vec![false; processors].into(),
            call: None,
            precedence: Precedence::default(),
            data: AddressRange::Dispatch.page_named("dispatch", 0),
        }
    }

    /// The modelled address and the size of the data that every call uses; `None` if it has none.
    pub(crate) fn data(&self) -> Option<(u64, u64)> {
        Some((self.data, self.prices.state.get())).filter(|(_, bytes)| *bytes > 0)
    }

    /// Adds a message that has arrived.
    pub(crate) fn join(&mut self, message: Arrived) {
        self.inbox.push(message);
    }

    /// Leaves the fault of the thread on `processor` in its slot.
    pub(crate) fn fill_slot(&mut self, processor: usize, fault: Arrived) {
        self.slots.push_back(Slot { processor, fault });
        self.held[processor] = true;
    }

    /// Whether a message, a fault or a request that was put off waits.
    pub(crate) fn something_waits(&self) -> bool {
        self.waiting() > 0
    }

    /// The number of messages, faults and requests that were put off.
    pub(crate) fn waiting(&self) -> usize {
        self.inbox.len() + self.slots.len() + self.precedence.waiting()
    }

    /// Whether threads get no key before the waiting messages and faults have been taken out.
    pub(super) fn puts_keys_off(&self) -> bool {
        self.precedence.puts_off()
    }

    /// Puts the request of a thread for a key off until the waiting messages and faults have been taken out.
    pub(super) fn put_off(&mut self, request: Request) {
        self.precedence.put_off(request);
    }

    /// Records that a thread has given a key back. Other threads may still keep the routine from waiting messages and
    /// faults.
    pub(super) fn note_release(&mut self, events: &Events) {
        if events.is_held() {
            self.precedence.overtake(self.inbox.len() + self.slots.len());
        }
    }

    /// Whether a processor is held.
    pub(crate) fn holds(&self, processor: usize) -> bool {
        self.held[processor]
    }

    /// Whether the node is in a call.
    pub(crate) fn is_called(&self) -> bool {
        self.call.is_some()
    }

    /// Whether a call by `processor` would find an event.
    pub(crate) fn has_event(&self, processor: usize, server: usize, events: &Events) -> bool {
        let found =
            if events.queue_is_empty() { self.something_waits() } else { events.can_dispatch(server) };
        // The routine handles a message as soon as it takes that out, which is impossible while a thread holds a key.
        let waits = events.has_resumed() || found && !events.is_held();
        waits && self.call.as_ref().is_none_or(|call| call.processor == processor)
    }

    /// The next event of the call by `processor`, or the first event of a new one. A `dedicated` processor takes all messages.
    pub(crate) fn next(
        &mut self,
        now: Time,
        (processor, server): (usize, usize),
        dedicated: bool,
        events: &mut Events,
    ) -> Option<Found> {
        if !self.has_event(processor, server, events) {
            return None;
        }
        if !self.goes_on(processor) {
            self.begin(processor, dedicated);
        }
        if let Some(resumed) = events.next_resumed() {
            return Some(resumed);
        }
        if !events.queue_is_empty() {
            self.precedence.overtake(self.inbox.len() + self.slots.len());
        } else if !self.precedence.admit(events) {
            self.take_out(now, events);
        }
        events.dispatch(now, server)
    }

    /// Begins a call.
    fn begin(&mut self, processor: usize, dedicated: bool) {
        let most = self.prices.drain.filter(|_| !dedicated).unwrap_or(usize::MAX);
        let messages = self.inbox.len().min(most);
        self.call = Some(Call { processor, messages, slots: None, serves: None, returns: false });
    }

    /// Moves the next message or fault of the call into the dispatch queue.
    fn take_out(&mut self, now: Time, events: &mut Events) {
        let Some(call) = &mut self.call else { return };
        if call.messages > 0
            && let Some(message) = self.inbox.pop()
        {
            call.messages -= 1;
            self.precedence.take_out();
            return events.enqueue(&message);
        }
        call.messages = 0;
        let slots = call.slots.get_or_insert(self.slots.len());
        if let Some(Slot { processor, fault }) = self.slots.pop_front() {
            *slots = slots.saturating_sub(1);
            call.serves = Some(processor);
            self.precedence.take_out();
            events.enqueue(&Arrived { at: now, ..fault });
        }
    }

    /// Releases the held processor whose fault the call by `processor` has just handled, if there is one. Returns that
    /// processor.
    pub(crate) fn release_held(&mut self, processor: usize) -> Option<usize> {
        let call = self.call.as_mut().filter(|call| call.processor == processor)?;
        let released = call.serves.take()?;
        self.held[released] = false;
        Some(released)
    }

    /// Whether the call by `processor` has more to do.
    pub(crate) fn goes_on(&self, processor: usize) -> bool {
        let call = self.call.as_ref().filter(|call| call.processor == processor && !call.returns);
        call.is_some_and(|call| call.messages > 0 || call.slots.unwrap_or(self.slots.len()) > 0)
    }

    /// Begins the way back of the call by `processor`, if there is such a call and it has nothing left to do. Returns whether
    /// it did.
    pub(crate) fn begins_return(&mut self, processor: usize) -> bool {
        if self.goes_on(processor) {
            return false;
        }
        let call = self.call.as_mut().filter(|call| call.processor == processor);
        call.map(|call| call.returns = true).is_some()
    }

    /// Ends the call by `processor`. Returns whether there was one.
    pub(crate) fn ends(&mut self, processor: usize) -> bool {
        self.call.take_if(|call| call.processor == processor).is_some()
    }

    /// Whether handlers of the node wait for a key that only a thread holds or has been given.
    pub(crate) fn waits_for_thread(&self, events: &Events) -> bool {
        self.call.is_none() && events.is_held()
    }

    /// Whether `processor` goes on with a ready thread. A held processor does so only if all handlers wait for a key that such
    /// a thread may hold.
    pub(crate) fn takes_threads(&self, processor: usize, events: &Events) -> bool {
        !self.held[processor] || self.waits_for_thread(events)
    }
}

#[cfg(test)]
mod tests {
    use machine::Class;
    use units::Bytes;

    use super::*;
    use crate::dispatch::testing::{events, key, message, parallel_events};
    use crate::processor::core::Event;
    use crate::testing::ns;

    /// The routine of a node of `processors` processors.
    fn routine(processors: usize, drain: Option<usize>) -> Routine {
        let [notice, enter, find, leave, wake] = [1, 2, 3, 4, 5].map(ns);
        let state = Bytes::new(64);
        let prices = SoftwareDispatch { poll_every: 1, notice, enter, find, leave, state, wake, drain };
        Routine::new(processors, prices)
    }

    fn arrive(routine: &mut Routine, events: &mut Events, flight: u32, number: u32) {
        events.note_arrival(ns(0));
        routine.join(message(flight, number, Class::User));
    }

    fn fault(routine: &mut Routine, events: &mut Events, processor: usize, flight: u32) {
        events.note_arrival(ns(0));
        routine.fill_slot(processor, message(flight, flight, Class::User));
    }

    /// Runs the next event of a call by processor 0 to its end.
    fn run(routine: &mut Routine, events: &mut Events) -> Event {
        let taken = routine.next(ns(1), (0, 0), false, events).expect("an event waits");
        events.complete(ns(2), taken.job.held);
        taken.job.event
    }

    #[test]
    fn a_call_takes_messages_then_goes_once_through_the_slots() {
        let (mut routine, mut events) = (routine(2, Some(2)), events());
        for flight in 0..3 {
            arrive(&mut routine, &mut events, flight, 7);
        }
        fault(&mut routine, &mut events, 1, 9);
        let order = [0, 1, 9].map(|flight| {
            let event = run(&mut routine, &mut events);
            assert_eq!(event, Event::Message { flight });
            routine.release_held(0)
        });
        assert_eq!(order, [None, None, Some(1)]);
        assert!(!routine.holds(1));
        assert!(routine.begins_return(0) && routine.ends(0));
        assert_eq!(run(&mut routine, &mut events), Event::Message { flight: 2 }, "left for the next call");
    }

    #[test]
    fn a_node_is_in_one_call_at_a_time() {
        let (mut routine, mut events) = (routine(2, None), events());
        arrive(&mut routine, &mut events, 0, 7);
        let taken = routine.next(ns(1), (0, 0), false, &mut events).expect("a message waits");
        arrive(&mut routine, &mut events, 1, 8);
        assert!(!routine.has_event(1, 1, &events), "processor 0 is in the call");
        events.complete(ns(2), taken.job.held);
        assert!(routine.begins_return(0) && routine.ends(0));
        assert!(routine.next(ns(3), (1, 1), false, &mut events).is_some(), "the second message waits");
    }

    #[test]
    fn no_call_takes_a_message_out_while_a_thread_holds_a_key() {
        let (mut routine, mut events) = (routine(2, None), events());
        let held = events.try_hold(ns(0), key(1)).expect("nothing is unfinished");
        arrive(&mut routine, &mut events, 0, 7);
        fault(&mut routine, &mut events, 1, 9);
        assert!(!routine.has_event(0, 0, &events));
        assert!(routine.takes_threads(1, &events), "the thread that holds the key may run on processor 1");
        events.complete(ns(1), held);
        assert!(routine.has_event(0, 0, &events) && !routine.takes_threads(1, &events));
    }

    /// Whether a call that begins now takes a message or a fault out. Its handler ends at once.
    fn takes_out(routine: &mut Routine, events: &mut Events) -> bool {
        let taken = routine.next(ns(1), (0, 0), false, events).expect("something waits");
        events.complete(ns(1), taken.job.held);
        assert!(routine.ends(0));
        matches!(taken.job.event, Event::Message { .. })
    }

    #[test]
    fn keys_of_threads_keep_neither_message_nor_fault_waiting_for_ever() {
        let (mut routine, mut events) = (routine(2, None), events());
        arrive(&mut routine, &mut events, 0, 7);
        fault(&mut routine, &mut events, 1, 9);
        let mut keys = 0;
        while !routine.puts_keys_off() {
            events.note_arrival(ns(1));
            events.enqueue_request(Request { at: ns(1), key: key(1), thread: 0 });
            assert!(!takes_out(&mut routine, &mut events), "the request comes first");
            keys += 1;
        }
        assert!(keys > 1000);
        events.note_arrival(ns(1));
        routine.put_off(Request { at: ns(1), key: key(1), thread: 0 });
        assert!(routine.has_event(0, 0, &events));
        let order = [(); 3].map(|()| takes_out(&mut routine, &mut events));
        assert_eq!(order, [true, true, false], "the message, the fault, and then the request");
    }

    #[test]
    fn keys_that_overlap_keep_no_message_waiting_for_ever() {
        let (mut routine, mut events) = (routine(2, None), parallel_events());
        arrive(&mut routine, &mut events, 0, 7);
        let mut held = events.try_hold(ns(0), key(0)).expect("nothing is unfinished");
        for round in 1.. {
            let next = events.try_hold(ns(1), key(round % 2)).expect("the other key is free");
            events.complete(ns(1), std::mem::replace(&mut held, next));
            assert!(!routine.has_event(0, 0, &events), "a key is held");
            routine.note_release(&events);
            if routine.puts_keys_off() {
                break;
            }
        }
        events.complete(ns(2), held);
        assert!(takes_out(&mut routine, &mut events));
    }

    #[test]
    fn a_dedicated_processor_takes_every_message_in_one_call() {
        let (mut routine, mut events) = (routine(1, Some(1)), events());
        for flight in 0..3 {
            arrive(&mut routine, &mut events, flight, 7);
        }
        for _ in 0..3 {
            let taken = routine.next(ns(1), (0, 0), true, &mut events).expect("messages wait");
            events.complete(ns(2), taken.job.held);
        }
        assert!(routine.begins_return(0));
    }
}
