//! Memory that several nodes or processors use: segments, and the blocks of shared memory with their rights.
//!
//! | file | content |
//! |---|---|
//! | `segments` | words that are written into the memory of other nodes |
//! | `blocks` | the way of a block with its message |
//! | `downgrades` | downgrades: taking rights to blocks away from a node |
//!
//! This part must never know a protocol's use of rights.

pub(crate) mod blocks;
pub(crate) mod downgrades;
pub(crate) mod segments;
