//! What a machine is: plain data, resolved and checked. Knows neither files nor what happens on a machine.
//!
//! Durations that a file states in cycles are cycles of the node's processor clock; here they are absolute.

use units::{Bandwidth, Bytes, Frequency, Time};

use crate::{Capability, Primitives, Value};

/// A machine: nodes of processors, joined by a network.
///
/// Comes from [`Machine::parse`]; every field has then been checked, and later changes are the caller's affair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Its name: lower-case letters, digits and hyphens, such as `hurricane-1`.
    pub name: String,
    /// One line that says what it is.
    pub summary: String,
    /// Number of nodes unless the run says otherwise; at least 1.
    pub nodes: u32,
    /// Compute processors of a node unless the run says otherwise; at least 1.
    pub processors: u32,
    /// The processors, all alike.
    pub processor: Processor,
    /// What protocol handlers pay for.
    pub primitives: Primitives,
    /// The dispatch queue of a node.
    pub queue: Queue,
    /// The network interface of a node.
    pub interface: Interface,
    /// The memory of a node.
    pub memory: Memory,
    /// What joins the nodes.
    pub network: Network,
    /// What the machine can do, in the order of its file; no two alike.
    pub can: Vec<Capability>,
    pub(crate) values: Vec<Value>,
}

/// A processor of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processor {
    /// Its clock: the one that "cycles" in the machine file count.
    pub clock: Frequency,
    /// What a program's work costs.
    pub work: WorkCosts,
    /// From one thread of a processor to the next.
    pub thread_switch: Time,
    /// A poll that finds nothing.
    pub poll: Time,
    /// From the event to the first instruction of its handler, when a computing processor is interrupted for it.
    pub interrupt: Time,
}

/// The time that each operation a program counts adds to its processor; a load or store is one that hits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkCosts {
    /// A floating-point addition or multiplication.
    pub flop: Time,
    /// An integer or logical operation, a branch included.
    pub integer: Time,
    /// A load that hits.
    pub load: Time,
    /// A store that hits.
    pub store: Time,
}

/// The parallel dispatch queue of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// How many of the oldest waiting entries the search looks at, at least 1; `None`: all of them.
    pub window: Option<usize>,
    /// Entries the queue holds before further ones spill to the node's memory; at least 1, at least the window.
    pub capacity: usize,
}

/// The network interface (NI) of a node: one port out, one port in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Of each port, in each direction.
    pub bandwidth: Bandwidth,
    /// What the network adds to the data of each packet.
    pub header: Bytes,
    /// The most data, header aside, that one packet carries; at least 1 B. A longer message is split.
    pub packet: Bytes,
    /// Packets the NI takes before the sender must wait; at least 1.
    pub send_queue: usize,
    /// Of the engine that moves a block transfer between the node's memory and a port.
    pub engine: Bandwidth,
    /// What the NI takes to put the words of a deposit in memory, for each line, once they have passed the port in. The
    /// port is not free before that.
    pub deposit: Time,
}

/// The memory of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// What a processor's cache takes from it at a time; at least 1 B.
    pub line: Bytes,
    /// How long a processor waits for a line that is in no cache.
    pub read: Time,
}

/// The network: the same latency between any two nodes, and no contention inside (`topology = "constant"`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// From the first byte leaving the sending NI to its arrival at the receiving one; above zero.
    pub latency: Time,
}
