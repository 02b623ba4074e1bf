//! Messages, transfers and deposits between nodes: the interface of each node, and the network.
//!
//! Must never know what a message means.

pub(crate) mod cargo;
pub(crate) mod order;
pub(crate) mod overflow;
pub(crate) mod routing;
pub(crate) mod staging;

use std::collections::VecDeque;

use hardware::{Interface, Lock, Network};

use cargo::{Flight, HandedOver};
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
    /// Of the messages that have arrived where a network processor looks, those with a key that have neither got it nor a place in
    /// the dispatch queue, in order: some processor is about to take them in, or to hand them over.
    pub(crate) line: Vec<u32>,
    /// What sends and receives through a staging buffer.
    pub(crate) stager: Stager,
    /// Messages that wait for a protocol processor to inject them, in order.
    pub(crate) handed_over: VecDeque<HandedOver>,
    /// Processors whose threads wait for one of them to be taken, in order.
    pub(crate) starved: VecDeque<usize>,
    /// One of them is on its way into the interface: the next waits, so that they stay in order.
    pub(crate) injecting: bool,
    /// How much is on its way through the port in, before the event that says so.
    pub(crate) passing: u32,
    /// Messages, deposits and events of its own that the node has sent so far.
    pub(crate) sent: u64,
}
