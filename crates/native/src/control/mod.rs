//! The runtimes of the nodes among themselves: the messages between them, and the world's end.
//!
//! | file | content |
//! |---|---|
//! | `message` | control messages: messages from one node's runtime to another's |
//! | `act` | sending a control message, and acting on one |
//! | `quiescence` | whether any processor is active, or any message in flight between processors |
//! | `ending` | the end of a quiescent world: ended, or deadlocked |
//!
//! This part must never know the purpose of a program's message, or the content of a measurement.

pub(crate) mod act;
pub(crate) mod ending;
pub(crate) mod message;
pub(crate) mod quiescence;
#[cfg(test)]
mod quiescence_tests;
