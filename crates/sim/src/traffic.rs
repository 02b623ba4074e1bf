//! Messages, transfers and deposits on their way: from a processor into the interface, through the network, into the
//! dispatch queue or into memory.

use hardware::Mover;
use machine::Capability;
use tempest::policy::{Injector, Servers};
use tempest::{NodeId, Packet, Place, Primitive, Volume};
use trace::Event as Traced;
use units::Time;

use crate::core::{Activity, Bucket, Core, Event};
use crate::node::Arrived;
use crate::state::{Happening, State};

/// Bytes of a word of a transfer or deposit.
pub(crate) const WORD_BYTES: u64 = 8;

/// What a node sends.
#[derive(Clone, Debug)]
pub(crate) enum Cargo {
    /// A message.
    Message(Packet),
    /// A block for a place in the destination's memory, and the message that is handled when it is there.
    Transfer(Place, Box<[u64]>, Packet),
    /// A few words for a place in the destination's memory.
    Deposit(Place, Box<[u64]>),
}

impl Cargo {
    /// Who moves it, where memory has lines of so many bytes.
    fn mover(&self, line: u64) -> Mover {
        match self {
            Cargo::Message(_) => Mover::Processors,
            Cargo::Transfer(..) => Mover::Engine,
            Cargo::Deposit(_, words) => {
                Mover::Deposit { lines: (words.len() as u64 * WORD_BYTES).div_ceil(line) }
            }
        }
    }

    /// Words that the sending processor writes into the interface, the header aside. The place of a deposit is one.
    fn written(&self) -> usize {
        match self {
            Cargo::Message(packet) | Cargo::Transfer(_, _, packet) => packet.words().len(),
            Cargo::Deposit(_, words) => 1 + words.len(),
        }
    }

    /// Words beside those that say what the engine is to move: the place, the address and the length.
    fn descriptor(&self) -> usize {
        if let Cargo::Transfer(..) = self { 3 } else { 0 }
    }

    /// Bytes on the wire of words for a place, the place among them.
    fn placed(&self) -> u64 {
        match self {
            Cargo::Message(_) => 0,
            Cargo::Transfer(_, words, _) | Cargo::Deposit(_, words) => (1 + words.len() as u64) * WORD_BYTES,
        }
    }
}

/// How what is sent gets into the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Route {
    /// The sending processor puts it there.
    Inject,
    /// Through the queue of a protocol processor.
    HandOver,
}

/// Something on its way.
#[derive(Debug)]
pub(crate) struct Flight {
    from: usize,
    to: usize,
    bytes: u64,
    /// Which of all that were sent, from 0.
    pub(crate) number: u64,
    cargo: Cargo,
}

impl Flight {
    /// The message on its way to a handler.
    pub(crate) fn packet(&self) -> &Packet {
        match &self.cargo {
            Cargo::Message(packet) | Cargo::Transfer(_, _, packet) => packet,
            Cargo::Deposit(..) => unreachable!("no handler is run for a deposit"),
        }
    }
}

/// What a thread has handed to the protocol processor for injection.
#[derive(Debug)]
pub(crate) struct HandedOver {
    pub(crate) to: NodeId,
    pub(crate) cargo: Cargo,
}

impl State {
    /// Whether a thread on `core` may send at its own time.
    fn has_room(&self, core: usize) -> bool {
        let handing_over = self.hands_over(core);
        let node = &self.nodes[self.cores[core].node];
        if handing_over {
            node.handed_over.len() < self.machine.interface.send_queue
        } else {
            node.interface.has_room(self.now + self.cores[core].ahead)
        }
    }

    /// Whether a thread on `core` may send now. A send that waits for room is counted once, however often it tries.
    pub(crate) fn finds_room(&mut self, core: usize) -> bool {
        let has_room = self.has_room(core);
        let awaited = *self.awaits_room(core);
        if has_room && awaited {
            *self.awaits_room(core) = false;
            let (node, thread) = self.who_sends(core);
            self.sink.record(self.now + self.cores[core].ahead, Traced::Resume { node, thread });
        } else if !has_room && !awaited {
            self.cores[core].counters.refused += 1;
        }
        has_room
    }

    /// The thread on `core` begins, or goes on, to wait for room.
    pub(crate) fn await_room(&mut self, core: usize) {
        if !std::mem::replace(self.awaits_room(core), true) {
            let (node, thread) = self.who_sends(core);
            let wait = Traced::Block { node, thread, what: "room" };
            self.sink.record(self.now + self.cores[core].ahead, wait);
        }
    }

    fn awaits_room(&mut self, core: usize) -> &mut bool {
        let thread = self.thread_on(core) as usize;
        &mut self.nodes[self.cores[core].node].threads[thread].awaits_room
    }

    /// Node and thread, as a trace names them.
    fn who_sends(&self, core: usize) -> (u32, u32) {
        (self.cores[core].node as u32, self.thread_on(core))
    }

    /// The thread on `core` waits until a message that was handed over has been taken.
    pub(crate) fn starve(&mut self, core: usize) {
        let node = self.cores[core].node;
        self.nodes[node].starved.push_back(core);
    }

    /// Which way what is sent from `core` now will go. A handler on a protocol processor stays behind what threads have
    /// handed over: their messages came before.
    pub(crate) fn route(&self, core: usize) -> Route {
        let node = &self.nodes[self.cores[core].node];
        let behind =
            self.policy.injector == Injector::Protocol && (node.injecting || !node.handed_over.is_empty());
        if self.hands_over(core) || behind { Route::HandOver } else { Route::Inject }
    }

    /// Insists that the machine can do what a program asks for.
    pub(crate) fn expect_capability(&self, capability: Capability) {
        let machine = &self.machine;
        assert!(machine.can.contains(&capability), "machine `{}` has no `{capability}`", machine.name);
    }

    /// What sending costs the processor that does it, spent on its own clock: the caller settles before the cargo goes.
    pub(crate) fn spend_send(&mut self, core: usize, route: Route, cargo: &Cargo) {
        let written = cargo.written();
        if route == Route::HandOver {
            let cost = self.hand_over_cost(written + cargo.descriptor());
            self.cores[core].spend(Bucket::Overhead, cost);
            return;
        }
        if let Cargo::Transfer(..) = cargo {
            self.spend_primitive(core, Primitive::StartTransfer, 1);
        }
        self.spend_primitive(core, Primitive::SendHeader, 1);
        self.spend_primitive(core, Primitive::SendWord, written as u32);
    }

    /// The cargo goes: into the interface, or into the hands of a protocol processor.
    pub(crate) fn send(&mut self, core: usize, route: Route, to: NodeId, cargo: Cargo) {
        if route == Route::HandOver {
            let node = self.cores[core].node;
            self.nodes[node].handed_over.push_back(HandedOver { to, cargo });
            self.notify(node);
        } else {
            self.inject(core, to, cargo);
        }
    }

    /// Whether `core` could start to inject a message that was handed over.
    pub(crate) fn may_inject(&self, core: usize) -> bool {
        let node = &self.nodes[self.cores[core].node];
        self.cores[core].dedicated && !node.injecting && !node.handed_over.is_empty()
    }

    /// Has `core` inject the oldest message that was handed over.
    pub(crate) fn start_injection(&mut self, core: usize) -> bool {
        if !self.may_inject(core) {
            return false;
        }
        let node = &mut self.nodes[self.cores[core].node];
        let Some(message) = node.handed_over.pop_front() else { return false };
        node.injecting = true;
        if let Some(starved) = node.starved.pop_front() {
            self.continue_now(starved, Time::ZERO);
        }
        self.end_idling(core);
        self.cores[core].activity = Activity::Injecting;
        self.spend_send(core, Route::Inject, &message.cargo);
        self.cores[core].injecting = Some(message);
        let cost = std::mem::take(&mut self.cores[core].ahead);
        self.continue_at(core, self.now + cost);
        true
    }

    /// The injection on `core` is done.
    pub(crate) fn finish_injection(&mut self, core: usize) {
        let message = self.cores[core].injecting.take().expect("an injecting core has a message");
        let node = self.cores[core].node;
        self.nodes[node].injecting = false;
        self.cores[core].injected_last = true;
        self.inject(core, message.to, message.cargo);
        self.free(core);
        self.notify(node);
    }

    fn inject(&mut self, core: usize, to: NodeId, cargo: Cargo) {
        let (from, destination) = (self.cores[core].node, to.0 as usize);
        let (bytes, headers) = self.count(core, destination, &cargo);
        self.record_departure(core, to, u32::try_from(bytes + headers).unwrap_or(u32::MAX), &cargo);
        let line = self.machine.memory.line.get();
        let interface = &mut self.nodes[from].interface;
        let arrives = (destination != from)
            .then(|| self.network.arrival(interface.inject(self.now, bytes, cargo.mover(line))));
        let tie = self.nodes[destination].tie;
        let flight = self.take_off(Flight { from, to: destination, bytes, number: self.sent, cargo });
        self.sent += 1;
        match arrives {
            Some(at) => self.events.push(at, tie, Happening::Arrive { flight }),
            // A node's message to itself goes straight to its queue; as an event, because the sender runs now.
            None => self.events.push(self.now, tie, Happening::Deliver { flight }),
        }
    }

    /// Counts what is sent; returns its bytes and those of its headers.
    fn count(&mut self, core: usize, to: usize, cargo: &Cargo) -> (u64, u64) {
        let Core { node: from, counters, .. } = &mut self.cores[core];
        let node = &self.nodes[*from];
        let (volume, message) = match cargo {
            Cargo::Message(packet) | Cargo::Transfer(_, _, packet) => {
                counters.messages += 1;
                counters.transfers += u64::from(matches!(cargo, Cargo::Transfer(..)));
                (node.waist.volume(packet), node.waist.bytes(packet))
            }
            Cargo::Deposit(..) => {
                counters.deposits += 1;
                (Volume::Data, 0)
            }
        };
        let placed = cargo.placed();
        let headers = node.interface.headers(message + placed);
        if to != *from {
            counters.volume.count(volume, message, headers);
            counters.volume.data += placed;
        }
        (message + placed, headers)
    }

    fn record_departure(&mut self, core: usize, to: NodeId, bytes: u32, cargo: &Cargo) {
        let Core { node, number: processor, .. } = self.cores[core];
        let (node, to, flow) = (node as u32, to.0, self.sent);
        self.record(match cargo {
            Cargo::Message(packet) | Cargo::Transfer(_, _, packet) => {
                Traced::Send { node, processor, to, message: packet.id().0, bytes, flow }
            }
            Cargo::Deposit(..) => Traced::Deposit { node, processor, to, bytes, flow },
        });
    }

    /// The first byte of what was sent has crossed the network.
    pub(crate) fn arrive(&mut self, flight: u32) {
        let Flight { to, bytes, cargo, .. } = &self.flights[flight as usize];
        let (to, mover) = (*to, cargo.mover(self.machine.memory.line.get()));
        let through = self.nodes[to].interface.eject(self.now, *bytes, mover);
        let node = &mut self.nodes[to];
        // What the port let through before, and is in place at this very instant, still comes first.
        if through > self.now || node.passing > 0 {
            node.passing += 1;
            self.events.push(through, node.tie, Happening::Pass { flight });
        } else {
            self.deliver(flight);
        }
    }

    /// What was sent has passed the port in.
    pub(crate) fn pass(&mut self, flight: u32) {
        self.nodes[self.flights[flight as usize].to].passing -= 1;
        self.deliver(flight);
    }

    /// What was sent is where it should be: words at their place, a message in its node's queue.
    pub(crate) fn deliver(&mut self, flight: u32) {
        let Flight { from, to, cargo, number: flow, .. } = &mut self.flights[flight as usize];
        let (source, to, flow) = (NodeId(*from as u32), *to, *flow);
        let node = &self.nodes[to].waist;
        let mut count = 0;
        if let Cargo::Transfer(place, words, _) | Cargo::Deposit(place, words) = cargo {
            // The place among the flights may stay free for long, and should not keep a block so long.
            let words = std::mem::take(words);
            // Caught by the engine, like everything else that a program does wrong.
            node.write(source, *place, &words).unwrap_or_else(|bad| panic!("{bad}"));
            count = words.len();
        }
        match cargo {
            Cargo::Deposit(place, _) => {
                let mut waiters = Vec::new();
                node.count_deposit(*place, count, |waiter| waiters.push(waiter));
                self.record(Traced::Place { node: to as u32, from: source.0, flow });
                self.free_flights.push(flight);
                waiters.into_iter().for_each(|waiter| self.resume_by_deposit(to, waiter));
            }
            Cargo::Message(packet) | Cargo::Transfer(_, _, packet) => {
                let message = packet.id().0;
                self.record(Traced::Arrive { node: to as u32, from: source.0, message, flow });
                self.join_queue(to, flight);
            }
        }
    }

    /// A message joins its node's queue.
    fn join_queue(&mut self, node: usize, flight: u32) {
        let place = &mut self.nodes[node];
        if self.policy.servers == Servers::Compute {
            place.queue.arrive(self.now);
            place.unseen.push_back(Arrived { at: self.now, flight });
        } else {
            let key = place.waist.key(self.flights[flight as usize].packet());
            let key = key.expect("packets of this world are never damaged");
            place.queue.arrive(self.now);
            place.queue.enqueue(self.now, key, Event::Message { flight });
        }
        self.notify(node);
    }

    /// The handler of a message has it now.
    pub(crate) fn land(&mut self, flight: u32) -> Packet {
        self.free_flights.push(flight);
        *self.flights[flight as usize].packet()
    }

    fn take_off(&mut self, flight: Flight) -> u32 {
        match self.free_flights.pop() {
            Some(slot) => {
                self.flights[slot as usize] = flight;
                slot
            }
            None => {
                self.flights.push(flight);
                (self.flights.len() - 1) as u32
            }
        }
    }
}
