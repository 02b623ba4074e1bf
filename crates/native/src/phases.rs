//! Timed regions: all threads enter together, outside the program's own messages.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard};

use tempest::{Breakdown, Counters, PhaseRecord, ThreadId};
use units::Time;

use crate::node::lock;
use crate::world::World;

/// The regions entered so far, and who waits to enter the next.
pub(crate) struct Phases {
    threads: usize,
    /// How many regions have been entered.
    entered: AtomicU32,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    entering: &'static str,
    waiting: Vec<ThreadId>,
    starts: Vec<Start>,
}

struct Start {
    name: &'static str,
    at: Time,
    counters: Counters,
    breakdown: Breakdown,
}

/// What a thread finds that enters a region.
pub(crate) enum Entry {
    /// It is the last: these go on with it.
    Last(Vec<ThreadId>),
    /// It waits until so many regions have been entered.
    Wait(u32),
}

impl Phases {
    pub(crate) fn new(threads: usize) -> Self {
        Self { threads, entered: AtomicU32::new(0), inner: Mutex::default() }
    }

    /// How many regions have been entered by all.
    pub(crate) fn entered(&self) -> u32 {
        self.entered.load(Ordering::Acquire)
    }

    /// How many threads have come to the next region, for people.
    pub(crate) fn arrivals(&self) -> String {
        format!("{} of {} threads have come", self.inner().waiting.len(), self.threads)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        lock(&self.inner)
    }
}

impl World {
    /// A thread enters the next region.
    ///
    /// # Panics
    /// If threads enter different regions.
    pub(crate) fn enter_phase(&self, thread: ThreadId, name: &'static str) -> Entry {
        let mut inner = self.phases.inner();
        if inner.waiting.is_empty() {
            inner.entering = name;
        }
        let entering = inner.entering;
        assert!(entering == name, "phase `{name}` is entered while other threads enter phase `{entering}`");
        if inner.waiting.len() + 1 < self.phases.threads {
            inner.waiting.push(thread);
            return Entry::Wait(self.phases.entered() + 1);
        }
        let start = self.snapshot(name, self.now_ns());
        inner.starts.push(start);
        self.phases.entered.fetch_add(1, Ordering::AcqRel);
        Entry::Last(std::mem::take(&mut inner.waiting))
    }

    /// The regions, the last of them ending at `end`.
    pub(crate) fn phase_records(&self, end: u64) -> Vec<PhaseRecord> {
        let end = self.snapshot("", end);
        let inner = self.phases.inner();
        let ends = inner.starts.iter().skip(1).chain([&end]);
        let record = |(start, end): (&Start, &Start)| PhaseRecord {
            name: start.name,
            time: end.at - start.at,
            counters: end.counters - start.counters,
            breakdown: less(end.breakdown, start.breakdown),
        };
        inner.starts.iter().zip(ends).map(record).collect()
    }

    /// Counts of all processors, and where the computing ones' time went, up to now.
    pub(crate) fn totals(&self, now: u64) -> (Counters, Breakdown) {
        let mut counters = Counters::default();
        let (mut idle, mut memory, mut overhead, mut computing) = (0, 0, 0, 0);
        for (index, gauge) in self.gauges.iter().enumerate() {
            counters += gauge.counters();
            if !self.is_dedicated(index) {
                computing += 1;
                let waited = gauge.waited_until(now);
                idle += waited.idle_ns;
                memory += waited.memory_ns;
                overhead += gauge.overhead_ns.load(Ordering::Relaxed);
            }
        }
        // Overhead is an estimate from samples: what is left to compute must not become negative by it.
        let rest = (now * computing).saturating_sub(idle + memory);
        let overhead = overhead.min(rest);
        let ns = Time::from_nanoseconds;
        let breakdown = Breakdown {
            compute: ns(rest - overhead),
            memory: ns(memory),
            overhead: ns(overhead),
            synchronization: ns(idle),
        };
        (counters, breakdown)
    }

    fn snapshot(&self, name: &'static str, now: u64) -> Start {
        let (counters, breakdown) = self.totals(now);
        Start { name, at: Time::from_nanoseconds(now), counters, breakdown }
    }
}

/// What was spent between two moments. Each part is measured by a processor of its own, so one read late can seem to
/// have shrunk; it counts as nothing then.
fn less(end: Breakdown, start: Breakdown) -> Breakdown {
    Breakdown {
        compute: end.compute.saturating_sub(start.compute),
        memory: end.memory.saturating_sub(start.memory),
        overhead: end.overhead.saturating_sub(start.overhead),
        synchronization: end.synchronization.saturating_sub(start.synchronization),
    }
}
