//! The caches, bus and memory of a node, as threads, handlers and devices use them.
//!
//! This module must never know a protocol, nor the meaning of a program's words.

pub(crate) mod accesses;
mod arrived;
pub(crate) mod at_work;
pub(crate) mod blocks;
mod handling;
pub(crate) mod lowering;
mod node;
pub(crate) mod reach;
pub(crate) mod slots;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod touches;
pub(crate) mod train;
pub(crate) mod trains;

pub(crate) use node::{Alone, Cached, Memory};
