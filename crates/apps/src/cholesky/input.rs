//! The inputs of cholesky: a matrix, and the order and the division of its factor. This module must never know how tiles travel.

use std::sync::Arc;

use formats::{SparseMatrix, Symmetry};
use tempest::entry::{BadPlan, FRAMES, File, Given, HOMES, Inputs, Instance, Loaded, Plan, Problems, Reader};
use tempest::memory::{Frames, Placement};
use tempest::{Job, Mechanism};

use super::config::Divided;
use super::messages::{self, Cholesky};
use super::order::Order;
use super::problem::{NoFactor, Problem};
use super::shared::{self, SharedCholesky};

/// The inputs of cholesky.
#[derive(Clone, Inputs)]
pub(super) struct Options {
    /// a symmetric positive definite matrix, or a pattern, to be factored: Matrix Market, Harwell-Boeing (also SPLASH .O),
    /// Rutherford-Boeing, or triplets (.tri, .mat.txt); plain, gzip or zstd
    #[input(default = "bcsstk13")]
    matrix: Arc<File>,
    /// the order in which rows are eliminated: minimum-degree (approximately), or file: that of the file, as for SPLASH .O
    #[input(default = "minimum-degree")]
    order: Order,
    /// columns of a block at most
    #[input(default = 32, range = 1..=256)]
    width: u32,
    #[input(like = FRAMES)]
    frames: Frames,
    #[input(like = HOMES)]
    homes: Placement,
}

/// Reads the inputs, and the matrix out of its file.
pub(super) fn load(given: &Given) -> Loaded {
    let mut reader = Reader::new(given, Options::INPUTS);
    let asked = Options::read(&mut reader);
    let order = asked.as_ref().map_or(Order::File, |asked| asked.order);
    // The matrix is read even if another input is wrong, so that a person sees all mistakes at once.
    let problem = given.files.get("matrix").and_then(|file| match made(file, order, &given.problems) {
        Ok(problem) => Some(problem),
        Err(mistakes) => {
            mistakes.into_iter().for_each(|mistake| reader.refuse(mistake));
            None
        }
    });
    reader.finish()?;
    let (problem, asked) = problem.zip(asked).expect("whatever is missing was refused");
    let Options { order, width, frames, homes, .. } = asked;
    Ok(Box::new(System { problem, order, width, frames, homes }))
}

/// The problem of a file.
fn made(file: &File, order: Order, problems: &Problems) -> Result<Arc<Problem>, Vec<String>> {
    problems.get("cholesky", &format!("{} in order {order}", file.identity()), || read(file, order))
}

fn read(file: &File, order: Order) -> Result<Problem, Vec<String>> {
    let named = |error: &dyn std::fmt::Display| vec![format!("{}: {error}", file.name)];
    let matrix = formats::matrix::read(&file.name, &file.bytes)
        .map_err(|errors| errors.to_string().lines().map(str::to_owned).collect::<Vec<_>>())?;
    if is_triangle(&matrix) {
        return Err(named(&NoFactor::Triangle));
    }
    let matrix = matrix.into_symmetric().map_err(|error| named(&error))?;
    Problem::new(&matrix, order).map_err(|error| named(&error))
}

/// Whether a matrix that is not said to be symmetric has entries on one side of its diagonal alone, as a triangular factor has.
fn is_triangle(matrix: &SparseMatrix) -> bool {
    let entries = || matrix.entries.iter();
    matrix.symmetry == Symmetry::General
        && matrix.rows == matrix.columns
        && entries().any(|entry| entry.column != entry.row)
        && (entries().all(|entry| entry.column <= entry.row)
            || entries().all(|entry| entry.column >= entry.row))
}

/// A matrix to be factored, and the way in which its factor will be divided.
struct System {
    problem: Arc<Problem>,
    order: Order,
    width: u32,
    frames: Frames,
    homes: Placement,
}

impl Instance for System {
    fn job(&self, plan: &Plan) -> Result<Job, BadPlan> {
        let threads = u64::from(plan.problem.nodes) * u64::from(plan.problem.threads);
        let most = self.problem.matrix.order() as u64;
        if threads > most.max(u64::from(MOST)) {
            let shape = plan.problem;
            return Err(BadPlan(format!(
                "{} nodes of {} threads for {most} columns: expected at most {} threads in all",
                shape.nodes,
                shape.threads,
                most.max(u64::from(MOST))
            )));
        }
        let divided = Divided::new(Arc::clone(&self.problem), self.width, plan);
        if plan.mechanism == Mechanism::SharedMemory {
            return Ok(Job::new::<SharedCholesky>(Arc::new(shared::Config::new(
                plan,
                divided,
                (self.frames, self.homes),
            )?)));
        }
        Ok(Job::new::<Cholesky>(Arc::new(messages::Config::new(divided, plan.mechanism))))
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        let structure = &self.problem.structure;
        vec![
            ("rows", self.problem.matrix.order().to_string()),
            ("entries of the factor", structure.entries().to_string()),
            ("fundamental supernodes", structure.supernodes.len().to_string()),
            ("flops", structure.flops().to_string()),
            ("order", self.order.to_string()),
            ("columns of a block", self.width.to_string()),
            ("room for pages of others", self.frames.to_string()),
        ]
    }
}

/// The number of threads that any matrix may be divided among. A thread may have nothing to do.
const MOST: u32 = 4096;

#[cfg(test)]
mod tests {
    use tempest::Shape;

    use super::*;
    use crate::kit::matrices::{SMALL, WRONG, assert_say, given, mistakes};

    fn refused(matrix: &[u8], order: &str) -> Vec<String> {
        mistakes(load(&given(matrix, ("order", order))))
    }

    #[test]
    fn a_good_input_is_described() {
        let instance = load(&given(SMALL, ("order", "file"))).unwrap_or_else(|errors| panic!("{errors:?}"));
        let facts = instance.describe();
        // Row 2 and row 3 both follow column 1, and fill an entry between them.
        assert_eq!(facts[1], ("entries of the factor", "6".to_owned()));
        let plan = |nodes, threads| Plan::new(Mechanism::Bulk, Shape { nodes, threads });
        assert!(instance.job(&plan(5, 2)).is_ok());
        let error = instance.job(&plan(1 << 20, 1 << 20)).unwrap_err();
        assert!(error.0.contains("1048576 threads"), "{error}");
    }

    #[test]
    fn the_mistakes_of_inputs_and_file_come_together() {
        let says = ["order `best`: expected minimum-degree or file", "small.mtx:4:1:", "small.mtx:4:5:"];
        assert_say(&refused(WRONG, "best"), &says);
    }

    #[test]
    fn a_factor_without_its_matrix_is_refused() {
        let errors =
            refused(b"%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n2 1 1\n2 2 3\n", "file");
        assert!(errors[0].contains("small.mtx: a triangular factor without its matrix"), "{errors:?}");
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_is_refused_by_its_pivot() {
        let errors =
            refused(b"%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 2\n2 2 1\n", "file");
        let expected = "small.mtx: pivot 2 of the elimination, row 2 of the file, is not positive: expected a positive definite matrix";
        assert_eq!(errors, [expected]);
    }
}
