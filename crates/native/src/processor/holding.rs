//! Keys for threads: a thread runs a body as an event of a key.
//!
//! This module must never know messages.

use std::thread::{panicking, sleep};
use std::time::{Duration, Instant};

use tempest::world::{DispatchKey, Held, Proof, Serial};

use crate::apart::bump;
use crate::dispatch::{receive, serial, serve};
use crate::link::wake;
use crate::parts::berth::NAP;
use crate::parts::core::Processor;
use crate::parts::dispatcher::{Event, Shared};
use crate::parts::right::Turn;
use crate::parts::threads::Reason;
use crate::processor::{unwinding, waits};

/// Time for which a thread that a panic unwinds tries to hold a key before it ends the run.
const PATIENCE: Duration = Duration::from_secs(1);

/// Attempts of a thread to keep others from receiving while it holds a key: some ten microseconds in all, about the length of a batch of
/// brief handlers.
const TRIES: u32 = 512;

pub(crate) fn hold_serial(processor: &Processor, key: DispatchKey, body: &mut dyn FnMut(Proof<'_>)) {
    processor.seat.take_floor();
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
        processor.seat.pause();
        waits::step_back(processor);
    }
}

pub(crate) fn hold_keyed(
    processor: &Processor,
    shared: &Shared,
    key: DispatchKey,
    body: &mut dyn FnMut(Proof<'_>),
) {
    processor.seat.take_floor();
    let right = if processor.service.duty.holds_are_brief() { receive_nothing(processor) } else { None };
    let held = shared.queue.try_hold(key);
    let right = right.filter(|_| held.is_some());
    let mut held = held.unwrap_or_else(|| ask_for(processor, shared, key));
    let started = processor.service.duty.begins_hold().then(|| processor.world().now_ns());
    match &right {
        // Others may receive if the body takes long.
        Some(turn) => turn.offer(|| body(held.proof())),
        None => body(held.proof()),
    }
    let freed = shared.queue.complete(held);
    drop(right);
    if let Some(started) = started {
        processor.service.duty.note_hold(processor.world().now_ns() - started);
    }
    if freed {
        shared.note_change();
        wake::idle_servers(&processor.seat, shared);
    }
}

/// Takes the right to receive, so that no processor receives a message whose key is held: such a message would have to go through the
/// queue. Gives up soon, because the holder of the right may keep it for long.
fn receive_nothing(processor: &Processor) -> Option<Turn<'_>> {
    processor.seat.floor()?;
    (0..TRIES).find_map(|_| {
        let right = receive::try_receive(&processor.seat);
        if right.is_none() {
            processor.seat.pause();
        }
        right
    })
}

/// Waits for a key, as an event in the queue.
pub(crate) fn ask_for(processor: &Processor, shared: &Shared, key: DispatchKey) -> Held {
    if panicking() {
        return insist(processor, || shared.queue.try_hold(key));
    }
    let thread = processor.threads.current();
    bump(&processor.gauge().sent, 1);
    shared.enqueue(key, Event::Grant(thread));
    shared.note_change();
    wake::servers(&processor.seat, 1);
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
        if start.elapsed() > PATIENCE {
            unwinding::abandon(processor, "a hold of a key that does not become free");
        }
        if processor.world().is_running() && processor.seat.serves() {
            serve::serve(processor);
        }
        sleep(NAP);
    }
}
