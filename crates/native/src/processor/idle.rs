//! Idleness: how a processor without work looks for some, naps and sleeps (`parker`).

use std::sync::atomic::Ordering;
use std::time::Duration;

use trace::Event as Traced;

use crate::control::ending;
use crate::dispatch::{looks, serve};
use crate::link::{send, wake};
use crate::memory::downgrades;
use crate::parts::core::Processor;
use crate::parts::endpoint::Endpoint;
use crate::parts::stolen_time::Spell;
use crate::parts::tuning::NAP;
use crate::processor::tuning::{LONGEST_NAP, LOOKS_PER_READING, NAP_GROWTH, SPIN_NS, TRIES_FOR_ROOM, YIELDS};
use crate::processor::{helper, points, waits};

/// Consecutive naps of a processor that waits for room for its node's outboxes.
#[derive(Default)]
struct Naps {
    in_vain: u32,
    /// Words in the outboxes at the last nap.
    outboxed: usize,
}

impl Naps {
    /// Counts another nap; `outboxed` is the number of words in the outboxes. Returns the number of consecutive naps without a change of
    /// that number.
    fn begin(&mut self, outboxed: usize) -> u32 {
        self.in_vain = if self.outboxed == outboxed { self.in_vain + 1 } else { 0 };
        self.outboxed = outboxed;
        self.in_vain
    }
}

/// Pauses before the next look if a stream is being received, so that more of it arrives.
pub(crate) fn hold_back(endpoint: &Endpoint) {
    let pauses = endpoint.sending.bursts.take_pauses();
    if !endpoint.world().oversubscribed {
        (0..pauses).for_each(|_| endpoint.pause());
    }
}

/// Serves and waits, because no thread is ready, until one is or the run has ended.
///
/// Handlers alone do not end the idle time, so a message noticed here costs no clock reading. The time of handlers is estimated from
/// samples and subtracted.
pub(crate) fn idle(processor: &Processor) {
    let gauge = processor.gauge();
    let (began, awaited) = (waits::note_idleness(processor), processor.endpoint.threads.awaited());
    processor.endpoint.stolen().note(Spell::Work, began);
    gauge.begin_idle(began, awaited);
    processor.endpoint.parker().idle(true);
    downgrades::stop_computing(&processor.endpoint);
    let (mut naps, mut has_lain) = (Naps::default(), false);
    loop {
        let lay = wait_for_work(processor, &mut naps);
        has_lain |= lay;
        // A supplier of an event to a sleeping processor has woken no other, and relies on this one, whatever its role.
        if processor.endpoint.serves() && lay {
            send::acknowledge_all(&processor.endpoint);
            serve::serve(processor);
        } else if processor.endpoint.serves()
            && !(processor.endpoint.leaves_events() && processor.endpoint.has_threads_to_run())
        {
            serve::serve_due(processor);
        }
        if processor.endpoint.has_threads_to_run() || !processor.world().is_running() {
            break;
        }
    }
    if has_lain {
        pass_on(processor);
    }
    downgrades::compute_again(&processor.endpoint);
    let ended = processor.meter.look(processor.world());
    processor.endpoint.stolen().note(awaited.into(), ended);
    gauge.end_idle(ended);
    processor.endpoint.parker().idle(false);
    helper::leave_to_helper(processor);
}

/// Waits for room after a send of the running thread has failed again, although all other threads here have had a turn.
pub(crate) fn wait_for_room(processor: &Processor, attempts: u32) {
    let since = processor.world().now_ns();
    processor.endpoint.stolen().note(Spell::Work, since);
    let tries = match processor.world().oversubscribed {
        true if processor.endpoint.has_rivals() => 0,
        true => YIELDS,
        false => TRIES_FOR_ROOM,
    };
    match attempts.checked_sub(tries) {
        None => processor.endpoint.pause(),
        Some(naps) => {
            nap(processor, naps);
            if processor.endpoint.serves() {
                points::serve_or_leave(processor);
            }
            pass_on(processor);
        }
    }
    let now = processor.world().now_ns();
    processor.endpoint.stolen().note(Spell::Memory, now);
    processor.gauge().count_wait_for_room(now - since);
}

/// Wakes another server if events wait, because this processor is about to compute after it has slept. It may have been woken for an
/// event that it could not take, as another processor was receiving and had passed that lane already.
fn pass_on(processor: &Processor) {
    if processor.endpoint.serves() && looks::sees_events(&processor.endpoint, &processor.service) {
        wake::servers(&processor.endpoint, 1);
    }
}

/// Waits for work. Returns true if the processor has slept or napped, or sees events that were left by others: then it serves all events.
/// `naps` counts consecutive fruitless naps.
fn wait_for_work(processor: &Processor, naps: &mut Naps) -> bool {
    if let Some(hint) = processor.endpoint.hint() {
        hint.leave(&processor.endpoint.hint_view);
    }
    hold_back(&processor.endpoint);
    if finds_work_soon(processor) {
        return false;
    }
    // The spin above ignores events that are reserved for other processors. Any that are still there
    // after the whole spin are taken now.
    if looks::sees_work(&processor.endpoint, &processor.service) {
        return true;
    }
    if processor.endpoint.serves() && processor.node().backlog.is_left() {
        nap(processor, naps.begin(processor.node().backlog.words()));
        return true;
    }
    *naps = Naps::default();
    processor.gauge().fall_idle(|| processor.world().now_ns());
    // The last processor of the node to fall asleep replies in the search for the end of the world, or for a deadlock.
    ending::detect(&processor.endpoint);
    // A computing processor that does not serve may fill an outbox here at any moment, so a backlog is work too.
    let slept = processor.endpoint.parker().park_unless(&processor.world().fences, || {
        looks::sees_work(&processor.endpoint, &processor.service)
            || processor.endpoint.serves()
                && (processor.node().backlog.is_left()
                    || looks::sees_hidden_events(&processor.endpoint, &processor.service))
    });
    processor.gauge().idle.store(false, Ordering::SeqCst);
    if slept && processor.endpoint.is_interrupted() {
        processor.gauge().count_interrupt();
        processor.endpoint.tracer.trace(|node, processor| Traced::Interrupt { node, processor });
    }
    true
}

/// Looks for work as long as the policy and the host allow. Returns whether there is some.
fn finds_work_soon(processor: &Processor) -> bool {
    if processor.endpoint.is_interrupted() {
        return looks::sees_work(&processor.endpoint, &processor.service);
    }
    if processor.world().oversubscribed {
        return finds_work_between_others(processor);
    }
    if finds_work(processor, LOOKS_PER_READING) {
        return true;
    }
    let until = processor.world().now_ns() + SPIN_NS;
    while processor.world().now_ns() < until {
        if finds_work(processor, LOOKS_PER_READING) {
            return true;
        }
    }
    false
}

/// Looks a few times and yields the core before each look. Stops after a yield to a computing processor that kept the core for long: a
/// sleeper is woken on any free core, but a ready task waits for its turn on this one. Beside rivals it does not yield, and sleeps at
/// once.
fn finds_work_between_others(processor: &Processor) -> bool {
    let until = processor.world().now_ns() + SPIN_NS;
    for _ in 0..YIELDS {
        if processor.endpoint.has_rivals() {
            return sees_work_due(processor);
        }
        if finds_work(processor, 1) {
            return true;
        }
        if processor.world().now_ns() > until {
            return false;
        }
    }
    false
}

fn finds_work(processor: &Processor, looks: u32) -> bool {
    (0..looks).any(|_| {
        processor.endpoint.pause();
        sees_work_due(processor)
    })
}

/// Whether there is work that this processor does not leave to others.
fn sees_work_due(processor: &Processor) -> bool {
    processor.endpoint.sees_own_work()
        || processor.endpoint.serves()
            && !processor.endpoint.leaves_events()
            && looks::sees_events_due(&processor.endpoint, &processor.service)
}

fn nap(processor: &Processor, naps: u32) {
    let length = NAP.as_secs_f64() * (1.0 + NAP_GROWTH).powf(f64::from(naps));
    let length = Duration::from_secs_f64(length.min(LONGEST_NAP.as_secs_f64()));
    processor
        .endpoint
        .parker()
        .nap_unless(length, || looks::sees_work(&processor.endpoint, &processor.service));
}
