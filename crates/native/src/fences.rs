//! The pair of barriers between who gives work and who goes to sleep: one is free, the other pays for both.
//!
//! Whoever gives work stores it, passes the [`light`](Fences::light) barrier and looks whether somebody sleeps. Whoever goes to
//! sleep says so, passes the [`heavy`](Fences::heavy) one and looks for work once more. Of a light and a heavy barrier one
//! comes first, and what stands before that one is seen by what stands behind the other.
//!
//! # Why that is so
//!
//! *Symmetric*: both are sequentially consistent fences, about twenty nanoseconds each, one of them in every send.
//!
//! *Asymmetric*: the light one only keeps the compiler from moving accesses across it. The heavy one is the system call
//! `membarrier`: every other thread of the process that is running passes a full barrier of its own before the call returns,
//! at some point of its program; one that is not running has passed one when it was taken off its core, or passes one when it
//! comes back. If that point stands before the light barrier, the stores behind it have not been looked for yet: whoever gives
//! will find the sleeper. If it stands behind, the work had been stored before it, and the sleeper finds it.
//!
//! The heavy barrier takes some ten microseconds, and interrupts every running thread of the process. So it is for worlds
//! where whoever has nothing to do looks for long before it sleeps; where it sleeps at once, fences are symmetric, as on a host
//! that has no such call.
//!
//! This module must never know what is given, or who sleeps.

use std::sync::atomic::{Ordering, compiler_fence, fence};

/// How the two barriers are made in one world.
pub(crate) struct Fences {
    asymmetric: bool,
}

impl Fences {
    /// For a world whose processors sleep rarely, or not.
    pub(crate) fn new(sleep_is_rare: bool) -> Self {
        Self { asymmetric: sleep_is_rare && host::offers_heavy() }
    }

    /// Between what is given and the look at who sleeps.
    #[inline]
    pub(crate) fn light(&self) {
        if self.asymmetric {
            compiler_fence(Ordering::SeqCst);
        } else {
            fence(Ordering::SeqCst);
        }
    }

    /// Between saying that one sleeps and the last look for work.
    pub(crate) fn heavy(&self) {
        fence(Ordering::SeqCst);
        if self.asymmetric {
            host::pass_heavy();
        }
    }
}

#[cfg(target_os = "linux")]
mod host {
    use rustix::thread::{MembarrierCommand, MembarrierQuery, membarrier, membarrier_query};

    /// Whether this process may ask for the barrier; it says first that it means to, and then tries: a filter of system calls
    /// may let through one of the three and not another.
    pub(super) fn offers_heavy() -> bool {
        let needed = MembarrierQuery::PRIVATE_EXPEDITED | MembarrierQuery::REGISTER_PRIVATE_EXPEDITED;
        membarrier_query().contains(needed)
            && membarrier(MembarrierCommand::RegisterPrivateExpedited).is_ok()
            && membarrier(MembarrierCommand::PrivateExpedited).is_ok()
    }

    pub(super) fn pass_heavy() {
        membarrier(MembarrierCommand::PrivateExpedited).expect("it has been let through before");
    }
}

#[cfg(not(target_os = "linux"))]
mod host {
    pub(super) fn offers_heavy() -> bool {
        false
    }

    pub(super) fn pass_heavy() {}
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU32};
    use std::thread;

    use super::*;

    const ROUNDS: u32 = 20_000;

    /// A stage of a round: both threads are there before either goes on.
    fn meet(place: &AtomicU32, number: u32) {
        place.fetch_add(1, Ordering::AcqRel);
        while place.load(Ordering::Acquire) < number {
            thread::yield_now();
        }
    }

    #[test]
    fn one_of_two_sees_what_the_other_said() {
        for fences in [Fences::new(true), Fences::new(false)] {
            let said = [AtomicBool::new(false), AtomicBool::new(false)];
            let (place, seen) = (AtomicU32::new(0), [AtomicBool::new(false), AtomicBool::new(false)]);
            let missed = AtomicU32::new(0);
            let say_and_look = |me: usize, barrier: &dyn Fn()| {
                for round in 0..ROUNDS {
                    said[me].store(false, Ordering::Relaxed);
                    meet(&place, round * 4 + 2);
                    said[me].store(true, Ordering::Relaxed);
                    barrier();
                    seen[me].store(said[1 - me].load(Ordering::Relaxed), Ordering::Relaxed);
                    meet(&place, round * 4 + 4);
                    if !seen.iter().any(|seen| seen.load(Ordering::Relaxed)) {
                        missed.fetch_add(1, Ordering::Relaxed);
                    }
                }
            };
            thread::scope(|scope| {
                scope.spawn(|| say_and_look(0, &|| fences.light()));
                say_and_look(1, &|| fences.heavy());
            });
            assert_eq!(missed.into_inner(), 0, "rounds in which neither has seen the other, seen by both");
        }
    }
}
