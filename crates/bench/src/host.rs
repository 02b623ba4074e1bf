//! The host: its cores, the round trip of a line between two of them, and load beside a measurement.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// A counter on lines of its own.
#[repr(align(128))]
struct Line(AtomicU64);

/// Pins this OS thread to core `index` of its cores, if it has as many.
///
/// # Panics
/// If Linux refuses.
pub fn pin(index: usize) {
    let allowed = sched_getaffinity(None).expect("Linux says where a thread may run");
    if let Some(core) = (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core)).nth(index) {
        let mut set = CpuSet::new();
        set.set(core);
        sched_setaffinity(None, &set).expect("a thread may run on one of its cores alone");
    }
}

/// Lets two OS threads on two cores pass a number back and forth over a line each way, `trips` times. Returns nanoseconds per round trip.
///
/// # Panics
/// If Linux refuses to pin a thread.
pub fn raw_round_trip(trips: u64) -> f64 {
    let (there, back) = (Line(AtomicU64::new(0)), Line(AtomicU64::new(0)));
    let await_number = |line: &Line, number| {
        while line.0.load(Ordering::Acquire) != number {
            spin_loop();
        }
    };
    let elapsed = std::thread::scope(|scope| {
        scope.spawn(|| {
            pin(1);
            for number in 1..=trips {
                await_number(&there, number);
                back.0.store(number, Ordering::Release);
            }
        });
        let timed = scope.spawn(|| {
            pin(0);
            let start = Instant::now();
            for number in 1..=trips {
                there.0.store(number, Ordering::Release);
                await_number(&back, number);
            }
            start.elapsed()
        });
        timed.join().expect("the ping-pong ends")
    });
    elapsed.as_nanos() as f64 / trips as f64
}

/// Runs `body` beside `loops` busy loops, which end with it, also if it panics.
pub fn beside<R>(loops: usize, body: impl FnOnce() -> R) -> R {
    /// Ends the loops when it is dropped.
    struct End<'a>(&'a AtomicBool);
    impl Drop for End<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _end = End(&over);
        for _ in 0..loops {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    spin_loop();
                }
            });
        }
        body()
    })
}
