//! The sequential transform of all points at once, and the error that two transforms may differ by. It has no rows, and
//! its sums are in another order than the program's.
//!
//! This module must never know messages, shared memory, or threads of a world.

use super::transform::Complex;

/// Transforms a power of two of points without scaling: decimation in frequency, sorted as it goes (T. G. Stockham; P. N.
/// Swarztrauber, *FFT algorithms for vector computers*, Parallel Computing 1, 1984).
pub(super) fn transform(points: &[Complex]) -> Vec<Complex> {
    let (mut from, mut to) = (points.to_vec(), vec![Complex::default(); points.len()]);
    let (mut len, mut stride) = (points.len(), 1);
    while len > 1 {
        let half = len / 2;
        for index in 0..half {
            let root = Complex::root(index, len);
            let (low, high) = (&from[stride * index..][..stride], &from[stride * (index + half)..][..stride]);
            let (sums, differences) = to[2 * stride * index..][..2 * stride].split_at_mut(stride);
            for (((low, high), sum), difference) in low.iter().zip(high).zip(sums).zip(differences) {
                (*sum, *difference) = (*low + *high, (*low - *high) * root);
            }
        }
        std::mem::swap(&mut from, &mut to);
        (len, stride) = (half, stride * 2);
    }
    from
}

/// The bound of the error of a transform relative to its norm, in the norm of Euclid: N. J. Higham, *Accuracy and Stability of
/// Numerical Algorithms*, SIAM 2002, theorem 24.2, with roots of unity that are right to 2⁻⁵³ times `μ = 1`. A stage adds η = μ + γ₄
/// (√2 + μ), which is less than 11 units of 2⁻⁵³.
fn bound(points: usize) -> f64 {
    11.0 * f64::from(points.trailing_zeros()) * f64::EPSILON / 2.0
}

/// The greatest difference, relative to their norm, between two transforms of `points` points by different orders of
/// the same sums.
pub(super) fn tolerance(points: usize) -> f64 {
    2.0 * bound(points)
}

/// The sum of the squares of absolute values.
pub(super) fn energy(points: &[Complex]) -> f64 {
    points.iter().map(|point| point.norm()).sum()
}

#[cfg(test)]
mod tests {
    use rustfft::FftPlanner;
    use rustfft::num_complex::Complex64;

    use super::super::problem::points;
    use super::*;

    /// The transform of rustfft.
    fn theirs(points: &[Complex]) -> Vec<Complex> {
        let mut buffer: Vec<_> = points.iter().map(|point| Complex64::new(point.re, point.im)).collect();
        FftPlanner::new().plan_fft_forward(points.len()).process(&mut buffer);
        buffer.into_iter().map(|point| Complex { re: point.re, im: point.im }).collect()
    }

    /// The norm of a difference, relative to the norm of the second.
    fn difference(one: &[Complex], other: &[Complex]) -> f64 {
        let apart: Vec<_> = one.iter().zip(other).map(|(one, other)| *one - *other).collect();
        (energy(&apart) / energy(other)).sqrt()
    }

    #[test]
    fn transforms_agree_with_another_library_within_the_bound() {
        for len in [1, 2, 4, 64, 1 << 12, 1 << 20] {
            let points = points(len, 1);
            let error = difference(&transform(&points), &theirs(&points));
            assert!(error <= tolerance(len).max(f64::EPSILON), "{len} points: {error:e}");
        }
    }

    #[test]
    fn a_transform_keeps_the_energy() {
        let points = points(1 << 16, 2);
        let ratio = energy(&transform(&points)) / (energy(&points) * points.len() as f64);
        assert!((ratio - 1.0).abs() < 2.0 * tolerance(points.len()), "Parseval: {ratio}");
    }

    #[test]
    fn the_transform_of_the_conjugate_is_the_inverse() {
        let points = points(1 << 12, 3);
        let conjugate = |points: &[Complex]| points.iter().map(|point| point.conjugate()).collect::<Vec<_>>();
        let back = conjugate(&transform(&conjugate(&transform(&points))));
        let scaled: Vec<_> = back.iter().map(|point| point.scaled(1.0 / points.len() as f64)).collect();
        assert!(difference(&scaled, &points) < tolerance(points.len()));
    }

    #[test]
    fn a_wrong_root_is_beyond_the_bound() {
        let points = points(1 << 12, 4);
        let mut turned = points.clone();
        turned[5] = turned[5] * Complex::root(1, 1 << 40);
        assert!(difference(&transform(&turned), &transform(&points)) > tolerance(points.len()));
    }
}
