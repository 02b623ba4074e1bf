//! Names of nodes, threads, messages and waiters: plain numbers, dense, in order of registration.
//!
//! This module must never know the objects that the numbers name.

use std::fmt;

use bytemuck::{Pod, Zeroable};

/// The number of a node of the machine, `0..nodes`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pod, Zeroable)]
#[repr(transparent)]
pub struct NodeId(pub u32);

/// The number of a kind of message: dense, in order of registration, equal on every node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MessageId(pub u16);

/// A program thread: its node, and its index there, `0..threads`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct ThreadId {
    /// The node that the thread lives on.
    pub node: NodeId,
    /// The thread's index among the threads of that node.
    pub index: u32,
}

/// The right to resume a blocked thread of this node once.
///
/// It is the thread's index and generation. A thread's generation advances each time it is resumed, so a
/// waiter that is kept too long names no wait, and resuming it does nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Waiter {
    /// The index of the thread on its node.
    pub thread: u32,
    /// The number of the thread's wait.
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
