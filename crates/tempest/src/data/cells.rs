//! Arrays of words that handlers and threads of a node share: ghost values, counters.
//!
//! Cells are relaxed atomics of 1, 2, 4 or 8 bytes: any thread or handler of the node may read and write any cell, and
//! no access tears. They carry no order by themselves. An [`Event`](crate::Event) orders them: a thread that waited for
//! an event sees everything that a handler wrote before it signalled the event.
//!
//! Each access names the thread or handler that makes it, and takes place at the time of that thread's or handler's
//! clock: see [`Clocked`].
//!
//! This module must never know the meaning of the words.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ::segment::{Form, MemorySource, Pages, Width, Words};

use super::word;
use crate::data::{Clocked, IntegerWord, Word};

/// A fixed-length array of words that handlers and threads of a node share.
///
/// Each access has an argument `on`: the thread or handler that makes it, or the [`Setup`](crate::Setup) or
/// [`FinalState`](crate::FinalState) before and after the run. A simulator makes the access at the time of that
/// argument's clock: a read finds all words that the node's handlers have written up to this time, and none that they
/// write later.
#[derive(Debug)]
pub struct Cells<T: Word> {
    words: Words<T::Atomic>,
}

impl<T: Word> Cells<T> {
    /// Makes `len` cells, each holding `value`.
    ///
    /// # Panics
    /// If there is no memory for them.
    pub fn new(len: usize, value: T) -> Self {
        Self::within(&MemorySource::Private, len, value)
    }

    /// Makes `len` cells, each holding `value`, in memory from `source`.
    ///
    /// # Panics
    /// If there is no memory for them.
    pub(crate) fn within(source: &MemorySource, len: usize, value: T) -> Self {
        let width = Width::of::<T::Atomic>();
        let bytes = len.checked_mul(width.bytes()).unwrap_or_else(|| {
            panic!("{len} cells of {} bytes: expected no more than a process can address", width.bytes())
        });
        let mapping = Arc::new(source.mapping([(Form::elements(width), bytes)], Pages::Huge));
        let words = mapping.words(0).expect("the mapping is of words of this width");
        if Word::to_bits(value) != 0 {
            words.iter().for_each(|cell| word::store(cell, value));
        }
        Self { words }
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether the array has no cells.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Makes another handle to the memory of these cells.
    pub(crate) fn same(&self) -> Self {
        Self { words: self.words() }
    }

    /// Returns a shared handle to the cells' memory. The holder can read and write the cells through it.
    pub(crate) fn words(&self) -> Words<T::Atomic> {
        self.words.clone()
    }

    /// Returns the `len` cells from cell `from` on.
    ///
    /// # Panics
    /// If the array ends before the last of these cells.
    pub(crate) fn stretch(&self, from: usize, len: usize) -> &[T::Atomic] {
        &self.words[from..][..len]
    }

    /// Returns the value of cell `at` as it is now, at no instant of a modelled clock.
    #[cfg(test)]
    pub(crate) fn held(&self, at: usize) -> T {
        word::load(&self.words[at])
    }

    /// Writes `values` into consecutive cells from cell `from` on, at the time of `on`, the writing thread or handler.
    ///
    /// # Panics
    /// If the array ends before the last value.
    pub fn write(&self, on: &impl Clocked, from: usize, values: &[T]) {
        on.settle();
        self.put(from, values);
    }

    /// Writes `values` into consecutive cells from cell `from` on, at no instant of a clock. The program orders the
    /// accesses to such data by events.
    ///
    /// # Panics
    /// If the array ends before the last value.
    pub(crate) fn put(&self, from: usize, values: &[T]) {
        bulk::store(self.stretch(from, values.len()), word::values(values));
    }

    /// Fills `values` with the values of consecutive cells, from cell `from` on, at the time of `on`, the reading
    /// thread or handler.
    ///
    /// # Panics
    /// If the array ends before the last of these cells.
    pub fn read(&self, on: &impl Clocked, from: usize, values: &mut [T]) {
        on.settle();
        bulk::load(self.stretch(from, values.len()), word::values_mut(values));
    }

    /// Returns the value of cell `at` at the time of `on`, the reading thread or handler.
    ///
    /// # Panics
    /// If there is no such cell.
    #[inline]
    pub fn get(&self, on: &impl Clocked, at: usize) -> T {
        on.settle();
        word::load(&self.words[at])
    }

    /// Sets cell `at` to `value` at the time of `on`, the writing thread or handler.
    ///
    /// # Panics
    /// If there is no such cell.
    #[inline]
    pub fn set(&self, on: &impl Clocked, at: usize, value: T) {
        on.settle();
        word::store(&self.words[at], value);
    }
}

impl<T: IntegerWord> Cells<T> {
    /// Adds `amount` to cell `at` atomically, wrapping on overflow, and returns the cell's previous value. `on` is the
    /// adding thread or handler.
    ///
    /// # Panics
    /// If there is no such cell.
    #[inline]
    pub fn add(&self, on: &impl Clocked, at: usize, amount: T) -> T {
        on.settle();
        word::add(&self.words[at], amount, Ordering::Relaxed)
    }

    /// Stores `value` in cell `at` and returns the cell's previous value: one atomic exchange with acquire and release
    /// order.
    ///
    /// # Panics
    /// If there is no such cell.
    #[inline]
    pub(crate) fn swap(&self, on: &impl Clocked, at: usize, value: T) -> T {
        on.settle();
        word::swap(&self.words[at], value)
    }
}
