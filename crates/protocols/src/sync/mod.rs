//! Synchronization of threads of all nodes: barriers, reductions, broadcasts, locks.
//!
//! | module | content |
//! |---|---|
//! | `dissemination` | [`Barrier`]: a barrier by messages, ⌈log₂ nodes⌉ rounds in which all nodes send |
//! | `collectives` | [`Collectives`]: barrier, reduction and broadcast by messages along a tree |
//! | `scan` | [`Scan`]: running reductions by messages, in rounds of doubling distance |
//! | `shared_barrier` | [`SharedBarrier`]: a barrier through shared memory, along a tree |
//! | `shared_collectives` | [`SharedCollectives`]: barrier, reduction, broadcast and running reduction through shared memory |
//! | `locks` | [`Locks`]: locks in shared memory |
//! | `tree`, `rounds` | the communication partners: along the tree of nodes, and in rounds of doubling distance |
//! | `flag_tree` | nodes meet along the tree by flags in shared memory |
//! | `flags` | words of shared memory that are raised and waited for |
//! | `reduction` | the combination of contributions, and its order |
//!
//! The threads of a node always meet first, under a key of the node; one of them, or the handler of a message, then acts for the
//! node. A waiting thread yields its processor. The world reports a wait that can never end as a deadlock.
//!
//! This module must never know how a block of shared memory comes to a node.

mod collectives;
mod dissemination;
mod flag_tree;
mod flags;
mod locks;
mod reduction;
mod rounds;
mod scan;
mod shared_barrier;
mod shared_collectives;
mod tree;

pub use collectives::Collectives;
pub use dissemination::Barrier;
pub use locks::{LockRoom, Locks};
pub use reduction::{Number, Reduction};
pub use scan::Scan;
pub use shared_barrier::{BarrierRoom, SharedBarrier};
pub use shared_collectives::{CollectiveRoom, SharedCollectives};
