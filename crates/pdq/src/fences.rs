//! A pair of memory fences: the light one for the frequent side, the heavy one for the rare side.
//!
//! One thread stores, passes the [`light`](Fences::light) fence and loads. Another stores, passes the
//! [`heavy`](Fences::heavy) fence and loads where the first has stored. A light and a heavy fence are ordered: accesses
//! before the earlier fence are visible to accesses after the later one. So at least one of the two threads sees the
//! other's store.
//!
//! # Correctness
//!
//! *Symmetric*: both are sequentially consistent fences, about twenty nanoseconds each.
//!
//! *Asymmetric*: the light fence only keeps the compiler from moving accesses across it. The heavy fence is the
//! system call `membarrier`. Before the call returns, every running thread of the process has passed a full barrier
//! at some point of its program. A thread that is not running passed one when it was taken off its core, or passes
//! one when it comes back. If that point stands before the light fence, the load behind the light fence comes after
//! the call began, and sees the stores before the call. If it stands behind the light fence, the first thread's store
//! was made before the call returned, and the loads behind the heavy fence see it.
//!
//! *Between processes* is asymmetric too. The heavy fence then waits for every running thread of every process that has registered itself,
//! by making such a pair. All threads that use one pair are threads of such processes.
//!
//! Two light fences are not ordered with each other.
//!
//! This module must never know which accesses the fences order. Its users are given a value and never know the system
//! call.

use std::sync::OnceLock;
use std::sync::atomic::{Ordering, compiler_fence, fence};

/// A light memory fence for threads that store and load often, and a heavy one for threads that do so rarely. All of these
/// threads use one value, or copies of it: the light fence of an asymmetric pair is not ordered with the heavy fence of a
/// symmetric pair.
///
/// ```
/// # #[cfg(feature = "low-level")] {
/// use tradewind_pdq::{DispatcherId, Fences, Queue, queue};
///
/// let queue = Queue::<()>::new(DispatcherId::fresh(), queue::Config::servers(2));
/// let queue = queue.with_fences(Fences::asymmetric());
/// assert!(queue.seize().is_some());
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fences {
    kind: Kind,
}

/// The fences of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Symmetric,
    /// The heavy fence passes a barrier in each running thread of these processes.
    Asymmetric(Reach),
}

/// The processes that a heavy fence reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reach {
    /// This process.
    Process,
    /// All processes of the host that have registered.
    Host,
}

impl Fences {
    /// Makes a pair of fences that cost the same, some twenty nanoseconds each.
    pub const fn symmetric() -> Self {
        Self { kind: Kind::Symmetric }
    }

    /// Makes a pair whose light fence costs nothing. The heavy fence costs some ten microseconds, and interrupts every running
    /// thread of the process. The pair is [symmetric](Self::symmetric) where the host lacks the system call `membarrier`, and
    /// without the feature `membarrier`.
    pub fn asymmetric() -> Self {
        static OFFERS_HEAVY: OnceLock<bool> = OnceLock::new();
        Self::reaching(Reach::Process, &OFFERS_HEAVY)
    }

    /// Makes a pair for threads of several processes of the host, whose light fence costs nothing. Each of the processes makes such
    /// a pair before its threads use it. The pair is [symmetric](Self::symmetric) where [`asymmetric`](Self::asymmetric) is.
    pub fn between_processes() -> Self {
        static OFFERS_HEAVY: OnceLock<bool> = OnceLock::new();
        Self::reaching(Reach::Host, &OFFERS_HEAVY)
    }

    fn reaching(reach: Reach, offers_heavy: &OnceLock<bool>) -> Self {
        let offered = *offers_heavy.get_or_init(|| host::offers_heavy(reach));
        Self { kind: if offered { Kind::Asymmetric(reach) } else { Kind::Symmetric } }
    }

    /// Light fence: orders a store before the loads that follow. For the thread that passes it often.
    #[inline]
    pub fn light(self) {
        match self.kind {
            Kind::Symmetric => fence(Ordering::SeqCst),
            Kind::Asymmetric(_) => compiler_fence(Ordering::SeqCst),
        }
    }

    /// Heavy fence: orders a store before the loads that follow. For the thread that passes it rarely.
    pub fn heavy(self) {
        fence(Ordering::SeqCst);
        if let Kind::Asymmetric(reach) = self.kind {
            host::pass_heavy(reach);
            // The call is opaque to the compiler today. That loads stay behind it is not left to that.
            compiler_fence(Ordering::SeqCst);
        }
    }
}

#[cfg(all(feature = "membarrier", target_os = "linux", not(miri)))]
mod host {
    use rustix::thread::{MembarrierCommand, MembarrierQuery, membarrier, membarrier_query};

    use super::Reach;

    /// Whether this process may use the system call `membarrier`. Asks, registers the process and tries a barrier: a filter of
    /// system calls may allow only some of the three calls.
    pub(super) fn offers_heavy(reach: Reach) -> bool {
        let (needed, register) = match reach {
            Reach::Process => (
                MembarrierQuery::PRIVATE_EXPEDITED | MembarrierQuery::REGISTER_PRIVATE_EXPEDITED,
                MembarrierCommand::RegisterPrivateExpedited,
            ),
            Reach::Host => (
                MembarrierQuery::GLOBAL_EXPEDITED | MembarrierQuery::REGISTER_GLOBAL_EXPEDITED,
                MembarrierCommand::RegisterGlobalExpedited,
            ),
        };
        membarrier_query().contains(needed)
            && membarrier(register).is_ok()
            && membarrier(command(reach)).is_ok()
    }

    pub(super) fn pass_heavy(reach: Reach) {
        membarrier(command(reach)).expect("it has been let through before");
    }

    /// The barrier in each running thread of the processes.
    fn command(reach: Reach) -> MembarrierCommand {
        match reach {
            Reach::Process => MembarrierCommand::PrivateExpedited,
            Reach::Host => MembarrierCommand::GlobalExpedited,
        }
    }
}

#[cfg(not(all(feature = "membarrier", target_os = "linux", not(miri))))]
mod host {
    use super::Reach;

    pub(super) fn offers_heavy(_: Reach) -> bool {
        false
    }

    pub(super) fn pass_heavy(_: Reach) {}
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU32};
    use std::thread;

    use super::*;

    const ROUNDS: u32 = if cfg!(miri) { 20 } else { 20_000 };

    /// Waits until both threads have come to this stage of a round: until `number` arrivals have been counted in `place`.
    fn meet(place: &AtomicU32, number: u32) {
        place.fetch_add(1, Ordering::AcqRel);
        while place.load(Ordering::Acquire) < number {
            thread::yield_now();
        }
    }

    #[test]
    fn one_of_two_sees_what_the_other_said() {
        for fences in [Fences::asymmetric(), Fences::between_processes(), Fences::symmetric()] {
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
