//! Messages, transfers and deposits on their way: from a processor into the interface, through the network, into the
//! dispatch queue or into memory.

use hardware::Network;
use machine::{Capability, Class};
use tempest::policy::Servers;
use tempest::world::Packet;
use tempest::{NodeId, Place, Primitive, Volume};
use trace::Event as Traced;
use units::Time;

use crate::agenda::Happening;
use crate::cluster::Cluster;
use crate::dispatch::Arrived;
use crate::link::cargo::{Cargo, Flight, HandedOver, Origin, Route, WORD_BYTES};
use crate::processor::core::{Activity, Bucket, Core, Event};

impl Cluster {
    /// Whether a thread on `core` may send at its own time.
    fn has_room(&self, core: usize) -> bool {
        let handing_over = self.hands_over(core);
        let node = &self.nodes[self.cores[core].node];
        if handing_over {
            let machine = &self.setting.machine;
            let room = machine.handoff.as_ref().map_or(machine.interface.send_queue, |queue| queue.capacity);
            node.port.handed_over.len() < room
        } else {
            let node = self.cores[core].node;
            self.takes_commands(node)
                && self.interface_has_room(node, self.agenda.now + self.cores[core].ahead)
        }
    }

    /// Whether a thread on `core` may send now. A send that waits for room is counted once, however often it tries.
    pub(crate) fn finds_room(&mut self, core: usize) -> bool {
        let has_room = self.has_room(core);
        let awaited = *self.awaits_room(core);
        if has_room && awaited {
            *self.awaits_room(core) = false;
            let (node, thread) = self.who_sends(core);
            self.measure
                .sink
                .record(self.agenda.now + self.cores[core].ahead, Traced::Resume { node, thread });
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
            self.measure.sink.record(self.agenda.now + self.cores[core].ahead, wait);
        }
    }

    fn awaits_room(&mut self, core: usize) -> &mut bool {
        let thread = self.thread_on(core) as usize;
        &mut self.nodes[self.cores[core].node].threads.all[thread].awaits_room
    }

    /// Node and thread, as a trace names them.
    fn who_sends(&self, core: usize) -> (u32, u32) {
        (self.cores[core].node as u32, self.thread_on(core))
    }

    /// The thread on `core` waits until a message that was handed over has been taken.
    pub(crate) fn starve(&mut self, core: usize) {
        let node = self.cores[core].node;
        self.nodes[node].port.starved.push_back(core);
        self.cores[core].starved = true;
    }

    /// Which way what is sent from `core` now will go.
    pub(crate) fn route(&self, core: usize, cargo: &Cargo) -> Route {
        let behind = self.hands_over(core) || self.stays_behind(core, cargo);
        if behind { Route::HandOver } else { Route::Inject }
    }

    /// Insists that the machine can do what a program asks for.
    pub(crate) fn expect_capability(&self, capability: Capability) {
        let machine = &self.setting.machine;
        assert!(machine.can.contains(&capability), "machine `{}` has no `{capability}`", machine.name);
    }

    /// What sending costs the processor that does it, spent on its own clock: the caller settles before the cargo goes.
    pub(crate) fn spend_send(&mut self, core: usize, route: Route, to: NodeId, cargo: &Cargo) {
        if route == Route::HandOver {
            let class = self.class_of_cargo(self.cores[core].node, cargo);
            let cost = self.hand_over_cost(core, class, self.written(core, cargo) + cargo.descriptor());
            self.spend_cost(core, cost);
        } else {
            self.spend_injection(core, to, cargo);
        }
    }

    /// What putting the cargo into the interface costs the processor that does it.
    pub(crate) fn spend_injection(&mut self, core: usize, to: NodeId, cargo: &Cargo) {
        let Core { node, .. } = self.cores[core];
        let class = self.class_of_cargo(node, cargo);
        if let Cargo::Transfer(..) = cargo {
            self.spend_primitive_for(core, Primitive::StartTransfer, class, 1);
        }
        if to.0 as usize != node || !self.spend_own_send(core, class) {
            let hold = self.price(core, Primitive::SendHeader, class).path;
            let wait = self.wait_for_interface(core, hold);
            self.cores[core].spend(Bucket::Memory, wait);
            self.spend_primitive_for(core, Primitive::SendHeader, class, 1);
        }
        let words = self.written(core, cargo) as u64;
        self.spend_primitive_for(core, Primitive::SendWord, class, words);
    }

    /// Words that the sending processor writes into the interface, the header aside. The place of a deposit is one; the words of
    /// a block the device reads itself.
    fn written(&self, core: usize, cargo: &Cargo) -> usize {
        match cargo {
            Cargo::Message(packet) | Cargo::Transfer(_, _, packet, _) | Cargo::Block(_, _, packet) => {
                self.words_behind_header(self.cores[core].node, packet)
            }
            Cargo::Deposit(_, words) => 1 + words.len(),
            Cargo::Packet(_) => 0,
        }
    }

    /// Words of a message that processors write and read beside its header. The header of one about a block of shared memory
    /// says which block, and so has the message's first word.
    pub(crate) fn words_behind_header(&self, node: usize, packet: &Packet) -> usize {
        packet.words().len().saturating_sub(usize::from(self.is_about_block(node, packet)))
    }

    /// How long `core`, whose time is now, waits for the lock over the interface, to hold it for `hold`. What takes no time
    /// needs no lock.
    pub(crate) fn wait_for_interface(&mut self, core: usize, hold: Time) -> Time {
        let now = self.agenda.now;
        if hold.is_zero() {
            return Time::ZERO;
        }
        let node = self.cores[core].node;
        self.nodes[node].port.lock.as_mut().map_or(Time::ZERO, |lock| lock.acquire(now, core, hold) - now)
    }

    /// Whether `core` needs a lock to drive the interface.
    pub(crate) fn locks_interface(&self, core: usize) -> bool {
        self.nodes[self.cores[core].node].port.lock.is_some()
    }

    /// The cargo goes: into the interface, or into the hands of a protocol processor.
    pub(crate) fn send(&mut self, core: usize, route: Route, to: NodeId, cargo: Cargo) {
        // Whom it was to be handed to may have left in between; then nothing waits there that was handed over before.
        let node = self.cores[core].node;
        if route == Route::HandOver && self.injects_for_others(node) {
            let visible_at = self.agenda.now + self.hand_over_delay();
            self.nodes[node].port.handed_over.push_back(HandedOver { to, cargo, visible_at });
            if visible_at > self.agenda.now {
                self.look_at(node, visible_at);
            } else {
                self.notify(node);
            }
        } else {
            self.inject(core, to, cargo);
        }
    }

    /// Whether `core` could start to inject a message that was handed over.
    pub(crate) fn may_inject(&self, core: usize) -> bool {
        if self.is_network_processor(core) {
            return self.network_has_work(core);
        }
        let node = &self.nodes[self.cores[core].node];
        self.cores[core].dedicated && !node.port.injecting && !node.port.handed_over.is_empty()
    }

    /// Has `core` inject the oldest message that was handed over.
    pub(crate) fn start_injection(&mut self, core: usize) -> bool {
        if !self.may_inject(core) {
            return false;
        }
        let node = &mut self.nodes[self.cores[core].node];
        let Some(message) = node.port.handed_over.pop_front() else { return false };
        node.port.injecting = true;
        self.wake_starved(self.cores[core].node);
        self.end_idling(core);
        self.cores[core].activity = Activity::Injecting;
        self.spend_send(core, Route::Inject, message.to, &message.cargo);
        self.make_at_once(core);
        self.cores[core].injecting = Some(message);
        let cost = std::mem::take(&mut self.cores[core].ahead);
        self.continue_at(core, self.agenda.now + cost);
        true
    }

    /// A processor of a node that waits for room, or for something to do meanwhile, looks again.
    pub(crate) fn wake_starved(&mut self, node: usize) {
        if let Some(starved) = self.nodes[node].port.starved.pop_front() {
            self.cores[starved].starved = false;
            self.continue_now(starved, Time::ZERO);
        }
    }

    /// The injection on `core` is done.
    pub(crate) fn finish_injection(&mut self, core: usize) {
        let message = self.cores[core].injecting.take().expect("an injecting core has a message");
        let node = self.cores[core].node;
        self.nodes[node].port.injecting = false;
        self.cores[core].injected_last = true;
        self.inject(core, message.to, message.cargo);
        self.free(core);
        self.notify(node);
    }

    /// The cargo enters the interface.
    pub(crate) fn inject(&mut self, core: usize, to: NodeId, cargo: Cargo) {
        let (from, destination) = (self.cores[core].node, to.0 as usize);
        let class = self.class_of_cargo(from, &cargo);
        let (bytes, headers) = self.count(core, destination, &cargo);
        self.record_departure(core, to, u32::try_from(bytes + headers).unwrap_or(u32::MAX), &cargo);
        let mover = cargo.mover(self.setting.machine.memory.line.get());
        let shipped = self.places(from, destination, &cargo);
        let flight = self.flight((from, destination), bytes, class, cargo);
        let number = flight.number;
        let flight = self.take_off(flight);
        self.nodes[from].port.sent += 1;
        if destination == from {
            // A node's message to itself goes straight to its queue; as an event, because the sender runs now. A processor
            // that runs handlers has it at hand.
            let near = self.cores[core].server.is_some();
            let way = if near { Time::ZERO } else { self.setting.machine.interface.loopback };
            self.agenda.events.push(
                self.agenda.now + way,
                self.nodes[from].tie,
                Happening::Deliver { flight },
            );
        } else if let Some((source, target, bytes)) = shipped {
            self.ship((flight, number), (from, destination), (source, target), bytes);
        } else {
            self.leave(flight, from, destination, bytes, mover);
        }
    }

    /// Where in the memories of both nodes the words of a transfer are that goes through staging buffers, and their bytes.
    fn places(&self, from: usize, to: usize, cargo: &Cargo) -> Option<(Option<u64>, u64, u64)> {
        let Cargo::Transfer(place, words, _, source) = cargo else { return None };
        // Words for a place that is not there are noticed where they arrive, however they travel.
        let address = |node: usize, place: Place| self.nodes[node].waist.address(place, words.len()).ok();
        let target = address(to, *place).filter(|_| self.ships())?;
        let source = source.and_then(|source| address(from, source));
        Some((source, target, words.len() as u64 * WORD_BYTES))
    }

    /// A packet of a transfer leaves; it is counted and recorded with the whole.
    pub(crate) fn launch_packet(&mut self, packet: u32, from: usize, to: usize, bytes: u64) {
        let cargo = Cargo::Packet(packet);
        let (class, mover) = (Class::Write, cargo.mover(self.setting.machine.memory.line.get()));
        let flight = self.flight((from, to), bytes, class, cargo);
        let flight = self.take_off(flight);
        self.leave(flight, from, to, bytes, mover);
    }

    /// Counts what is sent; returns its bytes and those of its headers.
    fn count(&mut self, core: usize, to: usize, cargo: &Cargo) -> (u64, u64) {
        let bytes = self.bytes_behind_header(self.cores[core].node, cargo);
        let Core { node: from, counters, .. } = &mut self.cores[core];
        let node = &self.nodes[*from];
        let (volume, message) = match cargo {
            Cargo::Message(packet) | Cargo::Transfer(_, _, packet, _) | Cargo::Block(_, _, packet) => {
                counters.messages += 1;
                counters.transfers += u64::from(matches!(cargo, Cargo::Transfer(..)));
                (node.waist.volume(packet), bytes)
            }
            Cargo::Deposit(..) => {
                counters.deposits += 1;
                (Volume::Data, 0)
            }
            Cargo::Packet(_) => unreachable!("what it is a packet of has been counted"),
        };
        let placed = cargo.placed();
        let headers = node.port.interface.headers(message + placed);
        if to != *from {
            counters.volume.count(volume, message, headers);
            counters.volume.data += placed;
        }
        (message + placed, headers)
    }

    /// Bytes of a message on the wire beside its header.
    fn bytes_behind_header(&self, node: usize, cargo: &Cargo) -> u64 {
        match cargo {
            Cargo::Message(packet) | Cargo::Transfer(_, _, packet, _) | Cargo::Block(_, _, packet) => {
                let in_header = if self.is_about_block(node, packet) { WORD_BYTES } else { 0 };
                self.nodes[node].waist.bytes(packet).saturating_sub(in_header)
            }
            Cargo::Deposit(..) | Cargo::Packet(_) => 0,
        }
    }

    fn record_departure(&mut self, core: usize, to: NodeId, bytes: u32, cargo: &Cargo) {
        let Core { node, number: processor, .. } = self.cores[core];
        let (flow, node, to) = (self.next_number(node), node as u32, to.0);
        self.record(match cargo {
            Cargo::Message(packet) | Cargo::Transfer(_, _, packet, _) | Cargo::Block(_, _, packet) => {
                Traced::Send { node, processor, to, message: packet.id().0, bytes, flow }
            }
            Cargo::Deposit(..) | Cargo::Packet(_) => Traced::Deposit { node, processor, to, bytes, flow },
        });
    }

    /// A message has come to a port in: its last byte has, if the network is constant and the port was free; otherwise its first
    /// byte has.
    pub(crate) fn arrive(&mut self, flight: u32) {
        let Flight { to, bytes, cargo, .. } = &self.link.flights[flight as usize];
        let (to, mover) = (*to, cargo.mover(self.setting.machine.memory.line.get()));
        let interface = &mut self.nodes[to].port.interface;
        let first = match self.link.network {
            Network::Constant(_) => self.agenda.now - interface.behind(*bytes, mover),
            Network::Routed(_) => self.agenda.now,
        };
        let through = interface.eject(first, *bytes, mover);
        let node = &mut self.nodes[to];
        // What the port let through before, and is in place at this very instant, still comes first.
        if through > self.agenda.now || node.port.passing > 0 {
            node.port.passing += 1;
            self.agenda.events.push(through, node.tie, Happening::Pass { flight });
        } else {
            self.deliver(flight);
        }
    }

    /// The last byte of a message has passed the port in. A message that goes straight to memory, or is taken at once, leaves
    /// room in the interface behind it.
    pub(crate) fn pass(&mut self, flight: u32) {
        let to = self.link.flights[flight as usize].to;
        self.nodes[to].port.passing -= 1;
        self.deliver(flight);
        self.admit_next(to);
    }

    /// What was sent is where it should be: words at their place, a message in its node's queue.
    pub(crate) fn deliver(&mut self, flight: u32) {
        if let Flight { cargo: Cargo::Packet(packet), to, .. } = self.link.flights[flight as usize] {
            self.link.free_flights.push(flight);
            return self.packet_arrives(to, packet);
        }
        if self.is_held_back(flight) {
            return;
        }
        self.link.flights[flight as usize].arrived = self.agenda.now;
        let Flight { from, to, cargo, number: flow, .. } = &mut self.link.flights[flight as usize];
        let (source, to, flow) = (NodeId(*from as u32), *to, *flow);
        let node = &self.nodes[to].waist;
        let mut count = 0;
        if let Cargo::Transfer(place, words, ..) | Cargo::Deposit(place, words) = cargo {
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
                self.link.free_flights.push(flight);
                waiters.into_iter().for_each(|waiter| self.resume_by_deposit(to, waiter));
            }
            Cargo::Message(packet) | Cargo::Transfer(_, _, packet, _) | Cargo::Block(_, _, packet) => {
                let message = packet.id().0;
                self.record(Traced::Arrive { node: to as u32, from: source.0, message, flow });
                self.join_queue(to, flight);
            }
            Cargo::Packet(_) => unreachable!("it has been placed"),
        }
        self.let_through(flow);
    }

    /// A message has come out of the port in. Where a network processor looks for messages, it waits for that.
    fn join_queue(&mut self, node: usize, flight: u32) {
        if self.nodes[node].dispatch.network.is_none() {
            self.join_dispatch_queue(node, flight);
            return;
        }
        self.line_up(node, flight);
        if self.takes_at_once(node, flight) {
            return;
        }
        self.nodes[node].dispatch.incoming.push_back(Arrived { at: self.agenda.now, flight });
        self.notify(node);
    }

    /// The computing processor can see a message that the network processor has handed over.
    pub(crate) fn forward(&mut self, flight: u32) {
        let node = self.link.flights[flight as usize].to;
        self.link.flights[flight as usize].forwarded = true;
        self.join_dispatch_queue(node, flight);
        self.wake_starved(node);
    }

    /// Whether the processor that runs most handlers, between its threads, looks for their messages itself.
    pub(crate) fn looks_itself(&self) -> bool {
        matches!(self.setting.policy.servers, Servers::Compute | Servers::Network | Servers::Either)
    }

    /// A message joins its node's dispatch queue.
    pub(crate) fn join_dispatch_queue(&mut self, node: usize, flight: u32) {
        self.nodes[node].dispatch.queue.arrive(self.agenda.now);
        if self.looks_itself() || self.calls_routine() {
            self.nodes[node].dispatch.unseen.push_back(Arrived { at: self.agenda.now, flight });
        } else {
            let key = self.key_of(node, self.link.flights[flight as usize].packet());
            self.nodes[node].dispatch.queue.enqueue(self.agenda.now, key, Event::Message { flight });
        }
        self.notify(node);
    }

    /// The handler of a message has it now, and the words of a block that came with it are the block's.
    pub(crate) fn land(&mut self, flight: u32) -> Packet {
        self.link.free_flights.push(flight);
        let Flight { to, cargo, .. } = &mut self.link.flights[flight as usize];
        if let Cargo::Block(block, words, _) = cargo {
            let words = std::mem::take(words);
            let memory =
                self.nodes[*to].waist.memory().expect("a node that is sent blocks has shared memory");
            memory.place(*block, &words);
        }
        *self.link.flights[flight as usize].packet()
    }

    /// A new event of a node that no network brings; of the kind of another event, if it goes on with that.
    pub(crate) fn local_event(
        &mut self,
        node: usize,
        packet: Packet,
        origin: Origin,
        like: Option<(u16, Class)>,
    ) -> u32 {
        let cargo = Cargo::Message(packet);
        let (kind, class) = like.unwrap_or_else(|| (cargo.kind(), self.class_of_cargo(node, &cargo)));
        let flight = Flight { kind, origin, ..self.flight((node, node), 0, class, cargo) };
        let (place, message, flow) = (node as u32, packet.id().0, flight.number);
        self.nodes[node].port.sent += 1;
        self.record(Traced::Arrive { node: place, from: place, message, flow });
        self.take_off(flight)
    }

    /// Something that leaves now.
    fn flight(&self, (from, to): (usize, usize), bytes: u64, class: Class, cargo: Cargo) -> Flight {
        Flight {
            from,
            to,
            bytes,
            class,
            forwarded: false,
            number: self.next_number(from),
            uses: 0,
            kind: cargo.kind(),
            origin: Origin::Sent,
            left: self.agenda.now,
            arrived: self.agenda.now,
            cargo,
        }
    }

    /// The number of what a node sends next.
    fn next_number(&self, node: usize) -> u64 {
        Traced::flow_number(node as u32, self.nodes[node].port.sent)
    }

    fn take_off(&mut self, flight: Flight) -> u32 {
        match self.link.free_flights.pop() {
            Some(slot) => {
                let place = &mut self.link.flights[slot as usize];
                let uses = place.uses.wrapping_add(1);
                *place = Flight { uses, ..flight };
                slot
            }
            None => {
                self.link.flights.push(flight);
                (self.link.flights.len() - 1) as u32
            }
        }
    }
}
