//! Transfers through an interface with a staging buffer, packet by packet.
//!
//! A transfer is a command to the interface's protocol engine. For each packet the engine takes a block of the buffer,
//! reads its lines over the bus (from the cache that has them, or from memory) and hands it to the wire, where it joins
//! the packet before it if that is its neighbour and has not quite gone; else it pays for a way of its own. While it
//! goes the next of its message is staged. At the other end the engine finds the slot when the header is there; the lines go to memory
//! as they come, or stay in the buffer, whose controller takes them over when the block is complete, or already while it
//! comes if the packet joined another, as its place is then known. The message of the transfer is there when the last
//! line is, and a poll has seen the notification.
//!
//! | step | at that time |
//! |---|---|
//! | [`Step::Stage`] | the engine has made the packet: its lines are read |
//! | [`Step::Leave`] | it is in the buffer with its header: the wire |
//! | [`Step::Wire`] | the wire is free for it, if no other goes first; when it goes the next of its message is made |
//! | [`Step::Gone`] | its last byte is: its block is free |
//! | [`Step::Look`] | its header is at the other end: the slot is looked up |
//! | [`Step::Place`] | lines are there: they go to memory, or are taken over |
//! | [`Step::Placed`] | all its lines are where they should be |
//!
//! Must never know what a transfer is for.

use std::collections::VecDeque;

use des::Server;
use hardware::Mover;
use hardware::memory::{NodeMemory, Slot};
use machine::Staging;
use units::Time;

use crate::agenda::{Happening, PacketStep as Step};
use crate::cluster::Cluster;

/// The staging interface of a node.
#[derive(Debug, Default)]
pub(crate) struct Stager {
    /// The protocol engine.
    engine: Server,
    /// Where transfers do not take turns: those behind the one that goes.
    commands: VecDeque<u32>,
    /// How many go.
    going: usize,
    /// Packets that wait for the wire.
    ready: Vec<u32>,
    /// When the last byte so far has gone, and of which transfer it was.
    wire: (Time, Option<u32>),
    /// Packets that wait for a block, and to do what.
    starved: VecDeque<(u32, Step)>,
    pub(crate) packets: u64,
    pub(crate) fall_throughs: u64,
}

/// A transfer on its way.
#[derive(Debug)]
struct Shipment {
    /// What is delivered when all of it is there.
    flight: u32,
    /// The number of its flow: its order among all that its source has sent.
    number: u64,
    from: usize,
    to: usize,
    source: u64,
    target: u64,
    bytes: u64,
    /// Its first packet has been made.
    begun: bool,
    /// Bytes whose packets have been made.
    made: u64,
    /// Bytes that are in their place.
    placed: u64,
}

/// A part of a transfer.
#[derive(Debug)]
struct Parcel {
    shipment: u32,
    /// Its first byte in the transfer.
    offset: u64,
    bytes: u64,
    /// Its block at this end, and at the other.
    staged_in: Option<Slot>,
    kept_in: Option<Slot>,
    joined: bool,
    /// When its first byte came out of the network.
    arrived: Time,
    /// Its lines at the other end, each with whether the packet covers all of it.
    lines: Vec<(u64, bool)>,
    /// How many of them are in memory, and when the last of those is.
    deposited: (usize, Time),
}

/// All transfers on their way through staging buffers.
#[derive(Debug, Default)]
pub(crate) struct Shipping {
    shipments: Vec<Option<Shipment>>,
    parcels: Vec<Option<Parcel>>,
    /// What has come after a transfer of the same way, and waits for it.
    held: Vec<u32>,
}

impl Shipping {
    fn shipment(&mut self, number: u32) -> &mut Shipment {
        self.shipments[number as usize].as_mut().expect("a shipment lives until it is delivered")
    }

    fn parcel(&mut self, number: u32) -> &mut Parcel {
        self.parcels[number as usize].as_mut().expect("a packet lives until it is placed")
    }
}

/// Puts something in the first free place.
fn file<T>(places: &mut Vec<Option<T>>, item: T) -> u32 {
    let free = places.iter().position(Option::is_none).unwrap_or(places.len());
    if free == places.len() {
        places.push(None);
    }
    places[free] = Some(item);
    free as u32
}

/// Where words that are in no segment lie: in memory, in no cache.
const ELSEWHERE: u64 = 1 << 40;

impl Cluster {
    fn staging_costs(&self) -> &Staging {
        let memory = self.setting.machine.node_memory.as_ref().and_then(|memory| memory.staging.as_ref());
        memory.expect("only machines with a staging buffer ship")
    }

    /// Whether transfers of this machine go through staging buffers.
    pub(crate) fn ships(&self) -> bool {
        self.setting.machine.node_memory.as_ref().is_some_and(|memory| memory.staging.is_some())
    }

    /// Whether the staging interface of a node, if it has one, takes a further command of a thread.
    pub(crate) fn takes_commands(&self, node: usize) -> bool {
        let stager = &self.nodes[node].port.stager;
        stager.going + stager.commands.len() < self.setting.machine.interface.send_queue
    }

    /// The interface of `from` gets the command to transfer `bytes` from one address to another.
    pub(crate) fn ship(
        &mut self,
        (flight, number): (u32, u64),
        (from, to): (usize, usize),
        (source, target): (Option<u64>, u64),
        bytes: u64,
    ) {
        let source = source.unwrap_or(ELSEWHERE);
        let shipment =
            Shipment { flight, number, from, to, source, target, bytes, begun: false, made: 0, placed: 0 };
        let shipment = file(&mut self.link.shipping.shipments, shipment);
        let interleave = self.staging_costs().interleave;
        let stager = &mut self.nodes[from].port.stager;
        if interleave || stager.going == 0 {
            stager.going += 1;
            self.make_next(from, shipment);
        } else {
            stager.commands.push_back(shipment);
        }
    }

    /// The engine of a node makes the next packet of a transfer, whose last one is on the wire; or, if there is none, the
    /// first of the next.
    fn make_next(&mut self, node: usize, number: u32) {
        let now = self.agenda.now;
        let costs = self.staging_costs();
        let (command, next, block) = (costs.command, costs.packet, costs.block.get());
        let most = self.setting.machine.interface.packet.get();
        let stager = &mut self.nodes[node].port.stager;
        let shipment = self.link.shipping.shipment(number);
        let (offset, rest) = (shipment.made, shipment.bytes - shipment.made);
        if shipment.begun && rest == 0 {
            stager.going -= 1;
            if let Some(next) = stager.commands.pop_front() {
                stager.going += 1;
                self.make_next(node, next);
            }
            return;
        }
        // A packet stays within a block of the receiver.
        let bytes = rest.min(most).min(block - (shipment.target + offset) % block);
        shipment.made += bytes;
        let cost = if std::mem::replace(&mut shipment.begun, true) { next } else { command };
        let made = stager.engine.acquire(now, cost) + cost;
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
        let parcel = file(&mut self.link.shipping.parcels, parcel);
        self.then(node, made, parcel, Step::Stage);
    }

    fn then(&mut self, node: usize, at: Time, packet: u32, step: Step) {
        self.agenda.events.push(at, self.nodes[node].tie, Happening::Packet { packet, step });
    }

    /// The time of a packet's next step has come.
    pub(crate) fn step_packet(&mut self, packet: u32, step: Step) {
        let shipment = self.link.shipping.parcel(packet).shipment;
        let Shipment { from, to, .. } = *self.link.shipping.shipment(shipment);
        match step {
            Step::Stage => self.stage(from, packet),
            Step::Leave => self.leave_buffer(from, packet),
            Step::Wire => self.use_wire(from),
            Step::Gone => {
                let slot = self.link.shipping.parcel(packet).staged_in.take();
                self.release(from, slot);
                self.use_wire(from);
            }
            Step::Look => self.look_up(to, packet),
            Step::Place => self.place(to, packet),
            Step::Placed => self.placed(to, packet),
        }
    }

    fn memory(&mut self, node: usize) -> &mut NodeMemory {
        self.nodes[node].memory.system().expect("a staging buffer is part of a memory system")
    }

    /// Takes a block for a packet, and from when on it can be filled. `None` if there is none: the step is tried again.
    fn take_block(&mut self, node: usize, packet: u32, step: Step) -> Option<(Slot, Time)> {
        let now = self.agenda.now;
        let taken = self.memory(node).take_block(now);
        if taken.is_none() {
            self.nodes[node].port.stager.starved.push_back((packet, step));
        }
        taken
    }

    /// A packet needs its block no longer.
    fn release(&mut self, node: usize, slot: Option<Slot>) {
        if let Some(slot) = slot {
            self.memory(node).release_block(slot);
        }
        if let Some((starved, step)) = self.nodes[node].port.stager.starved.pop_front() {
            self.step_packet(starved, step);
        }
    }

    fn stage(&mut self, node: usize, packet: u32) {
        let Some((slot, from)) = self.take_block(node, packet, Step::Stage) else { return };
        let handoff = self.staging_costs().handoff;
        let parcel = self.link.shipping.parcel(packet);
        parcel.staged_in = Some(slot);
        let (shipment, offset, bytes) = (parcel.shipment, parcel.offset, parcel.bytes);
        let source = self.link.shipping.shipment(shipment).source + offset;
        let memory = self.memory(node);
        let lines = memory.lines(source, bytes).map(|(line, _)| line);
        let staged = memory.stage(lines, from);
        self.then(node, staged + handoff, packet, Step::Leave);
    }

    /// A packet is ready for the wire, or the wire for a packet.
    fn leave_buffer(&mut self, node: usize, packet: u32) {
        self.nodes[node].port.stager.ready.push(packet);
        self.use_wire(node);
    }

    /// Puts the next packet that is ready on the wire, if that is free, or has it done when it will be.
    fn use_wire(&mut self, node: usize) {
        let costs = self.staging_costs();
        let (append, path, interleave) = (costs.append, costs.path, costs.interleave);
        let Some((packet, joins)) = self.next_ready(node, append, interleave) else { return };
        let (free, last) = self.nodes[node].port.stager.wire;
        // The way of the packet before has to be given up first, unless this one joins it.
        let start = if joins || last.is_none() { free } else { free + path };
        if self.agenda.now < start {
            self.then(node, start, packet, Step::Wire);
            return;
        }
        self.nodes[node].port.stager.ready.retain(|&ready| ready != packet);
        let Parcel { shipment, bytes, .. } = *self.link.shipping.parcel(packet);
        let passage = self.nodes[node].port.interface.passage(bytes, Mover::Staging);
        let stager = &mut self.nodes[node].port.stager;
        stager.wire = (self.agenda.now + passage, Some(shipment));
        stager.packets += 1;
        stager.fall_throughs += u64::from(!joins);
        self.link.shipping.parcel(packet).joined = joins;
        let Shipment { from, to, .. } = *self.link.shipping.shipment(shipment);
        self.launch_packet(packet, from, to, bytes);
        self.then(node, self.agenda.now + passage, packet, Step::Gone);
        self.make_next(node, shipment);
    }

    /// Which packet goes next, and whether it joins the one before: where messages take turns, one of another message if
    /// there is one.
    fn next_ready(&mut self, node: usize, append: bool, interleave: bool) -> Option<(u32, bool)> {
        let (free, last) = self.nodes[node].port.stager.wire;
        let ready = &self.nodes[node].port.stager.ready;
        let follows = |packet: u32| {
            let parcel = self.link.shipping.parcels[packet as usize].as_ref();
            parcel.is_some_and(|parcel| Some(parcel.shipment) == last)
        };
        let first = *ready.first()?;
        let other = ready.iter().copied().find(|&packet| !follows(packet));
        let next = if interleave { other.unwrap_or(first) } else { first };
        Some((next, append && follows(next) && self.agenda.now <= free))
    }

    /// The first byte of a packet has come out of the network.
    pub(crate) fn packet_arrives(&mut self, node: usize, packet: u32) {
        self.link.shipping.parcel(packet).arrived = self.agenda.now;
        let looks = self.agenda.now + self.byte_time(node, 0) + self.staging_costs().receive;
        self.then(node, looks, packet, Step::Look);
    }

    /// The time of a packet's header and so many bytes behind it through the port in of a node.
    fn byte_time(&self, node: usize, bytes: u64) -> Time {
        self.nodes[node].port.interface.header_and(bytes)
    }

    /// When what a packet brings up to the end of its line `last` is in the buffer.
    fn is_there(&mut self, packet: u32, last: usize) -> Time {
        let line = self.setting.machine.memory.line.get();
        let receive = self.staging_costs().receive;
        let Parcel { shipment, offset, bytes, arrived, ref lines, .. } = *self.link.shipping.parcel(packet);
        let end = lines.get(last).map(|(number, _)| (number + 1) * line);
        let Shipment { to, target, .. } = *self.link.shipping.shipment(shipment);
        let start = target + offset;
        let brought = end.map_or(bytes, |end| bytes.min(end - start));
        arrived + self.byte_time(to, brought) + receive
    }

    /// The header of a packet is at the engine of its destination.
    fn look_up(&mut self, node: usize, packet: u32) {
        let Some((slot, from)) = self.take_block(node, packet, Step::Look) else { return };
        let (lookup, keeps) = (self.staging_costs().lookup, self.staging_costs().keeps);
        let found = self.nodes[node].port.stager.engine.acquire(self.agenda.now, lookup) + lookup;
        let Parcel { shipment, offset, bytes, joined, .. } = *self.link.shipping.parcel(packet);
        let target = self.link.shipping.shipment(shipment).target + offset;
        let lines: Vec<_> = self.memory(node).lines(target, bytes).collect();
        let last = lines.len().saturating_sub(1);
        let parcel = self.link.shipping.parcel(packet);
        (parcel.kept_in, parcel.lines) = (Some(slot), lines);
        let there = match (keeps, joined) {
            (true, true) => Time::ZERO,
            (true, false) => self.is_there(packet, last),
            (false, _) => self.is_there(packet, 0),
        };
        self.then(node, found.max(from).max(there), packet, Step::Place);
    }

    /// Lines of a packet are there, or will be: the next goes to memory, or the controller takes over all of them.
    fn place(&mut self, node: usize, packet: u32) {
        let now = self.agenda.now;
        let parcel = self.link.shipping.parcel(packet);
        let (slot, (done, latest)) = (parcel.kept_in, parcel.deposited);
        let lines = parcel.lines.clone();
        let last = lines.len().saturating_sub(1);
        let all_there = self.is_there(packet, last);
        if self.staging_costs().keeps && !lines.is_empty() {
            self.link.shipping.parcel(packet).kept_in = None;
            let slot = slot.expect("a packet that has been looked up has a block");
            let owned = self.memory(node).own(slot, &lines, now);
            self.then(node, owned.max(all_there), packet, Step::Placed);
            return;
        }
        let accepted = lines.get(done).map(|&(line, whole)| self.memory(node).deposit(line, whole, now));
        let latest = accepted.unwrap_or(now).max(latest);
        self.link.shipping.parcel(packet).deposited = (done + 1, latest);
        if done < last {
            let next = self.is_there(packet, done + 1).max(now);
            self.then(node, next, packet, Step::Place);
        } else {
            self.then(node, latest.max(all_there), packet, Step::Placed);
        }
    }

    /// All lines of a packet are where they should be.
    fn placed(&mut self, node: usize, packet: u32) {
        let notify = self.staging_costs().notify;
        let parcel = self.link.shipping.parcels[packet as usize].take().expect("a packet is placed once");
        self.release(node, parcel.kept_in);
        let shipment = self.link.shipping.shipment(parcel.shipment);
        shipment.placed += parcel.bytes;
        if shipment.placed == shipment.bytes {
            let flight = shipment.flight;
            self.agenda.events.push(
                self.agenda.now + notify,
                self.nodes[node].tie,
                Happening::Deliver { flight },
            );
        }
    }

    /// Whether something has to wait for a transfer that left before it on the same way. It is delivered after that.
    pub(crate) fn is_held_back(&mut self, flight: u32) -> bool {
        let (from, to, number) = self.link.flights[flight as usize].way();
        let before =
            |shipment: &Shipment| (shipment.from, shipment.to) == (from, to) && shipment.number < number;
        let held = self.link.shipping.shipments.iter().flatten().any(before);
        if held {
            self.link.shipping.held.push(flight);
        }
        held
    }

    /// Something has been delivered: if it was a transfer, what waited for it follows.
    pub(crate) fn let_through(&mut self, number: u64) {
        let shipments = &mut self.link.shipping.shipments;
        let delivered =
            |shipment: &Option<Shipment>| shipment.as_ref().is_some_and(|one| one.number == number);
        let Some(place) = shipments.iter().position(delivered) else { return };
        shipments[place] = None;
        let mut held = std::mem::take(&mut self.link.shipping.held);
        held.sort_by_key(|&flight| self.link.flights[flight as usize].number);
        held.into_iter().for_each(|flight| self.deliver(flight));
    }
}
