//! The six steps of fft in one shared memory with rayon, written plainly.

use std::f64::consts::TAU;
use std::time::Instant;

use rayon::ThreadPool;
use rayon::prelude::*;

/// Rows, and points of a row.
const SIDE: usize = 1024;

/// Inputs of the program for the same number of points.
pub(super) fn inputs() -> Vec<(&'static str, String)> {
    vec![("points", (SIDE * SIDE).to_string())]
}

type Complex = [f64; 2];

fn times(a: Complex, b: Complex) -> Complex {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

fn root(numerator: usize, denominator: usize) -> Complex {
    let (sin, cos) = (-TAU * (numerator % denominator) as f64 / denominator as f64).sin_cos();
    [cos, sin]
}

/// Transforms a row in place.
fn transform(row: &mut [Complex], roots: &[Complex]) {
    let shift = usize::BITS - row.len().trailing_zeros();
    for index in 1..row.len() {
        let other = index.reverse_bits() >> shift;
        if index < other {
            row.swap(index, other);
        }
    }
    let mut half = 1;
    while half < row.len() {
        let roots = &roots[half - 1..][..half];
        for pairs in row.chunks_exact_mut(2 * half) {
            let (low, high) = pairs.split_at_mut(half);
            for ((low, high), root) in low.iter_mut().zip(high).zip(roots) {
                let turned = times(*high, *root);
                (*low, *high) =
                    ([low[0] + turned[0], low[1] + turned[1]], [low[0] - turned[0], low[1] - turned[1]]);
            }
        }
        half *= 2;
    }
}

/// Transposes a square, by tiles of 16 points by 16.
fn transpose(from: &[Complex], to: &mut [Complex]) {
    to.par_chunks_mut(16 * SIDE).enumerate().for_each(|(band, rows)| {
        for tile in (0..SIDE).step_by(16) {
            for column in tile..tile + 16 {
                for (row, points) in rows.chunks_mut(SIDE).enumerate() {
                    points[column] = from[column * SIDE + band * 16 + row];
                }
            }
        }
    });
}

/// Microseconds of the six steps.
pub(super) fn plain(pool: &ThreadPool) -> f64 {
    let points: Vec<Complex> = (0..SIDE * SIDE).map(|index| root(index * index, SIDE * SIDE)).collect();
    let energy = |points: &[Complex]| {
        points.iter().map(|point| point[0] * point[0] + point[1] * point[1]).sum::<f64>()
    };
    let halves = (0..SIDE.trailing_zeros()).map(|stage| 1_usize << stage);
    let roots: Vec<_> = halves.flat_map(|half| (0..half).map(move |index| root(index, 2 * half))).collect();
    let factor = |index: usize| root((index / SIDE) * (index % SIDE), SIDE * SIDE);
    let factors: Vec<_> = (0..SIDE * SIDE).map(factor).collect();
    let (mut from, mut to) = (points.clone(), vec![[0.0; 2]; SIDE * SIDE]);
    let start = Instant::now();
    pool.install(|| {
        transpose(&from, &mut to);
        to.par_chunks_mut(SIDE).zip(factors.par_chunks(SIDE)).for_each(|(row, factors)| {
            transform(row, &roots);
            row.iter_mut().zip(factors).for_each(|(point, factor)| *point = times(*point, *factor));
        });
        transpose(&to, &mut from);
        from.par_chunks_mut(SIDE).for_each(|row| transform(row, &roots));
        transpose(&from, &mut to);
    });
    let time = start.elapsed().as_secs_f64() * 1e6;
    let ratio = energy(&to) / energy(&points) / (SIDE * SIDE) as f64;
    assert!((ratio - 1.0).abs() < 1e-12, "Parseval: {ratio}");
    time
}
