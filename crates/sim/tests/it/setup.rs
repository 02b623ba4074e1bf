//! Machines and jobs that several of these tests need.

use std::collections::BTreeMap;
use std::path::Path;

use machine::{Known, Machine};
use protocols::stache::STACHE;
use tempest::entry::{Given, Plan, Table};
use tempest::outcome::Outcome;
use tempest::{Job, Mechanism, Shape};

use crate::folder::text_of;

/// All programs.
pub(crate) fn programs() -> Table {
    Table::new(&[apps::ALL, probes::ALL]).expect("each name belongs to one program")
}

/// A shipped machine.
pub(crate) fn machine(name: &str, set: &[(&str, &str)]) -> Machine {
    machine_with(name, "", set)
}

/// A shipped machine with more at the end of its file.
pub(crate) fn machine_with(name: &str, more: &str, set: &[(&str, &str)]) -> Machine {
    parse(name, &(text_of(name) + more), set)
}

/// A machine of a file's text.
pub(crate) fn read(name: &str, text: &str) -> Machine {
    parse(name, text, &[])
}

/// The toy machine of these tests whose nodes have a network processor.
pub(crate) fn assisted(set: &[(&str, &str)]) -> Machine {
    toy("assisted", set)
}

/// The toy machine of these tests whose nodes have a network processor, and whose interface has no lock.
pub(crate) fn unlocked(set: &[(&str, &str)]) -> Machine {
    let text = text_of_toy("assisted");
    let unlocked: Vec<_> = text.lines().filter(|line| !line.starts_with("lock_migration")).collect();
    parse("assisted", &unlocked.join("\n"), set)
}

/// The toy machine of these tests whose prices are different numbers of nanoseconds.
pub(crate) fn horizon() -> Machine {
    toy("horizon", &[])
}

/// The toy machine of these tests whose software dispatches.
pub(crate) fn software(set: &[(&str, &str)]) -> Machine {
    toy("software", set)
}

fn toy(name: &str, set: &[(&str, &str)]) -> Machine {
    parse(name, &text_of_toy(name), set)
}

fn text_of_toy(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/{name}.toml"));
    std::fs::read_to_string(file).expect("a machine file of these tests")
}

fn parse(name: &str, text: &str, set: &[(&str, &str)]) -> Machine {
    let file = |name: &str| format!("{name}.toml");
    let base = |_: &str, name: &str| Ok((file(name), text_of(name)));
    Machine::parse_with(&file(name), text, set, Known { bases: &base, ..Known::default() })
        .unwrap_or_else(|errors| panic!("{errors}"))
}

/// A program with its inputs.
pub(crate) fn job(program: &str, mechanism: Mechanism, shape: Shape, inputs: &[(&str, &str)]) -> Job {
    let values = inputs.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    job_of(program, mechanism, shape, &Given { values, ..Given::default() })
}

/// A program with its inputs, files among them.
pub(crate) fn job_of(program: &str, mechanism: Mechanism, shape: Shape, given: &Given) -> Job {
    let entry = programs().find(program).copied().expect("a program of the table");
    let instance = (entry.load)(given).expect("good inputs");
    instance.job(&Plan::new(mechanism, shape).kept_by(&STACHE)).expect("enough nodes")
}

/// The figures of a run by name.
pub(crate) fn figures(outcome: &Outcome) -> BTreeMap<&'static str, f64> {
    outcome.report.figures.iter().map(|figure| (figure.name, figure.value)).collect()
}

fn is_of_shared_memory(name: &str) -> bool {
    ["shared_", "lock", "a_lock", "rights", "first_touch", "moving_homes"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// Promises of a world without shared memory.
pub(crate) fn without_shared_memory() -> Vec<conformance::Promise> {
    conformance::promises().iter().copied().filter(|(name, _)| !is_of_shared_memory(name)).collect()
}

/// Further promises of a world with shared memory.
pub(crate) fn of_shared_memory() -> Vec<conformance::Promise> {
    conformance::promises().iter().copied().filter(|(name, _)| is_of_shared_memory(name)).collect()
}
