//! The library's own sources under `loom`, which tries every schedule, up to a number of preemptions, and every value that the
//! memory model lets a load return. Events, and tags and faults of shared memory, are `tempest`'s: this is the world that uses
//! all of it.
//!
//! * [`downgrades`]: taking a right away from processors that compute.
//! * [`endings`]: quiescence detection.
//! * [`events`]: waiting for an event, and waking the waiting thread.
//! * [`lanes`]: outboxes, credits, and acknowledgements that a node owes.
//! * [`lines`]: the ring between two nodes.
//! * [`phases`]: the entry of all threads into a timed region.
//! * [`receivers`]: which processor of a node takes messages out.
//! * [`sleepers`]: sleep, wake-ups, and the work left to a helper.
//!
//! `NATIVE_DOSE=full` allows one preemption more, up to a minute for each scenario. A scenario must detect each fault that the source names
//! by `mutated!`. A fault is turned on in a separate process, by `NATIVE_FAULT`. To see the effect of one by hand:
//!
//! ```text
//! NATIVE_FAULT=answer-relaxed cargo test -p tradewind-native --test models downgrades::one_that_polls
//! ```

#[path = "../../src/padding.rs"]
mod padding;
#[path = "../../src/control"]
mod control {
    pub(crate) mod quiescence;
}
mod downgrades;
mod endings;
#[allow(dead_code, unreachable_pub, reason = "the library uses the rest, and exports it")]
#[path = "../../../tempest/src/data/event.rs"]
mod event;
mod events;
#[path = "../../../tempest/src/memory/faults.rs"]
mod faults;
mod fences;
mod lanes;
mod lines;
#[path = "../../src/lock.rs"]
mod lock;
#[allow(dead_code, reason = "the library uses the rest")]
#[path = "../../../pdq/src/queue/padded.rs"]
mod padded;
#[path = "../../../pdq/tests/models/loom/parking.rs"]
mod parking;
#[allow(dead_code, unreachable_pub, reason = "the library uses the rest, and exports it")]
#[path = "../../src/parts"]
mod parts {
    pub(crate) mod attendance;
    pub(crate) mod barrier;
    pub(crate) mod changes;
    pub(crate) mod gauge;
    pub(crate) mod parker;
    pub(crate) mod receive_lock;
    pub(crate) mod requests;
    pub(crate) mod set_aside;
    pub(crate) mod threads;
    pub(crate) mod tuning;
}
mod phases;
#[path = "../../../tempest/src/plain"]
mod plain {
    pub(crate) mod names;
}
mod receivers;
#[allow(dead_code, reason = "the library uses the rest")]
#[path = "../../src/rings"]
mod rings {
    pub(crate) mod backlog;
    pub(crate) mod bounds;
    pub(crate) mod channel;
    pub(crate) mod consumer;
    pub(crate) mod lane;
    pub(crate) mod message;
    pub(crate) mod outbox;
    pub(crate) mod producer;
    pub(crate) mod receiver;
    pub(crate) mod ring;
    pub(crate) mod sender;
    pub(crate) mod tuning;
    pub(crate) mod windows;
}
mod sleep;
mod sleepers;
#[allow(unreachable_pub, reason = "the library exports it")]
#[path = "../../../pdq/src/queue/steps.rs"]
mod steps;
mod sync;
#[allow(dead_code, reason = "the library uses the rest")]
#[path = "../../../tempest/src/memory/tags.rs"]
mod tags;
mod words;

use std::process::{Command, Stdio};
use std::time::Duration;

use sync::Fenced;
use tempest::{Block, NodeId, Right, Tag, Waiter};

fn explore(scenario: impl Fn() + Sync + Send + 'static) {
    explore_up_to(2, scenario);
}

/// Explores a scenario with sequentially consistent accesses, with their fences in either place.
fn explore_ordered(preemptions: usize, scenario: impl Fn() + Sync + Send + Copy + 'static) {
    for place in [Fenced::Before, Fenced::BehindWrites] {
        sync::have_fences(place);
        explore_up_to(preemptions, scenario);
    }
}

/// Explores a scenario up to `preemptions` preemptions, and in a full dose one more.
fn explore_up_to(preemptions: usize, scenario: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    let full = std::env::var("NATIVE_DOSE").is_ok_and(|dose| dose == "full");
    model.preemption_bound = Some(preemptions + usize::from(full));
    model.max_duration = full.then_some(Duration::from_secs(60));
    model.max_branches = 10_000;
    model.check(scenario);
}

/// The faults of all parts.
const ALL_FAULTS: &[&[(&str, &str)]] = &[
    downgrades::FAULTS,
    endings::FAULTS,
    events::FAULTS,
    lanes::FAULTS,
    lines::FAULTS,
    phases::FAULTS,
    receivers::FAULTS,
    sleepers::FAULTS,
];

/// Each scenario is a test of its own, which passes without a fault. A fault with a wrong scenario name would go undetected.
#[test]
fn faults_are_noticed() {
    let this = std::env::current_exe().unwrap();
    for (fault, scenario) in ALL_FAULTS.iter().copied().flatten() {
        let mut run = Command::new(&this);
        run.args([scenario, "--exact"]).env("NATIVE_FAULT", fault).env_remove("NATIVE_DOSE");
        let noticed = !run.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success();
        assert!(noticed, "`{scenario}` does not notice the fault `{fault}`");
    }
}
