//! Caches, bus and memory of a node, and what threads, handlers and devices do over them.
//!
//! Must never know a protocol, nor what a program's words mean.

pub(crate) mod accesses;
pub(crate) mod blocks;
pub(crate) mod lowering;

use std::collections::HashMap;

use hardware::memory::NodeMemory;
use tempest::world::Name;

use lowering::PutOff;

/// The memory of a node.
pub(crate) struct Memory {
    /// Caches, bus and memory, where the machine says what they are.
    pub(crate) system: Option<Box<NodeMemory>>,
    /// Which processor, by its number, had each directory entry last, by key; empty where one runs all handlers.
    pub(crate) entries: HashMap<Name, u16>,
    /// Rights that wait to be taken away, each with the key that is held for it.
    pub(crate) lowerings: Vec<PutOff>,
    /// Lines that have been placed here and that the device has not asked to write yet.
    pub(crate) posted: u64,
}
