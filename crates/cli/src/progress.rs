//! The progress of a long command, on standard error: a bar on a terminal, elsewhere a line now and then, both with an
//! estimate of the remaining time. This module must never know the work in progress.
//!
//! The working thread only changes a few numbers. Another thread draws them: after a second, and every second from then
//! on where there is a terminal; elsewhere after ten seconds, and each time after a longer while. In between that
//! thread sleeps. So a measurement of less than a second is not disturbed at all. In a longer one the thread takes 0.01
//! % of one core: 1.3 ms in eleven seconds, as `/proc/PID/task/TID/schedstat` has it of a debug build that runs
//! `work-costs` on a terminal.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use report::page::is_unicode;
use report::quantity::roughly;
use units::text;

/// The time between two drawings of the bar, and until the first.
const REDRAWN: Duration = Duration::from_secs(1);

/// The time until the first line where there is no terminal. It doubles with each line.
const FIRST_LINE: Duration = Duration::from_secs(10);

/// The longest time between two lines.
const SELDOM: Duration = Duration::from_secs(300);

/// The least time that is told to be left.
const LEAST: Duration = Duration::from_secs(1);

/// The progress of a command, shown until it is ended or dropped.
pub(crate) struct Progress {
    now: Arc<Mutex<Now>>,
    shown: Mutex<Option<Shown>>,
}

impl Progress {
    /// The progress of the command of this name, which begins now.
    pub(crate) fn begin(name: &str) -> Self {
        let now = Arc::new(Mutex::new(Now::new(Instant::now())));
        let read = Arc::clone(&now);
        let shown = match io::stderr().is_terminal() {
            true => {
                let bar = Bar::new();
                Shown::begin(REDRAWN, REDRAWN, move || bar.draw(&lock(&read)))
            }
            false => {
                let name = name.to_owned();
                Shown::begin(FIRST_LINE, SELDOM, move || {
                    let line = lock(&read).line(Instant::now());
                    // A failure to print cannot be reported any more.
                    let _ = writeln!(io::stderr().lock(), "{name}: {line}");
                })
            }
        };
        // Without a thread the command works, and is silent.
        Self { now, shown: Mutex::new(shown.ok()) }
    }

    /// Sets the number of all steps.
    pub(crate) fn expect(&self, steps: usize) {
        lock(&self.now).steps = steps;
    }

    /// Names a step that begins now.
    pub(crate) fn start(&self, what: String) {
        let mut now = lock(&self.now);
        now.started += 1;
        now.changed = Instant::now();
        now.what = text::shown(&what).into_owned();
    }

    /// Sets the function that says how far the present step is. It is called whenever the progress is shown.
    pub(crate) fn watch(&self, within: impl Fn() -> String + Send + 'static) {
        lock(&self.now).within = Some(Within(Box::new(within)));
    }

    /// Counts a step that is over.
    pub(crate) fn step(&self) {
        let mut now = lock(&self.now);
        now.done += 1;
        now.changed = Instant::now();
    }

    /// Counts a step that took no time, because its result was known.
    pub(crate) fn skip(&self) {
        let mut now = lock(&self.now);
        now.done += 1;
        now.skipped += 1;
    }

    /// The number of steps that are over, and of all.
    pub(crate) fn count(&self) -> (usize, usize) {
        let now = lock(&self.now);
        (now.done, now.steps)
    }

    /// Wipes the bar, and shows nothing more.
    pub(crate) fn end(&self) {
        drop(lock(&self.shown).take());
    }
}

/// Locks a mutex, also after a panic of another thread.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state of a command's progress.
#[derive(Debug)]
struct Now {
    begun: Instant,
    /// The number of all steps; 0 if it is not known.
    steps: usize,
    started: usize,
    done: usize,
    /// Steps among those done that took no time.
    skipped: usize,
    /// The time at which a step began or was over last.
    changed: Instant,
    /// The step that was started last.
    what: String,
    /// The progress within that step, in words; asked for when the progress is shown.
    within: Option<Within>,
}

/// A way to ask how far a step is.
struct Within(Box<dyn Fn() -> String + Send>);

impl fmt::Debug for Within {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0())
    }
}

impl Now {
    fn new(begun: Instant) -> Self {
        Self {
            begun,
            steps: 0,
            started: 0,
            done: 0,
            skipped: 0,
            changed: begun,
            what: String::new(),
            within: None,
        }
    }

    /// The remaining time, if the steps to come take as long as the finished ones; steps in progress count as half
    /// done. A step in progress for long is assumed to last as long again. `None` before any step is finished.
    fn left(&self, at: Instant) -> Option<Duration> {
        let worked = self.done.checked_sub(self.skipped).filter(|worked| *worked > 0)?;
        let half = self.started.saturating_sub(self.done) as f64 / 2.0;
        let rest = self.steps as f64 - self.done as f64 - half;
        let elapsed = at.duration_since(self.begun).as_secs_f64();
        let left = Duration::from_secs_f64((elapsed * rest / (worked as f64 + half)).max(0.0));
        Some(left.max(at.duration_since(self.changed)).max(LEAST))
    }

    /// The time that is left and the present step, in words.
    fn rest(&self, at: Instant) -> String {
        let left = self.left(at).map(|left| format!("about {} left", roughly(left)));
        let what = (!self.what.is_empty()).then(|| format!("now {}", self.what));
        let within = self.within.as_ref().map(|within| within.0());
        left.into_iter().chain(within).chain(what).collect::<Vec<_>>().join(", ")
    }

    /// The time that has passed, and all else, in words.
    fn line(&self, at: Instant) -> String {
        let elapsed = roughly(at.duration_since(self.begun));
        match self.steps {
            0..=1 => format!("{elapsed} so far, {}", self.rest(at)),
            steps => format!("{} of {steps} done in {elapsed}, {}", self.done, self.rest(at)),
        }
    }
}

/// The line on a terminal.
struct Bar(ProgressBar);

impl Bar {
    fn new() -> Self {
        Self(ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()))
    }

    fn draw(&self, now: &Now) {
        let at = Instant::now();
        if now.steps > 1 {
            self.0.set_style(style("{bar:24} {pos}/{len} {wide_msg}"));
            self.0.set_length(now.steps as u64);
            self.0.set_position(now.done as u64);
            self.0.set_message(now.rest(at));
        } else {
            self.0.set_style(style("{wide_msg}"));
            self.0.set_message(now.line(at));
        }
        self.0.tick();
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).expect("the template is right");
    if is_unicode() { style } else { style.progress_chars("#>-") }
}

/// A thread that sleeps, and draws whenever it wakes.
struct Shown {
    /// The channel on which nothing is ever sent; its end ends the thread.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Shown {
    /// Draws after the time `first`, and then after times that double up to `most`.
    fn begin(first: Duration, most: Duration, mut draw: impl FnMut() + Send + 'static) -> io::Result<Self> {
        let (end, ended) = mpsc::channel::<()>();
        let thread = thread::Builder::new().spawn(move || {
            let mut apart = first;
            while ended.recv_timeout(apart) == Err(RecvTimeoutError::Timeout) {
                draw();
                apart = (apart * 2).min(most);
            }
        })?;
        Ok(Self { end: Some(end), thread: Some(thread) })
    }
}

impl Drop for Shown {
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

    fn now(started: usize, done: usize, skipped: usize) -> Now {
        let begun = Instant::now();
        let changed = begun + Duration::from_secs(16);
        let what = "toy by messages".to_owned();
        Now { begun, steps: 40, started, done, skipped, changed, what, within: None }
    }

    fn after(now: &Now, seconds: u64) -> Instant {
        now.begun + Duration::from_secs(seconds)
    }

    #[test]
    fn what_is_left_is_told_from_what_is_over() {
        let ten = now(10, 10, 0);
        assert_eq!(ten.left(after(&ten, 20)), Some(Duration::from_secs(60)));
        assert_eq!(ten.line(after(&ten, 20)), "10 of 40 done in 20 s, about 60 s left, now toy by messages");
        // Known steps say nothing about the time of the rest: one step in 20 s, and 30 more.
        let known = now(10, 10, 9);
        assert_eq!(known.left(after(&known, 20)), Some(Duration::from_secs(600)));
        // Four beside each other are half done on average, as if eight were over and 28 to come.
        let parallel = now(10, 6, 0);
        assert_eq!(parallel.left(after(&parallel, 16)), Some(Duration::from_secs(64)));
        let last = now(40, 39, 0);
        assert_eq!(last.left(after(&last, 17)), Some(LEAST));
        assert_eq!(last.left(after(&last, 46)), Some(Duration::from_secs(30)));
        let first = now(1, 0, 0);
        assert_eq!(first.left(after(&first, 20)), None);
        assert_eq!(first.line(after(&first, 20)), "0 of 40 done in 20 s, now toy by messages");
        let alone = Now { steps: 1, ..first };
        assert_eq!(alone.line(after(&alone, 20)), "20 s so far, now toy by messages");
        let model = Now { within: Some(Within(Box::new(|| "3 ms modelled".to_owned()))), ..alone };
        assert_eq!(model.line(after(&model, 20)), "20 s so far, 3 ms modelled, now toy by messages");
    }

    #[test]
    fn a_step_that_takes_long_is_told_of_while_it_lasts() {
        let (sender, drawn) = mpsc::channel();
        let often = Duration::from_millis(2);
        let shown = Shown::begin(often, often, move || sender.send(()).unwrap()).unwrap();
        // Nothing happens, and it is drawn again and again.
        (0..3).for_each(|_| drawn.recv().unwrap());
        drop(shown);
        drawn.iter().for_each(drop);
    }

    #[test]
    fn what_is_over_soon_says_nothing() {
        let (sender, drawn) = mpsc::channel();
        drop(Shown::begin(FIRST_LINE, SELDOM, move || sender.send(()).unwrap()).unwrap());
        assert_eq!(drawn.iter().count(), 0);
    }
}
