//! em3d through shared memory: each graph node is a record in the address space, at home with its owner, and a thread
//! reads its neighbours' values in their records.
//!
//! A record holds the value, the number of edges, and where the edges begin in the owner's private arrays of
//! neighbours and of weights. It is the record of the study of the dispatch queue (B. Falsafi and D. A. Wood, HPCA-5,
//! 1999), padded to the length that the input `record` asks for.
//!
//! # Work
//!
//! A model prices each access itself, shared or private, so none is among the operations that are charged beside. Of an
//! edge's three loads one is shared, the neighbour's value, and two are private, its record and the weight. Of a graph
//! node's four loads and one store all are shared: value, count and two offsets, and the new value.
//!
//! Threads meet through shared memory too. The program sends no message of its own, so it also runs where hardware
//! keeps memory coherent and no processor handles messages.
//!
//! # Prefetching
//!
//! A thread knows which records of other machine nodes it will read, and when it will first read a record of each block: it asks
//! for these blocks some graph nodes ahead. It asks likewise for the right to write its own records, which other nodes have read. A
//! machine without prefetches is not charged for this.
//!
//! This module must never know how blocks are kept coherent.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use protocols::sync::{BarrierRoom, SharedBarrier};
use tempest::entry::{BadPlan, Frozen, Plan, SharedMemory};
use tempest::{
    Array, Cells, FinalState, Homes, Merge, NodeId, Operations, Protocol, Report, Right, Setup, Shared,
    Thread, handlers,
};

use super::adjacency::Adjacency;
use super::graph::{KINDS, Kind};
use super::layout::Layout;
use super::parameters::Parameters;
use super::reference::{self, updated};
use super::work;

/// The work of one edge, without its accesses.
const EDGE: Operations = work::EDGE;

/// The work of one graph node, without the accesses to its record.
const NODE: Operations = work::NODE;

/// The number of graph nodes ahead of which a thread prefetches, at most. It prefetches for half as many at a time.
const AHEAD: usize = 32;

/// The part of a run that all nodes share: the divided graph, the address space and the expected values.
pub(super) struct Config {
    parameters: Parameters,
    layout: Layout,
    /// Expected values after all iterations, indexed by kind, then by graph node.
    expected: [Frozen<f64>; 2],
    memory: SharedMemory,
    /// The records of each kind, indexed by kind.
    records: [Array<f64>; 2],
    barrier: BarrierRoom,
}

impl Config {
    /// Lays the records out in an address space.
    ///
    /// # Errors
    /// [`BadPlan`] if there is no such address space, or no protocol for it.
    pub(super) fn new(
        plan: &Plan,
        parameters: Parameters,
        layout: Layout,
        expected: [Frozen<f64>; 2],
    ) -> Result<Self, BadPlan> {
        let mut space = plan.layout()?;
        let most = (0..plan.shape.nodes).map(|node| layout.own(NodeId(node)).len()).max().unwrap_or(0);
        let words = parameters.record / 8;
        let [e, h] =
            ["records of E", "records of H"].map(|name| space.records(name, most, words, Homes::Parts));
        let records = [e?, h?];
        for array in records {
            space.place_all(array, parameters.homes)?;
        }
        let barrier = SharedBarrier::room(&mut space)?;
        let memory = plan.shared_memory(space, parameters.frames)?;
        Ok(Self { parameters, layout, expected, memory, records, barrier })
    }
}

/// The state of em3d through shared memory on one machine node.
pub(super) struct SharedEm3d {
    config: Arc<Config>,
    node: NodeId,
    barrier: SharedBarrier,
    /// The graph nodes of each kind, indexed by kind.
    fields: [Field; 2],
}

/// The graph nodes of one kind, as one machine node sees them.
struct Field {
    values: Shared<f64>,
    counts: Shared<u64>,
    /// A field of the record: the offset of the graph node's edges among the neighbours of its thread.
    firsts: Shared<u64>,
    /// A field of the record: the offset of the graph node's edges among the weights of its thread.
    first_weights: Shared<u64>,
    /// The final values of the machine node's own graph nodes, read back for the check.
    results: Cells<f64>,
}

impl Protocol for SharedEm3d {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let memory = config.memory.install(setup);
        let barrier = SharedBarrier::new(setup, &memory, config.barrier, SharedBarrier::FAN_IN);
        let values = config.records.map(|records| memory.bind(records));
        let fields = KINDS.map(|kind| Field::new(&config.layout, kind, setup.node(), &values));
        Self { config: Arc::clone(config), node: setup.node(), barrier, fields }
    }
}

impl Field {
    fn new(layout: &Layout, kind: Kind, node: NodeId, values: &[Shared<f64>; 2]) -> Self {
        let values = values[kind as usize].clone();
        Self {
            counts: values.field(1),
            firsts: values.field(2),
            first_weights: values.field(3),
            results: Cells::new(layout.own(node).len(), 0.0),
            values,
        }
    }
}

/// The edges of a thread's graph nodes of one kind, and the blocks of other machine nodes that they lead to.
struct Edges {
    edges: Adjacency,
    remote: Vec<Remote>,
}

/// A block of another machine node.
struct Remote {
    /// The number of the first of a thread's graph nodes that needs it.
    number: usize,
    /// A record in it.
    record: usize,
}

#[handlers]
impl SharedEm3d {
    /// The thread's graph nodes, as indices into its machine node's graph nodes, and the record of the first one.
    fn mine(&self, thread: &Thread<'_>, kind: Kind) -> (Range<u32>, usize) {
        let places = self.config.layout.places(self.node, thread.index());
        let first = self.fields[kind as usize].values.at(self.node, 0);
        (places.clone(), first + places.start as usize)
    }

    /// Writes the initial records of this thread's graph nodes of one kind.
    fn begin(&self, thread: &Thread<'_>, kind: Kind) {
        let (field, own) = (&self.fields[kind as usize], self.config.layout.own(self.node));
        let side = self.config.layout.graph.side(kind);
        let (places, record) = self.mine(thread, kind);
        let mut first = 0;
        for (record, graph_node) in (record..).zip(places.map(|place| own.start + place)) {
            let count = side.edges(graph_node).0.len() as u64;
            thread.write(&field.values, record, side.initial[graph_node as usize]);
            thread.write(&field.counts, record, count);
            thread.write(&field.firsts, record, first);
            thread.write(&field.first_weights, record, first);
            first += count;
        }
    }

    /// Builds the edges of this thread's graph nodes of one kind. The place of a neighbour's value is its record.
    fn build(&self, thread: &Thread<'_>, kind: Kind) -> Adjacency {
        let (layout, others) = (&self.config.layout, &self.fields[kind.other() as usize].values);
        let record = |graph_node: u32| {
            let owner = layout.owner(graph_node);
            others.at(owner, (graph_node - layout.own(owner).start) as usize) as u32
        };
        let (places, start) = (self.mine(thread, kind).0, layout.own(self.node).start);
        let graph_nodes = places.map(|place| {
            let (neighbours, weights) = layout.graph.side(kind).edges(start + place);
            (neighbours.iter().copied().map(record), weights)
        });
        Adjacency::build(thread, kind, graph_nodes)
    }

    /// The records of other machine nodes that this thread reads for its graph nodes of one kind: of each block the first.
    fn remote(&self, thread: &Thread<'_>, kind: Kind) -> Vec<Remote> {
        let (layout, others) = (&self.config.layout, &self.fields[kind.other() as usize].values);
        let (places, own) = (self.mine(thread, kind).0, layout.own(self.node));
        let mut seen = HashSet::new();
        let mut remote = Vec::new();
        for (number, place) in places.enumerate() {
            let neighbours = layout.graph.side(kind).edges(own.start + place).0;
            let owned = neighbours.iter().map(|neighbour| (layout.owner(*neighbour), *neighbour));
            for (owner, neighbour) in owned.filter(|(owner, _)| *owner != self.node) {
                let record = others.at(owner, (neighbour - layout.own(owner).start) as usize);
                if seen.insert(others.block(record)) {
                    remote.push(Remote { number, record });
                }
            }
        }
        remote
    }

    /// Prefetches the blocks that the thread needs for its graph nodes `numbers` of one kind. `remote` begins with the
    /// blocks that have not been asked for.
    fn ask(&self, thread: &Thread<'_>, kind: Kind, numbers: Range<usize>, remote: &mut &[Remote]) {
        let (field, others) = (&self.fields[kind as usize], &self.fields[kind.other() as usize].values);
        let (places, first) = self.mine(thread, kind);
        let end = numbers.end.min(places.len());
        thread.prefetch(&field.values, first + numbers.start.min(end)..first + end, Right::Write);
        while let Some((next, rest)) = remote.split_first()
            && next.number < end
        {
            thread.prefetch(others, next.record..next.record + 1, Right::Read);
            *remote = rest;
        }
    }

    /// Updates the values of one kind that this thread owns.
    fn compute(&self, thread: &Thread<'_>, kind: Kind, Edges { edges, remote }: &Edges) {
        let field = &self.fields[kind as usize];
        let others = &self.fields[kind.other() as usize].values;
        let edge = EDGE.and(Operations::NONE.integers(self.config.parameters.extra));
        let (places, record) = self.mine(thread, kind);
        let mut remote = &remote[..];
        self.ask(thread, kind, 0..AHEAD / 2, &mut remote);
        for (number, record) in (record..).take(places.len()).enumerate() {
            if number.is_multiple_of(AHEAD / 2) {
                self.ask(thread, kind, number + AHEAD / 2..number + AHEAD, &mut remote);
            }
            thread.charge(NODE);
            let value = thread.read(&field.values, record);
            let count = thread.read(&field.counts, record) as usize;
            let first = thread.read(&field.firsts, record) as usize;
            // Both offsets are one number here: the arrays are built side by side.
            thread.read(&field.first_weights, record);
            let terms = edges.edges(thread, first..first + count).map(|(weight, neighbour)| {
                thread.charge(edge);
                thread.poll();
                (weight, thread.read(others, neighbour as usize))
            });
            thread.write(&field.values, record, updated(value, terms));
        }
    }

    /// Runs one iteration: all E values from H values, then all H values from E values.
    fn iterate(&self, thread: &Thread<'_>, edges: &[Edges; 2]) {
        for kind in KINDS {
            self.compute(thread, kind, &edges[kind as usize]);
            self.barrier.wait(thread);
        }
    }

    /// Copies this thread's final values of one kind out of shared memory, for the check.
    fn take_down(&self, thread: &Thread<'_>, kind: Kind) {
        let field = &self.fields[kind as usize];
        let (places, record) = self.mine(thread, kind);
        for (record, place) in (record..).zip(places) {
            field.results.set(thread, place as usize, thread.read(&field.values, record));
        }
    }

    fn check(&self, end: &FinalState<'_>, kind: Kind) -> Report {
        let results = &self.fields[kind as usize].results;
        let own = self.config.layout.own(self.node);
        let values = own.enumerate().map(|(place, graph_node)| (graph_node, results.get(end, place)));
        reference::check(self.node, kind, values, &self.config.expected[kind as usize])
    }

    fn main(&self, thread: &Thread<'_>) {
        let Parameters { warm_up, iterations, .. } = self.config.parameters;
        KINDS.into_iter().for_each(|kind| self.begin(thread, kind));
        let edges =
            KINDS.map(|kind| Edges { edges: self.build(thread, kind), remote: self.remote(thread, kind) });
        self.barrier.wait(thread);
        (0..warm_up).for_each(|_| self.iterate(thread, &edges));
        thread.phase("iterate");
        (0..iterations).for_each(|_| self.iterate(thread, &edges));
        thread.phase("check");
        KINDS.into_iter().for_each(|kind| self.take_down(thread, kind));
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let mut report = self.check(end, Kind::E);
        report.merge(self.check(end, Kind::H));
        if self.node == NodeId(0) {
            report = reference::figures(report, &self.config.layout).figure(
                "values read from other nodes per iteration",
                self.config.layout.travelling() as f64,
                Merge::Max,
            );
        }
        report
    }
}
