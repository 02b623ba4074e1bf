//! What em3d by messages, by bulk transfers and by deposits have in common: ghosts are filled, values are computed, threads
//! meet at a barrier.
//!
//! The values of a kind live in a segment: the node's own first, then its ghosts. A thread computes from there, whichever
//! mechanism filled the ghosts. Must never know how a message, a transfer or a deposit is made.

use std::sync::Arc;

use protocols::Barrier;
use tempest::{
    Event, Handler, MAX_WORDS, Mechanism, Merge, NodeId, Operations, Protocol, Quiet, Report, Segment, Setup,
    Thread, Word, Work as Charge, handlers,
};

use super::graph::{KINDS, Kind};
use super::layout::{Export, Layout, Share, Work};
use super::problem::Parameters;
use super::reference::{check, figures, updated};
use super::{bulk, deposit, messages};

/// The most values in one message or deposit. A message needs one more word, which says where the values go.
pub(super) const MAX_VALUES: usize = MAX_WORDS - 1;

/// The work of one edge: load the neighbour's place, its value and the weight; multiply and add; three integer
/// operations for the loop. These are the eight operations that the study of the dispatch queue counts.
pub(super) const EDGE: Operations = Operations::NONE.loads(3).flops(2).integers(3);

/// The work of one graph node apart from its edges: the ten operations that the study of the dispatch queue counts.
pub(super) const NODE: Operations = Operations::NONE.loads(4).integers(4).flops(1).stores(1);

/// The work of reading one value that is to be sent: load its place, then the value.
pub(super) const READ: Operations = Operations::NONE.loads(2).integers(1);

/// The work of writing one value into a buffer or a ghost.
pub(super) const WRITE: Operations = Operations::NONE.integers(1).stores(1);

/// The part of a run that all nodes share: parameters, the divided graph and the expected values.
pub(super) struct Config {
    /// The mechanism that fills the ghosts: messages, bulk or deposit. With shared memory there are no ghosts.
    pub(super) mechanism: Mechanism,
    pub(super) parameters: Parameters,
    pub(super) layout: Layout,
    /// Expected values after all iterations, indexed by kind, then by graph node.
    pub(super) expected: Arc<[Vec<f64>; 2]>,
}

/// The state of em3d on one machine node.
pub(super) struct Em3d {
    config: Arc<Config>,
    node: NodeId,
    barrier: Arc<Barrier>,
    /// The values of each kind on this machine node, indexed by kind.
    pub(super) fields: [Field; 2],
}

/// The values of one kind on one machine node: its own, then its ghosts.
pub(super) struct Field {
    share: Share,
    pub(super) values: Segment<f64>,
    /// The number of ghosts that messages or transfers have filled.
    pub(super) filled: Event,
}

impl Protocol for Em3d {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let barrier = setup.install::<Barrier>(&());
        let fields = KINDS.map(|kind| Field::new(&config.layout, kind, setup));
        Self { config: Arc::clone(config), node: setup.node(), barrier, fields }
    }
}

impl Field {
    fn new(layout: &Layout, kind: Kind, setup: &mut Setup<'_>) -> Self {
        let share = layout.share(setup.node(), kind);
        let name = match kind {
            Kind::E => "ghosts of E",
            Kind::H => "ghosts of H",
        };
        let values = setup.segment(name, share.own.len() + share.ghosts, 0.0);
        let initial = &layout.graph.side(kind).initial;
        for (place, graph_node) in share.own.clone().enumerate() {
            values.cells().set(place, initial[graph_node as usize]);
        }
        Self { share, values, filled: Event::new(name) }
    }

    /// Reads the values at the given places, as bits.
    pub(super) fn bits<'a>(&'a self, places: &'a [u32]) -> impl Iterator<Item = u64> + 'a {
        places.iter().map(|&place| Word::to_bits(self.values.cells().get(place as usize)))
    }
}

#[handlers]
impl Em3d {
    /// Brings a few values for consecutive ghosts, the first at place `at`. No two messages have the same ghosts.
    #[message]
    pub(super) fn ghosts(&self, at: u32, kind: u32, payload: &[u64], cx: &mut Handler<'_>) {
        let field = &self.fields[kind as usize];
        for (place, value) in (at as usize..).zip(payload) {
            field.values.cells().set(place, f64::from_bits(*value));
        }
        cx.charge(WRITE.times(payload.len() as u32));
        cx.signal(&field.filled, payload.len() as u64);
    }

    /// Tells that a transfer has filled so many ghosts of a kind.
    #[message]
    pub(super) fn filled(&self, count: u32, kind: u32, cx: &mut Handler<'_>) {
        cx.signal(&self.fields[kind as usize].filled, count.into());
    }

    /// Sends this thread's values of a kind to all nodes that need them.
    fn export(&self, thread: &Thread<'_>, kind: Kind) {
        let field = &self.fields[kind as usize];
        for export in &field.share.threads[thread.index() as usize].exports {
            match self.config.mechanism {
                Mechanism::Bulk => bulk::export(thread, field, kind, export),
                Mechanism::Deposit => self.in_pieces(thread, field, export, |at, values| {
                    deposit::export(thread, field, export.to, at, values);
                }),
                _ => self.in_pieces(thread, field, export, |at, values| {
                    messages::export(thread, export.to, kind, at, values);
                }),
            }
        }
    }

    /// Reads the values of an export straight from where they are, a few at a time, and sends each piece: `send` is given
    /// the place of the first ghost and the bits of the values.
    fn in_pieces(&self, thread: &Thread<'_>, field: &Field, export: &Export, send: impl Fn(u32, &[u64])) {
        let size = self.config.parameters.values as usize;
        for (at, places) in (export.at..).step_by(size).zip(export.places.chunks(size)) {
            let mut words = [0; MAX_VALUES];
            words.iter_mut().zip(field.bits(places)).for_each(|(word, bits)| *word = bits);
            let words = &words[..places.len()];
            thread.charge(READ.times(words.len() as u32));
            send(at, words);
            thread.poll();
        }
    }

    /// Waits until all ghosts of a kind have been filled `times` times. Where no handler wrote the ghosts, charges
    /// for their first reading.
    fn await_ghosts(&self, thread: &Thread<'_>, kind: Kind, times: u64) {
        let field = &self.fields[kind as usize];
        let filled = match self.config.mechanism {
            Mechanism::Deposit => field.values.deposited(),
            _ => &field.filled,
        };
        thread.wait(filled, times * field.share.ghosts as u64);
        if self.config.mechanism != Mechanism::Messages {
            let runs = &self.work(thread, kind.other()).ghost_runs;
            runs.iter().for_each(|&words| thread.charge(Charge::FirstRead(words)));
        }
    }

    fn work(&self, thread: &Thread<'_>, kind: Kind) -> &Work {
        &self.fields[kind as usize].share.threads[thread.index() as usize]
    }

    /// Updates the values of one kind that this thread owns.
    fn compute(&self, thread: &Thread<'_>, kind: Kind) {
        let work = self.work(thread, kind);
        let own = self.fields[kind as usize].values.cells();
        let others = self.fields[kind.other() as usize].values.cells();
        let edge = EDGE.and(Operations::NONE.integers(self.config.parameters.extra));
        for (place, edges) in work.places.clone().zip(work.first.windows(2)) {
            let edges = edges[0] as usize..edges[1] as usize;
            thread.charge(NODE);
            let neighbours = work.neighbours[edges.clone()].iter().map(|&neighbour| {
                thread.charge(edge);
                thread.poll();
                others.get(neighbour as usize)
            });
            let place = place as usize;
            own.set(place, updated(own.get(place), &work.weights[edges], neighbours));
        }
    }

    /// Runs iteration `number`, counted from 1: all E values from H values, then all H values from E values.
    fn iterate(&self, thread: &Thread<'_>, number: u64) {
        for kind in KINDS {
            self.export(thread, kind.other());
            self.await_ghosts(thread, kind.other(), number);
            self.compute(thread, kind);
            self.barrier.wait(thread);
        }
    }

    fn check(&self, kind: Kind) -> Report {
        let field = &self.fields[kind as usize];
        let own = field.share.own.clone();
        let values = own.enumerate().map(|(place, node)| (node, field.values.cells().get(place)));
        check(self.node, kind, values, &self.config.expected[kind as usize])
    }

    fn main(&self, thread: &Thread<'_>) {
        let Parameters { warm_up, iterations, .. } = self.config.parameters;
        for number in 1..=warm_up {
            self.iterate(thread, number.into());
        }
        thread.phase("iterate");
        for number in warm_up + 1..=warm_up + iterations {
            self.iterate(thread, number.into());
        }
    }

    fn report(&self, _: &mut Quiet<'_>) -> Report {
        let mut report = self.check(Kind::E);
        report.merge(self.check(Kind::H));
        if self.node == NodeId(0) {
            let layout = &self.config.layout;
            report = figures(report, layout, self.config.parameters.owners).figure(
                "values sent per iteration",
                layout.travelling() as f64,
                Merge::Max,
            );
        }
        report
    }
}
