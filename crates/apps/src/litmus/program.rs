//! The program that runs a litmus test. Must never know what the test asks of its final states.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tempest::entry::{Coherence, SharedMemory};

use formats::litmus::{Formula, Place, Test};
use protocols::sync::{Barrier, BarrierRoom, SharedBarrier};
use tempest::{
    Array, BadLayout, Cells, Homes, Job, Layout, NodeId, Program, Protocol, Quiet, Report, Setup, Shared,
    Thread,
};

use super::State;
use super::core::{Access, Core};
use super::oracle::{self, Unknown};
use super::schedule::{Chance, Round};

/// At most so many forbidden states are listed in a report; the rest are counted.
const LISTED: usize = 8;

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
    fn of(round: u32) -> Self {
        if round.is_multiple_of(2) { Self::Apart } else { Self::Together }
    }
}

/// How often each final state was seen.
pub type Seen = BTreeMap<State, u64>;

/// A test, and what may come of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// The test.
    pub test: Test,
    /// All its final states on a sequentially consistent memory.
    pub allowed: BTreeSet<State>,
}

impl Question {
    /// Asks the oracle.
    ///
    /// # Errors
    /// If the test's final states cannot be found.
    pub fn new(test: Test) -> Result<Self, Unknown> {
        let allowed = oracle::allowed(&test)?;
        Ok(Self { test, allowed })
    }

    /// How many nodes it needs: at least two, so that there is a home elsewhere.
    pub fn nodes(&self) -> u32 {
        self.test.threads.len().max(2) as u32
    }

    /// How a state is spelled: `0:x5=1; [x]=2;`.
    pub fn state_name(&self, state: &State) -> String {
        let one = |(place, value): (&Place, &i64)| {
            format!("{}={};", self.test.place_name(*place), self.test.value_name(*value))
        };
        self.test.observed.iter().zip(state).map(one).collect::<Vec<_>>().join(" ")
    }

    /// Whether a formula of the test holds of a state.
    pub fn holds(&self, formula: &Formula, state: &State) -> bool {
        formula.holds(&|place| {
            let index = self.test.observed.iter().position(|observed| *observed == place);
            state[index.expect("what a test's formulas name is observed")]
        })
    }

    fn passes(&self, state: &State) -> bool {
        self.test.filter.as_ref().is_none_or(|filter| self.holds(filter, state))
    }
}

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
    question: Arc<Question>,
    dose: Dose,
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
        let space = Space::new(self)?;
        Ok(Job::new::<Litmus>(Config { experiment: Arc::clone(self), space }))
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
    fn gather(&self, known: impl Iterator<Item = (usize, i64)>) -> Option<Vec<State>> {
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
    fn count(&self, states: Vec<State>) -> BTreeSet<String> {
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

/// The shared memory: at every node an array with room for all variables.
struct Space {
    memory: SharedMemory,
    arrays: Vec<Array<u64>>,
    /// For threads that meet there.
    barrier: BarrierRoom,
}

impl Space {
    fn new(experiment: &Experiment) -> Result<Self, BadLayout> {
        let question = &experiment.question;
        let mut layout = Layout::new(question.nodes(), experiment.dose.block)?;
        let words = question.test.locations.len().max(1) * layout.block_words();
        let array = |node| layout.array("variables", words, Homes::At(NodeId(node)));
        let arrays = (0..question.nodes()).map(array).collect::<Result<_, _>>()?;
        let barrier = SharedBarrier::room(&mut layout)?;
        let memory = SharedMemory { space: layout.into(), protocol: experiment.dose.protocol };
        Ok(Self { memory, arrays, barrier })
    }
}

/// What every node is told.
struct Config {
    experiment: Arc<Experiment>,
    space: Space,
}

/// Where threads meet.
enum MeetingPlace {
    Messages(Arc<Barrier>),
    Memory(Box<SharedBarrier>),
}

/// One node.
struct Litmus {
    experiment: Arc<Experiment>,
    node: NodeId,
    barrier: MeetingPlace,
    /// By home.
    variables: Vec<Shared<u64>>,
    block_words: usize,
    /// By round and what is observed: its value, if this node knows it.
    told: Cells<u64>,
}

impl tempest::Handlers for Litmus {
    fn register(_: &mut tempest::Messages<'_, Self>) {}
}

impl Protocol for Litmus {
    type Config = Config;

    fn install(config: &Config, setup: &mut Setup<'_>) -> Self {
        let Config { experiment, space } = config;
        let memory = space.memory.install(setup);
        let barrier = match experiment.dose.meeting {
            Meeting::Messages => MeetingPlace::Messages(setup.install::<Barrier>(&())),
            Meeting::Memory => {
                let barrier = SharedBarrier::new(setup, &memory, space.barrier, SharedBarrier::FAN_IN);
                MeetingPlace::Memory(Box::new(barrier))
            }
        };
        let slots = experiment.dose.rounds as usize * experiment.question.test.observed.len();
        Self {
            experiment: Arc::clone(experiment),
            node: setup.node(),
            barrier,
            variables: space.arrays.iter().map(|array| memory.bind(*array)).collect(),
            block_words: space.memory.space.layout().block_words(),
            told: Cells::new(slots, 0),
        }
    }
}

impl MeetingPlace {
    fn wait(&self, thread: &Thread<'_>) {
        match self {
            Self::Messages(barrier) => barrier.wait(thread),
            Self::Memory(barrier) => barrier.wait(thread),
        }
    }
}

impl Litmus {
    /// Where a variable is in a round: in which node's array, and at which index.
    fn place(&self, index: u32, round: &Round, location: usize) -> (&Shared<u64>, usize) {
        let (home, at) = match Placement::of(index) {
            Placement::Apart => (round.first_home as usize + location, location * self.block_words),
            Placement::Together => (round.first_home as usize, location),
        };
        (&self.variables[home % self.variables.len()], at)
    }

    /// Initial values, the test, its final state. Whoever reads the variables at the end initialises the next round, so that
    /// nobody does so before.
    fn round(&self, thread: &Thread<'_>, index: u32, chance: &mut Chance) {
        let draw = |index| Round::draw(self.experiment.dose.seed, index, thread.nodes());
        let (round, next) = (draw(index), draw(index + 1));
        let is_first_thread = thread.index() == 0;
        if is_first_thread && round.initialiser == self.node {
            self.initialise(thread, index, &round);
        }
        self.barrier.wait(thread);
        let code = self.experiment.question.test.threads.get(self.node.0 as usize);
        if let Some(code) = code.filter(|_| is_first_thread) {
            let core = self.execute(thread, code, index, &round, chance);
            self.note(index, |place| match place {
                Place::Register(of, register) if of == self.node.0 as usize => Some(core.register(register)),
                _ => None,
            });
        }
        self.barrier.wait(thread);
        if is_first_thread && next.initialiser == self.node {
            self.note(index, |place| match place {
                Place::Register(..) => None,
                Place::Location(location) => {
                    let (array, at) = self.place(index, &round, location);
                    Some(thread.read(array, at).cast_signed())
                }
            });
        }
    }

    fn initialise(&self, thread: &Thread<'_>, index: u32, round: &Round) {
        for (location, variable) in self.experiment.question.test.locations.iter().enumerate() {
            let (array, at) = self.place(index, round, location);
            thread.write(array, at, variable.initial.cast_unsigned());
        }
    }

    fn execute(
        &self,
        thread: &Thread<'_>,
        code: &formats::litmus::Thread,
        index: u32,
        round: &Round,
        chance: &mut Chance,
    ) -> Core {
        let locations = self.experiment.question.test.locations.len();
        for location in 0..locations {
            if chance.has_copy(round) {
                let (array, at) = self.place(index, round, location);
                thread.read(array, at);
            }
        }
        let mut core = Core::new(code);
        loop {
            chance.pause(thread, round);
            let access = core.advance(code, locations);
            match access.expect("no thread goes astray on a memory that is sequentially consistent") {
                None => return core,
                Some(Access::Load { location, into }) => {
                    let (array, at) = self.place(index, round, location);
                    core.loaded(into, thread.read(array, at).cast_signed());
                }
                Some(Access::Store { location, value }) => {
                    let (array, at) = self.place(index, round, location);
                    thread.write(array, at, value.cast_unsigned());
                }
            }
        }
    }

    /// Notes the values of observed places that this node knows.
    fn note(&self, round: u32, value: impl Fn(Place) -> Option<i64>) {
        let observed = &self.experiment.question.test.observed;
        for (slot, place) in (round as usize * observed.len()..).zip(observed) {
            if let Some(value) = value(*place) {
                self.told.set(slot, value.cast_unsigned());
            }
        }
    }

    /// All values that this node has noted, with their places among all.
    fn known(&self) -> impl Iterator<Item = (usize, i64)> {
        let Experiment { question, dose, .. } = &*self.experiment;
        let observed = question.test.observed.iter();
        let slots =
            (0..dose.rounds).flat_map(move |round| observed.clone().map(move |place| (round, *place)));
        let knows = move |round, place| match place {
            Place::Register(thread, _) => thread == self.node.0 as usize,
            Place::Location(_) => {
                Round::draw(dose.seed, round + 1, question.nodes()).initialiser == self.node
            }
        };
        let known = slots.enumerate().filter(move |(_, (round, place))| knows(*round, *place));
        known.map(|(slot, _)| (slot, self.told.get(slot).cast_signed()))
    }
}

impl Program for Litmus {
    fn main(&self, thread: &Thread<'_>) {
        let mut chance = Chance::of(self.experiment.dose.seed, self.node);
        for index in 0..self.experiment.dose.rounds {
            self.round(thread, index, &mut chance);
        }
    }

    /// The last node reports for all.
    fn report(&self, _: &mut Quiet<'_>) -> Report {
        let Some(states) = self.experiment.gather(self.known()) else { return Report::default() };
        let checks = states.len() as u64;
        let forbidden = self.experiment.count(states);
        let shown = forbidden.iter().take(LISTED);
        let mut failures: Vec<_> = shown.map(|state| format!("forbidden state {state}")).collect();
        if forbidden.len() > LISTED {
            failures.push(format!("and {} more", forbidden.len() - LISTED));
        }
        Report { checks, failures, figures: Vec::new() }
    }
}
