//! Names of things: nodes, threads, messages, waiters. Plain numbers, dense, chosen by registration order.

use std::fmt;

/// A node of the machine, `0..nodes`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

/// A kind of message: dense, in order of registration, equal on every node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MessageId(pub u16);

/// A program thread: its node and its index there, `0..threads` of the node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadId {
    /// The node it lives on.
    pub node: NodeId,
    /// Its index among the threads of that node.
    pub index: u32,
}

/// The right to resume a blocked thread of this node once.
///
/// Index plus generation: a thread's generation advances each time it is resumed, so a waiter kept too long
/// names nobody and resuming it does nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Waiter {
    /// Index of the thread on its node.
    pub thread: u32,
    /// Which of the thread's waits this is.
    pub generation: u32,
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}", self.0)
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} thread {}", self.node, self.index)
    }
}
