//! A sparse symmetric matrix, the structure of its factor, and the check of a factor. This module must never know the method of the
//! factorization.

use std::ops::Range;

use formats::{SparseMatrix, Values};
use tempest::entry::File;

/// A matrix in the order of its elimination, and the rows of its factor.
pub(super) struct Structure {
    /// By column: rows from the diagonal on, ascending, and values.
    matrix: Vec<Vec<(u32, f64)>>,
    /// By column: the rows of the factor from the diagonal on, ascending.
    factor: Vec<Vec<u32>>,
}

/// Consecutive columns of the factor with equal rows below them.
pub(super) struct Panel {
    pub(super) columns: Range<usize>,
    /// The columns, and the rows below them.
    pub(super) rows: Vec<u32>,
    /// The panels that this one updates.
    pub(super) targets: Vec<Target>,
    /// The number of updates of this one.
    pub(super) updates: u32,
}

/// The part of a panel that updates another.
pub(super) struct Target {
    pub(super) panel: usize,
    /// Indices of the panel's rows that are columns of the other panel.
    pub(super) rows: Range<usize>,
    /// Number of multiplications and additions.
    pub(super) work: usize,
}

/// The values of a matrix. A pattern has those that SPLASH-2 gives it: -1 off the diagonal, on it 0.1 more than its fullest column.
fn values(matrix: &mut SparseMatrix) {
    if matrix.values == Values::Real {
        return;
    }
    let mut counts = vec![1; matrix.rows as usize];
    for entry in matrix.entries.iter_mut().filter(|entry| entry.row != entry.column) {
        entry.value = -1.0;
        counts[entry.row as usize] += 1;
        counts[entry.column as usize] += 1;
    }
    let diagonal = f64::from(counts.into_iter().max().unwrap_or(0)) + 0.1;
    matrix.entries.retain(|entry| entry.row != entry.column);
    let on = (0..matrix.rows).map(|row| formats::Entry { row, column: row, value: diagonal });
    matrix.entries.extend(on);
}

/// The place of each row of a matrix in the order of approximate minimum degree.
fn minimum_degree(matrix: &SparseMatrix) -> Vec<u32> {
    let mut columns = vec![Vec::new(); matrix.rows as usize];
    for entry in &matrix.entries {
        columns[entry.column as usize].push(i64::from(entry.row));
    }
    let mut start = vec![0];
    for column in &mut columns {
        column.sort_unstable();
        start.push(start[start.len() - 1] + column.len() as i64);
    }
    let ordered = amd::order(i64::from(matrix.rows), &start, &columns.concat(), &amd::Control::default());
    let (ordered, ..) = ordered.expect("rows ascend");
    let mut places = vec![0; ordered.len()];
    ordered.iter().zip(0..).for_each(|(&row, place)| places[row as usize] = place);
    places
}

impl Structure {
    /// Reads a matrix, orders it, and finds the rows of its factor.
    pub(super) fn of(file: &File, as_it_is: bool) -> Self {
        let read = formats::matrix::read(&file.name, &file.bytes).expect("a matrix that can be read");
        let mut read = read.into_symmetric().expect("a symmetric matrix");
        values(&mut read);
        let places = if as_it_is { (0..read.rows).collect() } else { minimum_degree(&read) };
        let mut matrix = vec![Vec::new(); read.rows as usize];
        for entry in &read.entries {
            let (a, b) = (places[entry.row as usize], places[entry.column as usize]);
            if a == b || entry.row > entry.column {
                matrix[a.min(b) as usize].push((a.max(b), entry.value));
            }
        }
        matrix.iter_mut().for_each(|column| column.sort_unstable_by_key(|entry| entry.0));
        Self { factor: fill(&matrix), matrix }
    }

    /// Divides the columns into supernodes, and the supernodes into panels of at most `width` columns.
    pub(super) fn panels(&self, width: usize) -> Vec<Panel> {
        let mut panels: Vec<Panel> = Vec::new();
        for (column, rows) in self.factor.iter().enumerate() {
            let goes_on =
                |panel: &Panel| panel.columns.len() < width && self.factor[column - 1][1..] == rows[..];
            match panels.last_mut().filter(|panel| goes_on(panel)) {
                Some(panel) => panel.columns.end += 1,
                None => panels.push(Panel {
                    columns: column..column + 1,
                    rows: rows.clone(),
                    targets: Vec::new(),
                    updates: 0,
                }),
            }
        }
        let mut of_column = vec![0; self.factor.len()];
        for (number, panel) in panels.iter().enumerate() {
            of_column[panel.columns.clone()].fill(number);
        }
        for number in 0..panels.len() {
            let Panel { columns, rows, .. } = &panels[number];
            let (mut first, width) = (columns.len(), columns.len());
            let parts = rows[first..].chunk_by(|&a, &b| of_column[a as usize] == of_column[b as usize]);
            let targets = parts.map(|part| {
                let places = first..first + part.len();
                first = places.end;
                let work = 2 * (rows.len() - places.start) * part.len() * width;
                Target { panel: of_column[part[0] as usize], rows: places, work }
            });
            let targets: Vec<_> = targets.collect();
            targets.iter().for_each(|target| panels[target.panel].updates += 1);
            panels[number].targets = targets;
        }
        panels
    }

    /// The values of the matrix at the places of a panel.
    pub(super) fn values(&self, panel: &Panel) -> Vec<f64> {
        let width = panel.columns.len();
        let mut values = vec![0.0; panel.rows.len() * width];
        for (place, column) in panel.columns.clone().enumerate() {
            for (row, value) in &self.matrix[column] {
                let at = panel.rows.binary_search(row).expect("the factor has the entries of the matrix");
                values[at * width + place] = *value;
            }
        }
        values
    }

    /// Solves a system with a known solution by the factor, and checks the result.
    pub(super) fn check(&self, panels: &[Panel], factor: &[Vec<f64>]) {
        let known = |row: usize| 1.0 + (row % 7) as f64 / 8.0;
        let mut x = vec![0.0; self.matrix.len()];
        for (column, entries) in self.matrix.iter().enumerate() {
            for &(row, value) in entries {
                x[row as usize] += value * known(column);
                if row as usize != column {
                    x[column] += value * known(row as usize);
                }
            }
        }
        let sides = x.clone();
        let columns = || {
            panels.iter().zip(factor).flat_map(|(panel, values)| {
                panel.columns.clone().enumerate().map(move |(place, column)| {
                    let of_column = values.iter().skip(place).step_by(panel.columns.len());
                    (column, panel.rows[place..].iter().zip(of_column.skip(place)))
                })
            })
        };
        for (column, mut entries) in columns() {
            x[column] /= entries.next().expect("a column has a diagonal").1;
            entries.for_each(|(&row, value)| x[row as usize] -= value * x[column]);
        }
        for (column, mut entries) in columns().collect::<Vec<_>>().into_iter().rev() {
            let diagonal = entries.next().expect("a column has a diagonal").1;
            let below: f64 = entries.map(|(&row, value)| value * x[row as usize]).sum();
            x[column] = (x[column] - below) / diagonal;
        }
        self.check_solution(&x, &sides);
    }

    /// Checks that the residual of a solution is small compared with its terms.
    fn check_solution(&self, x: &[f64], sides: &[f64]) {
        let (mut residuals, mut sizes) = (sides.to_vec(), vec![0.0; x.len()]);
        let mut add = |row: usize, term: f64| {
            residuals[row] -= term;
            sizes[row] += term.abs();
        };
        for (column, entries) in self.matrix.iter().enumerate() {
            for &(row, value) in entries {
                add(row as usize, value * x[column]);
                if row as usize != column {
                    add(column, value * x[row as usize]);
                }
            }
        }
        for (row, (residual, size)) in residuals.iter().zip(sizes).enumerate() {
            assert!(
                residual.abs() <= 1e-12 * size,
                "row {row} is off by {residual:e}, its terms by {size:e}"
            );
        }
    }
}

/// The rows of the factor: those of the matrix, and those of each column whose first row below the diagonal is this column.
fn fill(matrix: &[Vec<(u32, f64)>]) -> Vec<Vec<u32>> {
    let mut factor: Vec<Vec<u32>> =
        matrix.iter().map(|column| column.iter().map(|entry| entry.0).collect()).collect();
    for column in 0..factor.len() {
        let rows = &mut factor[column];
        rows.sort_unstable();
        rows.dedup();
        if let Some(&parent) = rows.get(1) {
            let below = rows[1..].to_vec();
            factor[parent as usize].extend(below);
        }
    }
    factor
}
