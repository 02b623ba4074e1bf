//! Keys for threads: how a thread runs something as an event of a key.
//!
//! This module must never know messages.

use std::thread::{panicking, sleep};
use std::time::{Duration, Instant};

use tempest::world::{DispatchKey, Held, Proof, Serial};

use crate::apart::bump;
use crate::dispatch::dispatcher::{Event, Shared};
use crate::dispatch::right::Turn;
use crate::dispatch::{receive, serial, serve};
use crate::link::wake;
use crate::processor::berth::NAP;
use crate::processor::core::Processor;
use crate::processor::threads::Reason;
use crate::processor::{unwinding, waits};

/// How long a thread that a panic unwinds tries to hold a key before the run is over.
const PATIENCE: Duration = Duration::from_secs(1);

/// A thread that holds a key tries so often, some ten microseconds, to keep others from receiving meanwhile: about as long as a
/// batch of brief handlers takes.
const TRIES: u32 = 512;

pub(crate) fn hold_serial(processor: &Processor, key: DispatchKey, body: &mut dyn FnMut(Proof<'_>)) {
    processor.take_floor();
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
        processor.pause();
        waits::step_back(processor);
    }
}

pub(crate) fn hold_keyed(
    processor: &Processor,
    shared: &Shared,
    key: DispatchKey,
    body: &mut dyn FnMut(Proof<'_>),
) {
    processor.take_floor();
    let right = if processor.duty.holds_are_brief() { receive_nothing(processor) } else { None };
    let held = shared.queue.try_hold(key);
    let right = right.filter(|_| held.is_some());
    let mut held = held.unwrap_or_else(|| ask_for(processor, shared, key));
    let started = processor.duty.begins_hold().then(|| processor.world().now_ns());
    match &right {
        // Others may receive if the body takes long.
        Some(turn) => turn.offer(|| body(held.proof())),
        None => body(held.proof()),
    }
    let freed = shared.queue.complete(held);
    drop(right);
    if let Some(started) = started {
        processor.duty.note_hold(processor.world().now_ns() - started);
    }
    if freed {
        shared.note_change();
        wake::idle_servers(processor, shared);
    }
}

/// The right to receive, so that nobody receives a message meanwhile whose key is held: it would have to go through the
/// queue. Only where it is to be had soon: whoever receives may be at it for long.
fn receive_nothing(processor: &Processor) -> Option<Turn<'_>> {
    processor.floor()?;
    (0..TRIES).find_map(|_| {
        let right = receive::try_receive(processor);
        if right.is_none() {
            processor.pause();
        }
        right
    })
}

/// Waits for a key as an event of its own.
pub(crate) fn ask_for(processor: &Processor, shared: &Shared, key: DispatchKey) -> Held {
    if panicking() {
        return insist(processor, || shared.queue.try_hold(key));
    }
    let thread = processor.threads.current();
    bump(&processor.gauge().sent, 1);
    shared.enqueue(key, Event::Grant(thread));
    shared.note_change();
    wake::servers(processor, 1);
    let slot = &processor.node().threads[thread as usize];
    let mut granted = None;
    waits::wait_until(processor, Reason::Key(key), || {
        granted = slot.take_grant();
        granted.is_some()
    });
    granted.expect("the wait ended with the key")
}

/// Tries to get a key until it is had, and serves meanwhile, for a thread that a panic unwinds. If that takes too long nobody
/// may ever release the key: the run is over then.
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
        if processor.world().is_running() && processor.serves() {
            serve::serve(processor);
        }
        sleep(NAP);
    }
}
