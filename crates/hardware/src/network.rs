//! What joins the nodes.
//!
//! For now every pair of nodes is the same distance apart and only the interfaces are contended: the network the
//! dispatch-queue study assumes.

use units::Time;

/// A network of constant latency.
#[derive(Clone, Debug)]
pub struct Network {
    latency: Time,
}

impl Network {
    /// The network of a machine.
    pub fn new(network: &machine::Network) -> Self {
        Self { latency: network.latency }
    }

    /// When the first byte of a message that leaves one interface at `leaves` arrives at another.
    pub fn arrival(&self, leaves: Time) -> Time {
        leaves + self.latency
    }
}
