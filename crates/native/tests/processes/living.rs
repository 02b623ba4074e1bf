//! Processes that are not lost: beside busy loops that take their cores, and after a stop of the whole job.
//!
//! This module must never know the implementation of the world.

use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use tradewind_bench::beside;
use tradewind_native::Processes;

use crate::kit::{again, children, descriptors, end_of, left_behind, signal, takes_part};
use crate::programs::{LAUNCH, Run};

const NODES: u32 = 4;

const LOOPS: usize = 8;

/// The usual timeout, in milliseconds.
const USUAL: u64 = Processes::PEER_TIMEOUT.as_millis() as u64;

/// Runs the part. Returns the failed checks.
pub(crate) fn broken(full: bool) -> Vec<String> {
    let began = Instant::now();
    let times = if full { 1000 } else { 5 };
    let short = Run { program: "fetch-add", work: 2000, nodes: NODES, timeout_ms: USUAL };
    let mut broken = beside(LOOPS, || {
        let run = |number| {
            let before = descriptors();
            let failed = match short.run() {
                Ok(outcome) if outcome.report.verified() => None,
                Ok(outcome) => Some(outcome.report.failures.join("; ")),
                Err(failure) => Some(failure.to_string()),
            };
            let why = failed.or_else(|| left_behind(before))?;
            Some(format!("{short} beside {LOOPS} busy loops, run {number}: {why}"))
        };
        (0..times).filter_map(run).collect::<Vec<String>>()
    });
    println!("{times} runs beside {LOOPS} busy loops, {} broken, in {:?}", broken.len(), began.elapsed());
    // Three times as long as the timeout, so a count that goes on meanwhile is found.
    let mut stops = vec![(300, Duration::from_secs(1), true), (300, Duration::from_secs(1), false)];
    if full {
        stops.push((USUAL, Duration::from_secs(20), true));
    }
    for (timeout_ms, length, launcher_first) in stops {
        let began = Instant::now();
        let stopped = stopped(timeout_ms, length, launcher_first);
        println!(
            "a job with a timeout of {timeout_ms} ms was stopped for {length:?}, and ended after {:?}",
            began.elapsed()
        );
        broken.extend(
            stopped
                .err()
                .map(|why| format!("a job with a timeout of {timeout_ms} ms, stopped for {length:?}: {why}")),
        );
    }
    broken
}

/// Stops a launcher and its processes for a while in the middle of a run, which then has to end well.
fn stopped(timeout_ms: u64, length: Duration, launcher_first: bool) -> Result<(), String> {
    let long = Run { program: "fetch-add", work: 4_000_000, nodes: NODES, timeout_ms };
    let order = long.to_string();
    let launcher = again().args([LAUNCH, &order]).spawn().map_err(|error| error.to_string())?;
    let members = || children(launcher.id());
    while members().iter().filter(|process| takes_part(**process)).count() < NODES as usize {
        thread::sleep(Duration::from_millis(1));
    }
    thread::sleep(Duration::from_millis(100));
    let mut all = members();
    if all.len() != NODES as usize {
        return Err(format!("the run was over before it was stopped: {:?}", end_of(launcher)));
    }
    all.insert(if launcher_first { 0 } else { all.len() }, launcher.id());
    all.iter().for_each(|process| signal(*process, Signal::STOP));
    thread::sleep(length);
    all.iter().for_each(|process| signal(*process, Signal::CONT));
    let ended = end_of(launcher)?;
    if ended.status.success() { Ok(()) } else { Err(format!("{ended:?}")) }
}
