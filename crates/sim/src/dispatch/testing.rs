//! Processors, messages and queues for tests with pencil and paper.

use hardware::EventQueue;
use machine::Class;
use pdq::DispatcherId;
use pdq::specification::Config;
use tempest::Block;
use tempest::world::{DispatchKey, Name};

use super::events::{Arrived, Events};
use crate::processor::core::{Activity, Core};
use crate::testing::ns;

/// A processor that runs a thread.
pub(super) fn computing() -> Activity {
    Activity::Thread(0)
}

/// A processor that has been idle since `since` nanoseconds.
pub(super) fn idle(since: u64) -> Activity {
    Activity::Idle { since: ns(since) }
}

/// The computing processors of a node, with the activity of each.
pub(super) fn node<const N: usize>(activities: [Activity; N]) -> [Core; N] {
    let mut number = 0;
    activities.map(|activity| {
        let mut core = Core::new(0, number, false, 0);
        core.begin(activity);
        number += 1;
        core
    })
}

/// A key, different for each number.
pub(super) fn key(number: u32) -> DispatchKey {
    DispatchKey::User(Name::of(Block(number)))
}

/// A message of a class with a key, from node 1.
pub(super) fn message(flight: u32, number: u32, class: Class) -> Arrived {
    Arrived { at: ns(0), flight, key: key(number), source: 1, class }
}

/// An empty set of events, whose queue dispatches one at a time.
pub(super) fn events() -> Events {
    with(Config { serial: true, ..Config::default() })
}

/// An empty set of events, whose queue dispatches distinct keys in parallel.
pub(super) fn parallel_events() -> Events {
    with(Config::default())
}

fn with(config: Config) -> Events {
    Events::new(EventQueue::new(DispatcherId::fresh(), config))
}
