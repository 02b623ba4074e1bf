//! A watchdog: what hangs is left behind, and told.
//!
//! This module must never know what it watches.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// What has not ended after so long hangs. Every run of these tests ends within two seconds on an idle host.
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs `body` in an OS thread of its own and returns what it returns.
///
/// # Errors
/// If it panics or hangs. A body that hangs is left behind.
pub(crate) fn watched<T: Send + 'static>(body: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        // Whoever has lost patience listens no longer.
        let _ = tell.send(catch_unwind(AssertUnwindSafe(body)).ok());
    });
    match told.recv_timeout(PATIENCE) {
        Ok(Some(result)) => Ok(result),
        Ok(None) | Err(RecvTimeoutError::Disconnected) => Err("panicked instead of returning".to_owned()),
        Err(RecvTimeoutError::Timeout) => Err(format!("not over after {PATIENCE:?}: it hangs")),
    }
}
