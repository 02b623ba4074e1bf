//! The links between nodes, in use: sending, waking, and the flow of acknowledgements.
//!
//! | file | content |
//! |---|---|
//! | `send` | sending messages, counted and traced; emptying outboxes, acknowledging handled messages |
//! | `wake` | waking a processor that may receive, or serve |
//! | `resume` | making a waiting thread of any processor ready |
//!
//! This part must never know the purpose of a message, or which processor runs its handler.

pub(crate) mod resume;
pub(crate) mod send;
pub(crate) mod wake;
