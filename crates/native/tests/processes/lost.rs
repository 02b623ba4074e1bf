//! Processes that are killed or stopped at random moments, from before they have settled to after the end of the run: the run ends in time,
//! either right or with an error that names the process, and leaves nothing behind.
//!
//! This module must never know the implementation of the world.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use tempest::outcome::{Failure, Outcome};

use crate::kit::{Random, children, descriptors, left_behind, signal, takes_part};
use crate::programs::Run;

const NODES: u32 = 4;

const TIMEOUT: Duration = Duration::from_millis(300);

/// Time beyond the timeout in which a run has to end.
const GRACE: Duration = Duration::from_secs(2);

/// Runs that take some tenths of a second.
const RUNS: [Run; 3] = [
    Run { program: "fetch-add", work: 50_000, nodes: NODES, timeout_ms: TIMEOUT.as_millis() as u64 },
    Run { program: "em3d", work: 100, nodes: NODES, timeout_ms: TIMEOUT.as_millis() as u64 },
    Run { program: "iccg", work: 0, nodes: NODES, timeout_ms: TIMEOUT.as_millis() as u64 },
];

const FAULTS: [(&str, Signal); 2] = [("killed", Signal::KILL), ("stopped", Signal::STOP)];

/// The fault of a run: the number of the process, and the moment.
type Struck = Option<(usize, Instant)>;

/// Runs the part. Returns the failed checks.
pub(crate) fn broken(full: bool) -> Vec<String> {
    let (began, times) = (Instant::now(), if full { 200 } else { 4 });
    let (mut broken, mut ended, mut lost, mut longest) = (Vec::new(), 0, 0, Duration::ZERO);
    for run in RUNS {
        let start = Instant::now();
        if let Err(failure) = run.run() {
            broken.push(format!("{run}, undisturbed: {failure}"));
            continue;
        }
        let whole = start.elapsed();
        for (name, fault) in FAULTS {
            for number in 0..times {
                let mut random = Random(number << 8 | fault.as_raw() as u64);
                // Every tenth moment is after the usual end.
                let at = Duration::from_micros(random.below(whole.as_micros() as u64 * 11 / 10));
                let victim = random.below(NODES.into()) as usize;
                let before = descriptors();
                let (struck, result) = disturbed(&run, fault, at, victim);
                let (now, what) = (Instant::now(), format!("{run}, process {victim} {name} after {at:?}"));
                match judge(struck, &result) {
                    Some(why) => broken.push(format!("{what}: {why}")),
                    None if result.is_ok() => ended += 1,
                    None => lost += 1,
                }
                if let Some((_, moment)) = struck {
                    longest = longest.max(now - moment);
                    if now - moment > TIMEOUT + GRACE {
                        broken.push(format!("{what}: the run ended {:?} later", now - moment));
                    }
                }
                broken.extend(left_behind(before).map(|left| format!("{what}: {left}")));
            }
        }
    }
    println!(
        "{lost} runs lost a process and {ended} ended right, {longest:?} after the fault at most; {} broken, in {:?}",
        broken.len(),
        began.elapsed()
    );
    broken
}

/// Runs a program, with a fault of process `victim` at the moment `at` from the start, or as soon as it takes part.
fn disturbed(run: &Run, fault: Signal, at: Duration, victim: usize) -> (Struck, Result<Outcome, Failure>) {
    let (start, over) = (Instant::now(), AtomicBool::new(false));
    thread::scope(|scope| {
        let hunter = scope.spawn(|| {
            thread::sleep(at.saturating_sub(start.elapsed()));
            while !over.load(Ordering::Relaxed) {
                // Processes are numbered in order of their start.
                if let Some(process) = children(std::process::id()).get(victim).filter(|of| takes_part(**of))
                {
                    signal(*process, fault);
                    return Some((victim, Instant::now()));
                }
                thread::sleep(Duration::from_micros(200));
            }
            None
        });
        let result = run.run();
        over.store(true, Ordering::Relaxed);
        (hunter.join().expect("the hunter does not panic"), result)
    })
}

/// The reason why the end of a run is wrong.
fn judge(struck: Struck, result: &Result<Outcome, Failure>) -> Option<String> {
    match (result, struck) {
        (Ok(outcome), _) => (!outcome.report.verified()).then(|| outcome.report.failures.join("; ")),
        (Err(Failure::Lost { process, .. }), Some((victim, _)))
            if process.starts_with(&format!("process {victim} (node {victim}) ")) =>
        {
            None
        }
        (Err(other), _) => Some(format!("expected the process to be lost, got `{other}`")),
    }
}
