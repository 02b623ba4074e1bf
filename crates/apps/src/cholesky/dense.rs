//! Dense kernels on matrices by rows. This module must never know the use of the matrices.
//!
//! They are written for a compiler that turns loops over small arrays into vector instructions: a square of values stays in
//! registers while the columns of its two factors pass by.

/// The side of the square of values that is kept in registers.
const SIDE: usize = 4;

/// Room that kernels use again and again.
#[derive(Default)]
pub(super) struct Room {
    a: Vec<f64>,
    b: Vec<f64>,
}

/// Sets `into` to -A Bᵀ, where A and B have `width` columns. `into` has as many rows as A, and as many columns as B has rows.
///
/// With `lower`, B is the beginning of A, and values right of the diagonal, some of which are not computed, must not be
/// read.
pub(super) fn negated_product(
    a: &[f64],
    b: &[f64],
    width: usize,
    lower: bool,
    into: &mut Vec<f64>,
    room: &mut Room,
) {
    let (rows, columns) = (a.len() / width, b.len() / width);
    let a = &*pack(a, width, &mut room.a);
    let b = if lower { a } else { pack(b, width, &mut room.b) };
    into.resize(rows * columns, 0.0);
    for ((i, a), into) in a.chunks_exact(width).enumerate().zip(into.chunks_mut(SIDE * columns)) {
        let needed = if lower { columns.min((i + 1) * SIDE) } else { columns };
        for (first, b) in (0..needed).step_by(SIDE).zip(b.chunks_exact(width)) {
            let end = columns.min(first + SIDE);
            for (into, sums) in into.chunks_mut(columns).zip(&square(a, b)) {
                into[first..end].iter_mut().zip(sums).for_each(|(into, sum)| *into = -sum);
            }
        }
    }
}

/// A column of [`SIDE`] rows.
type Strip = [f64; SIDE];

/// Puts the columns of each [`SIDE`] rows of a matrix of `width` columns one behind the other. The last rows are followed by zeros.
fn pack<'r>(matrix: &[f64], width: usize, room: &'r mut Vec<f64>) -> &'r mut [Strip] {
    room.clear();
    room.resize(matrix.len().next_multiple_of(SIDE * width), 0.0);
    let (strips, _) = room.as_chunks_mut();
    for (rows, strips) in matrix.chunks(SIDE * width).zip(strips.chunks_exact_mut(width)) {
        for (place, row) in rows.chunks_exact(width).enumerate() {
            strips.iter_mut().zip(row).for_each(|(strip, &value)| strip[place] = value);
        }
    }
    strips
}

/// The square of A Bᵀ of [`SIDE`] rows of either.
fn square(a: &[Strip], b: &[Strip]) -> [Strip; SIDE] {
    let mut square = [[0.0; SIDE]; SIDE];
    for (a, b) in a.iter().zip(b) {
        for (sums, a) in square.iter_mut().zip(a) {
            sums.iter_mut().zip(b).for_each(|(sum, b)| *sum += a * b);
        }
    }
    square
}

/// Replaces the lower triangle of a square matrix of `width` columns by its Cholesky factor. A pivot that is not positive gives
/// values that are no numbers.
pub(super) fn factor(matrix: &mut [f64], width: usize) {
    for i in 0..width {
        let (above, row) = matrix.split_at_mut(i * width);
        divide_row(above, &mut row[..i], width);
        let squares: f64 = row[..i].iter().map(|value| value * value).sum();
        row[i] = (row[i] - squares).sqrt();
    }
}

/// Replaces each row r of a matrix of `width` columns by the solution x of L xᵀ = rᵀ.
pub(super) fn divide(lower: &[f64], rows: &mut [f64], width: usize, room: &mut Room) {
    for rows in rows.chunks_mut(SIDE * width) {
        let strips = pack(rows, width, &mut room.a);
        divide_strips(lower, strips);
        for (place, row) in rows.chunks_exact_mut(width).enumerate() {
            row.iter_mut().zip(&*strips).for_each(|(value, strip)| *value = strip[place]);
        }
    }
}

/// Divides [`SIDE`] rows, as many values as L has columns.
fn divide_strips(lower: &[f64], strips: &mut [Strip]) {
    let width = strips.len();
    for (j, lower) in lower.chunks_exact(width).take(width).enumerate() {
        let (solved, rest) = strips.split_at_mut(j);
        let mut known = [0.0; SIDE];
        for (value, solved) in lower.iter().zip(&*solved) {
            known.iter_mut().zip(solved).for_each(|(known, x)| *known += value * x);
        }
        rest[0].iter_mut().zip(known).for_each(|(x, known)| *x = (*x - known) / lower[j]);
    }
}

/// Replaces the beginning of a row r by the solution x of L xᵀ = rᵀ, as many values as the row has.
fn divide_row(lower: &[f64], row: &mut [f64], width: usize) {
    for j in 0..row.len() {
        let lower = &lower[j * width..];
        let known: f64 = lower[..j].iter().zip(&*row).map(|(value, x)| value * x).sum();
        row[j] = (row[j] - known) / lower[j];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix of small integers that are all different modulo 17.
    fn matrix(rows: usize, width: usize) -> Vec<f64> {
        (0..rows * width).map(|index| f64::from((index * index + 3 * index) as u32 % 17) - 8.0).collect()
    }

    #[test]
    fn products_are_those_of_the_definition() {
        let (mut into, mut room) = (Vec::new(), Room::default());
        for (rows, columns, width) in [(1, 1, 1), (4, 4, 8), (7, 5, 3), (9, 9, 4), (13, 6, 11)] {
            let (a, b) = (matrix(rows, width), matrix(columns, width));
            let entry =
                |i: usize, j: usize| -> f64 { (0..width).map(|k| a[i * width + k] * b[j * width + k]).sum() };
            negated_product(&a, &b, width, false, &mut into, &mut room);
            assert_eq!(into.len(), rows * columns);
            assert!((0..rows * columns).all(|at| into[at] == -entry(at / columns, at % columns)));
            negated_product(&a, &a, width, true, &mut into, &mut room);
            let lower = (0..rows * rows).filter(|at| at % rows <= at / rows);
            assert!(lower.into_iter().all(|at| {
                let of = |i: usize, j: usize| -> f64 {
                    (0..width).map(|k| a[i * width + k] * a[j * width + k]).sum()
                };
                into[at] == -of(at / rows, at % rows)
            }));
        }
    }

    #[test]
    fn a_factor_times_its_transpose_is_the_matrix() {
        let width = 6;
        let lower: Vec<f64> = (0..width * width)
            .map(|at| match (at / width, at % width) {
                (i, j) if i == j => 3.0,
                (i, j) if j < i => 1.0 / (1 + i + j) as f64,
                _ => 0.0,
            })
            .collect();
        let (mut product, mut room) = (Vec::new(), Room::default());
        negated_product(&lower, &lower, width, false, &mut product, &mut room);
        product.iter_mut().for_each(|value| *value = -*value);
        let mut row = product[..width].to_vec();
        factor(&mut product, width);
        for at in (0..width * width).filter(|at| at % width <= at / width) {
            assert!((product[at] - lower[at]).abs() < 1e-14, "{at}");
        }
        // The first row of L Lᵀ is the first row of L times Lᵀ.
        divide(&lower, &mut row, width, &mut room);
        assert!(row.iter().zip(&lower).all(|(x, value)| (x - value).abs() < 1e-14), "{row:?}");
    }
}
