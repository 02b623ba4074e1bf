//! *Adaptive*: programs under `adaptive`, beside the best of the fixed policies with equally many processors; and the gain or loss of
//! keyed dispatch on several protocol processors beside one.
//!
//! In each round every policy has its turn. The bound is the policy of the lowest median; it differs from program to program, so no fixed
//! choice reaches it everywhere. On one node of two processors `single` uses only one, without communication: if it wins, two threads are
//! one too many.

use std::collections::BTreeMap;

use tempest::entry::{File, Given, Plan};
use tempest::{Job, Mechanism, Policy, Shape};

use crate::run;
use tradewind_bench::median;
use tradewind_bench::table::{Aim, Figures, TableRow, Unit};

const ROUNDS: usize = 5;

/// Fixed policies, with the name of a row if the policy is the best.
const FIXED: &[(&str, &str)] = &[
    ("single", "best fixed: single"),
    ("floating", "best fixed: floating"),
    ("floating+keyed", "best fixed: floating+keyed"),
    ("fixed:1", "best fixed: fixed:1"),
];

/// A program, its inputs, and the number of runs per figure.
struct Case {
    program: &'static str,
    inputs: &'static [(&'static str, &'static str)],
    file: Option<(&'static str, &'static str)>,
    runs: u32,
}

const CASES: &[Case] = &[
    Case {
        program: "em3d",
        inputs: &[("nodes", "4000"), ("owners", "4"), ("iterations", "200")],
        file: None,
        runs: 1,
    },
    Case { program: "iccg", inputs: &[], file: Some(("matrix", "bcsstk13.mtx.gz")), runs: 20 },
    Case { program: "fetch-add", inputs: &[("operations", "200000")], file: None, runs: 1 },
];

/// Handlers of about a microsecond: long enough to be moved to another processor.
const HANDLERS: Case = Case {
    program: "fetch-add",
    inputs: &[("operations", "20000"), ("handler", "500")],
    file: None,
    runs: 1,
};

/// Nodes, and processors of each, two in all.
const SHAPES: &[(u32, u32)] = &[(1, 2), (2, 1)];

impl Case {
    /// Microseconds of the program's timed phase, run by run.
    fn time(&self, policy: &str, nodes: u32, processors: u32) -> f64 {
        let split = policy.parse::<Policy>().expect("a policy").split(processors);
        let threads = split.expect("as many processors as it needs").computing;
        let plan = Plan::new(Mechanism::Messages, Shape { nodes, threads });
        let timed = (0..self.runs).map(|_| run(self.job(&plan), nodes, processors, 1, policy).timed());
        timed.map(|time| time.as_nanoseconds() / 1_000.0).sum()
    }

    fn job(&self, plan: &Plan) -> Job {
        let values = self.inputs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let files = self.file.iter().map(|(key, name)| ((*key).to_owned(), shipped(name)));
        let given =
            Given { values: values.collect(), files: files.collect::<BTreeMap<_, _>>(), ..Given::default() };
        let entry = tempest::entry::find(self.program, apps::ALL).expect("a program of the registry");
        let instance = (entry.load)(&given).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
        instance.job(plan).expect("a plan that the program can run by")
    }
}

/// An input that the project ships.
fn shipped(name: &str) -> File {
    let path = format!("{}/../../inputs/{name}", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    File { name: path, bytes }
}

/// Times of all rounds, policy by policy, each policy once in each round.
fn times(case: &Case, shapes: &[(&'static str, u32, u32)]) -> Vec<Vec<f64>> {
    let mut all = vec![Vec::new(); shapes.len()];
    for _ in 0..ROUNDS {
        for (times, (policy, nodes, processors)) in all.iter_mut().zip(shapes) {
            times.push(case.time(policy, *nodes, *processors));
        }
    }
    all
}

fn figures(ours: &[f64], bound: &[f64]) -> Figures {
    let ratios: Vec<_> = ours.iter().zip(bound).map(|(ours, bound)| ours / bound).collect();
    Figures { ours: median(ours), bound: median(bound), ratio: median(&ratios) }
}

fn beside_the_best(case: &Case, nodes: u32, processors: u32) -> TableRow {
    let fixed: Vec<_> = FIXED.iter().filter(|(policy, _)| processors > 1 || *policy != "fixed:1").collect();
    let mut shapes = vec![("adaptive", nodes, processors)];
    shapes.extend(fixed.iter().map(|(policy, _)| (*policy, nodes, processors)));
    let times = times(case, &shapes);
    let medians = times[1..].iter().map(|times| median(times));
    let best = medians.zip(&times[1..]).zip(fixed).min_by(|((a, _), _), ((b, _), _)| a.total_cmp(b));
    let ((_, bound), (_, name)) = best.expect("there are fixed policies");
    let [nodes, processors] =
        [(nodes, "node"), (processors, "processor")].map(|(count, noun)| counted(count, noun));
    let what = format!("{} adaptive, {nodes} x {processors}", case.program);
    TableRow::new(what, Unit::Microseconds, figures(&times[0], bound), name, Aim::Ratio(1.1, 1.2))
}

/// A count with its noun, in the singular or plural.
fn counted(count: u32, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A processor of a node asks, the others run its handlers.
fn several_servers(policy: &'static str, servers: u32) -> TableRow {
    let times = times(&HANDLERS, &[(policy, 1, 1 + servers), ("fixed:1", 1, 2)]);
    let what = format!("fetch-add, handlers of a microsecond, {policy}");
    TableRow::new(what, Unit::Microseconds, figures(&times[0], &times[1]), "fixed:1", Aim::Ratio(1.0, 2.0))
}

/// `adaptive` beside the best fixed choice, then several protocol processors beside one.
pub(crate) fn rows() -> Vec<TableRow> {
    let shapes = SHAPES.iter().flat_map(|shape| CASES.iter().map(move |case| (shape, case)));
    let adaptive = shapes.map(|((nodes, processors), case)| beside_the_best(case, *nodes, *processors));
    let servers = [("fixed:2", 2), ("partitioned:2", 2), ("fixed:4", 4)];
    adaptive.chain(servers.map(|(policy, servers)| several_servers(policy, servers))).collect()
}
