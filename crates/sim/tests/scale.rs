//! Very many nodes: the cost of each beyond its own data. The one test of this process: it measures the process's
//! memory.

#![cfg(target_os = "linux")]

use std::path::Path;

use machine::Machine;
use tempest::entry::{Given, Plan};
use tempest::outcome::Outcome;
use tempest::world::{Launch, World};
use tempest::{Job, Mechanism, Shape};
use tradewind_sim::Model;

const NODES: u32 = 4096;

/// Most memory that a node may take beyond its own data, which is a few words: 16 KiB, a quarter of which is a page of
/// a thread's stack, and 4 for the sets of its cache in which its handlers find them. All 512 lines of the cache would
/// take 12.
const MOST_KIB: u64 = 16 + 4;

/// The Paragon: costs for everything, so that handlers and threads of all nodes are at work side by side.
fn paragon() -> Machine {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../machines/paragon.toml");
    let text = std::fs::read_to_string(&file).expect("a shipped machine");
    Machine::parse(&file.to_string_lossy(), &text).expect("a valid machine file")
}

/// Every node exchanges values with four others, four times.
fn job(handlers_only: bool) -> Job {
    let values = [("handlers-only".to_owned(), handlers_only.to_string())].into();
    let given = Given { values, ..Given::default() };
    let instance = (tempest::entry::find("neighbours", probes::ALL).expect("a program").load)(&given)
        .expect("good inputs");
    let plan = Plan::new(Mechanism::Messages, Shape { nodes: NODES, threads: 1 });
    instance.job(&plan).expect("a job")
}

fn exchange(policy: &str, handlers_only: bool) -> Outcome {
    let policy = policy.parse().expect("a policy");
    let launch = Launch { nodes: NODES, ..Launch::new(job(handlers_only), policy) };
    Model::new(paragon()).run(&launch).expect("it runs")
}

/// The most memory that this process has had, in KiB.
fn most_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux says");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("how much there was");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn a_node_takes_little_beyond_its_own_data() {
    let mut before = most_memory();
    for (policy, handlers_only) in [("proc", true), ("proc", false), ("np", false)] {
        let outcome = exchange(policy, handlers_only);
        assert!(outcome.report.verified(), "{:?}", outcome.report.failures);
        assert_eq!(outcome.counters.messages, u64::from(NODES) * 4 * 4);
        let grown = most_memory() - before;
        assert!(grown <= u64::from(NODES) * MOST_KIB, "{grown} KiB for {NODES} nodes under {policy}");
        before += grown;
    }
}
