//! gauss by messages and by bulk transfers: the owner of a pivot row sends it to all other nodes.
//!
//! A node has room for one pivot row. That is enough: the next one is sent when all threads have brought a candidate for its column,
//! and so are done with this one.
//!
//! This module must never know how a message or a transfer carries numbers.

use std::ops::Range;
use std::sync::Arc;

use protocols::sync::Collectives;
use tempest::{
    Access, Cells, Event, FinalState, Handler, MAX_WORDS, Mechanism, NodeId, Private, Protocol, Report,
    Segment, Setup, Thread, handlers,
};

use super::choice::Choice;
use super::kernel::{STRIP, strips};
use super::layout::Layout;
use super::problem::Solved;
use super::reference::{Solution, check};
use super::solver::{Rows, Solver};
use super::work::COPY;

/// The numbers of a message; one word more says where they go.
const MESSAGE: usize = MAX_WORDS - 1;

/// The part of a run that all nodes share.
pub(super) struct Config {
    /// The mechanism that carries pivot rows: messages or bulk.
    pub(super) mechanism: Mechanism,
    pub(super) layout: Layout,
    pub(super) solved: Arc<Solved>,
}

/// The state of gauss on one node.
pub(super) struct Gauss {
    config: Arc<Config>,
    node: NodeId,
    choice: Arc<Choice>,
    collectives: Arc<Collectives>,
    /// The pivot row.
    pivot: Segment<f64>,
    /// The numbers of pivot rows that have come.
    arrived: Event,
    pub(super) found: Found,
}

/// The answer that a thread of node 0 has gathered, for the check.
pub(super) struct Found {
    pivots: Cells<u32>,
    x: Cells<f64>,
}

impl Found {
    /// An empty record for a system of `size` rows.
    pub(super) fn new(size: usize) -> Self {
        Self { pivots: Cells::new(size, 0), x: Cells::new(size, 0.0) }
    }

    /// Solves the system, and keeps the result of the first thread.
    pub(super) fn solve(&self, thread: &Thread<'_>, layout: Layout, choice: &Choice, rows: &mut impl Rows) {
        let mut solver = Solver::new(thread, layout);
        thread.phase("eliminate");
        solver.eliminate(thread, choice, rows);
        thread.phase("substitute");
        let keeps = thread.node() == NodeId(0) && thread.index() == 0;
        solver.substitute(thread, rows, |column, x| {
            if keeps {
                self.x.set(thread, column, x);
                self.pivots.set(thread, column, solver.permutation.row(column) as u32);
            }
        });
    }

    /// The report of the check on node 0; an empty one on other nodes.
    pub(super) fn report(&self, end: &FinalState<'_>, solved: &Solved) -> Report {
        if end.node() != NodeId(0) {
            return Report::default();
        }
        let (mut pivots, mut x) = (vec![0; self.pivots.len()], vec![0.0; self.x.len()]);
        self.pivots.read(end, 0, &mut pivots);
        self.x.read(end, 0, &mut x);
        check(&solved.equations, &Solution { pivots: pivots.into(), x: x.into() }, &solved.solution)
    }
}

/// A thread's rows, in memory of its own.
struct Own<'a> {
    gauss: &'a Gauss,
    rows: Private<f64>,
    /// By row: the place of its first element in the thread's memory, if the row is the thread's own.
    starts: Vec<usize>,
    /// The numbers of all pivot rows that have been spread.
    spread: u64,
}

impl Rows for Own<'_> {
    fn get(&self, thread: &Thread<'_>, row: usize, column: usize) -> f64 {
        self.rows.get(thread, self.starts[row] + column)
    }

    fn change(
        &mut self,
        thread: &Thread<'_>,
        row: usize,
        columns: Range<usize>,
        mut by: impl FnMut(usize, &mut [f64]),
    ) {
        let start = self.starts[row];
        let places = start + columns.start..start + columns.end;
        self.rows.view(thread, places.clone());
        by(0, self.rows.view_mut(thread, places));
    }

    fn spread(&mut self, thread: &Thread<'_>, row: usize, from: usize) {
        let Layout { size, .. } = self.gauss.config.layout;
        if self.gauss.config.layout.owner(row) == thread.id() {
            self.gauss.publish(thread, &self.rows, self.starts[row], from..size + 1);
        }
        self.spread += (size + 1 - from) as u64;
        thread.wait(&self.gauss.arrived, self.spread);
    }

    fn pivot(&self, thread: &Thread<'_>, _row: usize, from: usize, values: &mut [f64]) {
        thread.words(&self.gauss.pivot).read(from, values);
    }

    fn unknown(&self, thread: &Thread<'_>, row: usize, _column: usize, value: Option<f64>) -> f64 {
        let mut words = [value.unwrap_or(0.0)];
        let from = self.gauss.config.layout.owner(row);
        self.gauss.collectives.broadcast(thread, from, &mut words);
        words[0]
    }
}

impl Protocol for Gauss {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        Self {
            config: Arc::clone(config),
            node: setup.node(),
            choice: setup.install::<Choice>(&()),
            collectives: setup.install::<Collectives>(&Collectives::FAN_IN),
            pivot: setup.segment("gauss.pivot", config.layout.stride, 0.0),
            arrived: Event::new("gauss.pivot"),
            found: Found::new(config.layout.size),
        }
    }
}

#[handlers]
impl Gauss {
    /// Brings a few numbers of the pivot row, the first of them of column `from`.
    #[message]
    fn bring(&self, from: u64, payload: &[u64], cx: &mut Handler<'_>) {
        cx.write(&self.pivot, from as usize, bytemuck::cast_slice(payload));
        cx.charge(COPY.times(payload.len() as u32));
        cx.signal(&self.arrived, payload.len() as u64);
    }

    /// Tells that a transfer has brought `count` numbers.
    #[message]
    fn arrive(&self, count: u64, cx: &mut Handler<'_>) {
        cx.signal(&self.arrived, count);
    }

    /// Puts the pivot row, whose first element is element `first` of `rows`, where the threads of this node find it, and sends it to
    /// all other nodes.
    fn publish(&self, thread: &Thread<'_>, rows: &Private<f64>, first: usize, columns: Range<usize>) {
        for columns in strips(columns.clone(), thread.strip(STRIP)) {
            let values = rows.view(thread, first + columns.start..first + columns.end);
            thread.words(&self.pivot).write(columns.start, values);
            thread.charge(COPY.times(values.len() as u32));
        }
        let others = (0..thread.nodes()).map(NodeId).filter(|&node| node != self.node);
        match self.config.mechanism {
            Mechanism::Bulk => self.transfer(thread, others, &columns),
            _ => self.send(thread, others, &columns),
        }
        thread.signal(&self.arrived, columns.len() as u64);
    }

    fn transfer(&self, thread: &Thread<'_>, others: impl Iterator<Item = NodeId>, columns: &Range<usize>) {
        let (first, count) = (columns.start as u32, columns.len());
        if !thread.is_coherent() {
            // The interface reads memory, not the cache.
            thread.touch(self.pivot.place(first), count, Access::Flush);
            thread.drain();
        }
        for to in others {
            let piece = [self.pivot.piece(first, count as u32)];
            thread.transfer(to, self.pivot.place(first), &piece, Self::arrive(count as u64));
            thread.poll();
        }
    }

    fn send(
        &self,
        thread: &Thread<'_>,
        others: impl Iterator<Item = NodeId> + Clone,
        columns: &Range<usize>,
    ) {
        for from in columns.clone().step_by(MESSAGE) {
            let mut values = [0.0; MESSAGE];
            let values = &mut values[..MESSAGE.min(columns.end - from)];
            thread.words(&self.pivot).read(from, values);
            let mut words = [0; MESSAGE];
            words.iter_mut().zip(&*values).for_each(|(word, value)| *word = value.to_bits());
            for to in others.clone() {
                thread.charge(COPY.times(values.len() as u32));
                thread.send_with(to, Self::bring(from as u64), &words[..values.len()]);
                thread.poll();
            }
        }
    }

    fn main(&self, thread: &Thread<'_>) {
        let Config { layout, solved, .. } = &*self.config;
        let mut rows = vec![0.0; layout.rows(thread.id()).len() * layout.stride];
        for (row, elements) in layout.rows(thread.id()).zip(rows.chunks_mut(layout.stride)) {
            elements[..layout.size + 1].copy_from_slice(solved.equations.row(row));
        }
        let starts = (0..layout.size).map(|row| layout.number(row) * layout.stride).collect();
        let mut own = Own { gauss: self, rows: thread.private_of("gauss.rows", rows), starts, spread: 0 };
        self.found.solve(thread, *layout, &self.choice, &mut own);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        self.found.report(end, &self.config.solved)
    }
}
