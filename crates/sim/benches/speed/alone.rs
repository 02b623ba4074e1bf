//! A run in a process of its own, so that its memory is that of no other run; under callgrind, if asked. The benchmark starts
//! itself with `alone RUN SIZE`, and a person may do so too. This file must never know an aim.

use std::env;
use std::hint::black_box;
use std::process::{Command, Output, Stdio};

use crate::cases::{self, Case};

/// The first argument of such a process.
pub(crate) const ALONE: &str = "alone";

/// The first argument of a process that only makes the input and the expected answer of a run.
pub(crate) const PREPARE: &str = "prepare";

/// Messages, time and memory of a run in a process of its own.
#[derive(Clone, Copy)]
pub(crate) struct Alone {
    pub(crate) messages: f64,
    pub(crate) seconds: f64,
    /// The most memory that the process had, in MB; not a number where the system does not say.
    pub(crate) megabytes: f64,
}

/// Runs the case that the arguments after `alone` name, and prints its messages, seconds and megabytes. After `prepare`
/// it only makes the input and the expected answer.
pub(crate) fn serve(what: &str, arguments: &[String]) {
    let [name, size] = arguments else { panic!("{what} RUN SIZE, such as {what} no-bus 1000") };
    let size = size.parse().expect("SIZE is a number");
    if name == cases::BY_HAND {
        return serve_by_hand(what, size);
    }
    let case = cases::ALL.into_iter().find(|case| case.name == name);
    let case =
        case.unwrap_or_else(|| panic!("`{name}`: expected one of {:?}", cases::ALL.map(|case| case.name)));
    let trial = (case.trial)(size);
    if what == PREPARE {
        return trial.prepare();
    }
    let taken = trial.run();
    println!("{} {} {}", taken.answer.messages, taken.seconds, most_memory().unwrap_or(f64::NAN));
}

/// Runs the model by hand, and prints the same.
fn serve_by_hand(what: &str, size: u32) {
    let model = black_box(cases::no_bus_by_hand(size));
    if what == ALONE {
        let (seconds, answer) = model.run();
        println!("{} {seconds} {}", answer.messages, most_memory().unwrap_or(f64::NAN));
    }
}

/// Runs it once in a process of its own.
pub(crate) fn run(case: &Case, size: u32) -> Alone {
    let mut command = Command::new(env::current_exe().expect("the benchmark's own file"));
    let output = output(command.arg(ALONE).arg(case.name).arg(size.to_string()));
    let text = String::from_utf8_lossy(&output.stdout);
    let [messages, seconds, megabytes] =
        text.split_whitespace().map(|word| word.parse().expect("a number")).collect::<Vec<f64>>()[..]
    else {
        panic!("three numbers, not {text}")
    };
    Alone { messages, seconds, megabytes }
}

/// Something that callgrind counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Count {
    Instructions,
    /// Lines of memory that are read or written and do not lie in a cache of 64 KB. The state of some thousand nodes lies in no near
    /// cache, so that these are the lines which come from a far one.
    Lines,
}

impl Count {
    /// The options with which callgrind counts it.
    fn options(self) -> &'static [&'static str] {
        match self {
            Self::Instructions => &[],
            Self::Lines => &["--cache-sim=yes", "--D1=65536,16,64"],
        }
    }

    /// The count among all that callgrind has counted: instructions, reads, writes, instructions that missed, reads that missed, writes
    /// that missed, and more.
    fn of(self, counted: &[f64]) -> Option<f64> {
        match self {
            Self::Instructions => counted.first().copied(),
            Self::Lines => Some(counted.get(4)? + counted.get(5)?),
        }
    }
}

/// The count per message: the difference between a run and a run of twice the size, so that start-up drops out, without
/// the making of the inputs and expected answers. `None` without valgrind.
pub(crate) fn a_message(count: Count, name: &str, size: u32) -> Option<f64> {
    let (less, less_messages) = run_counted(count, name, size)?;
    let (more, messages) = run_counted(count, name, 2 * size)?;
    Some((more - less) / (messages - less_messages))
}

/// The count of one run, without that of making its input and expected answer, and its messages.
fn run_counted(count: Count, name: &str, size: u32) -> Option<(f64, f64)> {
    let (all, told) = counted(count, ALONE, name, size)?;
    let (before, _) = counted(count, PREPARE, name, size)?;
    Some((all - before, told.split_whitespace().next()?.parse().ok()?))
}

/// The count of a process under callgrind, and its output.
fn counted(count: Count, what: &str, name: &str, size: u32) -> Option<(f64, String)> {
    Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().ok()?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).args(count.options());
    let program = env::current_exe().expect("the benchmark's own file");
    let output = output(command.arg(program).arg(what).arg(name).arg(size.to_string()));
    let (told, counts) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let (_, counts) = counts.lines().find_map(|line| line.split_once("Collected : "))?;
    let counts: Vec<f64> = counts.split_whitespace().filter_map(|one| one.parse().ok()).collect();
    Some((count.of(&counts)?, told.into_owned()))
}

fn output(command: &mut Command) -> Output {
    let output = command.output().expect("the process starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// The most memory that this process has had, in MB.
fn most_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<f64>().ok()? * 1024.0 / 1e6)
}
