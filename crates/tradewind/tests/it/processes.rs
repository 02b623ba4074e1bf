//! Tests of nodes that are processes: every command that runs on this host makes them, says so, and comes to the same answers.

use std::{fs, thread};

use serde_json::Value;
use tempfile::tempdir;

use crate::command::{good, json, refused};
use crate::study::{Place, repository};

/// The options that make nodes processes. Two nodes of one processor each.
const PROCESSES: [&str; 6] = ["--world", "processes", "--nodes", "2", "--processors", "1"];

/// The options of a small comparison of this host with a model.
const COMPARED: [&str; 9] = [
    "compare",
    "histogram",
    "--machine",
    "native,cm-5",
    "--policy",
    "single",
    "--repeat",
    "1",
    "--input=values=50",
];

#[test]
fn one_key_says_the_place_of_the_nodes() {
    let of_run = json(&[&["run", "histogram", "--input", "values=50"], &PROCESSES[..]].concat());
    assert_eq!((&of_run["world"], &of_run["circumstances"]["world"]), (&"processes".into(), &Value::Null));
    let compared = json(&[&COMPARED, &PROCESSES[..]].concat());
    let worlds = compared["worlds"].as_array().expect("worlds");
    let rows: Vec<_> = worlds.iter().map(|world| &world["rows"][0]["world"]).collect();
    assert_eq!(rows, ["processes", "model"]);
    let text = good(&[&COMPARED, &PROCESSES[..]].concat());
    let shapes = |text: &str| text.matches("2 nodes of 1 processor, nodes as processes").count();
    assert_eq!((shapes(&text), text.matches("nodes as processes").count()), (1, 1), "{text}");
}

/// A study of two programs on this host and on a model: iccg reads a file beside the study.
const STUDY: &str = r#"
summary = "s"
[[run]]
program = "histogram"
machine = ["native", "ideal"]
nodes = 2
processors = 1
repeat = 1
inputs.values = 50
metrics = [{ answer = "counters.messages", name = "messages" }]
[[run]]
program = "iccg"
machine = ["native", "ideal"]
nodes = 2
processors = 1
repeat = 1
inputs.matrix = "m.mtx"
metrics = [{ answer = "report.checks", name = "checks" }]
"#;

/// The worlds of the rows of a study, and the number of each row.
fn rows(document: &Value) -> (Vec<&str>, Vec<f64>) {
    let tables = document["tables"].as_array().expect("tables").iter();
    let rows = tables.flat_map(|table| table["rows"].as_array().expect("rows"));
    let number = |row: &Value| row["numbers"].as_object()?.values().next()?["median"].as_f64();
    rows.map(|row| (row["world"].as_str().expect("it ran"), number(row).expect("a number"))).unzip()
}

#[test]
fn a_study_has_the_same_answers_in_processes_and_takes_none_of_another_world_from_the_record() {
    let place = Place::of(STUDY);
    place.write("m.mtx", fs::read(repository("inputs").join("494_bus.mtx")).expect("a matrix"));
    let paths = place.paths();
    let study = |more: &[&str]| json(&place.call(&paths, more));
    let recorded = || place.read("record").lines().count() - 1;
    let local = study(&[]);
    let (worlds, numbers) = rows(&local);
    assert_eq!((worlds, recorded()), (["local", "model"].repeat(2), 4));
    let apart = study(&["--world", "processes"]);
    assert_eq!(rows(&apart), (["processes", "model"].repeat(2), numbers.clone()));
    assert_eq!(recorded(), 4 + 2, "runs on models were on record");
    assert_eq!(study(&["--world", "processes", "--peer-timeout", "9 s"]), apart);
    assert_eq!(recorded(), 4 + 2, "no answer depends on the time of silence");
    let together = study(&["--world", "processes", "--nodes-per-process", "2"]);
    assert_eq!((rows(&together).1, recorded()), (numbers, 4 + 2 + 2));
    assert_eq!(study(&[]), local);
    let text = good(&place.call(&paths, &["--world", "processes"]));
    assert!(text.contains("nodes as processes"), "{text}");
}

#[test]
fn a_report_draws_the_runs_of_one_place() {
    let place = Place::of(&STUDY[..STUDY.rfind("[[run]]").expect("a second run")]);
    let paths = place.paths();
    let document = json(&place.call(&paths, &["--world", "processes"]));
    let circumstances = &document["circumstances"];
    assert!(circumstances["host"].is_string() && circumstances["date"].is_string(), "{circumstances}");
    let page = place.path("page.html");
    let report = ["report", &paths[0], "--record", &paths[1], "--out", &page];
    refused(&report, &["the record has 1 of the 2 runs of", "mine.toml` does the others"]);
    let apart = [&report[..], &["--world", "processes"]].concat();
    assert_eq!(good(&apart).trim(), page);
    assert!(place.read("page.html").contains("nodes as processes"));
    let more = [&apart[..], &["--nodes-per-process", "2"]].concat();
    refused(&more, &["mine.toml --world processes --nodes-per-process 2` does the others"]);
}

#[test]
fn a_run_that_needs_too_many_processes_is_refused_in_its_place_before_anything_runs() {
    let place = Place::of(
        &STUDY.replace("nodes = 2", "nodes = 300").replace("m.mtx", "494_bus").replace(", \"iccg\"", ""),
    );
    let paths = place.paths();
    let told = "mine.toml:11:1: run: 300 processes: expected at most 250; fewer --nodes, or more of them in each process";
    refused(&place.call(&paths, &["--world", "processes"]), &[told]);
    let why =
        [&["--world", "processes", "--nodes-per-process", "0"], &["--peer-timeout", "1 ms"][..]].concat();
    refused(&place.call(&paths, &why), &["--nodes-per-process 0", "--peer-timeout 1 ms"]);
}

#[test]
fn a_calibration_of_processes_says_so_and_predicts_processes() {
    let folder = tempdir().expect("a folder");
    let file = folder.path().join("mine.toml").display().to_string();
    let calibrate = ["calibrate", "--out", &file, "--repeat", "1", "--world", "processes"];
    refused(
        &[&calibrate[..], &["--nodes-per-process", "2"]].concat(),
        &["--nodes-per-process 2", "expected 1"],
    );
    if thread::available_parallelism().map_or(1, usize::from) < 2 {
        return;
    }
    assert_eq!(json(&calibrate)["world"], "processes");
    let explained = json(&["explain", &file]);
    let values = explained["values"].as_array().expect("values");
    let written = |key: &str| values.iter().find(|value| value["key"] == key).map(|value| &value["written"]);
    assert_eq!(written("calibrated.world"), Some(&"processes".into()));
    let command = written("calibrated.command").and_then(Value::as_str).expect("the command");
    assert!(command.ends_with("calibrate --world processes"), "{command}");
    let machines = format!("native,{file}");
    let predicted = |world: &str| {
        let compare = ["compare", "histogram", "--machine", &machines, "--policy", "single", "--repeat", "1"];
        let compared =
            json(&[&compare, &["--world", world, "--nodes", "2", "--processors", "1"][..]].concat());
        compared["predictions"][0]["text"].as_str().expect("a prediction").to_owned()
    };
    let elsewhere = "But the file is of nodes as processes. This is of nodes in one process.";
    assert!(predicted("local").contains(elsewhere));
    assert!(!predicted("processes").contains("But the file is of nodes"));
}
