//! The queue's own sources under `loom`, which tries every schedule, up to a number of preemptions, and every value that
//! the memory model lets a load return.
//!
//! This crate has the library's root in miniature: the same modules from the same files, around a [`sync`] of
//! instrumented atomics, cells, locks and threads. `cfg!(test)` holds here, so blocks and claims are tiny (see `tuning`).
//!
//! * [`whole`]: scenarios of the whole queue, two or three threads.
//! * `components`: parts of it alone, where the whole has too many schedules.
//! * `barrier`: the gate and the lanes behind it.
//! * `taking`: the items of a seizure, and servers that break in.
//! * [`mutants`]: faults on purpose, each of which a scenario must notice.
//!
//! By default each scenario is explored with few preemptions, in seconds; `PDQ_DOSE=full` allows one more, as far as half a
//! minute for each go. A failing scenario fails the same way every time; to see its last schedule:
//!
//! ```text
//! LOOM_LOG=trace LOOM_LOCATION=1 LOOM_MAX_PREEMPTIONS=2 cargo test -p tradewind-pdq --test models_loom whole::two_workers -- --nocapture
//! ```

#![allow(clippy::duplicate_mod, reason = "the parts of the queue are here twice: in it, and alone")]

#[path = "../faults.rs"]
mod faults;
mod mutants;
mod parking;
mod sync;
mod whole;

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

/// The parts of a queue once more, with tests beside them, because they are private to it.
#[expect(dead_code, unreachable_pub, reason = "not all parts are used alone, and the library exports one")]
#[path = "../../../src/queue"]
mod parts {
    #[path = "../../tests/models/loom/barrier.rs"]
    mod barrier;
    #[path = "../../tests/models/loom/components.rs"]
    mod components;
    mod gate;
    mod idle;
    mod inbox;
    mod index;
    mod lane;
    mod latch;
    mod padded;
    mod room;
    mod steps;
    #[path = "../../tests/models/loom/taking.rs"]
    mod taking;
    mod tuning;
}

use std::time::Duration;

use src::key::{Key, UserKey};
use src::keyed::Keyed;
use src::lawful::Lawful;
use src::prefetch;
use src::proof::{DispatcherId, Held, Identity, Proof};
use src::queue::{self, Queue};
use src::spread;
use src::statistics::Statistics;
use sync::Loads;

/// Explores the schedules of `scenario` that need at most `preemptions` preemptions.
fn explore(preemptions: usize, scenario: fn()) {
    check(Loads::MayBeOld, dose(preemptions), scenario);
}

/// Explores the schedules of a larger scenario: many of them where loads return the newest value, fewer where relaxed ones may
/// return an old one, and fewer still where all may.
fn explore_whole(preemptions: usize, scenario: fn()) {
    for (loads, fewer) in [(Loads::Newest, 0), (Loads::RelaxedMayBeOld, 1), (Loads::MayBeOld, 3)] {
        if let Some(preemptions) = dose(preemptions).checked_sub(fewer) {
            check(loads, preemptions, scenario);
        }
    }
}

/// Adds one preemption in a full dose.
fn dose(preemptions: usize) -> usize {
    preemptions + usize::from(faults::full_dose())
}

fn check(loads: Loads, preemptions: usize, scenario: fn()) {
    sync::have_loads(loads);
    if std::env::var_os("LOOM_LOG").is_some() {
        // The only way to have `loom` log its steps; its own variables limit the exploration.
        return loom::model(scenario);
    }
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.max_duration = faults::full_dose().then_some(Duration::from_secs(30));
    model.max_branches = 10_000;
    model.check(scenario);
}
