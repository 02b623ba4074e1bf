//! The multiplication of square blocks, and its work. Large blocks in private memory are multiplied by tiles of the right factor that
//! stay in a small cache. This module must never know where blocks are.

use std::ops::Range;

use tempest::{Operations, Private, Thread};

/// The work of a term of an element: a multiplication and an addition; loads of the factor and of the sum, a store of the sum; an
/// index, and the loop.
const TERM: Operations = Operations::NONE.flops(2).loads(2).stores(1).integers(2);

/// The work of a factor that a row of terms shares: its load; an index, and the loop.
const FACTOR: Operations = Operations::NONE.loads(1).integers(2);

/// The rows and columns of a tile of the right factor: 8 KiB.
const TILE: usize = 32;

/// Adds to a block the product of two others, all with `side` rows and columns, row by row. Terms are added in their order.
pub(super) fn multiply(sums: &mut [f64], left: &[f64], right: &[f64], side: usize) {
    match side {
        4 => fixed::<4>(sums, left, right),
        8 => fixed::<8>(sums, left, right),
        16 => fixed::<16>(sums, left, right),
        _ => any(sums, left, right, side),
    }
}

/// Charges a thread for the multiplication of blocks, row by row: the operations of a large block exceed the limit of
/// one charge.
pub(super) fn charge(thread: &Thread<'_>, side: usize) {
    let row = FACTOR.and(TERM.times(side as u32)).times(side as u32);
    (0..side).for_each(|_| thread.charge(row));
}

/// Adds to a block the product of two others, in a model by tiles. Natively the loop is not divided.
pub(super) fn multiply_by_tiles(
    thread: &Thread<'_>,
    sums: &mut [f64],
    [left, right]: [&[f64]; 2],
    side: usize,
) {
    if thread.strip(TILE) < side {
        tiled(sums, left, right, side);
    } else {
        multiply(sums, left, right, side);
    }
}

/// Charges a thread for the multiplication of blocks in private memory by tiles: of the left and the right factor, and of the product. It goes
/// through a tile of the right factor once, and through its parts of the rows of the other two blocks. All other accesses are loads and
/// stores that hit.
pub(super) fn charge_private(
    thread: &Thread<'_>,
    [left, right]: [&Private<f64>; 2],
    sums: &mut Private<f64>,
    side: usize,
) {
    for (factors, terms) in tiles(side) {
        for factor in factors.clone() {
            right.view(thread, factor * side + terms.start..factor * side + terms.end);
        }
        let (high, wide) = (factors.len() as u32, terms.len() as u32);
        let row = FACTOR.and(TERM.times(wide)).times(high);
        for (number, at) in (0..side).map(|row| row * side).enumerate() {
            // The first row loads the terms by the view above.
            let viewed = high + wide + if number == 0 { high * wide } else { 0 };
            left.view(thread, at + factors.start..at + factors.end);
            sums.view(thread, at + terms.start..at + terms.end);
            thread.charge(Operations { loads: row.loads - viewed, stores: row.stores - wide, ..row });
            sums.view_mut(thread, at + terms.start..at + terms.end);
        }
    }
}

/// The tiles of a right factor: rows, which are factors of the left one, and columns.
fn tiles(side: usize) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
    let parts = move || (0..side).step_by(TILE).map(move |first| first..side.min(first + TILE));
    parts().flat_map(move |rows| parts().map(move |columns| (rows.clone(), columns)))
}

fn tiled(sums: &mut [f64], left: &[f64], right: &[f64], side: usize) {
    for (factors, terms) in tiles(side) {
        for (row, left) in sums.chunks_exact_mut(side).zip(left.chunks_exact(side)) {
            let sums = &mut row[terms.clone()];
            for factor in factors.clone() {
                add(sums, left[factor], &right[factor * side..][terms.clone()]);
            }
        }
    }
}

/// Adds terms, multiplied by their factor, to as many sums.
fn add(sums: &mut [f64], factor: f64, terms: &[f64]) {
    let each = |(sum, term): (&mut f64, &f64)| *sum += factor * term;
    match (sums.first_chunk_mut::<TILE>(), terms.first_chunk::<TILE>()) {
        (Some(sums), Some(terms)) => sums.iter_mut().zip(terms).for_each(each),
        _ => sums.iter_mut().zip(terms).for_each(each),
    }
}

fn fixed<const N: usize>(sums: &mut [f64], left: &[f64], right: &[f64]) {
    let (sums, left, right) =
        (sums.as_chunks_mut::<N>().0, left.as_chunks::<N>().0, right.as_chunks::<N>().0);
    for (row, factors) in sums.iter_mut().zip(left) {
        let mut sum = *row;
        for (factor, terms) in factors.iter().zip(right) {
            sum.iter_mut().zip(terms).for_each(|(sum, term)| *sum += factor * term);
        }
        *row = sum;
    }
}

fn any(sums: &mut [f64], left: &[f64], right: &[f64], side: usize) {
    for (row, factors) in sums.chunks_exact_mut(side).zip(left.chunks_exact(side)) {
        for (factor, terms) in factors.iter().zip(right.chunks_exact(side)) {
            row.iter_mut().zip(terms).for_each(|(sum, term)| *sum += factor * term);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_any_side_are_multiplied_and_added() {
        for side in [1, 2, 4, 8, 9, 16, 33, 70] {
            let of = |factor: f64| (0..side * side).map(|place| factor * place as f64).collect::<Vec<_>>();
            let (left, right, mut sums) = (of(1.0), of(0.5), of(3.0));
            let mut by_tiles = sums.clone();
            multiply(&mut sums, &left, &right, side);
            tiled(&mut by_tiles, &left, &right, side);
            let term =
                |row, column| (0..side).map(|k| left[row * side + k] * right[k * side + column]).sum::<f64>();
            let due = |place| 3.0 * place as f64 + term(place / side, place % side);
            assert!(sums.iter().enumerate().all(|(place, sum)| *sum == due(place)), "{side}");
            assert_eq!(sums, by_tiles, "all numbers are whole or halves, and their sums exact");
        }
    }
}
