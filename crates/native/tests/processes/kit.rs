//! Tools of the parts: the processes and descriptors of this test, random numbers, and processes that execute it again.
//!
//! This module must never know any one part.

use std::fs;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempest::entry::mix;

/// The variable of the environment by which a process of a world is known.
pub(crate) const MARK: &str = "TRADEWIND_PROCESS";

/// Time after which a process counts as hanging.
const PATIENCE: Duration = Duration::from_secs(30);

/// The processes that `parent` has started and not waited for, in order of their start.
pub(crate) fn children(parent: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").expect("the system shows its processes").flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut found: Vec<(u64, u32)> = numbers
        .filter_map(|number| {
            let status = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
            // The name of the program stands in parentheses and may have any characters.
            let fields: Vec<_> = status.rsplit_once(')')?.1.split_whitespace().collect();
            let is_child = fields.get(1)?.parse::<u32>() == Ok(parent);
            is_child.then(|| Some((fields.get(19)?.parse().ok()?, number)))?
        })
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(_, number)| number).collect()
}

/// Whether a process runs as a part of a world: before it executes this test it has the environment of its parent.
pub(crate) fn takes_part(process: u32) -> bool {
    let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|variable| variable.starts_with(MARK.as_bytes()))
}

/// Sends a signal to a process, which may be gone.
pub(crate) fn signal(process: u32, signal: Signal) {
    let process = Pid::from_raw(process.cast_signed()).expect("a process has a number above 0");
    _ = kill_process(process, signal);
}

/// Number of open descriptors of this process.
pub(crate) fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").expect("the system shows descriptors").count()
}

/// The reason why something of a run is left in this process; `None` if nothing is. `before` is the number of descriptors before the run.
pub(crate) fn left_behind(before: usize) -> Option<String> {
    let (left, now) = (children(std::process::id()), descriptors());
    (!left.is_empty() || now != before)
        .then(|| format!("processes {left:?} are left, and {now} descriptors are open after {before}"))
}

/// Random numbers: the scattered bits of consecutive ones.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(1);
        mix(self.0)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// The end of a process.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    /// Standard error.
    pub(crate) said: String,
}

/// This test, to be executed again.
pub(crate) fn again() -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a test has a path"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// This test, to be executed again by a shell after `first`, such as a limit.
pub(crate) fn after(first: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{first} && exec \"$0\" \"$@\"")]);
    command.arg(std::env::current_exe().expect("a test has a path")).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// The standard input of a process: one end of a pair.
pub(crate) fn at_stdin(command: &mut Command, there: impl Into<OwnedFd>) {
    command.stdin(Stdio::from(there.into()));
}

/// Waits for the end of a process.
///
/// # Errors
/// If it hangs. It is killed then.
pub(crate) fn end_of(mut child: Child) -> Result<Ended, String> {
    let start = Instant::now();
    let mut stderr = child.stderr.take().expect("it is piped");
    let reader = thread::spawn(move || {
        let mut said = Vec::new();
        _ = stderr.read_to_end(&mut said);
        String::from_utf8_lossy(&said).into_owned()
    });
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            let said = reader.join().expect("reading does not panic");
            return Ok(Ended { status, said });
        }
        if start.elapsed() > PATIENCE {
            let left = children(child.id());
            left.iter().for_each(|process| signal(*process, Signal::KILL));
            _ = child.kill();
            _ = child.wait();
            return Err(format!("it hangs: it is not over after {PATIENCE:?}, with the processes {left:?}"));
        }
        thread::sleep(Duration::from_millis(2));
    }
}
