//! Transfers through an interface with a staging buffer, packet by packet.
//!
//! A transfer is a command to the interface's protocol engine. For each packet the engine takes a block of the buffer
//! and reads the packet's lines over the bus, from the cache that has them or from memory. It then hands the packet to
//! the wire. A packet joins the packet before if it is adjacent to it and comes before that has quite gone. Every other
//! packet pays for a way of its own. While a packet goes, the next one of its message is staged.
//!
//! At the destination the engine looks the slot up when the header arrives. The lines go to memory as they come, or they stay
//! in the buffer. In that case the buffer's controller takes them over: when the block is complete, or as it comes if the
//! packet joined another, whose place is then known. The message of the transfer is delivered when the last line is in place
//! and a poll has seen the notification.
//!
//! | step | state when it is due |
//! |---|---|
//! | [`Step::Stage`] | the engine has made the packet: its lines are read |
//! | [`Step::Leave`] | the packet is in the buffer with its header, and asks for the wire |
//! | [`Step::Wire`] | the wire is free for the packet, unless another goes first; when it goes, the next of its message is made |
//! | [`Step::Gone`] | the packet's last byte has gone: its block is free |
//! | [`Step::Look`] | the header is at the destination: the slot is looked up |
//! | [`Step::Place`] | lines have arrived: they go to memory, or are taken over |
//! | [`Step::Placed`] | all lines of the packet are in place |
//!
//! This module must never know the purpose of a transfer.

mod arrival;
mod departure;
mod parcel;

use std::collections::VecDeque;

use des::Server;
use hardware::Passages;
use hardware::memory::{NodeMemory, Slot};
use machine::Machine;
use units::{Bytes, Time};

use self::parcel::{Parcel, Shipment, file};
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
    /// The time at which the last byte has gone, and the transfer that it belonged to.
    wire: (Time, Option<u32>),
    /// The packets that wait for a block, and the step that each waits with.
    starved: VecDeque<(u32, Step)>,
    packets: u64,
    fall_throughs: u64,
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

    /// The number of packets that a node has sent, and the number of packets that did not join the packet before.
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

    /// The flight of a packet's transfer, and the number of the stretch at the destination that the packet is for; `None` for a packet
    /// of no words.
    pub(crate) fn stretch_of(&self, packet: u32) -> Option<(u32, usize)> {
        let parcel = self.parcels[packet as usize].as_ref()?;
        let Command { flight, target, .. } = self.command_of(parcel.shipment);
        Some((flight, target.number_at(parcel.offset)?))
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
mod tests;
