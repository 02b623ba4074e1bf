//! Serving in serial order: one handler of a node at a time, in order of arrival.
//!
//! This module must never know when a processor serves.

use tempest::world::{Lowering, Packet, Serial};
use trace::Event as Traced;

use crate::dispatch::dispatcher::Dispatcher;
use crate::dispatch::receive::Tally;
use crate::dispatch::{handle, receive};
use crate::link::ring::Received;
use crate::link::wake;
use crate::lock::lock;
use crate::memory::lowering;
use crate::memory::set_aside::{Done, Pending};
use crate::processor::core::Processor;

/// Does something that no other handler or holder of a key on this node does at the same time: dispatch is serial.
pub(crate) fn serially<R>(processor: &Processor, f: impl FnOnce(&mut Serial) -> R) -> R {
    match &processor.node().dispatcher {
        Dispatcher::Serial(serial) => f(&mut lock(&serial.0)),
        _ => processor.service.with_serial(f),
    }
}

/// Returns the serial dispatcher that the processor had for itself, if it had one: it has stopped.
pub(crate) fn return_serial(processor: &Processor) {
    if let Some(serial) = processor.service.take_serial() {
        processor.node().return_serial(serial);
    }
}

/// Handles what has arrived, in order of arrival. Needs the right to receive, as what follows does.
pub(crate) fn receive_serial(processor: &Processor) -> usize {
    let mut done = 0;
    while processor.node().has_set_aside() {
        if !continue_serial(processor) {
            return done;
        }
        done += 1;
    }
    if done > 0 {
        // Others had nothing to do while the lowering waited, whatever has arrived since.
        wake::servers(processor, 1);
    }
    let before = processor.occupation.now();
    let node = &*processor.node().resident.node;
    let received = serially(processor, |serial| {
        receive::receive(processor, |message, tally| {
            processor.tracer.handler_starts(message);
            let Some(lowering) = handle::handle_next(processor, node, serial, &message.packet) else {
                processor.tracer.trace(|node, processor| Traced::HandlerEnd { node, processor });
                tally.count(message);
                return true;
            };
            handle_lowering(processor, lowering, serial, message, tally)
        })
    });
    processor.occupation.go_back_to(before);
    done + received
}

/// A message's handler has ended with a lowering: takes the right away and handles what comes after it. False if that waits.
#[cold]
fn handle_lowering(
    processor: &Processor,
    lowering: Box<Lowering>,
    serial: &mut Serial,
    message: &Received,
    tally: &mut Tally,
) -> bool {
    let key = processor.node().resident.node.key(&message.packet).expect("its handler has run");
    let pending = handle::take_away_all(processor, lowering, &mut serial.hold(key));
    processor.tracer.trace(|node, processor| Traced::HandlerEnd { node, processor });
    let Some(pending) = pending else {
        tally.count(message);
        return true;
    };
    processor.gauge().count_handlers(1);
    lowering::set_aside(processor, pending, *message, None);
    false
}

/// Runs the handler of an event of this node that no lane has brought, and what comes after it where it takes a right away, as far
/// as that needs no waiting. The key is read with the message.
pub(crate) fn handle_own(processor: &Processor, packet: &Packet) -> Option<Pending> {
    let (before, node) = (processor.occupation.now(), &*processor.node().resident.node);
    let pending = serially(processor, |serial| {
        let lowering = handle::handle_next(processor, node, serial, packet)?;
        let key = node.key(packet).expect("its handler has run");
        handle::take_away_all(processor, lowering, &mut serial.hold(key))
    });
    processor.gauge().count_handlers(1);
    processor.tracer.trace(|node, processor| Traced::HandlerEnd { node, processor });
    processor.occupation.go_back_to(before);
    pending
}

/// Handles what comes after a lowering that was set aside and is done now; false if none is.
fn continue_serial(processor: &Processor) -> bool {
    serially(processor, |serial| {
        let Some(Done { message, then, .. }) = lowering::take_done(processor) else { return false };
        let Some(key) = handle::key_of(processor, &message) else { return true };
        processor.tracer.own(&then);
        let pending = handle::handle(processor, &then, serial.hold(key));
        handle::settle(processor, &message, pending);
        true
    })
}
