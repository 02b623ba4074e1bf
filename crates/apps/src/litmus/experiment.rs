//! One test run many times, and what was seen. Must never know how a thread of a test runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tempest::entry::Coherence;
use tempest::{BadLayout, Job};

use super::State;
use super::problem::Question;
use super::shared;

/// How variables lie in memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Placement {
    /// Each in a block of its own, at homes of their own.
    Apart,
    /// One behind the other, in one block if that has room for them.
    Together,
}

impl Placement {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Apart, Self::Together];

    /// As people and `--json` call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Apart => "apart",
            Self::Together => "together",
        }
    }

    /// That of a round.
    pub(super) fn of(round: u32) -> Self {
        if round.is_multiple_of(2) { Self::Apart } else { Self::Together }
    }
}

/// How often each final state was seen.
pub type Seen = BTreeMap<State, u64>;

/// How a test is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dose {
    /// How often.
    pub rounds: u32,
    /// Bytes of a coherence block.
    pub block: u32,
    /// What keeps blocks coherent.
    pub protocol: &'static Coherence,
    /// Seed of all that is left to chance.
    pub seed: u64,
    /// How threads meet.
    pub meeting: Meeting,
}

/// How threads meet before and after a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meeting {
    /// By messages, so that they meet also where the shared memory is wrong.
    Messages,
    /// Through the shared memory, where handlers of programs cannot run.
    Memory,
}

/// A test to be run many times, and what was seen.
#[derive(Debug)]
pub struct Experiment {
    pub(super) question: Arc<Question>,
    pub(super) dose: Dose,
    gathered: Mutex<Gathered>,
}

/// What nodes have handed in.
#[derive(Debug, Default)]
struct Gathered {
    /// Nodes of the present run that have.
    nodes: u32,
    /// By round and what is observed: its value.
    values: Vec<i64>,
    /// By placement.
    seen: [Seen; 2],
}

impl Experiment {
    /// Nothing has been seen yet.
    pub fn new(question: Arc<Question>, dose: Dose) -> Arc<Self> {
        Arc::new(Self { question, dose, gathered: Mutex::default() })
    }

    /// The job that adds to what was [seen](Self::seen), on as many [nodes](Question::nodes) of one thread each.
    ///
    /// # Errors
    /// If there is no shared memory of such blocks.
    pub fn job(self: &Arc<Self>) -> Result<Job, BadLayout> {
        shared::job(self)
    }

    /// What has been seen in all runs, by placement. States that the test's filter passes over are not among them.
    pub fn seen(&self, placement: Placement) -> Seen {
        self.lock().seen[placement as usize].clone()
    }

    fn lock(&self) -> MutexGuard<'_, Gathered> {
        // Nothing that can panic runs under the lock.
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what a node knows: values with their places among all. After the last node, the states of all rounds.
    pub(super) fn gather(&self, known: impl Iterator<Item = (usize, i64)>) -> Option<Vec<State>> {
        let observed = self.question.test.observed.len();
        let mut gathered = self.lock();
        gathered.values.resize(self.dose.rounds as usize * observed, 0);
        known.for_each(|(slot, value)| gathered.values[slot] = value);
        gathered.nodes += 1;
        if gathered.nodes < self.question.nodes() {
            return None;
        }
        gathered.nodes = 0;
        let values = std::mem::take(&mut gathered.values);
        // A test that observes nothing has one state, that of no values.
        let state = |round: usize| values[round * observed..(round + 1) * observed].to_vec();
        Some((0..self.dose.rounds as usize).map(state).collect())
    }

    /// Counts the states of all rounds; the forbidden ones among them.
    pub(super) fn count(&self, states: Vec<State>) -> BTreeSet<String> {
        let question = &self.question;
        let mut gathered = self.lock();
        let mut forbidden = BTreeSet::new();
        for (round, state) in (0..).zip(states) {
            if question.passes(&state) {
                if !question.allowed.contains(&state) {
                    forbidden.insert(question.state_name(&state));
                }
                *gathered.seen[Placement::of(round) as usize].entry(state).or_default() += 1;
            }
        }
        forbidden
    }
}
