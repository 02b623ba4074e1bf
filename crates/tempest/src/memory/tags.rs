//! A node's right to each block, as a thread tests it and as a handler changes it.
//!
//! A right is *raised* by a release store, after the words of the block are in place; a test is an acquire load. So a
//! thread that finds a right finds the words. The world ensures that a test and the access which it allowed are done
//! before a *lowered* tag takes effect (see the head of `memory`).
//!
//! This module must never know words or threads; it names only the atomics of `sync`, so that a model checker runs it
//! as it is.

use std::ops::Range;

use crate::sync::{AtomicU8, Ordering, TagCells, mutated};
use crate::{Right, Tag};

/// The tags of a node: one for each 16 bytes of its shared memory, so that a block has one or more, all equal.
#[derive(Debug)]
pub(super) struct Tags(TagCells);

impl Tags {
    /// Makes tags of `cells`, each of which holds the number of a [`Tag`].
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

    /// Whether the tag at the index `place` gives the right `right`.
    #[inline]
    pub(super) fn allows(&self, place: usize, right: Right) -> bool {
        allows(&self.0[place], right)
    }

    /// Looks at every `step`th tag in `places`, and returns the number of tags that give `right` before the first that
    /// does not.
    #[inline]
    pub(super) fn allowed(&self, places: Range<usize>, step: usize, right: Right) -> usize {
        self.0[places].iter().step_by(step).take_while(|tag| allows(tag, right)).count()
    }

    /// Sets the tags of a block, which are at the indices `places`, to `tag`. A thread that finds a new tag finds all
    /// words that were written before.
    pub(super) fn set(&self, places: Range<usize>, tag: Tag) {
        let order = if mutated!("tag-relaxed") { Ordering::Relaxed } else { Ordering::Release };
        for one in &self.0[places] {
            one.store(tag as u8, order);
        }
    }

    /// Lowers the tags of a block, which are at the indices `places` and all equal, to `tag`. Tags that are below `tag`
    /// keep their value.
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
