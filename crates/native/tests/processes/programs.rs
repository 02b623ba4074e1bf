//! Programs of the project that run with their nodes in processes, as the orders of this test name them.
//!
//! This module must never know the fate of a process of a run.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

use tempest::entry::{File, Given, Plan, Problems};
use tempest::outcome::{Failure, Outcome};
use tempest::world::{Launch, World};
use tempest::{Mechanism, Shape};
use tradewind_native::{Processes, member};

/// The argument with which this test is executed to launch one run, whose order follows it.
pub(crate) const LAUNCH: &str = "--launch";

/// A run of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    pub(crate) program: &'static str,
    /// The value of the input that says how much there is to do, for a program that has one.
    pub(crate) work: u32,
    pub(crate) nodes: u32,
    pub(crate) timeout_ms: u64,
}

/// A program by name, its input that says how much there is to do, and a file that it reads.
struct Known {
    program: &'static str,
    work: Option<&'static str>,
    file: Option<(&'static str, &'static str)>,
}

const KNOWN: [Known; 3] = [
    Known { program: "fetch-add", work: Some("operations"), file: None },
    Known { program: "em3d", work: Some("iterations"), file: None },
    Known { program: "iccg", work: None, file: Some(("matrix", "494_bus.mtx")) },
];

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { program, work, nodes, timeout_ms } = self;
        write!(f, "{program} {work} {nodes} {timeout_ms}")
    }
}

impl Run {
    fn read(order: &str) -> Self {
        let words: Vec<_> = order.split(' ').collect();
        let known = KNOWN.iter().find(|known| known.program == words[0]).expect("a known program");
        let number = |place: usize| words[place].parse().expect("an order has numbers");
        Self { program: known.program, work: number(1), nodes: number(2), timeout_ms: number(3).into() }
    }

    pub(crate) fn launch(&self) -> Launch {
        let known = KNOWN.iter().find(|known| known.program == self.program).expect("a known program");
        let values = known.work.iter().map(|key| ((*key).to_owned(), self.work.to_string()));
        let files = known.file.iter().map(|(key, name)| ((*key).to_owned(), shipped(name)));
        let member = member().unwrap_or_else(|why| fail(why));
        let problems = member.map_or_else(Problems::default, |member| member.problems().clone());
        let files = files.collect::<BTreeMap<_, _>>();
        let given = Given { values: values.collect(), files, problems: problems.clone() };
        let entry = tempest::entry::find(self.program, apps::ALL).expect("a program of the registry");
        let instance = (entry.load)(&given).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
        let plan = Plan::new(Mechanism::Messages, Shape { nodes: self.nodes, threads: 1 });
        let job = instance.job(&plan).expect("a plan that the program can run by");
        Launch { nodes: self.nodes, problems, ..Launch::new(job, "single".parse().expect("a policy")) }
    }

    /// Runs the program, in a launcher or in a process of it.
    pub(crate) fn run(&self) -> Result<Outcome, Failure> {
        let world = Processes::new().described(format!("program {self}"));
        world.peer_timeout(Duration::from_millis(self.timeout_ms)).run(&self.launch())
    }
}

/// An input that the project ships.
fn shipped(name: &str) -> File {
    let path = format!("{}/../../inputs/{name}", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    File { name: path, bytes }
}

/// Takes the part of a process in a run.
pub(crate) fn take_part(order: &str) -> ! {
    _ = Run::read(order).run();
    unreachable!("a process ends with its run");
}

/// Launches a run in place of the test. Ends the process with exit 1 if it fails.
pub(crate) fn launch(order: &str) {
    match Run::read(order).run() {
        Ok(outcome) if outcome.report.verified() => {}
        Ok(outcome) => fail(&outcome.report.failures.join("; ")),
        Err(failure) => fail(&failure.to_string()),
    }
}

/// Ends the process with an error.
pub(crate) fn fail(why: &str) -> ! {
    _ = writeln!(io::stderr(), "tradewind: error: {why}");
    std::process::exit(1);
}
