//! Tests of nodes that are processes: every command that runs on this host makes them, says so, and comes to the same answers.

use serde_json::Value;

use crate::command::{good, json};

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
