//! The triangular system L x = b as a graph, its reference solution, and the check of any other.
//!
//! Node i is the unknown x_i; an edge i → k is a nonzero L_ki below the diagonal. A node may be computed when
//! an update L_ki x_i has arrived along every incoming edge; one edge costs 2 floating-point operations.
//!
//! This module must never know how the updates travel, in what order they are applied, or which processor
//! owns which row.

use formats::SparseMatrix;

use super::factor::{Factor, FactorError, LowerTriangle, factor};

/// Unit roundoff of a double rounded to nearest, 2^-53.
const UNIT_ROUNDOFF: f64 = f64::EPSILON / 2.0;

/// A lower triangular system, its off-diagonal entries by columns as the program uses them.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// L_ii, positive.
    pub diagonal: Vec<f64>,
    /// How many edges come into each node.
    pub in_degree: Vec<u32>,
    /// b = L x, computed in doubles for x_i = 1 + (i mod 7)/8: no seed enters, and neighbours differ.
    pub rhs: Vec<f64>,
    /// The relative shift of the diagonal that the factorization needed; see [`Factor::shift`].
    pub shift: f64,
    column_start: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

/// The verdict on a solution: its worst row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Check {
    /// The row whose error is greatest in relation to its bound, counted from 0.
    pub row: usize,
    /// Its componentwise backward error |b - L x|_i / (|L||x| + |b|)_i; infinite if x is not finite.
    pub error: f64,
    /// The greatest error that rounding explains, whatever the order of the updates.
    pub bound: f64,
}

impl Check {
    /// Whether rounding explains the errors of all rows.
    pub fn passed(&self) -> bool {
        self.error <= self.bound
    }
}

impl Problem {
    /// Factors the matrix and states the system L x = b.
    ///
    /// # Errors
    /// As [`factor`].
    pub fn new(matrix: &SparseMatrix) -> Result<Self, FactorError> {
        factor(matrix).map(|factor| Self::from_factor(&factor))
    }

    /// States the system of a given factor.
    pub fn from_factor(factor: &Factor) -> Self {
        let lower = &factor.lower;
        let rows = 0..lower.order();
        let mut problem = Self {
            diagonal: rows.clone().map(|row| lower.row(row).2).collect(),
            in_degree: rows.clone().map(|row| lower.row(row).0.len() as u32).collect(),
            rhs: Vec::new(),
            shift: factor.shift,
            column_start: column_starts(lower),
            rows: Vec::new(),
            values: Vec::new(),
        };
        problem.fill_columns(lower);
        problem.rhs = problem.times(&rows.map(intended).collect::<Vec<_>>());
        problem
    }

    /// Number of unknowns.
    pub fn order(&self) -> usize {
        self.diagonal.len()
    }

    /// Number of edges: entries of L below the diagonal.
    pub fn edges(&self) -> usize {
        self.rows.len()
    }

    /// The outgoing edges of a node: all (k, L_ki), k ascending.
    pub fn edges_from(&self, node: usize) -> impl ExactSizeIterator<Item = (u32, f64)> + '_ {
        let range = self.column_start[node]..self.column_start[node + 1];
        self.rows[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// x by forward substitution, one node after the other.
    pub fn reference(&self) -> Vec<f64> {
        let mut x = self.rhs.clone();
        for i in 0..self.order() {
            x[i] /= self.diagonal[i];
            for (k, value) in self.edges_from(i) {
                x[k as usize] -= value * x[i];
            }
        }
        x
    }

    /// How many nodes the longest chain of dependences has: what no number of processors can shorten.
    pub fn critical_path(&self) -> usize {
        let mut length = vec![1; self.order()];
        for i in 0..self.order() {
            for (k, _) in self.edges_from(i) {
                length[k as usize] = length[k as usize].max(length[i] + 1);
            }
        }
        length.into_iter().max().unwrap_or(0)
    }

    /// Judges a solution by its componentwise backward error.
    ///
    /// A row of m terms, the diagonal among them, solved in any order of its updates, has
    /// |b - L x|_i ≤ γ_m (|L||x|)_i with γ_m = m u / (1 - m u): N. J. Higham, *Accuracy and Stability of
    /// Numerical Algorithms*, 2nd ed., theorem 8.5 and lemma 8.4. The bound here is γ_(m+2) against
    /// |L||x| + |b|: one operation more lets a program multiply by reciprocals, and what is then left
    /// covers the rounding of the check itself, whose residual is computed in twice the working precision
    /// (T. Ogita, S. M. Rump and S. Oishi, *Accurate sum and dot product*, 2005). No underflow is assumed.
    ///
    /// # Panics
    /// If `x` has another length than the system.
    pub fn check(&self, x: &[f64]) -> Check {
        assert_eq!(x.len(), self.order(), "one value for each unknown");
        let mut residual: Vec<_> = self.rhs.iter().map(|&b| Twice::from(b)).collect();
        let mut scale: Vec<_> = self.rhs.iter().map(|b| b.abs()).collect();
        for (i, &x) in x.iter().enumerate() {
            let diagonal = (i as u32, self.diagonal[i]);
            for (k, value) in self.edges_from(i).chain([diagonal]) {
                residual[k as usize].subtract_product(value, x);
                scale[k as usize] += (value * x).abs();
            }
        }
        let verdict = |row| Check {
            row,
            error: backward_error(residual[row].value(), scale[row]),
            bound: gamma(self.in_degree[row] + 1 + 2),
        };
        let nothing = Check { row: 0, error: 0.0, bound: 0.0 };
        let excess = |check: &Check| check.error / check.bound;
        (0..x.len()).map(verdict).max_by(|a, b| excess(a).total_cmp(&excess(b))).unwrap_or(nothing)
    }

    /// Sorts the entries below the diagonal into columns; going through rows in order leaves each sorted.
    fn fill_columns(&mut self, lower: &LowerTriangle) {
        let edges = self.column_start[lower.order()];
        (self.rows, self.values) = (vec![0; edges], vec![0.0; edges]);
        let mut next = self.column_start.clone();
        for row in 0..lower.order() {
            let (columns, values, _) = lower.row(row);
            for (&column, &value) in columns.iter().zip(values) {
                let at = &mut next[column as usize];
                (self.rows[*at], self.values[*at]) = (row as u32, value);
                *at += 1;
            }
        }
    }

    /// L x.
    fn times(&self, x: &[f64]) -> Vec<f64> {
        let mut product: Vec<_> = self.diagonal.iter().zip(x).map(|(value, x)| value * x).collect();
        for (i, &x) in x.iter().enumerate() {
            self.edges_from(i).for_each(|(k, value)| product[k as usize] += value * x);
        }
        product
    }
}

/// The solution that the right-hand side is made for.
fn intended(row: usize) -> f64 {
    1.0 + (row % 7) as f64 / 8.0
}

/// Where each column begins when the entries below the diagonal are laid out by columns.
fn column_starts(lower: &LowerTriangle) -> Vec<usize> {
    let mut starts = vec![0; lower.order() + 1];
    for row in 0..lower.order() {
        lower.row(row).0.iter().for_each(|&column| starts[column as usize + 1] += 1);
    }
    for column in 0..lower.order() {
        starts[column + 1] += starts[column];
    }
    starts
}

/// γ_m, the error that m roundings explain.
fn gamma(m: u32) -> f64 {
    let mu = f64::from(m) * UNIT_ROUNDOFF;
    mu / (1.0 - mu)
}

/// Nothing is no error; what is not a number is the greatest one.
fn backward_error(residual: f64, scale: f64) -> f64 {
    match residual.abs() / scale {
        _ if residual == 0.0 && scale.is_finite() => 0.0,
        error if error.is_nan() => f64::INFINITY,
        error => error,
    }
}

/// A sum carried in twice the working precision: its leading part and the sum of what rounding took away.
#[derive(Clone, Copy)]
struct Twice {
    sum: f64,
    lost: f64,
}

impl Twice {
    fn subtract_product(&mut self, a: f64, b: f64) {
        let product = -a * b;
        self.lost += (-a).mul_add(b, -product);
        let sum = self.sum + product;
        let virtual_product = sum - self.sum;
        self.lost += (self.sum - (sum - virtual_product)) + (product - virtual_product);
        self.sum = sum;
    }

    fn value(self) -> f64 {
        self.sum + self.lost
    }
}

impl From<f64> for Twice {
    fn from(sum: f64) -> Self {
        Self { sum, lost: 0.0 }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::iccg) const BUS: &str = "494_bus";
    pub(in crate::iccg) const JAGMESH: &str = "jagmesh7";
    pub(in crate::iccg) const STIFFNESS: &str = "bcsstk13";

    /// One of the matrices shipped with the project.
    pub(in crate::iccg) fn input(name: &str) -> SparseMatrix {
        let bytes: &[u8] = match name {
            BUS => include_bytes!("../../../../inputs/494_bus.mtx"),
            JAGMESH => include_bytes!("../../../../inputs/jagmesh7.mtx"),
            _ => include_bytes!("../../../../inputs/bcsstk13.mtx.gz"),
        };
        formats::matrix_market::read(name, &formats::decompress(bytes).unwrap()).unwrap()
    }

    pub(in crate::iccg) fn problem(name: &str) -> Problem {
        Problem::new(&input(name)).unwrap()
    }

    /// Forward substitution where `send` may lose, change or divert the update number n to (row, value).
    fn solve_with(problem: &Problem, send: impl Fn(usize, u32, f64) -> Option<(u32, f64)>) -> Vec<f64> {
        let mut x = problem.rhs.clone();
        let mut sent = 0;
        for i in 0..problem.order() {
            x[i] /= problem.diagonal[i];
            for (k, value) in problem.edges_from(i) {
                if let Some((row, update)) = send(sent, k, value * x[i]) {
                    x[row as usize] -= update;
                }
                sent += 1;
            }
        }
        x
    }

    /// Every `step`-th update, to keep the tests short.
    fn samples(problem: &Problem) -> impl Iterator<Item = usize> {
        (0..problem.edges() - 1).step_by(problem.edges() / 40)
    }

    #[test]
    fn the_reference_passes_and_is_near_the_intended_solution() {
        for name in [BUS, JAGMESH, STIFFNESS] {
            let problem = problem(name);
            let x = problem.reference();
            let check = problem.check(&x);
            assert!(check.passed(), "{name}: {check:?}");
            let apart = |i: usize| (x[i] - intended(i)).abs();
            let worst = (0..x.len()).map(apart).fold(0.0, f64::max);
            assert!(worst < 1e-6, "{name}: {worst}");
        }
    }

    /// Rows summed in the opposite order, and divided by way of the reciprocal.
    #[test]
    fn any_order_of_updates_passes() {
        for name in [BUS, JAGMESH, STIFFNESS] {
            let problem = problem(name);
            let Factor { lower, .. } = factor(&input(name)).unwrap();
            let mut x: Vec<f64> = Vec::new();
            for i in 0..problem.order() {
                let (columns, values, diagonal) = lower.row(i);
                let terms = columns.iter().zip(values).rev();
                let rest = terms.fold(problem.rhs[i], |sum, (&j, value)| sum - value * x[j as usize]);
                x.push(rest * (1.0 / diagonal));
            }
            let check = problem.check(&x);
            assert!(check.passed(), "{name}: {check:?}");
        }
    }

    #[test]
    fn a_lost_update_fails() {
        for name in [BUS, JAGMESH, STIFFNESS] {
            let problem = problem(name);
            for lost in samples(&problem) {
                let x = solve_with(&problem, |n, k, update| (n != lost).then_some((k, update)));
                assert!(!problem.check(&x).passed(), "{name} without update {lost}");
            }
        }
    }

    #[test]
    fn a_repeated_update_fails() {
        let problem = problem(JAGMESH);
        for repeated in samples(&problem) {
            let twice = |n| if n == repeated { 2.0 } else { 1.0 };
            let x = solve_with(&problem, |n, k, update| Some((k, twice(n) * update)));
            assert!(!problem.check(&x).passed(), "update {repeated} applied twice");
        }
    }

    /// Two messages of one node that reach each other's destinations.
    #[test]
    fn exchanged_updates_fail() {
        let problem = problem(STIFFNESS);
        for node in (0..problem.order()).step_by(50) {
            let mut edges = problem.edges_from(node);
            let (Some(one), Some(other)) = (edges.next(), edges.next()) else { continue };
            if one.1 == other.1 {
                continue;
            }
            let first = problem.column_start[node];
            let targets = [(first, other.0), (first + 1, one.0)];
            let divert = |n| targets.iter().find(|target| target.0 == n).map(|target| target.1);
            let x = solve_with(&problem, |n, k, update| Some((divert(n).unwrap_or(k), update)));
            assert!(!problem.check(&x).passed(), "updates {first} and {}", first + 1);
        }
    }

    #[test]
    fn swapped_unknowns_fail() {
        let problem = problem(BUS);
        for i in 1..problem.order() {
            let mut x = problem.reference();
            x.swap(i - 1, i);
            assert!(!problem.check(&x).passed(), "{i}");
        }
    }

    #[test]
    fn a_disturbance_of_one_billionth_fails() {
        for name in [BUS, JAGMESH, STIFFNESS] {
            let problem = problem(name);
            let mut x = problem.reference();
            for i in (0..problem.order()).step_by(10) {
                let right = x[i];
                x[i] *= 1.0 + 1e-9;
                assert!(!problem.check(&x).passed(), "{name}: x_{i}");
                x[i] = right;
            }
        }
    }

    #[test]
    fn what_is_not_a_number_fails() {
        let problem = problem(BUS);
        for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for i in [0, 100, 493] {
                let mut x = problem.reference();
                x[i] = wrong;
                let check = problem.check(&x);
                assert!(!check.passed() && check.error == f64::INFINITY, "{check:?}");
            }
        }
    }

    #[test]
    fn degrees_columns_and_edges_agree() {
        let problem = problem(STIFFNESS);
        let mut incoming = vec![0; problem.order()];
        for i in 0..problem.order() {
            let targets: Vec<_> = problem.edges_from(i).map(|(k, _)| k).collect();
            assert!(targets.is_sorted() && targets.iter().all(|&k| k as usize > i));
            targets.iter().for_each(|&k| incoming[k as usize] += 1);
        }
        assert_eq!(incoming, problem.in_degree);
        assert_eq!(problem.edges(), 42_943 - 2_003);
    }

    #[test]
    fn critical_paths() {
        let text = "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 4\n2 1\n4 2\n5 1\n5 3\n";
        let matrix = formats::matrix_market::read("chain", text.as_bytes()).unwrap();
        assert_eq!(Problem::new(&matrix).unwrap().critical_path(), 3);
        let empty = "%%MatrixMarket matrix coordinate pattern symmetric\n0 0 0\n";
        let matrix = formats::matrix_market::read("empty", empty.as_bytes()).unwrap();
        let problem = Problem::new(&matrix).unwrap();
        assert_eq!(problem.critical_path(), 0);
        assert!(problem.check(&[]).passed());
    }
}
