//! The scheduling loop of a processor.
//!
//! The loop runs ready threads in turn and serves between them, if the policy lets this processor serve (`serve`). A waiting thread
//! passes its turn directly to the next one if the loop would do no more than that (`waits`). With neither a ready thread nor an event
//! the processor is idle (`idle`).
//!
//! # When it serves
//!
//! When no thread is ready any more; otherwise after [`TURNS_PER_SERVICE`] threads have run, each up to where it gave the processor away,
//! or after one of them stepped back to wait for others. So a message waits for at most that many turns, however long the ready queue is. A
//! turn is as long as the program makes it, which is why a thread that computes for long polls, and serves there. A look costs as much as a
//! switch with few nodes, and more with many: once in [`TURNS_PER_SERVICE`] turns that hardly counts.
//!
//! This module must never know messages.

use crate::control::ending;
use std::rc::Rc;

use fiber::{Crew, Fiber, Pool, Status};
use tempest::ThreadId;
use tempest::outcome::Blocked;
use trace::Event as Traced;
use units::Time;

use crate::lock::lock;
use crate::memory::downgrades;
use crate::parts::core::Processor;
use crate::parts::endpoint::Endpoint;
use crate::parts::stacks;
use crate::parts::threads::Reason;
use crate::parts::world::Stage;
use crate::processor::tuning::TURNS_PER_SERVICE;
use crate::processor::{idle, points, waits};

/// Makes the threads of a processor, ready to run.
///
/// # Errors
/// The system's error if it has no memory for their stacks.
pub(crate) fn spawn_threads(processor: &Rc<Processor>, pool: &Pool) -> std::io::Result<Vec<Fiber>> {
    let spawn = |local| {
        let processor = Rc::clone(processor);
        let thread = processor.endpoint.threads.index_of(local as u32);
        stacks::spawn(&Rc::clone(&processor), pool, move || {
            let resident = &processor.node().resident;
            let interval = processor.endpoint.poll_interval();
            processor.endpoint.tracer.trace(|node, _| Traced::ThreadStart { node, thread });
            resident.main(&tempest::world::thread(&resident.node, thread, &*processor, None, interval));
            processor.endpoint.tracer.trace(|node, _| Traced::ThreadEnd { node, thread });
        })
    };
    (0..processor.endpoint.threads.count()).map(spawn).collect()
}

/// Runs until the world stops.
pub(crate) fn run(processor: &Processor, threads: &mut Crew) {
    (0..threads.len() as u32).for_each(|number| processor.endpoint.threads.push(number));
    while processor.world().is_running() {
        take_inbox(&processor.endpoint);
        run_ready(&processor.endpoint, threads);
        if points::serve_at_point(processor) == 0 && !processor.endpoint.has_threads_to_run() {
            idle::idle(processor);
        }
    }
    if processor.world().stage() != Stage::Ended {
        tell_blocked(&processor.endpoint);
    }
}

/// Makes the threads in the inbox ready, which other processors have woken.
pub(crate) fn take_inbox(endpoint: &Endpoint) {
    let woken =
        endpoint.node().inboxes[endpoint.number()].drain(|thread| endpoint.threads.push_index(thread));
    if woken > 0 {
        endpoint.gauge().count_handled(woken);
    }
}

/// Runs [`TURNS_PER_SERVICE`] ready threads, or fewer if one steps back.
fn run_ready(endpoint: &Endpoint, threads: &mut Crew) {
    endpoint.threads.allow_turns(TURNS_PER_SERVICE);
    let has_lowerings = endpoint.downgrades().is_some();
    while let Some(number) = endpoint.threads.next_turn() {
        if !threads.is_finished(number as usize) {
            if has_lowerings {
                downgrades::heed(endpoint);
            }
            run_thread(endpoint, threads, number);
        }
    }
}

/// Runs a thread, and the threads that it passes the turn to.
#[inline]
fn run_thread(endpoint: &Endpoint, threads: &mut Crew, number: u32) {
    if let Some(soon) = waits::begin_turn(endpoint, number) {
        threads.prefetch(soon as usize);
    }
    let thread = endpoint.threads.current();
    endpoint.tracer.trace(|node, processor| Traced::Run { node, processor, thread });
    let (_, status) = endpoint.threads.occupation.run_thread(|| threads.resume(number as usize));
    endpoint.tracer.trace(|node, processor| Traced::Leave { node, processor, thread });
    if status == Status::Finished {
        endpoint.threads.note_return();
        ending::note_return(endpoint);
    }
}

/// Unwinds the threads that have not returned. The world has stopped.
pub(crate) fn unwind(endpoint: &Endpoint, threads: Crew) {
    // A thread that catches the unwinding and waits once more passes its turn to no other.
    endpoint.threads.end_turns();
    drop(threads);
}

fn tell_blocked(endpoint: &Endpoint) {
    for (local, index) in endpoint.threads.with_index() {
        let Some(reason) = local.waits_for.get() else { continue };
        let since = Time::from_nanoseconds(local.since_ns.get());
        let thread = ThreadId { node: endpoint.node().id, index };
        let waits_for = match reason {
            Reason::Phase(_) => {
                let (arrived, all) = endpoint.world().arrivals();
                format!("{reason}: {arrived} of {all} threads have come")
            }
            _ => reason.to_string(),
        };
        lock(&endpoint.world().blocked).push(Blocked { thread, waits_for, since });
    }
}
