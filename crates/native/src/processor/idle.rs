//! What a processor does that has nothing to do: it looks for work, naps, sleeps (`berth`).

use std::sync::atomic::Ordering;
use std::time::Duration;

use trace::Event as Traced;

use crate::processor::core::Processor;

/// Looks for work this long before it sleeps, where every processor has a core of its own.
const SPIN_NS: u64 = 20_000;

/// Looks between two glances at the clock.
const LOOKS: u32 = 64;

/// Looks this often, giving the core away each time, where processors share cores.
const YIELDS: u32 = 8;

/// Tries so often to find room before it naps, where every processor has a core of its own: about as long as [`SPIN_NS`].
/// A receiver that is slower than its senders returns credit batch by batch, much sooner.
const TRIES: u32 = 128;

/// How long the first nap is.
pub(crate) const NAP: Duration = Duration::from_micros(50);

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

impl Processor {
    /// No thread is ready: serves and waits until one is, or the run has ended.
    ///
    /// Handlers alone do not end idleness, so that a message noticed here costs no look at the clock. The time they take
    /// is known from samples, and taken off.
    pub(crate) fn idle(&self) {
        let gauge = self.gauge();
        gauge.begin_idle(self.note_idleness(), self.awaited());
        self.stop_computing();
        let (mut naps, mut has_lain) = (Naps::default(), false);
        loop {
            let lay = self.wait_for_work(&mut naps);
            has_lain |= lay;
            // Whoever gave an event while it lay in its berth has woken nobody else, and counts on it, whatever its role.
            if self.serves() && lay {
                self.serve();
            } else if self.serves() && !(self.leaves_events() && self.has_threads_to_run()) {
                self.serve_due();
            }
            if self.has_threads_to_run() || !self.world.is_running() {
                break;
            }
        }
        if has_lain {
            self.pass_on();
        }
        self.compute_again();
        gauge.end_idle(self.note_time());
        self.leave_to_helper();
    }

    /// A thread has found no room once more, and everybody else here has had a go: gives others time to make some.
    pub(crate) fn wait_for_room(&self, attempts: u32) {
        let since = self.world.now_ns();
        let tries = if self.world.oversubscribed { YIELDS } else { TRIES };
        match attempts.checked_sub(tries) {
            None => self.pause(),
            Some(naps) => {
                self.nap(naps);
                if self.serves() {
                    self.serve_or_leave();
                }
                self.pass_on();
            }
        }
        self.gauge().count_wait_for_room(self.world.now_ns() - since);
    }

    /// It has lain in its berth, and is about to compute. What it was woken for it may not have been able to take, because
    /// another processor received and had passed it already: then somebody else is to.
    fn pass_on(&self) {
        if self.serves() && self.sees_events() {
            self.wake_servers(1);
        }
    }

    /// Whether it has slept or napped, or sees what others have left: then it is to take whatever there is. `naps` counts
    /// those in a row that nothing came of.
    fn wait_for_work(&self, naps: &mut Naps) -> bool {
        if let Some(floor) = self.floor() {
            floor.leave(&self.speaker);
        }
        self.hold_back();
        if self.finds_work_soon() {
            return false;
        }
        // The spin above ignores events that are reserved for other processors. Any that are still there
        // after the whole spin are taken now.
        if self.sees_work() {
            return true;
        }
        if self.serves() && self.node().backlog.is_left() {
            self.nap(naps.begin(self.node().backlog.words()));
            return true;
        }
        *naps = Naps::default();
        self.gauge().idle.store(true, Ordering::SeqCst);
        // The last to fall asleep finds that nothing will ever happen, if that is so.
        self.world.detect_ending();
        // A computing processor that does not serve may fill an outbox here at any moment, so a backlog is work too.
        let slept = self.world.berths[self.index].sleep_unless(&self.world.fences, || {
            self.sees_work() || self.serves() && (self.node().backlog.is_left() || self.sees_hidden_events())
        });
        self.gauge().idle.store(false, Ordering::SeqCst);
        if slept && self.is_interrupted() {
            self.gauge().count_interrupt();
            self.trace(|node, processor| Traced::Interrupt { node, processor });
        }
        true
    }

    /// Looks for as long as the policy and the host allow.
    fn finds_work_soon(&self) -> bool {
        if self.is_interrupted() {
            return self.sees_work();
        }
        if self.world.oversubscribed {
            return self.finds_work_between_others();
        }
        if self.finds_work(LOOKS) {
            return true;
        }
        let until = self.world.now_ns() + SPIN_NS;
        while self.world.now_ns() < until {
            if self.finds_work(LOOKS) {
                return true;
            }
        }
        false
    }

    /// Looks a few times, giving the core away in between; not again once somebody has kept it for long, who computes: who
    /// sleeps is woken where a core is free, who is ready waits for its turn here.
    fn finds_work_between_others(&self) -> bool {
        let until = self.world.now_ns() + SPIN_NS;
        for _ in 0..YIELDS {
            if self.finds_work(1) {
                return true;
            }
            if self.world.now_ns() > until {
                return false;
            }
        }
        false
    }

    fn finds_work(&self, looks: u32) -> bool {
        (0..looks).any(|_| {
            self.pause();
            self.sees_own_work() || self.serves() && !self.leaves_events() && self.sees_events_due()
        })
    }

    fn nap(&self, naps: u32) {
        let length = NAP.as_secs_f64() * (1.0 + LONGER).powf(f64::from(naps));
        let length = Duration::from_secs_f64(length.min(LONGEST.as_secs_f64()));
        self.world.berths[self.index].nap_unless(length, || self.sees_work());
    }

    /// Lets a moment pass: others get the core if they have none of their own.
    pub(crate) fn pause(&self) {
        if self.world.oversubscribed {
            std::thread::yield_now();
        } else {
            std::hint::spin_loop();
        }
    }
}
