//! The state that concerns all nodes of a world at once: the world's end.
//!
//! | file | content |
//! |---|---|
//! | `quiescence` | whether any processor is active, or any message in flight between processors |
//! | `ending` | the end of a quiescent world: ended, or deadlocked |
//!
//! This part must never know the purpose of a message, or the content of a measurement.

pub(crate) mod ending;
pub(crate) mod quiescence;
#[cfg(test)]
mod quiescence_tests;
