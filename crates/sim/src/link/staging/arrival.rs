//! The way of a packet into memory: its slot is looked up, its lines are put in their places, and the last packet of a transfer
//! completes it.
//!
//! This module must never know how a packet came to its destination.

use machine::Placement;
use units::{Bytes, Time};

use super::parcel::Parcel;
use super::{Effect, Site, Staging};
use crate::happening::PacketStep as Step;
use crate::link::command::Command;

/// The destination of transfers.
impl Staging {
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
    pub(super) fn look_up(&mut self, site: &mut Site<'_>, node: usize, packet: u32) {
        let Some((slot, from)) = self.take_block(site, node, packet, Step::Look) else { return };
        let Parcel { shipment, offset, bytes, joined, .. } = *self.parcel(packet);
        let Command { target, slots, .. } = self.command_of(shipment);
        // The engine does nothing else while it waits for the slot.
        let begun = site.now.max(self.stagers[node].engine.free_at());
        let line = target.number_at(offset).and_then(|number| slots.get(number));
        let at_hand = line.map_or(begun, |&line| site.memory.look_up_slot(line, begun));
        let held = at_hand - begun + self.costs.lookup;
        let found = self.stagers[node].engine.acquire(begun, held) + held;
        let (target, _) = target.at(offset);
        let lines: Vec<_> = site.memory.lines(target, bytes).collect();
        let last = lines.len().saturating_sub(1);
        let parcel = self.parcel(packet);
        (parcel.kept_in, parcel.lines) = (Some(slot), lines);
        let there = match (self.costs.deposit, joined) {
            (Placement::Memory, _) => self.is_there(packet, 0),
            (_, true) => Time::ZERO,
            (_, false) => self.is_there(packet, last),
        };
        self.then(node, found.max(from).max(there), packet, Step::Place);
    }

    /// Places lines of a packet that have arrived or will: the next line goes to memory, or the controller takes over all of
    /// them.
    pub(super) fn place(&mut self, site: &mut Site<'_>, node: usize, packet: u32) {
        let now = site.now;
        let parcel = self.parcel(packet);
        let (slot, (done, latest)) = (parcel.kept_in, parcel.deposited);
        let lines = parcel.lines.clone();
        let last = lines.len().saturating_sub(1);
        let all_there = self.is_there(packet, last);
        if self.costs.deposit != Placement::Memory && !lines.is_empty() {
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
    pub(super) fn placed(&mut self, site: &mut Site<'_>, node: usize, packet: u32) {
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
}
