//! A thread that loops without a call that takes modelled time: the watch over this host's time names it.

#![forbid(unsafe_code)]

use std::hint;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use tempest::outcome::{Failure, Running};
use tempest::*;
use tradewind_worlds::{HostLimit, Run, Target};
use units::Time;

/// Whether the watch has told of the thread, which then goes on.
static TOLD: AtomicBool = AtomicBool::new(false);

/// A thread looks at a count of its own and never gives its processor away, so that no message can come.
#[program]
struct Deaf {
    #[event]
    arrived: Event,
}

#[handlers]
impl Deaf {
    #[message]
    fn arrive(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.arrived, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        if thread.node() == NodeId(0) {
            return thread.send(NodeId(1), Self::arrive());
        }
        while !TOLD.load(Ordering::Relaxed) {
            hint::spin_loop();
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::checked(true, String::new)
    }
}

#[test]
fn a_thread_that_never_gives_its_processor_away_is_named_with_its_program() {
    let failure = Arc::new(Mutex::new(None));
    let tell = Arc::clone(&failure);
    let limit = HostLimit::new(Time::from_microseconds(200_000), move |failed| {
        *tell.lock().expect("nobody panics") = Some(failed);
        TOLD.store(true, Ordering::Relaxed);
    });
    let ideal = Target::find("ideal", &[]).expect("a shipped machine");
    let outcome = Run::of(&Deaf::ENTRY).on(ideal).nodes(2).processors(1).host_limit(limit).run();
    assert!(outcome.expect("the thread has gone on").report.verified());
    let failed = failure.lock().expect("nobody panics").take().expect("the watch told of it");
    assert_eq!(failed.program, "deaf");
    let thread = ThreadId { node: NodeId(1), index: 0 };
    assert!(
        matches!(failed.failure, Failure::Unresponsive { running: Running::Thread(one), .. } if one == thread),
        "{failed}"
    );
}
