//! Tests that memory-model tests detect a lost invalidation.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apps::litmus::{Dose, Experiment, Question};
use protocols::stache::STACHE;
use tempest::Mechanism;
use tempest::world::{Launch, World};

use crate::with_fault;
use crate::world::Local;

/// Rounds of each test.
const ROUNDS: u32 = 400;

/// The tests that are shipped.
fn questions() -> Vec<Arc<Question>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../inputs/litmus");
    let files = std::fs::read_dir(folder).expect("the folder is there");
    let files = files.map(|file| file.expect("it can be listed").path());
    let tests = files.filter(|file| file.extension().is_some_and(|extension| extension == "litmus"));
    let read = |file: PathBuf| {
        let bytes = std::fs::read(&file).expect("the file can be read");
        formats::litmus::read(&file.to_string_lossy(), &bytes).expect("it is a test")
    };
    tests.map(|file| Arc::new(Question::new(read(file)).expect("its states can be found"))).collect()
}

/// Number of forbidden states that a test has seen. A run that ended because the waist itself detected an error counts as one.
fn forbidden(question: &Arc<Question>) -> usize {
    let dose = Dose::new(ROUNDS, 64, &STACHE, 1);
    let experiment = Experiment::new(Arc::clone(question), dose);
    let job = experiment.job().expect("blocks have this length");
    let launch = Launch {
        mechanism: Mechanism::SharedMemory,
        nodes: question.nodes(),
        ..Launch::new(job, "single".parse().expect("a policy"))
    };
    let Ok(outcome) = Local::new().run(&launch) else { return 1 };
    let seen = experiment.seen(&outcome.report);
    seen.iter().flat_map(|seen| seen.keys()).filter(|state| !question.allowed.contains(*state)).count()
}

/// Asserts that tests of the memory model see a forbidden state if an invalidation is lost, and none otherwise.
pub(crate) fn a_lost_invalidation_is_seen() {
    let questions = questions();
    assert!(questions.len() > 5, "the tests are there");
    let forbidden = || questions.iter().map(forbidden).sum::<usize>();
    assert_eq!(with_fault("none", forbidden), 0, "without the fault all states are allowed");
    assert!(with_fault("right-is-kept", forbidden) > 0, "the fault goes unnoticed");
}
