//! Looks on while runs are done, and ends the process when one does not end: a world cannot be stopped from outside.
//!
//! This module must never know what is run.

use std::fs;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often to look.
const GLANCE: Duration = Duration::from_millis(200);

/// The run that is going on: what it is, and since when.
type Current = Mutex<Option<(String, Instant)>>;

/// Somebody who looks on.
pub(super) struct Watch {
    current: Arc<Current>,
}

impl Watch {
    /// From now on no run may take longer than `limit`.
    pub(super) fn start(limit: Duration) -> Self {
        let current = Arc::new(Mutex::new(None));
        let watched = Arc::downgrade(&current);
        thread::spawn(move || {
            // When nobody runs anything any more there is nothing to look at.
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

/// What each OS thread of this process does, where the system says so: its name, and whether it runs (R) or sleeps (S) and
/// where.
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
