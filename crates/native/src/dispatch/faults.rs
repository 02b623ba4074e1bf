//! Faults of shared memory: how a fault becomes an event of its own node.
//!
//! A thread's fault is handled at once if its processor runs handlers, no other processor does at the moment, no message is in flight
//! from the node to itself (messages sent before the fault are older), and the thread's stack has room. Otherwise it goes through the
//! lane from the node to itself. It is no message, and not counted as one.
//!
//! This module must never know tags or protocols.

use tempest::world::Packet;

use crate::dispatch::{handle, receive, serial};
use crate::link::{send, wake};
use crate::memory::downgrades;
use crate::padding::bump;
use crate::parts::core::Processor;
use crate::parts::dispatcher::{Dispatcher, Shared};
use crate::parts::endpoint::Endpoint;
use crate::parts::stacks;
use crate::rings::message::{Origin, Received};

/// Handles a faulting access of the running thread, or sends it to its own node.
pub(crate) fn handle_fault(processor: &Processor, packet: &Packet) {
    let may_handle = processor.endpoint.serves()
        && stacks::has_stack_for_handlers()
        && nothing_is_on_its_way_here(&processor.endpoint);
    let handled = may_handle && handle::run_handlers(processor, || handle_on_the_spot(processor, packet));
    if !handled {
        send::post_counted(&processor.endpoint, processor.node().id, packet, Origin::Fault);
    }
}

fn nothing_is_on_its_way_here(endpoint: &Endpoint) -> bool {
    let node = endpoint.node();
    node.backlog.is_sent() && !node.links.from(node.id).has_message()
}

fn handle_on_the_spot(processor: &Processor, packet: &Packet) -> bool {
    match &processor.node().dispatcher {
        Dispatcher::Own(_) => handle_now_serial(processor, packet),
        Dispatcher::Serial(_) => receive::try_receive(&processor.endpoint)
            .is_some_and(|_guard| handle_now_serial(processor, packet)),
        Dispatcher::Keyed(shared) => handle_now_keyed(processor, shared, &fault(packet)),
    }
}

/// Handles a fault under serial dispatch. The caller has the receive lock.
fn handle_now_serial(processor: &Processor, packet: &Packet) -> bool {
    if processor.node().has_set_aside() {
        return false;
    }
    bump(&processor.gauge().sent, 1);
    processor.endpoint.tracer.own(packet);
    if let Some(pending) = serial::handle_own(processor, packet) {
        downgrades::set_aside(&processor.endpoint, pending, fault(packet), None);
    } else {
        processor.gauge().count_handled(1);
    }
    true
}

fn handle_now_keyed(processor: &Processor, shared: &Shared, message: &Received) -> bool {
    let Some(key) = handle::key_of(processor, message) else { return true };
    // While this processor holds the receive lock, no other processor has older messages that are not in the queue yet.
    let Some(guard) = receive::try_receive(&processor.endpoint) else { return false };
    let Some(held) = shared.queue.try_hold(key) else { return false };
    drop(guard);
    bump(&processor.gauge().sent, 1);
    processor.endpoint.tracer.own(&message.packet);
    handle::handle_keyed(processor, shared, message, &message.packet, held);
    wake::idle_servers(&processor.endpoint, shared);
    true
}

/// Makes a fault into an event for dispatch.
fn fault(packet: &Packet) -> Received {
    Received { packet: *packet, origin: Origin::Fault, number: 0 }
}
