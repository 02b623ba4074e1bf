//! Messages on their way: from a processor into the interface, through the network, into the dispatch queue.

use tempest::policy::Servers;
use tempest::{NodeId, Packet, Primitive};
use trace::Event as Traced;

use crate::core::{Activity, Bucket, Event};
use crate::node::Arrived;
use crate::state::{Happening, State};

/// A message on its way to its handler.
#[derive(Debug)]
pub(crate) struct Flight {
    to: usize,
    bytes: u64,
    pub(crate) packet: Packet,
}

/// A message a thread has handed to the protocol processor for injection.
#[derive(Debug)]
pub(crate) struct HandedOver {
    pub(crate) to: NodeId,
    pub(crate) packet: Packet,
}

impl State {
    /// Whether a thread on `core` may send at its own time.
    pub(crate) fn has_room(&self, core: usize) -> bool {
        let handing_over = self.hands_over(core);
        let node = &self.nodes[self.cores[core].node];
        if handing_over {
            node.handed_over.len() < self.machine.interface.send_queue
        } else {
            node.interface.has_room(self.now + self.cores[core].ahead)
        }
    }

    /// What sending costs the processor that does it, spent on its own clock: the caller settles before the message
    /// goes.
    pub(crate) fn spend_send(&mut self, core: usize, packet: &Packet) {
        if self.hands_over(core) {
            let cost = self.hand_over_cost(packet.words().len());
            self.cores[core].spend(Bucket::Overhead, cost);
        } else {
            self.spend_primitive(core, Primitive::SendHeader, 1);
            self.spend_primitive(core, Primitive::SendWord, packet.words().len() as u32);
        }
    }

    /// The message goes: into the interface, or into the hands of a protocol processor.
    pub(crate) fn send(&mut self, core: usize, to: NodeId, packet: &Packet) {
        if self.hands_over(core) {
            let node = self.cores[core].node;
            self.nodes[node].handed_over.push_back(HandedOver { to, packet: *packet });
            self.notify(node);
        } else {
            self.inject(core, to, packet);
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
        self.end_idling(core);
        self.cores[core].activity = Activity::Injecting;
        self.spend_send(core, &message.packet);
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
        self.inject(core, message.to, &message.packet);
        self.free(core);
        self.notify(node);
    }

    fn inject(&mut self, core: usize, to: NodeId, packet: &Packet) {
        let from = self.cores[core].node;
        let destination = to.0 as usize;
        let node = &mut self.nodes[from];
        let bytes = node.waist.bytes(packet);
        let headers = node.interface.headers(bytes);
        let counters = &mut self.cores[core].counters;
        counters.messages += 1;
        let arrives = if destination == from {
            None
        } else {
            counters.volume.count(node.waist.volume(packet), bytes, headers);
            Some(self.network.arrival(node.interface.inject(self.now, bytes)))
        };
        let tie = self.nodes[destination].tie;
        let flight = self.take_off(Flight { to: destination, bytes, packet: *packet });
        match arrives {
            Some(at) => self.events.push(at, tie, Happening::Arrive { flight }),
            // A node's message to itself goes straight to its queue; as an event, because the sender runs now.
            None => self.events.push(self.now, tie, Happening::Deliver { flight }),
        }
        let processor = self.cores[core].number;
        let bytes = (bytes + headers) as u32;
        self.record(Traced::Send { node: from as u32, processor, to: to.0, message: packet.id().0, bytes });
    }

    /// A message's first byte has crossed the network.
    pub(crate) fn arrive(&mut self, flight: u32) {
        let &Flight { to, bytes, .. } = &self.flights[flight as usize];
        let through = self.nodes[to].interface.eject(self.now, bytes);
        if through > self.now {
            self.events.push(through, self.nodes[to].tie, Happening::Deliver { flight });
        } else {
            self.deliver(flight);
        }
    }

    /// A message joins its node's queue.
    pub(crate) fn deliver(&mut self, flight: u32) {
        let Flight { to, packet, .. } = &self.flights[flight as usize];
        let to = *to;
        self.sink.record(
            self.now,
            Traced::Arrive { node: to as u32, from: packet.source().0, message: packet.id().0 },
        );
        let now = self.now;
        let node = &mut self.nodes[to];
        if self.policy.servers == Servers::Compute {
            node.unseen.push_back(Arrived { at: now, flight });
        } else {
            let key = node.waist.key(packet).expect("packets of this world are never damaged");
            node.queue.enqueue(now, key, Event::Message { flight });
        }
        self.notify(to);
    }

    /// The handler of a message has it now.
    pub(crate) fn land(&mut self, flight: u32) -> Packet {
        self.free_flights.push(flight);
        self.flights[flight as usize].packet
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
