//! A thread's accesses to the words of its node's part of a segment.
//!
//! Whether a model is to be told of an access does not change while a thread runs. So a thread asks once, before its
//! loop, and a world without accounts then has the words alone. This module must never know the cost of an access.

use crate::processor::Accounting;
use crate::{Access, Segment, Word, word};

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

    /// Loads a word.
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

    /// Stores a word.
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

    /// Loads a word in a world that accounts for time. Out of line, so that no loop keeps registers for it.
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
