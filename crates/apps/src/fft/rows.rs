//! The work of a thread of fft on rows in memory: it transforms its own, and moves tiles from rows of one matrix to rows of another.
//!
//! This module must never know whose memory a row stands in, nor how it gets there.

use std::ops::Range;

use tempest::{Private, Right, Thread};

use super::layout::{Layout, TILE};
use super::transform::{Complex, butterflies, roots, transform};
use super::work::{BUTTERFLY, MOVE, REVERSAL, TWIDDLE, steps};

/// A matrix of points, of which a thread reads and writes pieces of rows. A model charges for each word.
pub(super) trait Matrix {
    /// Reads the points of a row from a column on.
    fn read(&self, thread: &Thread<'_>, row: usize, column: usize, points: &mut [Complex]);

    /// Writes the points of a row from a column on.
    fn write(&self, thread: &Thread<'_>, row: usize, column: usize, points: &[Complex]);

    /// Says that the thread will soon access the points that a row has in some columns, with this right. It is a hint.
    fn prefetch(&self, thread: &Thread<'_>, row: usize, columns: Range<usize>, right: Right) {
        let _ = (thread, row, columns, right);
    }
}

/// The tools of one thread: roots of unity, and room to work in.
pub(super) struct Own {
    rows: Range<usize>,
    roots: Private<Complex>,
    /// The factors of the thread's rows between the two transforms, row by row.
    twiddles: Private<Complex>,
    /// A row while it is transformed.
    row: Vec<Complex>,
    /// A piece of a row on its way into a tile.
    piece: [Complex; TILE],
    tile: Box<[[Complex; TILE]; TILE]>,
}

impl Own {
    /// Computes the thread's roots of unity.
    pub(super) fn build(thread: &Thread<'_>, layout: &Layout) -> Self {
        let (rows, side) = (layout.rows(thread.id()), layout.side());
        let factors = |row| (0..side).map(move |column| Complex::root(row * column, side * side));
        Self {
            roots: thread.private_of("fft.roots", roots(side)),
            twiddles: thread.private_of("fft.twiddles", rows.clone().flat_map(factors).collect()),
            row: vec![Complex::default(); side],
            piece: Default::default(),
            tile: Default::default(),
            rows,
        }
    }

    /// Transforms each of the thread's rows in place, and multiplies its points with their factors if `turned`.
    pub(super) fn transform(&mut self, thread: &Thread<'_>, matrix: &impl Matrix, turned: bool) {
        let side = self.row.len();
        for (number, row) in self.rows.clone().enumerate() {
            matrix.read(thread, row, 0, &mut self.row);
            steps(thread, REVERSAL, side);
            transform(&mut self.row, self.roots.view(thread, 0..side - 1));
            steps(thread, BUTTERFLY, butterflies(side));
            if turned {
                let factors = self.twiddles.view(thread, number * side..(number + 1) * side);
                self.row.iter_mut().zip(factors).for_each(|(point, factor)| *point = *point * *factor);
                steps(thread, TWIDDLE, side);
            }
            matrix.write(thread, row, 0, &self.row);
        }
    }

    /// Moves the points that rows have in some columns, at most [`TILE`] of both, to where row and column have changed places.
    pub(super) fn transpose(
        &mut self,
        thread: &Thread<'_>,
        (from, rows): (&impl Matrix, Range<usize>),
        (to, columns): (&impl Matrix, Range<usize>),
    ) {
        rows.clone().for_each(|row| from.prefetch(thread, row, columns.clone(), Right::Read));
        columns.clone().for_each(|column| to.prefetch(thread, column, rows.clone(), Right::Write));
        for (place, row) in rows.clone().enumerate() {
            let piece = &mut self.piece[..columns.len()];
            from.read(thread, row, columns.start, piece);
            self.tile.iter_mut().zip(piece).for_each(|(column, point)| column[place] = *point);
            steps(thread, MOVE, columns.len());
        }
        for (column, points) in columns.zip(&*self.tile) {
            to.write(thread, column, rows.start, &points[..rows.len()]);
        }
    }

    /// Writes all points of the thread's rows: `point` says which stands in a row and column.
    pub(super) fn fill(
        &mut self,
        thread: &Thread<'_>,
        matrix: &impl Matrix,
        point: impl Fn(usize, usize) -> Complex,
    ) {
        for row in self.rows.clone() {
            self.row.iter_mut().enumerate().for_each(|(column, place)| *place = point(row, column));
            matrix.write(thread, row, 0, &self.row);
        }
    }

    /// Reads the thread's rows of one matrix and writes their points, changed by `change`, into the same rows of
    /// another.
    pub(super) fn copy(
        &mut self,
        thread: &Thread<'_>,
        (from, to): (&impl Matrix, &impl Matrix),
        change: impl Fn(Complex) -> Complex,
    ) {
        for row in self.rows.clone() {
            from.read(thread, row, 0, &mut self.row);
            self.row.iter_mut().for_each(|point| *point = change(*point));
            to.write(thread, row, 0, &self.row);
        }
    }

    /// The sum of the squares of the differences between the points of the thread's rows and the points `due` in a row
    /// and column.
    pub(super) fn difference(
        &mut self,
        thread: &Thread<'_>,
        matrix: &impl Matrix,
        due: impl Fn(usize, usize) -> Complex,
    ) -> f64 {
        let mut sum = 0.0;
        for row in self.rows.clone() {
            matrix.read(thread, row, 0, &mut self.row);
            sum +=
                (0..).zip(&self.row).map(|(column, point)| (*point - due(row, column)).norm()).sum::<f64>();
        }
        sum
    }
}
