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
use crate::parts::core::Processor;
use crate::parts::dispatcher::{Event, Shared};
use crate::parts::set_aside::{Done, Lowerings, Lowers, Pending};
use crate::rings::ring::Received;
use crate::sync::mutated;

/// A processor and the shared memory of its node.
struct Here<'a> {
    processor: &'a Processor,
    memory: &'a Memory,
}

impl Lowers for Here<'_> {
    fn is_alone(&self) -> bool {
        self.processor.is_alone()
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
        answer(self.processor);
    }
}

/// Begins a downgrade. Returns it as pending if it has to wait.
pub(crate) fn take_away(processor: &Processor, lowering: &Lowering) -> Option<Pending> {
    let (lowerings, here) = shared_memory(processor);
    lowerings.begin(&here, lowering)
}

/// Downgrades one block within the running handler, if this processor runs all of its node and no access is awaited. A handler never runs
/// between a test and its access there. Returns whether it did.
pub(crate) fn take_away_at_once(processor: &Processor, memory: &Memory, block: Block, tag: Tag) -> bool {
    let goes = processor.is_alone() && !memory.is_pinned(iter::once(block));
    if goes && !mutated!("right-is-kept") {
        memory.lower(iter::once(block), tag);
    }
    goes
}

fn shared_memory(processor: &Processor) -> (&Lowerings, Here<'_>) {
    let lowerings = processor.lowerings().expect("only blocks of shared memory are lowered");
    let memory = processor.node().resident.node.memory().expect("a node with lowerings has shared memory");
    (lowerings, Here { processor, memory })
}

/// Sets a downgrade aside until it can go on, with the message whose handler began it.
pub(crate) fn set_aside(processor: &Processor, pending: Pending, message: Received, held: Option<Held>) {
    let (lowerings, _) = shared_memory(processor);
    lowerings.set_aside(pending, message, held);
    // An awaited access or answer may have come before the downgrade was in the list.
    tell_change(processor, lowerings);
}

/// Whether a set-aside downgrade may be able to go on since this processor's last look.
#[inline]
pub(crate) fn sees_change(processor: &Processor) -> bool {
    processor.lowerings().is_some_and(|lowerings| lowerings.sees_change(processor.service.looked()))
}

/// Takes a set-aside downgrade that is done now.
pub(crate) fn take_done(processor: &Processor) -> Option<Done> {
    processor.lowerings()?;
    let (lowerings, here) = shared_memory(processor);
    lowerings.take_done(&here, processor.service.looked())
}

/// Puts the continuations of finished downgrades into the queue, each in its event's place.
pub(crate) fn continue_keyed(processor: &Processor, shared: &Shared) {
    while sees_change(processor)
        && let Some(done) = take_done(processor)
    {
        let held = done.held.expect("with keyed dispatch the token is set aside too");
        shared.queue.complete_with(held, Event::Then(Box::new((done.message, done.then))));
        shared.note_change();
        wake::servers(processor, 1);
    }
}

/// Answers requests for downgrades, at a point where this processor's thread is not between a test and its access.
#[inline]
pub(crate) fn heed(processor: &Processor) {
    if let Some(lowerings) = processor.lowerings()
        && lowerings.requests.concerns(processor.number())
    {
        answer(processor);
    }
}

#[cold]
fn answer(processor: &Processor) {
    let Some(lowerings) = processor.lowerings() else { return };
    if !processor.world().is_dedicated(processor.index()) && lowerings.requests.answer(processor.number()) {
        tell_change(processor, lowerings);
    }
}

/// Marks this processor as away: it has no thread to run for a while.
pub(crate) fn stop_computing(processor: &Processor) {
    if let Some(lowerings) = lowerings_of_several(processor)
        && lowerings.requests.go_away(processor.number())
    {
        tell_change(processor, lowerings);
    }
}

/// Marks this processor as computing again.
pub(crate) fn compute_again(processor: &Processor) {
    if let Some(lowerings) = lowerings_of_several(processor)
        && lowerings.requests.come_back(processor.number())
    {
        tell_change(processor, lowerings);
    }
}

/// The downgrades of this node, if this processor may be asked to give up rights.
fn lowerings_of_several(processor: &Processor) -> Option<&Lowerings> {
    processor
        .lowerings()
        .filter(|_| !processor.is_alone() && !processor.world().is_dedicated(processor.index()))
}

/// Reports that the last granted access to a block has been made.
pub(crate) fn tell_access(processor: &Processor) {
    if let Some(lowerings) = processor.lowerings()
        && lowerings.requests.is_waited_for()
    {
        tell_change(processor, lowerings);
    }
}

fn tell_change(processor: &Processor, lowerings: &Lowerings) {
    lowerings.note_change();
    wake::servers(processor, 1);
}
