//! The problem of matmul: two random matrices, and their product by a sequential program.
//!
//! This module must never know how blocks travel.

use std::sync::Arc;

use rand::RngExt;

use crate::kit::rounding::gamma;
use crate::kit::stream;

/// The rows of the second factor that the sequential product takes at a time, so that a cache holds them.
const STRIP: usize = 32;

/// A square matrix, row by row.
pub(super) struct Matrix {
    order: usize,
    elements: Vec<f64>,
}

impl Matrix {
    /// A matrix of zeros.
    pub(super) fn zero(order: usize) -> Self {
        Self { order, elements: vec![0.0; order * order] }
    }

    /// A random matrix: stream `number` of the seed.
    fn draw(order: usize, seed: u64, number: u64) -> Self {
        let mut random = stream(seed, number);
        Self { order, elements: (0..order * order).map(|_| random.random_range(-1.0..1.0)).collect() }
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.elements[row * self.order..][..self.order]
    }

    /// The elements of the block in a row and column of blocks of `side` rows and columns, row by row; zeros where there is no element.
    pub(super) fn block(&self, (row, column): (usize, usize), side: usize) -> Vec<f64> {
        let mut block = vec![0.0; side * side];
        for (row, into) in (row * side..self.order).zip(block.chunks_exact_mut(side)) {
            let elements = self.row(row).iter().skip(column * side);
            into.iter_mut().zip(elements).for_each(|(into, element)| *into = *element);
        }
        block
    }

    /// The product with another matrix. Each element is the sum of its terms in their order, from zero.
    fn times(&self, other: &Self) -> Self {
        let mut product = Self::zero(self.order);
        for first in (0..self.order).step_by(STRIP) {
            for (sums, factors) in product.elements.chunks_exact_mut(self.order).zip(0..) {
                let factors = self.row(factors).iter().enumerate().skip(first).take(STRIP);
                for (number, factor) in factors {
                    sums.iter_mut().zip(other.row(number)).for_each(|(sum, term)| *sum += factor * term);
                }
            }
        }
        product
    }

    /// The norm of Euclid of each row.
    fn row_norms(&self) -> Vec<f64> {
        let norm = |row: &[f64]| row.iter().map(|element| element * element).sum::<f64>().sqrt();
        self.elements.chunks_exact(self.order).map(norm).collect()
    }

    /// The norm of Euclid of each column.
    fn column_norms(&self) -> Vec<f64> {
        let mut squares = vec![0.0; self.order];
        for row in self.elements.chunks_exact(self.order) {
            squares.iter_mut().zip(row).for_each(|(sum, element)| *sum += element * element);
        }
        squares.into_iter().map(f64::sqrt).collect()
    }
}

/// The order in which a program adds the terms of an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sums {
    /// The order of the sequential product: the element must be equal.
    InOrder,
    /// Any other: the element may differ by rounding.
    InAnyOrder,
}

/// Two factors and their product.
pub(super) struct Problem {
    pub(super) left: Matrix,
    pub(super) right: Matrix,
    expected: Matrix,
    /// The norms of the left factor's rows and the right factor's columns.
    norms: (Vec<f64>, Vec<f64>),
}

impl Problem {
    /// Draws two factors of `order` rows, and multiplies them.
    pub(super) fn draw(order: u32, seed: u64) -> Arc<Self> {
        let [left, right] = [0, 1].map(|number| Matrix::draw(order as usize, seed, number));
        let norms = (left.row_norms(), right.column_norms());
        Arc::new(Self { expected: left.times(&right), left, right, norms })
    }

    /// The number of rows.
    pub(super) fn order(&self) -> usize {
        self.expected.order
    }

    /// The elements of the product that a block has, and how many of them are wrong. Elements outside of the matrix are none.
    ///
    /// Two sums of n products in different orders differ by at most 2γₙ times the sum of the products' magnitudes (N. J. Higham,
    /// *Accuracy and Stability of Numerical Algorithms*, SIAM 2002, section 3.1), which the norms of row and column bound, by Cauchy
    /// and Schwarz. The rounding of the norms themselves is of second order: γₙ₊₁ covers it.
    pub(super) fn compare(
        &self,
        (row, column): (usize, usize),
        side: usize,
        block: &[f64],
        sums: Sums,
    ) -> (u64, u64) {
        let (mut elements, mut wrong) = (0, 0);
        let order = self.order();
        let rounding = if sums == Sums::InOrder { 0.0 } else { 2.0 * gamma(order as u32 + 1) };
        for (row, found) in (row * side..order).zip(block.chunks_exact(side)) {
            for (column, found) in (column * side..order).zip(found) {
                let bound = rounding * self.norms.0[row] * self.norms.1[column];
                elements += 1;
                // No number is within any bound of NaN.
                let right = (found - self.expected.row(row)[column]).abs() <= bound;
                wrong += u64::from(!right);
            }
        }
        (elements, wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_that_of_rows_and_columns() {
        let of = |elements: [f64; 4]| Matrix { order: 2, elements: elements.to_vec() };
        let product = of([1.0, 2.0, 3.0, 4.0]).times(&of([5.0, 6.0, 7.0, 8.0]));
        assert_eq!(product.elements, [19.0, 22.0, 43.0, 50.0]);
    }

    #[test]
    fn terms_are_added_in_their_order_whatever_a_cache_holds() {
        let problem = Problem::draw(70, 3);
        let (left, right) = (&problem.left, &problem.right);
        let term = |k| left.row(5)[k] * right.row(k)[9];
        assert_eq!((0..70).map(term).fold(0.0, |sum, term| sum + term), problem.expected.row(5)[9]);
    }

    #[test]
    fn a_block_at_the_edge_is_padded_with_zeros() {
        let matrix = Matrix { order: 3, elements: (1..10).map(f64::from).collect() };
        assert_eq!(matrix.block((0, 1), 2), [3.0, 0.0, 6.0, 0.0]);
        assert_eq!(matrix.block((1, 0), 2), [7.0, 8.0, 0.0, 0.0]);
        assert_eq!(matrix.block((1, 5), 2), [0.0; 4]);
    }

    /// The sums in reverse order.
    fn backwards(problem: &Problem) -> Vec<f64> {
        let (order, left, right) = (problem.order(), &problem.left, &problem.right);
        let element = |row: usize, column: usize| {
            (0..order).rev().fold(0.0, |sum, k| sum + left.row(row)[k] * right.row(k)[column])
        };
        (0..order * order).map(|place| element(place / order, place % order)).collect()
    }

    #[test]
    fn another_order_of_terms_is_right_and_a_term_less_is_wrong() {
        let problem = Problem::draw(100, 5);
        let mut block = backwards(&problem);
        assert_eq!(problem.compare((0, 0), 100, &block, Sums::InAnyOrder), (10_000, 0));
        assert!(problem.compare((0, 0), 100, &block, Sums::InOrder).1 > 0);
        block[207] -= problem.left.row(2)[50] * problem.right.row(50)[7];
        block[208] = f64::NAN;
        assert_eq!(problem.compare((0, 0), 100, &block, Sums::InAnyOrder), (10_000, 2));
    }
}
