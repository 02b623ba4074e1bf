//! Rounding errors of solutions of linear systems: bounds of a row's residual, and sums in twice the working precision.
//!
//! This module must never know a system, nor how it was solved.

/// The unit roundoff of doubles rounded to nearest, 2^-53.
const UNIT_ROUNDOFF: f64 = f64::EPSILON / 2.0;

/// The verdict on a solution, which is that on its worst row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Check {
    /// The row whose error is greatest in relation to its bound. Rows are counted from 0.
    pub row: usize,
    /// The row's componentwise backward error: its residual over the sum of its terms' sizes; infinite if that is no number.
    pub error: f64,
    /// The greatest error that rounding can explain, in any order of the operations.
    pub bound: f64,
}

impl Check {
    /// The verdict on the row whose error is greatest in relation to its bound; no error where there is no row.
    pub(crate) fn worst(verdicts: impl Iterator<Item = Self>) -> Self {
        let excess = |check: &Self| check.error / check.bound;
        let nothing = Self { row: 0, error: 0.0, bound: 0.0 };
        verdicts.max_by(|a, b| excess(a).total_cmp(&excess(b))).unwrap_or(nothing)
    }

    /// Whether rounding can explain the errors of all rows.
    pub fn passed(&self) -> bool {
        self.error <= self.bound
    }
}

/// The error γ_m that m roundings can explain.
pub(crate) fn gamma(m: u32) -> f64 {
    let mu = f64::from(m) * UNIT_ROUNDOFF;
    mu / (1.0 - mu)
}

/// The backward error of a row. A residual of zero is no error; NaN counts as infinite.
pub(crate) fn backward_error(residual: f64, scale: f64) -> f64 {
    match residual.abs() / scale {
        _ if residual == 0.0 && scale.is_finite() => 0.0,
        error if error.is_nan() => f64::INFINITY,
        error => error,
    }
}

/// A sum in twice the working precision: its leading part, and the sum of all rounding errors.
#[derive(Clone, Copy)]
pub(crate) struct Twice {
    sum: f64,
    lost: f64,
}

impl Twice {
    /// Subtracts the product of two numbers.
    pub(crate) fn subtract_product(&mut self, a: f64, b: f64) {
        let product = -a * b;
        self.lost += (-a).mul_add(b, -product);
        let sum = self.sum + product;
        let virtual_product = sum - self.sum;
        self.lost += (self.sum - (sum - virtual_product)) + (product - virtual_product);
        self.sum = sum;
    }

    /// The sum, rounded once.
    pub(crate) fn value(self) -> f64 {
        self.sum + self.lost
    }
}

impl From<f64> for Twice {
    fn from(sum: f64) -> Self {
        Self { sum, lost: 0.0 }
    }
}
