//! The sequential reference: a factorization row by row, the solution of a system by a factor, and its check.
//!
//! The factorization is the up-looking one (T. A. Davis, *Direct Methods for Sparse Linear Systems*, 2006, section 4.7): it knows
//! neither supernodes nor blocks. This module must never know how a factor was computed that it checks.

use crate::kit::LowerTriangle;
use crate::kit::rounding::{Check, Twice, backward_error, gamma};

use super::columns::Columns;
use super::tree::{NONE, elimination_tree, row_of_factor};

impl Columns {
    /// Solves L Lᵀ x = b.
    fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        for j in 0..self.order() {
            let (rows, values) = self.column(j);
            x[j] /= values[0];
            rows.iter().zip(values).skip(1).for_each(|(&row, value)| x[row as usize] -= value * x[j]);
        }
        for j in (0..self.order()).rev() {
            let (rows, values) = self.column(j);
            let known: f64 =
                rows.iter().zip(values).skip(1).map(|(&row, value)| value * x[row as usize]).sum();
            x[j] = (x[j] - known) / values[0];
        }
        x
    }

    /// |L| |Lᵀ| |x|, and the number of entries of each row of L.
    fn sizes(&self, x: &[f64]) -> (Vec<f64>, Vec<u32>) {
        let (mut sizes, mut terms) = (vec![0.0; x.len()], vec![0; x.len()]);
        for j in 0..self.order() {
            let (rows, values) = self.column(j);
            let of_column: f64 =
                rows.iter().zip(values).map(|(&row, value)| (value * x[row as usize]).abs()).sum();
            for (&row, value) in rows.iter().zip(values) {
                sizes[row as usize] += value.abs() * of_column;
                terms[row as usize] += 1;
            }
        }
        (sizes, terms)
    }
}

/// Factors a matrix row by row. `Err` is the pivot, counted from 0, that is not positive.
pub(super) fn factor(matrix: &LowerTriangle, counts: &[u32]) -> Result<Columns, usize> {
    let order = matrix.order();
    let parents = elimination_tree(matrix);
    let mut start = vec![0];
    counts.iter().for_each(|&count| start.push(start[start.len() - 1] + count as usize));
    let (mut rows, mut values) = (vec![0; start[order]], vec![0.0; start[order]]);
    // Where the next entry of each column goes.
    let mut next = start.clone();
    let (mut met, mut columns, mut spread) = (vec![NONE; order], Vec::new(), vec![0.0; order]);
    for k in 0..order {
        row_of_factor(matrix, &parents, k, &mut met, &mut columns);
        columns.sort_unstable();
        let (stored, entries, mut pivot) = matrix.row(k);
        stored.iter().zip(entries).for_each(|(&column, &value)| spread[column as usize] = value);
        for &column in &columns {
            let j = column as usize;
            let value = std::mem::take(&mut spread[j]) / values[start[j]];
            let above = start[j] + 1..next[j];
            rows[above.clone()]
                .iter()
                .zip(&values[above])
                .for_each(|(&row, other)| spread[row as usize] -= other * value);
            pivot -= value * value;
            (rows[next[j]], values[next[j]]) = (k as u32, value);
            next[j] += 1;
        }
        // A pivot that is not a number must fail too.
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Err(k);
        }
        (rows[next[k]], values[next[k]]) = (k as u32, pivot.sqrt());
        next[k] += 1;
    }
    Ok(Columns::new(start, rows, values))
}

/// The solution x_i that right-hand sides are made for.
fn intended(row: usize) -> f64 {
    1.0 + (row % 7) as f64 / 8.0
}

/// The product A x of the symmetric matrix with this lower triangle, in twice the working precision.
fn times(matrix: &LowerTriangle, x: &[f64]) -> Vec<Twice> {
    let mut product = vec![Twice::from(0.0); x.len()];
    for i in 0..matrix.order() {
        let (columns, values, diagonal) = matrix.row(i);
        product[i].subtract_product(-diagonal, x[i]);
        for (&column, &value) in columns.iter().zip(values) {
            product[i].subtract_product(-value, x[column as usize]);
            product[column as usize].subtract_product(-value, x[i]);
        }
    }
    product
}

/// Solves a system with a known solution by a factor of its matrix, and checks the residual of each row.
///
/// However the operations of a Cholesky factorization and of the two substitutions are ordered, the solution x that they give has
/// |b - A x|_i ≤ γ_(3m+1) (|L||Lᵀ||x|)_i, m the most entries of a row of L (N. J. Higham, *Accuracy and Stability of Numerical
/// Algorithms*, 2nd ed., theorem 10.4). The bound here is γ_(3m+4): a program may multiply by reciprocals, and the
/// remaining slack covers the rounding of b. No underflow is assumed.
pub(super) fn check(matrix: &LowerTriangle, factor: &Columns) -> Check {
    let known: Vec<f64> = (0..matrix.order()).map(intended).collect();
    let b: Vec<f64> = times(matrix, &known).into_iter().map(Twice::value).collect();
    let x = factor.solve(&b);
    let (sizes, terms) = factor.sizes(&x);
    let bound = gamma(3 * terms.iter().max().copied().unwrap_or(0) + 4);
    let product = times(matrix, &x);
    Check::worst((0..x.len()).map(|row| {
        let mut residual = product[row];
        residual.subtract_product(b[row], 1.0);
        Check { row, error: backward_error(residual.value(), sizes[row]), bound }
    }))
}

#[cfg(test)]
mod tests {
    use super::super::order::Order;
    use super::super::problem::Problem;
    use super::*;
    use crate::kit::matrices::{BUS, JAGMESH, STIFFNESS, input};

    fn problem(name: &str) -> (Problem, Columns) {
        let problem = Problem::new(&input(name), Order::MinimumDegree).unwrap();
        let factor = factor(&problem.matrix, &problem.structure.counts).unwrap();
        (problem, factor)
    }

    #[test]
    fn the_reference_passes() {
        for name in [BUS, JAGMESH, STIFFNESS] {
            let (problem, factor) = problem(name);
            let verdict = check(&problem.matrix, &factor);
            assert!(verdict.passed(), "{name}: {verdict:?}");
        }
    }

    #[test]
    fn the_factor_times_its_transpose_is_the_matrix() {
        let (problem, factor) = problem(BUS);
        let mut product = vec![vec![0.0; problem.matrix.order()]; problem.matrix.order()];
        for j in 0..problem.matrix.order() {
            let (rows, values) = factor.column(j);
            for (&i, a) in rows.iter().zip(values) {
                rows.iter().zip(values).for_each(|(&k, b)| product[i as usize][k as usize] += a * b);
            }
        }
        let scale = |i: usize, j: usize, product: &[Vec<f64>]| (product[i][i] * product[j][j]).sqrt();
        for i in 0..problem.matrix.order() {
            let (columns, values, diagonal) = problem.matrix.row(i);
            let mut row = vec![0.0; i + 1];
            columns.iter().zip(values).for_each(|(&j, &value)| row[j as usize] = value);
            row[i] = diagonal;
            for (j, value) in row.into_iter().enumerate() {
                assert!((product[i][j] - value).abs() <= 1e-13 * scale(i, j, &product), "({i}, {j})");
            }
        }
    }

    /// A lost or repeated update changes an entry by more than rounding does.
    #[test]
    fn a_disturbed_factor_fails() {
        for name in [BUS, JAGMESH, STIFFNESS] {
            let (problem, factor) = problem(name);
            for at in (0..factor.values.len()).step_by(factor.values.len() / 30) {
                for disturbed in [factor.values[at] * (1.0 + 1e-6) + 1e-6, 0.0, f64::NAN] {
                    let mut values = factor.values.to_vec();
                    let before = std::mem::replace(&mut values[at], disturbed);
                    let factor = Columns { values: values.into(), ..factor.clone() };
                    let verdict = check(&problem.matrix, &factor);
                    let unseen = (before - disturbed).abs() < 1e-9;
                    assert!(
                        !verdict.passed() || unseen,
                        "{name}: entry {at} was {before}, is {disturbed}: {verdict:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_pivot_that_is_not_positive_is_named() {
        let text = "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 4\n2 2 1\n3 3 1\n3 2 2\n";
        let matrix = formats::matrix_market::read("indefinite", text.as_bytes()).unwrap();
        let refused = Problem::new(&matrix, Order::File).unwrap_err().to_string();
        assert_eq!(
            refused,
            "pivot 3 of the elimination, row 3 of the file, is not positive: expected a positive definite matrix"
        );
    }
}
