//! Whether the host left a run its cores: the time that runnable threads waited for one.
//!
//! Only Linux tells; elsewhere every run counts as undisturbed. It must never know the program that runs.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Time that threads which have ended had waited, in nanoseconds.
static ENDED: AtomicU64 = AtomicU64::new(0);

/// The second number of a `schedstat`.
fn nanoseconds(path: &str) -> u64 {
    let read = || fs::read_to_string(path).ok()?.split_whitespace().nth(1)?.parse().ok();
    read().unwrap_or(0)
}

/// To be called by a thread that will not live until the end of its run.
pub(crate) fn leave() {
    ENDED.fetch_add(nanoseconds("/proc/thread-self/schedstat"), Ordering::Relaxed);
}

/// Time that all threads, ended ones included, have waited until now.
pub(crate) fn waited() -> Duration {
    let living = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let living: u64 = living.map(|task| nanoseconds(&format!("{}/schedstat", task.path().display()))).sum();
    Duration::from_nanos(living + ENDED.load(Ordering::Relaxed))
}
