//! The words of a node's copy of the shared address space, apart from its rights: other nodes write them.
//!
//! This module must never know tags or protocols.

use std::io;
use std::sync::Arc;

use ::segment::{Mapping, SharedFile};

use super::layout::SharedLayout;
use crate::Block;

/// The words of a node's copy of the shared address space. A clone shows the same words.
#[derive(Clone, Debug)]
pub struct Blocks {
    layout: SharedLayout,
    mapping: Arc<Mapping>,
}

impl Blocks {
    pub(super) fn new(layout: SharedLayout, mapping: Arc<Mapping>) -> Self {
        Self { layout, mapping }
    }

    /// The place of the words in the file of this node; `None` if their memory is private.
    pub fn exports(&self) -> Option<u64> {
        self.mapping.place_in_file()
    }

    /// Maps the words of another node's copy of the same address space, which begin at byte `at` of that node's `file`.
    ///
    /// # Errors
    /// If no such words lie in the file.
    pub fn of_peer(&self, file: &SharedFile, at: u64) -> io::Result<Self> {
        let mapping = file.map(at, self.layout.forms()).map_err(|error| {
            io::Error::new(error.kind(), format!("shared memory of another node: {error}"))
        })?;
        Ok(Self { layout: Arc::clone(&self.layout), mapping: Arc::new(mapping) })
    }

    /// Puts `words`, the contents of a block in units of 8 bytes, into the memory. The node must have no right to the block.
    /// Only a world may call this.
    ///
    /// # Panics
    /// If there is no such block, or a block has another number of words.
    pub fn place(&self, block: Block, words: &[u64]) {
        assert_eq!(self.layout.block_words(), words.len(), "the words of {block}");
        self.mapping.store(self.layout.bytes_of(block).start, words);
    }
}
