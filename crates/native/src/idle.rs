//! Looking for work, napping, sleeping, waking.
//!
//! # Why no wake-up is lost
//!
//! Who gives work stores it (a ring slot, an inbox, a queue), then passes a sequentially consistent fence, then looks
//! whether the berth is taken. Who sleeps takes the berth, passes such a fence, then looks for work once more. Of two
//! such fences one comes first, so either the giver sees the berth taken and wakes, or the sleeper sees the work.
//!
//! What becomes possible without anybody giving it (room in a ring, a credit) wakes nobody: who waits for that *naps*,
//! which ends by itself.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::thread::Thread;
use std::time::Duration;

use trace::Event as Traced;

use crate::node::lock;
use crate::processor::Processor;

/// Looks for work this long before it sleeps, where every processor has a core of its own.
const SPIN_NS: u64 = 20_000;

/// Looks between two glances at the clock.
const LOOKS: u32 = 64;

/// Looks this often, giving the core away each time, where processors share cores.
const YIELDS: u32 = 8;

/// How long a nap is.
const NAP: Duration = Duration::from_micros(50);

/// Where a processor sleeps.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Berth {
    taken: AtomicBool,
    thread: Mutex<Option<Thread>>,
}

impl Berth {
    /// Says which OS thread sleeps here. Before anything runs.
    pub(crate) fn belongs_to_current_thread(&self) {
        *lock(&self.thread) = Some(std::thread::current());
    }

    /// Whether somebody sleeps here, or is about to.
    #[inline]
    pub(crate) fn is_taken(&self) -> bool {
        self.taken.load(Ordering::Relaxed)
    }

    /// Wakes the sleeper, if there is one. False if there is none.
    #[inline]
    pub(crate) fn wake(&self) -> bool {
        self.is_taken() && self.wake_sleeper()
    }

    #[cold]
    fn wake_sleeper(&self) -> bool {
        let slept = self.taken.swap(false, Ordering::AcqRel);
        if slept && let Some(thread) = &*lock(&self.thread) {
            thread.unpark();
        }
        slept
    }

    /// Sleeps until woken, unless `there_is_work`; says whether it slept.
    fn sleep_unless(&self, there_is_work: impl Fn() -> bool) -> bool {
        let sleeps = self.lies_down_unless(there_is_work);
        while self.taken.load(Ordering::Acquire) {
            std::thread::park();
        }
        sleeps
    }

    /// Sleeps until woken, but not for long, unless `there_is_work`.
    fn nap_unless(&self, there_is_work: impl Fn() -> bool) {
        if self.lies_down_unless(there_is_work) {
            std::thread::park_timeout(NAP);
            self.taken.store(false, Ordering::Relaxed);
        }
    }

    fn lies_down_unless(&self, there_is_work: impl Fn() -> bool) -> bool {
        self.taken.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let sleeps = !there_is_work();
        if !sleeps {
            self.taken.store(false, Ordering::Relaxed);
        }
        sleeps
    }
}

impl Processor {
    /// No thread is ready: serves and waits until one is, or the run has ended.
    ///
    /// Handlers alone do not end idleness, so that a message noticed here costs no look at the clock. The time they take
    /// is known from samples, and taken off.
    pub(crate) fn idle(&self) {
        let gauge = self.gauge();
        gauge.begin_idle(self.world.now_ns(), self.awaits_block());
        self.stop_computing();
        loop {
            self.wait_for_work();
            if self.serves() {
                self.serve();
            }
            if self.has_threads_to_run() || !self.world.is_running() {
                break;
            }
        }
        self.compute_again();
        gauge.end_idle(self.world.running_ns());
    }

    /// A thread has found no room once more, and everybody else here has had a go: gives others time to make some.
    pub(crate) fn wait_for_room(&self, attempts: u32) {
        let since = self.world.now_ns();
        if attempts < YIELDS {
            self.pause();
        } else {
            self.nap();
        }
        self.gauge().count_wait_for_room(self.world.now_ns() - since);
    }

    fn wait_for_work(&self) {
        if self.finds_work_soon() {
            return;
        }
        if self.serves() && self.node().has_arrears() {
            return self.nap();
        }
        self.gauge().idle.store(true, Ordering::SeqCst);
        // The last to fall asleep finds that nothing will ever happen, if that is so.
        self.world.detect_ending();
        // A computing processor that does not serve may fill an outbox here at any moment, so arrears are work too.
        let slept = self.world.berths[self.index]
            .sleep_unless(|| self.sees_work() || self.serves() && self.node().has_arrears());
        self.gauge().idle.store(false, Ordering::SeqCst);
        if slept && self.is_interrupted() {
            self.gauge().count_interrupt();
            self.trace(|node, processor| Traced::Interrupt { node, processor });
        }
    }

    /// Looks for as long as the policy and the host allow.
    fn finds_work_soon(&self) -> bool {
        if self.is_interrupted() {
            return self.sees_work();
        }
        if self.world.oversubscribed {
            return self.finds_work(YIELDS);
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

    fn finds_work(&self, looks: u32) -> bool {
        (0..looks).any(|_| {
            self.pause();
            self.sees_work()
        })
    }

    fn nap(&self) {
        self.world.berths[self.index].nap_unless(|| self.sees_work());
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
