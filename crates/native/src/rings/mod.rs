//! Messages between two nodes, in memory: plain words, which a segment that two processes share can hold as well.
//!
//! | file | content |
//! |---|---|
//! | `ring` | one producer, one consumer, bounded, no locked instruction |
//! | `lane` | node to node: a ring, credits, the outbox |
//! | `outbox` | handlers' messages that wait for room in the rings, in memory that the world bounds |
//! | `backlog` | the pending work of a node's links: outboxes, acknowledgements |
//! | `windows` | credit windows: how many messages of a kind may be in flight, by their handlers' fan-out |
//! | `tuning` | the tuning constants |
//!
//! This part must never know processors, the state of a world, or the purpose of a message.

pub(crate) mod backlog;
#[cfg(test)]
mod backlog_tests;
pub(crate) mod lane;
#[cfg(test)]
mod lane_tests;
pub(crate) mod outbox;
#[cfg(test)]
mod outbox_tests;
pub(crate) mod ring;
#[cfg(test)]
mod ring_tests;
pub(crate) mod tuning;
pub(crate) mod windows;
#[cfg(test)]
mod windows_tests;
