//! The words of a node's copy of the shared address space, apart from its rights: other nodes write them.
//!
//! This module must never know tags or protocols.

use std::sync::Arc;

use ::segment::Mapping;

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
