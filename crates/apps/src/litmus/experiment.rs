//! A litmus test that is run many times, and the final states that its runs show. This module must never know how a thread of a test
//! runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use tempest::Report;
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

/// A test that is run many times.
#[derive(Debug)]
pub struct Experiment {
    pub(super) question: Arc<Question>,
    pub(super) dose: Dose,
}

impl Experiment {
    /// An experiment with this test and these settings.
    pub fn new(question: Arc<Question>, dose: Dose) -> Arc<Self> {
        Arc::new(Self { question, dose })
    }

    /// The final states of a run with this report, by placement, each with the number of rounds that showed it. States that the test's
    /// filter rejects are left out.
    pub fn seen(&self, report: &Report) -> [Seen; 2] {
        let mut seen = [Seen::new(), Seen::new()];
        for (round, state) in (0..).zip(self.states(report)).filter(|(_, state)| self.question.passes(state))
        {
            *seen[Placement::of(round) as usize].entry(state).or_default() += 1;
        }
        seen
    }

    /// The final states of all rounds. Each observation of the report has the value of a place that the test observes, by round and then
    /// by place.
    fn states(&self, report: &Report) -> impl Iterator<Item = State> {
        let (rounds, observed) = (self.dose.rounds as usize, self.question.test.observed.len());
        let mut values = vec![0; rounds * observed];
        for &(slot, value) in &report.observations {
            if let Some(held) = usize::try_from(slot).ok().and_then(|slot| values.get_mut(slot)) {
                *held = value;
            }
        }
        // A test that observes nothing has one final state, the empty one.
        (0..rounds).map(move |round| values[round * observed..(round + 1) * observed].to_vec())
    }
}
