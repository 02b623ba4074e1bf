//! How far a long command is, on standard error, if that is a terminal. Must never know what is being done.
//!
//! Whoever interrupts the command gets a clean line back: the bar is wiped before the signal does what it always does.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{interrupt, page};

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
        let wiped = bar.clone();
        // Without it the command still works; only the line is not wiped.
        let _ = interrupt::tidy_first(move || wiped.finish_and_clear());
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
