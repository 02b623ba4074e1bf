//! Bad input of the world: each is met with one clear error, no process hangs, and nothing is left behind.
//!
//! This module must never know the implementation of the world.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command};
use std::time::Instant;
use std::{fs, iter};

use tempest::outcome::Failure;
use tempest::world::World;
use tradewind_native::Processes;

use crate::forged;
use crate::kit::{Ended, MARK, Random, after, again, at_stdin, descriptors, end_of, left_behind};
use crate::programs::{LAUNCH, Run};

/// The beginning of each error.
const ERROR: &str = "tradewind: error: ";

const JOB: u128 = 7;

/// A short run.
const SHORT: Run = Run { program: "fetch-add", work: 2000, nodes: 4, timeout_ms: 5000 };

/// Runs the part. Returns the failed checks.
pub(crate) fn broken(full: bool) -> Vec<String> {
    let began = Instant::now();
    let mut checks = strangers();
    checks.extend(impossible());
    checks.extend(limits(full));
    let (all, broken) = (checks.len(), checks.into_iter().flatten().collect::<Vec<_>>());
    println!("{all} bad inputs, {} met badly, in {:?}", broken.len(), began.elapsed());
    broken
}

/// Processes with the mark of a launcher that none has started.
fn strangers() -> Vec<Option<String>> {
    let own = |job: u128| format!("{}:{job:032x}", std::process::id());
    let started = |what: &str, mark: &str, bytes: Option<Vec<u8>>, stays: bool| {
        let mut command = again();
        command.env(MARK, mark);
        let mut open = None;
        if let Some(bytes) = bytes {
            let (mut here, there) = UnixStream::pair().expect("a pair of sockets");
            at_stdin(&mut command, there);
            here.write_all(&bytes).expect("there is room in a socket");
            open = stays.then_some(here);
        }
        (what.to_owned(), command.spawn().expect("this test can be executed"), open)
    };
    let mut all = vec![
        // Begun first, because it waits for the end of its patience.
        (
            started("a message that stays cut", &own(JOB), Some(forged::cut()), true),
            "no message of a launcher",
        ),
        (started("a mark that is none", "nonsense", None, false), "no mark of a launcher"),
        (started("a mark with a short job", &format!("{}:7", std::process::id()), None, false), "no mark"),
        (started("no socket", &own(JOB), None, false), "no launcher at the standard input"),
        (started("a closed socket", &own(JOB), Some(Vec::new()), false), "is closed"),
        (started("another message", &own(JOB), Some(forged::search()), true), "first message is another"),
        (started("another job", &own(JOB), Some(forged::join(JOB + 1, 0)), true), "has another job"),
        (started("another executable", &own(JOB), Some(forged::join(JOB, 0)), true), "another executable"),
    ];
    let mut random = Random(1);
    for length in [1, 7, 8, 9, 64, 1000, 50_000] {
        let bytes = iter::repeat_with(|| random.next() as u8).take(length).collect();
        let what = format!("{length} random bytes");
        all.push((started(&what, &own(JOB), Some(bytes), false), "no launcher at the standard input"));
    }
    let waits = all.into_iter().rev().map(|((what, child, _open), says)| {
        let judged = end_of(child).and_then(|ended| expect_error(&ended, says));
        judged.err().map(|why| format!("{what}: {why}"))
    });
    let mut checks: Vec<_> = waits.collect();
    // A process that a member has started inherits the mark, and is no part of the world.
    let inherited = again().args(["no promise"]).env(MARK, format!("1:{JOB:032x}")).spawn();
    let ended = end_of(inherited.expect("this test can be executed"));
    checks.push(ended.map_or_else(Some, |ended| {
        (!ended.status.success()).then(|| format!("an inherited mark: {ended:?}"))
    }));
    checks
}

/// Whether a process ended with exit 1 and one line.
fn expect_error(ended: &Ended, says: &str) -> Result<(), String> {
    let Ended { status, said, .. } = ended;
    let is_one = said.lines().count() == 1 && said.starts_with(ERROR) && said.contains(says);
    if status.code() == Some(1) && is_one {
        return Ok(());
    }
    Err(format!("expected exit 1 and one line with `{says}`, got {ended:?}"))
}

/// Runs that the launcher refuses.
fn impossible() -> Vec<Option<String>> {
    let refused = |what: &str, says: &str, run: &dyn Fn() -> Result<(), Failure>| {
        let before = descriptors();
        match run() {
            Err(Failure::Refused(refusal)) if refusal.to_string().contains(says) => {
                left_behind(before).map(|left| format!("{what}: {left}"))
            }
            other => Some(format!("{what}: expected a refusal with `{says}`, got {other:?}")),
        }
    };
    let many = Run { nodes: 300, ..SHORT };
    let differs = || {
        let other = Run { nodes: 3, ..SHORT };
        Processes::new().described(format!("program {other}")).run(&SHORT.launch()).map(drop)
    };
    vec![
        refused("too many processes", "expected at most 250", &|| many.run().map(drop)),
        refused("processes that run something else", "a program that always makes equal runs", &differs),
    ]
}

/// Launchers within limits of the system: each run ends well, or with one error.
fn limits(full: bool) -> Vec<Option<String>> {
    let files = if full { 4..60 } else { 6..26 };
    let mut all: Vec<_> = files
        .step_by(if full { 1 } else { 2 })
        .map(|files| (format!("{files} open files"), format!("ulimit -n {files}"), ""))
        .collect();
    // A process of a world makes its memory file and then cannot give it a length.
    let no_file = "trap '' XFSZ && ulimit -f 0".to_owned();
    all.push(("no room for a memory file".to_owned(), no_file, "no room"));
    let mut checks: Vec<_> = all
        .into_iter()
        .map(|(what, limit, says)| limited(&what, after(&limit, &[LAUNCH, &SHORT.to_string()]), says))
        .collect();
    checks.extend(processes(full));
    checks
}

/// Launchers of a user with a limit of processes. A user with all rights has no such limit, so the launcher runs as another one then, if
/// the system has the command for it.
fn processes(full: bool) -> Vec<Option<String>> {
    let limit = |number: u32| format!("{{ ulimit -u {number} 2>/dev/null || ulimit -p {number}; }}");
    let within = |number: u32| {
        let run = SHORT.to_string();
        let mut command = after(&limit(number), &[LAUNCH, &run]);
        if rustix::process::geteuid().is_root() {
            let plain = after(&limit(number), &[LAUNCH, &run]);
            command = Command::new("setpriv");
            command.args(["--reuid=65533", "--regid=65533", "--clear-groups"]);
            command.arg(plain.get_program()).args(plain.get_args());
            command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null());
            command.stderr(std::process::Stdio::piped());
        }
        limited(&format!("{number} processes and threads"), command, "")
    };
    if rustix::process::geteuid().is_root() && Command::new("setpriv").arg("--version").output().is_err() {
        println!("limits of processes are not tested: expected a user without all rights, or setpriv");
        return Vec::new();
    }
    let numbers = if full { 1..40 } else { 2..26 };
    numbers.step_by(if full { 1 } else { 4 }).map(within).collect()
}

/// Runs a launcher within a limit. It may end well only if `says` is empty. Returns the failed check.
fn limited(what: &str, mut command: Command, says: &str) -> Option<String> {
    let child: Child = command.spawn().expect("a shell can be executed");
    let launcher = child.id();
    let judged = end_of(child).and_then(|ended| {
        let left = parts_of(launcher);
        if !left.is_empty() {
            return Err(format!("the processes {left:?} are left"));
        }
        if ended.status.success() && says.is_empty() { Ok(()) } else { expect_error(&ended, says) }
    });
    judged.err().map(|why| format!("{what}: {why}"))
}

/// The processes of the world of a launcher, which may be gone.
fn parts_of(launcher: u32) -> Vec<u32> {
    let mark = format!("{MARK}={launcher}:");
    let processes = fs::read_dir("/proc").expect("the system shows its processes").flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_part = |number: &u32| {
        let environment = fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable.starts_with(mark.as_bytes()))
    };
    numbers.filter(is_part).collect()
}
