//! Complex numbers, and the discrete Fourier transform of one row of them. This module must never know rows beside it, nor where a
//! row stands.

use std::f64::consts::TAU;
use std::ops::{Add, Mul, Sub};

use bytemuck::{Pod, Zeroable};
use tempest::Element;
use tempest::data::{ElementField, ElementLayout};

/// A complex number.
#[derive(Clone, Copy, PartialEq, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Complex {
    pub(super) re: f64,
    pub(super) im: f64,
}

impl Element for Complex {
    const LAYOUT: ElementLayout = ElementLayout {
        name: "complex number",
        bytes: 16,
        fields: &[ElementField::new("re", 0, 8), ElementField::new("im", 8, 8)],
    };
}

impl Complex {
    /// The root of unity e^(-2πi · numerator / denominator).
    pub(super) fn root(numerator: usize, denominator: usize) -> Self {
        // The fraction of a turn is reduced before it is rounded.
        let turn = (numerator % denominator) as f64 / denominator as f64;
        let (sin, cos) = (-TAU * turn).sin_cos();
        Self { re: cos, im: sin }
    }

    /// The conjugate.
    pub(super) fn conjugate(self) -> Self {
        Self { re: self.re, im: -self.im }
    }

    /// The product with a real number.
    pub(super) fn scaled(self, by: f64) -> Self {
        Self { re: self.re * by, im: self.im * by }
    }

    /// The square of the absolute value.
    pub(super) fn norm(self) -> f64 {
        self.re * self.re + self.im * self.im
    }
}

impl Add for Complex {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Complex {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

/// The roots of unity that transforming a row of `len` points takes: first the roots of the first stage, then of the
/// second, and so on. A stage whose butterflies join points `half` apart has `half` of them, so all together are
/// `len - 1`.
pub(super) fn roots(len: usize) -> Vec<Complex> {
    roots_of(len, 0, 1)
}

/// The roots of unity of the butterflies among `len` points that stand `stride` apart in a longer row, the first of them `first` behind
/// the start of a group. A column whose butterflies join points `half` places apart has `half` of them, from place `half - 1` on.
pub(super) fn roots_of(len: usize, first: usize, stride: usize) -> Vec<Complex> {
    let halves = (0..len.trailing_zeros()).map(|stage| 1_usize << stage);
    let of_half = |half| (0..half).map(move |index| Complex::root(first + index * stride, 2 * half * stride));
    halves.flat_map(of_half).collect()
}

/// Computes one column of butterflies by decimation in frequency, between points half a group apart. A row that went
/// through its columns from the widest to the narrowest is transformed, and stands in the order of reversed bits (W. M.
/// Gentleman and G. Sande, *Fast Fourier transforms: for fun and profit*, AFIPS Fall Joint Computer Conference 1966).
/// `roots` are the roots of the column among [the roots](roots_of), one for each place of half a group.
pub(super) fn column(points: &mut [Complex], roots: &[Complex]) {
    points.chunks_exact_mut(2 * roots.len()).for_each(|pairs| join(pairs, roots));
}

/// Computes a butterfly between each of the first half of some points and the point as far behind it as the half is long.
pub(super) fn join(points: &mut [Complex], roots: &[Complex]) {
    let (low, high) = points.split_at_mut(roots.len());
    for ((low, high), root) in low.iter_mut().zip(high).zip(roots) {
        (*low, *high) = (*low + *high, (*low - *high) * *root);
    }
}

/// The number of butterflies in the transform of a row.
pub(super) fn butterflies(len: usize) -> usize {
    len / 2 * len.trailing_zeros() as usize
}

/// Transforms a row in place, without scaling: bit reversal, and then the butterflies of J. W. Cooley and J. W. Tukey (*An
/// algorithm for the machine calculation of complex Fourier series*, Mathematics of Computation 19, 1965) in stages. The number of
/// points is a power of two; `roots` are [those](roots()) of it.
pub(super) fn transform(row: &mut [Complex], roots: &[Complex]) {
    reverse(row);
    let mut half = 1;
    while half < row.len() {
        let roots = &roots[half - 1..][..half];
        for pairs in row.chunks_exact_mut(2 * half) {
            let (low, high) = pairs.split_at_mut(half);
            for ((low, high), root) in low.iter_mut().zip(high).zip(roots) {
                let turned = *high * *root;
                (*low, *high) = (*low + turned, *low - turned);
            }
        }
        half *= 2;
    }
}

/// Swaps each point with the one whose index has the same bits in the other order.
fn reverse(row: &mut [Complex]) {
    let shift = usize::BITS - row.len().trailing_zeros();
    for index in 1..row.len() {
        let other = index.reverse_bits() >> shift;
        if index < other {
            row.swap(index, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_points_are_transformed_as_by_hand() {
        let real = |re| Complex { re, im: 0.0 };
        let mut row = [1.0, 2.0, 3.0, 5.0].map(real);
        transform(&mut row, &roots(4));
        let expected = [(11.0, 0.0), (-2.0, 3.0), (-3.0, 0.0), (-2.0, -3.0)];
        for (point, (re, im)) in row.into_iter().zip(expected) {
            assert!((point - Complex { re, im }).norm() < 1e-28, "{point:?} is not {re} + {im}i");
        }
    }

    #[test]
    fn a_row_of_one_point_is_its_own_transform() {
        let mut row = [Complex { re: 2.0, im: 3.0 }];
        transform(&mut row, &roots(1));
        assert_eq!((row[0].re, row[0].im, butterflies(1)), (2.0, 3.0, 0));
    }

    #[test]
    fn a_row_has_a_root_for_each_butterfly_of_a_group() {
        assert_eq!((roots(1024).len(), butterflies(1024)), (1023, 5120));
        assert_eq!(roots(8)[3..].iter().filter(|root| root.re > 0.5).count(), 2);
    }

    /// Eight points in columns, as two threads have them in turn and then each half.
    #[test]
    fn columns_of_points_that_stand_apart_and_then_together_are_a_transform() {
        let points: Vec<_> =
            (0..8).map(|index| Complex { re: f64::from(index * index % 5), im: 1.0 }).collect();
        let mut row = points.clone();
        transform(&mut row, &roots(8));
        let mut between = vec![Complex::default(); 8];
        for first in 0..2 {
            let mut own: Vec<_> = points.iter().skip(first).step_by(2).copied().collect();
            let roots = roots_of(4, first, 2);
            [2, 1].into_iter().for_each(|half| column(&mut own, &roots[half - 1..][..half]));
            between.iter_mut().skip(first).step_by(2).zip(own).for_each(|(place, point)| *place = point);
        }
        column(&mut between, &roots(2));
        for (index, due) in [0, 4, 2, 6, 1, 5, 3, 7].into_iter().zip(between) {
            assert!((row[index] - due).norm() < 1e-28, "{:?} is not {due:?}", row[index]);
        }
    }
}
