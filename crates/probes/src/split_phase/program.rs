//! The program of split-phase: fills memory, times operations, and checks their results.
//!
//! This module must never know which world runs it.

use std::hint::black_box;
use std::sync::Arc;

use protocols::split_phase::{GlobalPtr, LocalPtr, Memory, Plan, SplitPhase};
use tempest::{Cells, FinalState, Merge, NodeId, Operations, Protocol, Report, Setup, Thread, handlers};
use units::Time;

use super::cell::{Cell, Measure, Operation};

/// The factor by which the computing between issue and synchronization takes longer than a blocking read.
const PATIENCE: u64 = 4;

/// The number of reads by which the time of a blocking read is measured.
const READS: u32 = 16;

/// The part of a run that all nodes share: the cells to measure.
pub(super) struct Config {
    pub(super) operations: u32,
    /// Whether accesses to mapped memory are loads and stores.
    pub(super) direct: bool,
    pub(super) cells: Vec<&'static Cell>,
}

/// The state of the program on one node.
pub(super) struct Microbenchmarks {
    config: Arc<Config>,
    split: Arc<SplitPhase>,
    node: NodeId,
    /// The area that other nodes read: a word for each operation, as in all areas.
    source: LocalPtr<u64>,
    /// The area that other nodes write.
    sink: LocalPtr<u64>,
    /// The area where the results of gets arrive.
    landing: LocalPtr<u64>,
    /// The time of an operation in microseconds, indexed by figure.
    measured: Cells<f64>,
    /// The number of words that were compared, and the number of wrong words among them, indexed by figure.
    compared: Cells<u64>,
    wrong: Cells<u64>,
}

/// The value that operation `index` of a node writes.
fn written(source: NodeId, index: u32) -> u64 {
    (u64::from(source.0) + 1) << 32 | u64::from(index)
}

/// The value that other nodes find in a word of a node.
fn found(node: NodeId, word: u32) -> u64 {
    !written(node, word)
}

impl Protocol for Microbenchmarks {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let mut plan = Plan::new(setup.shape().nodes).directly(config.direct);
        let [source, sink, landing] = [(); 3].map(|()| plan.local(config.operations));
        let figures = config.cells.len();
        Self {
            config: Arc::clone(config),
            split: setup.install::<SplitPhase>(&plan),
            node: setup.node(),
            source,
            sink,
            landing,
            measured: Cells::new(figures, 0.0),
            compared: Cells::new(figures, 0),
            wrong: Cells::new(figures, 0),
        }
    }
}

/// The measurement of one figure by one node.
struct Session<'a> {
    program: &'a Microbenchmarks,
    memory: Memory<'a>,
    thread: &'a Thread<'a>,
    operation: Operation,
    /// The nodes that this node asks, in turn.
    servers: &'static [NodeId],
    operations: u32,
}

impl Session<'_> {
    /// The place that operation `index` accesses in an area of its server.
    fn place(&self, area: LocalPtr<u64>, index: u32) -> GlobalPtr<u64> {
        let servers = self.servers.len() as u32;
        (area + i64::from(index / servers)).on(self.servers[(index % servers) as usize])
    }

    /// The value that operation `index` must read.
    fn expected(&self, index: u32) -> u64 {
        let place = self.place(LocalPtr::new(0), index);
        found(place.node(), place.offset())
    }

    /// The time of an operation in microseconds, measured over the middle half of all operations.
    fn steady(&self, mut operation: impl FnMut(u32)) -> f64 {
        let (from, to) = (self.operations / 4, self.operations - self.operations / 4);
        let mut marks = [Time::ZERO; 2];
        for index in 0..self.operations {
            if index == from {
                marks[0] = self.thread.now();
            } else if index == to {
                marks[1] = self.thread.now();
            }
            operation(index);
        }
        (marks[1] - marks[0]).as_microseconds() / f64::from(to - from)
    }

    fn round_trip(&self) -> f64 {
        let mut wrong = 0;
        let each = self.steady(|index| match self.operation {
            Operation::Call => self.memory.call(self.servers[0]),
            Operation::Write => {
                self.memory.write(self.place(self.program.sink, index), written(self.program.node, index))
            }
            _ => {
                let value = self.memory.read(self.place(self.program.source, index));
                wrong += usize::from(value != self.expected(index));
            }
        });
        assert_eq!(wrong, 0, "values that a blocking read returned wrong");
        each
    }

    /// Issues one operation without waiting for it.
    fn issue(&self, scope: protocols::split_phase::Scope<'_>, index: u32) {
        let (node, sink) = (self.program.node, self.program.sink);
        match self.operation {
            Operation::Put => scope.put(self.place(sink, index), written(node, index)),
            Operation::Store => self.memory.store(self.place(sink, index), written(node, index)),
            _ => scope.get(self.place(self.program.source, index), self.program.landing + i64::from(index)),
        }
    }

    fn burst(&self) -> f64 {
        self.memory.split_phase(|scope| self.steady(|index| self.issue(scope, index)))
    }

    /// The time of an operation in microseconds, measured over all operations of this node and all stores of the
    /// other node, until they are done. An overloaded node may get its turn only when the other node has finished.
    fn exchange(&self) -> f64 {
        let start = self.thread.now();
        self.memory.split_phase(|scope| (0..self.operations).for_each(|index| self.issue(scope, index)));
        if self.operation == Operation::Store {
            self.memory.store_sync(u64::from(self.operations) * size_of::<u64>() as u64);
        }
        (self.thread.now() - start).as_microseconds() / f64::from(self.operations)
    }

    /// The number of steps of computing that surely outlast an operation.
    fn patience(&self) -> u32 {
        let before = self.thread.now();
        for index in 0..READS {
            self.memory.read(self.place(self.program.source, index));
        }
        let least = (self.thread.now() - before) * PATIENCE;
        let mut steps = 64;
        loop {
            let before = self.thread.now();
            compute(self.thread, steps);
            if (self.thread.now() - before) * u64::from(READS) >= least {
                return steps;
            }
            steps = steps.checked_mul(2).expect(
                "2^31 steps of computing take less time than an operation: expected computing that takes time on this machine, \
                 for example processor.work.integer = \"1 cycle\"",
            );
        }
    }

    fn overhead(&self) -> f64 {
        let steps = self.patience();
        let (mut with, mut alone) = (Time::ZERO, Time::ZERO);
        self.memory.split_phase(|scope| {
            for index in 0..self.operations {
                let start = self.thread.now();
                self.issue(scope, index);
                compute(self.thread, steps);
                if self.operation != Operation::Store {
                    scope.sync();
                }
                let done = self.thread.now();
                compute(self.thread, steps);
                if index >= self.operations / 4 {
                    with += done - start;
                    alone += self.thread.now() - done;
                }
            }
        });
        let timed = self.operations - self.operations / 4;
        (with.as_microseconds() - alone.as_microseconds()) / f64::from(timed)
    }
}

/// Computes `steps` dependent steps: a multiplication and an addition each.
fn compute(thread: &Thread<'_>, steps: u32) {
    thread.charge(Operations::NONE.integers(2).times(steps));
    let step = |x: u64| black_box(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
    black_box((0..steps).fold(1, |x, _| step(x)));
}

#[handlers]
impl Microbenchmarks {
    fn measure(&self, figure: usize, thread: &Thread<'_>) {
        let cell = self.config.cells[figure];
        let servers = cell.measure.servers(self.node);
        if servers.is_empty() {
            return;
        }
        let operations = cell.operations(self.config.operations);
        let memory = self.split.on(thread);
        let session =
            Session { program: self, memory, thread, operation: cell.operation, servers, operations };
        let each = match cell.measure {
            Measure::RoundTrip => session.round_trip(),
            Measure::Overhead => session.overhead(),
            Measure::Gap | Measure::GapToTwo => session.burst(),
            Measure::Exchange => session.exchange(),
        };
        self.measured.set(thread, figure, each);
        if cell.operation == Operation::Get {
            (0..operations)
                .for_each(|index| self.compare(thread, figure, self.landing, index, session.expected(index)));
        }
        if matches!(cell.operation, Operation::Call | Operation::Read) {
            self.compared.add(thread, figure, operations.into());
        }
    }

    /// Compares a word of an area with its expected value, and clears it.
    fn compare(&self, thread: &Thread<'_>, figure: usize, area: LocalPtr<u64>, word: u32, expected: u64) {
        let place = (area + i64::from(word)).offset() as usize;
        let held = self.split.arena().get(thread, place);
        self.split.arena().set(thread, place, 0);
        self.compared.add(thread, figure, 1);
        self.wrong.add(thread, figure, u64::from(held != expected));
    }

    /// Checks the words that other nodes have written on this node.
    fn check(&self, thread: &Thread<'_>, figure: usize) {
        let cell = self.config.cells[figure];
        let operations = cell.operations(self.config.operations);
        for (source, index, word) in cell.arrivals(self.node, operations) {
            self.compare(thread, figure, self.sink, word, written(source, index));
        }
    }

    fn main(&self, thread: &Thread<'_>) {
        let first = thread.index() == 0;
        let memory = self.split.on(thread);
        if first {
            (0..self.config.operations)
                .for_each(|word| memory.set(self.source + i64::from(word), found(self.node, word)));
        }
        for (figure, cell) in self.config.cells.iter().enumerate() {
            thread.phase(cell.name);
            if first {
                self.measure(figure, thread);
            }
            memory.all_store_sync();
            if first {
                self.check(thread, figure);
            }
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let mut report = Report::default();
        for (figure, cell) in self.config.cells.iter().enumerate() {
            report.checks += self.compared.get(end, figure);
            let wrong = self.wrong.get(end, figure);
            if wrong > 0 {
                report.failures.push(format!("{}: {wrong} wrong words on {}", cell.name, self.node));
            }
            if !cell.measure.servers(self.node).is_empty() {
                report = report.measured(cell.name, self.measured.get(end, figure), "us", Merge::Max);
            }
        }
        report
    }
}
