//! Tests `tradewind calibrate`: its file is accepted by every other command, and invalid calls change nothing.

use std::fs;

use serde_json::Value;
use tempfile::tempdir;

use crate::command::{good, json, refused, tradewind};

/// A single short calibration, for all tests of its file.
#[test]
fn the_host_is_measured_and_its_file_is_explained_run_and_compared() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("mine.toml").display().to_string();
    let measure = ["calibrate", "--out", &file, "--repeat", "1"];
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        let ran = tradewind(&measure);
        assert!(ran.code == Some(1) && ran.err.contains("needs 2 to be measured"), "{ran:?}");
        return;
    }
    let said = json(&measure);
    assert_eq!((&said["file"], &said["rounds"]), (&file.clone().into(), &1.into()));
    let measured = said["measured"].as_array().unwrap();
    let of = |key: &str| measured.iter().find(|it| it["key"] == key).unwrap()["number"].as_f64().unwrap();
    assert!(of("primitives.send_header") > 0.0 && of("processor.clock") > 1.0, "{said}");
    // A single round gives no spread between rounds.
    assert!(measured.iter().all(|it| it["low"].is_null() && it["disturbed"] == false), "{said}");
    // The values in the file are those of the output, to two decimals.
    let explained = json(&["explain", &file]);
    let values = explained["values"].as_array().unwrap();
    for it in measured {
        let value = values.iter().find(|value| value["key"] == it["key"]).unwrap();
        let (number, unit) = (it["number"].as_f64().unwrap(), it["unit"].as_str().unwrap());
        assert_eq!(value["written"], format!("{number:.2} {unit}"), "{value}");
        assert!(value["source"].as_str().unwrap().starts_with("measured: "), "{value}");
    }
    let command = values.iter().find(|value| value["key"] == "calibrated.command").unwrap();
    assert!(command["written"].as_str().unwrap().contains("calibrate"), "{command}");
    let shape = ["--nodes", "2", "--processors", "1", "--policy", "single"];
    let run =
        json(&[&["run", "fetch-add", "--machine", &file, "--input", "operations=500"], &shape[..]].concat());
    assert!(run["report"]["verified"] == true && run["time_ns"].as_f64().unwrap() > 0.0, "{run}");
    let machines = format!("native,{file}");
    let compare = ["compare", "fetch-add", "--machine", &machines, "--mechanism", "messages"];
    let compared = json(&[&compare[..], &shape, &["--input", "operations=500", "--repeat", "1"]].concat());
    let worlds: Vec<&Value> = compared["worlds"].as_array().unwrap().iter().collect();
    assert!(worlds.len() == 2 && worlds.iter().all(|world| world["rows"].as_array().unwrap().len() == 1));
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("single   tradewind run message-costs --machine native --policy single"), "{text}");
    assert!(text.contains("--input rest=2000"), "the runs as they were made: {text}");
    // It may be measured again.
    assert!(good(&measure).contains("is written"), "{file}");
}

#[test]
fn a_file_that_is_something_else_is_left_alone() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("thesis.txt");
    fs::write(&file, "Chapter 1").unwrap();
    let name = file.display().to_string();
    refused(
        &["calibrate", "--out", &name, "--repeat", "0"],
        &["thesis.txt: this file is there and is no calibrated machine file", "--repeat"],
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "Chapter 1");
}

/// Not even read: a device may have no end, and a file must not take its place.
#[cfg(unix)]
#[test]
fn what_is_there_and_no_file_is_left_alone() {
    let folder = tempdir().unwrap();
    let socket = folder.path().join("socket");
    let _kept = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let name = socket.display().to_string();
    for command in [&["calibrate", "--repeat", "1"][..], &["model", "fixed-floating"]] {
        refused(&[command, &["--out", &name]].concat(), &["socket: expected the name of a file"]);
    }
    assert!(!fs::metadata(&socket).unwrap().is_file());
}

#[test]
fn what_cannot_be_written_is_told_before_anything_is_measured() {
    let nowhere = "no/such/folder/host.toml";
    refused(
        &["calibrate", "--out", nowhere, "--repeat", "0"],
        &["there is no folder no/such/folder", "--repeat"],
    );
    // Not even the superuser can.
    if cfg!(target_os = "linux") {
        let told = ["--out /proc/host.toml: no file can be made in /proc", "--repeat"];
        refused(&["calibrate", "--out", "/proc/host.toml", "--repeat", "0"], &told);
    }
}
