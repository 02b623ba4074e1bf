//! The links between nodes: the messages in flight.
//!
//! | file | content |
//! |---|---|
//! | `ring` | one producer, one consumer, bounded, no locked instruction |
//! | `lane` | node to node: a ring, credits, the outbox |
//! | `outbox` | handlers' messages that wait for room in the rings, in memory that the world bounds |
//! | `backlog` | the pending work of a node's links: outboxes, acknowledgements |
//! | `windows` | credit windows: how many messages of a kind may be in flight, by their handlers' fan-out |
//! | `burst` | streams: how long a receiver holds back |
//! | `send`, `sending` | sending messages, counted and traced; a processor's sending state |
//! | `moving` | emptying outboxes, acknowledging handled messages |
//! | `wake` | waking a processor that may receive, or serve |
//!
//! This part must never know the purpose of a message, or which processor runs its handler.

pub(crate) mod backlog;
pub(crate) mod burst;
pub(crate) mod lane;
#[cfg(test)]
mod lane_tests;
pub(crate) mod moving;
pub(crate) mod outbox;
#[cfg(test)]
mod outbox_tests;
pub(crate) mod ring;
#[cfg(test)]
mod ring_tests;
pub(crate) mod send;
pub(crate) mod sending;
pub(crate) mod wake;
pub(crate) mod windows;
#[cfg(test)]
mod windows_tests;
