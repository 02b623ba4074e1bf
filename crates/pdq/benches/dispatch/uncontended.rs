//! Cost of one item on one thread without contention.

use std::hint::black_box;
use std::time::Instant;

use tradewind_pdq::{DispatcherId, Key, Serial};

use crate::ours;
use tradewind_bench::median;

/// Nanoseconds of each.
#[derive(Debug)]
pub(crate) struct Uncontended {
    /// To enqueue an item, dispatch it and complete it, as a worker.
    pub(crate) worker: f64,
    /// To enqueue an item, dispatch it and complete it, with a guard.
    pub(crate) guard: f64,
    /// To hold a key at the dispatcher in serial order.
    pub(crate) hold: f64,
}

/// Nothing but round trips, their answer checked.
pub(crate) fn trips(count: u64, make: fn(u64) -> u64) {
    let expected = (0..count).fold(0_u64, u64::wrapping_add);
    assert_eq!(make(count), expected, "every item is handled once");
}

pub(crate) fn measure(rounds: usize) -> Uncontended {
    eprintln!("uncontended");
    let each = |what: &dyn Fn()| {
        let times: Vec<_> = (0..rounds).map(|_| nanoseconds(what)).collect();
        median(&times)
    };
    Uncontended {
        worker: each(&|| trips(TRIPS, ours::uncontended)),
        guard: each(&|| trips(TRIPS, ours::uncontended_guards)),
        hold: each(&|| holds(TRIPS)),
    }
}

const TRIPS: u64 = 1_000_000;

/// Nanoseconds per trip.
fn nanoseconds(trips: &dyn Fn()) -> f64 {
    let start = Instant::now();
    trips();
    start.elapsed().as_nanos() as f64 / TRIPS as f64
}

fn holds(count: u64) {
    let mut serial = Serial::new(DispatcherId::fresh());
    for key in 0..count {
        let proof = serial.hold(Key::User(black_box(key)));
        assert_eq!(black_box(proof.key()), Key::User(key), "the proof is of the key that is held");
    }
}
