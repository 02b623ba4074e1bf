//! The dispatch of one node. It is given the present time and the node's processors, and answers which processor starts which
//! work.
//!
//! This module must never know the meaning of a message, or any cost.

use hardware::EventQueue;
use machine::{Class, Machine};
use tempest::Policy;
use tempest::outcome::Resource;
use tempest::policy::{Notice, Split};
use tempest::world::{Held, Name};
use units::Time;

use super::events::{Arrived, Events, Inbox};
use super::idle::Idle;
use super::injection::Injection;
use super::network::{NetworkProcessors, NextStep, Outlook};
use super::serving::Serving;
use super::{Dispatch, Found, Poll, Start, View, network_processors};
use crate::link::cargo::{HandedOver, Stream};
use crate::processor::core::{Core, Event, Job};

/// The dispatch of one node.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Dispatcher {
    notice: Notice,
    /// The first of the processors that do anything for other processors. Processors before it run threads and nothing
    /// else.
    first_helper: u16,
    pub(crate) serving: Serving,
    pub(crate) idle: Idle,
    pub(crate) injection: Injection,
    pub(crate) way: Dispatch,
    pub(crate) events: Events,
    /// The number of the processor that the next interrupt goes to.
    next_interrupt: usize,
}

impl Dispatcher {
    /// The dispatch of a node with `processors` processors, before anything runs.
    pub(crate) fn new(
        machine: &Machine,
        policy: &Policy,
        split: Split,
        processors: usize,
        queue: EventQueue<Event, Name>,
    ) -> Self {
        let parts = (
            Serving::of(machine, policy, split),
            Injection::of(machine, policy, network_processors(machine, policy)),
        );
        let way = Dispatch::of(machine, policy, split, processors);
        Self::of_parts(way, Events::new(queue), parts, processors, policy.notice)
    }

    /// The dispatch of these parts. All processors idle.
    pub(super) fn of_parts(
        way: Dispatch,
        events: Events,
        (serving, injection): (Serving, Injection),
        processors: usize,
        notice: Notice,
    ) -> Self {
        Self {
            way,
            events,
            injection,
            idle: Idle::from_the_start(processors),
            first_helper: serving.only_compute() as u16,
            serving,
            notice,
            next_interrupt: 0,
        }
    }

    /// The first of the processors that may run handlers.
    pub(crate) fn first_server(&self) -> usize {
        self.first_helper.into()
    }

    /// The network processors, where the node has some.
    pub(crate) fn network(&self) -> Option<&NetworkProcessors> {
        if let Dispatch::Network(network) = &self.way { Some(network) } else { None }
    }

    /// The network processors, where the node has some.
    pub(crate) fn network_mut(&mut self) -> Option<&mut NetworkProcessors> {
        if let Dispatch::Network(network) = &mut self.way { Some(network) } else { None }
    }

    /// The network processors, and the place of a processor among them; `None` if the processor is not one.
    pub(crate) fn network_at(&mut self, number: usize) -> Option<(&mut NetworkProcessors, usize)> {
        let network = self.network_mut()?;
        let place = network.place(number)?;
        Some((network, place))
    }

    /// Whether a processor is a network processor.
    pub(crate) fn is_network_processor(&self, number: usize) -> bool {
        self.network().is_some_and(|network| network.place(number).is_some())
    }

    /// Whether computing processors drive the interface together with a network processor. An idle one then looks there all the time
    /// while it idles.
    pub(crate) fn shares_interface(&self) -> bool {
        self.network().is_some_and(NetworkProcessors::shares)
    }

    /// Whether a thread that asks for a key finds in its own memory whether the key is free. That is so where the processor
    /// looks for events itself. Elsewhere the thread asks the dispatch queue.
    pub(crate) fn keeps_keys_at_hand(&self) -> bool {
        match &self.way {
            Dispatch::Own(_) | Dispatch::Network(_) => true,
            Dispatch::Routine(_) => matches!(self.serving, Serving::First),
            Dispatch::Register(_) | Dispatch::StateMachine(_) => false,
        }
    }

    /// The message that a processor finds next when it looks, where it looks itself.
    pub(crate) fn next_message(&self) -> Option<&Arrived> {
        self.inbox()?.first()
    }

    /// The messages that wait until a processor looks for them.
    fn inbox(&self) -> Option<&Inbox> {
        match &self.way {
            Dispatch::Own(own) => Some(&own.inbox),
            Dispatch::Routine(routine) => Some(&routine.inbox),
            Dispatch::Register(_) | Dispatch::Network(_) | Dispatch::StateMachine(_) => None,
        }
    }

    /// The messages that wait until a processor looks for them.
    pub(crate) fn inbox_mut(&mut self) -> Option<&mut Inbox> {
        match &mut self.way {
            Dispatch::Own(own) => Some(&mut own.inbox),
            Dispatch::Routine(routine) => Some(&mut routine.inbox),
            Dispatch::Register(_) | Dispatch::Network(_) | Dispatch::StateMachine(_) => None,
        }
    }

    /// The kind of the processors that run handlers and no threads, or that may come to do so.
    pub(crate) fn kind_of_servers(&self) -> Resource {
        match (&self.way, &self.serving) {
            (Dispatch::StateMachine(_), _) => Resource::StateMachine,
            (_, Serving::Embedded { .. }) => Resource::EmbeddedProcessor,
            _ => Resource::DedicatedProcessor,
        }
    }

    /// Whether a processor that does not compute handles every message of a class, without a look of a computing processor.
    pub(crate) fn network_handles(&self, class: Class) -> bool {
        self.network().is_some_and(|network| network.handles_all(class))
    }

    /// Whether processors notice events by looking only.
    pub(crate) fn looks_only(&self) -> bool {
        self.notice == Notice::Poll
    }

    /// The number of messages that have come out of the network and are still in the interface.
    pub(crate) fn in_interface(&self) -> usize {
        match self.network() {
            Some(network) => network.in_interface(),
            None => self.inbox().map_or(0, |inbox| inbox.in_interface().len()),
        }
    }

    /// Adds a message or a fault to the events of the node.
    #[inline(always)]
    pub(crate) fn join(&mut self, message: Arrived) {
        self.events.note_arrival(message.at);
        match &mut self.way {
            Dispatch::Own(own) => own.join(message),
            Dispatch::Routine(routine) => routine.join(message),
            Dispatch::Network(network) => network.forward(message, &mut self.events),
            Dispatch::Register(_) | Dispatch::StateMachine(_) => self.events.enqueue(&message),
        }
    }

    /// Adds the access fault of the thread on a processor. Returns whether the node's dispatch has to be told. It has not where
    /// the thread leaves the fault in a slot on its way to the routine.
    pub(crate) fn fault(&mut self, number: usize, fault: Arrived) -> bool {
        match &mut self.way {
            Dispatch::Routine(routine) => {
                self.events.note_arrival(fault.at);
                routine.fill_slot(number, fault);
                false
            }
            _ => {
                self.join(fault);
                true
            }
        }
    }

    /// The number of a processor in the dispatch queue, if the processor runs handlers at present.
    pub(crate) fn server(&self, number: usize, cores: &[Core]) -> Option<usize> {
        self.serving.serves_now(number, cores[number].is_dedicated())
    }

    /// Whether a processor would find an event to handle.
    pub(crate) fn has_event(&self, number: usize, cores: &[Core]) -> bool {
        let server = self.server(number, cores);
        server.is_some_and(|server| self.way.has_event(number, server, &self.events))
    }

    /// Removes and returns the message that a processor handles next, if the processor looks itself and there is nothing to choose.
    #[inline]
    pub(crate) fn next_at_once(&mut self, now: Time, number: usize) -> Option<Job> {
        if let Dispatch::Own(own) = &mut self.way {
            own.next_at_once(now, number, &mut self.events)
        } else {
            None
        }
    }

    /// Removes and returns the event that a processor handles next. `dedicated` says whether the processor does nothing else.
    #[inline(never)]
    pub(crate) fn next_event(&mut self, now: Time, number: usize, dedicated: bool) -> Option<Found> {
        let (serving, events) = (&self.serving, &mut self.events);
        let server = || serving.serves_now(number, dedicated);
        match &mut self.way {
            Dispatch::Own(own) => own.next(now, server()?, events),
            Dispatch::Register(register) => register.next(now, server()?, events),
            Dispatch::Network(network) => network.next(now, server()?, events),
            Dispatch::StateMachine(state_machine) => state_machine.next(now, server()?, events),
            Dispatch::Routine(routine) => routine.next(now, (number, server()?), dedicated, events),
        }
    }

    /// Whether a processor could begin an injection, or go on with the loop of a network processor.
    pub(crate) fn may_inject(&self, number: usize, view: View<'_>) -> bool {
        match self.is_network_processor(number) {
            true => self.next_step(number, view).is_some(),
            false => view.cores[number].is_dedicated() && self.injection.may_begin(),
        }
    }

    /// The next step of a network processor, if there is one.
    pub(crate) fn next_step(&self, number: usize, view: View<'_>) -> Option<NextStep> {
        let network = self.network()?;
        let place = network.place(number)?;
        let handed_over = self.injection.shows(view.now);
        network.next_step(place, Outlook { now: view.now, handed_over, room: view.room })
    }

    /// Whether a network processor sees a message that was handed over, and has planned no look for room.
    pub(crate) fn waits_for_room(&self, number: usize, now: Time) -> bool {
        let place = self.network().and_then(|network| Some((network, network.place(number)?)));
        place.is_some_and(|(network, place)| !network.looks_after(place, now) && self.injection.shows(now))
    }

    /// Whether a network processor idles.
    #[inline]
    pub(crate) fn a_loop_idles(&self) -> bool {
        self.network().is_some_and(|network| self.idle.has_one_from(network.numbers().start))
    }

    /// Whether a message that was handed over can be seen, and only room in the interface is missing.
    #[inline]
    pub(crate) fn asks_for_room(&self, now: Time) -> bool {
        self.network().is_some() && self.injection.shows(now)
    }

    /// The place of a processor among the processors that inject for others.
    fn place(&self, number: usize) -> usize {
        self.network().and_then(|network| network.place(number)).unwrap_or(0)
    }

    /// Lets a dedicated processor take the oldest message that was handed over, to put it into the interface.
    pub(crate) fn take_handed_over(&mut self) -> Option<HandedOver> {
        self.injection.take_oldest()
    }

    /// The message that a processor is putting into the interface.
    pub(crate) fn in_hand(&self, number: usize) -> Option<&HandedOver> {
        self.injection.in_hand(self.place(number))
    }

    /// Removes and returns the message that a processor was putting into the interface.
    pub(crate) fn release_in_hand(&mut self, number: usize) -> Option<HandedOver> {
        self.injection.release(self.place(number))
    }

    /// The number of messages and other events that wait for a processor to handle them.
    pub(crate) fn waiting(&self) -> usize {
        self.way.waiting() + self.events.waiting()
    }

    /// Records that a handler has ended, and takes its key back.
    #[inline(always)]
    pub(crate) fn end_handler(&mut self, now: Time, held: Held) {
        self.events.complete(now, held);
        if let Dispatch::Own(own) = &mut self.way {
            own.note_end();
        }
    }

    /// Whether no work waits that some processor might start. An event in the queue of a device may still have to wait for its key.
    #[inline(never)]
    fn nothing_may_start(&self) -> bool {
        let has_event = match &self.way {
            Dispatch::Register(_) | Dispatch::StateMachine(_) => self.events.may_start(),
            // Messages that were handed over, or are in the interface, wait for the network processors.
            Dispatch::Network(network) if !self.idle.has_one_from(network.numbers().start) => {
                return !network.has_for_others()
                    && !self.events.something_waits()
                    && !self.injection.may_begin();
            }
            Dispatch::Own(_) | Dispatch::Routine(_) | Dispatch::Network(_) => {
                self.events.something_waits() || self.way.something_waits()
            }
        };
        !has_event && !self.injection.waits()
    }

    /// The idle processor that takes new work: the last to become idle, because its caches are the warmest. A computing
    /// processor that shares the interface with a network processor comes first, because it looks at nothing else.
    fn idle_server(&self, view: View<'_>) -> Option<usize> {
        let cores = view.cores;
        if self.shares_interface()
            && let Some(number) = self.idle_looker(cores)
            && self.has_event(number, cores)
        {
            return Some(number);
        }
        let finds = |number| self.has_event(number, cores) || self.may_inject(number, view);
        let mut best = None;
        // The next one is better if it is dedicated, and as good if it idles as long. Its number is lower then.
        for (since, number) in self.idle.latest_first() {
            let rank = (cores[number].is_dedicated(), since);
            if best.is_none_or(|(highest, _)| rank >= highest) && finds(number) {
                best = Some((rank, number));
            }
        }
        best.map(|(_, number)| number)
    }

    /// The idle computing processor that looks for messages in an interface that it shares: the last to become idle.
    pub(crate) fn idle_looker(&self, cores: &[Core]) -> Option<usize> {
        let mut idle = self.idle.latest_first().map(|(_, number)| number);
        idle.find(|&number| !cores[number].is_dedicated())
    }

    #[inline]
    fn a_helper_idles(&self) -> bool {
        self.idle.has_one_from(self.first_helper.into())
    }

    /// Whether a processor that looks for an event to handle, or for a message to inject, might find one. A network processor does not
    /// ask.
    #[inline]
    pub(crate) fn may_find_work(&self) -> bool {
        if let Dispatch::Network(network) = &self.way {
            // Messages that were handed over, or are in the interface, wait for the network processors.
            return network.has_for_others() || self.events.something_waits() || self.injection.may_begin();
        }
        let waits = self.events.something_waits() || self.way.something_waits();
        waits || self.injection.waits() || matches!(self.way, Dispatch::Routine(_))
    }

    /// Whether a processor that has a thread to go on with might leave waiting work to other processors.
    #[inline]
    pub(crate) fn may_leave_to_others(&self) -> bool {
        self.serving.is_served() || self.a_helper_idles() && !self.nothing_may_start()
    }

    /// Whether a processor that [may leave](Self::may_leave_to_others) waiting work to other processors does so.
    pub(crate) fn leaves_to_others(&self, view: View<'_>) -> bool {
        let another_comes = || self.serving.shares_events() && self.idle_server(view).is_some();
        self.serving.is_served() || another_comes()
    }

    /// Whether no processor could start work. A node with a dispatch routine may still have a turn to pass on.
    #[inline]
    pub(crate) fn rests(&self) -> bool {
        let all_busy = !self.a_helper_idles() && self.notice == Notice::Poll;
        !matches!(self.way, Dispatch::Routine(_)) && (all_busy || self.nothing_may_start())
    }

    /// Whether a message that comes now only waits until a processor looks, and makes none of them look.
    #[inline]
    pub(crate) fn only_keeps_messages(&self) -> bool {
        let keeps = matches!(self.way, Dispatch::Own(_) | Dispatch::Register(_) | Dispatch::StateMachine(_));
        keeps && !self.a_helper_idles() && self.notice == Notice::Poll
    }

    /// The processor that starts work that waits, if there is one.
    pub(crate) fn next_start(&mut self, view: View<'_>) -> Option<Start> {
        if let Dispatch::Routine(routine) = &self.way {
            let (called, delay) = (routine.is_called(), routine.prices.notice);
            return match self.caller(view) {
                Some(number) => Some(Start::Serve { number, delay }),
                None if called => None,
                None => self.to_interrupt(view),
            };
        }
        match self.idle_server(view) {
            Some(number) if self.waits_for_interrupts(number, view) => Some(Start::Interrupt { number }),
            Some(number) => Some(Start::Serve { number, delay: Time::ZERO }),
            None => self.to_interrupt(view),
        }
    }

    /// Whether an idle processor waits for interrupts and does not look for events. A dedicated processor looks, and so
    /// does a processor that shares the interface with a network processor.
    pub(crate) fn waits_for_interrupts(&self, number: usize, view: View<'_>) -> bool {
        self.notice == Notice::Interrupt && !view.cores[number].is_dedicated() && !self.shares_interface()
    }

    /// The processor that calls the routine for an event which has just come.
    pub(crate) fn caller(&mut self, view: View<'_>) -> Option<usize> {
        // The dispatch queue knows processors that take turns by their own numbers.
        let finds = |number: usize| self.way.has_event(number, number, &self.events);
        let held = |number: usize| self.way.holds(number);
        match self.serving.turns_mut() {
            Some(turns) => turns.caller(view.cores, finds, held),
            None => self.idle_server(view),
        }
    }

    /// The processor that calls the routine for an event which waited while the turn was passed on.
    pub(crate) fn next_caller(&mut self, view: View<'_>) -> Option<usize> {
        let finds = |number: usize| self.way.has_event(number, number, &self.events);
        let held = |number: usize| self.way.holds(number);
        match self.serving.turns_mut() {
            Some(turns) => turns.next_caller(view.cores, finds, held),
            None => self.idle_server(view),
        }
    }

    /// The computing processor that is interrupted next after a call of the routine.
    pub(crate) fn interruption(&self, view: View<'_>) -> Option<Start> {
        self.to_interrupt(View { running: None, ..view })
    }

    /// The computing processor that is interrupted next, if the policy interrupts and such a processor would find an event.
    fn to_interrupt(&self, view: View<'_>) -> Option<Start> {
        let interruptible = |number: usize| view.running != Some(number) && view.cores[number].is_computing();
        let count = view.cores.len();
        let interrupts = match self.notice {
            Notice::Poll => false,
            Notice::Interrupt => true,
            Notice::InterruptWhenBusy => (0..count).all(interruptible),
        };
        if !interrupts || self.serving.is_served() {
            return None;
        }
        (0..count)
            .map(|offset| (self.next_interrupt + offset) % count)
            .find(|&number| interruptible(number) && self.has_event(number, view.cores))
            .map(|number| Start::Interrupt { number })
    }

    /// Records that a processor was interrupted. The next interrupt goes to the processor after it.
    pub(crate) fn note_interrupt(&mut self, number: usize, count: usize) {
        self.next_interrupt = (number + 1) % count;
    }

    /// Whether a processor that unmasks interrupts is interrupted at once, if an event waits.
    pub(crate) fn interrupts(&self) -> bool {
        self.notice == Notice::Interrupt
    }

    /// Whether the device has to be told which processors compute.
    pub(crate) fn asks_who_computes(&self) -> bool {
        self.notice == Notice::InterruptWhenBusy
    }

    /// The work of a thread's poll at a back-edge on a processor. `locked` says whether the interface has a lock.
    pub(crate) fn poll(&mut self, number: usize, locked: bool) -> Poll {
        match self.way {
            Dispatch::Routine(_) => Poll::Call,
            _ if self.serving.looks(number) => Poll::Look { locks: locked && self.shares_interface() },
            _ => Poll::LeaveToOthers,
        }
    }

    /// The number of back-edges between two polls of a thread, unless the policy states it. It is 0, for no polls, where
    /// a device interrupts a processor when all processors compute.
    pub(crate) fn usual_polls(&self) -> u32 {
        match &self.way {
            Dispatch::Routine(routine) => routine.prices.poll_every,
            _ => u32::from(!self.asks_who_computes()),
        }
    }

    /// Whether the threads of a processor hand their messages over.
    pub(crate) fn hands_over(&self, is_dedicated: bool) -> bool {
        self.injection.takes_from(is_dedicated, self.serving.dedicated_for_a_time())
    }

    /// Whether each processor injects all that it sends, at any time, and no other part need know of a send.
    pub(crate) fn lets_all_inject(&self) -> bool {
        let told = matches!(self.way, Dispatch::Network(_) | Dispatch::StateMachine(_));
        matches!(self.injection, Injection::Sender) && !told
    }

    /// Whether a message of a stream from a processor must wait behind the messages that were handed over.
    pub(crate) fn stays_behind(&self, number: usize, stream: Stream) -> bool {
        self.injection.stays_behind(stream, self.is_network_processor(number))
    }

    /// Hands a message over. Returns it if no processor injects for others now.
    #[must_use]
    pub(crate) fn hand_over(&mut self, visible_at: Time, message: HandedOver) -> Option<HandedOver> {
        self.injection.push(visible_at, message, self.serving.dedicated_for_a_time()).err()
    }

    /// Whether a processor may go on with a ready thread.
    pub(crate) fn takes_threads(&self, number: usize) -> bool {
        match &self.way {
            Dispatch::Routine(routine) => routine.takes_threads(number, &self.events),
            _ => true,
        }
    }

    /// Whether a held processor may go on with a thread, because all handlers wait for a key.
    pub(crate) fn lets_go_on(&self, number: usize) -> bool {
        match &self.way {
            Dispatch::Routine(routine) => routine.holds(number) && routine.waits_for_thread(&self.events),
            _ => false,
        }
    }

    /// Whether threads of the node may move to another processor.
    pub(crate) fn moves_threads(&self) -> bool {
        self.serving.roles().is_some()
    }

    /// Whether a fault of a processor's thread binds the processor to its threads.
    pub(crate) fn holds(&self, number: usize) -> bool {
        self.way.holds(number)
    }
}

#[cfg(test)]
mod tests;
