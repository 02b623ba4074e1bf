//! Interrupts: an interrupted command prints its finished results, and then ends by the signal, as scripts expect. This
//! module must never know the work in progress.
//!
//! The work stays on the thread where it would be without this, so that its measurements do not change. A second thread
//! sleeps until the first signal comes; it prints the finished results and ends the process without waiting for the
//! work in progress. A second signal ends the process at once, and so does a signal where nothing can be printed.

use std::fs;
use std::io;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag::register_conditional_default;
use signal_hook::iterator::{Handle, Signals};
use signal_hook::low_level::{emulate_default_handler, signal_name};

/// The signals that end a command: an interrupt at the terminal, the polite request to end, the end of the terminal.
const ENDING: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// Whether a signal ends the process at once: there are no results to print, or they are being printed.
static AT_ONCE: AtomicBool = AtomicBool::new(true);

/// Does `work` and returns its result. If a signal comes meanwhile, `tell` is called with the name of the signal, on another
/// thread, and the process ends by the signal when `tell` returns; then this function does not return.
pub(crate) fn or_tell<R>(work: impl FnOnce() -> R, tell: impl FnOnce(&'static str) + Send) -> R {
    // Without signals the command still works.
    let Ok(mut signals) = listen() else { return work() };
    thread::scope(|scope| {
        let end = End(signals.handle());
        scope.spawn(move || {
            let Some(signal) = signals.forever().next() else { return };
            AT_ONCE.store(true, Ordering::SeqCst);
            tell(signal_name(signal).unwrap_or("a signal"));
            if emulate_default_handler(signal).is_err() {
                std::process::exit(128 + signal);
            }
        });
        let done = work();
        drop(end);
        done
    })
}

/// Begins to collect signals. Signals that the process was told to ignore, such as an interrupt in a script's
/// background process, stay ignored.
fn listen() -> io::Result<Signals> {
    static FIRST: Once = Once::new();
    let ending: Vec<_> = ENDING.into_iter().filter(|signal| !is_ignored(*signal)).collect();
    FIRST.call_once(|| {
        for signal in &ending {
            // Without it a second signal waits until all is told.
            let _ = register_conditional_default(*signal, &AT_ONCE);
        }
    });
    let signals = Signals::new(&ending)?;
    AT_ONCE.store(false, Ordering::SeqCst);
    Ok(signals)
}

/// Whether the process that began this one had it ignore a signal. Known on Linux only.
fn is_ignored(signal: i32) -> bool {
    let Ok(status) = fs::read_to_string("/proc/self/status") else { return false };
    ignored(&status).is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// The set of ignored signals in the text of a process's status: bit 0 is signal 1.
fn ignored(status: &str) -> Option<u64> {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

/// The end of the time in which a signal is told of, also if the work panics.
struct End(Handle);

impl Drop for End {
    fn drop(&mut self) {
        AT_ONCE.store(true, Ordering::SeqCst);
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read_from_a_status() {
        let status = "Name:\tx\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001003\nSigCgt:\t0\n";
        assert_eq!(ignored(status), Some(0x1003));
        assert_eq!(ignored("Name:\tx\n"), None);
    }
}
