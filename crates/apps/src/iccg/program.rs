//! iccg by messages and by bulk transfers: a thread solves its rows as they become ready, and sends an update for each edge that leaves
//! its part: each in a message, or a batch of them in a transfer.
//!
//! This module must never know where the matrix came from or how rows were divided.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use tempest::{
    Cells, Event, FinalState, Handler, Key, Keyed, Merge, NodeId, Operations, Private, Protocol, Report,
    Setup, Thread, ThreadId, handlers,
};

use super::bulk::{Batch, Outbox, Rooms, Streams};
use super::layout::{DistantEdge, Layout, LocalEdge, Part};

/// The node that gathers x for the check.
const COLLECTOR: NodeId = NodeId(0);

/// The most values of x in one message of the gathering.
const GATHERED: usize = 12;

/// The work of making one update, beside the loads of the index and the value of an edge: multiply, count and branch. The
/// study counts two floating-point operations for an edge: this multiplication, and the subtraction in [`APPLY`].
const MAKE: Operations = Operations::NONE.flops(1).integers(2);

/// The work of applying one update: load the sum, subtract, store it; load the presence counter in the same line,
/// decrement, store it; branch.
const APPLY: Operations = Operations::NONE.loads(2).flops(1).stores(2).integers(2);

/// The work of solving one row, apart from its edges, and beside the load of the diagonal and the store of x: take the row's
/// index from the ready queue (load, advance, store); load the sum, divide.
const SOLVE: Operations = Operations::NONE.loads(2).flops(1).stores(1).integers(2);

/// The part of a run that all nodes share.
pub(super) struct Config {
    pub(super) layout: Layout,
    /// The updates that travel by transfers; `None` if all travel in messages.
    pub(super) streams: Option<Streams>,
}

/// The state of iccg on one node.
pub(super) struct Iccg {
    config: Arc<Config>,
    node: NodeId,
    /// The part of each thread, indexed by thread.
    parts: Box<[Part]>,
    /// The progress of each thread's part. The key is the thread's index.
    progress: Keyed<Progress>,
    /// The number of rows that have become ready, for each thread.
    ready: Box<[Event]>,
    rooms: Rooms,
    /// All values of x; used on the collector only.
    gathered: Cells<f64>,
}

/// The system as a thread has it, in arrays of its own.
struct Mine {
    /// The diagonal entry of each row, indexed by place.
    diagonals: Private<f64>,
    /// The value of x of each row, indexed by place. A row that is never solved stays NaN and fails the check.
    solution: Private<f64>,
    local: Private<LocalEdge>,
    distant: Private<DistantEdge>,
}

impl Mine {
    fn new(thread: &Thread<'_>, part: &Part) -> Self {
        let (local, distant) = part.edges();
        let diagonals = part.rows.iter().map(|row| row.diagonal).collect();
        Self {
            diagonals: thread.private_of("iccg.diagonals", diagonals),
            solution: thread.private_of("iccg.solution", vec![f64::NAN; part.rows.len()]),
            local: thread.private_of("iccg.local edges", local.to_vec()),
            distant: thread.private_of("iccg.distant edges", distant.to_vec()),
        }
    }
}

/// The progress of a part.
struct Progress {
    /// For each row, indexed by place: b less the updates that have arrived.
    sum: Vec<f64>,
    /// For each row, indexed by place: the number of updates that have not arrived yet.
    missing: Vec<u32>,
    /// The places of the rows that have all updates and are not solved yet, in the order in which they became ready.
    ready: VecDeque<u32>,
}

impl Progress {
    fn new(part: &Part) -> Self {
        let missing: Vec<u32> = part.rows.iter().map(|row| row.in_degree).collect();
        let ready =
            (0..).zip(&missing).filter(|&(_, &missing)| missing == 0).map(|(place, _)| place).collect();
        Self { sum: part.rows.iter().map(|row| row.rhs).collect(), missing, ready }
    }

    /// Applies an update. Returns whether it was the row's last.
    fn apply(&mut self, place: u32, update: f64) -> bool {
        let missing = &mut self.missing[place as usize];
        *missing = missing.checked_sub(1).expect("as many updates of a row as it has edges");
        self.sum[place as usize] -= update;
        let ready = *missing == 0;
        if ready {
            self.ready.push_back(place);
        }
        ready
    }

    /// Takes the next ready row off the queue. Returns its place and its sum.
    fn take(&mut self) -> (usize, f64) {
        let place = self.ready.pop_front().expect("a row was counted as ready") as usize;
        (place, self.sum[place])
    }
}

impl Protocol for Iccg {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let Config { layout, streams } = &**config;
        let node = setup.node();
        let threads = setup.shape().threads;
        let parts: Box<[_]> = (0..threads).map(|index| layout.part(ThreadId { node, index })).collect();
        let gathered = if node == COLLECTOR { layout.problem.order() } else { 0 };
        Self {
            config: Arc::clone(config),
            node,
            progress: setup.keyed(parts.len(), |thread| Progress::new(&parts[thread as usize])),
            ready: parts.iter().map(|_| Event::new("iccg.ready")).collect(),
            rooms: Rooms::new(streams.as_ref(), setup),
            // A value that never arrives stays NaN and fails the check.
            gathered: Cells::new(gathered, f64::NAN),
            parts,
        }
    }
}

#[handlers]
impl Iccg {
    /// Brings the update of one edge to the thread that owns the row. The modelled message has 12 bytes, as in the
    /// study: a 4-byte index, which names thread and place, and an 8-byte value.
    #[message(key = thread, bytes = 12)]
    fn update(&self, thread: u32, place: u32, value: f64, cx: &mut Handler<'_>) {
        cx.charge(APPLY);
        let ready = &self.ready[thread as usize];
        cx.with(&self.progress, |progress, cx| {
            if progress.apply(place, value) {
                cx.signal(ready, 1);
            }
        });
    }

    /// Tells the thread that owns the rows of a batch of updates that it has arrived.
    #[message(key = thread, bytes = 12)]
    fn brought(&self, thread: u32, first: u32, updates: u32, cx: &mut Handler<'_>) {
        let batch = self.rooms.read(Batch { first, updates }, cx);
        cx.charge(APPLY.times(updates));
        let ready = &self.ready[thread as usize];
        cx.with(&self.progress, |progress, cx| {
            let became = batch.iter().filter(|&&(place, update)| progress.apply(place, update)).count();
            if became > 0 {
                cx.signal(ready, became as u64);
            }
        });
    }

    /// Brings values of x to the collector: the values of a thread of the sender, from place `first` on. No two
    /// messages set the same cells, so there is no key.
    #[message]
    fn solved(&self, thread: u32, first: u32, payload: &[u64], cx: &mut Handler<'_>) {
        let thread = ThreadId { node: cx.source(), index: thread };
        let rows = &self.config.layout.rows_of(thread)[first as usize..];
        for (&row, &bits) in rows.iter().zip(payload) {
            self.gathered.set(cx, row as usize, f64::from_bits(bits));
        }
    }

    /// Solves the rows of a thread as they become ready.
    fn solve(&self, thread: &Thread<'_>, mine: &mut Mine) {
        let part = &self.parts[thread.index() as usize];
        let ready = &self.ready[thread.index() as usize];
        let mut outbox = self.config.streams.as_ref().map(|streams| Outbox::new(streams, thread.id()));
        thread.signal(ready, part.rows.iter().filter(|row| row.in_degree == 0).count() as u64);
        for solved in 1..=part.rows.len() as u64 {
            if let Some(outbox) = &mut outbox
                && !self.has_ready(thread)
            {
                self.send_batches(thread, outbox);
            }
            // Every ready row is counted, so the queue has a row whenever the count exceeds the rows taken.
            thread.wait(ready, solved);
            let (place, x) = self.solve_next(thread, mine);
            self.send_updates(thread, mine, outbox.as_mut(), part.distant_edges(place), x);
            self.apply_updates(thread, mine, part.local_edges(place), x);
            thread.poll();
        }
        if let Some(outbox) = &mut outbox {
            self.send_batches(thread, outbox);
        }
    }

    fn has_ready(&self, thread: &Thread<'_>) -> bool {
        thread.hold(key(thread), |cx| cx.with(&self.progress, |progress, _| !progress.ready.is_empty()))
    }

    /// Sends all collected updates: other threads may wait for them when this thread has no row to solve.
    fn send_batches(&self, thread: &Thread<'_>, outbox: &mut Outbox<'_>) {
        while let Some(stream) = outbox.waiting() {
            self.send_batch(thread, outbox, stream);
        }
    }

    fn send_batch(&self, thread: &Thread<'_>, outbox: &mut Outbox<'_>, stream: usize) {
        let brought = |thread, Batch { first, updates }| Self::brought(thread, first, updates);
        outbox.send(thread, &self.rooms, stream, brought);
    }

    fn solve_next(&self, thread: &Thread<'_>, mine: &mut Mine) -> (usize, f64) {
        let (place, sum) =
            thread.hold(key(thread), |cx| cx.with(&self.progress, |progress, _| progress.take()));
        let x = sum / mine.diagonals.get(thread, place);
        mine.solution.set(thread, place, x);
        thread.charge(SOLVE);
        (place, x)
    }

    /// Sends the updates of rows of other parts, or collects them. They go before the updates of own rows, as other threads may wait
    /// for them. Those for another thread of the node travel in messages.
    fn send_updates(
        &self,
        thread: &Thread<'_>,
        mine: &Mine,
        mut outbox: Option<&mut Outbox<'_>>,
        edges: Range<usize>,
        x: f64,
    ) {
        for edge in edges {
            thread.charge(MAKE);
            let DistantEdge { thread: owner, place, value } = mine.distant.get(thread, edge);
            let update = (place as u32, value * x);
            match &mut outbox {
                Some(outbox) if owner.node != self.node => {
                    if let Some(full) = outbox.append(thread, &self.rooms, owner, update) {
                        self.send_batch(thread, outbox, full);
                    }
                }
                _ => thread.send(owner.node, Self::update(owner.index, update.0, update.1)),
            }
        }
    }

    fn apply_updates(&self, thread: &Thread<'_>, mine: &Mine, edges: Range<usize>, x: f64) {
        if edges.is_empty() {
            return;
        }
        let ready = &self.ready[thread.index() as usize];
        thread.hold(key(thread), |cx| {
            let edges = mine.local.view(thread, edges);
            cx.charge(MAKE.and(APPLY).times(edges.len() as u32));
            cx.with(&self.progress, |progress, cx| {
                let became =
                    edges.iter().filter(|edge| progress.apply(edge.place as u32, edge.value * x)).count();
                if became > 0 {
                    cx.signal(ready, became as u64);
                }
            });
        });
    }

    /// Sends the values of x of a thread to the collector.
    fn gather(&self, thread: &Thread<'_>, x: &[f64]) {
        for (index, values) in x.chunks(GATHERED).enumerate() {
            let first = (index * GATHERED) as u32;
            let payload: Vec<u64> = values.iter().map(|x| x.to_bits()).collect();
            thread.send_with(COLLECTOR, Self::solved(thread.index(), first), &payload);
        }
    }

    /// Checks that each row of this node became ready exactly once.
    fn check_counts(&self, end: &FinalState<'_>) -> Report {
        let mut report = Report::default();
        for (thread, (part, ready)) in self.parts.iter().zip(&self.ready).enumerate() {
            let (rows, count, node) = (part.rows.len(), ready.count(end), self.node);
            report.merge(Report::checked(count == rows as u64, || {
                format!("{count} rows of {node} thread {thread} became ready: expected {rows}")
            }));
        }
        report
    }

    /// Checks all of x, and reports the figures of the whole system.
    fn check_solution(&self, end: &FinalState<'_>) -> Report {
        let problem = &self.config.layout.problem;
        let x: Vec<f64> = (0..self.gathered.len()).map(|row| self.gathered.get(end, row)).collect();
        let check = problem.check(&x);
        let norm = x.iter().fold(0.0, |norm: f64, x| norm.max(x.abs()));
        let mut report = Report::checked(check.passed(), || {
            let (row, error, bound) = (check.row + 1, check.error, check.bound);
            format!("row {row} of the solution has backward error {error:e}: expected at most {bound:e}")
        });
        report.checks = problem.order().max(1) as u64;
        report
            .figure("rows", problem.order() as f64, Merge::Sum)
            .figure("edges", problem.edges() as f64, Merge::Sum)
            .figure("remote edge fraction", self.config.layout.remote, Merge::Max)
            .figure("critical path rows", self.config.layout.critical_path as f64, Merge::Max)
            .figure("worst backward error", check.error, Merge::Max)
            .figure("x norm", six_digits(norm), Merge::Max)
    }

    fn main(&self, thread: &Thread<'_>) {
        let mut mine = Mine::new(thread, &self.parts[thread.index() as usize]);
        thread.phase("solve");
        self.solve(thread, &mut mine);
        thread.phase("gather");
        self.gather(thread, &mine.solution.into_vec());
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let mut report = self.check_counts(end);
        if self.node == COLLECTOR {
            report.merge(self.check_solution(end));
        }
        report
    }
}

/// The key of the progress of a thread's part.
fn key(thread: &Thread<'_>) -> Key {
    Key::User(u64::from(thread.index()))
}

/// Rounds a value to six significant digits. The rounded value does not depend on the order of the updates.
fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().expect("a number reads back what it prints")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_digits_are_kept() {
        assert_eq!(six_digits(1.234_567_89e-7), 1.23457e-7);
        assert_eq!(six_digits(0.0), 0.0);
    }
}
