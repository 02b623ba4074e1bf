//! *Processes*: programs on two nodes that are processes, beside the same programs on two nodes of one process.
//!
//! The benchmark is the launcher. Its processes execute it again and take part in the run of one case, by its name.

use tempest::entry::{Entry, Given, Plan};
use tempest::outcome::Outcome;
use tempest::world::{Launch, World};
use tempest::{Job, Mechanism, Shape};
use tradewind_bench::table::{Aim, TableRow, Unit, paired};
use tradewind_native::{Local, Processes, member};

use crate::{fetch_add, round_trip, stream};

/// A program with the figure that is compared.
struct Case {
    name: &'static str,
    what: &'static str,
    unit: Unit,
    aim: Aim,
    mechanism: Mechanism,
    job: fn(Mechanism) -> Job,
    figure: fn(&Outcome) -> f64,
}

const CASES: &[Case] = &[
    Case {
        name: "round-trip",
        what: "handler round trip",
        unit: Unit::Nanoseconds,
        aim: Aim::Ratio(1.15, 1.6),
        mechanism: Mechanism::Messages,
        job: |_| round_trip::job(),
        figure: round_trip::time,
    },
    Case {
        name: "stream",
        what: "stream of small messages, 1024 keys",
        unit: Unit::Millions,
        aim: Aim::Ratio(0.9, 0.6),
        mechanism: Mechanism::Messages,
        job: |_| stream::job(stream::FEW),
        figure: stream::rate,
    },
    Case {
        name: "fetch-add",
        what: "fetch-add by message, window of 64",
        unit: Unit::Millions,
        aim: Aim::Ratio(0.9, 0.6),
        mechanism: Mechanism::Messages,
        job: |_| fetch_add::job(),
        figure: fetch_add::rate,
    },
    Case {
        name: "read-miss",
        what: "read miss on a remote block",
        unit: Unit::Nanoseconds,
        aim: Aim::Ratio(1.15, 1.6),
        mechanism: Mechanism::SharedMemory,
        job: |mechanism| loaded("remote-miss", mechanism, &[("misses", "20000")]),
        figure: |outcome| figure(outcome, "time.miss"),
    },
    Case {
        name: "em3d-deposit",
        what: "em3d by deposits, 100 iterations",
        unit: Unit::Microseconds,
        aim: Aim::Ratio(1.15, 1.6),
        mechanism: Mechanism::Deposit,
        job: |mechanism| loaded("em3d", mechanism, &[("iterations", "100")]),
        figure: |outcome| outcome.timed().as_nanoseconds() / 1e3,
    },
];

/// A program of the registries with these inputs, on two nodes.
fn loaded(name: &str, mechanism: Mechanism, inputs: &[(&str, &str)]) -> Job {
    let all = apps::ALL.iter().chain(probes::ALL);
    let entry: &Entry =
        all.into_iter().find(|entry| entry.name == name).expect("a program of the registries");
    let mut given = Given::default();
    given.values.extend(inputs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())));
    let instance = (entry.load)(&given).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    let plan = Plan { block: 128, ..Plan::new(mechanism, Shape { nodes: 2, threads: 1 }) };
    instance.job(&plan.kept_by(&protocols::stache::STACHE)).expect("a plan that the program can run by")
}

/// The figure of this name, in its own unit.
fn figure(outcome: &Outcome, name: &str) -> f64 {
    let figures = &outcome.report.figures;
    figures.iter().find(|figure| figure.name == name).expect("the program reports it").value
}

impl Case {
    fn run(&self, world: &dyn World) -> f64 {
        let job = (self.job)(self.mechanism);
        let policy = "single".parse().expect("a policy");
        let launch = Launch { mechanism: self.mechanism, nodes: 2, ..Launch::new(job, policy) };
        let outcome = world.run(&launch).expect("the run ends well");
        assert!(outcome.report.verified(), "{:?}", outcome.report);
        (self.figure)(&outcome)
    }
}

/// Takes part in the run of a case, if this process has been started for one.
pub(crate) fn take_part() {
    let member = member().expect("the launcher is this benchmark");
    if let Some(name) = member.and_then(|member| member.order()) {
        let case = CASES.iter().find(|case| case.name == name).expect("a case of the launcher");
        case.run(&Processes::new());
    }
}

/// Each case in processes, beside one process.
pub(crate) fn rows() -> Vec<TableRow> {
    let row = |case: &Case| {
        let processes = || case.run(&Processes::new().described(case.name.to_owned()));
        let figures = paired(processes, || case.run(&Local::new()));
        TableRow::new(format!("{}, processes", case.what), case.unit, figures, "one process", case.aim)
    };
    CASES.iter().map(row).collect()
}
