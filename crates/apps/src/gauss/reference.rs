//! The sequential reference of gauss: elimination that exchanges rows; and the check of a solution.
//!
//! It shares no code with the program's rows. This module must never know messages, shared memory, or threads of a world.

use tempest::entry::{Frozen, portable};
use tempest::{Merge, Report};

use super::equations::Equations;

/// The solution of a system.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Solution {
    /// By column: the row that is its pivot.
    pub(super) pivots: Frozen<u32>,
    /// The unknowns.
    pub(super) x: Frozen<f64>,
}

portable!(Solution { pivots, x });

/// Solves a system by elimination with partial pivoting. Of equal candidates the first is the pivot.
///
/// # Errors
/// The first column without a pivot.
pub(super) fn solve(equations: &Equations) -> Result<Solution, usize> {
    let n = equations.size();
    let mut rows = equations.rows().map(<[f64]>::to_vec).collect::<Vec<_>>();
    let mut pivots: Vec<u32> = (0..n as u32).collect();
    for k in 0..n {
        let mut largest = k;
        for i in k + 1..n {
            if rows[i][k].abs() > rows[largest][k].abs() {
                largest = i;
            }
        }
        rows.swap(k, largest);
        pivots.swap(k, largest);
        let (above, below) = rows.split_at_mut(k + 1);
        let pivot = &above[k];
        if pivot[k] == 0.0 {
            return Err(k);
        }
        for row in below {
            let factor = row[k] / pivot[k];
            for j in k + 1..=n {
                row[j] -= factor * pivot[j];
            }
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        x[k] = rows[k][n] / rows[k][k];
        for row in &mut rows[..k] {
            row[n] -= row[k] * x[k];
        }
    }
    Ok(Solution { pivots: pivots.into(), x: x.into() })
}

/// The largest error of an equation, and how large it may be.
fn residual(equations: &Equations, x: &[f64]) -> (f64, f64) {
    let n = equations.size();
    let largest = |values: &mut dyn Iterator<Item = f64>| {
        values.fold(0.0_f64, |most, one| if one.is_nan() { f64::NAN } else { most.max(one) })
    };
    let error = |row: &[f64]| {
        let product: f64 = row[..n].iter().zip(x).map(|(element, x)| element * x).sum();
        (product - row[n]).abs()
    };
    let norm = |row: &[f64]| row[..n].iter().map(|element| element.abs()).sum::<f64>();
    let (matrix, solution) =
        (largest(&mut equations.rows().map(norm)), largest(&mut x.iter().map(|x| x.abs())));
    (largest(&mut equations.rows().map(error)), n as f64 * f64::EPSILON * matrix * solution)
}

/// Checks a solution by the system itself, and against the sequential one.
pub(super) fn check(equations: &Equations, found: &Solution, expected: &Solution) -> Report {
    let mut report = Report { checks: 3, ..Report::default() };
    let (error, bound) = residual(equations, &found.x);
    if error.is_nan() || error > bound {
        report.failures.push(format!("an equation is off by {error:e}: expected at most {bound:e}"));
    }
    let differs = |one: usize| format!("of column {one}");
    if let Some(column) = (0..equations.size()).find(|&k| found.pivots.get(k) != expected.pivots.get(k)) {
        report
            .failures
            .push(format!("the pivot {} is another than that of a sequential run", differs(column)));
    }
    let wrong = |k: &usize| found.x.get(*k).map(|x| x.to_bits()) != expected.x.get(*k).map(|x| x.to_bits());
    if let Some(unknown) = (0..equations.size()).find(wrong) {
        report.failures.push(format!("unknown {unknown} is another than that of a sequential run"));
    }
    report.figure("largest error of an equation", error, Merge::Max).figure("its bound", bound, Merge::Max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equations(rows: &[&[f64]]) -> Equations {
        Equations::of(rows.iter().map(|row| row.to_vec()))
    }

    #[test]
    fn rows_are_exchanged_for_the_largest_pivot() {
        // 2 y = 4; 4 x + y = 6; so y = 2, x = 1.
        let system = equations(&[&[0.0, 2.0, 4.0], &[4.0, 1.0, 6.0]]);
        let solution = solve(&system).unwrap();
        assert_eq!(solution, Solution { pivots: vec![1, 0].into(), x: vec![1.0, 2.0].into() });
        let report = check(&system, &solution, &solution);
        assert!(report.failures.is_empty(), "{:?}", report.failures);
    }

    #[test]
    fn what_is_wrong_is_found() {
        let system = equations(&[&[0.0, 2.0, 4.0], &[4.0, 1.0, 6.0]]);
        let right = solve(&system).unwrap();
        for wrong in [
            Solution { x: vec![1.0, 2.0 + 1e-12].into(), ..right.clone() },
            Solution { x: vec![1.0, f64::NAN].into(), ..right.clone() },
            Solution { pivots: vec![0, 1].into(), ..right.clone() },
        ] {
            assert!(!check(&system, &wrong, &right).failures.is_empty(), "{wrong:?}");
        }
        assert_eq!(solve(&equations(&[&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]])), Err(1));
    }
}
