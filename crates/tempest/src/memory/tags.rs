//! A node's right to each block, as a thread tests it and as a handler changes it.
//!
//! A right is *raised* by a release store, after the words of the block are in place; a test is an acquire load. So a
//! thread that finds a right finds the words. The world ensures that a test and the access which it allowed are done
//! before a *lowered* tag takes effect (see the head of `memory`).
//!
//! This module must never know words or threads; it names only the atomics of `sync`, so that models run it as it is.

use std::ops::Range;

use crate::sync::{AtomicU8, Ordering, TagCells, mutated};
use crate::{Right, Tag};

/// The tags of a node.
#[derive(Debug)]
pub(super) struct Tags(TagCells);

impl Tags {
    /// Makes tags of these cells, each of which is the number of a [`Tag`].
    pub(super) fn new(cells: TagCells) -> Self {
        Self(cells)
    }

    /// The memory of the tags.
    pub(super) fn cells(&self) -> &TagCells {
        &self.0
    }

    /// The tag at the index `place`.
    #[inline]
    pub(super) fn at(&self, place: usize) -> Tag {
        match self.0[place].load(Ordering::Acquire) {
            0 => Tag::Invalid,
            1 => Tag::ReadOnly,
            _ => Tag::Writable,
        }
    }

    /// Whether the tag at the index `place` allows an access.
    #[inline]
    pub(super) fn allows(&self, place: usize, right: Right) -> bool {
        allows(&self.0[place], right)
    }

    /// The number of tags of every `step`th in `places` that allow an access, before the first that does not.
    #[inline]
    pub(super) fn allowed(&self, places: Range<usize>, step: usize, right: Right) -> usize {
        self.0[places].iter().step_by(step).take_while(|tag| allows(tag, right)).count()
    }

    /// Sets the tags of a block, and releases the writes before.
    pub(super) fn set(&self, places: Range<usize>, tag: Tag) {
        let order = if mutated!("tag-relaxed") { Ordering::Relaxed } else { Ordering::Release };
        for one in &self.0[places] {
            one.store(tag as u8, order);
        }
    }

    /// Lowers the tags of a block. A tag that is lower already stays.
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
