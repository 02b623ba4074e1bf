//! Formulas of tomcatv on the numbers of a point, a row and a tridiagonal system. This module must never know where the numbers are.

/// The factor of the diagonal: 2 over the relaxation factor of the original's input, 0.98.
pub(super) const DIAGONAL: f64 = 2.0 / 0.98;

/// Rows of a coordinate: those before, at and after a point's row.
pub(super) type Rows<'a> = [&'a [f64]; 3];

/// The numbers of a point after the update.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Point {
    /// The element beside the diagonal of the row's system.
    pub(super) aa: f64,
    /// The element of the diagonal.
    pub(super) dd: f64,
    /// The residual of x.
    pub(super) rx: f64,
    /// The residual of y.
    pub(super) ry: f64,
}

/// Updates the point in column `j` of the middle row of three. Column indices of all three rows are the same.
#[inline]
pub(super) fn update(x: Rows<'_>, y: Rows<'_>, j: usize) -> Point {
    let [x, y] = [x, y].map(|rows| rows.map(|row| [row[j - 1], row[j], row[j + 1]]));
    let (xx, yx) = (x[2][1] - x[0][1], y[2][1] - y[0][1]);
    let (xy, yy) = (x[1][2] - x[1][0], y[1][2] - y[1][0]);
    let a = 0.25 * (xy * xy + yy * yy);
    let b = 0.25 * (xx * xx + yx * yx);
    let c = 0.125 * (xx * xy + yx * yy);
    let along = |v: &[[f64; 3]; 3]| v[2][1] - 2.0 * v[1][1] + v[0][1];
    let across = |v: &[[f64; 3]; 3]| v[1][2] - 2.0 * v[1][1] + v[1][0];
    let corner = |v: &[[f64; 3]; 3]| v[2][2] - v[2][0] - v[0][2] + v[0][0];
    let residual = |v: &[[f64; 3]; 3]| a * along(v) + b * across(v) - c * corner(v);
    Point { aa: -b, dd: b + b + a * DIAGONAL, rx: residual(&x), ry: residual(&y) }
}

/// The last element of the forward elimination of a row.
#[derive(Clone, Copy, Default)]
pub(super) struct Eliminated {
    pub(super) d: f64,
    pub(super) rx: f64,
    pub(super) ry: f64,
}

impl Eliminated {
    /// The first element of a row.
    #[inline]
    pub(super) fn first(dd: f64, rx: f64, ry: f64) -> Self {
        Self { d: 1.0 / dd, rx, ry }
    }

    /// The element behind this one.
    #[inline]
    pub(super) fn next(self, aa: f64, dd: f64, rx: f64, ry: f64) -> Self {
        let r = aa * self.d;
        Self { d: 1.0 / (dd - aa * r), rx: rx - self.rx * r, ry: ry - self.ry * r }
    }
}
