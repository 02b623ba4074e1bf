//! What a processor reports that it has waited, beside what its threads have seen of it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use native::Local;
use tempest::{Event, Job, Launch, Merge, Program, Protocol, Report, Setup, Thread, World};

const ROUNDS: u64 = 20_000;

/// Two threads, each on a processor of its own, take turns; each computes for a while before it gives the turn away, for as long
/// as the next number of a row says.
struct Turns {
    turns: [Event; 2],
    nanoseconds: &'static [u64],
    /// How long the two have waited, as they see it.
    waited_ns: AtomicU64,
}

impl Protocol for Turns {
    type Config = &'static [u64];
    fn install(nanoseconds: &Self::Config, _: &mut Setup<'_>) -> Self {
        let turns = [Event::new("turn of the first"), Event::new("turn of the second")];
        Self { turns, nanoseconds, waited_ns: AtomicU64::new(0) }
    }
}

impl Program for Turns {
    fn main(&self, thread: &Thread<'_>) {
        let mine = thread.index() as usize;
        let mut waited = Duration::ZERO;
        thread.phase("turns");
        if mine == 0 {
            thread.signal(&self.turns[0], 1);
        }
        for (round, nanoseconds) in (1..=ROUNDS).zip(self.nanoseconds.iter().cycle()) {
            let start = Instant::now();
            thread.wait(&self.turns[mine], round);
            let end = Instant::now();
            waited += end - start;
            while end.elapsed() < Duration::from_nanos(*nanoseconds) {}
            thread.signal(&self.turns[1 - mine], 1);
        }
        self.waited_ns.fetch_add(waited.as_nanos() as u64, Ordering::Relaxed);
        thread.phase("end");
    }

    fn report(&self) -> Report {
        let turns = [0, 1].map(|thread: usize| self.turns[thread].count());
        Report::checked(turns == [ROUNDS + 1, ROUNDS], || format!("{turns:?} turns")).figure(
            "waited",
            self.waited_ns.load(Ordering::Relaxed) as f64,
            Merge::Sum,
        )
    }
}

/// What was reported of what was seen.
fn reported(nanoseconds: &'static [u64]) -> f64 {
    let policy = "floating".parse().expect("a policy");
    let launch = Launch { processors: 2, ..Launch::new(Job::new::<Turns>(nanoseconds), policy) };
    let outcome = Local::new().run(&launch).expect("the run ends well");
    assert!(outcome.report.verified(), "{:?}", outcome.report);
    let seen = outcome.report.figures[0].value;
    outcome.phases[0].breakdown.synchronization.as_nanoseconds() / seen
}

#[test]
fn as_long_as_threads_wait_their_processors_do() {
    // A thread also sees how it is put aside and taken up again, which is no waiting: of short waits a part.
    for nanoseconds in [&[1_000][..], &[20_000], &[100, 900, 2_000]] {
        let reported = reported(nanoseconds);
        assert!((0.5..1.1).contains(&reported), "{reported} of what turns of {nanoseconds:?} ns let wait");
    }
}
