//! Tests of the largest numbers that can be written: each is refused or accepted, without wrapping around.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tempest::{NodeId, Thread};
use tradewind_native::Local;

use crate::kit::{Play, Stage};

/// The largest possible number of processors, and the processors that a policy adds.
#[test]
fn processors_are_added_without_wrapping_around() {
    let asked =
        [(u32::MAX, "hurricane-1:2"), (u32::MAX, "floating+keyed+helper"), (u32::MAX - 1, "hurricane-1:4")];
    for (processors, policy) in asked {
        Play::new(policy, 1, processors, 1).run().refused_with("more than 4096 processors");
    }
}

fn greet(_: &Stage, thread: &Thread<'_>) {
    for node in 0..thread.nodes() {
        thread.send(NodeId(node), Stage::note(0, 0, 0, 0));
    }
}

/// A window of any size is accepted and never fills.
#[test]
fn windows_have_any_size() {
    for window in [1, u64::MAX - 1, u64::MAX] {
        Play::new("single", 2, 1, 1).world(Local::with_depths(2048, window)).main(greet).run().well();
    }
}

/// Rings larger than memory are made as deep as memory allows.
#[test]
fn rings_are_no_deeper_than_memory_allows() {
    for slots in [1 << 40, 1 << 62, 1 << 63] {
        Play::new("single", 2, 1, 1).world(Local::with_depths(slots, 8)).main(greet).run().well();
    }
}

/// The maximum number of processors of a world, all on one node.
#[test]
fn thousands_of_processors_of_one_node_end_soon() {
    let play = Play::new("floating", 1, 4000, 1).main(|stage, thread| {
        stage.tally.sent.fetch_add(1, Ordering::Relaxed);
        thread.send(thread.node(), Stage::note(0, 0, 0, 0));
    });
    let play = play.handle(|stage, _, _, _| _ = stage.tally.handled.fetch_add(1, Ordering::Relaxed));
    play.run().within(Duration::from_secs(20)).well();
}
