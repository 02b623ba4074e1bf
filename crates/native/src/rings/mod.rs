//! Messages between two nodes, in memory: plain words, which memory that two processes share can hold as well.
//!
//! | file | content |
//! |---|---|
//! | `lane` | node to node: a ring, credits, the outbox; its parts are `sender` and `receiver` |
//! | `ring` | one producer, one consumer, bounded, no locked instruction; its parts are `producer` and `consumer` |
//! | `message` | a message in the lines of a ring |
//! | `channel` | the words of a lane that both of its nodes access |
//! | `bounds` | the capacities of all of them |
//! | `outbox` | handlers' messages that wait for room in the rings, in memory that the world bounds |
//! | `backlog` | the pending work of a node's links: outboxes, acknowledgements |
//! | `windows` | credit windows: how many messages of a kind may be in flight, by their handlers' fan-out |
//! | `tuning` | the tuning constants |
//!
//! This part must never know processors, the state of a world, or the purpose of a message.

pub(crate) mod backlog;
#[cfg(test)]
mod backlog_tests;
pub(crate) mod bounds;
pub(crate) mod channel;
pub(crate) mod consumer;
pub(crate) mod lane;
#[cfg(test)]
mod lane_tests;
pub(crate) mod message;
#[cfg(test)]
pub(crate) mod mutated_tests;
pub(crate) mod outbox;
#[cfg(test)]
mod outbox_tests;
pub(crate) mod producer;
pub(crate) mod receiver;
pub(crate) mod ring;
#[cfg(test)]
mod ring_tests;
pub(crate) mod sender;
pub(crate) mod tuning;
pub(crate) mod windows;
#[cfg(test)]
mod windows_tests;
