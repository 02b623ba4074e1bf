//! The multiplication of square blocks, and its work. This module must never know where blocks are.

use tempest::{Operations, Thread};

/// The work of a term of an element: a multiplication and an addition; loads of the factor and of the sum, a store of the sum; an
/// index, and the loop.
const TERM: Operations = Operations::NONE.flops(2).loads(2).stores(1).integers(2);

/// The work of a factor that a row of terms shares: its load; an index, and the loop.
const FACTOR: Operations = Operations::NONE.loads(1).integers(2);

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
        for side in [1, 2, 4, 8, 9, 16] {
            let of = |factor: f64| (0..side * side).map(|place| factor * place as f64).collect::<Vec<_>>();
            let (left, right, mut sums) = (of(1.0), of(0.5), of(3.0));
            multiply(&mut sums, &left, &right, side);
            let term =
                |row, column| (0..side).map(|k| left[row * side + k] * right[k * side + column]).sum::<f64>();
            let due = |place| 3.0 * place as f64 + term(place / side, place % side);
            assert!(sums.iter().enumerate().all(|(place, sum)| *sum == due(place)), "{side}");
        }
    }
}
