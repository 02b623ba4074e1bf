//! Tests that every document equals its type, from which `docs/json.md` is made: read and written again, nothing is lost.

use std::fs;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tradewind::report::document::{
    Claims, Comparison, Explain, FixedFloating, Ledger, List, Litmus, Run, Sensitivity, Study, Surveys,
    VERSION,
};

use crate::command::{good, json};
use crate::compare::calibrated;

/// The output of a command with `--json`, read as a document and written again.
fn hold<D: Serialize + DeserializeOwned>(arguments: &[&str]) -> Value {
    let printed = json(arguments);
    let asked = arguments.join(" ");
    let read: D = serde_json::from_value(printed.clone()).unwrap_or_else(|error| panic!("{asked}: {error}"));
    assert_eq!(serde_json::to_value(&read).expect("a document is JSON"), printed, "{asked}");
    assert_eq!(printed["version"], VERSION, "{asked}");
    printed
}

#[test]
fn a_document_read_and_written_again_is_the_same() {
    hold::<List>(&["list"]);
    hold::<List>(&["list", "claims"]);
    hold::<Explain>(&["explain", "paragon", "--set", "nodes=2"]);
    hold::<FixedFloating>(&["model", "fixed-floating"]);
    hold::<Surveys>(&["model", "alewife-tables"]);
    let claims = ["claims", "alewife.table2", "fixed-floating.model.meas", "fixed-floating.model.k8"];
    hold::<Claims>(&claims);
    hold::<Ledger>(&[&claims[..], &["--ledger"]].concat());
    let moved = hold::<Sensitivity>(&["claims", "alewife.am.per_hop", "--sensitivity"]);
    let raised = moved["machines"][0]["raised"].as_array().unwrap();
    let hop = raised.iter().find(|raised| raised["parameter"]["key"] == "network.hop").unwrap();
    assert_eq!(hop["moved"][0]["claim"], "alewife.am.per_hop");
    let share = hop["moved"][0]["share"].as_f64().unwrap();
    assert!((share - 0.05).abs() < 0.001, "{share}");
    let study = hold::<Study>(&["study", "fixed-floating-model"]);
    assert_eq!(study["metrics"]["fixed-floating.model.meas.k"], 137.0 / 113.0);
    let tests = concat!(env!("CARGO_MANIFEST_DIR"), "/../../inputs/litmus");
    hold::<Litmus>(&["litmus", tests, "--machine", "native,ideal", "--repeat", "2"]);
}

#[test]
fn a_run_read_and_written_again_is_the_same() {
    hold::<Run>(&["run", "fetch-add", "--input", "operations=1000"]);
    let adaptive = ["run", "iccg", "--machine", "ideal", "--processors", "4", "--policy", "adaptive"];
    assert!(!hold::<Run>(&adaptive)["adjustments"].as_array().unwrap().is_empty());
    let shared = ["run", "em3d", "--machine", "hurricane-1", "--mechanism", "shared-memory"];
    let shared = hold::<Run>(&[&shared[..], &["--input", "nodes=480"]].concat());
    assert!(shared["anatomy"]["access"]["steps"].is_object(), "{shared}");
    let compare =
        ["compare", "fetch-add", "--machine", "ideal,hurricane-1", "--policy", "single,floating,np"];
    let known = ["compare", "known-delay", "--machine", "paragon", "--nodes", "2", "--policy", "single"];
    let free = hold::<Comparison>(&[&known[..], &["--free", "delay=0%,50%"]].concat());
    assert!(free["worlds"][0]["fate"]["survives"].is_boolean(), "{free}");
    let refused = hold::<Comparison>(&compare);
    assert!(!refused["worlds"][0]["refused"].as_array().unwrap().is_empty(), "{refused}");
    let machine = calibrated();
    let both = format!("native,{}", machine.path());
    let predicted = ["compare", "fetch-add", "--processors", "1", "--nodes", "1", "--machine", &both];
    assert_eq!(hold::<Comparison>(&predicted)["predictions"][0]["of"], "native");
}

#[test]
fn every_document_has_a_schema_that_names_its_keys() {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/run.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    let run = json(&["run", "fetch-add", "--machine", "ideal", "--input", "operations=400"]);
    let required: Vec<_> = schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let missing: Vec<_> = required.iter().filter(|key| run.get(key).is_none()).collect();
    assert!(missing.is_empty(), "not printed: {missing:?}");
    let unknown: Vec<_> =
        run.as_object().unwrap().keys().filter(|key| schema["properties"].get(key).is_none()).collect();
    assert!(unknown.is_empty(), "not in the schema: {unknown:?}");
}

#[test]
fn shells_and_manuals_know_the_command() {
    let completions = good(&["completions", "bash"]);
    assert!(completions.contains("_tradewind()") && completions.contains("--stall-limit"), "{completions}");
    for name in
        ["em3d", "hurricane-1", "floating", "shared-memory", "stache", "operations=", "split-c-table1"]
    {
        assert!(completions.contains(name), "{name} is not completed");
    }
    let manual = good(&["man"]);
    assert!(manual.contains(".TH tradewind 1") && manual.contains("calibrate"), "{manual}");
    let manual = good(&["man", "run"]);
    assert!(manual.contains(".TH tradewind-run 1") && manual.contains("stall\\-limit"), "{manual}");
}
