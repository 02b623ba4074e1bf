//! Work that is done before an interrupt ends the command. This module must never know what work.

use std::io;
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// Calls `tidy` when the command is interrupted or terminated; then the signal does what it always does.
///
/// # Errors
/// The system's, when it will not have signals handled.
pub(crate) fn tidy_first(tidy: impl Fn() + Send + 'static) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    thread::spawn(move || {
        for signal in signals.forever() {
            tidy();
            if emulate_default_handler(signal).is_err() {
                std::process::exit(128 + signal);
            }
        }
    });
    Ok(())
}
