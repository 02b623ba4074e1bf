//! Tests of worlds beside worlds, inside worlds, and after failed worlds: none affects another.

use std::panic::panic_any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tempest::NodeId;
use tradewind_native::Local;

use crate::POLICIES;
use crate::flood::{self, flood};
use crate::kit::{Play, Stage};

/// A small flood under any policy.
fn small(policy: &str) -> Play {
    let play = Play::new(policy, 2, 3, 2).world(Local::with_depths(8, 16));
    play.main(|stage, thread| flood(stage, thread, 100)).handle(flood::handle)
}

#[test]
fn worlds_run_beside_each_other() {
    std::thread::scope(|scope| {
        for policy in POLICIES {
            scope.spawn(|| small(policy).run().well());
        }
    });
}

#[test]
fn a_world_runs_inside_a_thread_of_another() {
    let outer = Play::new("single", 2, 1, 1).main(|_, _| {
        small("floating+keyed").run().well();
    });
    outer.run().well();
}

#[test]
fn a_world_runs_inside_a_handler_of_another() {
    let outer = Play::new("single", 2, 1, 1).main(|_, thread| thread.send(NodeId(1), Stage::empty()));
    let handled = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&handled);
    let outer = outer.handle(move |_, _, _, _| {
        small("single").run().well();
        count.fetch_add(1, Ordering::Relaxed);
    });
    outer.run().well();
    assert_eq!(handled.load(Ordering::Relaxed), 2);
}

/// A value that panics when it is dropped.
struct Spiteful;

impl Drop for Spiteful {
    fn drop(&mut self) {
        panic!("a payload's own panic");
    }
}

#[test]
fn a_panic_whose_payload_panics_ends_the_run() {
    for policy in POLICIES {
        let play = Play::new(policy, 2, 3, 1).main(|stage, thread| {
            if thread.node() == NodeId(0) && thread.index() == 0 {
                panic_any(Spiteful);
            }
            thread.wait(&stage.event, 1);
        });
        play.run().fails_with("panicked");
    }
}

/// A thread of node 0 never returns. The world is over when node 1 has failed, and the next world is not affected.
#[test]
fn a_world_that_failed_beside_a_thread_that_goes_on_leaves_the_next_one_alone() {
    for policy in ["single", "floating+keyed", "fixed:1"] {
        let play = Play::new(policy, 2, 2, 1).main(|stage, thread| {
            if thread.node() == NodeId(1) {
                std::thread::sleep(Duration::from_millis(50));
                panic!("the other node fails");
            }
            loop {
                // Neither of these calls tests whether the world is over.
                thread.signal(&stage.event, 1);
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        play.run().fails_with("the other node fails");
        small(policy).run().well();
    }
}

#[test]
fn a_node_has_ten_thousand_threads() {
    for policy in ["single", "floating"] {
        let play = Play::new(policy, 1, 2, 5_000).main(|stage, thread| {
            thread.signal(&stage.event, 1);
            thread.wait(&stage.event, thread.threads().into());
        });
        play.run().well();
    }
}
