//! Every program ends with an answer on every shipped machine under every policy, or is refused before it starts: none spins
//! for ever, and none finds in the middle of a run that a price is missing. Where nodes run ahead of each other, the run is the one
//! of global order.

use std::path::Path;

use protocols::stache::STACHE;
use tempest::entry::{Entry, File, Given, Instance, Plan};
use tempest::outcome::{Failure, Outcome, Refusal};
use tempest::policy::PRESETS;
use tempest::world::{Launch, World};
use tempest::{Policy, Shape};
use tradewind_sim::Model;

use crate::folder;
use crate::setup::{machine, programs};

/// Small inputs, the program's name first. A program that is not among them runs with its own.
const INPUTS: &[&[&str]] = &[
    &["active-message", "rounds=3", "row=2", "hops=1", "block=16"],
    &["bitonic-sort", "keys=200"],
    &["bulk-bandwidth", "bytes=32"],
    &["cannon", "order=14"],
    &["cholesky", "width=4", "matrix=inputs/494_bus.mtx"],
    &["dispatch", "messages=60", "keys=3", "sequential=10", "nosync=10", "synchronization=lock", "load=2"],
    &["em3d", "nodes=96", "degree=3", "iterations=2", "remote=60"],
    &["fetch-add", "operations=120", "skew=0.99", "handler=20"],
    &["fft", "points=256", "inverse=true"],
    &["gauss", "size=18"],
    &["histogram", "values=100"],
    &["iccg", "partition=cyclic", "matrix=inputs/494_bus.mtx"],
    &["memory-operations", "rounds=1"],
    &["message-costs", "rounds=1", "burst=2", "rest=10"],
    &["message-memory", "bytes=256", "rounds=2"],
    &["mm", "order=12", "block=4"],
    &["neighbours", "rounds=2", "dimensions=3"],
    &["p-ray", "size=12", "steps=2", "cells=8", "cache=50", "balance=counter", "scene=inputs/teapot.bpt"],
    &["poll-granularity", "turn=200", "granularity=50", "others=50", "iterations=1"],
    &["radix", "keys=300", "radix=16", "bits=9"],
    &["remote-miss", "misses=10", "push=1", "home=busy"],
    &["sample-sort", "keys=200", "oversampling=8"],
    &["saturation", "misses=5", "push=1", "kind=upgrade"],
    &["shared-histogram", "values=30"],
    &["shell-sort", "keys=200", "piece=10"],
    &["split-phase", "operations=64"],
    &["thread-switch", "turns=20"],
    &["tomcatv", "size=18", "iterations=2"],
    &["traffic", "messages=8", "loads=0.3,0.9", "steps=1", "size=16B"],
    &["wator", "fish=20", "steps=2", "draw=5"],
    &["work-costs", "rounds=1", "rows=16", "far=16"],
];

/// The size of every run.
const NODES: u32 = 3;
const PROCESSORS: u32 = 3;

/// The inputs of a program of this list.
pub(crate) fn given(program: &str) -> Given {
    let mut given = Given::default();
    let row = INPUTS.iter().find(|row| row[0] == program).map_or(&[][..], |row| &row[1..]);
    for (key, value) in row.iter().filter_map(|input| input.split_once('=')) {
        if value.starts_with("inputs/") {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(value);
            let bytes = std::fs::read(path).expect("a file that ships");
            given.files.insert(key.to_owned(), File { name: value.to_owned(), bytes });
        } else {
            given.values.insert(key.to_owned(), value.to_owned());
        }
    }
    given
}

fn policies() -> Vec<Policy> {
    let texts = PRESETS.iter().flat_map(|preset| match preset.counted {
        true => vec![format!("{}:1", preset.name), format!("{}:2", preset.name)],
        false => vec![preset.name.to_owned(), format!("{}+interrupt", preset.name)],
    });
    texts.filter_map(|text| text.parse().ok()).collect()
}

/// Runs a program on a machine by each mechanism under each policy, by `in_order` too. Returns the number of answers.
fn runs(
    [model, in_order]: &[Model; 2],
    entry: &Entry,
    instance: &dyn Instance,
    wrong: &mut Vec<String>,
) -> usize {
    let mut answers = 0;
    for &mechanism in entry.mechanisms {
        for policy in policies() {
            let Ok(split) = policy.split(PROCESSORS) else { continue };
            let threads = instance.least().threads;
            let shape = Shape { nodes: NODES, threads: split.computing * threads };
            let plan = Plan::new(mechanism, shape).kept_by(&STACHE);
            let Ok(job) = instance.job(&plan) else { continue };
            let sizes =
                Launch { nodes: NODES, processors: PROCESSORS, threads, ..Launch::new(job, policy.clone()) };
            let launch = Launch { mechanism, ..sizes };
            match model.run(&launch) {
                Ok(outcome) if outcome.report.failures.is_empty() => {
                    answers += 1;
                    let events = outcome.events;
                    let same = in_order.run(&launch).map(|ordered| Outcome { events, ..ordered });
                    if !same.is_ok_and(|same| same == outcome) {
                        wrong.push(format!(
                            "{} by {mechanism} under {policy}: not in global order",
                            entry.name
                        ));
                    }
                }
                Ok(outcome) => {
                    wrong.push(format!("{policy} {mechanism}: {}", outcome.report.failures.join("; ")))
                }
                Err(Failure::Refused(_)) => {}
                Err(failure) => {
                    wrong.push(format!("{} by {mechanism} under {policy}: {failure}", entry.name))
                }
            }
        }
    }
    answers
}

#[test]
fn every_program_ends_on_every_machine_under_every_policy_or_is_refused() {
    let (mut wrong, mut answers) = (Vec::new(), 0);
    for name in folder::all() {
        let model = Model::new(machine(&name, &[]));
        let model = [model.clone(), model.in_global_order()];
        for entry in programs().entries() {
            let instance =
                (entry.load)(&given(entry.name)).unwrap_or_else(|why| panic!("{}: {why:?}", entry.name));
            let before = wrong.len();
            answers += runs(&model, entry, &*instance, &mut wrong);
            wrong[before..].iter_mut().for_each(|why| why.insert_str(0, &format!("{name}: ")));
        }
    }
    assert!(wrong.is_empty(), "{} runs:\n{}", wrong.len(), wrong.join("\n"));
    assert!(answers > 500, "{answers} answers");
}

/// Policies under which one computing processor with none beside it is alone, behind `single` with the same notice and polls.
const ALONE: &[&[&str]] = &[
    &[
        "single",
        "single+keyed",
        "floating",
        "floating+keyed",
        "floating+strict",
        "floating+waiting",
        "floating+bound",
        "adaptive",
        "adaptive+serial",
    ],
    &["single+interrupt", "floating+interrupt", "floating+keyed+interrupt", "adaptive+interrupt"],
    &["single+every=5", "floating+every=5", "adaptive+every=5"],
];

/// The runs of a program by each mechanism on nodes of one processor, under policies that are one there. Notes the policies whose
/// outcome is not that of the first. Returns the number of outcomes compared.
fn alone(model: &Model, entry: &Entry, instance: &dyn Instance, wrong: &mut Vec<String>) -> usize {
    let mut compared = 0;
    for &mechanism in entry.mechanisms {
        for policies in ALONE {
            let outcome = |policy: &str| {
                // A second thread makes order and keys matter.
                let threads = instance.least().threads.max(2);
                let plan = Plan::new(mechanism, Shape { nodes: NODES, threads }).kept_by(&STACHE);
                let job = instance.job(&plan).ok()?;
                let sizes =
                    Launch { nodes: NODES, threads, ..Launch::new(job, policy.parse().expect("a policy")) };
                model.run(&Launch { mechanism, ..sizes }).ok()
            };
            let Some(first) = outcome(policies[0]) else { continue };
            for policy in &policies[1..] {
                let Some(other) = outcome(policy) else { continue };
                compared += 1;
                if other != first {
                    let (at, single) = (other.time, first.time);
                    wrong.push(format!("{} by {mechanism} under {policy}: {at}, not {single}", entry.name));
                }
            }
        }
    }
    compared
}

#[test]
fn one_processor_that_computes_and_handles_is_single_under_every_policy_of_every_machine() {
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for name in folder::all() {
        let model = Model::new(machine(&name, &[]));
        for entry in programs().entries() {
            let instance =
                (entry.load)(&given(entry.name)).unwrap_or_else(|why| panic!("{}: {why:?}", entry.name));
            let before = wrong.len();
            compared += alone(&model, entry, &*instance, &mut wrong);
            wrong[before..].iter_mut().for_each(|why| why.insert_str(0, &format!("{name}: ")));
        }
    }
    assert!(wrong.is_empty(), "{} runs:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 500, "{compared} outcomes");
}

#[test]
fn a_missing_price_is_refused_with_all_that_are_missing() {
    let model = Model::new(machine("alewife", &[]));
    let instance =
        programs().find("split-phase").map(|entry| (entry.load)(&given(entry.name)).unwrap()).unwrap();
    let plan = Plan::new(tempest::Mechanism::Messages, Shape { nodes: NODES, threads: 1 });
    let job = instance.job(&plan).expect("three nodes");
    let policy = "single".parse().unwrap();
    let refused = model.run(&Launch { nodes: NODES, ..Launch::new(job, policy) });
    let Err(Failure::Refused(Refusal::Prices { keys, .. })) = refused else { panic!("{refused:?}") };
    let expected =
        ["issue", "translate", "fetch_word", "place_word", "complete", "translate_again", "count_store"];
    assert_eq!(keys, expected.map(|name| format!("primitives.{name}")));
}
