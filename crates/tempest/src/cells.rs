//! Words that handlers write in bulk: ghost values, counters.
//!
//! Relaxed atomics: any thread or handler of the node may read and write any cell, and no access tears. They
//! carry no order by themselves. The happens-before from a handler's writes to the thread that reads them comes
//! from the [`Event`](crate::Event) the handler signals afterwards.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::Pod;

/// A value of one cell: 64 bits, copied whole.
pub trait Word: Pod + Send + Sync {
    /// The bits to store.
    fn to_bits(self) -> u64;
    /// The value of stored bits.
    fn from_bits(bits: u64) -> Self;

    /// The bits of values that stand side by side: themselves.
    ///
    /// # Panics
    /// If a value has not the size and boundary of a word.
    #[inline]
    fn bits(values: &[Self]) -> &[u64] {
        bytemuck::cast_slice(values)
    }

    /// The same, to be changed.
    ///
    /// # Panics
    /// As [`bits`](Self::bits).
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

/// A fixed number of cells.
#[derive(Debug)]
pub struct Cells<T> {
    bits: Arc<[AtomicU64]>,
    word: PhantomData<T>,
}

impl<T: Word> Cells<T> {
    /// `len` cells, each holding `value`.
    pub fn new(len: usize, value: T) -> Self {
        Self { bits: (0..len).map(|_| AtomicU64::new(value.to_bits())).collect(), word: PhantomData }
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.bits.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    /// The same cells once more.
    pub(crate) fn same(&self) -> Self {
        Self { bits: self.shared(), word: PhantomData }
    }

    /// Their bits, which whoever has them may read and write as well.
    pub(crate) fn shared(&self) -> Arc<[AtomicU64]> {
        Arc::clone(&self.bits)
    }

    /// The cells `from` and on, `len` of them.
    ///
    /// # Panics
    /// If there are not so many.
    pub(crate) fn stretch(&self, from: usize, len: usize) -> &[AtomicU64] {
        &self.bits[from..][..len]
    }

    /// Sets as many cells as there are values, from cell `from` on.
    ///
    /// # Panics
    /// If there are not so many cells.
    pub fn write(&self, from: usize, values: &[T]) {
        bulk::store(self.stretch(from, values.len()), T::bits(values));
    }

    /// The values of as many cells, from cell `from` on.
    ///
    /// # Panics
    /// If there are not so many cells.
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
