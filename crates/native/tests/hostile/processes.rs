//! The hostile programs with nodes as processes: each test runs again in a process of its own, which launches the processes of its runs.
//!
//! A process of a run executes the test again, and makes the runs before its own by itself.

#![allow(clippy::print_stdout, reason = "a long test says where it is")]

use std::process::Command;
use std::time::Instant;

use crate::kit::play::AS_PROCESSES;

/// The tests that nodes as processes must fail, each with the reason.
const NOT_FOR: &[(&str, &str)] = &[
    ("bounds::a_handler_that_catches_its_own_end_takes_no_memory", SHARES),
    ("bounds::a_handler_that_sends_for_ever_is_stopped", SHARES),
    ("bounds::threads_send_beside_handlers_that_never_cease", SHARES),
    ("cores::a_world_inside_a_pinned_thread_has_the_cores_of_the_world_around_it", LOOKS),
    ("long::a_long_hold_keeps_no_message_waiting", SHARES),
    ("process::", DIES),
    ("processes::", LOOKS),
    ("stacks::a_frame_beyond", DIES),
    ("stacks::the_overflow", DIES),
    ("worlds::a_world_runs_inside_a_handler_of_another", SHARES),
    ("worlds::worlds_run_beside_each_other", NO_ORDER),
];

const SHARES: &str = "the test and its nodes share memory of the program";
const LOOKS: &str = "it looks at its own process";
const DIES: &str = "it asks how its own process dies";
const NO_ORDER: &str = "runs beside each other have no order by which a process finds its own";

/// Some tests that end soon.
const SOME: &[&str] = &["ends::a_panic", "flood::messages_that_double", "refused::sends", "worlds::a_panic"];

/// The names of all tests of this binary.
fn tests() -> Vec<String> {
    let listed = this().args(["--list", "--format=terse"]).output().expect("it lists its tests");
    let listed = String::from_utf8(listed.stdout).expect("names are text");
    listed.lines().filter_map(|line| line.strip_suffix(": test").map(str::to_owned)).collect()
}

fn this() -> Command {
    Command::new(std::env::current_exe().expect("a test binary has a path"))
}

/// Runs the tests that `is_asked` chooses with nodes as processes.
fn end(is_asked: impl Fn(&str) -> bool) {
    let mut wrong = Vec::new();
    let is_for = |test: &String| !NOT_FOR.iter().any(|(not, _)| test.starts_with(not));
    let tests: Vec<_> = tests().into_iter().filter(|test| is_for(test) && is_asked(test)).collect();
    assert!(tests.len() >= SOME.len(), "{tests:?}");
    for test in &tests {
        let began = Instant::now();
        let ended = this().args(["--exact", test, "--test-threads=1"]).env(AS_PROCESSES, "1").output();
        let ended = ended.expect("a test binary can be run");
        println!("{test}: {} in {:?}", ended.status, began.elapsed());
        if !ended.status.success() {
            wrong.push(format!("{test}\n{}", String::from_utf8_lossy(&ended.stdout)));
        }
    }
    assert!(wrong.is_empty(), "{} of {} tests:\n{}", wrong.len(), tests.len(), wrong.join("\n"));
}

#[test]
fn some_hostile_programs_end_with_nodes_as_processes() {
    end(|test| SOME.iter().any(|some| test.starts_with(some)));
}

/// `cargo test --release -p tradewind-native --test hostile all_hostile -- --ignored --nocapture`
#[test]
#[ignore = "takes a quarter of an hour: each process makes the runs before its own"]
fn all_hostile_programs_end_with_nodes_as_processes() {
    end(|_| true);
}
