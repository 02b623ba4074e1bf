//! The size of a world, and the flow control that it asks of protocols.
//!
//! This module must never know any one world.

/// The size of a world: its numbers of nodes and threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The number of nodes, at least 1.
    pub nodes: u32,
    /// The number of program threads on each node, at least 1.
    pub threads: u32,
}

/// The flow control that a world asks of protocols: a bound on unanswered requests, and the acknowledgement of stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flow {
    /// The largest number of requests of a node that may be unanswered at a time, at least 1.
    pub window: u32,
    /// The number of stores, at least 1, that one acknowledging message covers; `None` where stores need no such
    /// message.
    pub acknowledge_every: Option<u32>,
}
