//! Totals of a world's measurements up to a moment, and their differences between two moments: the times of its processors, by kind.
//!
//! This module must never know the reason of the measured activity.

use std::sync::atomic::Ordering;

use tempest::NodeId;
use tempest::outcome::{Breakdown, Counters, PhaseRecord, ProtocolTime, Resource, Utilization};
use units::{Time, TotalTime};

use crate::parts::phases::{Start, Totals};
use crate::parts::stolen_time::{Net, Spell};
use crate::parts::world::World;

/// The start of a region on a node, at the time `at`.
pub(crate) fn start(world: &World, node: NodeId, name: &'static str, at: u64) -> Start {
    Start { name, at, totals: totals(world, node, at) }
}

/// The records of all regions. The last region ends at `end`, with these totals.
pub(crate) fn records(world: &World, end: u64, totals: &Totals) -> Vec<PhaseRecord> {
    let mut starts: Vec<Start> = Vec::new();
    for node in world.own_nodes() {
        node.regions.with_measured(|measured| {
            if starts.is_empty() {
                starts = measured.to_vec();
            } else {
                starts.iter_mut().zip(measured).for_each(|(all, more)| all.totals.add(&more.totals));
            }
        });
    }
    let end = Start { name: "", at: end, totals: totals.clone() };
    let ends = starts.iter().skip(1).chain([&end]);
    starts.iter().zip(ends).map(|(start, end)| record(world, start, end)).collect()
}

fn record(world: &World, start: &Start, end: &Start) -> PhaseRecord {
    let (from, to) = (&start.totals, &end.totals);
    let protocol = to.protocol.iter().zip(&from.protocol);
    let waited = to.waited_ns.iter().zip(&from.waited_ns).map(|(to, from)| to.saturating_sub(*from));
    PhaseRecord {
        name: start.name,
        time: Time::from_nanoseconds(end.at - start.at),
        counters: to.counters - from.counters,
        breakdown: less(to.breakdown, from.breakdown),
        protocol: protocol.map(|(to, from)| to.since(from)).collect(),
        utilization: utilization_of(world, end.at - start.at, &waited.collect::<Vec<_>>()),
    }
}

/// Takes the totals of all nodes up to `now`.
pub(crate) fn of_all(world: &World, now: u64) -> Totals {
    let mut nodes = world.own_nodes().map(|node| totals(world, node.id, now));
    let mut all = nodes.next().expect("a world has a node");
    nodes.for_each(|more| all.add(&more));
    all
}

/// Takes the totals of a node up to `now`.
fn totals(world: &World, node: NodeId, now: u64) -> Totals {
    let mut counters = Counters::default();
    world.gauges_of(node).for_each(|gauge| counters += gauge.counters());
    let spent: Vec<Spent> = world.indices_of(node).map(|index| Spent::of(world, index, now)).collect();
    let without_work = |spent: &Spent| now.saturating_sub(spent.net.worked_ns);
    Totals {
        counters,
        breakdown: breakdown(world, &spent),
        protocol: protocol_time(world, &spent).into_iter().collect(),
        waited_ns: spent.iter().filter(|spent| !world.is_helper(spent.index)).map(without_work).collect(),
    }
}

/// The time of a processor or helper.
struct Spent {
    index: usize,
    net: Net,
}

impl Spent {
    /// Splits the time of processor `index` up to `now`.
    fn of(world: &World, index: usize, now: u64) -> Self {
        let gauge = &world.gauges[index];
        let spell = if gauge.is_idling() { gauge.awaits().into() } else { Spell::Work };
        Self { index, net: world.stolen[index].split(now, gauge.waited_until(now), spell) }
    }
}

/// The sum of the time stolen from some processors; `None` if none of them knows its own.
fn stolen_from<'s>(spent: impl Iterator<Item = &'s Net>) -> Option<u64> {
    spent.filter_map(|spent| spent.stolen_ns).reduce(|all, more| all + more)
}

/// The time of the computing processors.
fn breakdown(world: &World, spent: &[Spent]) -> Breakdown {
    let [mut awaited, mut idle, mut memory, mut overhead, mut worked] = [0; 5];
    let computing = || spent.iter().filter(|spent| !world.is_dedicated(spent.index));
    for Spent { index, net: spent } in computing() {
        awaited += spent.waited.awaited_ns;
        idle += spent.waited.idle_ns;
        memory += spent.waited.memory_ns;
        worked += spent.worked_ns;
        overhead += world.gauges[*index].overhead_ns.load(Ordering::Relaxed);
    }
    // Overhead is an estimate from samples and must not make the compute time negative.
    let overhead = overhead.min(worked);
    let ns = TotalTime::from_nanoseconds;
    Breakdown {
        compute: ns(worked - overhead),
        memory: ns(memory),
        overhead: ns(overhead),
        synchronization: ns(awaited),
        idle: ns(idle),
        taken: stolen_from(computing().map(|spent| &spent.net)).map(ns),
    }
}

/// The time of the dedicated processors; `None` if there are none.
fn protocol_time(world: &World, spent: &[Spent]) -> Option<ProtocolTime> {
    let [mut idle, mut memory, mut handlers, mut worked] = [0; 4];
    let is_dedicated = |spent: &&Spent| world.is_dedicated(spent.index) && !world.is_helper(spent.index);
    let dedicated: Vec<_> = spent.iter().filter(is_dedicated).collect();
    for Spent { index, net: spent } in &dedicated {
        idle += spent.waited.idle_ns + spent.waited.awaited_ns;
        memory += spent.waited.memory_ns;
        worked += spent.worked_ns;
        handlers += world.gauges[*index].serving_ns.load(Ordering::Relaxed);
    }
    // Also an estimate from samples.
    let handlers = handlers.min(worked);
    let ns = TotalTime::from_nanoseconds;
    (!dedicated.is_empty()).then(|| ProtocolTime {
        processors: Resource::DedicatedProcessor,
        handlers: ns(handlers),
        overhead: ns(worked - handlers),
        memory: ns(memory),
        idle: ns(idle),
        taken: stolen_from(dedicated.iter().map(|spent| &spent.net)).map(ns),
    })
}

/// The utilization of the processors in the whole run, which ends with these totals.
pub(crate) fn utilization(world: &World, end: u64, totals: &Totals) -> Vec<Utilization> {
    utilization_of(world, end, &totals.waited_ns)
}

/// The utilization of the processors in `time` nanoseconds, of which each was idle for `waited_ns`.
fn utilization_of(world: &World, time: u64, waited_ns: &[u64]) -> Vec<Utilization> {
    let kinds = [(Resource::ComputingProcessor, false), (Resource::DedicatedProcessor, true)];
    let all = Time::from_nanoseconds(time);
    let of = |(resource, dedicated): (Resource, bool)| {
        let is_one = |index: &usize| world.is_dedicated(*index) == dedicated;
        let indices: Vec<usize> = (0..waited_ns.len()).filter(is_one).collect();
        let busy = |index: &usize| (all.saturating_sub(Time::from_nanoseconds(waited_ns[*index])), all);
        let name = |place: usize| {
            let (node, number) = world.seat(indices[place]);
            Utilization::name_of(number, indices.len() / world.node_count(), node)
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
