//! Dense kernels on matrices by rows. Must never know what the matrices are parts of.
//!
//! They are written for a compiler that turns loops over small arrays into vector instructions: a square of values stays in
//! registers while the columns of its two factors pass by.

/// The side of the square of values that is kept in registers.
const SIDE: usize = 4;

/// Room that kernels use again and again.
#[derive(Default)]
pub(super) struct Room {
    transposed: Vec<f64>,
}

/// Sets `into` to -A Bᵀ, where A and B have `width` columns. `into` has as many rows as A, and as many columns as B has rows.
///
/// With `lower`, B is the beginning of A, and nobody reads values right of the diagonal, some of which are not computed.
pub(super) fn negated_product(
    a: &[f64],
    b: &[f64],
    width: usize,
    lower: bool,
    into: &mut Vec<f64>,
    room: &mut Room,
) {
    let (rows, columns) = (a.len() / width, b.len() / width);
    let padded = columns.next_multiple_of(SIDE);
    transpose(b, width, padded, &mut room.transposed);
    into.clear();
    into.resize(rows * columns, 0.0);
    for (i, (a, into)) in a.chunks(SIDE * width).zip(into.chunks_mut(SIDE * columns)).enumerate() {
        let needed = if lower { columns.min((i + 1) * SIDE) } else { columns };
        for first in (0..needed).step_by(SIDE) {
            let square = if a.len() == SIDE * width {
                square_of_four(a, &room.transposed, width, padded, first)
            } else {
                square_of_fewer(a, &room.transposed, width, padded, first)
            };
            let end = columns.min(first + SIDE);
            for (into, sums) in into.chunks_mut(columns).zip(&square) {
                into[first..end].iter_mut().zip(sums).for_each(|(into, sum)| *into = -sum);
            }
        }
    }
}

/// Sets `into` to Bᵀ, a matrix of `width` rows of `padded` values.
fn transpose(b: &[f64], width: usize, padded: usize, into: &mut Vec<f64>) {
    into.clear();
    into.resize(width * padded, 0.0);
    for (j, row) in b.chunks(width).enumerate() {
        row.iter().enumerate().for_each(|(k, &value)| into[k * padded + j] = value);
    }
}

/// A square of A Bᵀ, for four rows of A.
fn square_of_four(
    a: &[f64],
    transposed: &[f64],
    width: usize,
    padded: usize,
    first: usize,
) -> [[f64; SIDE]; SIDE] {
    let mut square = [[0.0; SIDE]; SIDE];
    let (a0, rest) = a.split_at(width);
    let (a1, rest) = rest.split_at(width);
    let (a2, a3) = rest.split_at(width);
    let rows = a0.iter().zip(a1).zip(a2).zip(a3);
    for ((((a0, a1), a2), a3), b) in rows.zip(transposed.chunks_exact(padded)) {
        let b: &[f64; SIDE] = b[first..].first_chunk().expect("rows are padded");
        for (sums, a) in square.iter_mut().zip([a0, a1, a2, a3]) {
            sums.iter_mut().zip(b).for_each(|(sum, b)| *sum += a * b);
        }
    }
    square
}

/// A square of A Bᵀ, for fewer than four rows of A.
fn square_of_fewer(
    a: &[f64],
    transposed: &[f64],
    width: usize,
    padded: usize,
    first: usize,
) -> [[f64; SIDE]; SIDE] {
    let mut square = [[0.0; SIDE]; SIDE];
    for (sums, a) in square.iter_mut().zip(a.chunks_exact(width)) {
        for (a, b) in a.iter().zip(transposed.chunks_exact(padded)) {
            let b: &[f64; SIDE] = b[first..].first_chunk().expect("rows are padded");
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
pub(super) fn divide(lower: &[f64], rows: &mut [f64], width: usize) {
    rows.chunks_exact_mut(width).for_each(|row| divide_row(lower, row, width));
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
        divide(&lower, &mut row, width);
        assert!(row.iter().zip(&lower).all(|(x, value)| (x - value).abs() < 1e-14), "{row:?}");
    }
}
