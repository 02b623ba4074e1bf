//! Serving in serial order: one handler of a node at a time, in order of arrival.
//!
//! This module must never know when a processor serves.

use tempest::world::{Downgrade, Packet, Serial};
use trace::Event as Traced;

use crate::dispatch::receive::Tally;
use crate::dispatch::{handle, receive};
use crate::link::wake;
use crate::lock::lock;
use crate::memory::downgrades;
use crate::parts::core::Processor;
use crate::parts::dispatcher::Dispatcher;
use crate::parts::set_aside::{Done, Pending};
use crate::rings::message::Received;

/// Runs `f` under serial dispatch: no other handler or holder of a key on this node runs meanwhile.
pub(crate) fn serially<R>(processor: &Processor, f: impl FnOnce(&mut Serial) -> R) -> R {
    match &processor.node().dispatcher {
        Dispatcher::Serial(serial) => f(&mut lock(&serial.0)),
        _ => processor.service.with_serial(f),
    }
}

/// Gives the processor's own serial dispatcher, if it has one, back to the node after the processor has stopped.
pub(crate) fn return_serial(processor: &Processor) {
    if let Some(serial) = processor.service.take_serial() {
        processor.node().return_serial(serial);
    }
}

/// Handles arrived messages in order. The caller has the receive lock, as for the functions below. Returns the number of messages.
pub(crate) fn receive_serial(processor: &Processor) -> usize {
    let mut done = 0;
    while processor.node().has_set_aside() {
        if !continue_serial(processor) {
            return done;
        }
        done += 1;
    }
    if done > 0 {
        // Other servers found no work while the downgrade waited, although messages may have arrived.
        wake::servers(&processor.endpoint, 1);
    }
    let before = processor.endpoint.threads.occupation.now();
    let node = &*processor.node().resident.node;
    let received = serially(processor, |serial| {
        receive::receive(&processor.endpoint, &processor.service, |message, tally| {
            processor.endpoint.tracer.handler_starts(message);
            let Some(lowering) = handle::handle_next(processor, node, serial, &message.packet) else {
                processor.endpoint.tracer.trace(|node, processor| Traced::HandlerEnd { node, processor });
                tally.count(message);
                return true;
            };
            handle_downgrade(processor, lowering, serial, message, tally)
        })
    });
    processor.endpoint.threads.occupation.go_back_to(before);
    done + received
}

/// Performs the downgrade that a handler has ended with, and handles its continuation. Returns false if the downgrade has to wait.
#[cold]
fn handle_downgrade(
    processor: &Processor,
    lowering: Box<Downgrade>,
    serial: &mut Serial,
    message: &Received,
    tally: &mut Tally,
) -> bool {
    let key = processor.node().resident.node.key(&message.packet).expect("its handler has run");
    let pending = handle::take_away_all(processor, lowering, &mut serial.hold(key));
    processor.endpoint.tracer.trace(|node, processor| Traced::HandlerEnd { node, processor });
    let Some(pending) = pending else {
        tally.count(message);
        return true;
    };
    processor.gauge().count_handlers(1);
    downgrades::set_aside(&processor.endpoint, pending, *message, None);
    false
}

/// Runs the handler of an event of this node that came through no lane, and its continuations, as far as no downgrade has to wait. Returns
/// the pending one. The key is read with the message.
pub(crate) fn handle_own(processor: &Processor, packet: &Packet) -> Option<Pending> {
    let (before, node) = (processor.endpoint.threads.occupation.now(), &*processor.node().resident.node);
    let pending = serially(processor, |serial| {
        let lowering = handle::handle_next(processor, node, serial, packet)?;
        let key = node.key(packet).expect("its handler has run");
        handle::take_away_all(processor, lowering, &mut serial.hold(key))
    });
    processor.gauge().count_handlers(1);
    processor.endpoint.tracer.trace(|node, processor| Traced::HandlerEnd { node, processor });
    processor.endpoint.threads.occupation.go_back_to(before);
    pending
}

/// Handles the continuation of a set-aside downgrade that is done now. Returns false if there is none.
fn continue_serial(processor: &Processor) -> bool {
    serially(processor, |serial| {
        let Some(Done { message, then, .. }) = downgrades::take_done(&processor.endpoint, &processor.service)
        else {
            return false;
        };
        let Some(key) = handle::key_of(processor, &message) else { return true };
        processor.endpoint.tracer.own(&then);
        let pending = handle::handle(processor, &then, serial.hold(key));
        handle::settle(processor, &message, pending);
        true
    })
}
