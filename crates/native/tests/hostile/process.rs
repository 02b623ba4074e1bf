//! Tests of programs that act on their process: they end it, abort it, or start others.

use std::process::{Command, exit};
use std::time::Duration;

use crate::POLICIES;
use crate::kit::alone::alone;
use crate::kit::{Play, Stage};

/// Sends to the next node, whose handler runs `deed`; all threads wait for that.
fn in_a_handler(policy: &str, deed: impl Fn() + Send + Sync + 'static) -> Play {
    let play = Play::new(policy, 2, 3, 1).main(|stage, thread| {
        if thread.node().0 == 0 && thread.index() == 0 {
            thread.send(thread.next_node(), Stage::note(1, 0, 0, 0));
        }
        if thread.node().0 == 1 {
            thread.wait(&stage.event, 1);
        }
    });
    play.handle(move |stage, _, _, cx| {
        deed();
        cx.signal(&stage.event, 1);
    })
}

/// The process ends at once, with the program's code, whatever all other threads and processors do.
#[test]
fn a_program_may_exit() {
    let death = alone("process::a_program_may_exit", || {
        let play = Play::new("floating+keyed", 2, 3, 2).main(|stage, thread| {
            if thread.node().0 == 1 && thread.index() == 0 {
                exit(7);
            }
            thread.wait(&stage.event, 1);
        });
        play.run().well();
    });
    assert_eq!(death.status.code(), Some(7), "{}", death.said);
}

#[test]
fn a_handler_may_exit() {
    let death = alone("process::a_handler_may_exit", || {
        in_a_handler("single", || exit(8)).run().well();
    });
    assert_eq!(death.status.code(), Some(8), "{}", death.said);
}

/// Threads and handlers start processes and wait for them as anywhere: their OS threads stay where they are.
#[test]
fn threads_and_handlers_start_processes() {
    let works = || assert!(Command::new("true").status().expect("`true` can be run").success());
    for policy in POLICIES {
        in_a_handler(policy, works).run().within(Duration::from_secs(20)).well();
        Play::new(policy, 2, 3, 1).main(move |_, _| works()).run().within(Duration::from_secs(20)).well();
    }
}
