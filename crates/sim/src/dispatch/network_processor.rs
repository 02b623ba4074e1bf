//! The network processor of a node: a loop that looks at the queue from the computing processor and at the interface.
//!
//! A pass of the loop injects at most one message that was handed over, then takes so many messages out of the network
//! as the machine drains in a pass; an answer sent by one of its own handlers ends the pass early. To go round, because
//! there is more to do, costs a turn of the loop. What comes out of the network it handles itself, if the policy lets it, it can
//! run messages of that class, and nobody holds the message's key; everything else it hands to the computing processor.
//!
//! Every step occupies the processor for its path before its effect and for its occupancy after it. A handler whose
//! costs leave something to *wait* for (a DMA, the network's acknowledgement) lets the loop go on, but no other handler
//! starts before that is over.
//!
//! This module must never know what a message means.

use machine::Class;
use tempest::Primitive;
use tempest::policy::{Injector, Servers};
use tempest::world::Held;
use units::Time;

use crate::agenda::Happening;
use crate::cluster::Cluster;
use crate::link::cargo::Cargo;
use crate::processor::core::{Activity, Bucket, Event, Job, Step};

/// The loop of one network processor.
#[derive(Debug)]
pub(crate) struct Loop {
    /// The core it runs on.
    pub(crate) core: usize,
    pass: Pass,
    /// No handler starts before.
    serves_from: Time,
    /// When it will next look whether the interface has room.
    looks_at: Time,
}

/// What a pass has done so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Pass {
    injected: bool,
    drained: usize,
    answered: bool,
}

impl Loop {
    /// A loop that has done nothing.
    pub(crate) fn new(core: usize) -> Self {
        Self { core, pass: Pass::default(), serves_from: Time::ZERO, looks_at: Time::ZERO }
    }
}

impl Cluster {
    /// Whether `core` is a network processor.
    pub(crate) fn is_network_processor(&self, core: usize) -> bool {
        self.setting.assisted && self.network_loop(core).is_some()
    }

    fn network_loop(&self, core: usize) -> Option<&Loop> {
        self.nodes[self.cores[core].node].dispatch.network.as_ref().filter(|network| network.core == core)
    }

    fn loop_of(&mut self, core: usize) -> &mut Loop {
        let node = self.cores[core].node;
        self.nodes[node].dispatch.network.as_mut().expect("asked of network processors only")
    }

    /// What the machine says of its network processors.
    fn network_processor(&self) -> &machine::NetworkProcessor {
        self.setting
            .machine
            .network_processor
            .as_ref()
            .expect("a node has a network processor only if its machine has")
    }

    /// Whether the network processor of a node could start something now.
    pub(crate) fn network_has_work(&self, core: usize) -> bool {
        self.next_step(core).is_some()
    }

    /// Has an idle network processor, or one whose step has ended, start its next step. False if there is none.
    pub(crate) fn go_on_with_pass(&mut self, core: usize) -> bool {
        let Some(step) = self.next_step(core) else {
            self.loop_of(core).pass = Pass::default();
            return false;
        };
        match step {
            Step::Take => self.take_handed_over(core),
            Step::Extract { .. } => self.start_extraction(core),
            _ => {
                let turn = self.network_processor().turn;
                self.start_step(core, Step::Turn, turn);
            }
        }
        true
    }

    /// Goes back to the step that a message put off. False if none was.
    pub(crate) fn back_to_step(&mut self, core: usize) -> bool {
        let Some((step, left)) = self.cores[core].put_off.take() else { return false };
        self.cores[core].activity = Activity::Step(step);
        self.continue_at(core, self.agenda.now + left);
        true
    }

    /// Has the network processor of a node take a message in at once, if it does so with messages of that class and is
    /// in the middle of something that can be put off. False if the message must wait.
    pub(crate) fn takes_at_once(&mut self, node: usize, flight: u32) -> bool {
        let Some(network) = &self.nodes[node].dispatch.network else { return false };
        let core = network.core;
        let Activity::Step(step) = self.cores[core].activity else { return false };
        let at_once = self.network_processor().preempt.contains(&self.class_of(flight));
        if !at_once || !self.can_handle(flight) || self.cores[core].put_off.is_some() {
            return false;
        }
        let Some(held) = self.try_hold_for(node, flight) else { return false };
        self.cores[core].put_off = Some((step, self.cores[core].until - self.agenda.now));
        self.cores[core].epoch = self.cores[core].epoch.wrapping_add(1);
        let cost = self.price(core, Primitive::Extract, self.class_of(flight));
        self.spend_cost(core, cost);
        self.start_handler_of(core, held, flight);
        true
    }

    /// The key of a message, if nobody has it and it is the message's turn.
    fn try_hold_for(&mut self, node: usize, flight: u32) -> Option<Held> {
        if !self.is_next_in_line(node, flight) {
            return None;
        }
        let key = self.key_of(node, self.link.flights[flight as usize].packet());
        let held = self.nodes[node].dispatch.queue.try_hold(self.agenda.now, key)?;
        self.leave_line(node, flight);
        Some(held)
    }

    fn start_handler_of(&mut self, core: usize, held: Held, flight: u32) {
        self.cores[core].activity = Activity::Handler;
        self.cores[core].job = Some(Job { held, event: Event::Message { flight } });
        self.continue_now(core, Time::ZERO);
    }

    /// What a network processor does next, if anything.
    fn next_step(&self, core: usize) -> Option<Step> {
        let pass = self.network_loop(core)?.pass;
        let incoming = &self.nodes[self.cores[core].node].dispatch.incoming;
        if !pass.injected && self.may_take(core) {
            return Some(Step::Take);
        }
        if pass.drained < self.network_processor().drain
            && !pass.answered
            && let Some(place) = self.next_extraction(core)
        {
            return Some(Step::Extract { flight: incoming[place].flight });
        }
        let more = self.sees_handed_over(core) || !incoming.is_empty();
        (more && pass != Pass::default()).then_some(Step::Turn)
    }

    /// A network processor that idles because the interface has no room for what was handed over looks again when there
    /// may be some.
    pub(crate) fn await_interface(&mut self, node: usize) {
        let Some(network) = &self.nodes[node].dispatch.network else { return };
        let core = network.core;
        if network.looks_at > self.agenda.now || !self.cores[core].is_idle() || !self.sees_handed_over(core) {
            return;
        }
        let at = self.interface_room_at(node, self.agenda.now);
        self.loop_of(core).looks_at = at;
        self.look_at(node, at);
    }

    fn may_take(&self, core: usize) -> bool {
        self.sees_handed_over(core) && self.interface_has_room(self.cores[core].node, self.agenda.now)
    }

    fn sees_handed_over(&self, core: usize) -> bool {
        let first = self.nodes[self.cores[core].node].port.handed_over.front();
        self.setting.policy.injector == Injector::Network
            && first.is_some_and(|message| message.visible_at <= self.agenda.now)
    }

    /// The first message that the network processor can take out of the interface now: while something has to be waited
    /// for before the next handler, only such as it hands over.
    fn next_extraction(&self, core: usize) -> Option<usize> {
        let serves = self.network_loop(core)?.serves_from <= self.agenda.now;
        let node = self.cores[core].node;
        let incoming = &self.nodes[node].dispatch.incoming;
        let (mut places, flights) = (0..incoming.len(), incoming.iter().map(|message| message.flight));
        places.find(|&place| {
            let flight = incoming[place].flight;
            serves
                || !self.can_handle(flight)
                    && !self.has_same_stream(node, flights.clone().take(place), flight)
        })
    }

    /// Whether the policy and the network processor's abilities let it run a message's handler.
    fn can_handle(&self, flight: u32) -> bool {
        matches!(self.setting.policy.servers, Servers::Network | Servers::Either)
            && self.network_processor().runs.contains(&self.class_of(flight))
    }

    /// The class of a message on its way.
    pub(crate) fn class_of(&self, flight: u32) -> Class {
        self.link.flights[flight as usize].class
    }

    fn take_handed_over(&mut self, core: usize) {
        let node = self.cores[core].node;
        let Some(message) = self.nodes[node].port.handed_over.pop_front() else { return };
        self.end_idling(core);
        self.wake_starved(node);
        self.loop_of(core).pass.injected = true;
        let cost = self.price(core, Primitive::Take, self.class_of_cargo(node, &message.cargo));
        self.cores[core].injecting = Some(message);
        self.spend_cost(core, cost);
        self.start_booked_step(core, Step::Take);
    }

    fn start_network_injection(&mut self, core: usize) {
        let message = self.cores[core].injecting.take().expect("a core that took a message has it");
        self.spend_injection(core, message.to, &message.cargo);
        self.cores[core].injecting = Some(message);
        self.start_booked_step(core, Step::Inject);
    }

    fn start_extraction(&mut self, core: usize) {
        let node = self.cores[core].node;
        let Some(place) = self.next_extraction(core) else { return };
        let Some(arrived) = self.nodes[node].dispatch.incoming.remove(place) else { return };
        self.loop_of(core).pass.drained += 1;
        let cost = self.price(core, Primitive::Extract, self.class_of(arrived.flight));
        let wait = self.wait_for_interface(core, cost.path);
        self.end_idling(core);
        self.cores[core].spend(Bucket::Memory, wait);
        self.spend_cost(core, cost);
        self.start_booked_step(core, Step::Extract { flight: arrived.flight });
    }

    /// Occupies a network processor for `time`, then lets the step have its effect.
    fn start_step(&mut self, core: usize, step: Step, time: Time) {
        self.cores[core].spend(Bucket::Overhead, time);
        self.start_booked_step(core, step);
    }

    /// Occupies a network processor for what it has spent, then lets the step have its effect.
    fn start_booked_step(&mut self, core: usize, step: Step) {
        self.make_at_once(core);
        let time = std::mem::take(&mut self.cores[core].ahead);
        self.cores[core].activity = Activity::Step(step);
        self.continue_at(core, self.agenda.now + time);
    }

    /// A step of a network processor is over: its effect, and the next one.
    pub(crate) fn finish_step(&mut self, core: usize, step: Step) {
        match step {
            Step::Take => self.start_network_injection(core),
            Step::Inject => self.finish_network_injection(core),
            Step::Extract { flight } => self.finish_extraction(core, flight),
            Step::HandOver { flight } => self.finish_hand_over(core, flight),
            Step::Settle => self.free(core),
            Step::Turn => {
                self.loop_of(core).pass = Pass::default();
                self.free(core);
            }
        }
    }

    fn finish_network_injection(&mut self, core: usize) {
        let message = self.cores[core].injecting.take().expect("an injecting core has a message");
        self.inject(core, message.to, message.cargo);
        self.settle_step(core);
    }

    /// Spends what follows the effect of a step.
    fn settle_step(&mut self, core: usize) {
        let tail = std::mem::take(&mut self.cores[core].tail);
        if tail.is_zero() {
            self.free(core);
        } else {
            self.start_step(core, Step::Settle, tail);
        }
    }

    /// A message has been read: its handler runs here, or it goes to the computing processor.
    fn finish_extraction(&mut self, core: usize, flight: u32) {
        let node = self.cores[core].node;
        let held = if self.can_handle(flight) { self.try_hold_for(node, flight) } else { None };
        match held {
            Some(held) => self.start_handler_of(core, held, flight),
            None => {
                let cost = self.price(core, Primitive::HandOver, self.class_of(flight));
                self.cores[core].tail += cost.occupancy;
                self.start_step(core, Step::HandOver { flight }, cost.path);
            }
        }
        // Last: what is let in may put off the step that has just begun, but not this one, which is over.
        self.admit_next(node);
    }

    fn finish_hand_over(&mut self, core: usize, flight: u32) {
        let tie = self.nodes[self.cores[core].node].tie;
        self.agenda.events.push(self.agenda.now + self.hand_over_delay(), tie, Happening::Forward { flight });
        self.settle_step(core);
    }

    /// A handler of a network processor has ended: the loop takes note of what has to be waited for.
    pub(crate) fn note_handler_end(&mut self, core: usize) {
        if !self.is_network_processor(core) {
            return;
        }
        let wait = std::mem::take(&mut self.cores[core].wait);
        let from = self.agenda.now + wait;
        let network = self.loop_of(core);
        network.serves_from = network.serves_from.max(from);
        if !wait.is_zero() {
            self.look_at(self.cores[core].node, from);
        }
    }

    /// A handler on a network processor has sent a message.
    pub(crate) fn note_answer(&mut self, core: usize) {
        if self.is_network_processor(core) {
            self.loop_of(core).pass.answered = true;
        }
    }

    /// Somebody of `node` may find something to do at `at`.
    pub(crate) fn look_at(&mut self, node: usize, at: Time) {
        let tie = self.nodes[node].tie;
        self.agenda.events.push(at, tie, Happening::Look { node: node as u32 });
    }

    /// The class of what a node sends.
    pub(crate) fn class_of_cargo(&self, node: usize, cargo: &Cargo) -> Class {
        match cargo {
            Cargo::Message(packet) | Cargo::Transfer(_, _, packet, _) | Cargo::Block(_, _, packet) => {
                class(self.nodes[node].waist.class(packet))
            }
            Cargo::Deposit(..) | Cargo::Packet(_) => Class::Write,
        }
    }
}

/// A class of messages, as machine files call it.
fn class(class: tempest::Class) -> Class {
    match class {
        tempest::Class::Read => Class::Read,
        tempest::Class::Write => Class::Write,
        tempest::Class::Reply => Class::Reply,
        tempest::Class::Acknowledge => Class::Acknowledge,
        tempest::Class::System => Class::System,
        tempest::Class::User => Class::User,
    }
}
