//! Tests of very many threads, and of their remains.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::Duration;

use tempest::world::{Launch, World};
use tempest::{Event, FinalState, Job, Protocol, Report, Setup, Thread, handlers};
use tradewind_native::Local;

/// Threads of each processor.
const THREADS: u32 = 16_384;

/// Every thread waits until all of its node have come, and once more.
struct Crowd {
    came: Event,
}

impl Protocol for Crowd {
    type Config = ();
    fn install(_: &(), _: &mut Setup<'_>) -> Self {
        Self { came: Event::new("crowd") }
    }
}

#[handlers]
impl Crowd {
    fn main(&self, thread: &Thread<'_>) {
        for round in 1..=2 {
            thread.signal(&self.came, 1);
            thread.wait(&self.came, round * u64::from(thread.threads()));
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let count = self.came.count(end);
        let expected = 2 * u64::from(THREADS);
        Report::checked(count.is_multiple_of(expected) && count > 0, || {
            format!("{count} came, {expected} a processor")
        })
    }
}

/// Runs the program. Returns the number of blocks of all threads.
fn crowd(nodes: u32, processors: u32) -> u64 {
    let policy = "floating".parse().expect("a policy");
    let launch = Launch { nodes, processors, threads: THREADS, ..Launch::new(Job::new::<Crowd>(()), policy) };
    let outcome = Local::new().run(&launch).expect("the run ends well");
    assert!(outcome.report.verified(), "{:?}", outcome.report);
    outcome.counters.blocks
}

#[test]
fn a_processor_has_sixteen_thousand_threads() {
    // In each round all threads block but the last to arrive.
    assert_eq!(crowd(1, 1), 2 * u64::from(THREADS - 1));
}

#[test]
fn two_processors_have_as_many_each_on_one_node_and_on_two() {
    let all = 2 * u64::from(2 * THREADS - 1);
    let on_one = crowd(1, 2);
    // A thread of the other processor may be about to wait when the last one arrives, and then need not.
    assert!((all - 2..=all).contains(&on_one), "{on_one} blocks, at most {all}");
    assert_eq!(crowd(2, 1), all - 2);
}

/// Number of OS threads of the test that have ended completely.
static OVER: AtomicU32 = AtomicU32::new(0);

/// A thread-local that is dropped late in the end of an OS thread, and slowly.
struct Late;

impl Drop for Late {
    fn drop(&mut self) {
        sleep(Duration::from_millis(50));
        OVER.fetch_add(1, Ordering::Relaxed);
    }
}

thread_local! {
    static LATE: Late = const { Late };
}

/// A program whose computing OS threads all have something to drop.
struct Leaving;

impl Protocol for Leaving {
    type Config = ();
    fn install(_: &(), _: &mut Setup<'_>) -> Self {
        Self
    }
}

#[handlers]
impl Leaving {
    fn main(&self, _: &Thread<'_>) {
        LATE.with(|_| ());
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        let over = OVER.load(Ordering::Relaxed);
        Report::checked(over == 4, || format!("{over} of 4 OS threads are over when the program reports"))
    }
}

#[test]
fn a_program_reports_when_every_os_thread_of_the_world_is_over() {
    let policy = "floating".parse().expect("a policy");
    let launch = Launch { nodes: 2, processors: 2, ..Launch::new(Job::new::<Leaving>(()), policy) };
    let report = Local::new().run(&launch).expect("the run ends well").report;
    assert!(report.verified(), "{report:?}");
}
