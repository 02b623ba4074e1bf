//! How far a long command is, on standard error, if that is a terminal. Must never know what is being done.
//!
//! Whoever interrupts the command gets a clean line back: the bar is wiped before the signal does what it always does.

use std::io::{self, IsTerminal};
use std::thread;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::page;

/// A bar, or nothing where nobody looks.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Of so many steps.
    pub(crate) fn new(steps: usize) -> Self {
        if !io::stderr().is_terminal() {
            return Self { bar: ProgressBar::hidden() };
        }
        let style =
            ProgressStyle::with_template("{bar:24} {pos}/{len} {wide_msg}").expect("the template is right");
        let style = if page::is_unicode() { style } else { style.progress_chars("#>-") };
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::stderr());
        let bar = bar.with_style(style);
        wipe_when_interrupted(bar.clone());
        Self { bar }
    }

    /// What is being done now.
    pub(crate) fn begin(&self, what: String) {
        self.bar.set_message(what);
    }

    /// It is done.
    pub(crate) fn step(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn wipe_when_interrupted(bar: ProgressBar) {
    // Without it the command still works; only the line is not wiped.
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
    thread::spawn(move || {
        for signal in signals.forever() {
            bar.finish_and_clear();
            if emulate_default_handler(signal).is_err() {
                std::process::exit(128 + signal);
            }
        }
    });
}
