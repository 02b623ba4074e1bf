//! Tests an interrupted command: it prints its finished results, marks them as partial, and ends by the signal.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::tempdir;

use crate::command::heeding;

const SIGINT: i32 = 2;
const SIGTERM: i32 = 15;

/// Time limit of every wait, for busy hosts.
const PATIENCE: Duration = Duration::from_secs(60);

/// The command with these arguments, begun.
fn begin(arguments: &[&str]) -> Child {
    let mut command = heeding(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts")
}

/// Sends a signal to a command.
fn send(signal: i32, child: &Child) {
    let sent = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
    assert!(sent.expect("`kill` is there").success());
}

/// Waits until something holds.
fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain until {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Starts all claims, which take long, with a record in a folder. Returns when some runs are recorded.
fn claims(folder: &Path, more: &[&str]) -> Child {
    let record = folder.join("record");
    let child = begin(&[&["claims", "--record", record.to_str().expect("UTF-8")], more].concat());
    // An empty record has three pages of 4 KiB.
    let length = || record.metadata().map_or(0, |found| found.len());
    wait_until("runs are recorded", || length() > 40_000);
    child
}

#[test]
fn claims_that_are_interrupted_are_those_of_the_runs_that_are_over() {
    for signal in [SIGINT, SIGTERM] {
        let folder = tempdir().expect("a folder");
        let child = claims(folder.path(), &["--json"]);
        send(signal, &child);
        let done = child.wait_with_output().expect("the command ends");
        assert_eq!(done.status.signal(), Some(signal));
        let found: Value = serde_json::from_slice(&done.stdout).expect("a document");
        let partial = &found["partial"];
        let count = |key: &str| partial[key].as_u64().expect("a count");
        assert!(count("done") > 0 && count("done") < count("all"), "{partial}");
        assert!(partial["reason"].as_str().is_some_and(|reason| reason.starts_with("interrupted by SIG")));
        assert_eq!(found["failed_runs"], Value::Array(Vec::new()), "a run that was ended is no failure");
        let said = String::from_utf8(done.stderr).expect("UTF-8");
        assert!(said.contains("the same command goes on from there"), "{said}");
    }
}

#[test]
fn a_partial_result_says_so_in_its_first_line() {
    let folder = tempdir().expect("a folder");
    let child = claims(folder.path(), &[]);
    send(SIGINT, &child);
    let done = child.wait_with_output().expect("the command ends");
    let text = String::from_utf8(done.stdout).expect("UTF-8");
    assert!(text.starts_with("PARTIAL: interrupted by SIGINT when "), "{text}");
}

/// Interrupts a command when some of its runs are over. Returns its document.
fn interrupted_midway(arguments: &[&str]) -> Value {
    for wait in [1, 2, 4, 8, 16, 32] {
        let child = begin(&[arguments, &["--json"]].concat());
        thread::sleep(Duration::from_secs(wait));
        send(SIGINT, &child);
        let done = child.wait_with_output().expect("the command ends");
        assert_eq!(done.status.signal(), Some(SIGINT));
        if !done.stdout.is_empty() {
            return serde_json::from_slice(&done.stdout).expect("a document");
        }
    }
    panic!("nothing was over");
}

#[test]
fn a_comparison_has_what_has_run_and_names_what_has_not() {
    let long = ["--input", "operations=20000", "--repeat", "1000"];
    let found =
        interrupted_midway(&[&["compare", "fetch-add", "--machine", "ideal,native"], &long[..]].concat());
    assert!(found["partial"]["done"].as_u64() < found["partial"]["all"].as_u64(), "{}", found["partial"]);
    let worlds = found["worlds"].as_array().expect("worlds");
    let count = |world: &Value, key: &str| world[key].as_array().expect("a list").len();
    assert!(worlds.iter().any(|world| count(world, "rows") > 0), "{found}");
    assert!(worlds.iter().all(|world| count(world, "failed") == 0), "{found}");
}

#[test]
fn a_comparison_over_free_inputs_names_the_cases_in_which_runs_are_missing() {
    let wator = ["compare", "wator", "--machine", "meiko-cs2", "--nodes", "2", "--policy", "proc,np"];
    let found =
        interrupted_midway(&[&wator[..], &["--input", "fish=4", "--free", "steps=10,1000000"]].concat());
    let fate = &found["worlds"][0]["fate"];
    assert_eq!(fate["text"], "The ranking is not known: runs are missing at steps 1000000.");
    assert!(fate["survives"].is_null() && fate["failed"].as_array().is_some_and(Vec::is_empty), "{fate}");
}

#[test]
fn runs_that_are_over_are_reported_while_another_is_in_progress() {
    let found = interrupted_midway(&["run", "fetch-add", "--machine", "ideal", "--repeat", "100000"]);
    assert_eq!(found["runs"], found["partial"]["done"]);
    assert_eq!(found["report"]["verified"], true);
}

#[test]
fn a_second_signal_ends_a_command_that_cannot_tell_what_is_finished() {
    let folder = tempdir().expect("a folder");
    let mut child = claims(folder.path(), &["--json"]);
    send(SIGINT, &child);
    let mut said = String::new();
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    while !said.contains("interrupted by") {
        assert!(stderr.read_line(&mut said).expect("UTF-8") > 0, "{said}");
    }
    // The document is longer than a pipe that no process reads.
    thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().expect("a state").is_none());
    send(SIGINT, &child);
    assert_eq!(child.wait().expect("the command ends").signal(), Some(SIGINT));
    let mut rest = Vec::new();
    child.stdout.take().expect("a pipe").read_to_end(&mut rest).expect("the rest");
    assert!(serde_json::from_slice::<Value>(&rest).is_err(), "all was told");
}

#[test]
fn a_signal_that_the_caller_ignores_stays_ignored() {
    let folder = tempdir().expect("a folder");
    let record = folder.path().join("record");
    let asked = format!(
        "trap '' INT; exec {} claims alewife.am --record {} --json",
        env!("CARGO_BIN_EXE_tradewind"),
        record.display()
    );
    let child = Command::new("sh").args(["-c", &asked]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let child = child.expect("a shell");
    wait_until("the record is made", || record.exists());
    send(SIGINT, &child);
    let done = child.wait_with_output().expect("the command ends");
    assert_eq!(done.status.code(), Some(0));
    let found: Value = serde_json::from_slice(&done.stdout).expect("a document");
    assert!(found["partial"].is_null());
}
