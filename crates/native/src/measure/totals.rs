//! Totals of a node's measurements up to a moment: the times of its processors, by kind.
//!
//! This module must never know the reason of the measured activity.

use std::sync::atomic::Ordering;

use tempest::NodeId;
use tempest::outcome::{Breakdown, Counters, ProtocolTime, Resource};
use units::TotalTime;

use crate::parts::phases::{Start, Totals};
use crate::parts::stolen_time::{Net, Spell};
use crate::parts::world::World;

/// The start of a region on a node, at the time `at`.
pub(crate) fn start(world: &World, node: NodeId, name: &'static str, at: u64) -> Start {
    Start { name, at, totals: totals(world, node, at) }
}

/// Takes the totals of a node up to `now`.
pub(crate) fn totals(world: &World, node: NodeId, now: u64) -> Totals {
    let mut counters = Counters::default();
    world.gauges_of(node).for_each(|gauge| counters += gauge.counters());
    let spent: Vec<Spent> = world.seating.of_node(node).map(|index| Spent::of(world, index, now)).collect();
    let without_work = |spent: &Spent| now.saturating_sub(spent.net.worked_ns);
    Totals {
        counters,
        breakdown: breakdown(world, &spent),
        protocol: protocol_time(world, &spent).into_iter().collect(),
        waited_ns: spent
            .iter()
            .filter(|spent| !world.seating.is_helper(spent.index))
            .map(without_work)
            .collect(),
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
    let computing = || spent.iter().filter(|spent| !world.seating.is_dedicated(spent.index));
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
    let is_dedicated =
        |spent: &&Spent| world.seating.is_dedicated(spent.index) && !world.seating.is_helper(spent.index);
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
