//! The runtimes of the nodes among themselves: the messages between them, and the world's end.
//!
//! | file | content |
//! |---|---|
//! | `message` | control messages: messages from one node's runtime to another's |
//! | `tell` | sending a control message |
//! | `act` | acting on a control message that has arrived |
//! | `regions` | the entry of all threads into a timed region |
//! | `ending` | the end of a world, or its deadlock, found by all nodes together |
//! | `quiescence` | whether any processor of a node is active, and the works that its processors have sent and handled |
//!
//! This part must never know the purpose of a program's message, or the content of a measurement.

use tempest::NodeId;

pub(crate) mod act;
pub(crate) mod ending;
pub(crate) mod message;
pub(crate) mod quiescence;
#[cfg(test)]
mod quiescence_tests;
pub(crate) mod regions;
pub(crate) mod tell;

/// The node that keeps the gathering of all at a region, and the search for the end.
pub(crate) const KEEPER: NodeId = NodeId(0);
