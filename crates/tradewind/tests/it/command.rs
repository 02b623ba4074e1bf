//! Runs the built command and keeps its output and exit code.

use std::process::{Command, Stdio};

use serde_json::Value;

/// The output and exit code of a finished command.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// The environment variables that change the look of results.
const SURROUNDINGS: &[&str] =
    &["COLUMNS", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "LC_ALL", "LC_CTYPE", "LANG"];

/// The command with these arguments, not yet started, with no input, in an environment without settings for the look of results.
pub(crate) fn command(arguments: &[&str]) -> Command {
    quietly(Command::new(env!("CARGO_BIN_EXE_tradewind")), arguments)
}

/// The command of [`command`], but heeding signals even if the tests ignore them: a shell makes its background commands, and their
/// children, ignore SIGINT.
pub(crate) fn heeding(arguments: &[&str]) -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal=INT,TERM", env!("CARGO_BIN_EXE_tradewind")]);
    quietly(command, arguments)
}

/// Prepares a command with further arguments, with no input, in an environment without settings for the look of results.
fn quietly(mut command: Command, arguments: &[&str]) -> Command {
    command.args(arguments).stdin(Stdio::null());
    for name in SURROUNDINGS {
        command.env_remove(name);
    }
    command
}

/// The beginning of the line by which a debug build tells of itself before it runs on this host.
const DEBUG_BUILD: &str = "this is a debug build";

#[test]
fn a_debug_build_says_so_before_it_runs_on_this_host() {
    let says = |machine: &str| {
        let done = command(&["run", "fetch-add", "--machine", machine, "--nodes", "1"]).output().unwrap();
        String::from_utf8(done.stderr).unwrap().contains(DEBUG_BUILD)
    };
    assert_eq!([says("native"), says("cm-5")], [cfg!(debug_assertions), false]);
}

/// Runs the command to its end.
pub(crate) fn tradewind(arguments: &[&str]) -> Ran {
    ran(command(arguments))
}

/// Runs the command, which must succeed, with these environment variables. Returns its standard output.
pub(crate) fn good_where(variables: &[(&str, &str)], arguments: &[&str]) -> String {
    let mut command = command(arguments);
    command.envs(variables.iter().copied());
    let ran = ran(command);
    assert!(ran.code == Some(0) && ran.err.is_empty(), "tradewind {}: {ran:?}", arguments.join(" "));
    ran.out
}

pub(crate) fn ran(mut command: Command) -> Ran {
    let done = command.output().expect("the command starts");
    Ran {
        code: done.status.code(),
        out: String::from_utf8(done.stdout).expect("results are UTF-8"),
        err: without_progress(&String::from_utf8(done.stderr).expect("errors are UTF-8")),
    }
}

/// Removes from the standard error of a command its progress (printed when it takes long, as on a busy host) and the note of a debug
/// build.
fn without_progress(said: &str) -> String {
    let is_progress = |line: &str| {
        let told = line.strip_prefix("tradewind: ").unwrap_or_default();
        told.contains(" done in ")
            || told.contains(" so far, ")
            || told.contains(" runs are on record")
            || told.starts_with(DEBUG_BUILD)
    };
    said.split_inclusive('\n').filter(|line| !is_progress(line)).collect()
}

/// Runs a command that must succeed without any message. Returns its standard output.
pub(crate) fn good(arguments: &[&str]) -> String {
    good_where(&[], arguments)
}

/// Runs a command that must succeed with `--json`. Returns its document.
pub(crate) fn json(arguments: &[&str]) -> Value {
    let out = good(&[arguments, &["--json"]].concat());
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{}: {error}: {out}", arguments.join(" ")))
}

/// Runs a command that must be refused before anything is done: exit 2, nothing on standard output, and every
/// one of `fragments` in what it says.
pub(crate) fn refused(arguments: &[&str], fragments: &[&str]) {
    let ran = tradewind(arguments);
    let asked = arguments.join(" ");
    assert!(ran.code == Some(2) && ran.out.is_empty(), "tradewind {asked}: {ran:?}");
    assert!(!ran.err.contains("panicked"), "tradewind {asked}: {}", ran.err);
    for fragment in fragments {
        assert!(ran.err.contains(fragment), "tradewind {asked}: expected `{fragment}` in\n{}", ran.err);
    }
}
