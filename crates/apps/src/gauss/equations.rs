//! The system of equations that gauss solves, drawn at random.
//!
//! This module must never know how the system is solved.

use rand::RngExt;

use crate::kit::stream;

/// A system of equations: by row its elements, and then its right-hand side.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Equations {
    pub(super) rows: Vec<Vec<f64>>,
}

impl Equations {
    /// The number of rows, and of unknowns.
    pub(super) fn size(&self) -> usize {
        self.rows.len()
    }

    /// A random system. A row depends on the seed and its number.
    pub(super) fn generate(size: usize, seed: u64) -> Self {
        let row = |number| {
            let mut random = stream(seed, number as u64);
            (0..=size).map(|_| random.random_range(-1.0..1.0)).collect()
        };
        Self { rows: (0..size).map(row).collect() }
    }
}
