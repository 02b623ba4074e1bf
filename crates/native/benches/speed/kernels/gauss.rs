//! The elimination of gauss in one shared memory with rayon, written plainly: a loop over the rows below for each pivot.

use std::time::Instant;

use rayon::ThreadPool;
use rayon::prelude::*;

/// Number of rows and unknowns, as in the study.
const SIZE: usize = 672;

/// Inputs of the program for the same size.
pub(super) fn inputs() -> Vec<(&'static str, String)> {
    vec![("size", SIZE.to_string())]
}

/// A row's elements, and then its right-hand side.
type Row = Vec<f64>;

/// Pseudo-random numbers between -1 and 1.
fn system() -> Vec<Row> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..SIZE).map(|_| (0..=SIZE).map(|_| next()).collect()).collect()
}

/// Eliminates all columns. Each changed row yields its value as a candidate for the next pivot.
fn eliminate(rows: &mut [Row]) {
    let larger = |one: (f64, usize), other: (f64, usize)| if other.0 > one.0 { other } else { one };
    let none = (0.0, 0);
    let mut pivot = rows.iter().map(|row| row[0].abs()).zip(0..).fold(none, larger).1;
    for k in 0..SIZE - 1 {
        rows.swap(k, k + pivot);
        let (above, below) = rows.split_at_mut(k + 1);
        let pivot_row = &above[k][k..];
        let changed = below.par_iter_mut().enumerate().map(|(index, row)| {
            let row = &mut row[k..];
            let factor = row[0] / pivot_row[0];
            row[1..].iter_mut().zip(&pivot_row[1..]).for_each(|(one, pivot)| *one -= factor * pivot);
            (row[1].abs(), index)
        });
        pivot = changed.reduce(|| none, larger).1;
    }
}

/// Computes the unknowns from the last one on.
fn substitute(rows: &mut [Row]) -> Vec<f64> {
    let mut x = vec![0.0; SIZE];
    for k in (0..SIZE).rev() {
        x[k] = rows[k][SIZE] / rows[k][k];
        rows[..k].iter_mut().for_each(|row| row[SIZE] -= row[k] * x[k]);
    }
    x
}

/// Microseconds of the elimination and the substitution.
pub(super) fn plain(pool: &ThreadPool) -> f64 {
    let system = system();
    let mut rows = system.clone();
    let start = Instant::now();
    let x = pool.install(|| {
        eliminate(&mut rows);
        substitute(&mut rows)
    });
    let time = start.elapsed().as_secs_f64() * 1e6;
    for row in &system {
        let side: f64 = row[..SIZE].iter().zip(&x).map(|(element, x)| element * x).sum();
        assert!((side - row[SIZE]).abs() < 1e-8, "{side} is {}", row[SIZE]);
    }
    time
}
