//! Tests files that cannot be written completely, and commands that are killed: one error, the result all the same, no file left behind.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::tempdir;

use crate::command::{command, good, tradewind};

/// A short run on a model.
const SHORT: [&str; 5] = ["run", "fetch-add", "--machine", "ideal", "--json"];

/// The names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<_> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The errors of a command that has no result, from standard output.
fn errors(arguments: &[&str], exit: i32) -> Vec<String> {
    let ran = tradewind(arguments);
    let asked = arguments.join(" ");
    assert_eq!(ran.code, Some(exit), "tradewind {asked}: {ran:?}");
    let found: Value =
        serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{asked}: {error}: {ran:?}"));
    assert_eq!(found["exit"], exit);
    let errors = found["errors"].as_array().expect("a list");
    let errors: Vec<_> = errors.iter().map(|error| error.as_str().expect("a text").to_owned()).collect();
    // People read the same, on several lines where the parser refused.
    let read = ran.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(errors.iter().all(|error| read.contains(&format!("tradewind: error: {error}"))), "{ran:?}");
    errors
}

#[test]
fn errors_are_json_where_json_is_asked_for() {
    let wrong = errors(&["run", "em3d", "--nodes", "0", "--policy", "flating", "--json"], 2);
    assert_eq!(wrong.len(), 2, "{wrong:?}");
    assert!(
        wrong[0].starts_with("unknown policy `flating`") && wrong[1].starts_with("--nodes 0: "),
        "{wrong:?}"
    );
    assert_eq!(errors(&["list", "--nonsense", "--json"], 2), ["unexpected argument '--nonsense' found"]);
    let missing = "the following required arguments were not provided: <PROGRAM>";
    assert_eq!(errors(&["compare", "--json"], 2), [missing]);
    let what = errors(&["list", "nope", "--json"], 2);
    assert!(what.len() == 1 && what[0].contains("[possible values: machines, "), "{what:?}");
    let stalls = ["--machine", "ideal", "--stall-limit", "1 ns", "--json"];
    let failed = errors(&[&["run", "em3d"], &stalls[..]].concat(), 1);
    assert!(failed.len() == 1 && failed[0].starts_with("em3d by messages on ideal"), "{failed:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_takes_no_result_away() {
    let ran = tradewind(&[&SHORT[..], &["--trace", "/dev/full"]].concat());
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.err, "tradewind: error: --trace /dev/full: No space left on device (os error 28)\n");
    let found: Value = serde_json::from_str(&ran.out).expect("the result, and nothing besides");
    assert_eq!(found["report"]["verified"], true);
}

#[cfg(unix)]
#[test]
fn a_limit_of_file_sizes_is_an_error_and_leaves_nothing() {
    let folder = tempdir().expect("a folder");
    let limited = |arguments: &[&str]| {
        let asked = format!("ulimit -f 1; exec {} {}", env!("CARGO_BIN_EXE_tradewind"), arguments.join(" "));
        let done = Command::new("sh").args(["-c", &asked]).current_dir(folder.path()).output();
        let done = done.expect("a shell");
        (done.status.code(), String::from_utf8(done.stderr).expect("UTF-8"))
    };
    for (arguments, option) in [
        (&[&SHORT[..], &["--trace", "f"]].concat()[..], "--trace f"),
        (&["model", "fixed-floating", "--out", "f.svg"], "--out f.svg"),
    ] {
        let (code, said) = limited(arguments);
        assert_eq!(
            (code, said),
            (Some(1), format!("tradewind: error: {option}: File too large (os error 27)\n"))
        );
        assert_eq!(names(folder.path()), [""; 0]);
    }
}

#[cfg(unix)]
#[test]
fn what_a_killed_command_left_is_removed_by_the_next() {
    let folder = tempdir().expect("a folder");
    let trace = folder.path().join("f").display().to_string();
    let endless = ["run", "fetch-add", "--machine", "ideal", "--input", "operations=100000000"];
    let mut child = command(&[&endless[..], &["--trace", &trace]].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    let begun = Instant::now();
    while names(folder.path()).is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no trace is begun");
        thread::sleep(Duration::from_millis(5));
    }
    // A file that another command is writing is left alone.
    let picture = folder.path().join("curves.svg").display().to_string();
    good(&["model", "fixed-floating", "--out", &picture]);
    assert_eq!(names(folder.path()).len(), 2);
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    assert_eq!(names(folder.path()).len(), 2);
    good(&["model", "fixed-floating", "--out", &picture]);
    assert_eq!(names(folder.path()), ["curves.svg"]);
}
