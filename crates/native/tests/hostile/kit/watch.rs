//! A watchdog: hanging code is left behind and reported.
//!
//! This module must never know the watched code.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Time after which a body counts as hanging. Every run of these tests ends within two seconds on an idle host.
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs `body` in an OS thread of its own and returns what it returns.
///
/// # Errors
/// If it panics or hangs. A body that hangs is left behind.
pub(crate) fn watched<T: Send + 'static>(body: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        // After a timeout the receiver is gone.
        let _ = tell.send(catch_unwind(AssertUnwindSafe(body)).ok());
    });
    match told.recv_timeout(PATIENCE) {
        Ok(Some(result)) => Ok(result),
        Ok(None) | Err(RecvTimeoutError::Disconnected) => Err("panicked instead of returning".to_owned()),
        Err(RecvTimeoutError::Timeout) => Err(format!("not over after {PATIENCE:?}: it hangs")),
    }
}
