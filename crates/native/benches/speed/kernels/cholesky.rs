//! The fan-out of cholesky in one shared memory with rayon, written plainly: a panel of columns that is finished is a task for each
//! panel that it updates.
//!
//! A panel is a supernode, or a part of one, of at most [`WIDTH`] columns. A task subtracts the product of two parts of a finished panel
//! from another panel, under its lock. The last task for a panel finishes it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

use rayon::{Scope, ThreadPool};
use tempest::entry::File;

use super::structure::{Panel, Structure};

/// Maximum number of columns of a panel, as in the program.
const WIDTH: usize = 32;

/// Rows and columns of the square of sums that a product keeps in registers.
const SQUARE: usize = 4;

/// The inputs of the program that ask for this order and these panels.
pub(super) fn inputs(order: &str) -> Vec<(&'static str, String)> {
    vec![("order", order.to_owned()), ("width", WIDTH.to_string())]
}

/// A matrix to be factored.
pub(super) struct Matrix {
    structure: Structure,
    panels: Vec<Panel>,
}

/// The values of a panel by rows.
struct Values {
    /// Values of the matrix, from which updates are subtracted.
    open: Mutex<Vec<f64>>,
    /// Number of missing updates.
    missing: AtomicU32,
    /// Values of the factor.
    finished: OnceLock<Vec<f64>>,
}

/// A factorization under way.
struct Run<'r> {
    panels: &'r [Panel],
    values: &'r [Values],
}

impl Matrix {
    /// Reads a matrix, and orders it by approximate minimum degree or as the file does.
    pub(super) fn new(file: &File, order: &str) -> Self {
        let structure = Structure::of(file, order == "file");
        Self { panels: structure.panels(WIDTH), structure }
    }

    /// Microseconds of the numeric factorization.
    pub(super) fn plain(&self, pool: &ThreadPool) -> f64 {
        let values = self.panels.iter().map(|panel| Values {
            open: Mutex::new(self.structure.values(panel)),
            missing: panel.updates.into(),
            finished: OnceLock::new(),
        });
        let values: Vec<_> = values.collect();
        let run = &Run { panels: &self.panels, values: &values };
        let start = Instant::now();
        let leaves = (0..self.panels.len()).filter(|&panel| self.panels[panel].updates == 0);
        pool.scope(|scope| leaves.for_each(|leaf| scope.spawn(move |scope| run.finish(leaf, scope))));
        let time = start.elapsed().as_secs_f64() * 1e6;
        let finished = |values: Values| values.finished.into_inner().expect("all panels are finished");
        let factor: Vec<_> = values.into_iter().map(finished).collect();
        self.structure.check(&self.panels, &factor);
        time
    }
}

impl Run<'_> {
    /// Factors a panel, and spawns its updates of others.
    fn finish<'s>(&'s self, panel: usize, scope: &Scope<'s>) {
        let mut values = std::mem::take(&mut *self.values[panel].open.lock().expect("no task panics"));
        let width = self.panels[panel].columns.len();
        factor(&mut values, width);
        self.values[panel].finished.set(values).expect("a panel is finished once");
        for (place, target) in self.panels[panel].targets.iter().enumerate() {
            let update = move |scope: &Scope<'s>| self.update(panel, place, scope);
            match target.work < 10_000 {
                true => update(scope),
                false => scope.spawn(update),
            }
        }
    }

    /// Subtracts a panel's update from a target.
    fn update<'s>(&'s self, panel: usize, target: usize, scope: &Scope<'s>) {
        let source = &self.panels[panel];
        let target = &source.targets[target];
        let (width, values) = (source.columns.len(), self.values[panel].finished.get());
        let values = values.expect("a panel is finished before it updates others");
        let below = &values[target.rows.start * width..];
        let product = product(below, &below[..target.rows.len() * width], width);
        let Values { open, missing, .. } = &self.values[target.panel];
        let into = &self.panels[target.panel];
        let stride = into.columns.len();
        {
            let mut open = open.lock().expect("no task panics");
            let mut at = 0;
            for (row, product) in
                source.rows[target.rows.start..].iter().zip(product.chunks(target.rows.len()))
            {
                while into.rows[at] < *row {
                    at += 1;
                }
                let open = &mut open[at * stride..][..stride];
                for (column, value) in source.rows[target.rows.clone()].iter().zip(product) {
                    open[*column as usize - into.columns.start] -= value;
                }
            }
        }
        if missing.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.finish(target.panel, scope);
        }
    }
}

/// Factors the square at the top of a matrix, and divides the rows below by it.
fn factor(values: &mut [f64], width: usize) {
    for i in 0..values.len() / width {
        let (above, row) = values.split_at_mut(i * width);
        for j in 0..width.min(i) {
            let lower = &above[j * width..];
            let known: f64 = lower[..j].iter().zip(&*row).map(|(value, x)| value * x).sum();
            row[j] = (row[j] - known) / lower[j];
        }
        if i < width {
            let squares: f64 = row[..i].iter().map(|value| value * value).sum();
            row[i] = (row[i] - squares).sqrt();
        }
    }
}

/// The columns of a matrix by rows, padded with zeros to a multiple of [`SQUARE`].
fn transposed(values: &[f64], width: usize) -> (Vec<f64>, usize) {
    let padded = (values.len() / width).next_multiple_of(SQUARE);
    let mut columns = vec![0.0; width * padded];
    for (place, row) in values.chunks(width).enumerate() {
        row.iter().enumerate().for_each(|(k, &value)| columns[k * padded + place] = value);
    }
    (columns, padded)
}

/// A Bᵀ, where A and B have `width` columns.
fn product(a: &[f64], b: &[f64], width: usize) -> Vec<f64> {
    let (height, columns) = (a.len() / width, b.len() / width);
    let ((a, a_padded), (b, b_padded)) = (transposed(a, width), transposed(b, width));
    let mut all = vec![0.0; height * columns];
    for i in (0..height).step_by(SQUARE) {
        for j in (0..columns).step_by(SQUARE) {
            let mut square = [[0.0; SQUARE]; SQUARE];
            for (a, b) in a.chunks_exact(a_padded).zip(b.chunks_exact(b_padded)) {
                let a: &[f64; SQUARE] = a[i..].first_chunk().expect("rows are padded");
                let b: &[f64; SQUARE] = b[j..].first_chunk().expect("rows are padded");
                for (sums, a) in square.iter_mut().zip(a) {
                    sums.iter_mut().zip(b).for_each(|(sum, b)| *sum += a * b);
                }
            }
            for (into, sums) in all[i * columns..].chunks_mut(columns).zip(&square) {
                let end = columns.min(j + SQUARE);
                into[j..end].copy_from_slice(&sums[..end - j]);
            }
        }
    }
    all
}
