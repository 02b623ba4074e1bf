//! Tests of programs that switch stacks themselves: a thread, a handler or the body of a hold suspends the fiber that it runs on; a thread
//! has fibers of its own.

use fiber::{Pool, Status};
use tempest::Key;

use crate::POLICIES;
use crate::kit::{Play, Stage};

const REFUSED: &str = "only its owner suspends: a thread gives its processor away by the methods of `Thread`";

#[test]
fn a_thread_that_suspends_its_fiber_is_told_so() {
    for policy in POLICIES {
        let play = Play::new(policy, 2, 3, 1).main(|_, thread| {
            if thread.node().0 == 0 {
                fiber::suspend();
            }
        });
        play.run().fails_with(REFUSED);
    }
}

#[test]
fn a_hold_that_suspends_its_fiber_is_told_so() {
    for policy in POLICIES {
        let play = Play::new(policy, 2, 3, 1).main(|_, thread| {
            if thread.node().0 == 0 {
                thread.hold(Key::User(1), |_| fiber::suspend());
            }
        });
        play.run().fails_with(REFUSED);
    }
}

/// The handler runs on the stack of a polling thread, or of a processor without one.
#[test]
fn a_handler_that_suspends_or_passes_the_turn_is_told_so() {
    for policy in POLICIES {
        for polls in [false, true] {
            let play = Play::new(policy, 2, 3, 1).main(move |stage, thread| {
                if thread.node().0 == 0 && thread.index() == 0 {
                    thread.send(thread.next_node(), Stage::note(1, u64::from(polls), 0, 0));
                }
                if polls {
                    loop {
                        thread.poll();
                    }
                }
                thread.wait(&stage.event, 1);
            });
            let play = play
                .handle(|_, note, _, _| if note.kind == 0 { fiber::suspend() } else { _ = fiber::pass(0) });
            play.run().fails_with("only its owner suspends");
        }
    }
}

/// A thread may use fibers that only it resumes.
#[test]
fn a_thread_may_run_fibers_of_its_own() {
    for policy in POLICIES {
        let play = Play::new(policy, 2, 3, 1).main(|_, thread| {
            // SAFETY: the body borrows nothing of a thread-local.
            let mut own = unsafe { Pool::new(1 << 16).spawn(fiber::suspend) }.expect("one more stack");
            assert_eq!(own.resume(), Status::Suspended);
            thread.poll();
            assert_eq!(own.resume(), Status::Finished);
        });
        play.run().well();
    }
}
