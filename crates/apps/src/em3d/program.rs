//! em3d by messages, by bulk transfers and by deposits: ghosts are filled, values are computed, threads meet at a barrier.
//!
//! This module must never know how a message, a transfer or a deposit carries values.

use std::sync::Arc;

use protocols::Barrier;
use tempest::data::{ElementField, ElementLayout};
use tempest::entry::Frozen;
use tempest::{
    Element, FinalState, Handler, Mechanism, Merge, NodeId, Operations, Private, Protocol, Report, Setup,
    Thread, handlers,
};

use super::adjacency::Adjacency;
use super::ghosts::Field;
use super::graph::{KINDS, Kind};
use super::layout::{Layout, Work};
use super::lines::Lines;
use super::parameters::Parameters;
use super::reference::{check, figures, updated};
use super::work::{EDGE, NODE, WRITE};
use super::{bulk, deposit, messages};

/// The part of a run that all nodes share: parameters, the divided graph and the expected values.
pub(super) struct Config {
    /// The mechanism that fills the ghosts: messages, bulk or deposit. With shared memory there are no ghosts.
    pub(super) mechanism: Mechanism,
    pub(super) parameters: Parameters,
    pub(super) layout: Layout,
    /// Expected values after all iterations, indexed by kind, then by graph node.
    pub(super) expected: [Frozen<f64>; 2],
}

/// The state of em3d on one machine node.
pub(super) struct Em3d {
    config: Arc<Config>,
    node: NodeId,
    barrier: Arc<Barrier>,
    /// The values of each kind on this machine node, indexed by kind.
    fields: [Field; 2],
    lines: Lines,
}

/// The number of edges of a graph node, and the offsets of the first of them among the neighbours and the weights of its thread.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct GraphNode {
    count: u32,
    first: u32,
    first_weight: u32,
}

impl Element for GraphNode {
    const LAYOUT: ElementLayout = ElementLayout {
        name: "graph node",
        bytes: 12,
        fields: &[
            ElementField::new("count", 0, 4),
            ElementField::new("first", 4, 4),
            ElementField::new("first_weight", 8, 4),
        ],
    };
}

/// The graph nodes of one kind that a thread owns, apart from their values, in arrays of the thread's own.
struct Mine {
    graph_nodes: Private<GraphNode>,
    edges: Adjacency,
}

impl Mine {
    fn build(thread: &Thread<'_>, kind: Kind, work: &Work) -> Self {
        let name = match kind {
            Kind::E => "em3d.graph nodes of E",
            Kind::H => "em3d.graph nodes of H",
        };
        let of = work.first.windows(2).map(|edges| edges[0] as usize..edges[1] as usize);
        let lists =
            of.clone().map(|edges| (work.neighbours[edges.clone()].iter().copied(), &work.weights[edges]));
        let mut graph_nodes = thread.private::<GraphNode>(name, work.places.len());
        for (number, edges) in of.enumerate() {
            let (first, count) = (edges.start as u32, edges.len() as u32);
            graph_nodes.set(thread, number, GraphNode { count, first, first_weight: first });
        }
        Self { graph_nodes, edges: Adjacency::build(thread, kind, lists) }
    }
}

impl Protocol for Em3d {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let barrier = setup.install::<Barrier>(&());
        let fields = KINDS.map(|kind| Field::new(&config.layout, kind, config.mechanism, setup));
        Self { config: Arc::clone(config), node: setup.node(), barrier, fields, lines: Lines::new() }
    }
}

#[handlers]
impl Em3d {
    /// Brings a few values for consecutive ghosts, the first at place `at`. No two messages have the same ghosts.
    #[message]
    fn ghosts(&self, at: u32, kind: u32, payload: &[u64], cx: &mut Handler<'_>) {
        let field = &self.fields[kind as usize];
        cx.write(&field.values, at as usize, bytemuck::cast_slice(payload));
        cx.charge(WRITE.times(payload.len() as u32));
        cx.signal(&field.filled, payload.len() as u64);
    }

    /// Tells that a transfer has filled `count` ghosts of a kind.
    #[message]
    fn filled(&self, count: u32, kind: u32, cx: &mut Handler<'_>) {
        cx.signal(&self.fields[kind as usize].filled, count.into());
    }

    /// Sends this thread's values of a kind to all nodes that need them.
    fn export(&self, thread: &Thread<'_>, kind: Kind) {
        let (field, size) = (&self.fields[kind as usize], self.config.parameters.values as usize);
        for export in &field.share.threads[thread.index() as usize].exports {
            let kind = kind as u32;
            match self.config.mechanism {
                Mechanism::Bulk => bulk::export(thread, field, export, |count| Self::filled(count, kind)),
                Mechanism::Deposit => deposit::export(thread, field, export, size),
                _ => messages::export(thread, field, export, size, |at| Self::ghosts(at, kind)),
            }
        }
    }

    /// Waits until all ghosts of a kind have been filled `times` times.
    fn await_ghosts(&self, thread: &Thread<'_>, kind: Kind, times: u64) {
        let field = &self.fields[kind as usize];
        let filled = match self.config.mechanism {
            Mechanism::Deposit => field.values.deposited(),
            _ => &field.filled,
        };
        thread.wait(filled, times * field.share.ghosts as u64);
    }

    fn work(&self, thread: &Thread<'_>, kind: Kind) -> &Work {
        &self.fields[kind as usize].share.threads[thread.index() as usize]
    }

    /// Updates the values of one kind that this thread owns.
    fn compute(&self, thread: &Thread<'_>, kind: Kind, nodes: &Mine) {
        let work = self.work(thread, kind);
        let others = &self.fields[kind.other() as usize];
        let [own, neighbours] =
            [&self.fields[kind as usize], others].map(|field| thread.words(&field.values));
        let edge = EDGE.and(Operations::NONE.integers(self.config.parameters.extra));
        for (place, number) in work.places.clone().zip(0..) {
            thread.charge(NODE);
            let GraphNode { count, first, .. } = nodes.graph_nodes.get(thread, number);
            let (first, place) = (first as usize, place as usize);
            let terms =
                nodes.edges.edges(thread, first..first + count as usize).map(|(weight, neighbour)| {
                    thread.charge(edge);
                    thread.poll();
                    (weight, neighbours.get(neighbour as usize))
                });
            own.set(place, updated(own.get(place), terms));
        }
        if self.config.mechanism != Mechanism::Messages {
            others.forget(thread, &work.ghosts);
        }
    }

    /// Runs iteration `number`, counted from 1: all E values from H values, then all H values from E values.
    fn iterate(&self, thread: &Thread<'_>, number: u64, mine: &[Mine; 2]) {
        for kind in KINDS {
            self.export(thread, kind.other());
            self.await_ghosts(thread, kind.other(), number);
            self.compute(thread, kind, &mine[kind as usize]);
            self.barrier.wait(thread);
        }
    }

    fn check(&self, end: &FinalState<'_>, kind: Kind) -> Report {
        let field = &self.fields[kind as usize];
        let own = field.share.own.clone();
        let values = own.enumerate().map(|(place, node)| (node, field.values.cells().get(end, place)));
        check(self.node, kind, values, &self.config.expected[kind as usize])
    }

    fn main(&self, thread: &Thread<'_>) {
        let Parameters { warm_up, iterations, .. } = self.config.parameters;
        let mine = KINDS.map(|kind| Mine::build(thread, kind, self.work(thread, kind)));
        for number in 1..=warm_up {
            self.iterate(thread, number.into(), &mine);
        }
        thread.phase("iterate");
        let counts = (thread.index() == 0).then(|| thread.memory_events());
        for number in warm_up + 1..=warm_up + iterations {
            self.iterate(thread, number.into(), &mine);
        }
        if let Some(before) = counts {
            self.lines.keep(thread, before);
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let mut report = self.lines.report(end, self.check(end, Kind::E));
        report.merge(self.check(end, Kind::H));
        if self.node == NodeId(0) {
            let layout = &self.config.layout;
            report = figures(report, layout).figure(
                "values sent per iteration",
                layout.travelling() as f64,
                Merge::Max,
            );
        }
        report
    }
}
