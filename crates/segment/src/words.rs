//! Consecutive words of a mapping, as a slice. This module must never know their meaning.

#![allow(unsafe_code, reason = "it makes a slice of an address that a mapping has vouched for")]

use std::fmt;
use std::ops::Deref;
use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;

use bulk::AtomicWord;

use crate::{Mapping, WrongWidth};

/// Consecutive words of one width: a slice of atomics that keeps its [`Mapping`] alive. A clone shows the same words.
pub struct Words<A> {
    first: NonNull<A>,
    len: usize,
    mapping: Arc<Mapping>,
}

// SAFETY: it gives nothing but shared references to atomics, which any thread may use.
unsafe impl<A: AtomicWord> Send for Words<A> {}
// SAFETY: as for `Send`.
unsafe impl<A: AtomicWord> Sync for Words<A> {}

impl Mapping {
    /// All words of a stretch of elements.
    ///
    /// # Errors
    /// [`WrongWidth`] if they have another width, or there is no such stretch.
    pub fn words<A: AtomicWord>(self: &Arc<Self>, stretch: usize) -> Result<Words<A>, WrongWidth> {
        let (first, len) = self.view_elements(stretch)?;
        Ok(Words::new(Arc::clone(self), first, len))
    }
}

impl<A: AtomicWord> Words<A> {
    /// Makes a slice of `len` words from `first` on. The mapping must have checked that words of this width stand
    /// there.
    fn new(mapping: Arc<Mapping>, first: NonNull<A>, len: usize) -> Self {
        Self { first, len, mapping }
    }

    /// The first `len` of the words.
    ///
    /// # Panics
    /// If there are fewer.
    #[must_use]
    pub fn first(self, len: usize) -> Self {
        assert!(len <= self.len, "the first {len} of {} words", self.len);
        Self { len, ..self }
    }

    /// The words in groups of `N`. Words behind the last whole group are left out.
    ///
    /// # Panics
    /// If `N` is 0.
    #[must_use]
    pub fn groups<const N: usize>(self) -> Groups<A, N> {
        Groups { first: self.first.cast(), len: self.len / N, mapping: self.mapping }
    }

    /// The mapping that they stand in.
    pub fn mapping(&self) -> &Arc<Mapping> {
        &self.mapping
    }
}

impl<A: AtomicWord> Deref for Words<A> {
    type Target = [A];

    #[inline]
    fn deref(&self) -> &[A] {
        // SAFETY: `len` words of this width stand there as long as the mapping lives, and no view has another width
        // there; atomics may be shared.
        unsafe { slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
}

impl<A> Clone for Words<A> {
    fn clone(&self) -> Self {
        Self { mapping: Arc::clone(&self.mapping), ..*self }
    }
}

impl<A> fmt::Debug for Words<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Words").field("len", &self.len).finish_non_exhaustive()
    }
}

/// Consecutive words of one width in groups of `N`, such as cache lines: a slice that keeps its [`Mapping`] alive. A clone shows
/// the same words.
pub struct Groups<A, const N: usize> {
    first: NonNull<[A; N]>,
    len: usize,
    mapping: Arc<Mapping>,
}

// SAFETY: it gives nothing but shared references to atomics, which any thread may use.
unsafe impl<A: AtomicWord, const N: usize> Send for Groups<A, N> {}
// SAFETY: as for `Send`.
unsafe impl<A: AtomicWord, const N: usize> Sync for Groups<A, N> {}

impl<A: AtomicWord, const N: usize> Deref for Groups<A, N> {
    type Target = [[A; N]];

    #[inline]
    fn deref(&self) -> &[[A; N]] {
        // SAFETY: `groups` made it of at least `N` times `len` words that stand there, which are as long as the mapping lives; an
        // array is aligned as its elements are.
        unsafe { slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
}

impl<A, const N: usize> Clone for Groups<A, N> {
    fn clone(&self) -> Self {
        Self { mapping: Arc::clone(&self.mapping), ..*self }
    }
}

impl<A, const N: usize> fmt::Debug for Groups<A, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Groups").field("len", &self.len).finish_non_exhaustive()
    }
}
