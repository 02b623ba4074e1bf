//! The reference solution of a triangular system, and the check of any other solution.
//!
//! This module must never know how updates travel, the order in which they are applied, or which processor owns which
//! row.

use super::problem::Problem;
use crate::kit::rounding::{Check, Twice, backward_error, gamma};

impl Problem {
    /// Solves the system by forward substitution, one node after the other.
    pub fn reference(&self) -> Vec<f64> {
        let mut x = self.rhs.to_vec();
        for i in 0..self.order() {
            x[i] /= self.diagonal[i];
            for (k, value) in self.edges_from(i) {
                x[k as usize] -= value * x[i];
            }
        }
        x
    }

    /// Checks a solution by its componentwise backward error.
    ///
    /// A row of m terms, the diagonal among them, solved in any order of its updates, has
    /// |b - L x|_i ≤ γ_m (|L||x|)_i with γ_m = m u / (1 - m u): N. J. Higham, *Accuracy and Stability of
    /// Numerical Algorithms*, 2nd ed., theorem 8.5 and lemma 8.4. The bound here is γ_(m+2) against
    /// |L||x| + |b|: one operation more lets a program multiply by reciprocals, and the remaining slack
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
        Check::worst((0..x.len()).map(verdict))
    }
}

#[cfg(test)]
mod tests {
    use super::super::factor::{Factor, factor};
    use super::super::problem::intended;
    use super::super::problem::tests::problem;
    use super::*;
    use crate::kit::matrices::{BUS, JAGMESH, STIFFNESS, input};

    /// Forward substitution where `send` may lose, change or divert the update number n to (row, value).
    fn solve_with(problem: &Problem, send: impl Fn(usize, u32, f64) -> Option<(u32, f64)>) -> Vec<f64> {
        let mut x = problem.rhs.to_vec();
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
}
