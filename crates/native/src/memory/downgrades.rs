//! Downgrades: taking rights to blocks of shared memory away from a node. A processor's part in them.
//!
//! `set_aside` describes the states of a downgrade and its waits; `requests` describes how processors are asked.
//!
//! # The key
//!
//! With keyed dispatch the token is set aside with the downgrade, and the continuation continues the event
//! ([`pdq::Queue::complete_with`]): it takes the event's place, ahead of all others. With serial dispatch events are handled one at a
//! time, in order of arrival: while a downgrade is set aside no other event is handled on the node, and no thread holds a key. Its end
//! needs no handler: only accesses and answers.
//!
//! # Progress
//!
//! A thread that was granted an access is ready. So that it gets to run, threads yield at polls while an access is awaited, even if a
//! poll does nothing else. A thread that never polls delays downgrades until it waits or faults.
//!
//! This module must never know a protocol's use of rights.

use std::iter;

use tempest::world::{Downgrade, Held};
use tempest::{Block, Memory, Tag};

use crate::link::wake;
use crate::parts::dispatcher::{Event, Shared};
use crate::parts::endpoint::Endpoint;
use crate::parts::service::Service;
use crate::parts::set_aside::{Done, DowngradeSite, Downgrades, Pending};
use crate::rings::message::Received;
use crate::sync::mutated;

/// A processor's endpoint and the shared memory of its node.
struct Here<'a> {
    endpoint: &'a Endpoint,
    memory: &'a Memory,
}

impl DowngradeSite for Here<'_> {
    fn is_alone(&self) -> bool {
        self.endpoint.is_alone()
    }

    fn is_pinned(&self, lowering: &Downgrade) -> bool {
        self.memory.is_pinned(lowering.blocks())
    }

    fn lower(&self, lowering: &Downgrade) {
        if !mutated!("right-is-kept") {
            self.memory.lower(lowering.blocks(), lowering.tag);
        }
    }

    fn answer(&self) {
        answer(self.endpoint);
    }
}

/// Begins a downgrade. Returns it as pending if it has to wait.
pub(crate) fn take_away(endpoint: &Endpoint, lowering: &Downgrade) -> Option<Pending> {
    let (downgrades, here) = shared_memory(endpoint);
    downgrades.begin(&here, lowering)
}

/// Downgrades one block within the running handler, if this processor runs all of its node and no access is awaited. A handler never runs
/// between a test and its access there. Returns whether it did.
pub(crate) fn take_away_at_once(endpoint: &Endpoint, memory: &Memory, block: Block, tag: Tag) -> bool {
    let goes = endpoint.is_alone() && !memory.is_pinned(iter::once(block));
    if goes && !mutated!("right-is-kept") {
        memory.lower(iter::once(block), tag);
    }
    goes
}

fn shared_memory(endpoint: &Endpoint) -> (&Downgrades, Here<'_>) {
    let downgrades = endpoint.downgrades().expect("only blocks of shared memory are lowered");
    let memory = endpoint.node().resident.node.memory().expect("a node with downgrades has shared memory");
    (downgrades, Here { endpoint, memory })
}

/// Sets a downgrade aside until it can go on, with the message whose handler began it.
pub(crate) fn set_aside(endpoint: &Endpoint, pending: Pending, message: Received, held: Option<Held>) {
    let (downgrades, _) = shared_memory(endpoint);
    downgrades.set_aside(pending, message, held);
    // An awaited access or answer may have come before the downgrade was in the list.
    tell_change(endpoint, downgrades);
}

/// Whether a set-aside downgrade may be able to go on since this processor's last look.
#[inline]
pub(crate) fn sees_change(endpoint: &Endpoint, service: &Service) -> bool {
    endpoint.downgrades().is_some_and(|downgrades| downgrades.sees_change(service.looked()))
}

/// Takes a set-aside downgrade that is done now.
pub(crate) fn take_done(endpoint: &Endpoint, service: &Service) -> Option<Done> {
    endpoint.downgrades()?;
    let (downgrades, here) = shared_memory(endpoint);
    downgrades.take_done(&here, service.looked())
}

/// Puts the continuations of finished downgrades into the queue, each in its event's place.
pub(crate) fn continue_keyed(endpoint: &Endpoint, service: &Service, shared: &Shared) {
    while sees_change(endpoint, service)
        && let Some(done) = take_done(endpoint, service)
    {
        let held = done.held.expect("with keyed dispatch the token is set aside too");
        shared.queue.complete_with(held, Event::Then(Box::new((done.message, done.then))));
        shared.note_change();
        wake::servers(endpoint, 1);
    }
}

/// Answers requests for downgrades, at a point where this processor's thread is not between a test and its access.
#[inline]
pub(crate) fn heed(endpoint: &Endpoint) {
    if let Some(downgrades) = endpoint.downgrades()
        && downgrades.requests.concerns(endpoint.number())
    {
        answer(endpoint);
    }
}

#[cold]
fn answer(endpoint: &Endpoint) {
    let Some(downgrades) = endpoint.downgrades() else { return };
    if !endpoint.world().seating.is_dedicated(endpoint.index())
        && downgrades.requests.answer(endpoint.number())
    {
        tell_change(endpoint, downgrades);
    }
}

/// Marks this processor as away: it has no thread to run for a while.
pub(crate) fn stop_computing(endpoint: &Endpoint) {
    if let Some(downgrades) = downgrades_of_several(endpoint)
        && downgrades.requests.go_away(endpoint.number())
    {
        tell_change(endpoint, downgrades);
    }
}

/// Marks this processor as computing again.
pub(crate) fn compute_again(endpoint: &Endpoint) {
    if let Some(downgrades) = downgrades_of_several(endpoint)
        && downgrades.requests.come_back(endpoint.number())
    {
        tell_change(endpoint, downgrades);
    }
}

/// The downgrades of this node, if this processor may be asked to give up rights.
fn downgrades_of_several(endpoint: &Endpoint) -> Option<&Downgrades> {
    endpoint
        .downgrades()
        .filter(|_| !endpoint.is_alone() && !endpoint.world().seating.is_dedicated(endpoint.index()))
}

/// Reports that the last granted access to a block has been made.
pub(crate) fn tell_access(endpoint: &Endpoint) {
    if let Some(downgrades) = endpoint.downgrades()
        && downgrades.requests.is_waited_for()
    {
        tell_change(endpoint, downgrades);
    }
}

fn tell_change(endpoint: &Endpoint, downgrades: &Downgrades) {
    downgrades.note_change();
    wake::servers(endpoint, 1);
}
