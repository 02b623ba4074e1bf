//! The way of a transfer out of its node: packet after packet is made, staged in the buffer, and put on the wire.
//!
//! This module must never know how the destination handles a packet.

use hardware::Mover;
use hardware::memory::NodeMemory;
use tempest::world::AddressRange;
use units::Time;

use super::parcel::{Parcel, file};
use super::{Effect, Site, Staging};
use crate::happening::PacketStep as Step;
use crate::link::command::{Command, Source};

/// An address for words that are in no segment. They lie in memory and in no cache.
fn elsewhere() -> u64 {
    AddressRange::Interface.page_named("elsewhere", 0)
}

/// The source of transfers.
impl Staging {
    /// Lets the engine of a node make the next packet of a transfer, whose last packet is on the wire. If there is none, it
    /// makes the first packet of the next transfer.
    pub(super) fn make_next(&mut self, now: Time, node: usize, number: u32) {
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

    pub(super) fn stage(&mut self, site: &mut Site<'_>, node: usize, packet: u32) {
        let Some((slot, from)) = self.take_block(site, node, packet, Step::Stage) else { return };
        let handoff = self.costs.handoff;
        let parcel = self.parcel(packet);
        parcel.staged_in = Some(slot);
        let (shipment, offset, bytes) = (parcel.shipment, parcel.offset, parcel.bytes);
        let memory = &mut *site.memory;
        let staged = match self.command_of(shipment).source {
            Source::Segments(source) => memory.stage(lines(memory, source.of(offset, bytes)), from),
            Source::Elsewhere => {
                memory.stage(lines(memory, [(elsewhere() + offset, bytes)].into_iter()), from)
            }
            Source::Command => memory.take_in(bytes, from),
        };
        self.then(node, staged + handoff, packet, Step::Leave);
    }

    /// Puts the next ready packet on the wire if the wire is free. Otherwise plans that for when it is.
    pub(super) fn use_wire(&mut self, site: &mut Site<'_>, node: usize) {
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
}

/// The numbers of the lines of some pieces of memory, one piece after the other.
fn lines(memory: &NodeMemory, pieces: impl Iterator<Item = (u64, u64)>) -> std::vec::IntoIter<u64> {
    let of_piece = |(first, bytes)| memory.lines(first, bytes).map(|(line, _)| line);
    pieces.flat_map(of_piece).collect::<Vec<_>>().into_iter()
}
