//! The three passes of tomcatv in one shared memory with rayon, written plainly: a loop over the rows for each.

use std::f64::consts::PI;
use std::time::Instant;

use rayon::ThreadPool;
use rayon::prelude::*;

/// Points of a side, and iterations, as in the study.
const SIDE: usize = 768;
const ITERATIONS: usize = 10;

/// Twice the reciprocal of the relaxation factor.
const DIAGONAL: f64 = 2.0 / 0.98;

/// Inputs of the program for a mesh of the same size.
pub(super) fn inputs() -> Vec<(&'static str, String)> {
    vec![("size", SIDE.to_string()), ("iterations", ITERATIONS.to_string())]
}

/// A coordinate of all points, row by row.
type Matrix = Vec<f64>;

/// A square whose sides are bent, with its interior points off their places by up to a quarter of a mesh width.
fn mesh() -> [Matrix; 2] {
    let width = 1.0 / (SIDE - 1) as f64;
    let bend = |along: f64| 0.1 * (PI * along).sin();
    let along = |index: usize| index as f64 * width;
    let interior = 1..SIDE - 1;
    let noise = |index: usize| (index as u32).wrapping_mul(2_654_435_761) as f64 / f64::from(u32::MAX) - 0.5;
    let point = |axis: usize, i: usize, j: usize| {
        let (own, other) = if axis == 0 { (along(i), along(j)) } else { (along(j), along(i)) };
        let inside = interior.contains(&i) && interior.contains(&j);
        let off = if inside { noise(2 * (i * SIDE + j) + axis) * 0.5 * width } else { 0.0 };
        own + bend(other) * (2.0 * own - 1.0) + off
    };
    [0, 1].map(|axis| (0..SIDE * SIDE).map(|at| point(axis, at / SIDE, at % SIDE)).collect())
}

/// The matrices that an iteration computes: elements beside the diagonal and on it, its reciprocal, residuals.
struct Work {
    aa: Matrix,
    dd: Matrix,
    d: Matrix,
    rx: Matrix,
    ry: Matrix,
}

/// Three rows around a row of a coordinate.
fn around(matrix: &[f64], row: usize) -> [&[f64]; 3] {
    [row - 1, row, row + 1].map(|row| &matrix[row * SIDE..][..SIDE])
}

/// The residual of a coordinate at column `j`.
fn residual(v: [&[f64]; 3], j: usize, [a, b, c]: [f64; 3]) -> f64 {
    let along = v[2][j] - 2.0 * v[1][j] + v[0][j];
    let across = v[1][j + 1] - 2.0 * v[1][j] + v[1][j - 1];
    let corner = v[2][j + 1] - v[2][j - 1] - v[0][j + 1] + v[0][j - 1];
    a * along + b * across - c * corner
}

/// Sets the coefficients and residuals of a row from the rows around it.
fn update(x: [&[f64]; 3], y: [&[f64]; 3], [aa, dd, rx, ry]: [&mut [f64]; 4]) {
    for j in 1..SIDE - 1 {
        let (xx, yx) = (x[2][j] - x[0][j], y[2][j] - y[0][j]);
        let (xy, yy) = (x[1][j + 1] - x[1][j - 1], y[1][j + 1] - y[1][j - 1]);
        let a = 0.25 * (xy * xy + yy * yy);
        let b = 0.25 * (xx * xx + yx * yx);
        let c = 0.125 * (xx * xy + yx * yy);
        (aa[j], dd[j]) = (-b, b + b + a * DIAGONAL);
        (rx[j], ry[j]) = (residual(x, j, [a, b, c]), residual(y, j, [a, b, c]));
    }
}

/// Solves both systems of a row.
fn solve([aa, dd]: [&[f64]; 2], [d, rx, ry]: [&mut [f64]; 3]) {
    d[1] = 1.0 / dd[1];
    for j in 2..SIDE - 1 {
        let r = aa[j] * d[j - 1];
        d[j] = 1.0 / (dd[j] - aa[j] * r);
        rx[j] -= rx[j - 1] * r;
        ry[j] -= ry[j - 1] * r;
    }
    rx[SIDE - 2] *= d[SIDE - 2];
    ry[SIDE - 2] *= d[SIDE - 2];
    for j in (1..SIDE - 2).rev() {
        rx[j] = (rx[j] - aa[j] * rx[j + 1]) * d[j];
        ry[j] = (ry[j] - aa[j] * ry[j + 1]) * d[j];
    }
}

/// The interior rows of a matrix.
fn interior(matrix: &mut Matrix) -> rayon::slice::ChunksMut<'_, f64> {
    matrix[SIDE..(SIDE - 1) * SIDE].par_chunks_mut(SIDE)
}

/// Performs an iteration. Returns the largest residual.
fn iterate([x, y]: &mut [Matrix; 2], work: &mut Work) -> f64 {
    let Work { aa, dd, d, rx, ry } = work;
    let rows = interior(aa).zip(interior(dd)).zip(interior(rx)).zip(interior(ry)).enumerate();
    rows.for_each(|(row, (((aa, dd), rx), ry))| {
        update(around(x, row + 1), around(y, row + 1), [aa, dd, rx, ry]);
    });
    let largest = |matrix: &Matrix| {
        let rows = matrix.par_chunks(SIDE);
        let of_rows = rows.map(|row| row.iter().fold(0.0_f64, |most, one| most.max(one.abs())));
        of_rows.reduce(|| 0.0, f64::max)
    };
    let most = largest(rx).max(largest(ry));
    let given = aa.par_chunks(SIDE).zip(dd.par_chunks(SIDE)).skip(1);
    let rows = interior(d).zip(interior(rx)).zip(interior(ry)).zip(interior(x)).zip(interior(y));
    rows.zip(given).for_each(|(((((d, rx), ry), x), y), (aa, dd))| {
        solve([aa, dd], [d, rx, ry]);
        for (coordinates, corrections) in [(x, rx), (y, ry)] {
            coordinates.iter_mut().zip(corrections).for_each(|(one, correction)| *one += *correction);
        }
    });
    most
}

/// Microseconds of all iterations.
pub(super) fn plain(pool: &ThreadPool) -> f64 {
    let mut mesh = mesh();
    let matrix = || vec![0.0; SIDE * SIDE];
    let mut work = Work { aa: matrix(), dd: matrix(), d: matrix(), rx: matrix(), ry: matrix() };
    let start = Instant::now();
    let residuals: Vec<f64> =
        pool.install(|| (0..ITERATIONS).map(|_| iterate(&mut mesh, &mut work)).collect());
    let time = start.elapsed().as_secs_f64() * 1e6;
    assert!(residuals[ITERATIONS - 1] < residuals[0], "the mesh relaxes: {residuals:?}");
    time
}
