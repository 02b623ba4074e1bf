//! What a processor does that has nothing to do: it looks for work, naps, sleeps (`berth`).

use std::sync::atomic::Ordering;
use std::time::Duration;

use trace::Event as Traced;

use crate::control::ending;
use crate::dispatch::{helper, looks, points, serve};
use crate::link::wake;
use crate::measure::taken::Spell;
use crate::memory::lowering;
use crate::processor::berth::NAP;
use crate::processor::core::Processor;
use crate::processor::waits;

/// Looks for work this long before it sleeps, where every processor has a core of its own.
const SPIN_NS: u64 = 20_000;

/// Looks between two glances at the clock.
const LOOKS: u32 = 64;

/// Looks this often, giving the core away each time, where processors share cores and have no rivals.
const YIELDS: u32 = 8;

/// Tries so often to find room before it naps, where every processor has a core of its own: about as long as [`SPIN_NS`].
/// A receiver that is slower than its senders returns credit batch by batch, much sooner.
const TRIES: u32 = 128;

/// Of a nap, how much longer the next one in a row is. So each is about this part of what has been waited already: whoever
/// waits for room for seconds takes no core for it, and has it at most so much later than it could.
const LONGER: f64 = 1.0 / 16.0;

/// The longest nap.
const LONGEST: Duration = Duration::from_millis(100);

/// Naps in a row of a processor that waits for room for its node's outboxes.
#[derive(Default)]
struct Naps {
    in_vain: u32,
    /// What was in the outboxes at the last of them.
    outboxed: usize,
}

impl Naps {
    /// Counts another nap, while there is so much in the outboxes; how many in a row have been in vain. One after which less
    /// was left, or more, was not.
    fn begin(&mut self, outboxed: usize) -> u32 {
        self.in_vain = if self.outboxed == outboxed { self.in_vain + 1 } else { 0 };
        self.outboxed = outboxed;
        self.in_vain
    }
}

/// Lets more of a stream come before the next look, where that is worth it.
pub(crate) fn hold_back(processor: &Processor) {
    let pauses = processor.bursts.take_pauses();
    if !processor.world().oversubscribed {
        (0..pauses).for_each(|_| processor.pause());
    }
}

/// No thread is ready: serves and waits until one is, or the run has ended.
///
/// Handlers alone do not end idleness, so that a message noticed here costs no look at the clock. The time they take
/// is known from samples, and taken off.
pub(crate) fn idle(processor: &Processor) {
    let gauge = processor.gauge();
    let (began, awaited) = (waits::note_idleness(processor), processor.threads.awaited());
    processor.taken().note(Spell::Work, began);
    gauge.begin_idle(began, awaited);
    lowering::stop_computing(processor);
    let (mut naps, mut has_lain) = (Naps::default(), false);
    loop {
        let lay = wait_for_work(processor, &mut naps);
        has_lain |= lay;
        // Whoever gave an event while it lay in its berth has woken nobody else, and counts on it, whatever its role.
        if processor.serves() && lay {
            serve::serve(processor);
        } else if processor.serves() && !(processor.leaves_events() && processor.has_threads_to_run()) {
            serve::serve_due(processor);
        }
        if processor.has_threads_to_run() || !processor.world().is_running() {
            break;
        }
    }
    if has_lain {
        pass_on(processor);
    }
    lowering::compute_again(processor);
    let ended = processor.meter.look(processor.world());
    processor.taken().note(awaited.into(), ended);
    gauge.end_idle(ended);
    helper::leave_to_helper(processor);
}

/// A thread has found no room once more, and everybody else here has had a go: gives others time to make some.
pub(crate) fn wait_for_room(processor: &Processor, attempts: u32) {
    let since = processor.world().now_ns();
    processor.taken().note(Spell::Work, since);
    let tries = match processor.world().oversubscribed {
        true if processor.has_rivals() => 0,
        true => YIELDS,
        false => TRIES,
    };
    match attempts.checked_sub(tries) {
        None => processor.pause(),
        Some(naps) => {
            nap(processor, naps);
            if processor.serves() {
                points::serve_or_leave(processor);
            }
            pass_on(processor);
        }
    }
    let now = processor.world().now_ns();
    processor.taken().note(Spell::Memory, now);
    processor.gauge().count_wait_for_room(now - since);
}

/// It has lain in its berth, and is about to compute. What it was woken for it may not have been able to take, because
/// another processor received and had passed it already: then somebody else is to.
fn pass_on(processor: &Processor) {
    if processor.serves() && looks::sees_events(processor) {
        wake::servers(processor, 1);
    }
}

/// Whether it has slept or napped, or sees what others have left: then it is to take whatever there is. `naps` counts
/// those in a row that nothing came of.
fn wait_for_work(processor: &Processor, naps: &mut Naps) -> bool {
    if let Some(floor) = processor.floor() {
        floor.leave(&processor.speaker);
    }
    hold_back(processor);
    if finds_work_soon(processor) {
        return false;
    }
    // The spin above ignores events that are reserved for other processors. Any that are still there
    // after the whole spin are taken now.
    if looks::sees_work(processor) {
        return true;
    }
    if processor.serves() && processor.node().backlog.is_left() {
        nap(processor, naps.begin(processor.node().backlog.words()));
        return true;
    }
    *naps = Naps::default();
    processor.gauge().idle.store(true, Ordering::SeqCst);
    // The last to fall asleep finds that nothing will ever happen, if that is so.
    ending::detect(processor.world());
    // A computing processor that does not serve may fill an outbox here at any moment, so a backlog is work too.
    let slept = processor.world().berths[processor.index()].sleep_unless(&processor.world().fences, || {
        looks::sees_work(processor)
            || processor.serves()
                && (processor.node().backlog.is_left() || looks::sees_hidden_events(processor))
    });
    processor.gauge().idle.store(false, Ordering::SeqCst);
    if slept && processor.is_interrupted() {
        processor.gauge().count_interrupt();
        processor.tracer.trace(|node, processor| Traced::Interrupt { node, processor });
    }
    true
}

/// Looks for as long as the policy and the host allow.
fn finds_work_soon(processor: &Processor) -> bool {
    if processor.is_interrupted() {
        return looks::sees_work(processor);
    }
    if processor.world().oversubscribed {
        return finds_work_between_others(processor);
    }
    if finds_work(processor, LOOKS) {
        return true;
    }
    let until = processor.world().now_ns() + SPIN_NS;
    while processor.world().now_ns() < until {
        if finds_work(processor, LOOKS) {
            return true;
        }
    }
    false
}

/// Looks a few times and gives the core away before each look. The processor stops once another one, which computes, has kept the
/// core for long: a sleeper is woken where a core is free, but a ready task waits for its turn here. Beside rivals it gives nothing
/// away, and sleeps at once.
fn finds_work_between_others(processor: &Processor) -> bool {
    let until = processor.world().now_ns() + SPIN_NS;
    for _ in 0..YIELDS {
        if processor.has_rivals() {
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
        processor.pause();
        sees_work_due(processor)
    })
}

/// Whether there is work that this processor does not leave to others.
fn sees_work_due(processor: &Processor) -> bool {
    processor.sees_own_work()
        || processor.serves() && !processor.leaves_events() && looks::sees_events_due(processor)
}

fn nap(processor: &Processor, naps: u32) {
    let length = NAP.as_secs_f64() * (1.0 + LONGER).powf(f64::from(naps));
    let length = Duration::from_secs_f64(length.min(LONGEST.as_secs_f64()));
    processor.world().berths[processor.index()].nap_unless(length, || looks::sees_work(processor));
}
