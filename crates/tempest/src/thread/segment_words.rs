//! A thread's accesses to the words of its node's part of a segment.
//!
//! Whether accesses are charged does not change while a thread runs. So a thread asks once, before its loop, and in a
//! world that does not charge time it then accesses the words directly.
//!
//! These accesses are for a program's data, which events or barriers order. In a simulation a processor that finds such
//! words in its cache runs ahead of other events, so a loop here is as cheap to simulate as one over a private array. A
//! word that a thread tests without such an order is read through [`Segment::cells`]. This module must never know the
//! cost of an access.

use std::ops::Range;

use crate::data::Word;
use crate::data::word;
use crate::plain::access::Touch;
use crate::processor::Accounting;
use crate::{Access, Segment};

/// The words of a node's part of a segment, as a thread of the node accesses them: see [`Thread::words`](crate::Thread::words).
#[derive(Clone, Copy)]
pub struct SegmentWords<'a, T: Word> {
    cells: &'a [T::Atomic],
    /// The modelled address of the first word.
    first: u64,
    accounting: Option<&'a dyn Accounting>,
}

impl<'a, T: Word> SegmentWords<'a, T> {
    pub(super) fn new(segment: &'a Segment<T>, accounting: Option<&'a dyn Accounting>) -> Self {
        let cells = segment.cells();
        Self { cells: cells.stretch(0, cells.len()), first: segment.first(), accounting }
    }

    /// Loads word `index` of this node's part of the segment.
    ///
    /// # Panics
    /// If there is no such word.
    #[inline]
    pub fn get(&self, index: usize) -> T {
        match self.accounting {
            None => word::load(&self.cells[index]),
            Some(accounting) => self.get_and_account(accounting, index),
        }
    }

    /// Stores word `index` of this node's part of the segment.
    ///
    /// # Panics
    /// If there is no such word.
    #[inline]
    pub fn set(&self, index: usize, value: T) {
        word::store(&self.cells[index], value);
        if let Some(accounting) = self.accounting {
            self.account(accounting, index, Access::Store);
        }
    }

    /// Loads consecutive words of the segment, from word `from` on, into `values`.
    ///
    /// # Panics
    /// If this node's part of the segment ends before the last of these words.
    #[inline]
    pub fn read(&self, from: usize, values: &mut [T]) {
        let cells = &self.cells[from..][..values.len()];
        self.touch(from, cells.len(), Access::Load);
        bulk::load(cells, word::values_mut(values));
    }

    /// Stores `values` in consecutive words of the segment, from word `from` on.
    ///
    /// # Panics
    /// If this node's part of the segment ends before the last of these words.
    #[inline]
    pub fn write(&self, from: usize, values: &[T]) {
        let cells = &self.cells[from..][..values.len()];
        self.touch(from, cells.len(), Access::Store);
        bulk::store(cells, word::values(values));
    }

    /// Replaces words of the segment within `range`. Each change is the index of a word and the function from its old
    /// to its new value. A simulator charges a load of every word of the range, and then a store of every word.
    ///
    /// # Panics
    /// If the part has no such range, or a change's word is not in it.
    #[inline]
    pub fn update(&self, range: Range<usize>, changes: impl Iterator<Item = (usize, impl FnOnce(T) -> T)>) {
        let cells = &self.cells[range.clone()];
        self.touch(range.start, cells.len(), Access::Load);
        self.touch(range.start, cells.len(), Access::Store);
        for (index, change) in changes {
            let cell = &cells[index - range.start];
            word::store(cell, change(word::load(cell)));
        }
    }

    #[inline]
    fn touch(&self, from: usize, words: usize, access: Access) {
        if let Some(accounting) = self.accounting {
            let first = word::address::<T>(self.first, from);
            accounting.touch(Touch::dense(first, words, size_of::<T>() as u64, access));
        }
    }

    /// Loads a word in a world that charges time. The function is out of line, so that no loop keeps registers for the
    /// call.
    #[inline(never)]
    fn get_and_account(&self, accounting: &dyn Accounting, index: usize) -> T {
        let value = word::load(&self.cells[index]);
        self.account(accounting, index, Access::Load);
        value
    }

    #[inline(never)]
    fn account(&self, accounting: &dyn Accounting, index: usize, access: Access) {
        accounting.touch_one(word::address::<T>(self.first, index), access);
    }
}
