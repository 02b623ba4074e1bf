//! Panics of the program in a model: which of them end the run, with which words, and which operations a fiber may make
//! while a panic unwinds it.
//!
//! # Where panics go
//!
//! A thread's panic unwinds its fiber, and comes out where the engine resumed that: it is the run's failure. A panic
//! that the thread catches itself has no effect on the run. A handler may run on the stack of a thread that waits. Its
//! panic stops the run where the handler was begun, before the thread can catch it, and the thread is never resumed. A
//! panic in the body of a hold stops the run, too.
//!
//! # Unwinding gives nothing away
//!
//! The host counts the panics under way for the OS thread, not for a fiber. So a fiber that a panic unwinds is never suspended:
//!
//! - While the run goes on its effects happen at the present time of the engine, before its own clock. If the thread catches the
//!   panic, its next effect comes at the right time again.
//! - An operation that would give the processor away stops the run: a wait, a poll, a send without room, a hold of a
//!   key that is not free.
//! - When the run is over the remaining fibers are unwound, handlers and holds that were under way first, so that the
//!   keys are free which destructors of others may ask for. Their sends, signals and charges are dropped.
//!
//! This module must never know which fiber runs.

use std::any::Any;

use tempest::ThreadId;
use tempest::outcome::Failure;

use crate::cluster::Cluster;
use crate::processor::core::Activity;

/// The failure of a run in which the fiber that runs now has panicked.
#[cold]
pub(crate) fn failure(cluster: &Cluster, panic: &(dyn Any + Send)) -> Failure {
    tempest::world::panicked(panic, &doing(cluster), cluster.agenda.now())
}

/// The fiber that runs now, for the text of a failure.
fn doing(cluster: &Cluster) -> String {
    let Some(core) = cluster.running else { return "the engine".to_owned() };
    let (node, own) = (cluster.node_id(core), &cluster.cores[core]);
    match own.activity() {
        Activity::Thread(index) => ThreadId { node, index }.to_string(),
        _ => {
            let mut names = cluster.nodes[own.node()].waist.message_names();
            names
                .nth(own.purpose().kind.into())
                .map_or(format!("a handler on {node}"), |name| format!("the handler of {name} on {node}"))
        }
    }
}

/// Stops the run because the fiber that runs now has panicked, unless a panic has stopped it before.
#[cold]
pub(crate) fn stop(cluster: &mut Cluster, panic: &(dyn Any + Send)) {
    let why = failure(cluster, panic);
    cluster.agenda.stop_by_panic(why);
}

/// Stops the run because a panic unwinds the fiber that runs now, which would give its processor away by `what`.
#[cold]
pub(crate) fn abandon(cluster: &mut Cluster, what: &str) {
    let why = tempest::world::given_away(what, &doing(cluster), cluster.agenda.now());
    cluster.agenda.abandon(why);
}

/// The failure of a run whose fiber has unwound to its base by `panic`: the words of the panic, unless the run had stopped for another
/// reason.
pub(crate) fn ended_by(cluster: &mut Cluster, panic: &(dyn Any + Send)) -> Failure {
    let why = failure(cluster, panic);
    cluster.agenda.take_reason().unwrap_or(why)
}
