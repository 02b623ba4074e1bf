//! Reads the clocks of all parts of the machine: how long each part has been busy, and the breakdown of protocol processors.
//!
//! This module must never change anything.

use hardware::Network;
use tempest::outcome::{Counters, ProtocolTime, Resource, Utilization};
use trace::Counter;
use units::Time;

use super::{Cluster, network};
use crate::measure::phases::Reading;
use crate::measure::sampler::Sampler;
use crate::measure::spending::Booked;
use crate::measure::utilization::BusyTimes;
use crate::processor::core::Core;

/// The measurements up to now: the counts of all processors, the booked time of each that began as a computing processor, and the
/// busy time of every part.
pub(crate) fn reading(cluster: &Cluster) -> Reading {
    let at = cluster.agenda.now();
    let mut reading = Reading {
        at,
        counters: Counters::default(),
        booked: Vec::new(),
        protocol: protocol_time(cluster),
        busy: busy_times(cluster),
    };
    for core in &cluster.cores {
        reading.counters += core.ledger.counters();
        if core.is_counted() {
            let breakdown = core.ledger.breakdown_at(at);
            reading.booked.push(Booked { at, breakdown, idle: core.ledger.idle_at(at) });
        }
    }
    reading
}

/// The time for which every part has been busy up to now.
fn busy_times(cluster: &Cluster) -> BusyTimes {
    let (now, nodes) = (cluster.agenda.now(), &cluster.nodes);
    let mut times = BusyTimes::default();
    add_processors(cluster, &mut times);
    times.add(Resource::DispatchQueue, now, nodes.iter().map(|node| node.dispatch.events.busy(now)));
    let locks = nodes.iter().filter_map(|node| node.port.lock());
    times.add(Resource::InterfaceLock, now, locks.map(|lock| lock.busy_at(now)));
    let ports = nodes.iter().map(|node| node.port.queue().busy_at(now));
    let (out, into): (Vec<_>, Vec<_>) = match cluster.link.routing.network() {
        // The ports of a routed network are its outermost channels. An interface may hold its port in longer than the channel
        // does.
        Network::Routed(fabric) => {
            let both = fabric.ports_busy_at(now).zip(ports);
            both.map(|(channels, interface)| (channels.0, channels.1.max(interface.1))).unzip()
        }
        Network::Constant(_) => ports.unzip(),
    };
    times.add(Resource::PortOut, now, out);
    times.add(Resource::PortIn, now, into);
    if let Network::Routed(fabric) = cluster.link.routing.network() {
        times.add(Resource::Link, now, fabric.links_busy_at(now));
    }
    let memories = || nodes.iter().filter_map(|node| node.memory.modelled());
    times.add(Resource::Bus, now, memories().map(|memory| memory.bus_busy_at(now).0));
    times.add(Resource::DataBus, now, memories().filter_map(|memory| memory.bus_busy_at(now).1));
    times.add(Resource::MemoryBank, now, memories().flat_map(|memory| memory.banks_busy_at(now)));
    times
}

/// Adds the processors. A kind has a part for every processor, with the time for which the processor was of that kind.
fn add_processors(cluster: &Cluster, times: &mut BusyTimes) {
    let now = cluster.agenda.now();
    times.add_some(
        Resource::ComputingProcessor,
        cluster.cores.iter().map(|core| {
            let (dedicated, of_that_idle) = core.dedicated_at(now);
            let (there, idle) = (now - dedicated, core.ledger.idle_at(now) - of_that_idle);
            (there.saturating_sub(idle), there)
        }),
    );
    for kind in protocol_kinds(cluster) {
        let dedicated = |(index, core): (usize, &Core)| {
            let (there, idle) = core.dedicated_at(now);
            let is_one = protocol_kind(cluster, index) == kind;
            if is_one { (there.saturating_sub(idle), there) } else { (Time::ZERO, Time::ZERO) }
        };
        times.add_some(kind, cluster.cores.iter().enumerate().map(dedicated));
    }
}

/// The kinds of processors that run handlers and no threads, or that may come to do so.
fn protocol_kinds(cluster: &Cluster) -> impl Iterator<Item = Resource> + use<> {
    let dispatch = cluster.nodes.first().map(|node| &node.dispatch);
    let own = dispatch.map_or(Resource::DedicatedProcessor, |dispatch| dispatch.kind_of_servers());
    let has_loop = dispatch.is_some_and(|dispatch| dispatch.network().is_some());
    [own].into_iter().chain(has_loop.then_some(Resource::NetworkProcessor))
}

/// The kind of a processor while it runs no threads.
fn protocol_kind(cluster: &Cluster, core: usize) -> Resource {
    let kinds = protocol_kinds(cluster);
    let kind = if cluster.is_network_processor(core) { kinds.last() } else { kinds.take(1).last() };
    kind.expect("there is always a kind")
}

/// The breakdown up to now of the processors that never ran threads, kind by kind.
fn protocol_time(cluster: &Cluster) -> Vec<ProtocolTime> {
    let of = |kind: Resource| {
        let cores = cluster.cores.iter().enumerate();
        let of_kind =
            cores.filter(|(index, core)| !core.is_counted() && protocol_kind(cluster, *index) == kind);
        let times = of_kind.map(|(_, core)| core.protocol_time_at(cluster.agenda.now(), kind));
        times.reduce(|all, one| all + one)
    };
    protocol_kinds(cluster).filter_map(of).collect()
}

/// Whether a part has a counter in a trace. A processor has a counter in each kind that it may be of at some time.
fn is_traced(cluster: &Cluster, kind: Resource, part: usize) -> bool {
    let began_computing = || cluster.cores[part].is_counted();
    match kind {
        Resource::ComputingProcessor => began_computing(),
        kind if kind.is_protocol_processor() => {
            // A policy that adapts may dedicate any processor.
            let node = cluster.cores[part].node();
            let may_be = cluster.nodes[node].dispatch.moves_threads() || !began_computing();
            may_be && protocol_kind(cluster, part) == kind
        }
        _ => true,
    }
}

/// The counters of a trace: the busy share of each part, and the number of waiting events of each node.
pub(crate) fn counters(cluster: &Cluster) -> Vec<Counter> {
    let times = busy_times(cluster);
    let parts = times.parts().filter(|&(kind, part, _)| is_traced(cluster, kind, part));
    let busy = parts.map(|(kind, part, _)| {
        let noun = kind.name().replace('-', " ");
        let (number, node) = place(cluster, kind, part);
        let name = match (kind, number) {
            (Resource::Link, _) => format!("{noun} {} busy", name(cluster, kind, part)),
            (_, Some((number, _))) => format!("{noun} {number} busy"),
            (_, None) => format!("{noun} busy"),
        };
        Counter { node, name, unit: "%" }
    });
    let waiting = (0..cluster.nodes.len() as u32).map(|node| Counter {
        node: Some(node),
        name: "events that wait".to_owned(),
        unit: "events",
    });
    busy.chain(waiting).collect()
}

/// The number of messages and other events of a node that wait for a processor to handle them.
pub(crate) fn waiting(cluster: &Cluster, node: usize) -> usize {
    cluster.nodes[node].dispatch.waiting() + network::still_in_interface(cluster, node)
}

/// Samples every counter of a traced run, if a sample is due or the run is at its end.
pub(crate) fn sample(cluster: &mut Cluster, at_end: bool) {
    let now = cluster.agenda.now();
    let is_due = |sampler: &Sampler| at_end || now >= sampler.due_at();
    if !cluster.measure.sampler.as_ref().is_some_and(is_due) {
        return;
    }
    let times = busy_times(cluster);
    let parts = times.parts().filter(|&(kind, part, _)| is_traced(cluster, kind, part));
    let busy = parts.map(|(_, _, busy)| busy).collect();
    let waiting: Vec<_> = (0..cluster.nodes.len()).map(|node| waiting(cluster, node) as u64).collect();
    if let Some(sampler) = &mut cluster.measure.sampler {
        sampler.take(now, busy, &waiting);
    }
}

/// The name of a part, by its index within its kind.
pub(crate) fn name(cluster: &Cluster, kind: Resource, part: usize) -> String {
    match (cluster.link.routing.network(), place(cluster, kind, part)) {
        (Network::Routed(fabric), (_, None)) => fabric.link_name(part),
        (_, (Some((number, of)), Some(node))) => Utilization::name_of(number, of, node as usize),
        (_, (_, node)) => Utilization::name_of(0, 1, node.unwrap_or_default() as usize),
    }
}

/// The place of a part: its number, the number of such parts on its node if there may be several, and its node. A link has no
/// node.
fn place(cluster: &Cluster, kind: Resource, part: usize) -> (Option<(usize, usize)>, Option<u32>) {
    match kind {
        Resource::Link => (None, None),
        Resource::MemoryBank => {
            let system = cluster.nodes.first().and_then(|node| node.memory.modelled());
            let banks = system.map_or(1, |system| system.banks_busy_at(Time::ZERO).count());
            (Some((part % banks, banks)), Some((part / banks) as u32))
        }
        kind if kind == Resource::ComputingProcessor || kind.is_protocol_processor() => {
            let core = &cluster.cores[part];
            let node = &cluster.nodes[core.node()];
            let cores = node.first_core..node.first_core + node.cores;
            let alike = cores.filter(|&other| is_traced(cluster, kind, other)).count();
            (Some((core.number().into(), alike)), Some(core.node() as u32))
        }
        _ => (None, Some(part as u32)),
    }
}
