//! Words that handlers write in bulk: ghost values, counters.
//!
//! Relaxed atomics: any thread or handler of the node may read and write any cell, and no access tears. They
//! carry no order by themselves. The happens-before from a handler's writes to the thread that reads them comes
//! from the [`Event`](crate::Event) the handler signals afterwards.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

/// A value that fits one cell: 64 bits or fewer, copied whole.
pub trait Word: Copy + Send + Sync + 'static {
    /// The bits to store.
    fn to_bits(self) -> u64;
    /// The value of stored bits.
    fn from_bits(bits: u64) -> Self;
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
    bits: Box<[AtomicU64]>,
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
