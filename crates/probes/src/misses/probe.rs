//! The program behind both probes: homes fill their blocks, threads of other nodes miss on them, homes check the
//! blocks.
//!
//! This module must never know how blocks are kept coherent, nor which of the two probes it runs for.

use std::sync::Arc;

use protocols::sync::{BarrierRoom, SharedBarrier};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use tempest::entry::{BadPlan, Input, Plan, SharedMemory, mix, stream_seed};
use tempest::memory::Frames;
use tempest::{Array, Cells, FinalState, Homes, NodeId, Protocol, Report, Setup, Shared, Thread, handlers};
use units::Time;

use super::busy::Busy;
use super::kind::{Home, Kind};
use super::pattern::Pattern;

/// The number of rounds of the busy loop by which the length of a round is measured.
const LOOP_ROUNDS: u64 = 1024;

/// The input that says which kind of miss.
pub(super) const KIND: Input = Input::text(
    "kind",
    "read",
    "read: load, having nothing; write: store, having nothing; upgrade: store, having a copy to read",
);

/// The input that says how long a round of a busy home's loop is.
pub(super) const BODY: Input = Input::integer(
    "body",
    0..=1_000_000,
    "30",
    "integer operations of a round of a busy home's loop, give or take a fifth",
);

/// The inputs that both probes have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    pub(super) kind: Kind,
    pub(super) home: Home,
    /// Integer operations of a round of a busy home's loop.
    pub(super) body: u32,
    /// KiB that each home writes after it has filled its blocks, so that its caches no longer hold them.
    pub(super) push: u32,
}

impl Options {
    /// Facts about the inputs, for people.
    pub(super) fn describe(&self) -> Vec<(&'static str, String)> {
        let home = match self.home {
            Home::Idle => "idle".to_owned(),
            Home::Busy => format!("busy, {} operations a round", self.body),
        };
        vec![
            ("kind of miss", self.kind.name().to_owned()),
            ("home", home),
            ("written after the blocks", format!("{} KiB", self.push)),
        ]
    }
}

/// The part of a run that all nodes share.
pub(super) struct Config {
    pattern: Pattern,
    asked: Options,
    seed: u64,
    memory: SharedMemory,
    blocks: Array<u64>,
    push: Array<u64>,
    /// A word at each home: the number of threads that have done all their misses.
    done: Array<u64>,
    barrier: BarrierRoom,
    /// The function that turns a node's measurements into figures.
    report: fn(&Measured, Report) -> Report,
}

impl Config {
    /// Lays the blocks out in an address space.
    ///
    /// # Errors
    /// [`BadPlan`] if there is no such address space, or no protocol for it.
    pub(super) fn new(
        plan: &Plan,
        pattern: Pattern,
        asked: Options,
        report: fn(&Measured, Report) -> Report,
    ) -> Result<Self, BadPlan> {
        let mut space = plan.layout()?;
        let mut records = |name, len, words| space.records(name, len, words, Homes::Parts);
        let blocks = records("blocks", pattern.blocks(), plan.block / 8)?;
        let push = records("push", (asked.push as usize * 128).max(1), 1)?;
        let done = records("done", 1, 1)?;
        let barrier = SharedBarrier::room(&mut space)?;
        let memory = plan.shared_memory(space, Frames::All)?;
        Ok(Self { pattern, asked, seed: plan.seed, memory, blocks, push, done, barrier, report })
    }

    /// Whether a node computes while other nodes miss.
    fn is_busy(&self, node: NodeId) -> bool {
        let Self { pattern, asked, .. } = self;
        asked.home == Home::Busy && pattern.is_home(node) && !pattern.is_requester(node)
    }
}

/// The measurements of one node.
pub(super) struct Measured {
    pub(super) node: NodeId,
    pub(super) pattern: Pattern,
    /// The time from the beginning of its first thread to the end of its last; `None` if the node is no requester.
    pub(super) span: Option<Time>,
    /// The mean time of a miss, as the thread sees it.
    pub(super) miss: Time,
    /// The time that the processor of a busy home spent beside its loop while other nodes missed; `None` for other
    /// nodes.
    pub(super) beside_loop: Option<Time>,
}

/// The state of the probe on one node.
pub(super) struct Probe {
    config: Arc<Config>,
    node: NodeId,
    barrier: SharedBarrier,
    blocks: Shared<u64>,
    push: Shared<u64>,
    done: Shared<u64>,
    /// The times at which each thread began to miss and had done all its misses, in femtoseconds, indexed by thread.
    began: Cells<u64>,
    ended: Cells<u64>,
    /// On a busy home, in femtoseconds: the time of its loop while other nodes missed, and the time of one round.
    spun: Cells<u64>,
    round: Cells<u64>,
    rounds: Cells<u64>,
    checks: Cells<u64>,
    wrong: Cells<u64>,
}

impl Protocol for Probe {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let memory = config.memory.install(setup);
        let barrier = SharedBarrier::new(setup, &memory, config.barrier, SharedBarrier::FAN_IN);
        let threads = setup.shape().threads as usize;
        let one = || Cells::new(1, 0);
        Self {
            config: Arc::clone(config),
            node: setup.node(),
            barrier,
            blocks: memory.bind(config.blocks),
            push: memory.bind(config.push),
            done: memory.bind(config.done),
            began: Cells::new(threads, 0),
            ended: Cells::new(threads, 0),
            spun: one(),
            round: one(),
            rounds: one(),
            checks: one(),
            wrong: one(),
        }
    }
}

/// The initial value of a block.
fn filling(index: usize) -> u64 {
    mix(index as u64)
}

/// The value that a requester writes to a block.
fn written(index: usize) -> u64 {
    !filling(index)
}

#[handlers]
impl Probe {
    /// Fills the blocks of this home, then writes enough more that no cache of the node holds them.
    fn fill(&self, thread: &Thread<'_>) {
        for block in 0..self.config.pattern.blocks() {
            let index = self.blocks.at(self.node, block);
            thread.write(&self.blocks, index, filling(index));
        }
        for word in 0..self.config.asked.push as usize * 128 {
            thread.write(&self.push, self.push.at(self.node, word), 1);
        }
    }

    /// The blocks that a thread misses on, in order; none for a thread that does not miss.
    fn misses(&self, thread: &Thread<'_>) -> impl Iterator<Item = usize> {
        let Config { pattern, .. } = &*self.config;
        let is_one = pattern.is_requester(self.node) && thread.index() < pattern.threads;
        let misses = is_one.then(|| pattern.misses_of(self.node, thread.index()));
        misses.into_iter().flatten().map(|(home, block)| self.blocks.at(home, block))
    }

    /// Misses on all blocks of the thread, and notes the time.
    fn miss(&self, thread: &Thread<'_>) {
        let blocks: Vec<usize> = self.misses(thread).collect();
        let mut wrong = 0;
        let began = thread.now();
        for &index in &blocks {
            match self.config.asked.kind {
                Kind::Read => wrong += u64::from(thread.read(&self.blocks, index) != filling(index)),
                Kind::Write | Kind::Upgrade => thread.write(&self.blocks, index, written(index)),
            }
            thread.poll();
        }
        let place = thread.index() as usize;
        self.began.set(thread, place, began.as_femtoseconds());
        self.ended.set(thread, place, thread.now().as_femtoseconds());
        self.wrong.add(thread, 0, wrong);
        self.checks.add(thread, 0, blocks.len() as u64);
    }

    /// Tells the busy homes that a thread has done all its misses.
    fn tell(&self, thread: &Thread<'_>) {
        let homes = (0..thread.nodes()).map(NodeId).filter(|node| self.config.is_busy(*node));
        homes.for_each(|home| {
            thread.fetch_add(&self.done, self.done.at(home, 0), 1);
        });
    }

    fn busy(&self) -> Busy {
        Busy::new(
            self.config.asked.body,
            Pcg64::seed_from_u64(stream_seed(self.config.seed, self.node.0.into())),
        )
    }

    /// Computes and polls until all threads have done all their misses.
    fn spin(&self, thread: &Thread<'_>) {
        let Pattern { requesters, threads, .. } = self.config.pattern;
        let began = thread.now();
        let all = u64::from(requesters) * u64::from(threads);
        let rounds = self.busy().until(thread, &self.done, self.done.at(self.node, 0), all);
        self.rounds.set(thread, 0, rounds);
        self.spun.set(thread, 0, (thread.now() - began).as_femtoseconds());
    }

    /// Measures the time of a round of the loop while no node misses.
    fn measure_round(&self, thread: &Thread<'_>) {
        let began = thread.now();
        self.busy().rounds(thread, &self.done, self.done.at(self.node, 0), LOOP_ROUNDS);
        self.round.set(thread, 0, (thread.now() - began).as_femtoseconds() / LOOP_ROUNDS);
    }

    /// Checks the values that requesters have written to the blocks of this home.
    fn check(&self, thread: &Thread<'_>) {
        for block in self.config.pattern.misses_on(self.node) {
            let index = self.blocks.at(self.node, block);
            let wrong = thread.read(&self.blocks, index) != written(index);
            self.wrong.add(thread, 0, u64::from(wrong));
            self.checks.add(thread, 0, 1);
        }
    }

    fn measured(&self, end: &FinalState<'_>) -> Measured {
        let pattern = self.config.pattern;
        let threads = 0..pattern.threads.min(self.began.len() as u32) as usize;
        let begins = threads.clone().map(|thread| self.began.get(end, thread));
        let ends = threads.clone().map(|thread| self.ended.get(end, thread));
        let spans = ends.clone().zip(begins.clone()).map(|(end, begin)| end.saturating_sub(begin));
        let misses = u64::from(pattern.misses) * threads.len().max(1) as u64;
        let span = pattern.is_requester(self.node).then(|| {
            Time::from_femtoseconds(ends.max().unwrap_or(0).saturating_sub(begins.min().unwrap_or(0)))
        });
        let beside_loop = self.config.is_busy(self.node).then(|| {
            let in_loop = self.rounds.get(end, 0) * self.round.get(end, 0);
            Time::from_femtoseconds(self.spun.get(end, 0).saturating_sub(in_loop))
        });
        let miss = Time::from_femtoseconds(spans.sum::<u64>() / misses);
        Measured { node: self.node, pattern, span, miss, beside_loop }
    }

    fn main(&self, thread: &Thread<'_>) {
        let Config { pattern, asked, .. } = &*self.config;
        let is_first = thread.index() == 0;
        if is_first && pattern.is_home(self.node) {
            self.fill(thread);
        }
        // A barrier would add misses of its own, and the region waits for all threads anyway.
        if asked.kind == Kind::Upgrade {
            self.barrier.wait(thread);
            self.misses(thread).for_each(|index| {
                thread.read(&self.blocks, index);
            });
        }
        thread.phase("miss");
        if is_first && self.config.is_busy(self.node) {
            self.spin(thread);
        } else if pattern.is_requester(self.node) && thread.index() < pattern.threads {
            self.miss(thread);
            self.tell(thread);
        }
        if asked.home == Home::Busy {
            thread.phase("loop");
            if is_first && self.config.is_busy(self.node) {
                self.measure_round(thread);
            }
        }
        thread.phase("check");
        if is_first && asked.kind != Kind::Read && pattern.is_home(self.node) {
            self.check(thread);
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let (wrong, node) = (self.wrong.get(end, 0), self.node);
        let failures = if wrong > 0 {
            vec![format!("{wrong} blocks did not hold what they should at {node}")]
        } else {
            vec![]
        };
        let report = Report { checks: self.checks.get(end, 0), failures, ..Report::default() };
        (self.config.report)(&self.measured(end), report)
    }
}
