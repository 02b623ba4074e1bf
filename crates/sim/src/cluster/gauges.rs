//! Reads the clocks of all parts of the machine: how long each has been busy, and where protocol processors' time went.
//!
//! Must never change anything.

use hardware::Network;
use tempest::policy::Servers;
use tempest::{ProtocolTime, Resource, Utilization};
use units::Time;

use super::Cluster;
use crate::measure::utilization::BusyTimes;
use crate::processor::core::Core;

/// The time for which every part has been busy up to now.
pub(crate) fn busy_times(cluster: &Cluster) -> BusyTimes {
    let (now, nodes) = (cluster.agenda.now(), &cluster.nodes);
    let mut times = BusyTimes::default();
    add_processors(cluster, &mut times);
    times.add(Resource::DispatchQueue, now, nodes.iter().map(|node| node.dispatch.events.busy(now)));
    let locks = nodes.iter().filter_map(|node| node.port.lock.as_ref());
    times.add(Resource::InterfaceLock, now, locks.map(|lock| lock.busy_at(now)));
    let (out, into): (Vec<_>, Vec<_>) = match &cluster.link.network {
        // The ports of a routed network are its outermost channels.
        Network::Routed(fabric) => fabric.ports_busy_at(now).unzip(),
        Network::Constant(_) => nodes.iter().map(|node| node.port.interface.busy_at(now)).unzip(),
    };
    times.add(Resource::PortOut, now, out);
    times.add(Resource::PortIn, now, into);
    if let Network::Routed(fabric) = &cluster.link.network {
        times.add(Resource::Link, now, fabric.links_busy_at(now));
    }
    let memories = || nodes.iter().filter_map(|node| node.memory.modelled());
    times.add(Resource::Bus, now, memories().map(|memory| memory.bus_busy_at(now).0));
    times.add(Resource::DataBus, now, memories().filter_map(|memory| memory.bus_busy_at(now).1));
    times.add(Resource::MemoryBank, now, memories().flat_map(|memory| memory.banks_busy_at(now)));
    times
}

/// Adds the processors: a kind has a part for every processor, with the time for which the processor was of the kind.
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

/// The kinds of processors that run handlers and no threads, or may come to.
fn protocol_kinds(cluster: &Cluster) -> impl Iterator<Item = Resource> + use<> {
    let own = match cluster.setting.policy.servers {
        Servers::Embedded => Resource::EmbeddedProcessor,
        Servers::Hardware => Resource::StateMachine,
        _ => Resource::DedicatedProcessor,
    };
    let has_loop = cluster.nodes.first().is_some_and(|node| node.dispatch.network().is_some());
    [own].into_iter().chain(has_loop.then_some(Resource::NetworkProcessor))
}

/// The kind of a processor while it runs no threads.
fn protocol_kind(cluster: &Cluster, core: usize) -> Resource {
    let kinds = protocol_kinds(cluster);
    let kind = if cluster.is_network_processor(core) { kinds.last() } else { kinds.take(1).last() };
    kind.expect("there is always a kind")
}

/// The time up to now of the processors that run no threads from the beginning on, kind by kind.
pub(crate) fn protocol_time(cluster: &Cluster) -> Vec<ProtocolTime> {
    let of = |kind: Resource| {
        let cores = cluster.cores.iter().enumerate();
        let of_kind =
            cores.filter(|(index, core)| !core.is_counted() && protocol_kind(cluster, *index) == kind);
        let times = of_kind.map(|(_, core)| core.protocol_time_at(cluster.agenda.now(), kind));
        times.reduce(|all, one| all + one)
    };
    protocol_kinds(cluster).filter_map(of).collect()
}

/// The name of a part, by its place among those of its kind.
pub(crate) fn name(cluster: &Cluster, kind: Resource, part: usize) -> String {
    match (kind, &cluster.link.network) {
        (Resource::Link, Network::Routed(fabric)) => fabric.link_name(part),
        (Resource::MemoryBank, _) => {
            let system = cluster.nodes.first().and_then(|node| node.memory.modelled());
            let banks = system.map_or(1, |system| system.banks_busy_at(Time::ZERO).count());
            Utilization::name_of(part % banks, banks, part / banks)
        }
        (kind, _) if kind == Resource::ComputingProcessor || kind.is_protocol_processor() => {
            let (node, number) = (cluster.cores[part].node(), cluster.cores[part].number());
            let cores =
                cluster.nodes[node].first_core..cluster.nodes[node].first_core + cluster.nodes[node].cores;
            let is_alike = |core: &usize| match kind {
                Resource::ComputingProcessor => cluster.cores[*core].is_counted(),
                // A policy that adapts may dedicate any processor.
                _ => {
                    cluster.nodes[node].dispatch.moves_threads()
                        || protocol_kind(cluster, *core) == kind && !cluster.cores[*core].is_counted()
                }
            };
            Utilization::name_of(number.into(), cores.filter(is_alike).count(), node)
        }
        _ => Utilization::name_of(0, 1, part),
    }
}
