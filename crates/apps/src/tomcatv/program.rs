//! tomcatv by messages, by bulk transfers and by deposits: ghost rows are filled, rows are relaxed, threads meet.
//!
//! This module must never know how a message, a transfer or a deposit carries numbers.

use std::sync::Arc;

use protocols::sync::{Collectives, Reduction};
use tempest::{
    Cells, Event, FinalState, Handler, Mechanism, NodeId, Protocol, Report, Setup, Thread, handlers,
};

use super::layout::Layout;
use super::mesh::{Mesh, Side};
use super::messages::Export;
use super::problem::{Options, Solved};
use super::reference::{check, check_residuals};
use super::sweep::Sweep;
use super::work::COPY;

/// The part of a run that all nodes share.
pub(super) struct Config {
    /// The mechanism that fills ghost rows: messages, bulk or deposit.
    pub(super) mechanism: Mechanism,
    pub(super) asked: Options,
    pub(super) layout: Layout,
    pub(super) solved: Arc<Solved>,
}

/// The state of tomcatv on one node.
pub(super) struct Tomcatv {
    config: Arc<Config>,
    node: NodeId,
    collectives: Arc<Collectives>,
    mesh: Mesh,
    /// The numbers that messages and transfers have brought into ghost rows.
    filled: Event,
    /// By iteration: the largest residuals of x and y; on node 0 alone.
    residuals: Cells<f64>,
}

impl Protocol for Tomcatv {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        Self {
            config: Arc::clone(config),
            node: setup.node(),
            collectives: setup.install::<Collectives>(&Collectives::FAN_IN),
            mesh: Mesh::new(config.layout, &config.solved.mesh, setup),
            filled: Event::new("tomcatv.ghosts"),
            residuals: Cells::new(2 * config.asked.iterations as usize, 0.0),
        }
    }
}

#[handlers]
impl Tomcatv {
    /// Brings a few numbers of a coordinate, the first of them to word `at` of its segment.
    #[message]
    fn bring(&self, at: u32, axis: u32, payload: &[u64], cx: &mut Handler<'_>) {
        cx.write(self.mesh.axis(axis as usize), at as usize, bytemuck::cast_slice(payload));
        cx.charge(COPY.times(payload.len() as u32));
        cx.signal(&self.filled, payload.len() as u64);
    }

    /// Tells that a transfer has brought `count` numbers.
    #[message]
    fn fill(&self, count: u32, cx: &mut Handler<'_>) {
        cx.signal(&self.filled, count.into());
    }

    /// The borders of the node that are also borders of the thread's rows, with rows of another node beside them.
    fn borders(&self, thread: &Thread<'_>) -> impl Iterator<Item = (Side, usize)> {
        let own = self.config.layout.rows(thread.id());
        let borders = Side::BOTH.into_iter().filter(move |&side| own.contains(&self.mesh.border(side)));
        borders.filter_map(|side| Some((side, self.mesh.ghost(side)?)))
    }

    /// Sends the thread's rows at borders to the nodes beside.
    fn export(&self, thread: &Thread<'_>) {
        let layout = &self.config.layout;
        for (side, ghost) in self.borders(thread) {
            let (to, row) = (layout.owner(ghost), self.mesh.border(side));
            let there = self.mesh.ghost_of(&layout.rows_of(to), row);
            let export = Export { to, row, ghost: there, size: layout.size };
            for axis in 0..2 {
                let messages = (|at| Self::bring(at, axis as u32), Self::fill);
                export.send(thread, &self.mesh, axis, self.config.mechanism, messages);
            }
        }
    }

    /// Waits until ghost rows beside the thread's rows have been filled `times` times.
    fn await_ghosts(&self, thread: &Thread<'_>, times: u64) {
        if self.borders(thread).next().is_none() {
            return;
        }
        let sides = Side::BOTH.into_iter().filter_map(|side| self.mesh.ghost(side)).count();
        let each = (sides * self.config.layout.size) as u64 * times;
        match self.config.mechanism {
            Mechanism::Deposit => (0..2).for_each(|axis| thread.wait(self.mesh.axis(axis).deposited(), each)),
            _ => thread.wait(&self.filled, 2 * each),
        }
    }

    /// Runs iteration `number`, counted from 0. Returns the largest residuals of all threads.
    fn iterate(&self, thread: &Thread<'_>, number: u64, sweep: &mut Sweep) -> [f64; 2] {
        self.await_ghosts(thread, number);
        sweep.update(thread, &self.mesh);
        if self.config.mechanism != Mechanism::Messages {
            self.borders(thread).for_each(|(_, ghost)| self.mesh.forget(thread, ghost));
        }
        let mut largest = sweep.largest(thread);
        self.collectives.all_reduce_each(thread, Reduction::Max, &mut largest);
        sweep.adjust(thread, &self.mesh);
        self.export(thread);
        self.collectives.barrier(thread);
        largest
    }

    fn main(&self, thread: &Thread<'_>) {
        let mut sweep = Sweep::new(thread, self.config.layout, self.config.asked.extra);
        thread.phase("iterate");
        for number in 0..self.config.asked.iterations as usize {
            let largest = self.iterate(thread, number as u64, &mut sweep);
            if thread.node() == NodeId(0) && thread.index() == 0 {
                self.residuals.write(thread, 2 * number, &largest);
            }
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let Config { solved, layout, .. } = &*self.config;
        let mut report =
            check(self.node, self.mesh.rows.start, layout.size, self.mesh.results(end), &solved.expected);
        if self.node == NodeId(0) {
            report.merge(check_residuals(&pairs(end, &self.residuals), &solved.expected));
        }
        report
    }
}

/// The residuals that were kept: two of each iteration.
pub(super) fn pairs(end: &FinalState<'_>, kept: &Cells<f64>) -> Vec<[f64; 2]> {
    (0..kept.len() / 2).map(|number| [kept.get(end, 2 * number), kept.get(end, 2 * number + 1)]).collect()
}
