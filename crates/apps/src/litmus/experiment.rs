//! A litmus test that is run many times, and the final states that were seen. This module must never know how a thread of a test
//! runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tempest::entry::Coherence;
use tempest::memory::Frames;

use super::problem::Question;
use super::reference::State;

/// The placement of the variables of a test in shared memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Placement {
    /// Each variable lies in a block of its own, at a home of its own.
    Apart,
    /// The variables lie one behind the other, in one block if the block has room for them.
    Together,
}

impl Placement {
    /// Both placements.
    pub const ALL: [Self; 2] = [Self::Apart, Self::Together];

    /// The name of the placement in tables and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Apart => "apart",
            Self::Together => "together",
        }
    }

    /// The placement in a round: even and odd rounds differ.
    pub(super) fn of(round: u32) -> Self {
        if round.is_multiple_of(2) { Self::Apart } else { Self::Together }
    }
}

/// The number of times that each final state was seen.
pub type Seen = BTreeMap<State, u64>;

/// The settings with which a test is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dose {
    /// The number of rounds in one run.
    pub rounds: u32,
    /// The bytes of a coherence block.
    pub block: u32,
    /// The protocol that keeps blocks coherent.
    pub protocol: &'static Coherence,
    /// The seed of all random choices.
    pub seed: u64,
    /// The kind of barrier before and after a round.
    pub meeting: Meeting,
    /// The room of a node for pages of other nodes. Where it is bounded, pages with variables give way to other pages, which threads
    /// access between the test's accesses.
    pub frames: Frames,
    /// Whether threads prefetch variables before their accesses.
    pub prefetch: bool,
}

impl Dose {
    /// A dose in which threads meet by messages, nodes have room for all pages, and no prefetches are made.
    pub const fn new(rounds: u32, block: u32, protocol: &'static Coherence, seed: u64) -> Self {
        Self {
            rounds,
            block,
            protocol,
            seed,
            meeting: Meeting::Messages,
            frames: Frames::All,
            prefetch: false,
        }
    }
}

/// The kind of barrier at which threads meet before and after a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meeting {
    /// A barrier by messages: threads meet even if the shared memory is wrong.
    Messages,
    /// A barrier through the shared memory, for machines on which handlers of programs cannot run.
    Memory,
}

/// A test that is run many times, and the final states that have been seen.
#[derive(Debug)]
pub struct Experiment {
    pub(super) question: Arc<Question>,
    pub(super) dose: Dose,
    gathered: Mutex<Gathered>,
}

/// The values that nodes have reported, and the final states counted from them.
#[derive(Debug, Default)]
struct Gathered {
    /// The number of nodes that have reported in the present run.
    nodes: u32,
    /// The observed values, indexed by round, then by the places that the test observes.
    values: Vec<i64>,
    /// The final states seen, indexed by placement.
    seen: [Seen; 2],
}

impl Experiment {
    /// An experiment that has not been run yet.
    pub fn new(question: Arc<Question>, dose: Dose) -> Arc<Self> {
        Arc::new(Self { question, dose, gathered: Mutex::default() })
    }

    /// The final states that all runs have shown with one placement. States that the test's filter rejects are left
    /// out.
    pub fn seen(&self, placement: Placement) -> Seen {
        self.lock().seen[placement as usize].clone()
    }

    fn lock(&self) -> MutexGuard<'_, Gathered> {
        // Nothing that can panic runs under the lock, so a poisoned lock holds good data.
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in the values that a node knows, each with its index among all observed values. Returns the states of
    /// all rounds after the last node, and `None` before.
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
        // A test that observes nothing has one final state, the empty one.
        let state = |round: usize| values[round * observed..(round + 1) * observed].to_vec();
        Some((0..self.dose.rounds as usize).map(state).collect())
    }

    /// Counts the final states of all rounds, and returns the names of the forbidden ones.
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
