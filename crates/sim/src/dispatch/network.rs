//! The network processors of a node. Each runs a loop that looks at the queue from the computing processors and at the
//! interface.
//!
//! Several network processors of a node share its messages: each takes the oldest message that no other one has taken. Two messages
//! of one stream, equal in source and key, stay in order: no network processor begins with the second one before another one has
//! handed the first one over or has begun its handler. A message also stays in the interface while another network processor runs a
//! handler of the message's key.
//!
//! Under each policy a network processor handles a message at one end or at both:
//!
//! | policy | injects | runs handlers |
//! |---|---|---|
//! | `proc` | network processors | computing processors |
//! | `np` | network processors | network processors |
//! | `inject` | computing processors | network processors |
//! | `receive` | computing processors | either: the first that finds the message |
//!
//! A sender writes its message into the node's queue between the two processors (price `hand_over`), and waits if there is no
//! room. The loop sees the message a little later (`visible`), takes it (`take`) and injects it. Messages that come in are read
//! out of the interface (`extract`). A message of a class that the machine file lists under `preempt` interrupts the loop, if
//! its handler may run here and its key is free. A full receive queue leaves messages in the network, which backs up link by
//! link.
//!
//! A pass of the loop takes at most one message that was handed over. It then takes as many messages out of the interface as
//! the machine drains in a pass. A message sent by a handler on this processor ends the pass early. Another pass costs a turn
//! of the loop. The processor runs the handler of a message itself under three conditions: the [table of servers](super::service)
//! gives it the class, which under `proc` are the machine's `always` classes; the key is free; and no older message of the same
//! stream waits. It hands every other message to the computing processors, which share them.
//!
//! Each step occupies the processor: for its path before the effect, and for its occupancy after it. A handler may leave a DMA
//! or an acknowledgement of the network to wait for. The loop then goes on, but starts no other handler before the wait is
//! over.
//!
//! This module must never know the meaning of a message, or the cost of a step.

use std::collections::VecDeque;
use std::ops::Range;

use machine::Class;
use tempest::world::DispatchKey;
use units::Time;

use super::ahead::Ahead;
use super::events::{Arrived, Events, Found, Inbox};
use super::service::Service;
use crate::processor::core::{Event, Job, Step};

/// The number of messages in an interface, or handed over, at a time on most nodes that are not short of time. A
/// machine may have very many such nodes.
const USUAL: usize = 1;

/// Classes of messages, a bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Classes(u8);

impl Classes {
    fn of(all: impl IntoIterator<Item = Class>) -> Self {
        Self(all.into_iter().fold(0, |classes, class| classes | Self::bit(class)))
    }

    fn bit(class: Class) -> u8 {
        1 << class as u8
    }

    fn has(self, class: Class) -> bool {
        self.0 & Self::bit(class) != 0
    }
}

/// The loops of a node's network processors, and the messages of the node.
#[derive(Debug)]
pub(crate) struct NetworkProcessors {
    /// The number, on the node, of the first network processor. It follows the computing processors.
    first: usize,
    /// Whether computing processors take messages out of the interface as well.
    shares: bool,
    /// The number of endpoints at which computing processors look, one each; `None` if all of them look in one place.
    endpoints: Option<usize>,
    /// Whether nothing can come between two steps of a loop: no message interrupts a step, and no step waits for the lock of the
    /// interface or for the bus.
    joins_steps: bool,
    /// The classes of messages whose handlers the network processors run.
    runs: Classes,
    /// The classes of messages that interrupt a step of a loop.
    preempt: Classes,
    /// The most messages that a loop takes out of the interface in a pass.
    drain: usize,
    /// The time of a turn of a loop.
    pub(crate) turn: Time,
    loops: Vec<Loop>,
    /// The messages in the interface, in the order of their arrival.
    incoming: VecDeque<Arrived>,
    /// The messages with a key that have arrived, but have neither their key nor a place in the dispatch queue. A processor is
    /// about to receive them or to hand them over.
    line: VecDeque<InLine>,
    /// The messages that have been handed to the computing processors.
    forwarded: Inbox,
    pub(crate) ahead: Ahead,
}

/// A message with a key that waits for it: its stream, and its identity within the stream.
#[derive(Clone, Copy, Debug)]
struct InLine {
    /// The message's place among the flights.
    flight: u32,
    /// The node that sent it.
    source: u32,
    key: DispatchKey,
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
    /// The message that the processor reads out of the interface or hands over.
    in_hand: Option<Arrived>,
    /// The key of the handler that the processor runs.
    held: Option<DispatchKey>,
}

impl Loop {
    /// Whether a message has to wait for the work of this loop, if another loop is to take it.
    fn delays(&self, message: &Arrived) -> bool {
        let keyed = message.key != DispatchKey::NoSync;
        self.in_hand.is_some_and(|other| other.same_stream(message))
            || keyed && self.held == Some(message.key)
    }
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
        /// The index of the message in the interface.
        index: usize,
    },
    /// The loop begins another pass.
    Turn,
}

impl NetworkProcessors {
    /// Idle loops, on the processors from number `first` on.
    pub(crate) fn new(
        machine: &machine::NetworkProcessor,
        service: Service,
        first: usize,
        joins_steps: bool,
        endpoints: Option<usize>,
    ) -> Self {
        Self {
            first,
            endpoints,
            shares: Class::ALL.into_iter().any(|class| service.shares(class)),
            joins_steps: joins_steps && machine.preempt.is_empty(),
            runs: Classes::of(Class::ALL.into_iter().filter(|&class| service.network_runs(class))),
            preempt: Classes::of(machine.preempt.iter().copied()),
            drain: machine.drain,
            turn: machine.turn,
            loops: vec![Loop::default(); machine.count],
            incoming: VecDeque::with_capacity(USUAL),
            line: VecDeque::new(),
            forwarded: Inbox::with_capacity(USUAL),
            ahead: Ahead::default(),
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

    /// Whether successive steps of a loop are joined into one.
    pub(crate) fn joins_steps(&self) -> bool {
        self.joins_steps
    }

    /// Whether successive steps of a loop are joined even if they change the content of the interface. Another loop of
    /// the node would let messages into it at the end of its own steps.
    pub(crate) fn joins_all_steps(&self) -> bool {
        self.joins_steps && self.loops.len() == 1
    }

    /// Whether the loop that reads a message out of the interface hands it over in the same step.
    pub(crate) fn only_hands_over(&self, message: &Arrived) -> bool {
        self.joins_all_steps() && !self.can_handle(message.class)
    }

    /// Lets a loop that has just put a message into the interface begin to read the next one, if it will read it after
    /// a time in which it does nothing else. `None` if its next step depends on events in between.
    pub(crate) fn read_after_injection(&mut self, place: usize, now: Time) -> Option<Arrived> {
        let Loop { pass, serves_from, .. } = self.loops[place];
        let goes_on = pass.injected && !pass.answered && pass.drained < self.drain && serves_from <= now;
        if !goes_on || !self.joins_all_steps() || self.shares() || self.incoming.is_empty() {
            return None;
        }
        self.extract(place, 0)
    }

    /// Whether computing processors take messages out of the interface as well.
    pub(crate) fn shares(&self) -> bool {
        self.shares
    }

    /// The number of messages in the interface.
    pub(crate) fn in_interface(&self) -> usize {
        self.incoming.len()
    }

    /// The number of messages that wait for a network processor or for a computing one.
    pub(crate) fn waiting(&self) -> usize {
        self.forwarded.len() + self.incoming.len()
    }

    /// Whether a message waits for a network processor or for a computing one.
    pub(crate) fn something_waits(&self) -> bool {
        !self.forwarded.is_empty() || !self.incoming.is_empty()
    }

    /// Whether a message waits that a computing processor may take.
    pub(crate) fn has_for_others(&self) -> bool {
        !self.forwarded.is_empty() || self.shares() && !self.incoming.is_empty()
    }

    /// Adds a message that has come to the node to the line for its key.
    pub(crate) fn line_up(&mut self, message: Arrived) {
        if message.key != DispatchKey::NoSync {
            let Arrived { flight, source, key, .. } = message;
            self.line.push_back(InLine { flight, source, key });
        }
    }

    /// Adds a message to the interface.
    pub(crate) fn receive(&mut self, message: Arrived) {
        self.incoming.push_back(message);
    }

    /// Makes visible to the computing processors a message that a network processor handed over: in the queue that they share, or at
    /// the endpoint of a single processor.
    pub(crate) fn forward(&mut self, message: Arrived, events: &mut Events) {
        if self.endpoints.is_none() {
            return self.forwarded.push(message);
        }
        events.enqueue(&message);
        self.leave_line(&message);
    }

    /// Whether a message may get its key: no older message of its stream waits for the key.
    fn is_next_in_line(&self, message: &Arrived) -> bool {
        let older = self.line.iter().take_while(|other| other.flight != message.flight);
        !older.into_iter().any(|other| other.key == message.key && other.source == message.source)
    }

    fn leave_line(&mut self, message: &Arrived) {
        if let Some(place) = self.line.iter().position(|other| other.flight == message.flight) {
            self.line.remove(place);
        }
    }

    /// Holds the key of a message for its handler on the network processor at `place`. `None` if the processor cannot run that
    /// handler, or if the key conflicts.
    pub(crate) fn hold_for(
        &mut self,
        (now, place): (Time, usize),
        message: &Arrived,
        events: &mut Events,
    ) -> Option<Job> {
        if !self.can_handle(message.class) || !self.is_next_in_line(message) {
            return None;
        }
        let held = events.try_hold(now, message.key)?;
        self.leave_line(message);
        (self.loops[place].in_hand, self.loops[place].held) = (None, Some(message.key));
        Some(Job { held, event: Event::Message { flight: message.flight } })
    }

    /// Whether a message may interrupt the step of a loop. A step is interrupted once.
    pub(crate) fn may_interrupt(&self, place: usize, message: &Arrived) -> bool {
        self.preempt.has(message.class) && self.loops[place].put_off.is_none()
    }

    /// The handler of a message that interrupts `step` of the loop at `place`, whose remaining time is `left`; `None` if it cannot run
    /// at once.
    pub(crate) fn preempt(
        &mut self,
        (now, place): (Time, usize),
        message: &Arrived,
        (step, left): (Step, Time),
        events: &mut Events,
    ) -> Option<Job> {
        let in_hand = self.loops[place].in_hand;
        let job = self.hold_for((now, place), message, events)?;
        (self.loops[place].put_off, self.loops[place].in_hand) = (Some((step, left)), in_hand);
        Some(job)
    }

    /// Removes and returns the interrupted step of a loop, and its remaining time. The loop continues it.
    pub(crate) fn interrupted_step(&mut self, place: usize) -> Option<(Step, Time)> {
        self.loops[place].put_off.take()
    }

    /// Whether network processors run the handlers of a class, and leave a message to computing processors only if its key is held.
    pub(crate) fn handles_all(&self, class: Class) -> bool {
        !self.shares && self.runs.has(class)
    }

    fn can_handle(&self, class: Class) -> bool {
        self.runs.has(class)
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

    /// Whether a message in the interface waits for a loop, and not for the work of another one.
    fn has_come_for(&self, place: usize) -> bool {
        match self.loops.len() {
            1 => !self.incoming.is_empty(),
            _ => self.incoming.iter().any(|message| !self.is_delayed(place, message)),
        }
    }

    /// Whether a message has to wait for the work of a loop other than the one at `place`.
    fn is_delayed(&self, place: usize, message: &Arrived) -> bool {
        let mut others = self.loops.iter().enumerate().filter(|&(other, _)| other != place);
        others.any(|(_, other)| other.delays(message))
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
            let takes = serves || !self.can_handle(message.class);
            takes && !self.is_delayed(place, message) && (serves && self.loops.len() == 1 || !follows())
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
        self.loops[place].in_hand = self.incoming.remove(index);
        self.loops[place].in_hand
    }

    /// Records that a loop has handed the message over that it had read.
    pub(crate) fn note_handed_over(&mut self, place: usize) {
        self.loops[place].in_hand = None;
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
        let own = &mut self.loops[place];
        own.serves_from = own.serves_from.max(from);
        own.held = None;
    }

    /// Whether a loop has planned to look for room in the interface after `now`.
    pub(crate) fn looks_after(&self, place: usize, now: Time) -> bool {
        self.loops[place].looks_at > now
    }

    /// Plans the next look of a loop for room in the interface.
    pub(crate) fn look_at(&mut self, place: usize, at: Time) {
        self.loops[place].looks_at = at;
    }

    /// Whether a computing processor would find an event: a handler that continues, a message that was handed over, a message
    /// in an interface that it shares, or an event of the queue.
    pub(crate) fn has_event(&self, server: usize, events: &Events) -> bool {
        events.has_resumed()
            || !self.forwarded.is_empty()
            || self.next_to_receive(server).is_some()
            || events.can_dispatch(server)
    }

    /// The event that a computing processor finds at `now`.
    pub(crate) fn next(&mut self, now: Time, server: usize, events: &mut Events) -> Option<Found> {
        if let Some(resumed) = events.next_resumed() {
            return Some(resumed);
        }
        if !events.can_dispatch(server) {
            self.look_for_message(now, server, events);
        }
        events.dispatch(now, server)
    }

    /// The place of the message that a computing processor finds in a shared interface, or at its endpoint there. It skips a message
    /// if the network processor has begun with an earlier message of its stream.
    fn next_to_receive(&self, server: usize) -> Option<usize> {
        if !self.shares() {
            return None;
        }
        let is_here = |key: DispatchKey| self.endpoints.is_none_or(|all| key.partition(all) == server);
        self.incoming.iter().position(|message| is_here(message.key) && self.is_next_in_line(message))
    }

    /// Moves the next message that a computing processor finds into the dispatch queue.
    fn look_for_message(&mut self, now: Time, server: usize, events: &mut Events) {
        let message = match self.forwarded.pop() {
            Some(message) => message,
            None => {
                let Some(place) = self.next_to_receive(server) else { return };
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
mod tests;
