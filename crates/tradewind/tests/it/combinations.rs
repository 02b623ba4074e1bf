//! Tests that every program gives the right answer on every machine under every policy.
//!
//! One test for each machine, so that they run side by side.

use crate::command::json;

const POLICIES: &[&str] =
    &["single", "fixed:1", "fixed:2", "floating", "floating+keyed", "partitioned:1", "partitioned:2"];

/// Policies that only a model with an interface device and interrupts supports.
const POLICIES_OF_HURRICANE: &[&str] =
    &["single+interrupt", "hurricane-1:2", "hurricane-1-mult", "adaptive", "adaptive+serial"];

/// Policies that this host supports, and no model or not every model.
const POLICIES_OF_NATIVE: &[&str] =
    &["adaptive", "adaptive+serial", "adaptive+helper=20us", "hurricane-1:2", "floating+helper"];

/// Programs with a mechanism and their inputs.
const PROGRAMS: &[&[&str]] = &[
    &["em3d", "messages", "nodes=480"],
    &["em3d", "bulk", "nodes=480"],
    &["em3d", "deposit", "nodes=480"],
    &["iccg", "messages", "matrix=494_bus", "partition=bisection"],
    &["iccg", "messages", "matrix=494_bus", "partition=cyclic"],
    &["iccg", "messages", "matrix=jagmesh7", "partition=blocks"],
    &["iccg", "bulk", "matrix=494_bus", "partition=bisection"],
    &["iccg", "bulk", "matrix=494_bus", "partition=cyclic", "batch=3"],
    &["cholesky", "messages", "matrix=494_bus", "width=4"],
    &["cholesky", "bulk", "matrix=494_bus", "width=4"],
    &["fetch-add", "messages", "operations=1200"],
    &["fetch-add", "messages", "operations=1200", "skew=0.99"],
    // Each thread waits for each reply.
    &["fetch-add", "messages", "operations=120", "window=1"],
    &["fetch-add", "messages", "operations=600", "handler=100"],
    &["fft", "bulk", "points=1024", "inverse=true"],
    &["cannon", "bulk", "order=40"],
    &["cannon", "messages", "order=40"],
    &["mm", "bulk", "order=40"],
    &["mm", "messages", "order=20", "block=4"],
    &["radix", "bulk", "keys=3000", "radix=64"],
    &["radix", "messages", "keys=1000", "radix=64"],
    &["bitonic-sort", "bulk", "keys=2000"],
    &["bitonic-sort", "messages", "keys=2000"],
    &["sample-sort", "messages", "keys=1000"],
    &["sample-sort", "bulk", "keys=3000"],
    &["shell-sort", "bulk", "keys=2000", "piece=50"],
    &["shell-sort", "messages", "keys=2000", "piece=50"],
    &["split-phase", "messages", "operations=64"],
    &["bulk-bandwidth", "messages", "bytes=512"],
    &["bulk-bandwidth", "bulk", "bytes=512"],
    &["poll-granularity", "messages", "turn=2000", "granularity=100", "others=500"],
    &["p-ray", "messages", "size=24", "steps=3"],
    &["p-ray", "bulk", "size=24", "steps=3", "cache=100", "balance=counter"],
    &["em3d", "shared-memory", "nodes=480"],
    // Pages come and go, and records share blocks with others.
    &["em3d", "shared-memory", "nodes=480", "frames=1"],
    &["em3d", "shared-memory", "nodes=480", "record=128", "frames=on-demand"],
    &["cholesky", "shared-memory", "matrix=494_bus", "width=4"],
    // Pages come and go.
    &["cholesky", "shared-memory", "matrix=494_bus", "width=8", "frames=1"],
    &["fetch-add", "shared-memory", "operations=1200"],
    // Every word shares its block with others.
    &["fetch-add", "shared-memory", "operations=1200", "spacing=8", "words=64", "frames=1"],
    &["shared-histogram", "shared-memory", "values=100"],
    &["fft", "shared-memory", "points=1024", "inverse=true"],
    &["radix", "shared-memory", "keys=1000", "radix=64", "bits=12"],
    // Pages come and go, and keys of several threads share blocks.
    &["radix", "shared-memory", "keys=500", "radix=16", "bits=8", "frames=2"],
    &["remote-miss", "shared-memory", "misses=100", "home=busy", "push=1"],
    &["saturation", "shared-memory", "misses=20", "kind=write", "push=1"],
    &["saturation", "shared-memory", "misses=20", "kind=upgrade", "push=1"],
    &["saturation", "shared-memory", "misses=20", "requesters=2", "homes=1", "home=busy", "push=1"],
    &["gauss", "messages", "size=30"],
    &["gauss", "bulk", "size=30"],
    &["gauss", "shared-memory", "size=30"],
    // A row shares no block with another, but its pages come and go.
    &["gauss", "shared-memory", "size=30", "frames=1"],
    &["tomcatv", "messages", "size=30"],
    &["tomcatv", "bulk", "size=30"],
    &["tomcatv", "deposit", "size=30"],
    &["tomcatv", "shared-memory", "size=30", "frames=on-demand"],
    &["wator", "messages", "fish=40", "steps=3"],
    &["neighbours", "messages", "dimensions=3"],
    &["neighbours", "messages", "handlers-only=true"],
];

/// Runs all programs under these policies on three nodes of four processors.
fn verify(machine: &str, policies: &[&str]) {
    verify_all(machine, policies, PROGRAMS.iter().copied());
}

fn verify_all(
    machine: &str,
    policies: &[&str],
    programs: impl Iterator<Item = &'static [&'static str]> + Clone,
) {
    for policy in policies {
        for (program, threads) in programs.clone().flat_map(|program| [(program, "1"), (program, "2")]) {
            let mut arguments = vec!["run", program[0], "--machine", machine, "--policy", policy];
            arguments.extend([
                "--mechanism",
                program[1],
                "--nodes",
                "3",
                "--processors",
                "4",
                "--threads",
                threads,
            ]);
            arguments.extend(program[2..].iter().flat_map(|input| ["--input", input]));
            let run = json(&arguments);
            let report = &run["report"];
            assert!(report["verified"] == true, "tradewind {}: {report}", arguments.join(" "));
            assert!(report["checks"].as_u64().is_some_and(|checks| checks > 0), "{report}");
            let [machine_run, policy_run, mechanism_run] =
                ["machine", "policy", "mechanism"].map(|key| &run[key]);
            assert_eq!([machine_run, policy_run, mechanism_run], [machine, policy, program[1]]);
        }
    }
}

#[test]
fn every_program_is_right_on_this_host() {
    verify("native", POLICIES);
    verify("native", POLICIES_OF_NATIVE);
}

#[test]
fn every_program_is_right_on_hurricane_1() {
    verify("hurricane-1", POLICIES);
    verify("hurricane-1", POLICIES_OF_HURRICANE);
}

/// The processors of a node share one queue of ready threads unless threads are bound to them.
#[test]
fn every_kernel_is_right_where_processors_share_their_threads() {
    let kernels = ["em3d", "tomcatv", "gauss", "fft", "radix", "cholesky"];
    // The machine has neither bulk transfers nor deposits.
    let mechanisms = ["messages", "shared-memory"];
    // Its file has no prices for the stores of radix by messages.
    let is_priced = |program: &[&str]| !program.starts_with(&["radix", "messages"]);
    let programs = PROGRAMS.iter().copied().filter(|program| {
        kernels.contains(&program[0]) && mechanisms.contains(&program[1]) && is_priced(program)
    });
    verify_all(
        "sparc20-myrinet",
        &["floating", "floating+bound", "floating+strict", "floating+waiting", "fixed:1"],
        programs,
    );
}

/// No processor handles programs' messages on a machine whose hardware keeps memory coherent.
#[test]
fn every_program_through_shared_memory_is_right_where_devices_keep_it() {
    let programs = PROGRAMS.iter().copied().filter(|program| program[1] == "shared-memory");
    verify_all("hurricane", &["hurricane:1", "hurricane:2"], programs.clone());
    // gauss chooses its pivots by messages, which need a processor that handles them.
    verify_all("s-coma", &["s-coma"], programs.filter(|program| program[0] != "gauss"));
}

#[test]
fn every_protocol_is_right_with_blocks_of_every_length() {
    for machine in ["native", "hurricane-1"] {
        for (block, protocol) in ["16", "32", "64", "128"].into_iter().flat_map(|block| {
            ["stache", "stache-unordered", "stache-migrating"].map(|protocol| (block, protocol))
        }) {
            let run = ["run", "em3d", "--machine", machine, "--mechanism", "shared-memory", "--nodes", "3"];
            let how = ["--block", block, "--protocol", protocol, "--processors", "2", "--input", "nodes=240"];
            let run = json(&[run, how].concat());
            assert!(run["report"]["verified"] == true, "{run}");
            assert_eq!(run["block_bytes"].to_string(), block);
            assert_eq!(run["protocol"], protocol);
        }
    }
}

#[test]
fn every_program_is_right_on_ideal() {
    verify("ideal", POLICIES);
}
