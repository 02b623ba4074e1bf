//! Tests quantities that are bounded: a value beyond the bound is a quick error that says so, never a wrong result.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::command::{json, refused, tradewind};

/// Time limit of a run to the end of modelled time. An endless run would exceed it.
const SOON: Duration = Duration::from_secs(120);

/// The words of the error.
const ENDS: &str = "modelled time has no more than 18446 s (5 h 7 min), and ";

/// A run comes to the end of modelled time, and says so in one error without a word of ours.
fn ends(arguments: &[&str]) {
    let (begun, asked) = (Instant::now(), arguments.join(" "));
    let ran = tradewind(&[&["run"], arguments].concat());
    assert!(ran.code == Some(1) && ran.out.is_empty(), "{asked}: {ran:?}");
    assert!(ran.err.contains(ENDS) && ran.err.lines().count() == 1, "{asked}: {}", ran.err);
    assert!(begun.elapsed() < SOON, "{asked} took {:?}", begun.elapsed());
}

#[test]
fn a_run_beyond_the_end_of_modelled_time_is_an_error() {
    let slow = |clock| format!("processor.clock=\"{clock} Hz\"");
    ends(&["histogram", "--machine", "paragon", "--set", &slow(100), "--input", "values=20000"]);
    ends(&["histogram", "--machine", "paragon", "--set", &slow(1), "--input", "values=20000"]);
    ends(&["fetch-add", "--machine", "cm-5", "--nodes", "2", "--set", &slow(1)]);
    for program in ["fetch-add", "split-phase", "neighbours", "active-message"] {
        ends(&[program, "--machine", "paragon", "--set", "network.latency=\"10000 s\""]);
    }
    ends(&["neighbours", "--machine", "paragon", "--set", "interface.gap=\"10000 s\""]);
    ends(&["fetch-add", "--machine", "alewife", "--set", "processor.poll=\"18000 s\""]);
    let machine = ["--machine", "sparc20-myrinet", "--nodes", "4", "--policy", "single"];
    let slow = ["--mechanism", "shared-memory", "--set", "bus.clock=\"1 Hz\""];
    let input = ["--input", "nodes=640", "--input", "degree=4", "--input", "iterations=1"];
    ends(&[&["em3d"], &machine[..], &slow, &input].concat());
    let slow = "interface.bandwidth=\"1 B/s\"";
    refused(
        &["run", "em3d", "--machine", "paragon", "--set", slow, "--mechanism", "bulk"],
        &["at least 10 kB/s"],
    );
}

#[test]
fn the_last_seconds_of_modelled_time_are_right_and_those_after_them_an_error() {
    let wator = |nodes: &'static str, steps: &'static str| {
        [
            "wator",
            "--machine",
            "cm-5",
            "--nodes",
            nodes,
            "--input",
            "fish=64",
            "--input",
            "draw=100000000",
            "--input",
            steps,
        ]
    };
    let seconds = |steps: &'static str| {
        let found = json(&[&["run"], &wator("1", steps)[..]].concat());
        found["time_ns"].as_f64().expect("a time") / 1e9
    };
    // Every step takes as long.
    let (half, most) = (seconds("steps=45"), seconds("steps=90"));
    assert!(most > 17_000.0 && (most / half - 2.0).abs() < 0.001, "{half} s, {most} s");
    ends(&wator("1", "steps=100"));
    ends(&wator("2", "steps=200"));
}

#[test]
fn sums_over_processors_pass_the_end_of_modelled_time() {
    for policy in ["floating", "np"] {
        let slow = "processor.clock=\"1 kHz\"";
        let run = ["run", "histogram", "--machine", "paragon", "--nodes", "16", "--policy", policy];
        let found = json(&[&run[..], &["--set", slow, "--input", "values=20000"]].concat());
        let sum =
            |parts: &Value| parts.as_object().expect("parts").values().filter_map(Value::as_f64).sum::<f64>();
        let whole = 16.0 * found["whole_run_ns"].as_f64().expect("a time");
        assert!(whole > 18_447e9, "{policy}: {whole} ns");
        let is_whole = |sum: f64| (sum / whole - 1.0).abs() < 1e-9;
        assert!(is_whole(sum(&found["breakdown_ns"])), "{policy}: {}", found["breakdown_ns"]);
        let protocol = found["protocol_breakdown_ns"].as_array().expect("a list");
        assert_eq!(protocol.len(), usize::from(policy == "np"));
        assert!(protocol.iter().all(|spent| is_whole(sum(spent))), "{policy}: {protocol:?}");
    }
}

#[test]
fn a_long_wait_takes_little_of_the_host() {
    let machines = [("sparc20-myrinet", "single"), ("meiko-cs2", "proc")];
    for (machine, policy) in machines {
        let run = ["run", "fetch-add", "--machine", machine, "--policy", policy, "--nodes", "4"];
        let short = ["--input", "words=64", "--input", "operations=64"];
        let wait = |gap| {
            let set = format!("interface.gap=\"{gap}\"");
            let found = json(&[&run[..], &short, &["--set", &set]].concat());
            found["time_ns"].as_f64().expect("a time")
        };
        let ratio = wait("1 s") / wait("1 ms");
        // A wait that ends late by a thousandth may cost whole gaps: another message goes first.
        assert!((ratio / 1000.0 - 1.0).abs() < 0.05, "{machine}: {ratio}");
    }
}

#[test]
fn every_program_on_a_machine_of_one_cycle_a_second_ends() {
    let programs = json(&["list", "programs"]);
    let programs = programs["programs"].as_array().expect("a list");
    assert!(programs.len() > 20, "{}", programs.len());
    for program in programs {
        let name = program["name"].as_str().expect("a name");
        let begun = Instant::now();
        let ran = tradewind(&["run", name, "--machine", "paragon", "--set", "processor.clock=\"1 Hz\""]);
        // A short one gets to its end, and one that does not run on the machine is refused.
        let is_told = ran.err.contains(ENDS) || ran.code == Some(2);
        assert!(ran.code == Some(0) || is_told, "{name}: {ran:?}");
        assert!(!ran.err.contains("panicked") && begun.elapsed() < SOON, "{name}: {ran:?}");
    }
}

#[test]
fn a_host_limit_is_a_time() {
    for wrong in ["0 s", "soon", "-1 s"] {
        let ran = tradewind(&["run", "fetch-add", "--machine", "ideal", "--host-limit", wrong]);
        assert!(ran.code == Some(2) && ran.err.contains("--host-limit"), "{ran:?}");
    }
}
