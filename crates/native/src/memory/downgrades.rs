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

use tempest::world::{Held, Lowering};
use tempest::{Block, Memory, Tag};

use crate::link::wake;
use crate::parts::dispatcher::{Event, Shared};
use crate::parts::seat::Seat;
use crate::parts::service::Service;
use crate::parts::set_aside::{Done, DowngradeSite, Downgrades, Pending};
use crate::rings::ring::Received;
use crate::sync::mutated;

/// A processor's seat and the shared memory of its node.
struct Here<'a> {
    seat: &'a Seat,
    memory: &'a Memory,
}

impl DowngradeSite for Here<'_> {
    fn is_alone(&self) -> bool {
        self.seat.is_alone()
    }

    fn is_pinned(&self, lowering: &Lowering) -> bool {
        self.memory.is_pinned(lowering.blocks())
    }

    fn lower(&self, lowering: &Lowering) {
        if !mutated!("right-is-kept") {
            self.memory.lower(lowering.blocks(), lowering.tag);
        }
    }

    fn answer(&self) {
        answer(self.seat);
    }
}

/// Begins a downgrade. Returns it as pending if it has to wait.
pub(crate) fn take_away(seat: &Seat, lowering: &Lowering) -> Option<Pending> {
    let (downgrades, here) = shared_memory(seat);
    downgrades.begin(&here, lowering)
}

/// Downgrades one block within the running handler, if this processor runs all of its node and no access is awaited. A handler never runs
/// between a test and its access there. Returns whether it did.
pub(crate) fn take_away_at_once(seat: &Seat, memory: &Memory, block: Block, tag: Tag) -> bool {
    let goes = seat.is_alone() && !memory.is_pinned(iter::once(block));
    if goes && !mutated!("right-is-kept") {
        memory.lower(iter::once(block), tag);
    }
    goes
}

fn shared_memory(seat: &Seat) -> (&Downgrades, Here<'_>) {
    let downgrades = seat.downgrades().expect("only blocks of shared memory are lowered");
    let memory = seat.node().resident.node.memory().expect("a node with downgrades has shared memory");
    (downgrades, Here { seat, memory })
}

/// Sets a downgrade aside until it can go on, with the message whose handler began it.
pub(crate) fn set_aside(seat: &Seat, pending: Pending, message: Received, held: Option<Held>) {
    let (downgrades, _) = shared_memory(seat);
    downgrades.set_aside(pending, message, held);
    // An awaited access or answer may have come before the downgrade was in the list.
    tell_change(seat, downgrades);
}

/// Whether a set-aside downgrade may be able to go on since this processor's last look.
#[inline]
pub(crate) fn sees_change(seat: &Seat, service: &Service) -> bool {
    seat.downgrades().is_some_and(|downgrades| downgrades.sees_change(service.looked()))
}

/// Takes a set-aside downgrade that is done now.
pub(crate) fn take_done(seat: &Seat, service: &Service) -> Option<Done> {
    seat.downgrades()?;
    let (downgrades, here) = shared_memory(seat);
    downgrades.take_done(&here, service.looked())
}

/// Puts the continuations of finished downgrades into the queue, each in its event's place.
pub(crate) fn continue_keyed(seat: &Seat, service: &Service, shared: &Shared) {
    while sees_change(seat, service)
        && let Some(done) = take_done(seat, service)
    {
        let held = done.held.expect("with keyed dispatch the token is set aside too");
        shared.queue.complete_with(held, Event::Then(Box::new((done.message, done.then))));
        shared.note_change();
        wake::servers(seat, 1);
    }
}

/// Answers requests for downgrades, at a point where this processor's thread is not between a test and its access.
#[inline]
pub(crate) fn heed(seat: &Seat) {
    if let Some(downgrades) = seat.downgrades()
        && downgrades.requests.concerns(seat.number())
    {
        answer(seat);
    }
}

#[cold]
fn answer(seat: &Seat) {
    let Some(downgrades) = seat.downgrades() else { return };
    if !seat.world().is_dedicated(seat.index()) && downgrades.requests.answer(seat.number()) {
        tell_change(seat, downgrades);
    }
}

/// Marks this processor as away: it has no thread to run for a while.
pub(crate) fn stop_computing(seat: &Seat) {
    if let Some(downgrades) = downgrades_of_several(seat)
        && downgrades.requests.go_away(seat.number())
    {
        tell_change(seat, downgrades);
    }
}

/// Marks this processor as computing again.
pub(crate) fn compute_again(seat: &Seat) {
    if let Some(downgrades) = downgrades_of_several(seat)
        && downgrades.requests.come_back(seat.number())
    {
        tell_change(seat, downgrades);
    }
}

/// The downgrades of this node, if this processor may be asked to give up rights.
fn downgrades_of_several(seat: &Seat) -> Option<&Downgrades> {
    seat.downgrades().filter(|_| !seat.is_alone() && !seat.world().is_dedicated(seat.index()))
}

/// Reports that the last granted access to a block has been made.
pub(crate) fn tell_access(seat: &Seat) {
    if let Some(downgrades) = seat.downgrades()
        && downgrades.requests.is_waited_for()
    {
        tell_change(seat, downgrades);
    }
}

fn tell_change(seat: &Seat, downgrades: &Downgrades) {
    downgrades.note_change();
    wake::servers(seat, 1);
}
