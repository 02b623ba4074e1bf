//! All that is on its way between nodes.
//!
//! | file | content |
//! |---|---|
//! | `ring` | one producer, one consumer, bounded, no locked instruction |
//! | `lane` | node to node: a ring, credits, the outbox |
//! | `outbox` | messages of handlers for which rings have no room yet, in memory that the world bounds |
//! | `backlog` | what of a node has still to be moved on: outboxes, acknowledgements |
//! | `windows` | how many messages of a kind may be on their way, by what their handlers send |
//! | `burst` | streams: when a receiver holds back |
//! | `send`, `sending` | sending messages, counted and traced; how one processor sends |
//! | `moving` | moving outboxes on, telling senders what has been handled |
//! | `wake` | waking a processor that may receive, or serve |
//!
//! This part must never know what a message is for, or who runs its handler.

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
