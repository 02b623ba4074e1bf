//! Messages, transfers and deposits on their way: from a processor into the interface, through the network, into the
//! dispatch queue or into memory.

use hardware::Network;
use hardware::memory::Keep;
use machine::{Class, Cost};
use tempest::policy::Servers;
use tempest::world::{Held, Lowering, Node as Waist, Packet};
use tempest::{MemoryEvents, NodeId, Place, Primitive, Volume};
use trace::Event as Traced;
use units::Time;

use crate::agenda::Happening;
use crate::cluster::Cluster;
use crate::cluster::node::Node;
use crate::dispatch::events::Arrived;
use crate::link::cargo::{Cargo, Flight, HandedOver, Origin, Route, key_of, words_behind_header};
use crate::memory::at_work::{Reaching, Step};
use crate::memory::blocks::BlockWork;
use crate::memory::lowering::PutOff;
use crate::prices::{Receipt, WORD_BYTES};
use crate::processor::core::{Activity, Event, Job};
use crate::processor::ledger::Bucket;

impl Cluster {
    /// Whether a thread on `core` may send at its own time.
    fn has_room(&self, core: usize) -> bool {
        let handing_over = self.hands_over(core);
        let node = &self.nodes[self.cores[core].node()];
        if handing_over {
            let machine = &self.setting.machine;
            let room = machine.handoff.as_ref().map_or(machine.interface.send_queue, |queue| queue.capacity);
            node.dispatch.injection.waiting() < room
        } else {
            let node = self.cores[core].node();
            self.takes_commands(node)
                && self.interface_has_room(node, self.cores[core].clock.at(self.agenda.now))
        }
    }

    /// Whether a thread on `core` may send now. A send that waits for room is counted once, however often it tries.
    pub(crate) fn finds_room(&mut self, core: usize) -> bool {
        let has_room = self.has_room(core);
        let (at, thread) = (self.cores[core].node(), self.thread_on(core));
        let awaited = self.nodes[at].threads.awaits_room(thread);
        if has_room && awaited {
            self.nodes[at].threads.await_room(thread, false);
            let (node, thread) = self.who_sends(core);
            self.measure
                .sink
                .record(self.cores[core].clock.at(self.agenda.now), Traced::Resume { node, thread });
        } else if !has_room && !awaited {
            self.cores[core].ledger.count().refused += 1;
        }
        has_room
    }

    /// The thread on `core` begins, or goes on, to wait for room.
    pub(crate) fn await_room(&mut self, core: usize) {
        let (node, thread) = (self.cores[core].node(), self.thread_on(core));
        if !self.nodes[node].threads.await_room(thread, true) {
            let (node, thread) = self.who_sends(core);
            let wait = Traced::Block { node, thread, what: "room" };
            self.measure.sink.record(self.cores[core].clock.at(self.agenda.now), wait);
        }
    }

    /// Node and thread, as a trace names them.
    fn who_sends(&self, core: usize) -> (u32, u32) {
        (self.cores[core].node() as u32, self.thread_on(core))
    }

    /// The thread on `core` waits until a message that was handed over has been taken.
    pub(crate) fn starve(&mut self, core: usize) {
        let node = self.cores[core].node();
        let number = self.cores[core].number().into();
        self.nodes[node].dispatch.injection.starve(number);
        self.cores[core].starve(true);
    }

    /// Which way what is sent from `core` now will go.
    pub(crate) fn route(&self, core: usize, cargo: &Cargo) -> Route {
        let (node, number) = (self.cores[core].node(), self.cores[core].number());
        let keyed = || cargo.has_key(&self.nodes[node].waist);
        let stays_behind = || self.nodes[node].dispatch.stays_behind(number.into(), keyed);
        if self.hands_over(core) || stays_behind() { Route::HandOver } else { Route::Inject }
    }

    /// What sending costs the processor that does it, spent on its own clock: the caller settles before the cargo goes.
    pub(crate) fn spend_send(&mut self, core: usize, route: Route, to: NodeId, cargo: &Cargo) {
        if route == Route::HandOver {
            let node = self.cores[core].node();
            let class = cargo.class(&self.nodes[node].waist);
            let words = cargo.written(&self.nodes[node].waist) + cargo.descriptor();
            let cost = self.setting.prices.hand_over(self.cores[core].list(), class, words);
            self.at_work(core).spend(cost);
        } else {
            self.spend_injection(core, to, cargo);
        }
    }

    /// What putting the cargo into the interface costs the processor that does it.
    pub(crate) fn spend_injection(&mut self, core: usize, to: NodeId, cargo: &Cargo) {
        let node = self.cores[core].node();
        let class = cargo.class(&self.nodes[node].waist);
        if let Cargo::Transfer(..) = cargo {
            self.at_work(core).spend_primitive_for(Primitive::StartTransfer, class, 1);
        }
        if to.0 as usize != node || !self.at_work(core).spend_own_send(class) {
            let hold = self.price(core, Primitive::SendHeader, class).path;
            let wait = self.wait_for_interface(core, hold);
            self.cores[core].spend(Bucket::Memory, wait);
            self.at_work(core).spend_primitive_for(Primitive::SendHeader, class, 1);
        }
        let words = cargo.written(&self.nodes[node].waist) as u64;
        self.at_work(core).spend_primitive_for(Primitive::SendWord, class, words);
    }

    /// How long `core`, whose time is now, waits for the lock over the interface, to hold it for `hold`. What takes no time
    /// needs no lock.
    pub(crate) fn wait_for_interface(&mut self, core: usize, hold: Time) -> Time {
        let now = self.agenda.now;
        if hold.is_zero() {
            return Time::ZERO;
        }
        let node = self.cores[core].node();
        self.nodes[node].port.lock.as_mut().map_or(Time::ZERO, |lock| lock.acquire(now, core, hold) - now)
    }

    /// Whether `core` needs a lock to drive the interface.
    pub(crate) fn locks_interface(&self, core: usize) -> bool {
        self.nodes[self.cores[core].node()].port.lock.is_some()
    }

    /// The cargo goes: into the interface, or into the hands of a processor that injects it.
    pub(crate) fn send(&mut self, core: usize, route: Route, to: NodeId, cargo: Cargo) {
        let (now, node) = (self.agenda.now, self.cores[core].node());
        let message = HandedOver { to, cargo };
        if route == Route::Inject {
            return self.inject(core, message.to, message.cargo);
        }
        let visible_at = now + self.setting.prices.hand_over_delay();
        self.agenda.note_progress();
        match self.nodes[node].dispatch.hand_over(visible_at, message) {
            // The processor that was to inject has left in between; then nothing waits there that was handed over before.
            Err(HandedOver { to, cargo }) => self.inject(core, to, cargo),
            Ok(()) if visible_at > now => self.look_at(node, visible_at),
            Ok(()) => self.notify(node),
        }
    }

    /// Has a dedicated `core` inject the oldest message that was handed over. False if it cannot.
    pub(crate) fn start_injection(&mut self, core: usize) -> bool {
        let (node, number) = (self.cores[core].node(), self.cores[core].number());
        let dedicated = self.cores[core].is_dedicated();
        let injection = &mut self.nodes[node].dispatch.injection;
        if !dedicated || !injection.may_begin() {
            return false;
        }
        let Some(message) = injection.pop() else { return false };
        self.wake_starved(node);
        self.end_idling(core);
        self.cores[core].begin(Activity::Injecting);
        self.spend_send(core, Route::Inject, message.to, &message.cargo);
        self.at_work(core).make_at_once();
        self.nodes[node].dispatch.injection.keep(number.into(), message);
        let cost = self.cores[core].clock.take_ahead();
        self.continue_at(core, self.agenda.now + cost);
        true
    }

    /// A processor of a node that waits for room, or for something to do meanwhile, looks again.
    pub(crate) fn wake_starved(&mut self, node: usize) {
        if let Some(starved) = self.nodes[node].dispatch.injection.next_starved() {
            let starved = self.nodes[node].first_core + starved;
            self.cores[starved].starve(false);
            self.continue_now(starved, Time::ZERO);
        }
    }

    /// The injection on `core` is done.
    pub(crate) fn finish_injection(&mut self, core: usize) {
        let node = self.cores[core].node();
        let message = self.release_in_hand(core);
        self.cores[core].note_injection();
        self.inject(core, message.to, message.cargo);
        self.free(core);
        self.notify(node);
    }

    /// The message that `core` has taken to inject it.
    pub(crate) fn release_in_hand(&mut self, core: usize) -> HandedOver {
        let (node, number) = (self.cores[core].node(), self.cores[core].number());
        let message = self.nodes[node].dispatch.injection.release(number.into());
        message.expect("a processor that injects has a message in hand")
    }

    /// The cargo enters the interface.
    pub(crate) fn inject(&mut self, core: usize, to: NodeId, cargo: Cargo) {
        let (from, destination) = (self.cores[core].node(), to.0 as usize);
        self.agenda.note_progress();
        let class = cargo.class(&self.nodes[from].waist);
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
            let number = self.cores[core].number().into();
            let near = self.nodes[from].dispatch.serving.server(number).is_some();
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
        let from = self.cores[core].node();
        let bytes = cargo.bytes_behind_header(&self.nodes[from].waist);
        let counters = self.cores[core].ledger.count();
        let node = &self.nodes[from];
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
        if to != from {
            counters.volume.count(volume, message, headers);
            counters.volume.data += placed;
        }
        (message + placed, headers)
    }

    fn record_departure(&mut self, core: usize, to: NodeId, bytes: u32, cargo: &Cargo) {
        let (node, processor) = (self.cores[core].node(), self.cores[core].number());
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
                self.agenda.note_progress();
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
        let message = self.arrived(flight);
        let Some(network) = self.nodes[node].dispatch.network_mut() else {
            return self.join_dispatch_queue(node, flight);
        };
        network.line_up(message);
        if self.takes_at_once(node, &message) {
            return;
        }
        if let Some(network) = self.nodes[node].dispatch.network_mut() {
            network.receive(message);
        }
        self.notify(node);
    }

    /// The computing processor can see a message that the network processor has handed over.
    pub(crate) fn forward(&mut self, flight: u32) {
        let node = self.link.flights[flight as usize].to;
        self.link.flights[flight as usize].forwarded = true;
        self.join_dispatch_queue(node, flight);
        self.wake_starved(node);
    }

    /// A message joins its node's dispatch.
    fn join_dispatch_queue(&mut self, node: usize, flight: u32) {
        let message = self.arrived(flight);
        self.nodes[node].dispatch.join(message);
        self.notify(node);
    }

    /// A message that is at its node now, as dispatch sees it.
    pub(crate) fn arrived(&self, flight: u32) -> Arrived {
        let Flight { to, class, .. } = self.link.flights[flight as usize];
        let packet = self.link.flights[flight as usize].packet();
        let (key, source) = (key_of(&self.nodes[to].waist, packet), packet.source().0);
        Arrived { at: self.agenda.now, flight, key, source, class }
    }

    /// The access of a thread on `core` has faulted, which is an event of its node.
    pub(crate) fn raise_fault(&mut self, core: usize, packet: &Packet) {
        let (node, number) = (self.cores[core].node(), self.cores[core].number());
        let flight = self.local_event(node, *packet, Origin::Fault, None);
        let fault = self.arrived(flight);
        if self.nodes[node].dispatch.fault(number.into(), fault) {
            self.notify(node);
        }
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
        let (kind, class) = like.unwrap_or_else(|| (cargo.kind(), cargo.class(&self.nodes[node].waist)));
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

/// What processors spend.
impl Cluster {
    /// The cost to `core` of taking an event in and entering its handler, and the step that it is.
    pub(crate) fn cost_of_event(&mut self, core: usize, flight: u32) -> (Cost, Step) {
        let event = &self.link.flights[flight as usize];
        let receipt = match event.origin {
            _ if event.forwarded => Receipt::Forwarded,
            Origin::Fault => Receipt::Fault,
            Origin::Lowered => Receipt::Resumed,
            Origin::Sent => Receipt::Message {
                own: event.from == event.to,
                words: words_behind_header(&self.nodes[event.to].waist, event.packet()) as u64,
            },
        };
        let (class, kind, travel) = (event.class, event.kind, event.travel());
        let wait = self.agenda.now - event.arrived;
        self.at_work(core).receive(Reaching { class, kind, receipt, travel, wait })
    }

    /// How much longer `core` takes to take a message up that nothing has brought nearer.
    pub(crate) fn time_to_fetch(&mut self, core: usize, flight: u32) -> Time {
        let Flight { from, arrived, .. } = self.link.flights[flight as usize];
        self.at_work(core).time_to_fetch(from, arrived)
    }

    /// Books what it takes `core` to tell the device that it computes again; nothing where no device asks which processors do.
    pub(crate) fn report_computing(&mut self, core: usize) -> Time {
        if !self.nodes[self.cores[core].node()].dispatch.asks_who_computes() {
            return Time::ZERO;
        }
        self.at_work(core).report_computing()
    }
}

/// Memory, where it meets messages.
impl Cluster {
    /// The state in which the line of an address may stay in the cache of `core`.
    pub(crate) fn keep_at(&self, core: usize, address: u64) -> Keep {
        let node = &self.nodes[self.cores[core].node()];
        node.memory.keep_at(&node.waist, address)
    }

    /// The handler on `core` works on a block as a whole.
    pub(crate) fn spend_block(&mut self, core: usize, work: &BlockWork) {
        let next = self.at_work(core).spend_block(work);
        self.post_at(self.cores[core].node(), next);
    }

    /// The device of a node writes the next line that has been placed.
    pub(crate) fn write_posted(&mut self, node: usize) {
        let next = self.nodes[node].memory.write_posted(self.agenda.now);
        self.post_at(node, next);
    }

    fn post_at(&mut self, node: usize, next: Option<Time>) {
        if let Some(at) = next {
            self.agenda.events.push(at, self.nodes[node].tie, Happening::Post { node: node as u32 });
        }
    }

    /// The counts of a node's memory system so far.
    pub(crate) fn memory_events(&self, node: usize) -> MemoryEvents {
        let Node { memory, port, .. } = &self.nodes[node];
        let (packets, fall_throughs) = (port.stager.packets, port.stager.fall_throughs);
        MemoryEvents { packets, fall_throughs, ..memory.events() }
    }

    /// Takes a right away at the end of the handler on `core`. Gives the lowering back if it has to wait for an access.
    pub(crate) fn lower(&self, core: usize, lowering: Lowering) -> Option<Lowering> {
        let memory = shared_memory(&self.nodes[self.cores[core].node()].waist);
        if memory.is_pinned(&lowering) {
            return Some(lowering);
        }
        memory.lower(&lowering);
        None
    }

    /// The handler on `core` has ended, and its key stays held until a right is taken away.
    pub(crate) fn put_off_lowering(&mut self, core: usize, held: Held, lowering: Lowering) {
        let (node, processor) = (self.cores[core].node(), self.cores[core].number());
        self.record(Traced::HandlerEnd { node: node as u32, processor });
        let like = self.cores[core].purpose();
        let like = (like.kind, like.class);
        self.leave_handler(core);
        self.nodes[node].memory.lowerings.put_off(held, lowering, like);
        self.agenda.note_progress();
        // The access may have been done while the handler came to its end.
        self.go_on_lowering(core);
        self.free(core);
        self.notify(node);
    }

    /// An access has been done on the node of `core` for which a lowering may have waited.
    pub(crate) fn go_on_lowering(&mut self, core: usize) {
        let node = self.cores[core].node();
        while let Some(PutOff { held, lowering, like }) = self.next_lowering(node) {
            let flight = self.local_event(node, lowering.then, Origin::Lowered, Some(like));
            self.nodes[node].dispatch.events.resume(Job { held, event: Event::Message { flight } });
            self.notify(node);
        }
    }

    fn next_lowering(&mut self, node: usize) -> Option<PutOff> {
        let Node { memory, waist, .. } = &mut self.nodes[node];
        memory.lowerings.take_next(shared_memory(waist))
    }

    /// Insists that somebody runs the handler of what a program sends: a state machine runs those of the system only.
    pub(crate) fn expect_server(&self, core: usize, cargo: &Cargo) {
        if self.setting.policy.servers != Servers::Hardware {
            return;
        }
        let node = self.cores[core].node();
        if let Cargo::Message(packet) | Cargo::Transfer(_, _, packet, _) = cargo
            && cargo.class(&self.nodes[node].waist) == Class::User
        {
            let (machine, policy) = (&self.setting.machine.name, &self.setting.policy);
            let message = self.nodes[node].waist.message_name(packet.id());
            let why = format!(
                "machine `{machine}` under policy `{policy}` runs protocol handlers in hardware, and `{message}` is a \
                 message of the program: use mechanism `shared-memory`"
            );
            // Unwinds to the engine as a panic does, but nothing is broken that a back trace would help to find.
            std::panic::resume_unwind(Box::new(why))
        }
    }
}

/// The shared memory of a node that has some.
fn shared_memory(waist: &Waist) -> &tempest::Memory {
    waist.memory().expect("rights are to blocks of shared memory")
}
