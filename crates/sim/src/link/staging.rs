//! Transfers through an interface with a staging buffer, packet by packet.
//!
//! A transfer is a command to the interface's protocol engine. For each packet the engine takes a block of the buffer and reads
//! the packet's lines over the bus, from the cache that has them or from memory. It then hands the packet to the wire. A packet
//! that is the neighbour of the packet before, and comes before that has quite gone, joins it. Every other packet pays for a
//! way of its own. While a packet goes, the next one of its message is staged.
//!
//! At the destination the engine looks the slot up when the header arrives. The lines go to memory as they come, or they stay
//! in the buffer. In that case the buffer's controller takes them over: when the block is complete, or as it comes if the
//! packet joined another, whose place is then known. The message of the transfer is delivered when the last line is in place
//! and a poll has seen the notification.
//!
//! | step | what holds when it is due |
//! |---|---|
//! | [`Step::Stage`] | the engine has made the packet: its lines are read |
//! | [`Step::Leave`] | the packet is in the buffer with its header, and asks for the wire |
//! | [`Step::Wire`] | the wire is free for the packet, unless another goes first; when it goes, the next of its message is made |
//! | [`Step::Gone`] | the packet's last byte has gone: its block is free |
//! | [`Step::Look`] | the header is at the destination: the slot is looked up |
//! | [`Step::Place`] | lines have arrived: they go to memory, or are taken over |
//! | [`Step::Placed`] | all lines of the packet are in place |
//!
//! This module must never know what a transfer is for.

use std::collections::VecDeque;

use des::Server;
use hardware::memory::{NodeMemory, Slot};
use hardware::{Mover, Passages};
use machine::Machine;
use units::{Bytes, Time};

use super::command::Command;
use crate::happening::PacketStep as Step;

/// The effect of a packet's step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// The next step of a packet is due at a node.
    Later { node: usize, at: Time, packet: u32, step: Step },
    /// A packet of `bytes` bytes enters the network.
    Launch { packet: u32, from: usize, to: usize, bytes: u64 },
    /// A transfer is in place on a node, which notices it at `at`.
    Complete { node: usize, at: Time, flight: u32 },
}

/// The node where a step takes place, with the present time.
pub(crate) struct Site<'a> {
    pub(crate) now: Time,
    pub(crate) memory: &'a mut NodeMemory,
    pub(crate) passages: &'a mut Passages,
}

/// The staging interface of a node.
#[derive(Debug, Default)]
struct Stager {
    /// The protocol engine.
    engine: Server,
    /// The transfers that wait for the present one, where transfers do not take turns.
    commands: VecDeque<u32>,
    /// The number of transfers under way.
    going: usize,
    /// The packets that wait for the wire.
    ready: Vec<u32>,
    /// The time at which the last byte so far has gone, and the transfer that it belonged to.
    wire: (Time, Option<u32>),
    /// The packets that wait for a block, and the step that each waits with.
    starved: VecDeque<(u32, Step)>,
    packets: u64,
    fall_throughs: u64,
}

/// A transfer on its way.
#[derive(Debug)]
struct Shipment {
    command: Command,
    /// Whether the first packet has been made.
    begun: bool,
    /// The bytes whose packets have been made.
    made: u64,
    /// The bytes that are in place.
    placed: u64,
}

/// A packet of a transfer.
#[derive(Debug)]
struct Parcel {
    shipment: u32,
    /// The place of its first byte in the transfer.
    offset: u64,
    bytes: u64,
    /// Its block at the source.
    staged_in: Option<Slot>,
    kept_in: Option<Slot>,
    joined: bool,
    /// The time at which its first byte came out of the network.
    arrived: Time,
    /// Its lines at the destination. Each says whether the packet covers all of it.
    lines: Vec<(u64, bool)>,
    /// The number of its lines that are in memory, and the time at which the last of those is.
    deposited: (usize, Time),
}

/// The staging interfaces of all nodes and the transfers on their way through them.
#[derive(Debug)]
pub(crate) struct Staging {
    costs: machine::Staging,
    /// The commands that an interface has room for.
    room: usize,
    /// The most bytes of a packet.
    packet: u64,
    /// The bytes of a memory line.
    line: u64,
    bandwidth: units::Bandwidth,
    header: Bytes,
    stagers: Vec<Stager>,
    shipments: Vec<Option<Shipment>>,
    parcels: Vec<Option<Parcel>>,
    /// The flights that came after a transfer of the same way and wait for it, each with the number of its flow.
    held: Vec<(u64, u32)>,
    effects: Vec<Effect>,
}

/// Puts an item into the first free place. Returns the place.
fn file<T>(places: &mut Vec<Option<T>>, item: T) -> u32 {
    let free = places.iter().position(Option::is_none).unwrap_or(places.len());
    if free == places.len() {
        places.push(None);
    }
    places[free] = Some(item);
    free as u32
}

/// An address for words that are in no segment. They lie in memory and in no cache.
const ELSEWHERE: u64 = 1 << 40;

impl Staging {
    /// The staging interfaces of the nodes of a machine; `None` if the machine has none.
    pub(crate) fn of(machine: &Machine, nodes: u32) -> Option<Self> {
        let costs = machine.node_memory.as_ref()?.staging.clone()?;
        let interface = super::port::paced(machine);
        Some(Self {
            costs,
            room: interface.send_queue,
            packet: interface.packet.get(),
            line: machine.memory.line.get(),
            bandwidth: interface.bandwidth,
            header: interface.header,
            stagers: (0..nodes).map(|_| Stager::default()).collect(),
            shipments: Vec::new(),
            parcels: Vec::new(),
            held: Vec::new(),
            effects: Vec::new(),
        })
    }

    /// The number of packets that a node has sent, and the number of those that did not join the packet before.
    pub(crate) fn counts(&self, node: usize) -> (u64, u64) {
        (self.stagers[node].packets, self.stagers[node].fall_throughs)
    }

    /// Whether the interface of a node takes another command of a thread.
    pub(crate) fn takes_commands(&self, node: usize) -> bool {
        let stager = &self.stagers[node];
        stager.going + stager.commands.len() < self.room
    }

    fn shipment(&mut self, number: u32) -> &mut Shipment {
        self.shipments[number as usize].as_mut().expect("a shipment lives until it is delivered")
    }

    fn command_of(&self, number: u32) -> Command {
        self.shipments[number as usize]
            .as_ref()
            .expect("a shipment lives until it is delivered")
            .command
            .clone()
    }

    fn parcel(&mut self, number: u32) -> &mut Parcel {
        self.parcels[number as usize].as_mut().expect("a packet lives until it is placed")
    }

    /// Gives an interface a command.
    pub(crate) fn ship(&mut self, now: Time, command: Command) -> Vec<Effect> {
        let from = command.from;
        let shipment = Shipment { command, begun: false, made: 0, placed: 0 };
        let shipment = file(&mut self.shipments, shipment);
        let stager = &mut self.stagers[from];
        if self.costs.interleave || stager.going == 0 {
            stager.going += 1;
            self.make_next(now, from, shipment);
        } else {
            stager.commands.push_back(shipment);
        }
        std::mem::take(&mut self.effects)
    }

    /// Lets the engine of a node make the next packet of a transfer, whose last packet is on the wire. If there is none, it
    /// makes the first packet of the next transfer.
    fn make_next(&mut self, now: Time, node: usize, number: u32) {
        let (command, next, block) = (self.costs.command, self.costs.packet, self.costs.block.get());
        let most = self.packet;
        let shipment = self.shipment(number);
        let (offset, rest) = (shipment.made, shipment.command.bytes - shipment.made);
        if shipment.begun && rest == 0 {
            let stager = &mut self.stagers[node];
            stager.going -= 1;
            if let Some(next) = stager.commands.pop_front() {
                stager.going += 1;
                self.make_next(now, node, next);
            }
            return;
        }
        // A packet stays within a block of the receiver, and within a stretch there.
        let (target, stretch) = shipment.command.target.at(offset);
        let bytes = rest.min(stretch).min(most).min(block - target % block);
        shipment.made += bytes;
        let cost = if std::mem::replace(&mut shipment.begun, true) { next } else { command };
        let made = self.stagers[node].engine.acquire(now, cost) + cost;
        let parcel = Parcel {
            shipment: number,
            offset,
            bytes,
            staged_in: None,
            kept_in: None,
            joined: false,
            arrived: Time::ZERO,
            lines: Vec::new(),
            deposited: (0, Time::ZERO),
        };
        let parcel = file(&mut self.parcels, parcel);
        self.then(node, made, parcel, Step::Stage);
    }

    fn then(&mut self, node: usize, at: Time, packet: u32, step: Step) {
        self.effects.push(Effect::Later { node, at, packet, step });
    }

    /// The node where a step of a packet takes place.
    pub(crate) fn place_of(&self, packet: u32, step: Step) -> usize {
        let parcel = self.parcels[packet as usize].as_ref().expect("a packet lives until it is placed");
        let Command { from, to, .. } = self.command_of(parcel.shipment);
        match step {
            Step::Stage | Step::Leave | Step::Wire | Step::Gone => from,
            Step::Look | Step::Place | Step::Placed => to,
        }
    }

    /// Takes a packet's next step, whose time has come. Returns the effects.
    pub(crate) fn step(&mut self, mut site: Site<'_>, packet: u32, step: Step) -> Vec<Effect> {
        let node = self.place_of(packet, step);
        self.take_step(&mut site, node, packet, step);
        std::mem::take(&mut self.effects)
    }

    fn take_step(&mut self, site: &mut Site<'_>, node: usize, packet: u32, step: Step) {
        match step {
            Step::Stage => self.stage(site, node, packet),
            Step::Leave => {
                self.stagers[node].ready.push(packet);
                self.use_wire(site, node);
            }
            Step::Wire => self.use_wire(site, node),
            Step::Gone => {
                let slot = self.parcel(packet).staged_in.take();
                self.release(site, node, slot);
                self.use_wire(site, node);
            }
            Step::Look => self.look_up(site, node, packet),
            Step::Place => self.place(site, node, packet),
            Step::Placed => self.placed(site, node, packet),
        }
    }

    /// Takes a block for a packet. Returns the block, and the time from which it can be filled; `None` if there is none, and
    /// the step is then tried again.
    fn take_block(
        &mut self,
        site: &mut Site<'_>,
        node: usize,
        packet: u32,
        step: Step,
    ) -> Option<(Slot, Time)> {
        let taken = site.memory.take_block(site.now);
        if taken.is_none() {
            self.stagers[node].starved.push_back((packet, step));
        }
        taken
    }

    /// Frees the block of a packet.
    fn release(&mut self, site: &mut Site<'_>, node: usize, slot: Option<Slot>) {
        if let Some(slot) = slot {
            site.memory.release_block(slot);
        }
        if let Some((starved, step)) = self.stagers[node].starved.pop_front() {
            self.take_step(site, node, starved, step);
        }
    }

    fn stage(&mut self, site: &mut Site<'_>, node: usize, packet: u32) {
        let Some((slot, from)) = self.take_block(site, node, packet, Step::Stage) else { return };
        let handoff = self.costs.handoff;
        let parcel = self.parcel(packet);
        parcel.staged_in = Some(slot);
        let (shipment, offset, bytes) = (parcel.shipment, parcel.offset, parcel.bytes);
        let source = match self.command_of(shipment).source {
            Some(source) => source.of(offset, bytes).collect(),
            None => vec![(ELSEWHERE + offset, bytes)],
        };
        let memory = &mut *site.memory;
        let lines: Vec<_> = source.iter().flat_map(|&(first, bytes)| memory.lines(first, bytes)).collect();
        let staged = memory.stage(lines.into_iter().map(|(line, _)| line), from);
        self.then(node, staged + handoff, packet, Step::Leave);
    }

    /// Puts the next ready packet on the wire if the wire is free. Otherwise plans that for when it is.
    fn use_wire(&mut self, site: &mut Site<'_>, node: usize) {
        let Some((packet, joins)) = self.next_ready(site.now, node) else { return };
        let (free, last) = self.stagers[node].wire;
        // The way of the packet before has to be given up first, unless this packet joins it.
        let start = if joins || last.is_none() { free } else { free + self.costs.path };
        if site.now < start {
            self.then(node, start, packet, Step::Wire);
            return;
        }
        self.stagers[node].ready.retain(|&ready| ready != packet);
        let Parcel { shipment, bytes, .. } = *self.parcel(packet);
        let passage = site.passages.of(bytes, Mover::Staging).time;
        let stager = &mut self.stagers[node];
        stager.wire = (site.now + passage, Some(shipment));
        stager.packets += 1;
        stager.fall_throughs += u64::from(!joins);
        self.parcel(packet).joined = joins;
        let Command { from, to, .. } = self.command_of(shipment);
        self.effects.push(Effect::Launch { packet, from, to, bytes });
        self.then(node, site.now + passage, packet, Step::Gone);
        self.make_next(site.now, node, shipment);
    }

    /// The packet that goes next, and whether it joins the packet before. Where messages take turns, a packet of another
    /// message goes next if there is one.
    fn next_ready(&self, now: Time, node: usize) -> Option<(u32, bool)> {
        let (free, last) = self.stagers[node].wire;
        let ready = &self.stagers[node].ready;
        let follows = |packet: u32| {
            let parcel = self.parcels[packet as usize].as_ref();
            parcel.is_some_and(|parcel| Some(parcel.shipment) == last)
        };
        let first = *ready.first()?;
        let other = ready.iter().copied().find(|&packet| !follows(packet));
        let next = if self.costs.interleave { other.unwrap_or(first) } else { first };
        Some((next, self.costs.append && follows(next) && now <= free))
    }

    /// Records that the first byte of a packet has come out of the network at a node.
    pub(crate) fn arrive(&mut self, now: Time, node: usize, packet: u32) -> Effect {
        self.parcel(packet).arrived = now;
        let at = now + self.byte_time(0) + self.costs.receive;
        Effect::Later { node, at, packet, step: Step::Look }
    }

    /// The time of the header and `bytes` bytes behind it on the wire.
    fn byte_time(&self, bytes: u64) -> Time {
        self.bandwidth.transfer_time(self.header + Bytes::new(bytes))
    }

    /// The time at which a packet's bytes up to the end of its line `last` are in the buffer.
    fn is_there(&mut self, packet: u32, last: usize) -> Time {
        let (line, receive) = (self.line, self.costs.receive);
        let Parcel { shipment, offset, bytes, arrived, ref lines, .. } = *self.parcel(packet);
        let end = lines.get(last).map(|(number, _)| (number + 1) * line);
        let (start, _) = self.command_of(shipment).target.at(offset);
        let brought = end.map_or(bytes, |end| bytes.min(end - start));
        arrived + self.byte_time(brought) + receive
    }

    /// Looks up the slot of a packet, whose header is at the engine of its destination.
    fn look_up(&mut self, site: &mut Site<'_>, node: usize, packet: u32) {
        let Some((slot, from)) = self.take_block(site, node, packet, Step::Look) else { return };
        let lookup = self.costs.lookup;
        let found = self.stagers[node].engine.acquire(site.now, lookup) + lookup;
        let Parcel { shipment, offset, bytes, joined, .. } = *self.parcel(packet);
        let (target, _) = self.command_of(shipment).target.at(offset);
        let lines: Vec<_> = site.memory.lines(target, bytes).collect();
        let last = lines.len().saturating_sub(1);
        let parcel = self.parcel(packet);
        (parcel.kept_in, parcel.lines) = (Some(slot), lines);
        let there = match (self.costs.keeps, joined) {
            (true, true) => Time::ZERO,
            (true, false) => self.is_there(packet, last),
            (false, _) => self.is_there(packet, 0),
        };
        self.then(node, found.max(from).max(there), packet, Step::Place);
    }

    /// Places lines of a packet that have arrived or will: the next line goes to memory, or the controller takes over all of
    /// them.
    fn place(&mut self, site: &mut Site<'_>, node: usize, packet: u32) {
        let now = site.now;
        let parcel = self.parcel(packet);
        let (slot, (done, latest)) = (parcel.kept_in, parcel.deposited);
        let lines = parcel.lines.clone();
        let last = lines.len().saturating_sub(1);
        let all_there = self.is_there(packet, last);
        if self.costs.keeps && !lines.is_empty() {
            self.parcel(packet).kept_in = None;
            let slot = slot.expect("a packet that has been looked up has a block");
            let owned = site.memory.own(slot, &lines, now);
            self.then(node, owned.max(all_there), packet, Step::Placed);
            return;
        }
        let accepted = lines.get(done).map(|&(line, whole)| site.memory.deposit(line, whole, now));
        let latest = accepted.unwrap_or(now).max(latest);
        self.parcel(packet).deposited = (done + 1, latest);
        if done < last {
            let next = self.is_there(packet, done + 1).max(now);
            self.then(node, next, packet, Step::Place);
        } else {
            self.then(node, latest.max(all_there), packet, Step::Placed);
        }
    }

    /// Ends a packet whose lines are all in place.
    fn placed(&mut self, site: &mut Site<'_>, node: usize, packet: u32) {
        let parcel = self.parcels[packet as usize].take().expect("a packet is placed once");
        self.release(site, node, parcel.kept_in);
        let at = site.now + self.costs.notify;
        let shipment = self.shipment(parcel.shipment);
        shipment.placed += parcel.bytes;
        let Command { flight, bytes, .. } = shipment.command;
        if shipment.placed == bytes {
            self.effects.push(Effect::Complete { node, at, flight });
        }
    }

    /// Holds a flight back if a transfer left before it on the same way. Returns whether it did:
    /// [`let_through`](Self::let_through) then gives it out.
    pub(crate) fn holds_back(&mut self, flight: u32, from: usize, to: usize, number: u64) -> bool {
        let before = |command: &Command| (command.from, command.to) == (from, to) && command.number < number;
        let held = self.shipments.iter().flatten().any(|shipment| before(&shipment.command));
        if held {
            self.held.push((number, flight));
        }
        held
    }

    /// Records a delivery. If a transfer was delivered, returns the flights that waited for it, in order.
    pub(crate) fn let_through(&mut self, number: u64) -> Vec<u32> {
        let delivered =
            |shipment: &Option<Shipment>| shipment.as_ref().is_some_and(|one| one.command.number == number);
        let Some(place) = self.shipments.iter().position(delivered) else { return Vec::new() };
        self.shipments[place] = None;
        let mut held = std::mem::take(&mut self.held);
        held.sort_unstable();
        held.into_iter().map(|(_, flight)| flight).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::command::Stretches;
    use crate::link::testing::{interface, memory, staging};
    use crate::testing::ns;

    /// Two nodes with a network of 10 ns between them, and their events to come.
    struct Bench {
        staging: Staging,
        nodes: Vec<NodeMemory>,
        passages: Passages,
        agenda: Vec<(Time, Effect)>,
        /// The bytes of each launched packet and the flight of each complete transfer, with their times.
        launched: Vec<(u64, Time)>,
        complete: Vec<(u32, Time)>,
    }

    impl Bench {
        fn new(costs: machine::Staging) -> Self {
            let staging = Staging {
                costs,
                room: 2,
                packet: 64,
                line: 32,
                bandwidth: interface().bandwidth,
                header: interface().header,
                stagers: vec![Stager::default(), Stager::default()],
                shipments: Vec::new(),
                parcels: Vec::new(),
                held: Vec::new(),
                effects: Vec::new(),
            };
            let (nodes, passages) = (vec![memory(), memory()], Passages::new(interface(), Time::ZERO));
            Self { staging, nodes, passages, agenda: Vec::new(), launched: Vec::new(), complete: Vec::new() }
        }

        fn ship(&mut self, flight: u32, bytes: u64) {
            self.ship_to(flight, &[(0, bytes)]);
        }

        fn ship_to(&mut self, flight: u32, target: &[(u64, u64)]) {
            let (number, bytes) = (flight.into(), target.iter().map(|(_, bytes)| bytes).sum());
            let all = |list: &[(u64, u64)]| list.iter().copied().collect::<Stretches>();
            let (source, target) = (Some(all(&[(0, bytes)])), all(target));
            let command = Command { flight, number, from: 0, to: 1, source, target, bytes };
            let effects = self.staging.ship(ns(0), command);
            self.apply(ns(0), effects);
        }

        fn apply(&mut self, now: Time, effects: Vec<Effect>) {
            for effect in effects {
                match effect {
                    Effect::Later { at, .. } => self.agenda.push((at, effect)),
                    Effect::Complete { at, flight, .. } => self.complete.push((flight, at)),
                    Effect::Launch { packet, to, bytes, .. } => {
                        self.launched.push((bytes, now));
                        let looks = self.staging.arrive(now + ns(10), to, packet);
                        self.apply(now, vec![looks]);
                    }
                }
            }
        }

        fn run(&mut self) {
            while let Some(next) = (0..self.agenda.len()).min_by_key(|&one| self.agenda[one].0) {
                let (now, effect) = self.agenda.remove(next);
                let Effect::Later { packet, step, .. } = effect else { continue };
                let memory = &mut self.nodes[self.staging.place_of(packet, step)];
                let site = Site { now, memory, passages: &mut self.passages };
                let effects = self.staging.step(site, packet, step);
                self.apply(now, effects);
            }
        }
    }

    #[test]
    fn a_transfer_goes_in_packets_that_stay_within_blocks_and_is_complete_once() {
        let mut bench = Bench::new(staging());
        bench.ship(7, 150);
        bench.run();
        let sizes: Vec<_> = bench.launched.iter().map(|&(bytes, _)| bytes).collect();
        assert_eq!(sizes, [64, 64, 22]);
        assert_eq!(bench.complete.iter().map(|&(flight, _)| flight).collect::<Vec<_>>(), [7]);
        // The last byte comes 10 ns of network and 22 ns of wire after the last packet, then 3 to receive it, 50 to notice.
        assert!(bench.complete[0].1 >= bench.launched[2].1 + ns(10 + 22 + 3 + 50));
        assert_eq!(bench.staging.counts(0).0, 3);
        assert_eq!(bench.staging.let_through(7), [0; 0], "nothing waited for it");
    }

    #[test]
    fn words_that_are_scattered_go_in_packets_of_their_own() {
        let mut bench = Bench::new(staging());
        bench.ship_to(7, &[(0, 24), (4096, 80)]);
        bench.run();
        let sizes: Vec<_> = bench.launched.iter().map(|&(bytes, _)| bytes).collect();
        assert_eq!(sizes, [24, 64, 16]);
        assert_eq!(bench.complete.len(), 1);
    }

    #[test]
    fn a_packet_that_may_not_join_pays_for_a_way_of_its_own() {
        let gaps = |append| {
            let mut bench = Bench::new(machine::Staging { append, ..staging() });
            bench.ship(0, 128);
            bench.run();
            (bench.launched[1].1 - bench.launched[0].1, bench.staging.counts(0).1)
        };
        let (joined, apart) = (gaps(true), gaps(false));
        // 64 B go in 64 ns; the way of a packet stays for another 35.
        assert_eq!(joined, (ns(64), 1));
        assert_eq!(apart, (ns(64 + 35), 2));
    }

    #[test]
    fn without_turns_a_command_waits_for_the_one_before() {
        let mut bench = Bench::new(staging());
        bench.ship(0, 128);
        assert!(bench.staging.takes_commands(0));
        bench.ship(1, 64);
        assert!(!bench.staging.takes_commands(0), "there is room for two");
        bench.run();
        assert_eq!(bench.launched.iter().map(|&(bytes, _)| bytes).collect::<Vec<_>>(), [64, 64, 64]);
        assert_eq!(bench.complete.iter().map(|&(flight, _)| flight).collect::<Vec<_>>(), [0, 1]);
        assert!(bench.staging.takes_commands(0));
    }

    #[test]
    fn what_left_later_on_the_same_way_waits_for_a_transfer() {
        let mut bench = Bench::new(staging());
        bench.ship(5, 64);
        assert!(!bench.staging.holds_back(90, 0, 1, 4), "it left before");
        assert!(!bench.staging.holds_back(91, 1, 0, 6), "it goes another way");
        assert!(bench.staging.holds_back(93, 0, 1, 7));
        assert!(bench.staging.holds_back(92, 0, 1, 6));
        bench.run();
        assert_eq!(bench.staging.let_through(5), [92, 93]);
        assert!(!bench.staging.holds_back(94, 0, 1, 8));
    }
}
