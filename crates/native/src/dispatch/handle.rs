//! Running a handler, and the continuation of a handler that ends with a downgrade. The panic of a handler, which runs on the stack of the
//! server, often that of a thread, whose own code must not catch it: `unwinding` tells where all panics of a program go.
//!
//! This module must never know the order of messages, or which processors serve.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use tempest::outcome::Failure;
use tempest::world::{DispatchKey, Downgrade, Held, Packet, Proof, Serial, panicked};
use trace::Event as Traced;

use crate::link::{resume, send};
use crate::memory::downgrades;
use crate::parts::core::Processor;
use crate::parts::dispatcher::{Kept, Shared};
use crate::parts::endpoint::Endpoint;
use crate::parts::set_aside::Pending;
use crate::parts::stacks;
use crate::rings::message::{Origin, Received};

/// Handles a received message. Returns the downgrade that its handler ended with. A malformed message ends the run, which settles it.
#[inline]
pub(crate) fn handle_next(
    processor: &Processor,
    node: &tempest::world::Node,
    serial: &mut Serial,
    packet: &Packet,
) -> Option<Box<Downgrade>> {
    processor.endpoint.threads.occupation.begin(packet.id());
    let mut lowering = None;
    match node.deliver_serially(packet, serial, processor, &mut lowering) {
        Ok(()) => note_handled(&processor.endpoint, packet),
        Err(bad) => processor.endpoint.fail(bad.to_string()),
    }
    lowering
}

/// Reports the words that a handler has left in outboxes, if any, to the credit windows of its kind of message.
#[inline]
fn note_handled(endpoint: &Endpoint, packet: &Packet) {
    if endpoint.sending.outboxed() > 0 {
        send::note_fan_out(endpoint, packet.id());
    }
}

/// Finishes a message, or sets it aside if its downgrade has to wait. Returns false if so.
pub(crate) fn settle(processor: &Processor, message: &Received, pending: Option<Pending>) -> bool {
    match pending {
        None => {
            finish(processor, message);
            true
        }
        Some(pending) => {
            downgrades::set_aside(&processor.endpoint, pending, *message, None);
            false
        }
    }
}

/// Handles a message under its key, or the continuation of a downgrade that it began.
pub(crate) fn handle_keyed(
    processor: &Processor,
    shared: &Shared,
    message: &Received,
    packet: &Packet,
    held: Held,
) {
    let mut held = Kept::new(shared, held);
    if let Some(pending) = handle(processor, packet, held.proof()) {
        return downgrades::set_aside(&processor.endpoint, pending, *message, Some(held.take()));
    }
    if held.complete() {
        shared.note_change();
    }
    finish(processor, message);
}

/// Gives a key to the thread that asked for it.
pub(crate) fn grant(endpoint: &Endpoint, thread: u32, held: Held) {
    let node = endpoint.node();
    node.threads[thread as usize].grant(held);
    resume::make_ready(endpoint, thread);
    endpoint.gauge().count_handled(1);
}

pub(crate) fn key_of(processor: &Processor, message: &Received) -> Option<DispatchKey> {
    processor
        .node()
        .resident
        .node
        .key(&message.packet)
        .map_err(|bad| processor.endpoint.fail(bad.to_string()))
        .ok()
}

/// Runs a handler and its continuations, as far as no downgrade has to wait. Returns the pending downgrade.
pub(crate) fn handle(processor: &Processor, packet: &Packet, proof: Proof<'_>) -> Option<Pending> {
    processor.gauge().count_handlers(1);
    handle_uncounted(processor, packet, proof)
}

/// Runs the handler of a message like [`handle`]; the caller counts it as handled.
pub(crate) fn handle_uncounted(
    processor: &Processor,
    packet: &Packet,
    mut proof: Proof<'_>,
) -> Option<Pending> {
    let before = processor.endpoint.threads.occupation.now();
    let lowering = run_handler(processor, packet, &mut proof);
    let pending = lowering.and_then(|lowering| take_away_all(processor, lowering, &mut proof));
    processor.endpoint.tracer.trace(|node, processor| Traced::HandlerEnd { node, processor });
    processor.endpoint.threads.occupation.go_back_to(before);
    pending
}

/// Runs the handler of a message; it may end with a downgrade. The caller restores the processor's occupation.
#[inline]
pub(crate) fn run_handler(
    processor: &Processor,
    packet: &Packet,
    proof: &mut Proof<'_>,
) -> Option<Box<Downgrade>> {
    processor.endpoint.threads.occupation.begin(packet.id());
    let node = &processor.node().resident.node;
    let lowering = node.deliver(
        packet,
        &mut tempest::world::handler(node, packet.source(), proof.reborrow(), processor, None),
    );
    note_handled(&processor.endpoint, packet);
    lowering
}

/// Performs a downgrade and runs its continuation, as far as no downgrade has to wait. Returns the pending one.
pub(crate) fn take_away_all(
    processor: &Processor,
    lowering: Box<Downgrade>,
    proof: &mut Proof<'_>,
) -> Option<Pending> {
    let node = &processor.node().resident.node;
    let mut next = Some(lowering);
    while let Some(lowering) = next {
        let pending = downgrades::take_away(&processor.endpoint, &lowering);
        if pending.is_some() {
            return pending;
        }
        let then = &lowering.then;
        next = node.deliver(
            then,
            &mut tempest::world::handler(node, then.source(), proof.reborrow(), processor, None),
        );
    }
    None
}

/// Counts a message whose handler has run.
pub(crate) fn finish(processor: &Processor, message: &Received) {
    if message.origin == Origin::Thread {
        processor.node().links.from(message.packet.source()).count_handled(1);
        processor.service.owe();
    }
    processor.gauge().count_handled(1);
}

/// Runs handlers. A panic of one ends the run, even if the thread around it would catch it.
#[inline]
pub(crate) fn run_handlers<R: Default>(processor: &Processor, serve: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(serve)).unwrap_or_else(|panic| give_up_by(processor, panic))
}

/// Ends the run by a handler's panic, and gives up the thread on whose stack it ran.
#[cold]
fn give_up_by<R: Default>(processor: &Processor, panic: Box<dyn Any + Send>) -> R {
    processor.world().fail(blamed(processor, &*panic));
    if !processor.endpoint.threads.occupation.runs_thread() {
        resume_unwind(panic);
    }
    // The payload's destructor may panic once more, in the middle of an unwinding.
    std::mem::forget(panic);
    stacks::give_up_if_over(processor.world());
    R::default()
}

/// The failure of a run by a panic of this processor's present activity.
#[cold]
pub(crate) fn blamed(processor: &Processor, panic: &(dyn Any + Send)) -> Failure {
    panicked(panic, processor, processor.world().now())
}
