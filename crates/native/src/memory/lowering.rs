//! Taking rights to blocks of shared memory away from a node: what a processor does for it.
//!
//! What a lowering goes through, and what it waits for, stands in `set_aside`; how processors are asked, in `requests`.
//!
//! # The key
//!
//! With keyed dispatch the token is set aside with the lowering, and what comes then continues the event
//! ([`pdq::Queue::complete_with`]): it takes the event's place, ahead of all others. With serial dispatch events are handled
//! one at a time, in order of arrival: while a lowering is set aside nothing else is handled on the node, and no thread
//! holds a key. That ends without anybody's handler: by accesses and answers alone.
//!
//! # Progress
//!
//! A thread that was granted an access is ready. So that it does run, threads give way at polls while an access is awaited,
//! even where a poll does nothing else. A thread that never polls delays lowerings until it waits or faults.
//!
//! This module must never know what a protocol does with rights.

use std::iter;

use tempest::world::{Held, Lowering};
use tempest::{Block, Memory, Tag};

use crate::dispatch::dispatcher::{Event, Shared};
use crate::link::ring::Received;
use crate::link::wake;
use crate::memory::set_aside::{Done, Lowerings, Lowers, Pending};
use crate::processor::core::Processor;
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

/// Takes a right away; what has to be waited for, if anything.
pub(crate) fn take_away(processor: &Processor, lowering: &Lowering) -> Option<Pending> {
    let (lowerings, here) = shared_memory(processor);
    lowerings.begin(&here, lowering)
}

/// Takes a right to one block away within the handler that runs, where this processor runs all of its node and no access is
/// awaited. A handler never runs between a test and its access there.
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

/// Sets a lowering aside until it can go on, with what its handler was for.
pub(crate) fn set_aside(processor: &Processor, pending: Pending, message: Received, held: Option<Held>) {
    let (lowerings, _) = shared_memory(processor);
    lowerings.set_aside(pending, message, held);
    // What it waits for may have come before anybody could see that it waits.
    tell_change(processor, lowerings);
}

/// Whether something that is set aside may have come further since this processor looked last.
#[inline]
pub(crate) fn sees_change(processor: &Processor) -> bool {
    processor.lowerings().is_some_and(|lowerings| lowerings.sees_change(processor.service.looked()))
}

/// A lowering that was set aside and is done now.
pub(crate) fn take_done(processor: &Processor) -> Option<Done> {
    processor.lowerings()?;
    let (lowerings, here) = shared_memory(processor);
    lowerings.take_done(&here, processor.service.looked())
}

/// Puts what follows lowerings that are done into the queue, each in its event's place.
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

/// This processor's thread is at a point that is not between a test and its access.
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

/// This processor has nothing to compute for a while.
pub(crate) fn stop_computing(processor: &Processor) {
    if let Some(lowerings) = lowerings_of_several(processor)
        && lowerings.requests.go_away(processor.number())
    {
        tell_change(processor, lowerings);
    }
}

/// This processor has something to compute again.
pub(crate) fn compute_again(processor: &Processor) {
    if let Some(lowerings) = lowerings_of_several(processor)
        && lowerings.requests.come_back(processor.number())
    {
        tell_change(processor, lowerings);
    }
}

/// The lowerings of this node, where this processor may be asked to let go.
fn lowerings_of_several(processor: &Processor) -> Option<&Lowerings> {
    processor
        .lowerings()
        .filter(|_| !processor.is_alone() && !processor.world().is_dedicated(processor.index()))
}

/// The last granted access to a block has been done.
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
