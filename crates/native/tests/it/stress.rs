//! Stress tests of real threads: too few cores, full rings, sudden ends.

use std::time::{Duration, Instant};

use crate::POLICIES;
use crate::load::{Baton, Boom, Hopeless, Overflow, SHORT_LIMIT, Starved, fetch_add, launch};
use conformance::Setting;
use tempest::outcome::Failure;
use tempest::world::{Launch, World};
use tradewind_native::Local;
use units::Time;

/// Time limit: more than a run takes on the slowest host.
const PROMPTLY: Duration = Duration::from_secs(5);

#[test]
fn four_nodes_share_few_cores() {
    for (policy, processors) in [("single", 2), ("fixed:1", 2), ("fixed:1+interrupt", 2), ("floating", 2)] {
        for world in [Local::new(), Local::with_depths(2, 3)] {
            let outcome = world.run(&fetch_add(policy, 4, processors, 2, 800)).unwrap();
            assert!(outcome.report.verified(), "{policy}: {:?}", outcome.report.failures);
        }
    }
}

/// A processor with a core of its own looks for work for long before it sleeps, and has to stop in the end.
#[test]
fn processors_of_one_node_with_a_core_each_come_to_an_end() {
    for policy in ["floating", "floating+keyed", "adaptive", "adaptive+serial", "fixed:1"] {
        for world in [Local::new(), Local::with_depths(2, 3), Local::new().restless()] {
            let outcome = world.run(&fetch_add(policy, 1, 2, 2, 800)).unwrap();
            assert!(outcome.report.verified(), "{policy}: {:?}", outcome.report.failures);
        }
    }
}

#[test]
fn a_hundred_short_runs_end_each() {
    let _alone = crate::alone();
    for policy in POLICIES {
        for run in 0..100 {
            let world = if run % 2 == 0 { Local::new() } else { Local::with_depths(2, 3) };
            let outcome = world.run(&fetch_add(policy, 2, 3, 1, 10));
            let outcome = outcome.unwrap_or_else(|failure| panic!("{policy}, run {run}: {failure}"));
            assert!(outcome.report.verified(), "{policy}, run {run}: {:?}", outcome.report.failures);
        }
    }
}

#[test]
fn holds_and_handlers_of_a_key_exclude_each_other_again_and_again() {
    for text in ["fixed:2", "partitioned:2", "floating+keyed"] {
        for world in [Local::new(), Local::with_depths(2, 3)] {
            let policy = text.parse().unwrap();
            let setting = Setting { world: &world, policy: &policy, nodes: 2, processors: 4 };
            for _ in 0..5 {
                conformance::holds_exclude_handlers(&setting);
                conformance::equal_keys_exclude(&setting);
                conformance::order_across_holds(&setting);
            }
        }
    }
}

/// A send that is refused may have moved the outbox into the ring, and then has to wake the receiver.
#[test]
fn a_refused_send_wakes_whom_the_outbox_went_to() {
    for policy in ["single", "floating", "fixed:1"] {
        let outcome = Local::with_depths(2, 3).run(&launch::<Starved>(policy, 2, 2, 1, ()));
        outcome.unwrap_or_else(|failure| panic!("{policy}: {failure}"));
    }
}

#[test]
fn a_deadlock_is_told_thread_by_thread() {
    for policy in POLICIES {
        let Err(Failure::Deadlock { at, blocked }) =
            Local::new().run(&launch::<Hopeless>(policy, 2, 3, 3, ()))
        else {
            panic!("{policy}: expected a deadlock")
        };
        assert!(blocked.iter().all(|one| one.since <= at), "{policy}: {blocked:?}");
        let told: Vec<_> =
            blocked.iter().map(|one| (one.thread.node.0, one.thread.index, one.waits_for.as_str())).collect();
        let event = "event `stress.hope`: waiting for 2, at 1 when the wait began";
        let phase = "phase `stress.together`";
        assert_eq!(told.len(), 4, "{policy}: {told:?}");
        for (node, two) in told.chunks(2).enumerate() {
            assert_eq!(two[0], (node as u32, 0, event), "{policy}");
            assert_eq!((two[1].0, two[1].1), (node as u32, 1), "{policy}");
            assert!(two[1].2.starts_with(phase) && two[1].2.contains(": 2 of "), "{policy}: {:?}", two[1]);
        }
    }
}

#[test]
fn a_panic_ends_the_run_of_those_who_sleep_and_of_those_who_poll() {
    for policy in POLICIES {
        let polls = policy.starts_with("single") || policy.starts_with("floating");
        let start = Instant::now();
        match Local::new().run(&launch::<Boom>(policy, 3, 3, 2, polls)) {
            Err(Failure::Program(what)) => assert!(what.contains("deliberate"), "{policy}: {what}"),
            other => panic!("{policy}: expected the program's failure, got {other:?}"),
        }
        assert!(start.elapsed() < PROMPTLY, "{policy}: {:?}", start.elapsed());
    }
}

#[test]
fn threads_that_only_signal_each_other_are_not_stalled() {
    let _alone = crate::alone();
    let stall_limit = Some(Time::from_nanoseconds(SHORT_LIMIT.as_nanos() as u64));
    let launch = Launch { stall_limit, ..launch::<Baton>("floating", 1, 2, 1, ()) };
    Local::new().run(&launch).unwrap();
}

/// A server falls asleep only after it has announced that and then looked at the outboxes once more.
#[test]
fn an_outbox_that_a_hold_fills_is_moved_on() {
    for policy in ["fixed:1+interrupt", "fixed:1", "fixed:2+interrupt"] {
        let processors = if policy.starts_with("fixed:2") { 3 } else { 2 };
        let outcome = Local::with_depths(2, 3).run(&launch::<Overflow>(policy, 2, processors, 1, 1_000));
        outcome.unwrap_or_else(|failure| panic!("{policy}: {failure}"));
    }
}

/// Few blocks and frames, many threads, tagged values.
fn shared_memory_under_load(rounds: u32) {
    for (policies, processors) in [(POLICIES, 3), (&["floating", "fixed:1"], 4)] {
        for text in policies {
            let policy = text.parse().expect("a policy of this host");
            let setting = Setting { world: &Local::new(), policy: &policy, nodes: 2, processors };
            conformance::shared_memory_stress(&setting, rounds);
            conformance::rights_outlast_their_accesses_for(&setting, u64::from(rounds) * 100);
        }
    }
}

#[test]
fn shared_memory_holds_under_load() {
    let _alone = crate::alone();
    shared_memory_under_load(40);
}

/// `cargo test --release -p tradewind-native --test it full_dose -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn shared_memory_holds_under_load_full_dose() {
    shared_memory_under_load(120_000);
}
