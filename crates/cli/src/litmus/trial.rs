//! One test in one world: runs it, and finds what was seen of what is allowed. Must never know how that looks.

use std::collections::BTreeSet;
use std::sync::Arc;

use apps::litmus::{Dose, Experiment, Placement, Question, Seen, State};
use tempest::{Failure, Launch, Mechanism};

use super::World;
use crate::Problem;

/// What came of a test in a world.
pub(super) struct Trial {
    /// How often each state was seen, by placement.
    pub(super) seen: [Seen; 2],
    /// Why the run did not end well, if so: then nothing was seen.
    pub(super) failure: Option<String>,
    /// Rounds after which the condition held, and all others.
    pub(super) positive: u64,
    pub(super) negative: u64,
}

/// What a trial says of the memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// Every state that was seen is allowed.
    Ok,
    /// One is not.
    Forbidden,
    /// The run did not end well.
    Failed,
}

impl Trial {
    /// Runs a test.
    ///
    /// # Errors
    /// If the world cannot run it at all.
    pub(super) fn run(question: &Arc<Question>, world: &World, dose: Dose) -> Result<Self, Problem> {
        let experiment = Experiment::new(Arc::clone(question), dose);
        let job = experiment.job().map_err(|bad| Problem::wrong(bad.to_string()))?;
        let launch = Launch {
            mechanism: Mechanism::SharedMemory,
            nodes: question.nodes(),
            processors: world.processors,
            seed: dose.seed,
            ..Launch::new(job, world.policy.clone())
        };
        let failure = match world.target.world().run(&launch) {
            Ok(_) => None,
            Err(Failure::Refused(why)) => return Err(Problem::wrong(world.target.refusing(why))),
            Err(failure) => Some(failure.to_string()),
        };
        Ok(Self::new(question, Placement::ALL.map(|placement| experiment.seen(placement)), failure))
    }

    fn new(question: &Question, seen: [Seen; 2], failure: Option<String>) -> Self {
        let formula = &question.test.condition.formula;
        let states = seen.iter().flatten();
        let (holds, fails): (Vec<_>, Vec<_>) = states.partition(|(state, _)| question.holds(formula, state));
        let [positive, negative] = [holds, fails].map(|states| states.iter().map(|(_, count)| **count).sum());
        Self { seen, failure, positive, negative }
    }

    /// All states that were seen.
    pub(super) fn states(&self) -> BTreeSet<&State> {
        self.seen.iter().flat_map(Seen::keys).collect()
    }

    /// How often a state was seen, by placement.
    pub(super) fn counts(&self, state: &State) -> [u64; 2] {
        self.seen.each_ref().map(|seen| seen.get(state).copied().unwrap_or(0))
    }

    /// How many of the states that are allowed were seen.
    pub(super) fn reached(&self, question: &Question) -> usize {
        self.states().into_iter().filter(|state| question.allowed.contains(*state)).count()
    }

    /// The states that were seen though they are not allowed.
    pub(super) fn forbidden<'t>(&'t self, question: &'t Question) -> impl Iterator<Item = &'t State> {
        self.states().into_iter().filter(|state| !question.allowed.contains(*state))
    }

    pub(super) fn verdict(&self, question: &Question) -> Verdict {
        if self.failure.is_some() {
            Verdict::Failed
        } else if self.forbidden(question).next().is_some() {
            Verdict::Forbidden
        } else {
            Verdict::Ok
        }
    }

    /// After how many rounds the condition held, in the word that logs of litmus tests have for it.
    pub(super) fn observation(&self) -> &'static str {
        match (self.positive, self.negative) {
            (0, _) => "Never",
            (_, 0) => "Always",
            _ => "Sometimes",
        }
    }
}

impl Verdict {
    /// As people and scripts read it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Forbidden => "forbidden",
            Self::Failed => "failed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tally::Tally;
    use super::*;

    /// Store buffering, after so many rounds in each of these states.
    fn trial(seen: &[([i64; 2], u64)], condition: &str) -> (Question, Trial) {
        let rows = "P0|P1;\nMOV [x],$1|MOV [y],$1;\nMOV EAX,[y]|MOV EAX,[x];";
        let text = format!("X86 SB\n{{}}\n{rows}\n{condition} (0:EAX=1 /\\ 1:EAX=1)\n");
        let question = Question::new(formats::litmus::read("SB", text.as_bytes()).unwrap()).unwrap();
        let seen = seen.iter().map(|(state, count)| (state.to_vec(), *count)).collect();
        let trial = Trial::new(&question, [seen, Seen::new()], None);
        (question, trial)
    }

    #[test]
    fn a_forbidden_state_is_told_whatever_the_condition() {
        for condition in ["exists", "~exists", "forall"] {
            let (question, trial) = trial(&[([0, 0], 1), ([0, 1], 7)], condition);
            assert_eq!(trial.verdict(&question), Verdict::Forbidden);
            assert_eq!(trial.forbidden(&question).collect::<Vec<_>>(), [&[0, 0]]);
            assert_eq!((trial.reached(&question), trial.counts(&vec![0, 0])), (1, [1, 0]));
            let tally = Tally::of([(&question, &trial)].into_iter());
            assert!(!tally.is_clean());
            assert_eq!((tally.forbidden, tally.reached, tally.allowed), (1, 1, 3));
        }
    }

    #[test]
    fn the_observation_says_how_often_the_formula_held() {
        let observe = |seen: &[([i64; 2], u64)]| {
            let (question, trial) = trial(seen, "exists");
            assert_eq!(trial.verdict(&question), Verdict::Ok);
            (trial.observation(), trial.positive, trial.negative)
        };
        assert_eq!(observe(&[([0, 1], 2), ([1, 0], 3)]), ("Never", 0, 5));
        assert_eq!(observe(&[([1, 1], 2), ([1, 0], 3)]), ("Sometimes", 2, 3));
        assert_eq!(observe(&[([1, 1], 2)]), ("Always", 2, 0));
    }

    #[test]
    fn a_run_that_did_not_end_well_is_no_success() {
        let (question, trial) = trial(&[], "exists");
        let trial = Trial { failure: Some("deadlock".to_owned()), ..trial };
        assert_eq!(trial.verdict(&question), Verdict::Failed);
        assert!(!Tally::of([(&question, &trial)].into_iter()).is_clean());
    }
}
