//! The documents of `run` and the parts of a run that other documents share. This module must never know how a run looks on
//! a page.

use compare::{Combination as Ran, Machine, MachineShape, interval};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tempest::Mechanism;
use tempest::outcome::{self, Adjustment, Counters, Outcome, PhaseRecord, Stage, VolumeBytes, Why};
use tempest::policy::Split;
use units::TotalTime;
use units::plural::several;

use super::documented::{Documented, documented};
use super::spent::{Breakdown, ProtocolBreakdown, Utilization};
use super::{Baseline, Circumstances, Partial};

/// The document that `tradewind run --json` prints.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// The version of this document's form.
    pub version: u32,
    /// The mark that not every run was done.
    ///
    /// Null if every run was.
    pub partial: Option<Partial>,
    /// The circumstances of the run.
    ///
    /// Null on a model, whose results depend on none of them.
    pub circumstances: Option<Circumstances>,
    /// The program and its input.
    #[serde(flatten)]
    pub asked: ProgramInput,
    /// The combination that ran.
    #[serde(flatten)]
    pub combination: Combination,
    /// The run that the speed is measured against.
    ///
    /// Null unless asked for.
    pub baseline: Option<Baseline>,
    /// The measured times and counts.
    #[serde(flatten)]
    pub measured: Measured,
}

/// The program and its input.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ProgramInput {
    /// The name of the program.
    pub program: String,
    /// The inputs and machine values on the command line, as they were written there.
    pub given: Given,
    /// Facts about the input after it was read; the program chooses the keys.
    pub input: IndexMap<String, String>,
}

/// The inputs and machine values on the command line, as they were written there.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Given {
    /// The value of each `--input`.
    pub input: Vec<String>,
    /// The value of each `--set`.
    pub set: Vec<String>,
}

/// One program by one mechanism under one policy on one machine.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Combination {
    /// `native`, or the `name` in the machine file.
    pub machine: String,
    /// The machine file, as it was named.
    ///
    /// Null natively, and of a shipped machine.
    pub machine_file: Option<String>,
    /// `local` (this host, all nodes in one process), `processes` (this host, nodes in processes of their own) or `model`.
    pub world: String,
    /// 16 hexadecimal digits: the digest of all values of the model, `--set` included.
    ///
    /// Null natively.
    pub machine_digest: Option<String>,
    /// The values of the machine file that are not sure, because its calibration was disturbed.
    ///
    /// Null of a machine that was not calibrated, or not disturbed.
    pub machine_disturbed: Option<String>,
    /// The policy in full: `fixed` is written `fixed:1`.
    pub policy: String,
    /// The mechanism by which data moved.
    pub mechanism: String,
    /// The protocol that kept shared memory coherent.
    ///
    /// Null unless `mechanism` is `shared-memory`.
    pub protocol: Option<String>,
    /// Bytes of a coherence block.
    ///
    /// Null unless `mechanism` is `shared-memory`.
    pub block_bytes: Option<u32>,
    /// Nodes.
    pub nodes: u32,
    /// Processors of each node that were at work: those that computed, and those beside them.
    pub processors: u32,
    /// Processors of each node that computed.
    pub computing_processors: u32,
    /// Processors of each node beside those that computed: dedicated, added, in the network device or in the network interface.
    pub other_processors: u32,
    /// Threads of the program on each computing processor.
    pub threads: u32,
    /// The seed.
    pub seed: u64,
    /// There were more processors than this host has cores, so that times mean little; false on a model.
    pub oversubscribed: bool,
}

/// The measurements of a combination: its times, counts and utilization, and the program's check.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Measured {
    /// The number of runs that count, at least 1: on this host a run that warms up comes before several. Keys that follow, unless they say otherwise, are of the run of median time (of
    /// an even number, the slower of the two in the middle).
    pub runs: usize,
    /// The time that counts: of the first phase, or of the whole run if there is none.
    pub time_ns: f64,
    /// The time that counts of each run, in the order of measurement.
    pub samples_ns: Vec<f64>,
    /// The confidence interval of the median of `samples_ns`.
    ///
    /// Null on a model, where two runs never differ.
    pub interval: Option<Interval>,
    /// From 0 to 1: the share of its time for which processors were ready to run and the operating system ran something else, over the
    /// timed regions of all runs.
    ///
    /// Null on a model, and on a host that does not tell.
    pub taken: Option<f64>,
    /// `taken` is more than 0.03, and not because processors took turns: the times tell nothing.
    pub disturbed: bool,
    /// `time_ns` without rounding, in femtoseconds.
    ///
    /// Null natively.
    pub time_fs: Option<u64>,
    /// The time from start to end, the program's own check included.
    pub whole_run_ns: f64,
    /// Timed regions in order; empty if the program names none.
    pub phases: Vec<Phase>,
    /// Counts of the whole run.
    pub counters: Counts,
    /// Bytes sent in the whole run, by purpose.
    pub volume_bytes: Volume,
    /// The time of the whole run, summed over the computing processors of all nodes and split by what they spent it on.
    /// The parts add up to the length of the run times the processors.
    pub breakdown_ns: Breakdown,
    /// The time of the whole run of the processors that run handlers and no threads, an entry for each kind; empty if there
    /// are none.
    pub protocol_breakdown_ns: Vec<ProtocolBreakdown>,
    /// The share of the whole run for which the parts of the machine were busy, an entry for each kind that it has;
    /// natively processors only.
    pub utilization: Vec<Utilization>,
    /// Events in the dispatch queues in the whole run, summed over the nodes.
    pub dispatching: Dispatching,
    /// Each change of a processor's role that a policy made which adapts, in order of time; empty under others.
    pub adjustments: Vec<Change>,
    /// The time that protocol events took in the whole run, by kind of event: the name of the message in small letters,
    /// or `access` for accesses of threads to shared memory; empty natively.
    pub anatomy: IndexMap<String, Kind>,
    /// Events that the simulator went through: work of the host, more of it in a traced run.
    ///
    /// Null natively.
    pub events: Option<u64>,
    /// 16 hexadecimal digits: the digest of the simulated events, node by node. Equal digests, equal runs.
    ///
    /// Null natively.
    pub digest: Option<String>,
    /// The program's own check.
    pub report: Report,
}

/// A timed region.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Phase {
    /// The name of the phase.
    pub name: String,
    /// The time from the last thread's entry into this phase to the last thread's entry into the next, or to the end.
    pub time_ns: f64,
    /// Counts of this phase. A message sent in one phase may be handled in the next.
    pub counters: Counts,
    /// Bytes sent in this phase.
    pub volume_bytes: Volume,
    /// The time of this phase, split by what the computing processors spent it on.
    pub breakdown_ns: Breakdown,
    /// The time of this phase of the processors that run handlers and no threads, an entry for each kind.
    pub protocol_breakdown_ns: Vec<ProtocolBreakdown>,
    /// The share of this phase for which the parts of the machine were busy, an entry for each kind.
    pub utilization: Vec<Utilization>,
}

/// Counts of a run or a phase.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Messages sent, those to the own node included.
    pub messages: u64,
    /// Messages that are block transfers.
    pub transfers: u64,
    /// Deposits sent, which are no messages: no handler runs.
    pub deposits: u64,
    /// Handlers run.
    pub handlers: u64,
    /// Interrupts taken to notice a message.
    pub interrupts: u64,
    /// The number of times that a thread waited.
    pub blocks: u64,
    /// Sends that found no room at first.
    pub refused: u64,
    /// Polls of threads that found no event.
    ///
    /// Null natively.
    pub empty_polls: Option<u64>,
}

/// Bytes sent, by purpose.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Volume {
    /// Bytes of values that the program moved, blocks of shared memory among them.
    pub data: u64,
    /// Bytes of what moved them: on a model one header for each packet; natively 8 bytes for a message, 16 for one of
    /// more than 7 words, none for a deposit or for the words of a transfer.
    pub headers: u64,
    /// Bytes of requests, headers included.
    pub requests: u64,
    /// Bytes of invalidations, recalls, and what answers them without data, headers included; so too the grant of an
    /// upgrade, which ends the invalidations that it asked for.
    pub invalidations: u64,
}

/// Events in the dispatch queues.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Dispatching {
    /// Events that waited because their key was held.
    pub waited_on_key: u64,
    /// Events that came while the queue was full, and spilled to memory.
    #[serde(default)]
    pub spilled: u64,
    /// Mean time from an event's arrival to the start of its handler.
    ///
    /// Null natively, and where nothing was dispatched.
    pub mean_wait_ns: Option<f64>,
    /// From 0 to 1: share of the time in which an event waited or its key was held, mean over the nodes.
    ///
    /// Null natively.
    pub busy: Option<f64>,
}

/// A change of processors' roles by a policy that adapts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// The number of the node.
    pub node: u32,
    /// The time of the change, since the run began.
    pub at_ns: f64,
    /// The number of the node's processors that are dedicated to handlers from then on.
    pub dedicated: u32,
    /// The cause of the change: `looking`, `full`, `waiting`, `unused` or `worse`.
    pub because: String,
    /// The measurement behind the cause. Of `looking`: of the time that events took, the share that was looking for
    /// them. Of `full` and `unused`: the share of their time for which dedicated processors were busy, too much and too
    /// little. Of `waiting`: the events that waited on average. Of `worse`: what the node got done since the change
    /// before, as a share of its best before that.
    pub measured: f64,
    /// The cause and the measurement, for people.
    pub text: String,
}

/// The time that protocol events of one kind took.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Kind {
    /// The number of events of this kind.
    pub events: u64,
    /// Mean time from leaving for the network until the event was in the interface of its destination; 0 of what does not
    /// travel.
    pub mean_travel_ns: f64,
    /// Mean time from the arrival in the interface until a processor took the event.
    pub mean_wait_ns: f64,
    /// The steps that processors took for the events: a primitive of the machine file, `complete_access` (an access
    /// that faulted goes ahead), `miss` (an access misses its processor's cache), `fetch_state` (a handler waits for a line
    /// of an entry of a table, or of the dispatch routine's data) or `completion` (what follows a handler before its
    /// processor is free).
    pub steps: IndexMap<String, Step>,
}

/// A step of protocol events of one kind.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// The number of times that the step was taken.
    pub times: u64,
    /// The mean time of the step. It delays the steps after it, unless the step is `completion`.
    pub mean_ns: f64,
}

/// The program's own check.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Every result of **every** run was compared with the sequential one and found right.
    pub verified: bool,
    /// The number of results that were compared.
    pub checks: u64,
    /// The wrong results of every run; empty if there is none.
    pub failures: Vec<String>,
    /// The program's own measurements, under keys that the program chooses. A number that is not finite is null.
    pub figures: IndexMap<String, Option<f64>>,
    /// The unit of those figures that are no pure numbers: `us`, `ns`, `MB/s`.
    pub units: IndexMap<String, String>,
}

/// The options that all combinations of a command have in common.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Threads on each computing processor.
    pub threads: u32,
    /// The seed.
    pub seed: u64,
    /// The name of the protocol that keeps shared memory coherent.
    pub protocol: String,
    /// Bytes of a coherence block.
    pub block_bytes: u32,
    /// The place of the nodes of a run on this host: `local` or `processes`.
    pub place: String,
}

/// A confidence interval of a median.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// The lower end.
    pub low_ns: f64,
    /// The upper end.
    pub high_ns: f64,
    /// The probability with which an interval that is made so encloses the median, whatever the distribution of times: 0 of
    /// a single run.
    pub level: f64,
    /// The level is at least the one that is asked for: 0.95 for all rows of a table together, so that it is more for each
    /// single one. If not, there were too few runs: the interval is their whole range and tells nothing apart.
    pub enough: bool,
}

/// 16 hexadecimal digits.
pub(super) fn digest(digest: u64) -> String {
    format!("{digest:016x}")
}

impl Run {
    /// The document of one combination.
    pub fn new(
        asked: ProgramInput,
        setting: &Setting,
        shape: MachineShape,
        machine: &Machine,
        ran: &Ran,
    ) -> Self {
        let combination = Combination::new(setting, shape, machine, ran);
        let interval = compare::Interval::of_median(ran.samples(), interval::level(1));
        let measured = Measured::new(machine, ran, interval.filter(|_| machine.native));
        Self {
            version: super::VERSION,
            partial: None,
            circumstances: None,
            asked,
            combination,
            baseline: None,
            measured,
        }
    }
}

impl Combination {
    /// The processors of a node that were at work.
    pub fn split(&self) -> Split {
        Split { computing: self.computing_processors, dedicated: self.other_processors }
    }

    /// The nodes and their processors at work, for people: `4 nodes of 6+2 processors`.
    pub fn at_work(&self) -> String {
        let processors = if self.processors == 1 { "processor" } else { "processors" };
        format!("{} of {} {processors}", several(self.nodes, "node"), self.split())
    }

    pub(super) fn new(setting: &Setting, shape: MachineShape, machine: &Machine, ran: &Ran) -> Self {
        let shared = ran.mechanism == Mechanism::SharedMemory;
        Self {
            machine: machine.name.clone(),
            machine_file: machine.file.clone(),
            world: if machine.native { &setting.place } else { "model" }.to_owned(),
            machine_digest: machine.digest.map(digest),
            machine_disturbed: machine.calibration.as_ref().and_then(|it| it.disturbed.clone()),
            policy: ran.policy.clone(),
            mechanism: ran.mechanism.to_string(),
            protocol: shared.then(|| setting.protocol.clone()),
            block_bytes: shared.then_some(setting.block_bytes),
            nodes: shape.nodes,
            processors: ran.split.all(),
            computing_processors: ran.split.computing,
            other_processors: ran.split.dedicated,
            threads: setting.threads,
            seed: setting.seed,
            oversubscribed: ran.oversubscribed,
        }
    }
}

impl Measured {
    pub(super) fn new(machine: &Machine, ran: &Ran, interval: Option<compare::Interval>) -> Self {
        let outcome = ran.median();
        Self {
            runs: ran.runs(),
            time_ns: outcome.timed().as_nanoseconds(),
            samples_ns: ran.samples().to_vec().documented(),
            interval: interval.documented(),
            taken: ran.taken(),
            disturbed: ran.disturbed().is_some(),
            time_fs: (!machine.native).then(|| outcome.timed().as_femtoseconds()),
            whole_run_ns: outcome.time.as_nanoseconds(),
            phases: outcome.phases.documented(),
            counters: outcome.counters.documented(),
            volume_bytes: outcome.counters.volume.documented(),
            breakdown_ns: outcome.breakdown.documented(),
            protocol_breakdown_ns: outcome.protocol.documented(),
            utilization: outcome.utilization.documented(),
            dispatching: outcome.dispatching.documented(),
            adjustments: outcome.adjustments.documented(),
            anatomy: anatomy(&outcome.anatomy),
            events: outcome.events,
            digest: outcome.digest.map(digest),
            report: Report::new(outcome, ran),
        }
    }
}

documented!(|it: compare::Interval| Interval {
    low_ns: it.low.documented(),
    high_ns: it.high.documented(),
    level,
    enough: it.is_enough,
});

impl Report {
    fn new(outcome: &Outcome, ran: &Ran) -> Self {
        let figures = &outcome.report.figures;
        let with_unit = figures.iter().filter(|figure| !figure.unit.is_empty());
        let finite = |value: f64| value.is_finite().then_some(value);
        Self {
            verified: ran.verified(),
            checks: outcome.report.checks,
            failures: ran.failures().map(str::to_owned).collect(),
            figures: figures.iter().map(|figure| (figure.name.to_owned(), finite(figure.value))).collect(),
            units: with_unit.map(|figure| (figure.name.to_owned(), figure.unit.to_owned())).collect(),
        }
    }
}

documented!(|it: PhaseRecord| Phase {
    name,
    time_ns: it.time.documented(),
    counters,
    volume_bytes: it.counters.volume.documented(),
    breakdown_ns: it.breakdown.documented(),
    protocol_breakdown_ns: it.protocol.documented(),
    utilization,
});

documented!(|it: Counters| Counts {
    messages,
    transfers,
    deposits,
    handlers,
    interrupts,
    blocks,
    refused,
    empty_polls,
});

documented!(|it: VolumeBytes| Volume { data, headers, requests, invalidations });

documented!(|it: outcome::Dispatching| Dispatching {
    waited_on_key,
    spilled,
    mean_wait_ns: it.mean_wait.documented(),
    busy,
});

documented!(|it: Adjustment| Change {
    node: it.node.0,
    at_ns: it.at.documented(),
    dedicated,
    because: cause(it.why).0.to_owned(),
    measured: cause(it.why).1,
    text: it.why.to_string(),
});

/// The name of a cause, and the measurement behind it.
fn cause(why: Why) -> (&'static str, f64) {
    match why {
        Why::Looking(share) => ("looking", share),
        Why::Full(share) => ("full", share),
        Why::Waiting(events) => ("waiting", events),
        Why::Unused(share) => ("unused", share),
        Why::Worse(share) => ("worse", share),
    }
}

/// Kinds of events by the names of their messages; of two with one name the second has its whole path.
fn anatomy(stages: &[Stage]) -> IndexMap<String, Kind> {
    let mut kinds = IndexMap::new();
    for stage in stages {
        let short = snake_case(stage.kind.rsplit("::").next().unwrap_or(stage.kind));
        let name = if kinds.contains_key(&short) { stage.kind.to_owned() } else { short };
        kinds.insert(name, Kind::from(stage));
    }
    kinds
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

documented!(|it: Stage| Kind {
    events,
    mean_travel_ns: mean(it.travel, it.events),
    mean_wait_ns: mean(it.wait, it.events),
    steps: it.steps.iter().map(|step| (step.name.to_owned(), step.documented())).collect(),
});

documented!(|it: outcome::Step| Step { times, mean_ns: mean(it.time, it.times) });

/// The mean of a sum of this number of times, in nanoseconds.
fn mean(sum: TotalTime, times: u64) -> f64 {
    sum.as_nanoseconds() / times.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anatomy_has_means_by_name() {
        let step = |name, times, ns| outcome::Step { name, times, time: TotalTime::from_nanoseconds(ns) };
        let faulted = Stage {
            kind: "protocols::stache::messages::HomeAsked",
            events: 2,
            travel: TotalTime::from_nanoseconds(500),
            wait: TotalTime::from_nanoseconds(5),
            steps: vec![step("dispatch_fault", 2, 80), step("send_header", 1, 10)],
        };
        let twice = anatomy(&[faulted.clone(), Stage { kind: "other::HomeAsked", ..faulted }]);
        let kind = &twice["home_asked"];
        assert_eq!((kind.mean_travel_ns, kind.mean_wait_ns), (250.0, 2.5));
        assert_eq!(kind.steps["dispatch_fault"], Step { times: 2, mean_ns: 40.0 });
        assert!(twice.contains_key("other::HomeAsked"));
    }
}
