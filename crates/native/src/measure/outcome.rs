//! The outcome of a run, from the records that its nodes make of themselves at its end.
//!
//! This module must never know where a record was made.

use tempest::Report;
use tempest::outcome::{
    Adjustment, Breakdown, Dispatching, Failure, Outcome, PhaseRecord, Resource, Utilization,
};
use units::{Time, TotalTime};

use crate::measure::totals::totals;
use crate::parts::dispatcher::Dispatcher;
use crate::parts::node::Node;
use crate::parts::phases::{Start, Totals};
use crate::parts::seating::Seating;
use crate::parts::world::World;

/// The measurements of a node and its share of the program's report, after a run that has ended well.
pub(crate) struct NodeRecord {
    /// The start of each timed region.
    pub(crate) starts: Vec<Start>,
    /// The totals at the end of the run.
    pub(crate) totals: Totals,
    pub(crate) dispatching: Dispatching,
    pub(crate) adjustments: Vec<Adjustment>,
    pub(crate) report: Report,
}

impl NodeRecord {
    /// The record of a node of a run that has ended at `end`, in nanoseconds, and whose OS threads have been joined.
    ///
    /// # Errors
    /// If the program panics while it reports.
    fn of(world: &World, node: &Node, end: u64) -> Result<Self, Failure> {
        Ok(Self {
            starts: node.regions.with_measured(<[_]>::to_vec),
            totals: totals(world, node.id, end),
            dispatching: dispatching(&node.dispatcher),
            adjustments: node.adaptive.as_ref().map_or_else(Vec::new, |adaptive| adaptive.adjustments()),
            report: node.report()?,
        })
    }

    /// Adds the record of the next node.
    fn add(&mut self, more: Self) {
        let both = self.starts.iter_mut().zip(&more.starts);
        both.for_each(|(all, more)| all.totals.add(&more.totals));
        self.totals.add(&more.totals);
        self.dispatching.waited_on_key += more.dispatching.waited_on_key;
        self.dispatching.spilled += more.dispatching.spilled;
        self.adjustments.extend(more.adjustments);
        self.report.merge(more.report);
    }
}

/// The measurements of a node's queue.
fn dispatching(dispatcher: &Dispatcher) -> Dispatching {
    let Dispatcher::Keyed(shared) = dispatcher else { return Dispatching::default() };
    let statistics = shared.queue.statistics();
    Dispatching {
        waited_on_key: statistics.waited_on_key,
        spilled: statistics.spilled,
        ..Dispatching::default()
    }
}

/// The records of the nodes of this process, of a run that has ended at `end`, in nanoseconds.
///
/// # Errors
/// If the program panics while it reports.
pub(crate) fn records(world: &World, end: u64) -> Result<Vec<NodeRecord>, Failure> {
    world.own_nodes().map(|node| NodeRecord::of(world, node, end)).collect()
}

/// The outcome of a run that has ended at `end`, in nanoseconds, from the records of its nodes in order.
///
/// # Panics
/// If there is no record.
pub(crate) fn outcome(seating: &Seating, end: u64, records: impl IntoIterator<Item = NodeRecord>) -> Outcome {
    let mut records = records.into_iter();
    let mut all = records.next().expect("a world has a node");
    records.for_each(|record| all.add(record));
    let NodeRecord { starts, totals, dispatching, mut adjustments, report } = all;
    adjustments.sort_by_key(|adjustment| adjustment.at);
    Outcome {
        time: Time::from_nanoseconds(end),
        phases: regions(seating, &starts, end, &totals),
        counters: totals.counters,
        breakdown: totals.breakdown,
        utilization: utilization(seating, end, &totals.waited_ns),
        protocol: totals.protocol,
        dispatching,
        anatomy: Vec::new(),
        adjustments,
        events: None,
        digest: None,
        report,
    }
}

/// The records of all regions, from their starts on all nodes together. The last region ends at `end`, with these totals.
fn regions(seating: &Seating, starts: &[Start], end: u64, totals: &Totals) -> Vec<PhaseRecord> {
    let end = Start { name: "", at: end, totals: totals.clone() };
    let ends = starts.iter().skip(1).chain([&end]);
    starts.iter().zip(ends).map(|(start, end)| region(seating, start, end)).collect()
}

fn region(seating: &Seating, start: &Start, end: &Start) -> PhaseRecord {
    let (from, to) = (&start.totals, &end.totals);
    let protocol = to.protocol.iter().zip(&from.protocol);
    let waited = to.waited_ns.iter().zip(&from.waited_ns).map(|(to, from)| to.saturating_sub(*from));
    PhaseRecord {
        name: start.name,
        time: Time::from_nanoseconds(end.at.saturating_sub(start.at)),
        counters: to.counters - from.counters,
        breakdown: less(to.breakdown, from.breakdown),
        protocol: protocol.map(|(to, from)| to.since(from)).collect(),
        utilization: utilization(seating, end.at.saturating_sub(start.at), &waited.collect::<Vec<_>>()),
    }
}

/// The utilization of the processors in `time` nanoseconds, of which each was idle for `waited_ns`.
fn utilization(seating: &Seating, time: u64, waited_ns: &[u64]) -> Vec<Utilization> {
    let kinds = [(Resource::ComputingProcessor, false), (Resource::DedicatedProcessor, true)];
    let all = Time::from_nanoseconds(time);
    let of = |(resource, dedicated): (Resource, bool)| {
        let is_one = |index: &usize| seating.is_dedicated(*index) == dedicated;
        let indices: Vec<usize> = (0..waited_ns.len()).filter(is_one).collect();
        let busy = |index: &usize| (all.saturating_sub(Time::from_nanoseconds(waited_ns[*index])), all);
        let name = |place: usize| {
            let (node, number) = seating.seat(indices[place]);
            Utilization::name_of(number, indices.len() / seating.nodes(), node)
        };
        Utilization::of(resource, indices.iter().map(busy), name)
    };
    kinds.into_iter().filter_map(of).collect()
}

/// The difference of two breakdowns. Each part is measured by a processor of its own, so a part read late can seem to have shrunk; it
/// then counts as zero.
fn less(end: Breakdown, start: Breakdown) -> Breakdown {
    Breakdown {
        compute: end.compute.saturating_sub(start.compute),
        memory: end.memory.saturating_sub(start.memory),
        overhead: end.overhead.saturating_sub(start.overhead),
        synchronization: end.synchronization.saturating_sub(start.synchronization),
        idle: end.idle.saturating_sub(start.idle),
        taken: end.taken.map(|taken| taken.saturating_sub(start.taken.unwrap_or(TotalTime::ZERO))),
    }
}
