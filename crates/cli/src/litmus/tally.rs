//! What the trials of one world show together. Must never know how that looks.

use apps::litmus::Question;

use super::trial::{Trial, Verdict};

/// Counts over all tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Tally {
    /// Tests that ended well.
    pub(super) ran: usize,
    /// Tests that did not.
    pub(super) failed: usize,
    /// States that were seen though they are not allowed.
    pub(super) forbidden: usize,
    /// States that are allowed, of all tests.
    pub(super) allowed: usize,
    /// Those of them that were seen.
    pub(super) reached: usize,
    /// Tests that allow several states.
    pub(super) with_several: usize,
    /// Those of them of which several were seen.
    pub(super) showing_several: usize,
}

impl Tally {
    pub(super) fn of<'t>(trials: impl Iterator<Item = (&'t Question, &'t Trial)>) -> Self {
        let mut tally = Self::default();
        trials.for_each(|(question, trial)| tally.add(question, trial));
        tally
    }

    fn add(&mut self, question: &Question, trial: &Trial) {
        let reached = trial.reached(question);
        let failed = trial.verdict(question) == Verdict::Failed;
        self.ran += usize::from(!failed);
        self.failed += usize::from(failed);
        self.forbidden += trial.forbidden(question).count();
        self.allowed += question.allowed.len();
        self.reached += reached;
        self.with_several += usize::from(question.allowed.len() > 1);
        self.showing_several += usize::from(reached > 1);
    }

    /// Whether every run ended well and nothing forbidden was seen.
    pub(super) fn is_clean(&self) -> bool {
        self.failed == 0 && self.forbidden == 0
    }

    /// How much of what is allowed was seen.
    pub(super) fn coverage(&self) -> f64 {
        if self.allowed == 0 { 1.0 } else { self.reached as f64 / self.allowed as f64 }
    }
}
