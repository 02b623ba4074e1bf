//! One field of all records of a mapping. This module must never know what the field means.

#![allow(unsafe_code, reason = "it makes references of addresses that a mapping has vouched for")]

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;

use bulk::AtomicWord;

use crate::{Mapping, WrongWidth};

/// A field of all records of a stretch: an atomic for each record. It keeps its [`Mapping`] alive; a clone shows the
/// same words.
pub struct Column<A> {
    first: NonNull<A>,
    /// A record has `1 << shift` bytes.
    shift: u32,
    len: usize,
    mapping: Arc<Mapping>,
}

// SAFETY: it gives nothing but shared references to atomics, which any thread may use.
unsafe impl<A: AtomicWord> Send for Column<A> {}
// SAFETY: as for `Send`.
unsafe impl<A: AtomicWord> Sync for Column<A> {}

impl Mapping {
    /// The field at byte `offset` of all records of a stretch.
    ///
    /// # Errors
    /// [`WrongWidth`] if no word of this width begins there, or there is no such stretch.
    pub fn column<A: AtomicWord>(
        self: &Arc<Self>,
        stretch: usize,
        offset: usize,
    ) -> Result<Column<A>, WrongWidth> {
        let (first, shift, len) = self.view::<A>(stretch, offset)?;
        Ok(Column::new(Arc::clone(self), first, shift, len))
    }
}

impl<A: AtomicWord> Column<A> {
    /// Makes a column of `len` words, one every `1 << shift` bytes from `first` on. The mapping must have checked that
    /// words of this width stand there.
    fn new(mapping: Arc<Mapping>, first: NonNull<A>, shift: u32, len: usize) -> Self {
        Self { first, shift, len, mapping }
    }

    /// The field of the first `len` records.
    ///
    /// # Panics
    /// If there are fewer.
    #[must_use]
    pub fn first(self, len: usize) -> Self {
        assert!(len <= self.len, "the first {len} of {} records", self.len);
        Self { len, ..self }
    }

    /// The number of records.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The size of a record in bytes, as a power of two.
    #[inline]
    pub fn shift(&self) -> u32 {
        self.shift
    }

    /// The field of record `index`, if there is such a record.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&A> {
        if index >= self.len {
            return None;
        }
        // SAFETY: a word of this width stands there as long as the mapping lives, and no view has another width there.
        Some(unsafe { self.first.byte_add(index << self.shift).as_ref() })
    }

    /// The field of the records of a range.
    ///
    /// # Panics
    /// If there are no such records.
    #[inline]
    pub fn stride(&self, range: Range<usize>) -> Stride<'_, A> {
        let Range { start, end } = range;
        assert!(start <= end && end <= self.len, "records {start} to {end} of {}", self.len);
        let before = if start < end { start << self.shift } else { 0 };
        // SAFETY: it is the address of a word of the mapping: of record `start`, or the first one's if the range is empty.
        let first = unsafe { self.first.byte_add(before) };
        Stride { first, shift: self.shift, len: end - start, of: PhantomData }
    }
}

impl<A> Clone for Column<A> {
    fn clone(&self) -> Self {
        Self { mapping: Arc::clone(&self.mapping), ..*self }
    }
}

impl<A> fmt::Debug for Column<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Column").field("len", &self.len).finish_non_exhaustive()
    }
}

/// A field of consecutive records, borrowed.
pub struct Stride<'a, A> {
    first: NonNull<A>,
    shift: u32,
    len: usize,
    of: PhantomData<&'a A>,
}

// SAFETY: it is nothing but shared references to atomics, which any thread may use.
unsafe impl<A: AtomicWord> Send for Stride<'_, A> {}
// SAFETY: as for `Send`.
unsafe impl<A: AtomicWord> Sync for Stride<'_, A> {}

impl<'a, A: AtomicWord> Stride<'a, A> {
    /// The number of records.
    #[inline]
    #[allow(clippy::len_without_is_empty, reason = "a caller that may have none asks the column")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The field of record `index`, if there is such a record.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&'a A> {
        if index >= self.len {
            return None;
        }
        // SAFETY: `Column::stride` has checked that `len` records stand there, and the column is borrowed for `'a`.
        Some(unsafe { self.first.byte_add(index << self.shift).as_ref() })
    }

    /// The words as a slice, if they follow each other without a gap: then records are nothing but this field.
    #[inline]
    pub fn dense(&self) -> Option<&'a [A]> {
        // SAFETY: `Column::stride` has checked that `len` records stand there, each of them one word of this width, and
        // the column is borrowed for `'a`.
        (1 << self.shift == size_of::<A>())
            .then(|| unsafe { slice::from_raw_parts(self.first.as_ptr(), self.len) })
    }

    /// Iterates over the field of all records.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a A> + use<'a, A> {
        let (first, shift) = (self.first, self.shift);
        (0..self.len).map(move |index| {
            // SAFETY: as in `get`: the index is less than the number of records.
            unsafe { first.byte_add(index << shift).as_ref() }
        })
    }
}

impl<A> fmt::Debug for Stride<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stride").field("len", &self.len).finish_non_exhaustive()
    }
}
