//! Keys for threads: a thread runs a body as an event of a key.
//!
//! This module must never know messages.

use std::thread::{panicking, sleep};
use std::time::Instant;

use tempest::world::{DispatchKey, Held, Proof, Serial};

use crate::dispatch::{receive, serial, serve};
use crate::link::wake;
use crate::padding::bump;
use crate::parts::core::Processor;
use crate::parts::dispatcher::{Event, Shared};
use crate::parts::endpoint::Endpoint;
use crate::parts::receive_lock::ReceiveGuard;
use crate::parts::threads::Reason;
use crate::parts::tuning::NAP;
use crate::processor::tuning::{HOLD_PATIENCE, TRIES_FOR_LOCK};
use crate::processor::{unwinding, waits};

pub(crate) fn hold_serial(processor: &Processor, key: DispatchKey, body: &mut dyn FnMut(Proof<'_>)) {
    processor.endpoint.take_hint();
    let mut hold = |serial: &mut Serial| {
        let is_free = !processor.node().has_set_aside();
        if is_free {
            body(serial.hold(key));
        }
        is_free
    };
    while !serial::serially(processor, &mut hold) {
        if panicking() {
            return insist(processor, || serial::serially(processor, &mut hold).then_some(()));
        }
        processor.endpoint.pause();
        waits::step_back(&processor.endpoint);
    }
}

pub(crate) fn hold_keyed(
    processor: &Processor,
    shared: &Shared,
    key: DispatchKey,
    body: &mut dyn FnMut(Proof<'_>),
) {
    processor.endpoint.take_hint();
    let guard =
        if processor.service.queue.holds_are_brief() { receive_nothing(&processor.endpoint) } else { None };
    let held = shared.queue.try_hold(key);
    let guard = guard.filter(|_| held.is_some());
    let mut held = held.unwrap_or_else(|| ask_for(processor, shared, key));
    let started = processor.service.queue.begins_hold().then(|| processor.world().now_ns());
    match &guard {
        // Others may receive if the body takes long.
        Some(guard) => guard.offer(|| body(held.proof())),
        None => body(held.proof()),
    }
    let freed = shared.queue.complete(held);
    drop(guard);
    if let Some(started) = started {
        processor.service.queue.note_hold(processor.world().now_ns() - started);
    }
    if freed {
        shared.note_change();
        wake::idle_servers(&processor.endpoint, shared);
    }
}

/// Takes the receive lock, so that no processor receives a message whose key is held: such a message would have to go through the
/// queue. Gives up soon, because its holder may keep it for long.
fn receive_nothing(endpoint: &Endpoint) -> Option<ReceiveGuard<'_>> {
    endpoint.hint()?;
    (0..TRIES_FOR_LOCK).find_map(|_| {
        let guard = receive::try_receive(endpoint);
        if guard.is_none() {
            endpoint.pause();
        }
        guard
    })
}

/// Waits for a key, as an event in the queue.
pub(crate) fn ask_for(processor: &Processor, shared: &Shared, key: DispatchKey) -> Held {
    if panicking() {
        return insist(processor, || shared.queue.try_hold(key));
    }
    let thread = processor.endpoint.threads.current();
    bump(&processor.gauge().sent, 1);
    shared.enqueue(key, Event::Grant(thread));
    shared.note_change();
    wake::servers(&processor.endpoint, 1);
    let slot = &processor.node().threads[thread as usize];
    let mut granted = None;
    waits::wait_until(processor, Reason::Key(key), || {
        granted = slot.take_grant();
        granted.is_some()
    });
    granted.expect("the wait ended with the key")
}

/// Tries to get a key until it succeeds, and serves meanwhile, for a thread that a panic unwinds. Ends the run if that takes too long,
/// because the key may never be released.
#[cold]
pub(crate) fn insist<R>(processor: &Processor, mut get: impl FnMut() -> Option<R>) -> R {
    let start = Instant::now();
    loop {
        if let Some(got) = get() {
            return got;
        }
        if start.elapsed() > HOLD_PATIENCE {
            unwinding::abandon(&processor.endpoint, "a hold of a key that does not become free");
        }
        if processor.world().is_running() && processor.endpoint.serves() {
            serve::serve(processor);
        }
        sleep(NAP);
    }
}
