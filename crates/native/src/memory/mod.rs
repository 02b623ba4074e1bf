//! Memory that several nodes or processors use: segments, and the blocks of shared memory with their rights.
//!
//! | file | content |
//! |---|---|
//! | `segments` | words that are written into the memory of other nodes |
//! | `blocks`, `faults` | the way of a block with its message; how a fault becomes an event of its own node |
//! | `lowering` | downgrades: taking rights to blocks away from a node |
//! | `set_aside` | the downgrades that have to wait |
//! | `requests` | asking the computing processors of a node to give up rights, with two loads a poll |
//!
//! This part must never know a protocol's use of rights.

pub(crate) mod blocks;
pub(crate) mod faults;
pub(crate) mod lowering;
pub(crate) mod requests;
pub(crate) mod segments;
pub(crate) mod set_aside;
