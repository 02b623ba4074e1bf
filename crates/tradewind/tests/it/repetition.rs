//! A model does the same again, and the seed decides what is left to chance.

use serde_json::Value;

use crate::command::{good, json};

const RUN: &[&str] = &[
    "run",
    "iccg",
    "--machine",
    "hurricane-1",
    "--nodes",
    "8",
    "--processors",
    "8",
    "--policy",
    "fixed:1",
    "--input",
    "matrix=494_bus",
];

fn digest(run: &Value) -> &str {
    let digest = run["digest"].as_str().expect("a model has a digest");
    assert!(digest.len() == 16 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()), "{digest}");
    digest
}

#[test]
fn a_model_repeats_itself_to_the_byte() {
    let arguments = [RUN, &["--json"]].concat();
    let first = good(&arguments);
    assert_eq!(first, good(&arguments));
    digest(&serde_json::from_str(&first).unwrap());
}

#[test]
fn another_seed_takes_another_way_to_the_same_answer() {
    let [first, second] = ["1", "2"].map(|seed| json(&[RUN, &["--seed", seed]].concat()));
    assert_ne!(digest(&first), digest(&second));
    assert_eq!(first["report"]["verified"], true);
    assert_eq!(first["report"], second["report"]);
    assert_eq!([&first["seed"], &second["seed"]], [1, 2]);
}

#[test]
fn runs_of_a_model_do_not_differ() {
    let run = json(&[RUN, &["--repeat", "3"]].concat());
    assert_eq!(run["runs"], 3);
    assert_eq!(run["samples_ns"], serde_json::json!([run["time_ns"], run["time_ns"], run["time_ns"]]));
    assert_eq!(run["digest"], json(RUN)["digest"]);
}

#[test]
fn settings_change_a_model_and_its_digest() {
    let slow = json(&[RUN, &["--set", "network.latency=10 us"]].concat());
    let run = json(RUN);
    assert_ne!(slow["machine_digest"], run["machine_digest"]);
    assert!(slow["time_fs"].as_u64() > run["time_fs"].as_u64(), "{} {}", slow["time_fs"], run["time_fs"]);
    assert_eq!(slow["report"], run["report"]);
}

#[test]
fn what_this_host_cannot_promise_is_null() {
    let run = json(&["run", "fetch-add", "--policy", "single", "--input", "operations=400"]);
    for key in ["machine_digest", "time_fs", "events", "digest"] {
        assert!(run.as_object().unwrap().contains_key(key) && run[key].is_null(), "{key}: {}", run[key]);
    }
    assert!(run["protocol_breakdown_ns"].as_array().unwrap().is_empty());
    let parts = run["utilization"].as_array().unwrap().iter().map(|entry| &entry["part"]);
    assert_eq!(parts.collect::<Vec<_>>(), ["computing-processor"]);
    assert_eq!(run["report"]["verified"], true);
}
