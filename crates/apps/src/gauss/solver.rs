//! The work of a thread of gauss on its rows: elimination column by column, and substitution from the last unknown on. This module
//! must never know where rows are, nor how they travel.

use std::ops::Range;

use tempest::{Private, Thread};

use super::choice::{Candidate, Choice};
use super::kernel::{Permutation, STRIP, strips, subtract};
use super::layout::Layout;
use super::work::{CANDIDATE, COPY, DIVIDE, ELIMINATE};

/// A thread's rows, and its ways to the rows of others.
pub(super) trait Rows {
    /// Reads an element of a row of the thread's own.
    fn get(&self, thread: &Thread<'_>, row: usize, column: usize) -> f64;

    /// Changes elements of a row of the thread's own. `by` is given one piece of them after the other, and how many came before it.
    fn change(
        &mut self,
        thread: &Thread<'_>,
        row: usize,
        columns: Range<usize>,
        by: impl FnMut(usize, &mut [f64]),
    );

    /// Makes the elements of a pivot row from column `from` on known to all threads. Every thread calls this for every column.
    fn spread(&mut self, thread: &Thread<'_>, row: usize, from: usize);

    /// Reads elements of the pivot row that was spread last.
    fn pivot(&self, thread: &Thread<'_>, row: usize, from: usize, values: &mut [f64]);

    /// Tells an unknown to all threads, and returns it. Every thread calls this for every unknown, and the thread that
    /// has computed it passes its value. No thread returns before all have called.
    fn unknown(&self, thread: &Thread<'_>, row: usize, column: usize, value: Option<f64>) -> f64;
}

/// A thread's part in the solution of a system.
pub(super) struct Solver {
    layout: Layout,
    /// The thread's rows.
    own: Vec<usize>,
    pub(super) permutation: Permutation,
    /// The elements of the pivot row.
    pivot: Private<f64>,
}

impl Solver {
    /// The part of a thread.
    pub(super) fn new(thread: &Thread<'_>, layout: Layout) -> Self {
        Self {
            own: layout.rows(thread.id()).collect(),
            permutation: Permutation::new(layout.size),
            pivot: thread.private("gauss.pivot", layout.size + 1),
            layout,
        }
    }

    /// Eliminates all columns.
    pub(super) fn eliminate(&mut self, thread: &Thread<'_>, choice: &Choice, rows: &mut impl Rows) {
        for column in 0..self.layout.size {
            let candidate = self.candidate(thread, rows, column);
            let chosen = choice.choose(thread, candidate);
            self.permutation.exchange(column, chosen.position as usize);
            let row = self.permutation.row(column);
            rows.spread(thread, row, column);
            if self.below(column).next().is_some() {
                self.fetch(thread, rows, row, column);
                self.eliminate_column(thread, rows, column);
            }
        }
    }

    /// The thread's rows that are not the pivots of columns up to this one.
    fn below(&self, column: usize) -> impl Iterator<Item = usize> {
        self.own.iter().copied().filter(move |&row| self.permutation.position(row) > column)
    }

    /// The largest candidate for the pivot of a column among the thread's rows.
    fn candidate(&self, thread: &Thread<'_>, rows: &impl Rows, column: usize) -> Candidate {
        let mut best = Candidate::NONE;
        for &row in self.own.iter().filter(|&&row| self.permutation.position(row) >= column) {
            let position = self.permutation.position(row) as u32;
            let magnitude = rows.get(thread, row, column).abs();
            best = best.or(Candidate { magnitude, position });
            thread.charge(CANDIDATE);
            thread.poll();
        }
        best
    }

    /// Copies the pivot row into the thread's own memory.
    fn fetch(&mut self, thread: &Thread<'_>, rows: &impl Rows, row: usize, column: usize) {
        for columns in strips(column..self.layout.size + 1, thread.strip(STRIP)) {
            let values = self.pivot.view_mut(thread, columns.clone());
            rows.pivot(thread, row, columns.start, values);
            thread.charge(COPY.times(columns.len() as u32));
            thread.poll_after(columns.len() as u32);
        }
    }

    fn eliminate_column(&self, thread: &Thread<'_>, rows: &mut impl Rows, column: usize) {
        let pivot = self.pivot.get(thread, column);
        for row in self.below(column) {
            let factor = rows.get(thread, row, column) / pivot;
            thread.charge(DIVIDE);
            for columns in strips(column + 1..self.layout.size + 1, thread.strip(STRIP)) {
                let pivot = self.pivot.view(thread, columns.clone());
                rows.change(thread, row, columns.clone(), |before, elements| {
                    subtract(elements, factor, &pivot[before..]);
                });
                thread.charge(ELIMINATE.times(columns.len() as u32));
                thread.poll_after(columns.len() as u32);
            }
        }
    }

    /// Computes the unknowns from the last one on. `found` is given the number and the value of each.
    pub(super) fn substitute(
        &self,
        thread: &Thread<'_>,
        rows: &mut impl Rows,
        mut found: impl FnMut(usize, f64),
    ) {
        let side = self.layout.size;
        for column in (0..self.layout.size).rev() {
            let row = self.permutation.row(column);
            let value = (self.layout.owner(row) == thread.id()).then(|| {
                thread.charge(DIVIDE);
                rows.get(thread, row, side) / rows.get(thread, row, column)
            });
            let x = rows.unknown(thread, row, column, value);
            found(column, x);
            for &row in self.own.iter().filter(|&&row| self.permutation.position(row) < column) {
                let element = rows.get(thread, row, column);
                rows.change(thread, row, side..side + 1, |_, side| side[0] -= element * x);
                thread.charge(ELIMINATE);
                thread.poll();
            }
        }
    }
}
