//! The inputs of iccg: a matrix, and the way its rows are divided. This module must never know how updates travel.

use std::convert::Infallible;
use std::sync::Arc;

use tempest::entry::{BadPlan, File, Frozen, Given, Inputs, Instance, Loaded, Plan, Problems, Reader};
use tempest::{Job, Mechanism, Shape};

use super::bulk::Streams;
use super::layout::Layout;
use super::partition::Partition;
use super::problem::Problem;
use super::program::{Config, Iccg};

/// The inputs of iccg.
#[derive(Clone, Inputs)]
pub(super) struct Options {
    /// a symmetric positive definite matrix, or a pattern, whose incomplete Cholesky factor is L: Matrix Market,
    /// Harwell-Boeing (also SPLASH .O), Rutherford-Boeing, or triplets (.tri, .mat.txt); plain, gzip or zstd
    #[input(default = "bcsstk13")]
    matrix: Arc<File>,
    /// how rows are divided among threads: bisection (of the graph), blocks (of rows) or cyclic
    #[input(default = "bisection")]
    partition: Partition,
    /// the most updates that one transfer moves
    #[input(default = 8, range = 1..=1024, only = [Bulk])]
    batch: u32,
}

/// Reads the inputs, and the matrix out of its file.
pub(super) fn load(given: &Given) -> Loaded {
    let mut reader = Reader::new(given, Options::INPUTS);
    let asked = Options::read(&mut reader);
    // The matrix is read even if the partition is wrong, so that a person sees all mistakes at once.
    let problem = given.files.get("matrix").and_then(|file| match made(file, &given.problems) {
        Ok(problem) => Some(problem),
        Err(mistakes) => {
            mistakes.into_iter().for_each(|mistake| reader.refuse(mistake));
            None
        }
    });
    reader.finish()?;
    let (problem, asked) = problem.zip(asked).expect("whatever is missing was refused");
    Ok(Box::new(System::new(problem, &asked, given.problems.clone())))
}

/// The problem of a file.
fn made(file: &File, problems: &Problems) -> Result<Arc<Problem>, Vec<String>> {
    problems.get("iccg", &file.identity(), || read(file))
}

fn read(file: &File) -> Result<Problem, Vec<String>> {
    let named = |error: &dyn std::fmt::Display| vec![format!("{}: {error}", file.name)];
    let matrix = formats::matrix::read(&file.name, &file.bytes)
        .map_err(|errors| errors.to_string().lines().map(str::to_owned).collect::<Vec<_>>())?;
    let matrix = matrix.into_symmetric().map_err(|error| named(&error))?;
    if matrix.rows == 0 {
        return Err(named(&"0 rows: expected at least 1"));
    }
    Problem::new(&matrix).map_err(|error| named(&error))
}

/// The system to be solved, and the way in which its rows will be divided.
struct System {
    problem: Arc<Problem>,
    /// The division of its rows is a problem of its own.
    problems: Problems,
    partition: Partition,
    /// The most updates in one transfer.
    batch: u32,
    /// The number of rows on the longest chain of dependences.
    critical_path: usize,
}

impl System {
    fn new(problem: Arc<Problem>, &Options { partition, batch, .. }: &Options, problems: Problems) -> Self {
        Self { critical_path: problem.critical_path(), problem, problems, partition, batch }
    }

    /// The part of each row.
    fn owners(&self, parts: u32) -> Arc<Frozen<u32>> {
        let of = format!("{} into {parts} parts", self.partition);
        let assign = || Ok::<_, Infallible>(self.partition.assign(&self.problem, parts as usize).into());
        let Ok(owners) = self.problems.get("iccg owners", &of, assign);
        owners
    }
}

impl Instance for System {
    fn job(&self, &Plan { mechanism, shape, .. }: &Plan) -> Result<Job, BadPlan> {
        let parts = shape.nodes.checked_mul(shape.threads).ok_or_else(|| {
            let Shape { nodes, threads } = shape;
            format!("{nodes} nodes of {threads} threads: expected at most {} threads in all", u32::MAX)
        })?;
        let owners = self.owners(parts);
        let layout = Layout::new(Arc::clone(&self.problem), &owners, shape, self.critical_path);
        let streams = (mechanism == Mechanism::Bulk).then(|| Streams::new(&layout, shape, self.batch));
        Ok(Job::new::<Iccg>(Arc::new(Config { layout, streams })))
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        vec![
            ("rows", self.problem.order().to_string()),
            ("edges", self.problem.edges().to_string()),
            ("rows on the critical path", self.critical_path.to_string()),
            ("relative shift of the diagonal", self.problem.shift.to_string()),
            ("partition", self.partition.to_string()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use tempest::Mechanism;

    use super::*;
    use crate::kit::matrices::{SMALL, WRONG, assert_say, given, mistakes};

    #[test]
    fn a_good_input_is_described() {
        let instance =
            load(&given(SMALL, ("partition", "blocks"))).unwrap_or_else(|errors| panic!("{errors:?}"));
        let facts = instance.describe();
        assert_eq!(facts[0], ("rows", "3".to_owned()));
        assert_eq!(facts[1], ("edges", "2".to_owned()));
        let plan = |nodes, threads| Plan::new(Mechanism::Messages, Shape { nodes, threads });
        assert!(instance.job(&plan(5, 2)).is_ok());
        let error = instance.job(&plan(1 << 20, 1 << 20)).unwrap_err();
        assert!(error.0.contains("1048576 threads"), "{error}");
    }

    #[test]
    fn the_mistakes_of_inputs_and_file_come_together() {
        let mut given = given(WRONG, ("partition", "halves"));
        given.values.insert("matrx".into(), "bcsstk13".into());
        let says = ["did you mean `matrix`?", "partition \"halves\"", "small.mtx:4:1:", "small.mtx:4:5:"];
        assert_say(&mistakes(load(&given)), &says);
    }

    #[test]
    fn a_matrix_without_a_factor_is_refused_by_name() {
        let oblong = b"%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 4\n";
        let errors = mistakes(load(&given(oblong, ("partition", "cyclic"))));
        assert_eq!(errors, ["small.mtx: 2 rows and 3 columns: expected a square matrix, to be symmetric"]);
    }
}
