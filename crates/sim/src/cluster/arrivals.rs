//! Messages that come to a node all of whose processors are busy, and that wait until a processor looks for them.
//!
//! Such a message does not affect a fiber that passes time there. So the fiber lets it come, and need not be suspended
//! for it.
//!
//! This module must never know which processor takes a message up.

use std::thread::panicking;

use des::Order;
use units::Time;

use super::{Cluster, trains};
use crate::happening::Happening;

/// The outcome of an attempt to advance engine time to the clock of a processor at once.
pub(crate) enum Passing {
    /// Engine time has come to the clock, and no work is left to do.
    Done,
    /// Engine time has come to the clock. The node's requests that come before are to be made.
    BesideBus,
    /// An event happens before this instant on the clock, which has been reset.
    Disturbed(Time),
    /// Transactions are pending.
    Pends,
}

/// Advances engine time to the clock of `core`, whose fiber runs now, if no transactions are pending and nothing happens before. Does
/// nothing while a panic unwinds the fiber.
// Mostly this is all that there is to do, so it calls nothing.
#[inline(never)]
pub(crate) fn pass(cluster: &mut Cluster, core: usize) -> Passing {
    if panicking() {
        return Passing::Done;
    }
    let clock = &mut cluster.cores[core].clock;
    if clock.pends() {
        return Passing::Pends;
    }
    let ahead = clock.take_ahead();
    if !ahead.is_zero() {
        if !cluster.agenda.goes_on_for(ahead) {
            return pass_late(cluster, ahead);
        }
        if let Some(at) = cluster.agenda.pass_by_others(ahead) {
            return Passing::Disturbed(at);
        }
    }
    if cluster.setting.machine.node_memory.is_none() { Passing::Done } else { Passing::BesideBus }
}

/// Advances engine time by `ahead`, if nothing happens before, where the run may end then.
#[cold]
fn pass_late(cluster: &mut Cluster, ahead: Time) -> Passing {
    cluster.agenda.pass(ahead).map_or(Passing::BesideBus, Passing::Disturbed)
}

/// Goes on where an attempt to [`pass`] has not done all. Returns true if an event comes before. The fiber must then suspend; it is
/// resumed when engine time has come to its clock and its transactions are made.
#[inline]
pub(crate) fn settle(cluster: &mut Cluster, core: usize, passing: Passing) -> bool {
    match passing {
        Passing::Done => false,
        Passing::BesideBus => {
            trains::catch_up(cluster);
            false
        }
        Passing::Disturbed(at) => !come_until(cluster, core, at),
        Passing::Pends => trains::settle_and_make(cluster, core),
    }
}

/// Advances engine time to `at`, where the fiber at work on `core` goes on, if nothing but such messages comes before. Returns whether
/// it has. Otherwise the fiber must suspend, and an event resumes it at that time.
#[inline]
fn come_until(cluster: &mut Cluster, core: usize, at: Time) -> bool {
    let own = &mut cluster.cores[core];
    let (node, epoch) = (own.node(), own.clock.go_on_at(at));
    let place = cluster.agenda.keep_place(node, at);
    if cluster.agenda.acts_until(at) && only_keeps_messages(cluster, node) && let_come(cluster, place) {
        return true;
    }
    cluster.agenda.push_to(place, node, Happening::Continue { core: core as u32, epoch });
    false
}

/// Advances engine time to a place of the acting node in this turn, if only such messages come before. Returns whether
/// it has: it has not if one of them ends the run.
#[inline(never)]
fn let_come(cluster: &mut Cluster, place: Order) -> bool {
    while let Some(next) = cluster.agenda.next_before(place)
        && comes_alone(cluster, next)
    {
        take(cluster);
        if cluster.agenda.is_stopped() {
            return false;
        }
    }
    let comes = cluster.agenda.come_to(place);
    if comes {
        trains::catch_up(cluster);
    }
    comes
}

/// Whether a message that comes to a node only waits there, and no observer sees the instant at which it comes.
#[inline]
fn only_keeps_messages(cluster: &Cluster, node: usize) -> bool {
    cluster.nodes[node].dispatch.only_keeps_messages()
        && cluster.link.staging.is_none()
        && !cluster.measure.is_watched()
}

/// Whether an event is the arrival of a message without words for a place in memory.
fn comes_alone(cluster: &Cluster, event: Happening) -> bool {
    match event {
        Happening::Arrive { flight } | Happening::Pass { flight } | Happening::Deliver { flight } => {
            !cluster.link.flights[flight].carries()
        }
        _ => false,
    }
}

/// Takes the next event, which is the arrival of a message.
fn take(cluster: &mut Cluster) {
    let Some((at, event)) = cluster.agenda.take_own() else { return };
    cluster.agenda.begin(at, event);
    trains::catch_up(cluster);
    match event.into() {
        Happening::Arrive { flight } => cluster.arrive(flight),
        Happening::Pass { flight } => cluster.pass(flight),
        Happening::Deliver { flight } => cluster.deliver(flight),
        other => unreachable!("{other:?} is no message that comes"),
    }
}
