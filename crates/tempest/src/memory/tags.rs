//! A node's right to each block, as a thread tests it and as a handler changes it.
//!
//! A right is *raised* by a release store, after the words of the block are in place; a test is an acquire load. So a
//! thread that finds a right finds the words. The world ensures that a *lowered* tag takes effect only after all
//! accesses that an earlier test allowed are done (see the head of `memory`).
//!
//! This module must never know words or threads. It uses only the atomics of `sync`, so that a model checker can run it
//! as it is.

use std::ops::Range;

use crate::sync::{AtomicU8, Ordering, TagCells, mutated};
use crate::{Right, Tag};

/// The access tags of a node's copy of shared memory, several per block.
#[derive(Debug)]
pub(super) struct Tags(TagCells);

impl Tags {
    /// Makes tags of these cells, each of which holds a [`Tag`] as a number.
    pub(super) fn new(cells: TagCells) -> Self {
        Self(cells)
    }

    /// The memory of the tags.
    pub(super) fn cells(&self) -> &TagCells {
        &self.0
    }

    /// The tag with index `place` among the tags of all groups of bytes.
    #[inline]
    pub(super) fn at(&self, place: usize) -> Tag {
        match self.0[place].load(Ordering::Acquire) {
            0 => Tag::Invalid,
            1 => Tag::ReadOnly,
            _ => Tag::Writable,
        }
    }

    /// Whether the tag with index `place` gives `right`.
    #[inline]
    pub(super) fn allows(&self, place: usize, right: Right) -> bool {
        allows(&self.0[place], right)
    }

    /// Counts how many tags in succession give `right`, taking every `step`th tag in `places` from the first on.
    #[inline]
    pub(super) fn allowed(&self, places: Range<usize>, step: usize, right: Right) -> usize {
        self.0[places].iter().step_by(step).take_while(|tag| allows(tag, right)).count()
    }

    /// Sets the tags `places` of a block to `tag`, by release stores after the writes of its words.
    pub(super) fn set(&self, places: Range<usize>, tag: Tag) {
        let order = if mutated!("tag-relaxed") { Ordering::Relaxed } else { Ordering::Release };
        for one in &self.0[places] {
            one.store(tag as u8, order);
        }
    }

    /// Lowers the tags `places` of a block to `tag`. Tags that are lower already stay.
    pub(super) fn lower(&self, places: Range<usize>, tag: Tag) {
        let lower = self.at(places.start).min(tag);
        self.set(places, lower);
    }
}

#[inline]
fn allows(tag: &AtomicU8, right: Right) -> bool {
    let order = if mutated!("tag-not-acquired") { Ordering::Relaxed } else { Ordering::Acquire };
    tag.load(order) >= right.tag() as u8
}
