//! The size of a world, and the flow control that it asks of protocols.
//!
//! This module must never know any one world.

/// The size of the world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The number of nodes, at least 1.
    pub nodes: u32,
    /// The number of program threads on each node, at least 1.
    pub threads: u32,
}

/// The flow control that a world asks of protocols: how many requests may be outstanding, and which stores
/// are acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flow {
    /// The largest number of unanswered requests of a node, at least 1.
    pub window: u32,
    /// The number of stores, at least 1, that one acknowledging message covers; `None` where the network
    /// needs no acknowledgement.
    pub acknowledge_every: Option<u32>,
}
