//! The system of equations that gauss solves, drawn at random.
//!
//! This module must never know how the system is solved.

use rand::RngExt;
use tempest::entry::{Frozen, portable};

use crate::kit::stream;

/// A system of equations.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Equations {
    size: u64,
    /// By row: its elements, and then its right-hand side.
    elements: Frozen<f64>,
}

portable!(Equations { size, elements });

impl Equations {
    /// The number of rows, and of unknowns.
    pub(super) fn size(&self) -> usize {
        self.size as usize
    }

    /// The rows, each with its elements and then its right-hand side.
    pub(super) fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.elements.chunks_exact(self.size() + 1)
    }

    /// The elements of a row, and then its right-hand side.
    pub(super) fn row(&self, row: usize) -> &[f64] {
        let len = self.size() + 1;
        &self.elements[row * len..][..len]
    }

    /// The system of these rows.
    pub(super) fn of(rows: impl ExactSizeIterator<Item = Vec<f64>>) -> Self {
        Self { size: rows.len() as u64, elements: rows.flatten().collect() }
    }

    /// A random system. A row depends on the seed and its number.
    pub(super) fn generate(size: usize, seed: u64) -> Self {
        let row = |number: usize| {
            let mut random = stream(seed, number as u64);
            (0..=size).map(|_| random.random_range(-1.0..1.0)).collect()
        };
        Self::of((0..size).map(row))
    }
}
