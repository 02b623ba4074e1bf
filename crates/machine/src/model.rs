//! What a machine is: plain data, resolved and checked. Knows neither files nor what happens on a machine.
//!
//! Durations that a file states in cycles are cycles of the node's processor clock; here they are absolute.

use units::{Bytes, Frequency, Time};

use crate::{
    Calibrated, Capability, Flow, Handoff, Interface, Network, NetworkProcessor, NodeMemory, Primitives,
    SoftwareDispatch, Value,
};

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
    /// The processor of a node that serves the network, where there is one.
    pub network_processor: Option<NetworkProcessor>,
    /// The queues between it and the compute processors, where messages are handed to it.
    pub handoff: Option<Handoff>,
    /// How a node bounds its outstanding requests, where it does.
    pub flow: Option<Flow>,
    /// How processors get from threads to handlers and back, where software does that.
    pub software_dispatch: Option<SoftwareDispatch>,
    /// The memory of a node.
    pub memory: Memory,
    /// The memory system of a node in detail, where the machine says.
    pub node_memory: Option<NodeMemory>,
    /// What joins the nodes.
    pub network: Network,
    /// What the machine can do, in the order of its file; no two alike.
    pub can: Vec<Capability>,
    /// Of what it is a measurement; `None` of a machine that nobody measured.
    pub calibrated: Option<Calibrated>,
    pub(crate) values: Vec<Value>,
    pub(crate) digest: u64,
    /// What it is under each policy that its file has values for, by name.
    pub(crate) variants: Vec<(String, Self)>,
}

impl Machine {
    /// The machine as it is under a policy: what differs is the software that runs on it then. Itself if its file says
    /// nothing of that policy.
    pub fn under(&self, policy: &str) -> Self {
        let variant = self.variants.iter().find(|(name, _)| name == policy);
        variant.map_or(self, |(_, machine)| machine).clone()
    }

    /// The policies that its file has values for.
    pub fn policies(&self) -> impl Iterator<Item = &str> {
        self.variants.iter().map(|(name, _)| name.as_str())
    }
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
    /// Extra time of the first message of a burst from another node: no earlier message has prefetched its
    /// cache line. Zero unless stated.
    pub fetch: Time,
    /// How far apart looks at back-edges are meant to be: a poll in between is passed by. Zero unless stated: every poll looks.
    pub pace: Time,
    /// A poll that is passed by; zero unless stated.
    pub pass: Time,
    /// Counting in an event, without what it takes to let those go on that wait for it; zero unless stated.
    pub signal: Time,
    /// A thread's getting a key that nobody has, where nobody has to be asked for it; zero unless stated.
    pub hold: Time,
    /// From a thread's being let go on, until its processor, which has nothing else to do, goes on with it, where no dispatch
    /// routine says so; zero unless stated.
    pub wake: Time,
    /// From the event to the first instruction of its handler, when a computing processor is interrupted for it; zero
    /// where that cannot be.
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

/// The memory of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// What a processor's cache takes from it at a time; at least 1 B.
    pub line: Bytes,
    /// How long a processor waits for a line that is in no cache.
    pub read: Time,
}
