//! The way of messages, transfers and deposits: from a processor into the interface, through the network, into the dispatch
//! queue or into memory.

use hardware::{Mover, Passage};
use machine::Class;
use tempest::data::Piece;
use tempest::outcome::Failure;
use tempest::world::{BadPlace, Packet, Transfer};
use tempest::{NodeId, Place, Primitive};
use trace::Event as Traced;
use units::Time;

use crate::cluster::node::Node;
use crate::cluster::sending::Sender;
use crate::cluster::{Cluster, memory, network, overflow};
use crate::dispatch::events::Arrived;
use crate::happening::{Happening, PacketStep};
use crate::link::Link;
use crate::link::cargo::{Cargo, HandedOver, Manifest, Route};
use crate::link::command::{Command, Source, Stretches};
use crate::link::flights::{Flight, Origin};
use crate::link::pairs::Poster;
use crate::link::staging::{Effect, Site};
use crate::memory::at_work::Injecting;
use crate::memory::slots;
use crate::prices::WORD_BYTES;
use crate::processor::core::Activity;
use crate::processor::ledger::Bucket;

impl Cluster {
    /// Whether a thread on `core` may send at its own time. `hands_over` says whether another processor injects its messages.
    fn has_room(&self, core: usize, hands_over: bool) -> bool {
        let (at, clock) = (self.cores[core].node(), &self.cores[core].clock);
        if hands_over {
            let machine = &self.setting.machine;
            let room = machine.handoff.as_ref().map_or(machine.interface.send_queue, |queue| queue.capacity);
            let waiting = self.nodes[at].dispatch.injection.waiting();
            waiting + 1 < room || waiting + network::still_handed_over(self, at) < room
        } else {
            self.takes_commands(at) && self.interface_has_room(at, clock.at(self.agenda.now()))
        }
    }

    /// Whether a thread on `core` may send now. A send that waits for room is counted once, however often it tries.
    #[inline]
    pub(crate) fn finds_room(&mut self, core: usize, hands_over: bool) -> bool {
        let has_room = self.has_room(core, hands_over);
        if has_room && hands_over {
            self.nodes[self.cores[core].node()].dispatch.injection.begin_write();
        }
        let (at, thread) = (self.cores[core].node(), self.thread_on(core));
        let awaited = self.nodes[at].threads.awaits_room(thread);
        if has_room && awaited {
            self.nodes[at].threads.await_room(thread, false);
            let (node, thread) = self.who_sends(core);
            self.measure
                .record(self.cores[core].clock.at(self.agenda.now()), Traced::Resume { node, thread });
        } else if !has_room && !awaited {
            self.cores[core].ledger.count().refused += 1;
        }
        has_room
    }

    /// Lets the thread on `core` wait for room, or go on waiting.
    pub(crate) fn await_room(&mut self, core: usize) {
        let (node, thread) = (self.cores[core].node(), self.thread_on(core));
        if !self.nodes[node].threads.await_room(thread, true) {
            let (node, thread) = self.who_sends(core);
            let wait = Traced::Block { node, thread, what: "room" };
            self.measure.record(self.cores[core].clock.at(self.agenda.now()), wait);
        }
    }

    /// The node and the thread of a sender, as a trace names them.
    fn who_sends(&self, core: usize) -> (u32, u32) {
        (self.cores[core].node() as u32, self.thread_on(core))
    }

    /// Lets the thread on `core` wait until a message that was handed over has been taken.
    pub(crate) fn starve(&mut self, core: usize) {
        let node = self.cores[core].node();
        let number = self.cores[core].number().into();
        self.nodes[node].dispatch.injection.starve(number);
        self.cores[core].starve(true);
        network::await_take(self, node);
    }

    /// Spends the cost of an injection on the clock of the processor that injects.
    pub(crate) fn spend_injection(&mut self, core: usize, flight: u32) {
        if self.locks_interface(core) {
            let manifest = *self.link.flights[flight].manifest();
            self.wait_to_inject(core, &manifest);
        }
        let (sender, flights) = Sender::of(self, core);
        sender.spend_on_route(flights[flight].manifest(), Route::Inject);
    }

    /// Lets `core`, whose time is now, wait for the lock of the interface, which it then holds for the header of cargo. A header to its
    /// own node that has a price of its own needs no lock.
    #[cold]
    pub(crate) fn wait_to_inject(&mut self, core: usize, manifest: &Manifest) {
        let &Manifest { to, class, .. } = manifest;
        let own = to == self.node_id(core);
        if own && self.setting.prices.send_own(self.cores[core].list(), class).is_some() {
            return;
        }
        let hold = self.price(core, Primitive::SendHeader, class).path;
        let (now, node, number) = (self.agenda.now(), self.cores[core].node(), self.cores[core].number());
        let poster = Poster { core, number: number.into() };
        let wait = self.nodes[node].port.wait_to_post(now, poster, manifest.stream(), hold);
        self.cores[core].spend(Bucket::Memory, wait);
    }

    /// The time that `core`, whose time is now, waits for the lock of the interface. It then holds the lock for `hold`.
    pub(crate) fn wait_for_interface(&mut self, core: usize, hold: Time) -> Time {
        let (now, node) = (self.agenda.now(), self.cores[core].node());
        self.nodes[node].port.wait_for_lock(now, core, hold)
    }

    /// Whether `core` needs a lock to drive the interface.
    pub(crate) fn locks_interface(&self, core: usize) -> bool {
        self.nodes[self.cores[core].node()].port.is_locked()
    }

    /// Sends cargo into the interface, or to a processor that injects it.
    pub(crate) fn send(&mut self, core: usize, route: Route, cargo: HandedOver) {
        if route == Route::Inject {
            return self.inject(core, cargo.flight);
        }
        let (now, node) = (self.agenda.now(), self.cores[core].node());
        let visible_at = now + self.setting.prices.hand_over_delay();
        self.agenda.note_progress();
        if self.cores[core].thread().is_some() {
            self.nodes[node].dispatch.injection.end_write();
        }
        match self.nodes[node].dispatch.hand_over(visible_at, cargo) {
            // The processor that was to inject has left meanwhile. No message that was handed over is left in that case.
            Some(HandedOver { flight, .. }) => self.inject(core, flight),
            None if visible_at > now => network::show_later(self, node, visible_at),
            None => self.notify(node),
        }
    }

    /// Lets a dedicated `core` inject the oldest message that was handed over. Returns false if it cannot.
    pub(crate) fn start_injection(&mut self, core: usize) -> bool {
        let (node, dedicated) = (self.cores[core].node(), self.cores[core].is_dedicated());
        let dispatch = &mut self.nodes[node].dispatch;
        if !dedicated || !dispatch.injection.may_begin() {
            return false;
        }
        let Some(message) = dispatch.take_handed_over() else { return false };
        self.wake_starved(node);
        self.end_idling(core);
        self.cores[core].begin(Activity::Injecting);
        self.spend_injection(core, message.flight);
        self.at_work(core).make_at_once();
        let cost = self.cores[core].clock.take_ahead();
        self.continue_at(core, self.agenda.now() + cost);
        true
    }

    /// Wakes the processor of a node that has waited longest until a message that was handed over is taken.
    pub(crate) fn wake_starved(&mut self, node: usize) {
        if let Some(starved) = self.nodes[node].dispatch.injection.next_starved() {
            let starved = self.nodes[node].first_core + starved;
            self.cores[starved].starve(false);
            self.continue_now(starved, Time::ZERO);
        }
    }

    /// Ends the injection on `core`.
    pub(crate) fn finish_injection(&mut self, core: usize) {
        let node = self.cores[core].node();
        let message = self.release_in_hand(core);
        self.cores[core].note_injection();
        self.inject(core, message.flight);
        self.free(core);
        self.notify(node);
    }

    /// Removes and returns the message that `core` has taken for injection.
    pub(crate) fn release_in_hand(&mut self, core: usize) -> HandedOver {
        let (node, number) = (self.cores[core].node(), self.cores[core].number());
        let message = self.nodes[node].dispatch.release_in_hand(number.into());
        message.expect("a processor that injects has a message in hand")
    }

    /// Puts the cargo of a flight into the interface.
    pub(crate) fn inject(&mut self, core: usize, flight: u32) {
        if self.link.staging.is_some() {
            return self.inject_through_staging(core, flight);
        }
        let (sender, flights) = Sender::of(self, core);
        sender.inject(flight, &mut flights[flight]);
    }

    /// Puts the cargo of a flight into the interface of a node with staging buffers.
    #[inline(never)]
    fn inject_through_staging(&mut self, core: usize, flight: u32) {
        let (mut sender, flights) = Sender::of(self, core);
        let passage = sender.count(&mut flights[flight]);
        if let Some(command) = self.command(flight) {
            return self.ship(command);
        }
        let (sender, flights) = Sender::of(self, core);
        sender.pass_on(flight, &flights[flight], passage);
    }

    /// Sends a flight that is in the interface of its source towards another node.
    fn leave(&mut self, flight: u32, passage: Passage) {
        let Link { routing, flights, .. } = &mut self.link;
        let leaving = &flights[flight];
        let interface = self.nodes[leaving.from()].port.interface();
        routing.leave(flight, leaving, passage, interface, &mut self.agenda);
    }

    /// The command for a transfer or a deposit through staging buffers; `None` if the cargo of a flight does not go through them.
    fn command(&self, flight: u32) -> Option<Command> {
        let leaving = &self.link.flights[flight];
        let (from, to, number) = (leaving.from(), leaving.to(), leaving.number());
        if from == to {
            return None;
        }
        let stretches = |node: usize, pieces: &[Piece]| -> Stretches {
            let waist = &self.nodes[node].waist;
            let stretch = |piece: &Piece| {
                // A place that does not exist has no address. The destination refuses a packet for it, so that none is used.
                let first = waist.address(piece.place, piece.words as usize).unwrap_or(0);
                (first, u64::from(piece.words) * WORD_BYTES)
            };
            pieces.iter().map(stretch).collect()
        };
        let source = match (leaving.transfer(), leaving.deposit()) {
            (Some(Transfer { from: [], .. }), _) => Source::Elsewhere,
            (Some(Transfer { from: gathered, .. }), _) => Source::Segments(stretches(from, gathered)),
            (None, Some(_)) => Source::Command,
            (None, None) => return None,
        };
        let piece = |(place, words): (Place, &[u64])| Piece { place, words: words.len() as u32 };
        let into: Vec<_> = leaving.placed().map(piece).collect();
        let (there, line) = (&self.nodes[to], self.setting.machine.memory.line.get());
        let slot =
            |piece: &Piece| slots::line_of(&there.waist, NodeId(from as u32), piece.place.segment, line);
        let bytes = into.iter().map(|piece| u64::from(piece.words) * WORD_BYTES).sum();
        let (target, slots) = (stretches(to, &into), into.iter().map(slot).collect());
        Some(Command { flight, number, from, to, source, target, slots, bytes })
    }

    /// Ends the run: words have come for a place that their sender may not write. The thread that runs now is not at
    /// fault.
    #[cold]
    fn refuse_place(&mut self, bad: &BadPlace) {
        if !self.agenda.is_stopped() {
            self.agenda.stop(Failure::Program(bad.to_string()));
        }
    }

    /// Has the engine of a packet's destination check the packet by its slot, before a word of it is in its place. Ends the run if the
    /// slot does not permit the packet.
    fn check_slot(&mut self, packet: u32) {
        let Link { flights, staging: Some(staging), .. } = &self.link else { return };
        let Some((flight, stretch)) = staging.stretch_of(packet) else { return };
        let arriving = &flights[flight];
        let Some((place, words)) = arriving.placed().nth(stretch) else { return };
        let (source, waist) = (NodeId(arriving.from() as u32), &self.nodes[arriving.to()].waist);
        if let Err(bad) = waist.check_write(source, place, words.len()) {
            self.refuse_place(&bad);
        }
    }

    fn ship(&mut self, command: Command) {
        let staging = self.link.staging.as_mut();
        let effects = staging.map(|staging| staging.ship(self.agenda.now(), command));
        self.go_on_staging(effects.unwrap_or_default());
    }

    /// Takes the next step of a staged packet, whose time has come.
    pub(crate) fn step_packet(&mut self, packet: u32, step: PacketStep) {
        if step == PacketStep::Look {
            self.check_slot(packet);
        }
        let Some(staging) = &mut self.link.staging else { return };
        let memory = self.nodes[staging.place_of(packet, step)].memory.system();
        let memory = memory.expect("a staging buffer is part of a memory system");
        let site = Site { now: self.agenda.now(), memory, passages: &mut self.link.passages };
        let effects = staging.step(site, packet, step);
        self.go_on_staging(effects);
    }

    fn go_on_staging(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Later { node, at, packet, step } => {
                    self.agenda.push(node, at, Happening::Packet { packet, step });
                }
                // The packet is counted and recorded with its transfer.
                Effect::Launch { packet, from, to, bytes } => {
                    let (now, number) = (self.agenda.now(), self.nodes[from].port.next_number(from));
                    let way = (NodeId(from as u32), NodeId(to as u32));
                    let flight = self.link.flights.load_packet(packet, way, bytes);
                    let passage = self.link.passages.of(bytes, Mover::Staging);
                    self.link.flights[flight].leave(number, now);
                    self.leave(flight, passage);
                }
                Effect::Complete { node, at, flight } => {
                    self.agenda.push(node, at, Happening::Deliver { flight });
                }
            }
        }
    }

    /// Whether the staging interface of a node takes another command of a thread. A node without one always does.
    pub(crate) fn takes_commands(&self, node: usize) -> bool {
        self.link.staging.as_ref().is_none_or(|staging| staging.takes_commands(node))
    }

    /// Handles the arrival of a message at a port in: of its last byte if the network is constant and the port was
    /// free, else of its first byte.
    pub(crate) fn arrive(&mut self, flight: u32) {
        let Link { flights, passages, routing, .. } = &mut self.link;
        let arriving = &flights[flight];
        let (node, mover) = (arriving.to(), arriving.mover());
        let passage = passages.of(arriving.bytes(), mover).time;
        match self.nodes[node].port.enter(self.agenda.now(), mover, passage, routing.is_constant()) {
            Some(through) => self.agenda.push_passage(node, through, Happening::Pass { flight }),
            None => self.deliver(flight),
        }
    }

    /// Handles the passage of a message's last byte through the port in. A message that goes straight to memory, or is
    /// taken at once, leaves room in the interface behind it.
    pub(crate) fn pass(&mut self, flight: u32) {
        let to = self.link.flights[flight].to();
        self.nodes[to].port.pass();
        self.deliver(flight);
        self.admit_next(to);
    }

    /// Delivers a flight: words to their place in memory, a message to the queue of its node.
    pub(crate) fn deliver(&mut self, flight: u32) {
        if self.link.staging.is_some() {
            return self.deliver_beside_stages(flight);
        }
        self.hand_in(flight);
    }

    /// Delivers a flight on a machine with staging buffers: behind the transfers that its source has sent before.
    #[inline(never)]
    fn deliver_beside_stages(&mut self, flight: u32) {
        if !self.is_staged(flight) {
            let flow = self.link.flights[flight].number();
            self.hand_in(flight);
            let waited = self.link.staging.as_mut().map(|staging| staging.let_through(flow));
            waited.into_iter().flatten().for_each(|flight| self.deliver(flight));
        }
    }

    /// Whether a flight is a packet of a transfer through staging buffers, which takes its next step, or has to wait for such a
    /// transfer.
    fn is_staged(&mut self, flight: u32) -> bool {
        let Link { flights, staging: Some(staging), .. } = &mut self.link else { return false };
        let arriving = &flights[flight];
        let (from, to, flow) = (arriving.from(), arriving.to(), arriving.number());
        let Some(packet) = arriving.staged() else { return staging.holds_back(flight, from, to, flow) };
        let looks = staging.arrive(self.agenda.now(), to, packet);
        flights.end(flight);
        self.go_on_staging(vec![looks]);
        true
    }

    /// Hands the cargo of a flight in at its node.
    #[inline(always)]
    fn hand_in(&mut self, flight: u32) {
        let now = self.agenda.now();
        let arriving = &mut self.link.flights[flight];
        arriving.arrive(now);
        if arriving.carries() && !self.put_in_place(flight) {
            return;
        }
        let arriving = &self.link.flights[flight];
        let (node, from, message) = (arriving.to(), arriving.from() as u32, arriving.manifest().kind);
        let arrive = Traced::Arrive { node: node as u32, from, message, flow: arriving.number() };
        self.measure.record(now, arrive);
        self.join_queue(node, Arrived::at(now, flight, arriving));
    }

    /// Puts words that a flight carries in their place in memory, where they have one. Returns whether a message comes with them.
    /// A deposit ends here. If the sender may not write a place there, the run ends.
    #[inline(never)]
    fn put_in_place(&mut self, flight: u32) -> bool {
        let arriving = &mut self.link.flights[flight];
        let (from, to, flow) = (arriving.from() as u32, arriving.to(), arriving.number());
        let node = &mut self.nodes[to];
        // A staging buffer has put the words of others in memory, or kept them.
        let puts = self.link.staging.is_none() || from as usize == to;
        let now = self.agenda.now();
        let (mut next, mut refused) = (None, None);
        for (place, words) in arriving.placed() {
            if let Err(bad) = node.waist.write(NodeId(from), place, words) {
                refused = Some(bad);
                break;
            }
            if puts {
                next = node.put(place, words.len(), now).or(next);
            }
        }
        if let Some(bad) = refused {
            self.refuse_place(&bad);
            return false;
        }
        memory::post_at(self, to, next);
        let arriving = &mut self.link.flights[flight];
        let deposited = arriving.deposit().map(|(place, words)| (place, words.len()));
        if arriving.manifest().message().is_some() {
            arriving.unload();
            return true;
        }
        if let Some((place, words)) = deposited {
            let mut waiters = Vec::new();
            self.nodes[to].waist.count_deposit(place, words, |waiter| waiters.push(waiter));
            self.agenda.note_progress();
            self.record(Traced::Place { node: to as u32, from, flow });
            self.link.flights.end(flight);
            waiters.into_iter().for_each(|waiter| self.resume_by_deposit(to, waiter));
        }
        false
    }

    /// Handles an event inside the network.
    pub(crate) fn go_through_network(&mut self, event: hardware::Event) {
        if let Some(flight) = self.link.routing.step(event, &mut self.agenda) {
            let to = self.link.flights[flight].to();
            if !self.admit_next(to) {
                overflow::watch(self, to);
            }
        }
    }

    /// Lets the flight at the port in of a node in, if there is one and the interface has room for it. Returns whether it did.
    #[inline]
    pub(crate) fn admit_next(&mut self, node: usize) -> bool {
        !self.link.routing.is_constant() && self.admit_from_network(node)
    }

    fn admit_from_network(&mut self, node: usize) -> bool {
        if self.link.routing.blocked_at(node).is_none() || !self.admits(node) {
            return false;
        }
        let next = self.link.routing.accept(node, &mut self.agenda);
        if let Some(flight) = next {
            self.arrive(flight);
        }
        next.is_some()
    }

    /// Whether the interface of a node has room for another message from the network.
    pub(super) fn admits(&self, node: usize) -> bool {
        let Node { dispatch, port, .. } = &self.nodes[node];
        let queue = &self.setting.machine.queue;
        if queue.backs_up && dispatch.events.longest() + port.passing() >= queue.capacity {
            return false;
        }
        // Messages fill the interface where the processor that runs handlers takes them out. Elsewhere a device empties it.
        let waiting = dispatch.in_interface() + port.passing();
        let admits = |waiting| self.link.routing.admits(waiting);
        admits(waiting + 1) || admits(waiting + network::still_in_interface(self, node))
    }

    /// Whether a processor of a node may put a message into its interface at `at`, if no other is put in before.
    pub(crate) fn interface_has_room(&self, node: usize, at: Time) -> bool {
        let port = &self.nodes[node].port;
        self.link.routing.has_room(node, port.queue(), at) && port.pairs_room_at(at) <= at
    }

    /// The time to look again for room in the interface, if nothing else happens.
    pub(crate) fn interface_room_at(&self, node: usize, at: Time) -> Time {
        let rest = self.agenda.progress().rest(at, self.vain_look());
        let port = &self.nodes[node].port;
        self.link.routing.room_at(port.queue(), at, rest).max(port.pairs_room_at(at))
    }

    /// The time that a sender on `core` waits for room, if nothing else happens: until the interface takes its next message.
    pub(crate) fn wait_for_room(&self, core: usize) -> Time {
        let (node, at) = (self.cores[core].node(), self.cores[core].clock.at(self.agenda.now()));
        // No event tells a processor that a command has been taken.
        let takes = self.takes_commands(node);
        let next = if takes { self.interface_room_at(node, at) } else { self.link.routing.look_after(at) };
        next - at
    }

    /// Adds a message that has passed the port in. Where a network processor looks for messages, it waits for that look.
    #[inline(always)]
    fn join_queue(&mut self, node: usize, message: Arrived) {
        let dispatch = &mut self.nodes[node].dispatch;
        if dispatch.network().is_some() {
            return self.line_up(node, message);
        }
        dispatch.join(message);
        if !dispatch.rests() {
            self.find_processors(node);
        }
    }

    /// Adds a message that has passed the port in to the arrivals that a network processor looks for.
    fn line_up(&mut self, node: usize, message: Arrived) {
        let Some(network) = self.nodes[node].dispatch.network_mut() else { return };
        network.line_up(message);
        if network::takes_at_once(self, node, &message) {
            return;
        }
        if let Some(network) = self.nodes[node].dispatch.network_mut() {
            network.receive(message);
        }
        self.notify(node);
    }

    /// Shows the computing processor a message that the network processor has handed over.
    pub(crate) fn forward(&mut self, flight: u32) {
        let node = self.link.flights[flight].to();
        self.link.flights[flight].forward();
        let message = self.arrived(flight);
        self.nodes[node].dispatch.join(message);
        self.notify(node);
        self.wake_starved(node);
    }

    /// A message that has come to its node, as dispatch sees it.
    pub(crate) fn arrived(&self, flight: u32) -> Arrived {
        Arrived::at(self.agenda.now(), flight, &self.link.flights[flight])
    }

    /// Adds the access fault of the thread on `core` as an event of its node.
    pub(crate) fn raise_fault(&mut self, core: usize, packet: &Packet) {
        let (node, number) = (self.cores[core].node(), self.cores[core].number());
        let flight = self.local_event(node, packet, Origin::Fault, None);
        let fault = self.arrived(flight);
        if self.nodes[node].dispatch.fault(number.into(), fault) {
            self.notify(node);
        }
    }

    /// Adds an event of a node that no network brings. An event that continues another one keeps that one's kind.
    pub(crate) fn local_event(
        &mut self,
        node: usize,
        packet: &Packet,
        origin: Origin,
        like: Option<(u16, Class)>,
    ) -> u32 {
        let (now, Node { waist, port, .. }) = (self.agenda.now(), &mut self.nodes[node]);
        // No processor pays for its way: it has none.
        let cargo = Cargo::Message(packet);
        let manifest = Manifest { bytes_of_message: 0, ..Manifest::of(&cargo, waist, waist.id()) };
        let number = port.take_number(node);
        let (place, message) = (node as u32, packet.id().0);
        self.record(Traced::Arrive { node: place, from: place, message, flow: number });
        let (flight, event) = self.link.flights.load(NodeId(place), &manifest, &cargo);
        event.leave(number, now);
        event.raise(origin, like);
        flight
    }
}

impl Arrived {
    /// A flight that has come to its node at `now`, by its place.
    #[inline]
    fn at(now: Time, place: u32, flight: &Flight) -> Self {
        let (key, source, class) = (flight.key(), flight.from() as u32, flight.class());
        Self { at: now, flight: place, key, source, class }
    }
}

impl Injecting {
    /// Cargo by its manifest. `own` says whether it goes to the sender's own node, and `staged` whether interfaces have staging buffers,
    /// which take a deposit by a command too.
    pub(super) fn of(manifest: &Manifest, own: bool, staged: bool) -> Self {
        let &Manifest { class, words, listed, transfers, .. } = manifest;
        let commands = transfers || staged && manifest.message().is_none();
        Self { class, words: (words + listed).into(), own, commands }
    }
}

/// The costs of passage to processors.
impl Cluster {
    /// Books the time that `core` takes to tell the device that it computes again: zero where no device asks.
    pub(crate) fn report_computing(&mut self, core: usize) -> Time {
        if !self.nodes[self.cores[core].node()].dispatch.asks_who_computes() {
            return Time::ZERO;
        }
        self.at_work(core).report_computing()
    }
}
