//! Tests that the promises of shared memory detect faults of the native world on real threads.
//!
//! This crate has the library's root once more, the same modules from the same files, around a [`sync`] that turns faults on.
//! A fault is on in the whole process: this test has a `main` of its own, which runs nothing beside it. Each part of it runs a promise again and again until it is broken: that takes the schedules in which the fault matters, a second
//! or two on a host with two cores, and longer where those are busy.

#![allow(dead_code, unreachable_pub, reason = "the library exports, and uses, more than is used here")]
#![allow(unused_imports, reason = "the library's own tests are no tests here")]

#[path = "../../src/api.rs"]
mod api;
#[path = "../../src/clock.rs"]
mod clock;
#[path = "../../src/control/mod.rs"]
mod control;
#[path = "../../src/dispatch/mod.rs"]
mod dispatch;
#[path = "../../src/fences.rs"]
mod fences;
#[path = "../../src/link/mod.rs"]
mod link;
mod litmus;
#[path = "../../src/lock.rs"]
mod lock;
#[path = "../../src/measure/mod.rs"]
mod measure;
#[path = "../../src/memory/mod.rs"]
mod memory;
#[path = "../../src/padding.rs"]
mod padding;
#[path = "../../src/parts/mod.rs"]
mod parts;
#[path = "../../src/processor/mod.rs"]
mod processor;
#[path = "../../src/rings/mod.rs"]
mod rings;
#[path = "../../src/runner/mod.rs"]
mod runner;
#[path = "../../src/sleep.rs"]
mod sleep;
mod sync;
#[path = "../../src/words.rs"]
mod words;
#[path = "../../src/world.rs"]
mod world;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use conformance::Setting;
use sync::Ordering;
use world::Local;

/// Each fault, and the policies under which it is looked for.
const FAULTS: &[(&str, &[&str])] = &[
    // The asker goes on at once, while another processor is between a test and its access.
    ("nobody-is-awaited", &["fixed:2", "floating"]),
    // An invalidation is lost: the node keeps its right.
    ("right-is-kept", &["single", "fixed:1", "floating+keyed"]),
];

/// Time limit for the detection of a fault.
const PATIENCE: Duration = Duration::from_secs(60);

/// Rounds of each thread per run.
const ROUNDS: u64 = 100_000;

/// Whether the tested promise is kept under a policy, with the fewest processors that can break it.
fn is_kept(policy: &str) -> bool {
    let processors = if policy.ends_with(":2") { 3 } else { 2 };
    let policy = policy.parse().expect("a policy of this host");
    let setting = Setting { world: &Local::new(), policy: &policy, nodes: 2, processors };
    let promise = || conformance::rights_outlast_their_accesses_for(&setting, ROUNDS);
    catch_unwind(AssertUnwindSafe(promise)).is_ok()
}

/// Runs `f` while a fault is on.
fn with_fault<R>(fault: &str, f: impl FnOnce() -> R) -> R {
    sync::ON.store(sync::number(fault), Ordering::Relaxed);
    let result = f();
    sync::ON.store(0, Ordering::Relaxed);
    result
}

fn expect_noticed(fault: &str, policy: &str) {
    let start = Instant::now();
    let goes = with_fault(fault, || {
        let kept = std::iter::repeat_with(|| is_kept(policy)).take_while(|kept| *kept);
        kept.take_while(|_| start.elapsed() < PATIENCE).count()
    });
    assert!(start.elapsed() < PATIENCE, "`{fault}` goes unnoticed under {policy} in {goes} goes");
    assert!(with_fault("none", || is_kept(policy)), "without the fault the promise is kept");
}

fn main() {
    for (fault, policies) in FAULTS {
        policies.iter().for_each(|policy| expect_noticed(fault, policy));
    }
    litmus::a_lost_invalidation_is_seen();
}
