//! A watchdog for runs: it ends the process when a run does not end, because a world cannot be stopped from outside.
//!
//! This module must never know the runs.

use std::fs;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Interval of the watchdog's checks.
const GLANCE: Duration = Duration::from_millis(200);

/// The present run: its name, and its start.
type Current = Mutex<Option<(String, Instant)>>;

/// A watchdog.
pub(super) struct Watch {
    current: Arc<Current>,
}

impl Watch {
    /// Starts the watchdog: from now on no run may take longer than `limit`.
    pub(super) fn start(limit: Duration) -> Self {
        let current = Arc::new(Mutex::new(None));
        let watched = Arc::downgrade(&current);
        thread::spawn(move || {
            // When all runs are over there is nothing to watch.
            while let Some(current) = watched.upgrade() {
                if let Some((what, since)) = &*lock(&current)
                    && since.elapsed() > limit
                {
                    eprintln!("hangs for {limit:?}: {what}\n{}", threads());
                    std::process::exit(1);
                }
                drop(current);
                thread::sleep(GLANCE);
            }
        });
        Self { current }
    }

    pub(super) fn begin(&self, what: String) {
        *lock(&self.current) = Some((what, Instant::now()));
    }

    pub(super) fn end(&self) {
        *lock(&self.current) = None;
    }
}

fn lock(current: &Current) -> MutexGuard<'_, Option<(String, Instant)>> {
    current.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state of each OS thread of this process, if the system shows it: its name, running (R) or sleeping (S), and the place.
fn threads() -> String {
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return String::new() };
    let line = |task: fs::DirEntry| {
        let read = |file: &str| fs::read_to_string(task.path().join(file)).unwrap_or_default();
        let stat = read("stat");
        let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').next());
        format!("  {}: {} {}\n", read("comm").trim(), state.unwrap_or("?"), read("wchan").trim())
    };
    tasks.filter_map(Result::ok).map(line).collect()
}
