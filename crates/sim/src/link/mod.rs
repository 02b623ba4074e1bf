//! Messages, transfers and deposits between nodes: the flights, the interface of each node, and the network.
//!
//! This module must never know the meaning of a message.

pub(crate) mod cargo;
pub(crate) mod command;
pub(crate) mod flights;
pub(crate) mod overflow;
pub(crate) mod pairs;
pub(crate) mod port;
pub(crate) mod routing;
pub(crate) mod staging;
#[cfg(test)]
mod testing;

use flights::Flights;
use hardware::Passages;
use overflow::Overflow;
use routing::Routing;
use staging::Staging;

/// The parts of the link between nodes that belong to no single node.
pub(crate) struct Link {
    pub(crate) routing: Routing,
    /// The passages of cargo through the interfaces, which are all alike.
    pub(crate) passages: Passages,
    /// All cargo on its way.
    pub(crate) flights: Flights,
    /// The staging interfaces; `None` where the machine has no staging buffers.
    pub(crate) staging: Option<Staging>,
    /// The overflow trap; `None` where the machine has none.
    pub(crate) overflow: Option<Overflow>,
}
