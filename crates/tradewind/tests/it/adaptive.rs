//! Tests `adaptive` against every fixed policy, in modelled time: near the best, and never the worst.

use crate::command::json;

/// Machines, their processors per node, and the name of `adaptive` there: where events are dispatched one at a time it has another.
const MACHINES: &[(&str, &str, &str)] = &[
    ("ideal", "2", "adaptive"),
    ("hurricane-1", "4", "adaptive"),
    ("hurricane", "4", "adaptive"),
    ("sparc20-myrinet", "4", "adaptive+serial"),
];

const PROGRAMS: &[&[&str]] = &[
    &["em3d", "nodes=1600", "iterations=5"],
    &["iccg", "matrix=494_bus"],
    &["fetch-add", "operations=8000"],
];

/// Longer runs, for machines with dispatch by software: `adaptive` begins as `floating` and takes 10 to 20 ms there to find a better
/// policy.
const LONG_PROGRAMS: &[&[&str]] = &[
    &["em3d", "nodes=1600", "iterations=20"],
    &["iccg", "matrix=bcsstk13"],
    &["fetch-add", "operations=32000"],
];

/// The policies that stay fixed; each machine has some of them.
const FIXED: &[&str] = &["single", "floating", "floating+keyed", "fixed:1", "fixed:2", "fixed:2+serial"];

/// Maximum ratio of the time of `adaptive` to that of the best fixed policy.
const NEAR: f64 = 1.05;

/// Runs a program. Returns its time, and the changes that `adaptive` made.
fn run(machine: &str, processors: &str, policy: &str, program: &[&str]) -> (f64, serde_json::Value) {
    let mut arguments = vec!["run", program[0], "--machine", machine, "--policy", policy];
    arguments.extend(["--processors", processors, "--mechanism", "messages"]);
    arguments.extend(program[1..].iter().flat_map(|input| ["--input", input]));
    let run = json(&arguments);
    assert_eq!(run["report"]["verified"], true, "{run}");
    (run["time_ns"].as_f64().expect("a time"), run["adjustments"].clone())
}

/// The fixed policies that a machine supports, according to `explain`.
fn choices(machine: &str, processors: &str) -> Vec<&'static str> {
    let explained = json(&["explain", machine]);
    let refuses_keyed =
        explained["refused"].as_array().expect("a list").iter().any(|refused| {
            refused["reason"].as_str().is_some_and(|reason| reason.contains("`keyed-dispatch`"))
        });
    let keyed = |policy: &str| policy.contains("keyed") || policy == "fixed:2";
    let fits = |policy: &str| !policy.starts_with("fixed:2") || processors != "2";
    FIXED.iter().copied().filter(|policy| fits(policy) && !(refuses_keyed && keyed(policy))).collect()
}

#[test]
fn adaptive_is_near_the_best_fixed_choice_and_never_the_worst() {
    for &(machine, processors, adaptive) in MACHINES {
        let choices = choices(machine, processors);
        assert!(choices.len() >= 4, "{machine}: {choices:?}");
        for program in if machine == "sparc20-myrinet" { LONG_PROGRAMS } else { PROGRAMS } {
            let (time, _) = run(machine, processors, adaptive, program);
            let times = choices.iter().map(|policy| (policy, run(machine, processors, policy, program).0));
            let (mut best, mut worst) = (f64::MAX, 0.0_f64);
            for (policy, time) in times {
                // `single` and `fixed` have fewer threads, and so iccg has fewer messages: no policy can choose that.
                if program[0] != "iccg" || policy.starts_with("floating") {
                    best = best.min(time);
                }
                worst = worst.max(time);
            }
            let told = format!("{} on {machine}: {time} ns, fixed from {best} to {worst}", program[0]);
            assert!(time < worst && time < NEAR * best, "{told}");
        }
    }
}

#[test]
fn what_it_changed_is_told_with_its_reason() {
    let (_, changes) = run("sparc20-myrinet", "4", "adaptive+serial", PROGRAMS[2]);
    let changes = changes.as_array().expect("a list");
    assert_eq!(changes[0]["dedicated"], 1);
    assert_eq!(changes[0]["because"], "looking");
    assert!(changes.iter().any(|change| change["because"] == "full"), "{changes:?}");
    let (_, none) = run("sparc20-myrinet", "4", "floating", PROGRAMS[2]);
    assert_eq!(none, serde_json::json!([]));
}

#[test]
fn a_machine_that_dispatches_one_event_at_a_time_compares_it_so() {
    let run = ["compare", "fetch-add", "--machine", "sparc20-myrinet", "--mechanism", "messages"];
    let compared = json(&[&run[..], &["--processors", "4", "--input", "operations=400"]].concat());
    let rows = compared["worlds"][0]["rows"].as_array().expect("rows");
    let policies: Vec<_> = rows.iter().map(|row| row["policy"].as_str().expect("a text")).collect();
    assert!(policies.contains(&"adaptive+serial") && policies.contains(&"fixed:2+serial"), "{policies:?}");
    assert!(!policies.contains(&"adaptive"), "{policies:?}");
}
