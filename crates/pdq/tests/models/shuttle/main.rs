//! The queue's own sources under `shuttle`, which runs long scripts under random schedules.
//!
//! This crate has the library's root in miniature: the same modules from the same files, around a [`sync`] of
//! instrumented atomics, locks and threads. `cfg!(test)` holds here, so blocks and claims are tiny (see `tuning`).
//!
//! * [`load`]: scripts with all kinds of keys, servers and ends of a handler.
//! * [`watch`]: the properties of every run.
//! * [`mutants`]: faults on purpose, each of which a script must notice.
//!
//! Half of the schedules are uniformly random, half of them by PCT, which is good at faults that need a few switches at
//! the right places. They are the same every time; `PDQ_SEED=7` takes others, `PDQ_DOSE=full` ten times as many,
//! in minutes. A script that fails prints its schedule as a string of several lines, and runs under it again by
//!
//! ```text
//! PDQ_REPLAY='91040f...' cargo test -p tradewind-pdq --test models_shuttle load::mixed
//! ```

#[path = "../faults.rs"]
mod faults;
mod load;
mod mutants;
mod sync;
mod watch;

/// The parts of the library's root that a queue needs.
#[allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "the library exports, and uses, more than is used here"
)]
#[path = "../../../src"]
mod src {
    pub(crate) mod key;
    pub(crate) mod keyed;
    pub(crate) mod lawful;
    pub(crate) mod prefetch;
    pub(crate) mod proof;
    pub(crate) mod queue;
    pub(crate) mod spread;
    pub(crate) mod statistics;
}

use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};

use src::key::{Key, UserKey};
use src::lawful::Lawful;
use src::prefetch;
use src::proof::{DispatcherId, Held, Identity, Proof};
use src::queue::{self, Queue};
use src::spread;
use src::statistics::Statistics;

/// Runs the script under a thousand schedules.
fn explore(script: fn()) {
    if let Ok(schedule) = std::env::var("PDQ_REPLAY") {
        return shuttle::replay(script, &schedule);
    }
    let seed = std::env::var("PDQ_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1999);
    let schedules = if faults::full_dose() { 10_000 } else { 1_000 };
    let run = |scheduler: Box<dyn Scheduler + Send>| {
        let mut config = shuttle::Config::new();
        config.stack_size = 1 << 18;
        config.max_steps = shuttle::MaxSteps::FailAfter(5_000_000);
        shuttle::Runner::new(scheduler, config).run(script)
    };
    run(Box::new(RandomScheduler::new_from_seed(seed, schedules / 2)));
    for depth in [2, 4] {
        run(Box::new(PctScheduler::new_from_seed(seed, depth, schedules / 4)));
    }
}
