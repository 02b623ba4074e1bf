//! Waiting: how the running thread gives its processor away. `resume` makes a waiting thread ready.
//!
//! # Start of a wait
//!
//! A report on blocked threads states since when each waits. A clock reading takes longer than a switch, so a processor reads the clock
//! when it becomes idle, when that ends, and once in [`BLOCKS_PER_READING`] blocks. A thread's wait is said to begin at the last reading
//! before it blocked; that of the last thread to block before the processor became idle begins then, which is exact.
//!
//! This module must never know messages.

use tempest::world::Wait;
use trace::Event as Traced;

use crate::link::resume;
use crate::parts::core::Processor;
use crate::parts::endpoint::Endpoint;
use crate::parts::stacks::PROCESSORS;
use crate::parts::threads::{Local, Reason};
use crate::processor::tuning::BLOCKS_PER_READING;
use crate::processor::unwinding;

/// Makes a thread the running one. Returns a thread that is likely to run soon.
#[inline]
pub(crate) fn begin_turn(endpoint: &Endpoint, number: u32) -> Option<u32> {
    endpoint.sending.bursts.begin();
    endpoint.threads.begin_turn(number)
}

/// Suspends the running thread until `is_over`.
#[inline]
pub(crate) fn wait_until(processor: &Processor, reason: Reason, mut is_over: impl FnMut() -> bool) {
    if !is_over() {
        suspend_until(processor, reason, is_over);
    }
}

/// Suspends the running thread until it is resumed and `is_over`.
#[inline]
pub(crate) fn suspend_until(processor: &Processor, reason: Reason, mut is_over: impl FnMut() -> bool) {
    let (thread, local) = (processor.endpoint.threads.current(), processor.endpoint.threads.local());
    let awaits_block = u32::from(matches!(reason, Reason::Event(Wait::Block)));
    local.waits_for.set(Some(reason));
    note_block(processor, local);
    processor.endpoint.threads.begin_wait(awaits_block);
    processor.endpoint.tracer.trace(|node, _| Traced::Block { node, thread, what: local.waits_for_what() });
    loop {
        give_way(&processor.endpoint);
        if is_over() {
            break;
        }
    }
    processor.endpoint.tracer.trace(|node, _| Traced::Resume { node, thread });
    debug_assert_eq!(thread, processor.endpoint.threads.current(), "a thread stays on its processor");
    processor.endpoint.threads.end_wait(awaits_block);
    local.waits_for.set(None);
}

/// Gives the processor away: to the next ready thread, or to the loop if that has other work.
#[inline(always)]
fn give_way(endpoint: &Endpoint) {
    let running = endpoint.threads.current();
    while endpoint.threads.pass_turns()
        && let Some(next) = endpoint.threads.next_turn()
    {
        if let Some(soon) = begin_turn(endpoint, next) {
            fiber::prefetch(soon as usize);
        }
        if PROCESSORS.pass(next as usize) || endpoint.threads.current() == running {
            return;
        }
        // The other thread has returned.
    }
    endpoint.threads.set_current(running);
    PROCESSORS.suspend();
}

/// Counts a block and records the start of the running thread's wait: the last clock reading. Reads the clock once in
/// [`BLOCKS_PER_READING`] blocks.
#[inline]
fn note_block(processor: &Processor, local: &Local) {
    if processor.gauge().count_block().is_multiple_of(BLOCKS_PER_READING) {
        processor.meter.look(processor.world());
    }
    local.since_ns.set(processor.meter.seen_ns());
}

/// Reads the clock when the processor becomes idle. If the thread that ran last waits, its wait begins now.
pub(crate) fn note_idleness(processor: &Processor) -> u64 {
    let now = processor.meter.look(processor.world());
    if let Some(number) = processor.endpoint.threads.number_of(processor.endpoint.threads.current()) {
        processor.endpoint.threads.local_of(number).since_ns.set(now);
    }
    now
}

/// Lets the other threads of this processor run, and serves, before the running one goes on.
pub(crate) fn step_back(endpoint: &Endpoint) {
    if unwinding::stays(endpoint) {
        return;
    }
    resume::make_ready(endpoint, endpoint.threads.current());
    endpoint.threads.end_turns();
    PROCESSORS.suspend();
}
