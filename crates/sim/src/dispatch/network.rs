//! The network processors of a node. Each runs a loop that looks at the queue from the computing processor and at the
//! interface.
//!
//! Several network processors of a node divide the messages by the other node. One network processor receives all messages from
//! that node, and injects all messages to it that are handed over. The messages between two nodes therefore stay in order.
//!
//! A pass of the loop takes at most one message that was handed over. It then takes as many messages out of the interface as
//! the machine drains in a pass. A message sent by a handler on this processor ends the pass early. Another pass costs a turn
//! of the loop. The processor runs the handler of a message itself under four conditions: the policy lets it, it can run
//! handlers of that class, the key is free, and no older message of the same stream waits. It hands every other message to the
//! computing processor.
//!
//! Each step occupies the processor: for its path before the effect, and for its occupancy after it. A handler may leave a DMA
//! or an acknowledgement of the network to wait for. The loop then goes on, but starts no other handler before the wait is
//! over.
//!
//! This module must never know what a message means, or what a step costs.

use std::collections::VecDeque;
use std::ops::Range;

use machine::Class;
use tempest::policy::Servers;
use tempest::world::DispatchKey;
use units::Time;

use super::Found;
use super::events::{Arrived, Events, Inbox};
use crate::processor::core::{Event, Job, Step};

/// The division of handlers between the network processor and the computing processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Division {
    /// The network processor hands over every message.
    Forwards,
    /// The network processor runs those handlers that it can.
    Serves,
    /// The network processor runs those handlers that it can. The computing processor takes messages out of the interface as
    /// well.
    Shares,
}

/// The loops of a node's network processors, and the messages of the node.
#[derive(Debug)]
pub(crate) struct NetworkProcessors {
    /// The number, on the node, of the first network processor. It follows the computing processors.
    first: usize,
    division: Division,
    /// Whether nothing can come between two steps of a loop: no message interrupts a step, and no step waits for the lock of the
    /// interface or for the bus.
    joins_steps: bool,
    /// The classes of messages whose handlers the network processors can run.
    runs: Vec<Class>,
    /// The classes of messages that interrupt a step of a loop.
    preempt: Vec<Class>,
    /// The most messages that a loop takes out of the interface in a pass.
    drain: usize,
    /// The time of a turn of a loop.
    pub(crate) turn: Time,
    loops: Vec<Loop>,
    /// The messages in the interface, in the order of their arrival.
    incoming: VecDeque<Arrived>,
    /// The messages with a key that have arrived, but have neither their key nor a place in the dispatch queue. A processor is
    /// about to receive them or to hand them over.
    line: VecDeque<Arrived>,
    /// The messages that have been handed to the computing processor.
    forwarded: Inbox,
}

/// The loop of one network processor.
#[derive(Clone, Debug, Default)]
struct Loop {
    pass: Pass,
    /// The earliest time at which the next handler starts.
    serves_from: Time,
    /// The time at which the loop next looks for room in the interface.
    looks_at: Time,
    /// The step that a message has interrupted, and the remaining time of that step.
    put_off: Option<(Step, Time)>,
}

/// The completed part of a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Pass {
    injected: bool,
    drained: usize,
    answered: bool,
}

/// The state outside the loop on which its next step depends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Outlook {
    pub(crate) now: Time,
    /// Whether the loop can see a message that was handed over.
    pub(crate) handed_over: bool,
    /// Whether the interface has room for a message.
    pub(crate) room: bool,
}

/// The next step of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NextStep {
    /// The loop takes the oldest message that was handed over.
    Take,
    /// The loop reads a message out of the interface.
    Extract {
        /// The place of the message among those in the interface.
        index: usize,
    },
    /// The loop begins another pass.
    Turn,
}

impl NetworkProcessors {
    /// Idle loops, on the processors from number `first` on.
    pub(crate) fn new(
        machine: &machine::NetworkProcessor,
        servers: Servers,
        first: usize,
        joins_steps: bool,
    ) -> Self {
        let division = match servers {
            Servers::Network => Division::Serves,
            Servers::Either => Division::Shares,
            _ => Division::Forwards,
        };
        Self {
            first,
            division,
            joins_steps: joins_steps && machine.preempt.is_empty(),
            runs: machine.runs.clone(),
            preempt: machine.preempt.clone(),
            drain: machine.drain,
            turn: machine.turn,
            loops: vec![Loop::default(); machine.count],
            incoming: VecDeque::new(),
            line: VecDeque::new(),
            forwarded: Inbox::default(),
        }
    }

    /// The place of a processor among the network processors; `None` if it is not one.
    pub(crate) fn place(&self, number: usize) -> Option<usize> {
        number.checked_sub(self.first).filter(|&place| place < self.loops.len())
    }

    /// The numbers of the network processors.
    pub(crate) fn numbers(&self) -> Range<usize> {
        self.first..self.first + self.loops.len()
    }

    /// The number of the node's only network processor; `None` if the node has several.
    pub(crate) fn only(&self) -> Option<usize> {
        (self.loops.len() == 1).then_some(self.first)
    }

    /// The number of the network processor that receives a message. The message's source decides.
    pub(crate) fn number_for(&self, message: &Arrived) -> usize {
        self.first + self.place_for(message)
    }

    fn place_for(&self, message: &Arrived) -> usize {
        // Most machines have one, and need no division.
        if self.loops.len() == 1 { 0 } else { message.source as usize % self.loops.len() }
    }

    /// Whether steps of a loop that follow each other are one.
    pub(crate) fn joins_steps(&self) -> bool {
        self.joins_steps
    }

    /// Whether the loop that reads a message out of the interface hands it over in the same step.
    pub(crate) fn only_hands_over(&self, message: &Arrived) -> bool {
        // The other loops of a node let messages into the interface at the end of their own steps.
        self.joins_steps && self.loops.len() == 1 && !self.can_handle(message.class)
    }

    /// Whether the computing processor takes messages out of the interface as well.
    pub(crate) fn shares(&self) -> bool {
        self.division == Division::Shares
    }

    /// The number of messages in the interface.
    pub(crate) fn in_interface(&self) -> usize {
        self.incoming.len()
    }

    /// The number of messages that wait for a network processor or for the computing processor.
    pub(crate) fn waiting(&self) -> usize {
        self.forwarded.len() + self.incoming.len()
    }

    /// Whether a message waits for a network processor or for the computing processor.
    pub(crate) fn something_waits(&self) -> bool {
        !self.forwarded.is_empty() || !self.incoming.is_empty()
    }

    /// Whether a message waits that a computing processor may take.
    pub(crate) fn has_for_others(&self) -> bool {
        !self.forwarded.is_empty() || self.shares() && !self.incoming.is_empty()
    }

    /// Adds a message that has come to the node to those that wait for their key.
    pub(crate) fn line_up(&mut self, message: Arrived) {
        if message.key != DispatchKey::NoSync {
            self.line.push_back(message);
        }
    }

    /// Adds a message to those in the interface.
    pub(crate) fn receive(&mut self, message: Arrived) {
        self.incoming.push_back(message);
    }

    /// Adds a message to those that the computing processor can see because a network processor handed them over.
    pub(crate) fn forward(&mut self, message: Arrived) {
        self.forwarded.push(message);
    }

    /// Whether a message may get its key: no older message of its stream waits for the key.
    fn is_next_in_line(&self, message: &Arrived) -> bool {
        let older = self.line.iter().take_while(|other| other.flight != message.flight);
        !older.into_iter().any(|other| other.same_stream(message))
    }

    fn leave_line(&mut self, message: &Arrived) {
        if let Some(place) = self.line.iter().position(|other| other.flight == message.flight) {
            self.line.remove(place);
        }
    }

    /// Holds the key of a message for its handler on a network processor. `None` if the processor cannot run that handler, or
    /// if the key conflicts.
    pub(crate) fn hold_for(&mut self, now: Time, message: &Arrived, events: &mut Events) -> Option<Job> {
        if !self.can_handle(message.class) || !self.is_next_in_line(message) {
            return None;
        }
        let held = events.try_hold(now, message.key)?;
        self.leave_line(message);
        Some(Job { held, event: Event::Message { flight: message.flight } })
    }

    /// The handler of a message that interrupts `step`, whose remaining time is `left`; `None` if it cannot run at once.
    pub(crate) fn preempt(
        &mut self,
        now: Time,
        message: &Arrived,
        (step, left): (Step, Time),
        events: &mut Events,
    ) -> Option<Job> {
        let place = self.place_for(message);
        if !self.preempt.contains(&message.class) || self.loops[place].put_off.is_some() {
            return None;
        }
        let job = self.hold_for(now, message, events)?;
        self.loops[place].put_off = Some((step, left));
        Some(job)
    }

    /// Removes and returns the interrupted step of a loop, and its remaining time. The loop continues it.
    pub(crate) fn interrupted_step(&mut self, place: usize) -> Option<(Step, Time)> {
        self.loops[place].put_off.take()
    }

    /// Whether network processors run the handlers of a class, and leave to the computing processor only those whose keys are held.
    pub(crate) fn handles_all(&self, class: Class) -> bool {
        self.division == Division::Serves && self.runs.contains(&class)
    }

    fn can_handle(&self, class: Class) -> bool {
        self.division != Division::Forwards && self.runs.contains(&class)
    }

    /// The next step of a loop, if it has one.
    pub(crate) fn next_step(&self, place: usize, outlook: Outlook) -> Option<NextStep> {
        let pass = self.loops[place].pass;
        if !pass.injected && outlook.handed_over && outlook.room {
            return Some(NextStep::Take);
        }
        if pass.drained < self.drain
            && !pass.answered
            && let Some(index) = self.next_extraction(place, outlook.now)
        {
            return Some(NextStep::Extract { index });
        }
        let more = outlook.handed_over || self.has_come_for(place);
        (more && pass != Pass::default()).then_some(NextStep::Turn)
    }

    /// Whether a message in the interface is for a loop.
    fn has_come_for(&self, place: usize) -> bool {
        match self.loops.len() {
            1 => !self.incoming.is_empty(),
            _ => self.incoming.iter().any(|message| self.place_for(message) == place),
        }
    }

    /// The place of the first message that a loop can read out of the interface now. While the next handler may not start, it
    /// is the first message that will be handed over.
    fn next_extraction(&self, place: usize, now: Time) -> Option<usize> {
        let serves = self.loops[place].serves_from <= now;
        if serves && self.loops.len() == 1 {
            return (!self.incoming.is_empty()).then_some(0);
        }
        let mut all = self.incoming.iter().enumerate();
        let (index, _) = all.find(|&(index, message)| {
            let follows = || self.incoming.iter().take(index).any(|other| other.same_stream(message));
            self.place_for(message) == place && (serves || !self.can_handle(message.class) && !follows())
        })?;
        Some(index)
    }

    /// Records that a loop has taken a message that was handed over.
    pub(crate) fn note_taken(&mut self, place: usize) {
        self.loops[place].pass.injected = true;
    }

    /// Lets a loop begin to read the message at `index` out of the interface.
    pub(crate) fn extract(&mut self, place: usize, index: usize) -> Option<Arrived> {
        self.loops[place].pass.drained += 1;
        self.incoming.remove(index)
    }

    /// Ends the pass of a loop.
    pub(crate) fn end_pass(&mut self, place: usize) {
        self.loops[place].pass = Pass::default();
    }

    /// Records that a handler on a network processor has sent a message.
    pub(crate) fn note_answer(&mut self, place: usize) {
        self.loops[place].pass.answered = true;
    }

    /// Ends a handler of a loop. The next handler starts no earlier than `from`.
    pub(crate) fn serve_from(&mut self, place: usize, from: Time) {
        let serves_from = &mut self.loops[place].serves_from;
        *serves_from = (*serves_from).max(from);
    }

    /// Whether a loop has planned to look for room in the interface after `now`.
    pub(crate) fn looks_after(&self, place: usize, now: Time) -> bool {
        self.loops[place].looks_at > now
    }

    /// Plans the next look of a loop for room in the interface.
    pub(crate) fn look_at(&mut self, place: usize, at: Time) {
        self.loops[place].looks_at = at;
    }

    /// Whether the computing processor would find an event: a handler that continues, a message that was handed over, a message
    /// in an interface that it shares, or an event of the queue.
    pub(crate) fn has_event(&self, server: usize, events: &Events) -> bool {
        events.has_resumed()
            || !self.forwarded.is_empty()
            || self.next_to_receive().is_some()
            || events.can_dispatch(server)
    }

    /// The event that the computing processor finds at `now`.
    pub(crate) fn next(&mut self, now: Time, server: usize, events: &mut Events) -> Option<Found> {
        if let Some(resumed) = events.next_resumed() {
            return Some(resumed);
        }
        if !events.can_dispatch(server) {
            self.look_for_message(now, events);
        }
        events.dispatch(now, server)
    }

    /// The place of the message that the computing processor finds in a shared interface. It skips a message if the network
    /// processor has begun with an earlier message of its stream.
    fn next_to_receive(&self) -> Option<usize> {
        if !self.shares() {
            return None;
        }
        self.incoming.iter().position(|message| self.is_next_in_line(message))
    }

    /// Moves the next message that the computing processor finds into the dispatch queue.
    fn look_for_message(&mut self, now: Time, events: &mut Events) {
        let message = match self.forwarded.pop() {
            Some(message) => message,
            None => {
                let Some(place) = self.next_to_receive() else { return };
                let Some(message) = self.incoming.remove(place) else { return };
                events.note_arrival(now);
                message
            }
        };
        events.enqueue(&message);
        self.leave_line(&message);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tempest::policy::Notice;

    use super::super::dispatcher::Dispatcher;
    use super::super::injection::{Handover, Injection};
    use super::super::serving::Serving;
    use super::super::{Dispatch, View};
    use super::*;
    use crate::dispatch::testing::{computing, idle, message, node, parallel_events};
    use crate::link::cargo::HandedOver;
    use crate::testing::ns;

    /// Loops from processor 1 on that run handlers of reads, are interrupted by replies, and drain two messages in a pass.
    fn network_processors(count: usize, division: Division) -> NetworkProcessors {
        NetworkProcessors {
            first: 1,
            division,
            joins_steps: false,
            runs: vec![Class::Read, Class::Reply],
            preempt: vec![Class::Reply],
            drain: 2,
            turn: ns(1),
            loops: vec![Loop::default(); count],
            incoming: VecDeque::new(),
            line: VecDeque::new(),
            forwarded: Inbox::default(),
        }
    }

    fn arrive(network: &mut NetworkProcessors, message: Arrived) {
        network.line_up(message);
        network.receive(message);
    }

    const NOTHING: Outlook = Outlook { now: Time::ZERO, handed_over: false, room: true };

    #[test]
    fn a_pass_takes_one_message_drains_two_and_goes_round() {
        let mut network = network_processors(1, Division::Serves);
        for flight in 0..3 {
            arrive(&mut network, message(flight, flight, Class::Read));
        }
        let outlook = Outlook { handed_over: true, ..NOTHING };
        assert_eq!(network.next_step(0, outlook), Some(NextStep::Take));
        network.note_taken(0);
        for flight in 0..2 {
            assert_eq!(network.next_step(0, outlook), Some(NextStep::Extract { index: 0 }));
            assert_eq!(network.extract(0, 0), Some(message(flight, flight, Class::Read)));
        }
        assert_eq!(network.next_step(0, outlook), Some(NextStep::Turn));
        network.end_pass(0);
        assert_eq!(network.next_step(0, outlook), Some(NextStep::Take));
    }

    #[test]
    fn an_answer_ends_the_pass_and_a_pass_that_did_nothing_costs_no_turn() {
        let mut network = network_processors(1, Division::Serves);
        assert_eq!(network.next_step(0, Outlook { handed_over: true, room: false, ..NOTHING }), None);
        arrive(&mut network, message(0, 0, Class::Read));
        network.extract(0, 0);
        assert_eq!(network.next_step(0, NOTHING), None, "nothing is left for another pass");
        arrive(&mut network, message(1, 1, Class::Read));
        network.note_answer(0);
        assert_eq!(network.next_step(0, NOTHING), Some(NextStep::Turn));
    }

    #[test]
    fn while_a_handler_has_to_wait_the_loop_takes_what_it_hands_over() {
        let mut network = network_processors(1, Division::Serves);
        network.serve_from(0, ns(10));
        arrive(&mut network, message(0, 0, Class::Read));
        // Network processors do not run handlers of user messages. The first message belongs to the stream of a message that
        // has to wait.
        arrive(&mut network, message(1, 0, Class::User));
        arrive(&mut network, message(2, 2, Class::User));
        let step = |at, network: &NetworkProcessors| network.next_step(0, Outlook { now: ns(at), ..NOTHING });
        assert_eq!(step(9, &network), Some(NextStep::Extract { index: 2 }));
        assert_eq!(step(10, &network), Some(NextStep::Extract { index: 0 }));
    }

    #[test]
    fn it_runs_a_handler_in_its_turn_if_it_can_and_the_key_is_free() {
        let mut network = network_processors(1, Division::Serves);
        let mut events = parallel_events();
        let [first, second, other] =
            [message(0, 7, Class::Read), message(1, 7, Class::Read), message(2, 7, Class::User)];
        for message in [first, second, other] {
            network.line_up(message);
        }
        assert!(network.hold_for(ns(1), &second, &mut events).is_none(), "the first of the stream waits");
        let job = network.hold_for(ns(1), &first, &mut events).expect("nothing conflicts");
        assert_eq!(job.event, Event::Message { flight: 0 });
        assert!(network.hold_for(ns(1), &second, &mut events).is_none(), "the key is held");
        events.complete(ns(2), job.held);
        assert!(network.hold_for(ns(2), &second, &mut events).is_some());
        assert!(
            network.hold_for(ns(2), &other, &mut events).is_none(),
            "it cannot run handlers of this class"
        );
    }

    #[test]
    fn a_message_interrupts_one_step_and_the_step_goes_on_afterwards() {
        let mut network = network_processors(1, Division::Serves);
        let mut events = parallel_events();
        let [read, first, second] =
            [message(0, 0, Class::Read), message(1, 1, Class::Reply), message(2, 2, Class::Reply)];
        for message in [read, first, second] {
            network.line_up(message);
        }
        let step = (Step::Turn, ns(3));
        assert!(network.preempt(ns(1), &read, step, &mut events).is_none());
        assert!(network.preempt(ns(1), &first, step, &mut events).is_some());
        assert!(
            network.preempt(ns(1), &second, step, &mut events).is_none(),
            "a step is interrupted already"
        );
        assert_eq!(network.interrupted_step(0), Some(step));
        assert_eq!(network.interrupted_step(0), None);
    }

    #[test]
    fn the_computing_processor_leaves_streams_that_the_network_processor_has_begun() {
        let mut network = network_processors(1, Division::Shares);
        let mut events = parallel_events();
        let [first, second, other] =
            [message(0, 7, Class::User), message(1, 7, Class::User), message(2, 8, Class::User)];
        for message in [first, second, other] {
            arrive(&mut network, message);
        }
        // The network processor reads the first message, and the second has to wait for it.
        assert_eq!(network.extract(0, 0), Some(first));
        let job = network.next(ns(0), 0, &mut events).expect("the third is of another stream").job;
        assert_eq!(job.event, Event::Message { flight: 2 });
        assert!(!network.has_event(0, &events));
        events.note_arrival(ns(1));
        network.forward(first);
        let job = network.next(ns(1), 0, &mut events).expect("the first has been handed over").job;
        assert_eq!(job.event, Event::Message { flight: 0 });
        assert!(network.has_event(0, &events), "the second may be looked at now");
    }

    #[test]
    fn two_network_processors_divide_messages_by_the_node_that_sent_them() {
        let mut network = network_processors(2, Division::Serves);
        let [even, odd] = [2, 3].map(|source| Arrived { source, ..message(source, 7, Class::Read) });
        for message in [odd, even] {
            arrive(&mut network, message);
        }
        assert_eq!(network.numbers(), 1..3);
        assert_eq!(network.next_step(0, NOTHING), Some(NextStep::Extract { index: 1 }));
        assert_eq!(network.next_step(1, NOTHING), Some(NextStep::Extract { index: 0 }));
        assert_eq!(network.extract(1, 0), Some(odd));
        assert_eq!(network.next_step(1, NOTHING), None, "the other message is the first processor's");
        assert_eq!((network.place(0), network.place(2), network.place(3)), (None, Some(1), None));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// A node that rests is not asked who could start: the answer would be nobody.
        #[test]
        fn a_node_that_rests_has_nobody_who_could_start(
            idles in [any::<bool>(), any::<bool>()],
            waiting in [0..2_u32, 0..2_u32, 0..2_u32, 0..2_u32],
            division in prop_oneof![Just(Division::Forwards), Just(Division::Serves), Just(Division::Shares)],
            interrupts in any::<bool>(),
        ) {
            let [incoming, forwarded, queued, handed_over] = waiting;
            let mut network = network_processors(1, division);
            let (mut events, mut lane) = (parallel_events(), Injection::Network(vec![Handover::default()]));
            for flight in 0..incoming {
                arrive(&mut network, message(flight, flight, Class::User));
            }
            (0..forwarded).for_each(|flight| network.forward(message(10 + flight, 10, Class::User)));
            for flight in 0..queued {
                let message = message(20 + flight, 20, Class::User);
                events.note_arrival(message.at);
                events.enqueue(&message);
            }
            for flight in 0..handed_over {
                let handed = HandedOver { to: tempest::NodeId(1), flight };
                prop_assert!(lane.push(ns(0), 1, handed, 0).is_ok());
            }
            let cores = node(idles.map(|idles| if idles { idle(0) } else { computing() }));
            let notice = if interrupts { Notice::Interrupt } else { Notice::Poll };
            let parts = (Serving::First, lane);
            let mut dispatch = Dispatcher::of_parts(Dispatch::Network(Box::new(network)), events, parts, 2, notice);
            (0..2).filter(|&number| !idles[number]).for_each(|number| dispatch.idle.end(number as u16));
            prop_assert_eq!(dispatch.a_loop_idles(), idles[1]);
            let view = View { now: ns(1), cores: &cores, running: None, room: true };
            prop_assert!(!dispatch.rests() || dispatch.next_start(view).is_none());
        }
    }
}
