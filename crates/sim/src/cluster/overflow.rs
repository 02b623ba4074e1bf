//! The overflow of an interface: a processor is trapped when a message has waited too long at the port in. Carries out
//! the decisions of [`overflow`](crate::link::overflow).
//!
//! This module must never know the meaning of a message.

use trace::Event as Traced;
use units::Time;

use super::{Cluster, network};
use crate::happening::Happening;
use crate::link::overflow::{Overflow, Verdict};
use crate::processor::core::Activity;
use crate::processor::ledger::Bucket;

/// Watches how long the message at the port in of `node` is kept out.
pub(super) fn watch(cluster: &mut Cluster, node: usize) {
    // A network processor empties the interface regardless of the computing processor.
    if cluster.nodes[node].dispatch.network().is_some() {
        return network::admit_later(cluster, node);
    }
    let Some(overflow) = &cluster.link.overflow else { return };
    let Some(flight) = cluster.link.routing.blocked_at(node) else { return };
    let (at, uses) = (overflow.patience(cluster.agenda.now()), cluster.link.flights[flight].uses());
    cluster.agenda.push(node, at, Happening::Overflow { flight, uses });
}

/// Checks whether a message has waited too long at the port in. `uses` tells it from a later flight at the same place.
pub(crate) fn check(cluster: &mut Cluster, flight: u32, uses: u32) {
    let waiting = &cluster.link.flights[flight];
    let node = waiting.to();
    let knocks = waiting.uses() == uses && cluster.link.routing.blocked_at(node) == Some(flight);
    let core = cluster.nodes[node].first_core;
    match Overflow::verdict(knocks && !cluster.admits(node), cluster.cores[core].is_computing()) {
        Verdict::Over => {}
        Verdict::Watch => watch(cluster, node),
        Verdict::Trap => spill(cluster, node, core),
    }
}

/// Traps the processor `core`, which moves the messages of the interface into its memory.
fn spill(cluster: &mut Cluster, node: usize, core: usize) {
    let Some(inbox) = cluster.nodes[node].dispatch.inbox_mut() else { return };
    let in_interface = inbox.in_interface();
    let bytes = in_interface.map(|arrived| cluster.link.flights[arrived.flight].bytes()).sum();
    inbox.spill();
    let time = cluster.link.overflow.as_ref().map_or(Time::ZERO, |overflow| overflow.time(bytes));
    let thread = cluster.thread_on(core);
    let state = &mut cluster.cores[core];
    state.put_thread_off(thread, state.clock.left(cluster.agenda.now()));
    state.clock.put_off();
    state.begin(Activity::Trapped);
    state.ledger.count().interrupts += 1;
    state.ledger.book(Bucket::Overhead, time);
    let processor = state.number();
    super::trains::put_off(cluster, core);
    cluster.record(Traced::Interrupt { node: node as u32, processor });
    cluster.continue_at(core, cluster.agenda.now() + time);
}

/// Ends the trap of `core`: the interface is empty, and the processor continues its earlier work.
pub(crate) fn finish_trap(cluster: &mut Cluster, core: usize) {
    cluster.admit_next(cluster.cores[core].node());
    if !cluster.back_to_thread(core) {
        cluster.free(core);
    }
}
