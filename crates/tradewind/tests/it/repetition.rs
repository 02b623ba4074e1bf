//! Tests reproducibility: a model repeats itself, and the seed determines all random choices.

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

const TWICE: &[&str] = &[
    "compare",
    "known-delay",
    "--machine",
    "native,ideal",
    "--nodes",
    "2",
    "--processors",
    "1",
    "--mechanism",
    "messages",
    "--policy",
    "single,single",
    "--input",
    "rounds=2",
];

#[test]
fn a_policy_that_is_listed_twice_is_measured_twice() {
    let compared = json(&[TWICE, &["--repeat", "7"]].concat());
    let rows = compared["worlds"][0]["rows"].as_array().expect("rows");
    let mut policies: Vec<_> = rows.iter().map(|row| row["policy"].as_str().unwrap()).collect();
    policies.sort_unstable();
    assert_eq!(policies, ["single", "single (2nd)"]);
    for row in rows {
        assert_eq!(
            row["samples_ns"].as_array().map(Vec::len),
            Some(7),
            "a run that warms up is not among them"
        );
        // Two rows: a level of 97.5 % each, for which seven runs are just enough.
        assert_eq!(
            (&row["interval"]["level"], &row["interval"]["enough"]),
            (&0.984_375.into(), &true.into())
        );
        let [low, median, high] = [&row["interval"]["low_ns"], &row["time_ns"], &row["interval"]["high_ns"]]
            .map(|time| time.as_f64());
        assert!(low <= median && median <= high, "{row}");
    }
    // On a model they come out the same, and share a rank.
    let model = compared["worlds"][1]["rows"].as_array().expect("rows");
    assert_eq!([&model[1]["same_as"], &model[1]["rank"]], [&Value::from("single"), &Value::from(1)]);
    assert!(model[0]["interval"].is_null());
}

#[test]
fn too_few_runs_tell_nothing_apart_and_how_many_would() {
    let compared = json(&[TWICE, &["--repeat", "6"]].concat());
    let finding = &compared["worlds"][0]["finding"];
    assert_eq!(finding["runs_needed"], 7);
    assert!(
        finding["contrast"].is_null() && finding["text"].as_str().unwrap().contains("--repeat 7"),
        "{finding}"
    );
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
