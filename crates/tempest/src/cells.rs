//! Arrays of words that handlers and threads of a node share: ghost values, counters.
//!
//! Cells are relaxed atomics: any thread or handler of the node may read and write any cell, and no access
//! tears. They carry no order by themselves. An [`Event`](crate::Event) orders them: what a handler wrote
//! before it signalled an event is seen by the thread that waited for the event.
//!
//! This module must never know what the words mean.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::Pod;

/// A value of one cell: 64 bits, copied whole.
pub trait Word: Pod + Send + Sync {
    /// Converts the value to the bits that are stored.
    fn to_bits(self) -> u64;
    /// Converts stored bits to the value.
    fn from_bits(bits: u64) -> Self;

    /// Views a slice of values as a slice of their bits.
    ///
    /// # Panics
    /// If a value has not the size and boundary of a word.
    #[inline]
    fn bits(values: &[Self]) -> &[u64] {
        bytemuck::cast_slice(values)
    }

    /// Views a mutable slice of values as a mutable slice of their bits.
    ///
    /// # Panics
    /// If a value does not have the size and alignment of a word.
    #[inline]
    fn bits_mut(values: &mut [Self]) -> &mut [u64] {
        bytemuck::cast_slice_mut(values)
    }
}

impl Word for u64 {
    fn to_bits(self) -> u64 {
        self
    }
    fn from_bits(bits: u64) -> Self {
        bits
    }
}

impl Word for f64 {
    fn to_bits(self) -> u64 {
        f64::to_bits(self)
    }
    fn from_bits(bits: u64) -> Self {
        f64::from_bits(bits)
    }
}

/// A fixed-length array of words that handlers and threads of a node share.
#[derive(Debug)]
pub struct Cells<T> {
    bits: Arc<[AtomicU64]>,
    word: PhantomData<T>,
}

impl<T: Word> Cells<T> {
    /// Makes `len` cells, each holding `value`.
    pub fn new(len: usize, value: T) -> Self {
        Self { bits: (0..len).map(|_| AtomicU64::new(value.to_bits())).collect(), word: PhantomData }
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        self.bits.len()
    }

    /// Whether the array has no cells.
    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    /// Makes another handle to this array's memory.
    pub(crate) fn same(&self) -> Self {
        Self { bits: self.shared(), word: PhantomData }
    }

    /// The memory of the cells, shared: its holder may read and write it too.
    pub(crate) fn shared(&self) -> Arc<[AtomicU64]> {
        Arc::clone(&self.bits)
    }

    /// The `len` cells from cell `from` on.
    ///
    /// # Panics
    /// If the array ends before them.
    pub(crate) fn stretch(&self, from: usize, len: usize) -> &[AtomicU64] {
        &self.bits[from..][..len]
    }

    /// Writes `values` into the cells from cell `from` on.
    ///
    /// # Panics
    /// If the array ends before the last value.
    pub fn write(&self, from: usize, values: &[T]) {
        bulk::store(self.stretch(from, values.len()), T::bits(values));
    }

    /// Fills `values` from the cells from cell `from` on.
    ///
    /// # Panics
    /// If the array ends before the last value.
    pub fn read(&self, from: usize, values: &mut [T]) {
        bulk::load(self.stretch(from, values.len()), T::bits_mut(values));
    }

    /// The value of cell `index`.
    ///
    /// # Panics
    /// If there is no such cell.
    #[inline]
    pub fn get(&self, index: usize) -> T {
        T::from_bits(self.bits[index].load(Ordering::Relaxed))
    }

    /// Sets cell `index`.
    ///
    /// # Panics
    /// If there is no such cell.
    #[inline]
    pub fn set(&self, index: usize, value: T) {
        self.bits[index].store(value.to_bits(), Ordering::Relaxed);
    }
}

impl Cells<u64> {
    /// Adds to cell `index` in one step, wrapping, and returns what it held before.
    ///
    /// # Panics
    /// If there is no such cell.
    #[inline]
    pub fn add(&self, index: usize, amount: u64) -> u64 {
        self.bits[index].fetch_add(amount, Ordering::Relaxed)
    }
}
