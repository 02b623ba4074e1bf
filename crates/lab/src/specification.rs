//! A run of a program, in full, and the numbers of its answer. This module must never know the program or the machine,
//! nor the meaning of a number of the answer.

use std::path::PathBuf;

use serde_json::{Value, json};
use units::Time;

/// Specification of a run. Everything that can change an answer is here, or in the version of the command, or in the
/// machine file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Specification {
    /// Name of a program.
    pub program: String,
    /// Name of a shipped machine, a machine file, or `native`.
    pub machine: String,
    /// The policy; the command's own choice if not said.
    pub policy: Option<String>,
    /// The mechanism by which data moves; the program's first if not said.
    pub mechanism: Option<String>,
    /// The protocol that keeps shared memory coherent; the command's own choice if not said.
    pub protocol: Option<String>,
    /// The bytes of a block of shared memory; the command's own choice if not said.
    pub block: Option<u32>,
    /// The run that the speed is measured against; none if not said.
    pub baseline: Option<String>,
    /// The number of nodes; the machine's own if not said.
    pub nodes: Option<u32>,
    /// The number of processors of each node; the machine's own if not said.
    pub processors: Option<u32>,
    /// The number of the program's threads on each computing processor; as many as the program needs if not said.
    pub threads: Option<u32>,
    /// The inputs of the program, by name.
    pub inputs: Vec<(String, String)>,
    /// Values that replace values of the machine file, by key.
    pub settings: Vec<(String, String)>,
    /// The seed of everything left to chance.
    pub seed: u64,
    /// Number of times that the program is run in the one process; the run of median time counts. On this host a run
    /// that warms up comes before several. Once if not said.
    pub repeat: Option<u32>,
    /// Number of this process among several of the same run, from 0.
    pub round: u32,
    /// The processes of its nodes, on this host alone. If not said, all nodes are in the process of the run.
    pub processes: Option<NodeProcesses>,
    /// The folder in which relative paths of machine files and inputs begin; that of the process if not said. It is not
    /// part of the run's identity: a study may be moved with its files.
    pub folder: Option<PathBuf>,
}

/// The processes of the nodes of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeProcesses {
    /// Number of nodes in each process, at least 1.
    pub nodes_each: u32,
    /// The time of silence after which a process is lost. It is not part of the run's identity: no answer depends on it.
    pub peer_timeout: Time,
}

/// The name of the world of runs on this host whose nodes are in these processes.
pub fn native_world(processes: Option<NodeProcesses>) -> &'static str {
    if processes.is_some() { "processes" } else { "local" }
}

impl NodeProcesses {
    /// The options of the command line that make nodes processes.
    fn arguments(self) -> [String; 6] {
        let [world, nodes, timeout] = ["--world", "--nodes-per-process", "--peer-timeout"].map(str::to_owned);
        let values = (self.nodes_each.to_string(), self.peer_timeout.to_string());
        [world, native_world(Some(self)).to_owned(), nodes, values.0, timeout, values.1]
    }
}

/// The keys of a run that have one value, in the order in which tables show them.
pub const FIELDS: [&str; 11] = [
    "program",
    "machine",
    "policy",
    "mechanism",
    "protocol",
    "baseline",
    "block",
    "nodes",
    "processors",
    "threads",
    "seed",
];

/// The name of an input or a setting among the fields of a run: its own, but with `before` in front where a key of the run
/// has that name.
pub(crate) fn field_name(before: &str, key: &str) -> String {
    if FIELDS.contains(&key) { format!("{before}.{key}") } else { key.to_owned() }
}

impl Specification {
    /// Everything that is stated, by name: [`FIELDS`], inputs, settings.
    pub fn fields(&self) -> Vec<(String, String)> {
        let count = |count: Option<u32>| count.map(|count| count.to_string());
        let values = [
            Some(self.program.clone()),
            Some(self.machine.clone()),
            self.policy.clone(),
            self.mechanism.clone(),
            self.protocol.clone(),
            self.baseline.clone(),
            count(self.block),
            count(self.nodes),
            count(self.processors),
            count(self.threads),
            Some(self.seed.to_string()),
        ];
        let fields = FIELDS.iter().zip(values);
        let fields = fields.filter_map(|(name, value)| Some(((*name).to_owned(), value?)));
        let named = |before: &'static str, pairs: &[(String, String)]| -> Vec<_> {
            pairs.iter().map(|(key, value)| (field_name(before, key), value.clone())).collect()
        };
        fields.chain(named("inputs", &self.inputs)).chain(named("set", &self.settings)).collect()
    }

    /// The command line that does it, behind the name of the command.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = ["run", &self.program, "--machine", &self.machine].map(str::to_owned).to_vec();
        arguments.extend(self.processes.map(NodeProcesses::arguments).into_iter().flatten());
        let texts = [
            ("--policy", &self.policy),
            ("--mechanism", &self.mechanism),
            ("--protocol", &self.protocol),
            ("--baseline", &self.baseline),
        ];
        let texts = texts.map(|(name, value)| (name, value.clone()));
        let counts = [
            ("--block", self.block),
            ("--nodes", self.nodes),
            ("--processors", self.processors),
            ("--threads", self.threads),
            ("--repeat", self.repeat),
        ];
        let counts = counts.map(|(name, value)| (name, value.map(|count| count.to_string())));
        for (name, value) in texts.into_iter().chain(counts) {
            arguments.extend(value.map(|value| [name.to_owned(), value]).into_iter().flatten());
        }
        let pairs = |name: &'static str, pairs: &[(String, String)]| {
            let pair = |(key, value): &(String, String)| [name.to_owned(), format!("{key}={value}")];
            pairs.iter().flat_map(pair).collect::<Vec<_>>()
        };
        arguments.extend(pairs("--input", &self.inputs));
        arguments.extend(pairs("--set", &self.settings));
        arguments.extend(["--seed".to_owned(), self.seed.to_string(), "--json".to_owned()]);
        arguments
    }

    /// A line of JSON, always the same for the same run: the key by which a record finds its answer.
    pub fn canonical(&self) -> String {
        let Self { program, machine, policy, mechanism, protocol, block, .. } = self;
        let Self { nodes, processors, threads, inputs, settings, seed, repeat, round, .. } = self;
        let mut stated = json!({
            "program": program,
            "machine": machine,
            "policy": policy,
            "mechanism": mechanism,
            "protocol": protocol,
            "block": block,
            "nodes": nodes,
            "processors": processors,
            "threads": threads,
            "inputs": inputs,
            "settings": settings,
            "seed": seed,
            "repeat": repeat,
            "round": round,
        });
        // Answers that were recorded before there were baselines and processes keep their names.
        let baseline = self.baseline.as_ref().map(|baseline| ("baseline", json!(baseline)));
        let processes =
            self.processes.map(|processes| ("processes", json!({ "nodes_each": processes.nodes_each })));
        let further = baseline.into_iter().chain(processes);
        if let Value::Object(stated) = &mut stated {
            stated.extend(further.map(|(key, value)| (key.to_owned(), value)));
        }
        stated.to_string()
    }

    /// A short name of the run, for people who wait for it.
    pub fn brief(&self) -> String {
        let under = self.policy.iter().map(|policy| format!(" under {policy}")).collect::<String>();
        format!("{} on {}{under}", self.program, self.machine)
    }

    /// The command line for people, of the command of this name.
    pub fn command_line(&self, command: &str) -> String {
        let quoted = |text: String| if text.contains(' ') { format!("{text:?}") } else { text };
        let arguments = self.arguments().into_iter().map(quoted);
        let line = [command.to_owned()].into_iter().chain(arguments).collect::<Vec<_>>().join(" ");
        match &self.folder {
            None => line,
            Some(folder) => format!("cd {} && {line}", quoted(units::text::path(folder))),
        }
    }
}

/// Prefix in [`numbers`] of the figures that a program reports.
pub const FIGURES: &str = "report.figures.";

/// Every number in the answer of a run, named by its way through the answer: keys joined by dots, an element of an array
/// by its `name` if it has one, else by its place from 0. `counters.messages`, `phases.solve.time_ns`,
/// `report.figures.gap`.
pub fn numbers(answer: &Value) -> Vec<(String, f64)> {
    let mut numbers = Vec::new();
    collect(String::new(), answer, &mut numbers);
    numbers
}

fn collect(name: String, value: &Value, numbers: &mut Vec<(String, f64)>) {
    let below = |part: &str| if name.is_empty() { part.to_owned() } else { format!("{name}.{part}") };
    match value {
        Value::Object(entries) => {
            entries.iter().for_each(|(key, value)| collect(below(key), value, numbers));
        }
        Value::Array(elements) => elements.iter().enumerate().for_each(|(place, value)| {
            let part = value["name"].as_str().map_or_else(|| place.to_string(), str::to_owned);
            collect(below(&part), value, numbers);
        }),
        Value::Number(number) => numbers.extend(number.as_f64().map(|number| (name, number))),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_a_command_line() {
        let run = Specification {
            program: "split-phase".to_owned(),
            machine: "paragon".to_owned(),
            policy: Some("np".to_owned()),
            mechanism: None,
            protocol: Some("stache".to_owned()),
            baseline: Some("uniprocessor".to_owned()),
            block: Some(32),
            nodes: Some(3),
            processors: None,
            threads: None,
            inputs: vec![("operations".to_owned(), "100".to_owned())],
            settings: vec![("network.latency".to_owned(), "1 us".to_owned())],
            seed: 1,
            repeat: Some(3),
            round: 0,
            processes: None,
            folder: None,
        };
        assert_eq!(
            run.command_line("mine"),
            "mine run split-phase --machine paragon --policy np --protocol stache --baseline uniprocessor --block 32 --nodes 3 --repeat 3 \
             --input operations=100 --set \"network.latency=1 us\" --seed 1 --json"
        );
        assert_eq!(run.brief(), "split-phase on paragon under np");
        assert_eq!(run.canonical(), run.clone().canonical());
        assert_ne!(run.canonical(), Specification { nodes: Some(2), ..run.clone() }.canonical());
        assert_ne!(run.canonical(), Specification { round: 1, ..run.clone() }.canonical());
        assert_ne!(run.canonical(), Specification { baseline: None, ..run.clone() }.canonical());
        let elsewhere = Specification { folder: Some("my study".into()), ..run.clone() };
        assert_eq!(elsewhere.canonical(), run.canonical());
        assert!(elsewhere.command_line("mine").starts_with("cd \"my study\" && mine run split-phase"));
    }

    #[test]
    fn a_run_in_processes_is_another_one_and_the_time_of_silence_makes_none() {
        let run = Specification {
            program: "em3d".to_owned(),
            machine: "native".to_owned(),
            ..Specification::default()
        };
        let apart = |nodes_each, milliseconds: u64| {
            let peer_timeout = Time::from_microseconds(milliseconds * 1000);
            Specification { processes: Some(NodeProcesses { nodes_each, peer_timeout }), ..run.clone() }
        };
        assert_eq!(
            apart(2, 300).command_line("mine"),
            "mine run em3d --machine native --world processes --nodes-per-process 2 --peer-timeout \"300 ms\" --seed 0 --json"
        );
        assert_ne!(apart(1, 300).canonical(), run.canonical());
        assert_ne!(apart(1, 300).canonical(), apart(2, 300).canonical());
        assert_eq!(apart(1, 300).canonical(), apart(1, 5000).canonical());
    }

    #[test]
    fn every_statement_of_a_run_has_a_name() {
        let run = Specification {
            program: "em3d".to_owned(),
            machine: "paragon".to_owned(),
            inputs: vec![("nodes".to_owned(), "480".to_owned()), ("degree".to_owned(), "3".to_owned())],
            settings: vec![("network.latency".to_owned(), "1 us".to_owned())],
            nodes: Some(4),
            seed: 1,
            ..Specification::default()
        };
        let fields = run.fields();
        let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let run = [("program", "em3d"), ("machine", "paragon"), ("nodes", "4"), ("seed", "1")];
        let inputs = [("inputs.nodes", "480"), ("degree", "3"), ("network.latency", "1 us")];
        assert_eq!(fields, [&run[..], &inputs].concat());
    }

    #[test]
    fn every_number_of_an_answer_has_a_name() {
        let answer = json!({
            "report": { "figures": { "a": 1.5, "b": null }, "verified": true },
            "phases": [{ "name": "solve", "time_ns": 2 }, { "time_ns": 3 }],
        });
        let mut named = numbers(&answer);
        named.sort_by(|one, other| one.0.cmp(&other.0));
        let expected = [("phases.1.time_ns", 3.0), ("phases.solve.time_ns", 2.0), ("report.figures.a", 1.5)];
        assert_eq!(named, expected.map(|(name, number)| (name.to_owned(), number)));
    }
}
