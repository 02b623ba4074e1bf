//! The bar on standard error, drawn only on a terminal and only between runs, so that it costs a run nothing.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How far a command has come.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Of so many runs; a single one needs no bar.
    pub(crate) fn of(runs: u64) -> Self {
        let target = if runs > 1 { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let style = ProgressStyle::with_template("{bar:24} {pos}/{len}  {wide_msg}");
        Self(ProgressBar::with_draw_target(Some(runs), target).with_style(style.expect("the template is a good one")))
    }

    /// Says what is about to run.
    pub(crate) fn say(&self, what: String) {
        self.0.set_message(what);
        self.0.force_draw();
    }

    /// One run less to go.
    pub(crate) fn step(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
