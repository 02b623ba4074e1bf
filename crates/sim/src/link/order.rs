//! The order of messages at a node with a network processor, where there is more than one way to a handler and more than
//! one into the network.
//!
//! Messages of one source, destination and key are handled in the order in which they were sent. At the destination one may
//! still be in the hands of the network processor, or in the queue to the computing processor, when the next could have
//! its key at once: that one has to wait. At the source a handler of the network processor puts what it sends into the
//! interface itself: what has a key stays behind what threads have handed over before. Messages without a key have no order;
//! among them are the accesses to memory that network processors are for.
//!
//! This module must never know what a message means.

use tempest::policy::Injector;
use tempest::world::{DispatchKey, Packet};

use crate::cluster::Cluster;
use crate::link::cargo::Cargo;

impl Cluster {
    /// The key of a message, as its destination finds it.
    pub(crate) fn key_of(&self, node: usize, packet: &Packet) -> DispatchKey {
        self.nodes[node].waist.key(packet).expect("packets of this world are never damaged")
    }

    /// A message has come to a node and waits for its key.
    pub(crate) fn line_up(&mut self, node: usize, flight: u32) {
        if self.key_of(node, self.link.flights[flight as usize].packet()) != DispatchKey::NoSync {
            self.nodes[node].port.line.push(flight);
        }
    }

    /// A message has its key, or has a place in the dispatch queue, which keeps the order from there on.
    pub(crate) fn leave_line(&mut self, node: usize, flight: u32) {
        self.nodes[node].port.line.retain(|&other| other != flight);
    }

    /// Whether a message may have its key: no other of its source and key came before it and waits for that.
    pub(crate) fn is_next_in_line(&self, node: usize, flight: u32) -> bool {
        let before = self.nodes[node].port.line.iter().take_while(|&&other| other != flight);
        self.nodes[node].port.line.is_empty() || !self.has_same_stream(node, before.copied(), flight)
    }

    /// Whether one of several messages has the source and the key of this one, and keys keep it in order.
    pub(crate) fn has_same_stream(
        &self,
        node: usize,
        mut others: impl Iterator<Item = u32>,
        flight: u32,
    ) -> bool {
        let stream = |flight: u32| {
            let packet = self.link.flights[flight as usize].packet();
            (self.key_of(node, packet), packet.source())
        };
        let own = stream(flight);
        own.0 != DispatchKey::NoSync && others.any(|other| stream(other) == own)
    }

    /// Whether what `core` sends now has to stay behind what threads have handed over: their messages came before.
    pub(crate) fn stays_behind(&self, core: usize, cargo: &Cargo) -> bool {
        let own = &self.cores[core];
        let node = &self.nodes[own.node];
        match self.setting.policy.injector {
            Injector::Protocol => node.port.injecting || !node.port.handed_over.is_empty(),
            Injector::Network => {
                let waiting = own.injecting.is_some() || !node.port.handed_over.is_empty();
                waiting && self.is_network_processor(core) && self.has_key(own.node, cargo)
            }
            Injector::Sender if node.dispatch.roles.is_some() => {
                node.port.injecting || !node.port.handed_over.is_empty()
            }
            Injector::Sender | Injector::Device => false,
        }
    }

    fn has_key(&self, node: usize, cargo: &Cargo) -> bool {
        match cargo {
            Cargo::Message(packet) | Cargo::Transfer(_, _, packet, _) | Cargo::Block(_, _, packet) => {
                self.key_of(node, packet) != DispatchKey::NoSync
            }
            Cargo::Deposit(..) | Cargo::Packet(_) => false,
        }
    }
}
