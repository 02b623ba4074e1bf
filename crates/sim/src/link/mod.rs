//! Messages, transfers and deposits between nodes: the interface of each node, and the network.
//!
//! Must never know what a message means.

pub(crate) mod cargo;
pub(crate) mod flights;
pub(crate) mod overflow;
pub(crate) mod port;
pub(crate) mod routing;
pub(crate) mod staging;
#[cfg(test)]
mod testing;

use flights::Flights;
use overflow::Overflow;
use routing::Road;
use staging::Staging;

/// The parts of the link between nodes that belong to none of them, side by side.
pub(crate) struct Link {
    pub(crate) road: Road,
    /// All that is on its way.
    pub(crate) flights: Flights,
    /// What sends and receives through staging buffers, where the machine has them.
    pub(crate) staging: Option<Staging>,
    /// The trap of an interface that nobody empties, where the machine has one.
    pub(crate) overflow: Option<Overflow>,
}
