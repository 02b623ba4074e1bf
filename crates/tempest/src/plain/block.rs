//! The number of a block of shared memory.
//!
//! This module must never know the words of a block, nor its home.

use std::fmt;

use bytemuck::{Pod, Zeroable};

/// The number of a block in the address space of shared memory, from 0. A block has the same number on every node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pod, Zeroable)]
#[repr(transparent)]
pub struct Block(pub u32);

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block {}", self.0)
    }
}
