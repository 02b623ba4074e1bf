//! The progress of a long command, on standard error: a bar on a terminal, elsewhere a line now and then. This module must
//! never know what is being done.
//!
//! An interrupt leaves a clean line: the bar is wiped before the signal does what it always does.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use report::page::is_unicode;

use crate::interrupt;

/// The time between two lines where there is no bar: a command that is over sooner prints nothing but its result.
const APART: Duration = Duration::from_secs(10);

/// The progress of a command, shown for as long as this value lives.
pub(crate) struct Progress {
    bar: ProgressBar,
    log: Option<Log>,
}

impl Progress {
    /// The progress of so many steps, told by the command of this name.
    pub(crate) fn new(name: &str, steps: usize) -> Self {
        if !io::stderr().is_terminal() {
            return Self {
                bar: ProgressBar::hidden(),
                log: Log::begin(name, steps, APART, io::stderr()).ok(),
            };
        }
        let style =
            ProgressStyle::with_template("{bar:24} {pos}/{len} {wide_msg}").expect("the template is right");
        let style = if is_unicode() { style } else { style.progress_chars("#>-") };
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::stderr());
        let bar = bar.with_style(style);
        let wiped = bar.clone();
        // Without it the command still works; only the line is not wiped.
        let _ = interrupt::tidy_first(move || wiped.finish_and_clear());
        Self { bar, log: None }
    }

    /// Names the step that begins now.
    pub(crate) fn begin(&self, what: String) {
        if let Some(log) = &self.log {
            log.change(|now| now.what.clone_from(&what));
        }
        self.bar.set_message(what);
    }

    /// Counts a step that is over.
    pub(crate) fn step(&self) {
        if let Some(log) = &self.log {
            log.change(|now| now.done += 1);
        }
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The state of a command's progress.
#[derive(Debug)]
struct Now {
    /// The name of the command.
    name: String,
    done: usize,
    steps: usize,
    /// The step that is being done.
    what: String,
}

impl Now {
    fn line(&self) -> String {
        format!("{}: {} of {} done, now {}", self.name, self.done, self.steps, self.what)
    }
}

/// A thread that sleeps, and writes a line whenever it wakes: a single step may take long. A sleeping thread disturbs no
/// measurement.
struct Log {
    now: Arc<Mutex<Now>>,
    /// The channel on which nothing is ever sent; its end ends the thread.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Log {
    fn begin(
        name: &str,
        steps: usize,
        apart: Duration,
        mut out: impl Write + Send + 'static,
    ) -> io::Result<Self> {
        let now = Now { name: name.to_owned(), done: 0, steps, what: String::new() };
        let now = Arc::new(Mutex::new(now));
        let (end, ended) = mpsc::channel::<()>();
        let read = Arc::clone(&now);
        let thread = thread::Builder::new().spawn(move || {
            while ended.recv_timeout(apart) == Err(RecvTimeoutError::Timeout) {
                let line = read.lock().unwrap_or_else(PoisonError::into_inner).line();
                // There is nobody left to tell if this fails.
                let _ = writeln!(out, "{line}");
            }
        })?;
        Ok(Self { now, end: Some(end), thread: Some(thread) })
    }

    fn change(&self, change: impl FnOnce(&mut Now)) {
        change(&mut self.now.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // It has no reason to panic, and if it did there is nothing to be done about it.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines as they come.
    struct Lines(Sender<String>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.send(String::from_utf8_lossy(bytes).into_owned()).map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_step_that_takes_long_is_told_of_while_it_lasts() {
        let (sender, lines) = mpsc::channel();
        let log = Log::begin("mine", 3, Duration::from_millis(2), Lines(sender)).unwrap();
        log.change(|now| {
            now.done = 1;
            now.what = "toy by messages".to_owned();
        });
        // Nothing more happens, and it is said again and again; a line may come in pieces.
        let mut said = String::new();
        while said.matches("mine: 1 of 3 done, now toy by messages\n").count() < 2 {
            said += &lines.recv().unwrap();
        }
        drop(log);
        assert!(lines.iter().all(|piece| !piece.contains("2 of 3")));
    }

    #[test]
    fn what_is_over_soon_says_nothing() {
        let (sender, lines) = mpsc::channel();
        drop(Log::begin("mine", 3, APART, Lines(sender)).unwrap());
        assert_eq!(lines.iter().count(), 0);
    }
}
