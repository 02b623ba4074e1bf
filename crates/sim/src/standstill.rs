//! Detects a run that will stand still for ever, and names the threads that are stuck: threads that wait, threads that spin,
//! and threads whose processor is kept by a spinning thread.
//!
//! The argument is exact for threads that say that they wait, by [`tempest::Thread::spin`] or by a send that insists.
//! If nothing is under way and every other thread waits or spins too, no event can end their waits. Time that a thread
//! charges counts as progress.
//!
//! This module must never know the meaning of a message.

use machine::Class;
use tempest::outcome::{Attempt, Blocked, Failure, Late, Spinning};
use tempest::{NodeId, ThreadId};
use units::Time;

use crate::cluster::{Cluster, gauges};
use crate::happening::Happening;
use crate::processor::core::{Activity, Core};
use crate::processor::threads::Reason;
use crate::progress::{Attempts, Patience};

/// Records that the thread on `core` has spun once more. Returns true if the run is over.
pub(crate) fn spins_in_vain(cluster: &mut Cluster, core: usize) -> bool {
    let sees = cluster.poll_interval() == 0;
    waits_in_vain(cluster, core, Attempt::Look, sees)
}

/// Records that the thread on `core` has tried once more to send and found no room. Returns true if the run is over.
pub(crate) fn sends_in_vain(cluster: &mut Cluster, core: usize) -> bool {
    waits_in_vain(cluster, core, Attempt::Send, true)
}

/// Records one more failed attempt of the thread on `core`, which says that it waits. `sees` says whether the thread
/// would notice the end of its wait without a look.
fn waits_in_vain(cluster: &mut Cluster, core: usize, attempt: Attempt, sees: bool) -> bool {
    let (now, progress) = (cluster.agenda.now(), cluster.agenda.progress());
    let patience = attempts(cluster, core).wait(attempt, sees, now, &progress);
    judge(cluster, patience)
}

/// The time for which the thread on `core`, which has just waited in vain, rests. It does not rest beyond the next event that the
/// machine has for its node.
pub(crate) fn rest(cluster: &mut Cluster, core: usize) -> Time {
    let (now, progress) = (cluster.agenda.now(), cluster.agenda.progress());
    let rest = attempts(cluster, core).rest(now, &progress);
    if rest.is_zero() { rest } else { rest.min(cluster.agenda.until_next_of_machine()) }
}

/// Records that the thread on `core`, which may be computing, has looked for messages and found none. Returns true if the run
/// is over.
pub(crate) fn looks_in_vain(cluster: &mut Cluster, core: usize) -> bool {
    let (now, progress) = (cluster.agenda.now(), cluster.agenda.progress());
    let worked = cluster.cores[core].ledger.worked();
    let patience = attempts(cluster, core).look(worked, now, &progress);
    judge(cluster, patience)
}

/// Whether the thread on `core` has worked since it was last asked or last looked.
pub(crate) fn has_worked(cluster: &mut Cluster, core: usize) -> bool {
    let worked = cluster.cores[core].ledger.worked();
    attempts(cluster, core).has_worked(worked)
}

fn attempts(cluster: &mut Cluster, core: usize) -> &mut Attempts {
    let (thread, node) = (cluster.thread_on(core), cluster.cores[core].node());
    cluster.nodes[node].threads.attempts(thread)
}

/// Whether a thread that spins on `core` looks for messages although its policy polls at no back-edge. It does where no other
/// processor would handle the messages. Where a network processor runs the handlers of programs, the thread looks only for a
/// message that was handed to its processor.
pub(crate) fn looks_to_spin(cluster: &Cluster, core: usize) -> bool {
    let dispatch = &cluster.nodes[cluster.cores[core].node()].dispatch;
    if !dispatch.looks_only() || cluster.poll_interval() > 0 || !cluster.runs_handlers(core) {
        return false;
    }
    !dispatch.network_handles(Class::User) || cluster.has_event(core)
}

/// Whether the thread on `core`, which spins, has to let a waiting event of its node interrupt it. The event
/// interrupted no processor: when it came a processor had masked interrupts, and a device that asks which processors
/// compute found that not all do. Now they do, and nothing is under way that would cause another look.
pub(crate) fn is_overlooked(cluster: &Cluster, core: usize) -> bool {
    let place = &cluster.nodes[cluster.cores[core].node()];
    place.dispatch.asks_who_computes()
        && cluster.cores[place.all()].iter().all(Core::is_computing)
        && cluster.has_event(core)
        && is_quiet(cluster, false)
}

/// Whether nothing is under way. Looks that no part asked for count, unless they are `ignored`.
fn is_quiet(cluster: &Cluster, ignored: bool) -> bool {
    let events = cluster.agenda.under_way(ignored);
    events == 0 || cluster.link.routing.is_quiet(|| events)
}

/// Stops the run if it stands still and `patience` has run out.
fn judge(cluster: &mut Cluster, patience: Patience) -> bool {
    let is_over = patience != Patience::Lasts && stands_still(cluster, patience == Patience::Ends);
    if is_over {
        let (spinning, blocked) = (spinning(cluster), blocked(cluster));
        cluster.agenda.stop(Failure::Livelock { at: cluster.agenda.now(), spinning, blocked });
    }
    is_over
}

/// Whether nothing is under way and every thread that has not returned waits or spins. Looks that no part asked for count as
/// under way, unless they are `ignored`.
fn stands_still(cluster: &Cluster, ignored: bool) -> bool {
    if !(0..cluster.cores.len()).all(|core| is_stuck(cluster, core)) {
        return false;
    }
    // Processors of an adaptive policy change their roles after some time. They may then handle events that no other processor
    // has looked at.
    if cluster.nodes.iter().any(|node| node.dispatch.moves_threads()) && !ignored {
        return false;
    }
    is_quiet(cluster, ignored)
}

/// Whether a processor is idle, or runs a thread that gets no further.
fn is_stuck(cluster: &Cluster, core: usize) -> bool {
    let own = &cluster.cores[core];
    match own.activity() {
        Activity::Idle { .. } => true,
        Activity::Thread(thread) => {
            let threads = &cluster.nodes[own.node()].threads;
            own.is_starved() || threads.in_vain(thread, &cluster.agenda.progress()).is_some()
        }
        _ => false,
    }
}

/// The failure of a run with an event beyond the end of modelled time; `None` of another run.
#[cold]
pub(crate) fn beyond_time(cluster: &Cluster) -> Option<Failure> {
    let (node, event) = cluster.agenda.limits().beyond()?;
    let late = match event {
        Happening::Continue { core, .. } => match cluster.fiber_on(core as usize) {
            Some(fiber) => Late::Fiber(fiber),
            None => Late::Device(cluster.node_id(core as usize)),
        },
        Happening::Arrive { flight }
        | Happening::LeavePair { flight }
        | Happening::Pass { flight }
        | Happening::Deliver { flight }
        | Happening::Forward { flight }
        | Happening::Overflow { flight, .. } => {
            Late::Message(NodeId(cluster.link.flights[flight].to() as u32))
        }
        Happening::Network { .. } => Late::Network,
        Happening::Packet { .. } => Late::Device(NodeId(node as u32)),
        Happening::Post { node } | Happening::Look { node } | Happening::Reach { node } => {
            Late::Device(NodeId(node))
        }
    };
    Some(Failure::TimeEnds { at: cluster.agenda.now(), late })
}

/// Every thread that runs and gets no further, by node and thread.
pub(crate) fn spinning(cluster: &Cluster) -> Vec<Spinning> {
    let running = cluster.cores.iter().filter_map(|core| Some((core.node(), core.thread()?)));
    let mut spinning: Vec<_> =
        running.filter_map(|(node, thread)| spinning_thread(cluster, node, thread)).collect();
    spinning.sort_by_key(|spinning| spinning.thread);
    spinning
}

fn spinning_thread(cluster: &Cluster, node: usize, index: u32) -> Option<Spinning> {
    let place = &cluster.nodes[node];
    let (attempt, times, since) = place.threads.in_vain(index, &cluster.agenda.progress())?;
    let thread = ThreadId { node: NodeId(node as u32), index };
    let (phase, unhandled) = (cluster.measure.phases.current(), gauges::waiting(cluster, node));
    Some(Spinning { thread, attempt, times, since, phase, unhandled })
}

/// Every thread that waits, and the reason of its wait, by node and thread. Threads that wait for room or for a
/// processor are included.
pub(crate) fn blocked(cluster: &Cluster) -> Vec<Blocked> {
    let mut all = Vec::new();
    let since = cluster.agenda.progress().at();
    for (node, place) in cluster.nodes.iter().enumerate() {
        let id = |index| ThreadId { node: NodeId(node as u32), index };
        let wait = |(index, waits_for, since)| Blocked { thread: id(index), waits_for, since };
        let waits =
            place.threads.blocked().map(|(index, reason, since)| (index, describe(cluster, reason), since));
        let idle =
            place.threads.going().filter_map(|index| Some((index, lacks(cluster, node, index)?, since)));
        all.extend(waits.chain(idle).map(wait));
    }
    all.sort_by_key(|blocked: &Blocked| blocked.thread);
    all
}

/// The resource that an unblocked thread waits for; `None` if the thread runs.
fn lacks(cluster: &Cluster, node: usize, thread: u32) -> Option<String> {
    let place = &cluster.nodes[node];
    let cores = &cluster.cores[place.first_core..place.first_core + place.cores];
    let there = cores.iter().find(|core| core.thread() == Some(thread) || core.has_put_off(thread));
    match there {
        None => Some("a processor".to_owned()),
        Some(core) => core.is_starved().then(|| "room to send".to_owned()),
    }
}

fn describe(cluster: &Cluster, reason: &Reason) -> String {
    match reason {
        Reason::Wait(wait) => wait.to_string(),
        Reason::Key(key) => format!("key {key}"),
        Reason::Phase { name } => {
            let threads: usize = cluster.nodes.iter().map(|node| node.threads.len()).sum();
            format!("phase `{name}`: {} of {threads} threads have come", cluster.measure.phases.arrivals())
        }
    }
}
