//! The points at which a processor might serve: where a thread polls, between two threads, where a thread finds no room.
//!
//! What a processor's role says of them stands in `adaptive`; what the stack has to have room for at such a point, in `stacks`.
//! This module must never know how events are dispatched.

use tempest::NodeId;

use crate::cluster::world::World;
use crate::dispatch::adaptive::Adaptive;
use crate::dispatch::dispatcher::Dispatcher;
use crate::dispatch::{looks, serve};
use crate::link::lane::Lane;
use crate::processor::core::Processor;
use crate::processor::{stacks, waits};

/// Serves where the running thread polls, or between two threads, if the policy and this processor's role say so; returns
/// how many events it dealt with.
#[inline]
pub(crate) fn serve_at_point(processor: &Processor) -> usize {
    match &processor.node().adaptive {
        None if processor.serves() => serve::serve_due(processor),
        None => 0,
        Some(adaptive) if adaptive.count_point(processor.number()) => measure_and_serve(processor, adaptive),
        Some(adaptive) if adaptive.leaves_events(processor.number()) => 0,
        Some(_) => serve::serve_due(processor),
    }
}

#[cold]
fn measure_and_serve(processor: &Processor, adaptive: &Adaptive) -> usize {
    let start = processor.world().now_ns();
    let done = serve::serve_due(processor);
    let now = processor.world().now_ns();
    if done == 0 && !adaptive.leaves_events(processor.number()) {
        adaptive.count_looking(processor.number(), now - start);
    }
    // Not before: what measuring takes, once in an interval, would be counted as so many looks.
    let (world, node) = (processor.world(), processor.node().id);
    adaptive.measure(&world.gauges, || waiting_events(world, node), now);
    done
}

/// Serves for a thread that steps back right after. One that is too deep for a handler on top of it leaves that to the loop.
/// Returns how many events there are or were, as far as that is known: none, or some.
pub(crate) fn serve_or_leave(processor: &Processor) -> usize {
    if stacks::has_stack_for_handlers() {
        return serve::serve(processor);
    }
    // Another processor may have to serve first.
    processor.pause();
    looks::sees_service(processor).into()
}

/// The running thread is too deep for a handler on top of it: has the loop serve, if there is something to serve. Returns how
/// many events there were, as far as that is known: none, or some.
#[cold]
pub(crate) fn have_loop_serve(processor: &Processor) -> usize {
    let sees = looks::sees_service(processor);
    if sees {
        waits::step_back(processor);
    }
    sees.into()
}

/// Events of a node that wait, those in each lane into it counted as one.
fn waiting_events(world: &World, node: NodeId) -> usize {
    let queued = match &world.nodes[node.0 as usize].dispatcher {
        Dispatcher::Keyed(shared) => shared.queue.len(),
        Dispatcher::Own(_) | Dispatcher::Serial(_) => 0,
    };
    queued + world.lanes_into(node).filter(|lane| Lane::has_message(lane)).count()
}
