//! Totals of a world's measurements up to a moment, and their differences between two moments: the times of its processors, by kind.
//!
//! This module must never know the reason of the measured activity.

use std::sync::atomic::Ordering;

use tempest::ThreadId;
use tempest::outcome::{Breakdown, Counters, PhaseRecord, ProtocolTime, Resource, Utilization};
use units::{Time, TotalTime};

use crate::parts::barrier::Entry;
use crate::parts::phases::{Start, Totals};
use crate::parts::stolen_time::{Net, Spell};
use crate::parts::world::World;

/// Lets a thread enter the next region. The last thread takes the totals.
///
/// # Panics
/// If threads enter different regions.
pub(crate) fn enter(world: &World, thread: ThreadId, name: &'static str) -> Entry<ThreadId> {
    world.phases.enter(thread, name, || {
        let now = world.now_ns();
        Start { name, at: now, totals: totals(world, now) }
    })
}

/// The records of all regions. The last region ends at `end`.
pub(crate) fn records(world: &World, end: u64) -> Vec<PhaseRecord> {
    let end = Start { name: "", at: end, totals: totals(world, end) };
    world.phases.with_measured(|starts| {
        let ends = starts.iter().skip(1).chain([&end]);
        starts.iter().zip(ends).map(|(start, end)| record(world, start, end)).collect()
    })
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

/// Takes the totals up to `now`.
pub(crate) fn totals(world: &World, now: u64) -> Totals {
    let mut counters = Counters::default();
    world.gauges.iter().for_each(|gauge| counters += gauge.counters());
    let spent: Vec<Net> = (0..world.gauges.len()).map(|index| spent(world, index, now)).collect();
    let without_work = |spent: &Net| now.saturating_sub(spent.worked_ns);
    Totals {
        counters,
        breakdown: breakdown(world, &spent),
        protocol: protocol_time(world, &spent).into_iter().collect(),
        waited_ns: spent[..world.processors].iter().map(without_work).collect(),
    }
}

/// Splits the time of a processor up to `now`.
fn spent(world: &World, index: usize, now: u64) -> Net {
    let gauge = &world.gauges[index];
    let spell = if gauge.is_idling() { gauge.awaits().into() } else { Spell::Work };
    world.stolen[index].split(now, gauge.waited_until(now), spell)
}

/// The sum of the time stolen from some processors; `None` if none of them knows its own.
fn stolen_from<'s>(spent: impl Iterator<Item = &'s Net>) -> Option<u64> {
    spent.filter_map(|spent| spent.stolen_ns).reduce(|all, more| all + more)
}

/// The time of the computing processors.
fn breakdown(world: &World, spent: &[Net]) -> Breakdown {
    let [mut awaited, mut idle, mut memory, mut overhead, mut worked] = [0; 5];
    let computing = || spent.iter().enumerate().filter(|(index, _)| !world.is_dedicated(*index));
    for (index, spent) in computing() {
        awaited += spent.waited.awaited_ns;
        idle += spent.waited.idle_ns;
        memory += spent.waited.memory_ns;
        worked += spent.worked_ns;
        overhead += world.gauges[index].overhead_ns.load(Ordering::Relaxed);
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
        taken: stolen_from(computing().map(|(_, spent)| spent)).map(ns),
    }
}

/// The time of the dedicated processors; `None` if there are none.
fn protocol_time(world: &World, spent: &[Net]) -> Option<ProtocolTime> {
    let [mut idle, mut memory, mut handlers, mut worked] = [0; 4];
    let processors = spent[..world.processors].iter().enumerate();
    let dedicated: Vec<_> = processors.filter(|(index, _)| world.is_dedicated(*index)).collect();
    for (index, spent) in &dedicated {
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
        taken: stolen_from(dedicated.iter().map(|(_, spent)| *spent)).map(ns),
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
            Utilization::name_of(number, indices.len() / world.nodes.len(), node)
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
