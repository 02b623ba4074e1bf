//! The state that concerns all nodes of a world at once: the world's end, and the arrival of all threads.
//!
//! | file | content |
//! |---|---|
//! | `quiescence` | whether anything is going on, or in flight between processors |
//! | `ending` | what a world is when nothing is going on any more: ended, or deadlocked |
//! | `barrier` | how all threads enter a timed region together |
//! | `attendance` | who looks at what waits on a node that has a helper |
//!
//! This part must never know what a message is for, or what is measured.

pub(crate) mod attendance;
pub(crate) mod barrier;
pub(crate) mod ending;
pub(crate) mod quiescence;
