//! Histogram: threads count squares into 64 bins, by messages or through shared memory. The least that a program is.
//!
//! By messages (`histogram`), the threads of each node count into the bins of the next node. Through shared memory
//! (`shared-histogram`), the threads of all nodes count into the same bins. `book/src/first-program.md` walks
//! through the one, `book/src/shared-memory.md` through the other.
//!
//! # How it is checked
//!
//! Every bin must hold the count of a sequential run.

mod messages;
mod shared;

pub use messages::Histogram;
pub use shared::SharedHistogram;
