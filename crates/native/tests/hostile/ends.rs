//! Tests of endings: panics that threads catch, destructors that use the world during unwinding, threads that never return.
//!
//! The promises of every world about these are in `conformance` (`unwinding`). Here they are tested against the host's clock, under every
//! policy, without a stall limit.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use tempest::{Handler, Key, NodeId, Thread};

use crate::POLICIES;
use crate::kit::{Note, Play, Stage};

/// A run that is over returns within a second or so. This is generous: the host may be busy.
const SOON: Duration = Duration::from_secs(5);

/// Panic message of the handlers here.
const WORDS: &str = "a panic of a handler";

/// Kind of the message whose handler panics.
const BOOM: u64 = 9;

fn handle(_: &Stage, note: Note, _: &[u64], _: &mut Handler<'_>) {
    assert!(note.kind != BOOM, "{WORDS}");
}

/// Sends node 1 the message whose handler panics.
fn boom(thread: &Thread<'_>) {
    thread.send(NodeId(1), Stage::note(1, BOOM, 0, 0));
}

/// Calls `call` until the world gives the thread up, and catches every panic of it.
fn catch_all(call: impl Fn()) {
    loop {
        let _ = catch_unwind(AssertUnwindSafe(&call));
    }
}

#[test]
fn a_handlers_panic_is_not_lost_in_a_thread_that_catches_it() {
    type Call = fn(&Stage, &Thread<'_>);
    let calls: [Call; 3] = [
        |_, thread| thread.poll(),
        |_, thread| thread.spin(),
        |_, thread| {
            thread.hold(Key::User(1), |_| ());
            thread.poll();
        },
    ];
    for policy in POLICIES {
        for call in calls {
            let main = move |stage: &Stage, thread: &Thread<'_>| {
                if thread.node() == NodeId(1) {
                    catch_all(|| call(stage, thread));
                } else if thread.index() == 0 {
                    boom(thread);
                }
            };
            Play::new(policy, 2, 3, 1).main(main).handle(handle).run().within(SOON).fails_with(WORDS);
        }
    }
}

#[test]
fn a_panic_in_a_hold_is_not_lost_in_a_thread_that_catches_it() {
    for policy in POLICIES {
        let main = |stage: &Stage, thread: &Thread<'_>| {
            if thread.node() == NodeId(1) && thread.index() == 0 {
                let hold = || thread.hold(Key::User(1), |_| panic!("a panic in a hold"));
                assert!(catch_unwind(AssertUnwindSafe(hold)).is_err());
                thread.send(NodeId(1), Stage::note(1, 0, 0, 0));
                thread.wait(&stage.event, 1);
            }
        };
        let ended = Play::new(policy, 2, 3, 1).main(main).handle(handle).run();
        ended.within(SOON).fails_with("a panic in a hold");
    }
}

/// Calls its function when it is dropped.
struct Guard<F: FnMut()>(F);

impl<F: FnMut()> Drop for Guard<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Actions of a destructor on the world.
const DEEDS: [fn(&Stage, &Thread<'_>); 6] = [
    |_, thread| thread.poll(),
    |stage, thread| thread.wait(&stage.event, 1),
    |_, thread| (0..10_000).for_each(|_| thread.send(NodeId(0), Stage::empty())),
    |_, thread| thread.hold(Key::User(1), |_| ()),
    |stage, thread| (0..100).for_each(|_| thread.deposit(NodeId(0), stage.segment.place(0), &[1])),
    |_, thread| thread.phase("never"),
];

#[test]
fn destructors_that_use_a_failed_world_take_nothing_with_them() {
    for policy in POLICIES {
        for deed in DEEDS {
            let main = move |stage: &Stage, thread: &Thread<'_>| {
                let _guard = Guard(|| deed(stage, thread));
                if thread.node() == NodeId(0) && thread.index() == 0 {
                    boom(thread);
                }
                thread.wait(&stage.event, 1);
            };
            Play::new(policy, 2, 3, 2).main(main).handle(handle).run().within(SOON).fails_with(WORDS);
        }
    }
}

#[test]
fn destructors_that_use_a_deadlocked_world_leave_its_report_exact() {
    for policy in POLICIES {
        for deed in DEEDS {
            let main = move |stage: &Stage, thread: &Thread<'_>| {
                let _guard = Guard(|| deed(stage, thread));
                thread.wait(&stage.event, 1);
            };
            let threads =
                Play::new(policy, 2, 3, 1).main(main).handle(handle).run().within(SOON).deadlocked();
            assert!(threads.len() >= 2 && threads.len().is_multiple_of(2), "{policy}: {threads:?}");
        }
    }
}

#[test]
fn a_thread_that_panics_with_such_a_guard_fails_with_its_own_words() {
    for policy in POLICIES {
        for deed in DEEDS {
            let main = move |stage: &Stage, thread: &Thread<'_>| {
                let _guard = Guard(|| deed(stage, thread));
                assert!(thread.node() == NodeId(0), "a panic of a thread");
                thread.wait(&stage.event, 1);
            };
            let ended = Play::new(policy, 2, 3, 1).main(main).handle(handle).run();
            ended.within(SOON).fails_with("a panic of a thread");
        }
    }
}

/// The key is held when the destructor asks for it: it waits in turn, and the run goes on.
#[test]
fn a_destructor_waits_for_a_key_that_another_one_has() {
    for policy in ["floating+keyed", "floating", "fixed:1"] {
        let main = |stage: &Stage, thread: &Thread<'_>| {
            for _ in 0..50 {
                thread.send(thread.node(), Stage::note(1, 0, 0, 0));
                let panics = catch_unwind(AssertUnwindSafe(|| {
                    let _guard = Guard(|| {
                        thread.hold(Key::User(1), |cx| cx.with(&stage.table, |entry, _| *entry += 1));
                    });
                    panic!("a panic that is caught");
                }));
                assert!(panics.is_err());
            }
        };
        Play::new(policy, 2, 3, 1).main(main).handle(handle).run().within(SOON).well();
    }
}

#[test]
fn threads_that_catch_their_own_end_for_ever_do_not_keep_their_run() {
    for policy in POLICIES {
        let main = |stage: &Stage, thread: &Thread<'_>| catch_all(|| thread.wait(&stage.event, 1));
        Play::new(policy, 2, 3, 1).main(main).run().within(SOON).deadlocked();
        let main = |stage: &Stage, thread: &Thread<'_>| {
            catch_all(|| {
                boom(thread);
                thread.wait(&stage.event, 1);
            });
        };
        Play::new(policy, 2, 3, 1).main(main).handle(handle).run().within(SOON).fails_with(WORDS);
    }
}

/// A destructor that computes is left behind when the world is over, for any reason.
#[test]
fn a_destructor_that_computes_is_left_behind() {
    let computes = |_: &Stage, _: &Thread<'_>| std::thread::sleep(2 * SOON);
    for deadlocks in [true, false] {
        let main = move |stage: &Stage, thread: &Thread<'_>| {
            let _guard = Guard(|| computes(stage, thread));
            if !deadlocks && thread.node() == NodeId(0) {
                boom(thread);
            }
            thread.wait(&stage.event, 1);
        };
        let ended = Play::new("single", 2, 1, 1).main(main).handle(handle).run().within(SOON);
        if deadlocks {
            assert_eq!(ended.deadlocked().len(), 2);
        } else {
            ended.fails_with(WORDS);
        }
    }
}

/// A panic payload of a handler may panic itself when it is dropped.
#[test]
fn a_panic_that_panics_is_told() {
    struct Spiteful;
    impl Drop for Spiteful {
        fn drop(&mut self) {
            panic!("a panic of a panic");
        }
    }
    for policy in ["single", "floating+keyed", "fixed:1"] {
        let main = |_: &Stage, thread: &Thread<'_>| {
            if thread.node() == NodeId(0) && thread.index() == 0 {
                boom(thread);
            }
            catch_all(|| thread.spin());
        };
        let panics = |_: &Stage, _: Note, _: &[u64], _: &mut Handler<'_>| std::panic::panic_any(Spiteful);
        let ended = Play::new(policy, 2, 3, 1).main(main).handle(panics).run();
        ended.within(SOON).fails_with("(without a message)");
    }
}
