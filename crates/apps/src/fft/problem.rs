//! The problem of fft: the inputs, the points that are drawn for them, and their expected transform.
//!
//! This module must never know how points travel.

use std::sync::Arc;

use rand::RngExt;
use tempest::Shape;
use tempest::entry::{FRAMES, HOMES, InputError, Inputs};
use tempest::memory::{Frames, Placement};

use super::reference;
use super::transform::Complex;
use crate::kit::stream;

/// The inputs of fft.
#[derive(Clone, Copy, Debug, Inputs)]
#[inputs(check)]
pub(super) struct Options {
    /// complex points, a power of 4; the study of the dispatch queue has 1048576
    #[input(default = 16384, range = 4..=1 << 24)]
    pub(super) points: u32,
    /// whether the transform is followed, outside the timed region, by the inverse one, which must give the points back
    #[input(default = false)]
    pub(super) inverse: bool,
    #[input(like = FRAMES)]
    pub(super) frames: Frames,
    #[input(like = HOMES)]
    pub(super) homes: Placement,
}

impl Options {
    /// The points of a row, and the number of rows.
    pub(super) fn side(&self) -> u32 {
        1 << (self.points.trailing_zeros() / 2)
    }

    fn check(&self) -> Result<(), InputError> {
        let Self { points, .. } = *self;
        if points.is_power_of_two() && points.trailing_zeros().is_multiple_of(2) {
            return Ok(());
        }
        let below = 1 << (points.ilog2() / 2 * 2);
        Err(format!(
            "input `points={points}`: expected a power of 4, as points are rows of a square: {below} or {}",
            below * 4
        )
        .into())
    }

    /// Refuses a world with more threads than there are rows.
    pub(super) fn check_shape(&self, shape: Shape) -> Result<(), String> {
        let threads = u64::from(shape.nodes) * u64::from(shape.threads);
        if threads <= u64::from(self.side()) {
            return Ok(());
        }
        let least = threads.next_power_of_two().pow(2);
        Err(format!(
            "{} rows of {} points for {threads} threads: expected at most as many threads as rows, or --input points={least}",
            self.side(),
            self.points
        ))
    }
}

/// Points, and their transform.
pub(super) struct Problem {
    pub(super) points: Vec<Complex>,
    pub(super) expected: Vec<Complex>,
    /// The sum of the squares of the transform's absolute values.
    pub(super) energy: f64,
}

impl Problem {
    /// Draws `points` points.
    pub(super) fn draw(points: u32, seed: u64) -> Arc<Self> {
        let points = self::points(points as usize, seed);
        let expected = reference::transform(&points);
        Arc::new(Self { energy: reference::energy(&expected), points, expected })
    }
}

/// Draws points whose parts are between -1 and 1.
pub(super) fn points(count: usize, seed: u64) -> Vec<Complex> {
    let mut random = stream(seed, 0);
    let mut part = || random.random_range(-1.0..1.0);
    (0..count).map(|_| Complex { re: part(), im: part() }).collect()
}
