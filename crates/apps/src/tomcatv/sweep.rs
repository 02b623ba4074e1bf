//! The three passes of an iteration over a thread's rows. This module must never know where coordinates are, nor how they travel.

use std::ops::Range;

use tempest::{Operations, Private, Thread};

use super::kernel::{self, Eliminated};
use super::layout::{Layout, STRIP, strips};
use super::work::{ADJUST, ELIMINATE, RESIDUAL, SUBSTITUTE, UPDATE};

/// The coordinates of points, wherever they are.
pub(super) trait Coordinates {
    /// Reads a coordinate, x (0) or y (1), of consecutive points of a row.
    fn read(&self, thread: &Thread<'_>, axis: usize, row: usize, from: usize, values: &mut [f64]);

    /// Writes a coordinate of consecutive points of a row of the thread's own.
    fn write(&self, thread: &Thread<'_>, axis: usize, row: usize, from: usize, values: &[f64]);
}

/// A thread's rows: the matrices of its own, and the rows around the present one.
pub(super) struct Sweep {
    layout: Layout,
    /// The thread's rows that are not on the border of the mesh.
    rows: Range<usize>,
    /// Charge of a model for the update of a point.
    update: Operations,
    aa: Private<f64>,
    dd: Private<f64>,
    d: Private<f64>,
    rx: Private<f64>,
    ry: Private<f64>,
    /// By coordinate: the three rows that the update is at.
    window: [[Vec<f64>; 3]; 2],
}

impl Sweep {
    /// The rows of a thread. A model charges `extra` operations for each point beside those counted.
    pub(super) fn new(thread: &Thread<'_>, layout: Layout, extra: u32) -> Self {
        let interior = layout.interior();
        let own = layout.rows(thread.id());
        let rows = own.start.max(interior.start)..own.end.min(interior.end);
        let matrix = |name| thread.private(name, rows.len() * layout.size);
        Self {
            update: UPDATE.and(Operations::NONE.integers(extra)),
            aa: matrix("tomcatv.aa"),
            dd: matrix("tomcatv.dd"),
            d: matrix("tomcatv.d"),
            rx: matrix("tomcatv.rx"),
            ry: matrix("tomcatv.ry"),
            window: [(); 2].map(|()| [(); 3].map(|()| vec![0.0; layout.size])),
            rows,
            layout,
        }
    }

    /// Computes the coefficients and residuals of all rows.
    pub(super) fn update(&mut self, thread: &Thread<'_>, points: &impl Coordinates) {
        for row in self.rows.clone() {
            self.update_row(thread, points, row);
        }
    }

    fn update_row(&mut self, thread: &Thread<'_>, points: &impl Coordinates, row: usize) {
        let first = (row - self.rows.start) * self.layout.size;
        let mut known = 0;
        for columns in strips(self.layout.interior()) {
            let news = known..columns.end + 1;
            known = news.end;
            for (axis, window) in self.window.iter_mut().enumerate() {
                for (at, values) in (row - 1..).zip(window) {
                    points.read(thread, axis, at, news.start, &mut values[news.clone()]);
                }
            }
            let [x, y] = self.window.each_ref().map(|window| window.each_ref().map(|row| &row[..news.end]));
            let places = first + columns.start..first + columns.end;
            let aa = self.aa.view_mut(thread, places.clone());
            let dd = self.dd.view_mut(thread, places.clone());
            let rx = self.rx.view_mut(thread, places.clone());
            let ry = self.ry.view_mut(thread, places);
            let results = aa.iter_mut().zip(dd).zip(rx).zip(ry);
            for (j, (((aa, dd), rx), ry)) in columns.clone().zip(results) {
                let point = kernel::update(x, y, j);
                (*aa, *dd, *rx, *ry) = (point.aa, point.dd, point.rx, point.ry);
            }
            turns(thread, self.update, columns.len());
        }
    }

    /// The largest residuals of all rows, of x and of y.
    pub(super) fn largest(&self, thread: &Thread<'_>) -> [f64; 2] {
        let mut most = [0.0_f64; 2];
        for row in self.rows.clone() {
            let first = (row - self.rows.start) * self.layout.size;
            for columns in strips(self.layout.interior()) {
                let places = first + columns.start..first + columns.end;
                for (most, residuals) in most.iter_mut().zip([&self.rx, &self.ry]) {
                    let residuals = residuals.view(thread, places.clone());
                    *most = residuals.iter().fold(*most, |most, one| most.max(one.abs()));
                }
                turns(thread, RESIDUAL, columns.len());
            }
        }
        most
    }

    /// Solves the systems of all rows, and adds the solutions to the coordinates.
    pub(super) fn adjust(&mut self, thread: &Thread<'_>, points: &impl Coordinates) {
        for row in self.rows.clone() {
            let first = (row - self.rows.start) * self.layout.size;
            self.eliminate(thread, first);
            self.substitute(thread, first);
            self.add(thread, points, row, first);
        }
    }

    /// Eliminates the elements before the diagonal of the row whose first element is element `first`.
    fn eliminate(&mut self, thread: &Thread<'_>, first: usize) {
        let mut last: Option<Eliminated> = None;
        for columns in strips(self.layout.interior()) {
            let places = first + columns.start..first + columns.end;
            let (aa, dd) = (self.aa.view(thread, places.clone()), self.dd.view(thread, places.clone()));
            self.rx.view(thread, places.clone());
            self.ry.view(thread, places.clone());
            let d = self.d.view_mut(thread, places.clone());
            let rx = self.rx.view_mut(thread, places.clone());
            let ry = self.ry.view_mut(thread, places);
            for (((aa, dd), d), (rx, ry)) in aa.iter().zip(dd).zip(d).zip(rx.iter_mut().zip(ry)) {
                let next = match last {
                    None => Eliminated::first(*dd, *rx, *ry),
                    Some(last) => last.next(*aa, *dd, *rx, *ry),
                };
                (*d, *rx, *ry) = (next.d, next.rx, next.ry);
                last = Some(next);
            }
            turns(thread, ELIMINATE, columns.len());
        }
    }

    /// Solves the row from its end.
    fn substitute(&mut self, thread: &Thread<'_>, first: usize) {
        let mut last: Option<(f64, f64)> = None;
        for columns in strips(self.layout.interior()).rev() {
            let places = first + columns.start..first + columns.end;
            let (aa, d) = (self.aa.view(thread, places.clone()), self.d.view(thread, places.clone()));
            self.rx.view(thread, places.clone());
            self.ry.view(thread, places.clone());
            let rx = self.rx.view_mut(thread, places.clone());
            let ry = self.ry.view_mut(thread, places);
            for (((aa, d), rx), ry) in aa.iter().zip(d).zip(rx).zip(ry).rev() {
                let next = match last {
                    None => (*rx * d, *ry * d),
                    Some((x, y)) => ((*rx - aa * x) * d, (*ry - aa * y) * d),
                };
                (*rx, *ry) = next;
                last = Some(next);
            }
            turns(thread, SUBSTITUTE, columns.len());
        }
    }

    /// Adds the row's solution to its coordinates.
    fn add(&self, thread: &Thread<'_>, points: &impl Coordinates, row: usize, first: usize) {
        for columns in strips(self.layout.interior()) {
            let places = first + columns.start..first + columns.end;
            for (axis, corrections) in [&self.rx, &self.ry].into_iter().enumerate() {
                let corrections = corrections.view(thread, places.clone());
                let mut values = [0.0; STRIP];
                let values = &mut values[..columns.len()];
                points.read(thread, axis, row, columns.start, values);
                values.iter_mut().zip(corrections).for_each(|(value, correction)| *value += correction);
                points.write(thread, axis, row, columns.start, values);
            }
            turns(thread, ADJUST, columns.len());
        }
    }
}

/// Charges `count` turns of a loop, and passes their back-edges.
fn turns(thread: &Thread<'_>, work: Operations, count: usize) {
    thread.charge(work.times(count as u32));
    thread.poll_after(count as u32);
}
