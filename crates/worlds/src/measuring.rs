//! Repeated runs of a combination. This module must never know how a run is started.

use std::ops::ControlFlow;

use compare::Combination;

use crate::rounds::{End, Together, Turn};
use crate::{Error, Repeat, Setting};

/// A combination that is being run, once or several times. Another thread may ask for the result of the runs that are over while
/// one is in progress.
#[derive(Debug)]
pub struct Measuring(Together);

impl Measuring {
    /// Runs the combination, and calls `tell` before each run; if that breaks, the run does not begin.
    pub fn run(&self, mut tell: impl FnMut(Turn) -> ControlFlow<()>) {
        self.0.run(&mut tell);
    }

    /// The result of the runs that are over; `None` if none of them counts.
    ///
    /// # Errors
    /// [`Error::Wrong`] if the target or the program cannot run so; [`Error::Failed`] if a run did not end well.
    pub fn so_far(&self) -> Result<Option<Combination>, Error> {
        match self.0.ends().pop() {
            Some(End::Ran(combination)) => Ok(Some(combination)),
            Some(End::Failed(error)) => Err(error),
            Some(End::Stopped) | None => Ok(None),
        }
    }
}

impl Setting {
    /// Runs the combination as often as `repeat` says, and calls `tell` before each run. On a break the run does not
    /// begin, and the result is that of the runs before it; `None` if none of them counts.
    ///
    /// More than one run on this host comes after one that warms up and does not count.
    ///
    /// # Errors
    /// [`Error::Wrong`] if the target or the program cannot run so; [`Error::Failed`] if a run did not end well.
    pub fn measure(
        &self,
        repeat: Repeat,
        tell: impl FnMut(Turn) -> ControlFlow<()>,
    ) -> Result<Option<Combination>, Error> {
        let measuring = self.begin(repeat);
        measuring.run(tell);
        measuring.so_far()
    }

    /// Makes ready to run the combination as often as `repeat` says.
    pub fn begin(&self, repeat: Repeat) -> Measuring {
        Measuring(Together::new(vec![self.clone()], repeat))
    }
}
