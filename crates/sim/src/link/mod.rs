//! Messages, transfers and deposits between nodes: the interface of each node, and the network.
//!
//! Must never know what a message means.

pub(crate) mod cargo;
pub(crate) mod overflow;
pub(crate) mod routing;
pub(crate) mod staging;

use hardware::{Interface, Lock, Network};

use cargo::Flight;
use staging::{Shipping, Stager};

/// The network and all that is on its way.
pub(crate) struct Link {
    pub(crate) network: Network,
    pub(crate) flights: Vec<Flight>,
    pub(crate) free_flights: Vec<u32>,
    pub(crate) shipping: Shipping,
}

/// The interface of a node and what waits to go through it.
pub(crate) struct Port {
    pub(crate) interface: Interface,
    /// Where two processors drive the interface.
    pub(crate) lock: Option<Lock>,
    /// What sends and receives through a staging buffer.
    pub(crate) stager: Stager,
    /// How much is on its way through the port in, before the event that says so.
    pub(crate) passing: u32,
    /// Messages, deposits and events of its own that the node has sent so far.
    pub(crate) sent: u64,
}
