//! Names of nodes, threads, messages and waiters: plain numbers, dense, in order of registration.
//!
//! This module must never know the objects that the numbers name.

use std::fmt;

use bytemuck::{Pod, Zeroable};

/// The number of a node, from 0 to the number of nodes less 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pod, Zeroable)]
#[repr(transparent)]
pub struct NodeId(pub u32);

/// The number of a kind of message, from 0 in order of registration. A kind has the same number on every node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MessageId(pub u16);

/// The identity of a program thread: its node, and its index there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct ThreadId {
    /// The node on which the thread runs.
    pub node: NodeId,
    /// The thread's index among the threads of that node, from 0.
    pub index: u32,
}

/// The right to resume a blocked thread of this node once. A thread takes it with
/// [`Thread::waiter`](crate::Thread::waiter).
///
/// A waiter consists of the thread's index and generation. A thread's generation advances each time the thread is
/// resumed. A waiter that is kept too long therefore refers to no wait, and to resume it does nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Waiter {
    /// The index of the thread on its node.
    pub thread: u32,
    /// The generation of the thread: the number of its wait.
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
