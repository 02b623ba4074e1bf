//! Sleep of a processor until another one changes a word: the operating system's futex. The models have another in this module's place.
//!
//! [`wait`] tests the word and falls asleep in one step, for all callers of [`wake`]: a caller that changes the word and then calls `wake` either
//! comes before the test, which then finds the word changed, or wakes the sleeper.
//!
//! The word may lie in memory that several processes share. This module must never know the meaning of a word.

use std::sync::atomic::AtomicU32;
use std::time::Duration;

#[cfg(target_os = "linux")]
mod system {
    use rustix::thread::futex::{self, Flags, Timespec};

    use super::{AtomicU32, Duration};

    /// Not of one process alone: the word may lie in shared memory.
    const ANYONE: Flags = Flags::empty();

    pub(super) fn wait(word: &AtomicU32, expected: u32, longest: Option<Duration>) {
        let longest = longest.map(|longest| Timespec {
            tv_sec: longest.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: longest.subsec_nanos().into(),
        });
        // An interruption ends a sleep, as a wake-up does; the caller looks again.
        _ = futex::wait(word, ANYONE, expected, longest.as_ref());
    }

    pub(super) fn wake(word: &AtomicU32) {
        futex::wake(word, ANYONE, 1).expect("a word that exists has sleepers to wake, or none");
    }
}

/// Elsewhere: sleepers of this process, whose words share a few locks.
#[cfg(not(target_os = "linux"))]
mod system {
    use std::sync::atomic::Ordering;
    use std::sync::{Condvar, Mutex};

    use super::{AtomicU32, Duration};
    use crate::lock::lock;

    const LOCKS: usize = 64;

    static SLEEPERS: [(Mutex<()>, Condvar); LOCKS] = [const { (Mutex::new(()), Condvar::new()) }; LOCKS];

    fn of(word: &AtomicU32) -> &'static (Mutex<()>, Condvar) {
        &SLEEPERS[(word.as_ptr().addr() >> 7) % LOCKS]
    }

    pub(super) fn wait(word: &AtomicU32, expected: u32, longest: Option<Duration>) {
        let (mutex, sleepers) = of(word);
        let guard = lock(mutex);
        if word.load(Ordering::Relaxed) != expected {
            return;
        }
        match longest {
            Some(longest) => drop(sleepers.wait_timeout(guard, longest)),
            None => drop(sleepers.wait(guard)),
        }
    }

    pub(super) fn wake(word: &AtomicU32) {
        let (mutex, sleepers) = of(word);
        drop(lock(mutex));
        sleepers.notify_all();
    }
}

/// Sleeps while `word` is `expected`, until woken, at most for `longest`. May return early: the caller looks again.
pub(crate) fn wait(word: &AtomicU32, expected: u32, longest: Option<Duration>) {
    system::wait(word, expected, longest);
}

/// Wakes the processor that sleeps on `word`, if there is one. The caller has changed the word.
pub(crate) fn wake(word: &AtomicU32) {
    system::wake(word);
}
