//! The size of an exploration, and the steps of a page whose home moves.
//!
//! This module must never know the result of a step.

use std::fmt;

use tempest::Right;

/// The size of an exploration of a page whose home moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HomeScope {
    /// The number of nodes.
    pub nodes: usize,
    /// The number of blocks of the page.
    pub blocks: usize,
    /// The most moves of the page.
    pub moves: u32,
    /// Whether threads load, or only store.
    pub loads: bool,
    /// Number of states at which the search gives up.
    pub limit: usize,
}

/// A step that a state allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HomeMove {
    /// A thread's access to a block is not allowed.
    Access(usize, usize, Right),
    /// A thread that may write a block does write.
    Write(usize, usize),
    /// A node drops a block, because its frame is given to another page.
    Replace(usize, usize),
    /// A node has asked a home often enough for the page to move there.
    Earn(usize, usize),
    /// A node gives up its copies, to become the home.
    Vacate(usize),
    /// A home calls a block in.
    CallIn(usize, usize),
    /// All blocks have been called in, or have come.
    Complete(usize),
    /// A message about a block arrives: source, destination, block, and its index in the channel.
    Deliver(usize, usize, usize, usize),
    /// A message about the page arrives: source, destination, and its index in the channel.
    DeliverPage(usize, usize, usize),
}

impl fmt::Display for HomeMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Access(node, block, right) => write!(f, "{right:?} of block {block} at {node}"),
            Self::Write(node, block) => write!(f, "store to block {block} at {node}"),
            Self::Replace(node, block) => write!(f, "block {block} is dropped at {node}"),
            Self::Earn(node, to) => write!(f, "{node} offers the page to {to}"),
            Self::Vacate(node) => write!(f, "{node} gives up its copies"),
            Self::CallIn(node, block) => write!(f, "{node} calls in block {block}"),
            Self::Complete(node) => write!(f, "all blocks are at {node}"),
            Self::Deliver(from, to, block, place) => {
                write!(f, "{from} to {to} about block {block}, number {place}")
            }
            Self::DeliverPage(from, to, place) => write!(f, "{from} to {to} about the page, number {place}"),
        }
    }
}
