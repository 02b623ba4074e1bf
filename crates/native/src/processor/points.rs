//! The opportunities to serve: a poll of a thread, the moment between two threads, a send that finds no room.
//!
//! `adaptive` describes the effect of a processor's role on them, and `stacks` the stack that they need. This module must never know the
//! way events are dispatched.

use crate::dispatch::{looks, serve};
use crate::parts::adaptive::Adaptive;
use crate::parts::core::Processor;
use crate::parts::dispatcher::Dispatcher;
use crate::parts::node::Node;
use crate::parts::stacks;
use crate::processor::waits;

/// Serves at a poll of the running thread, or between two threads, if the policy and this processor's role allow it. Returns the number
/// of events.
#[inline]
pub(crate) fn serve_at_point(processor: &Processor) -> usize {
    match &processor.node().adaptive {
        None if processor.endpoint.serves() => serve::serve_due(processor),
        None => 0,
        Some(adaptive) if adaptive.count_point(processor.endpoint.number()) => {
            measure_and_serve(processor, adaptive)
        }
        Some(adaptive) if adaptive.leaves_events(processor.endpoint.number()) => 0,
        Some(_) => serve::serve_due(processor),
    }
}

#[cold]
fn measure_and_serve(processor: &Processor, adaptive: &Adaptive) -> usize {
    let start = processor.world().now_ns();
    let done = serve::serve_due(processor);
    let now = processor.world().now_ns();
    if done == 0 && !adaptive.leaves_events(processor.endpoint.number()) {
        adaptive.count_looking(processor.endpoint.number(), now - start);
    }
    // Not before this: the time of a measurement, once in an interval, would count as many looks.
    adaptive.measure(&processor.world().gauges, || waiting_events(processor.node()), now);
    done
}

/// Serves for a thread that steps back right after. If the stack has too little room for a handler, leaves the events to the scheduling
/// loop. Returns the number of events, or 1 for those left, or 0.
pub(crate) fn serve_or_leave(processor: &Processor) -> usize {
    if stacks::has_stack_for_handlers() {
        return serve::serve(processor);
    }
    // Another processor may have to serve first.
    processor.endpoint.pause();
    looks::sees_service(&processor.endpoint, &processor.service).into()
}

/// Steps back to the scheduling loop if there are events, because the running thread's stack has too little room for a handler. Returns
/// 1 if there were events, else 0.
#[cold]
pub(crate) fn have_loop_serve(processor: &Processor) -> usize {
    let sees = looks::sees_service(&processor.endpoint, &processor.service);
    if sees {
        waits::step_back(&processor.endpoint);
    }
    sees.into()
}

/// Number of waiting events of a node; the messages of each lane into it count as one.
fn waiting_events(node: &Node) -> usize {
    let queued = match &node.dispatcher {
        Dispatcher::Keyed(shared) => shared.queue.len(),
        Dispatcher::Own(_) | Dispatcher::Serial(_) => 0,
    };
    queued + node.links.incoming().iter().filter(|lane| lane.has_message()).count()
}
