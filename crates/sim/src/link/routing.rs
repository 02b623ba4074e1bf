//! Messages inside the network: from the port out of one node to the port in of another.
//!
//! Where the network is constant that is one addition. Where it is routed, its fabric says what happens next and the
//! engine's queue says when; a node whose interface has no room leaves what comes in the network.
//!
//! Must never know what a message is for, nor which links there are.

use hardware::{Event, Mover, Network, Parcel};
use machine::Machine;
use units::Time;

use crate::agenda::Happening;
use crate::cluster::Cluster;

impl Cluster {
    /// Something of `bytes`, headers aside, is in the interface of `from` and wants to leave for another node.
    pub(crate) fn leave(&mut self, flight: u32, from: usize, to: usize, bytes: u64, mover: Mover) {
        let tie = self.nodes[to].tie;
        let interface = &mut self.nodes[from].port.interface;
        match &mut self.link.network {
            Network::Constant(network) => {
                let first = network.arrival(interface.inject(self.agenda.now, bytes, mover));
                let at = first + interface.behind(bytes, mover);
                self.agenda.events.push(at, tie, Happening::Arrive { flight });
            }
            Network::Routed(fabric) => {
                let parcel = Parcel {
                    cargo: flight,
                    tie,
                    from: from as u32,
                    to: to as u32,
                    bytes: bytes + interface.headers(bytes),
                    passage: interface.passage(bytes, mover),
                };
                fabric.launch(self.agenda.now, parcel, agenda(&mut self.agenda.events));
            }
        }
    }

    /// Whether all that will happen, of which `next` is the first, is cross traffic.
    pub(crate) fn is_over(&self, next: Happening) -> bool {
        match (next, &self.link.network) {
            // This event is in the queue no longer.
            (Happening::Network { .. }, Network::Routed(fabric)) => {
                fabric.is_quiet(self.agenda.waiting() + 1)
            }
            _ => false,
        }
    }

    /// Something happens inside the network.
    pub(crate) fn go_through_network(&mut self, event: Event) {
        let Network::Routed(fabric) = &mut self.link.network else { return };
        if let Some(flight) = fabric.step(self.agenda.now, event, agenda(&mut self.agenda.events)) {
            let to = self.link.flights[flight as usize].to();
            self.admit_next(to);
            self.watch_overflow(to);
        }
    }

    /// Starts what happens inside the network without the nodes' doing.
    pub(crate) fn start_network(&mut self) {
        if let Network::Routed(fabric) = &mut self.link.network {
            fabric.start(agenda(&mut self.agenda.events));
        }
    }

    /// Lets in what waits at the port in of a node, if anything does and there is room for it.
    pub(crate) fn admit_next(&mut self, node: usize) {
        if !self.admits(node) {
            return;
        }
        let Network::Routed(fabric) = &mut self.link.network else { return };
        if let Some(flight) = fabric.accept(self.agenda.now, node as u32, agenda(&mut self.agenda.events)) {
            self.arrive(flight);
        }
    }

    /// Whether the interface of a node has room for what comes out of the network.
    pub(crate) fn admits(&self, node: usize) -> bool {
        let Some(room) = self.setting.machine.interface.receive_queue else { return true };
        let place = &self.nodes[node];
        // Only the processor that runs the handlers takes messages out; elsewhere a device does.
        let waiting = place.dispatch.in_interface();
        waiting + (place.port.passing as usize) < room
    }

    /// Whether a processor of a node may put something into its interface at `at`, if none does before.
    pub(crate) fn interface_has_room(&self, node: usize, at: Time) -> bool {
        match &self.link.network {
            Network::Constant(_) => self.nodes[node].port.interface.has_room(at),
            Network::Routed(fabric) => {
                fabric.leaving(node as u32) < self.setting.machine.interface.send_queue
            }
        }
    }

    /// When it is worth looking for room again if nothing else happens. How long the network holds back what is in the
    /// interface nobody can know; then it is after the next poll.
    pub(crate) fn interface_room_at(&self, node: usize, at: Time) -> Time {
        match &self.link.network {
            Network::Constant(_) => self.nodes[node].port.interface.room_at(at),
            Network::Routed(_) => {
                let processor = &self.setting.machine.processor;
                at + processor.poll.max(processor.clock.cycles_to_time(1))
            }
        }
    }
}

/// The interface of a machine as messages pass it: the slower of its ports and the links sets their pace from end to end,
/// and so says when a last byte is in.
pub(crate) fn paced(machine: &Machine) -> machine::Interface {
    let mut interface = machine.interface.clone();
    if let Some(routers) = &machine.network.routers {
        interface.bandwidth = interface.bandwidth.min(routers.link);
    }
    interface
}

/// The engine's queue as the fabric sees it.
fn agenda(events: &mut des::EventQueue<Happening>) -> impl FnMut(Time, u32, Event) + '_ {
    |at, tie, event| events.push(at, tie, Happening::Network { event })
}
