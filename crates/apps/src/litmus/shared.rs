//! The program that runs a litmus test through shared memory. This module must never know the test's condition on final
//! states.

use std::sync::Arc;

use formats::litmus::Place;
use protocols::sync::{Barrier, BarrierRoom, SharedBarrier};
use tempest::entry::{BadPlan, SharedMemory};
use tempest::memory::{AddressSpace, Frames};
use tempest::{
    Array, Cells, FinalState, Homes, Job, Layout, NodeId, Protocol, Report, Right, Setup, Shared, Thread,
    handlers,
};

use super::core::{Access, Core};
use super::experiment::{Experiment, Meeting, Placement};
use super::schedule::{Chance, Round};

/// The words of a page.
const PAGE_WORDS: usize = 512;

impl Experiment {
    /// The job of one run. It wants [`Question::nodes`](super::Question::nodes) nodes of one thread each, and its report tells
    /// [`seen`](Self::seen).
    ///
    /// # Errors
    /// [`BadPlan`] if blocks cannot have this size, or nodes have no room for any page of others.
    pub fn job(self: &Arc<Self>) -> Result<Job, BadPlan> {
        let space = Space::new(self)?;
        Ok(Job::new::<Litmus>(Config { experiment: Arc::clone(self), space }))
    }
}

/// The shared memory of an experiment: each node is home to an array with room for all variables.
struct Space {
    memory: SharedMemory,
    arrays: Vec<Array<u64>>,
    /// Pages that no test uses, at each home one more than a node has room for; one where nodes have room for all.
    others: Vec<Array<u64>>,
    /// The barrier for threads that meet through shared memory.
    barrier: BarrierRoom,
}

impl Space {
    fn new(experiment: &Experiment) -> Result<Self, BadPlan> {
        let Experiment { question, dose, .. } = experiment;
        let mut layout = Layout::new(question.nodes(), dose.block)?;
        let words = question.test.locations.len().max(1) * layout.block_words();
        let array = |node| layout.array("variables", words, Homes::At(NodeId(node)));
        let arrays = (0..question.nodes()).map(array).collect::<Result<_, _>>()?;
        let barrier = SharedBarrier::room(&mut layout)?;
        let pages = if let Frames::AtMost(frames) = dose.frames { frames as usize + 1 } else { 1 };
        let others = |node| layout.array("others", pages * PAGE_WORDS, Homes::At(NodeId(node)));
        let others = (0..question.nodes()).map(others).collect::<Result<_, _>>()?;
        let memory = SharedMemory { space: AddressSpace::new(layout, dose.frames)?, protocol: dose.protocol };
        Ok(Self { memory, arrays, others, barrier })
    }
}

/// The part of a run that all nodes share.
struct Config {
    experiment: Arc<Experiment>,
    space: Space,
}

/// The barrier at which threads meet.
enum MeetingPlace {
    Messages(Arc<Barrier>),
    Memory(Box<SharedBarrier>),
}

/// The state of the program on one node.
struct Litmus {
    experiment: Arc<Experiment>,
    node: NodeId,
    barrier: MeetingPlace,
    /// The array with room for all variables at each home, indexed by home.
    variables: Vec<Shared<u64>>,
    /// The pages at each home that no test uses.
    others: Vec<Shared<u64>>,
    block_words: usize,
    /// The observed values that this node knows, indexed by round, then by the places that the test observes.
    told: Cells<u64>,
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
            others: space.others.iter().map(|array| memory.bind(*array)).collect(),
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

#[handlers]
impl Litmus {
    /// The place of a variable in a round: the array it is in, and its index there.
    fn place(&self, index: u32, round: &Round, location: usize) -> (&Shared<u64>, usize) {
        let (home, at) = match Placement::of(index) {
            Placement::Apart => (round.first_home as usize + location, location * self.block_words),
            Placement::Together => (round.first_home as usize, location),
        };
        (&self.variables[home % self.variables.len()], at)
    }

    /// Runs one round: writes the initial values, executes the test, reads the final state. The node that reads the
    /// variables at the end also initialises the next round, so that no node does so earlier.
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
            self.note(thread, index, |place| match place {
                Place::Register(of, register) if of == self.node.0 as usize => Some(core.register(register)),
                _ => None,
            });
        }
        self.barrier.wait(thread);
        if is_first_thread && next.initialiser == self.node {
            self.note(thread, index, |place| match place {
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
            self.stir(thread, index, round, chance);
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

    /// Accesses a page that the test does not use, if the round lets it and chance wills it; and prefetches a variable, if the dose
    /// says so.
    fn stir(&self, thread: &Thread<'_>, index: u32, round: &Round, chance: &mut Chance) {
        let Experiment { question, dose, .. } = &*self.experiment;
        let pages = self.others[0].len() / PAGE_WORDS;
        if let Some(page) = chance.stirs(round, pages * self.others.len()) {
            let (array, at) = (&self.others[page / pages], page % pages * PAGE_WORDS);
            match chance.right() {
                Right::Read => {
                    thread.read(array, at);
                }
                Right::Write => thread.write(array, at, 0),
            }
        }
        if dose.prefetch
            && let Some(location) = chance.one_of(question.test.locations.len())
        {
            let (array, at) = self.place(index, round, location);
            thread.prefetch(array, at..at + 1, chance.right());
        }
    }

    /// Notes the values of the observed places for which `value` gives one.
    fn note(&self, thread: &Thread<'_>, round: u32, value: impl Fn(Place) -> Option<i64>) {
        let observed = &self.experiment.question.test.observed;
        for (slot, place) in (round as usize * observed.len()..).zip(observed) {
            if let Some(value) = value(*place) {
                self.told.set(thread, slot, value.cast_unsigned());
            }
        }
    }

    /// All values that this node has noted, each with its index among all observed values.
    fn known(&self, end: &FinalState<'_>) -> impl Iterator<Item = (usize, i64)> {
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
        known.map(|(slot, _)| (slot, self.told.get(end, slot).cast_signed()))
    }

    fn main(&self, thread: &Thread<'_>) {
        let mut chance = Chance::of(self.experiment.dose.seed, self.node);
        for index in 0..self.experiment.dose.rounds {
            self.round(thread, index, &mut chance);
        }
    }

    /// Each node reports the values that it knows. The rounds are counted once.
    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let is_first = self.node == NodeId(0);
        let checks = if is_first { self.experiment.dose.rounds.into() } else { 0 };
        let observations = self.known(end).map(|(slot, value)| (slot as u64, value)).collect();
        Report { checks, observations, ..Report::default() }
    }
}
