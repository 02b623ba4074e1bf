//! The state that concerns all nodes of a world at once: the world's end, and the arrival of all threads.
//!
//! | file | content |
//! |---|---|
//! | `quiescence` | whether any processor is active, or any message in flight between processors |
//! | `ending` | the end of a quiescent world: ended, or deadlocked |
//! | `barrier` | the common entry of all threads into a timed region |
//! | `attendance` | the look-out for waiting messages on a node with a helper |
//!
//! This part must never know the purpose of a message, or the content of a measurement.

pub(crate) mod attendance;
pub(crate) mod barrier;
pub(crate) mod ending;
pub(crate) mod quiescence;
