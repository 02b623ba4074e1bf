//! Promises of fibers and pools, one test a promise.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use tradewind_fiber::{Crew, Fiber, Owner, Pool, Status, is_inside, pass, room, suspend};

const STACK: usize = 64 * 1024;

/// Steps of bodies and tests, in order.
type Log = Rc<RefCell<Vec<&'static str>>>;

/// Says so in the log when it is dropped.
struct Noisy(Log, &'static str);

impl Drop for Noisy {
    fn drop(&mut self) {
        self.0.borrow_mut().push(self.1);
    }
}

fn spawn(body: impl FnOnce() + 'static) -> Fiber {
    spawn_in(&Pool::new(STACK), body)
}

fn spawn_in(pool: &Pool, body: impl FnOnce() + 'static) -> Fiber {
    // SAFETY: no body here borrows anything of a thread-local across a suspension.
    unsafe { pool.spawn(body) }.expect("one stack")
}

#[test]
fn a_body_runs_piece_by_piece() {
    let log = Log::default();
    let inner = log.clone();
    let mut fiber = spawn(move || {
        inner.borrow_mut().push("first");
        suspend();
        inner.borrow_mut().push("second");
    });
    assert!(log.borrow().is_empty(), "a body runs at the first resume, not before");
    assert_eq!(fiber.resume(), Status::Suspended);
    log.borrow_mut().push("between");
    assert!(!fiber.is_finished());
    assert_eq!(fiber.resume(), Status::Finished);
    assert!(fiber.is_finished());
    assert_eq!(*log.borrow(), ["first", "between", "second"]);
}

#[test]
fn inside_is_inside_only() {
    assert!(!is_inside());
    let mut fiber = spawn(|| {
        assert!(is_inside());
        suspend();
        assert!(is_inside());
    });
    assert_eq!(fiber.resume(), Status::Suspended);
    assert!(!is_inside());
    assert_eq!(fiber.resume(), Status::Finished);
    assert!(!is_inside());
}

/// Suspends below a stack frame of `kib` KiB.
#[inline(never)]
fn suspend_below(kib: usize) -> usize {
    let frame = std::hint::black_box([0_u8; 1024]);
    if kib == 0 {
        suspend();
        return room().expect("inside") + usize::from(frame[7]);
    }
    suspend_below(kib - 1) + usize::from(std::hint::black_box(frame)[kib])
}

#[test]
fn a_fiber_knows_how_much_stack_is_left() {
    assert_eq!(room(), None);
    let seen = Rc::new(Cell::new(0));
    let inner = Rc::clone(&seen);
    let mut fiber = spawn(move || {
        let before = room().expect("inside");
        let left = suspend_below(16);
        assert!(before - left >= 16 * 1024 && left > 8 * 1024, "{before} and then {left}");
        inner.set(left);
    });
    // A page at most is colour.
    assert!((STACK..=STACK + 4096).contains(&(fiber.room() + 2 * size_of::<usize>())), "{}", fiber.room());
    assert_eq!(fiber.resume(), Status::Suspended);
    let left = fiber.room();
    assert_eq!(fiber.resume(), Status::Finished);
    assert!(left.abs_diff(seen.get()) < 4096, "{left} from outside, {} from inside", seen.get());
    assert_eq!((fiber.room(), room()), (0, None));
}

#[test]
#[should_panic(expected = "fiber::suspend was called outside a fiber")]
fn suspending_outside_a_fiber_panics() {
    suspend();
}

#[test]
#[should_panic(expected = "a finished fiber was resumed")]
fn resuming_a_finished_fiber_panics() {
    let mut fiber = spawn(|| ());
    assert_eq!(fiber.resume(), Status::Finished);
    let _ = fiber.resume();
}

#[test]
fn suspend_means_the_innermost_fiber() {
    let log = Log::default();
    let note = log.clone();
    let mut outer = spawn(move || {
        let inner_note = note.clone();
        let mut inner = spawn(move || {
            inner_note.borrow_mut().push("inner 1");
            suspend();
            inner_note.borrow_mut().push("inner 2");
        });
        assert_eq!(inner.resume(), Status::Suspended);
        note.borrow_mut().push("outer 1");
        suspend();
        assert_eq!(inner.resume(), Status::Finished);
        note.borrow_mut().push("outer 2");
        suspend();
    });
    assert_eq!(outer.resume(), Status::Suspended);
    log.borrow_mut().push("main");
    assert_eq!(outer.resume(), Status::Suspended);
    assert_eq!(outer.resume(), Status::Finished);
    assert_eq!(*log.borrow(), ["inner 1", "outer 1", "main", "inner 2", "outer 2"]);
}

#[test]
fn a_suspended_fiber_may_be_resumed_from_elsewhere() {
    let mut traveller = spawn(|| {
        suspend();
        suspend();
    });
    assert_eq!(traveller.resume(), Status::Suspended);
    let mut host = spawn(move || {
        assert_eq!(traveller.resume(), Status::Suspended);
        // Had the traveller kept the resumer it first knew, this would end up outside `host`.
        suspend();
        assert_eq!(traveller.resume(), Status::Finished);
    });
    assert_eq!(host.resume(), Status::Suspended);
    assert_eq!(host.resume(), Status::Finished);
}

#[test]
fn a_panic_leaves_by_resume_with_its_message() {
    let log = Log::default();
    let noisy = Noisy(log.clone(), "dropped");
    let mut fiber = spawn(move || {
        let _noisy = noisy;
        suspend();
        panic!("the reason");
    });
    assert_eq!(fiber.resume(), Status::Suspended);
    let panic = catch_unwind(AssertUnwindSafe(|| fiber.resume())).unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&"the reason"));
    assert_eq!(*log.borrow(), ["dropped"]);
    assert!(fiber.is_finished());
    assert!(!is_inside());
}

#[test]
fn a_panic_crosses_nested_fibers() {
    let mut outer = spawn(|| {
        let mut inner = spawn(|| panic!("deep"));
        let caught = catch_unwind(AssertUnwindSafe(|| inner.resume()));
        assert!(caught.is_err() && is_inside());
        // Still the outer fiber: it can suspend, and panic in its turn.
        suspend();
        let mut inner = spawn(|| panic!("deeper"));
        let _ = inner.resume();
    });
    assert_eq!(outer.resume(), Status::Suspended);
    let panic = catch_unwind(AssertUnwindSafe(|| outer.resume())).unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&"deeper"));
    assert!(!is_inside());
}

#[test]
fn dropping_a_suspended_fiber_runs_its_destructors() {
    let log = Log::default();
    let (outer, inner) = (Noisy(log.clone(), "outer"), log.clone());
    let mut fiber = spawn(move || {
        let _outer = outer;
        let _inner = Noisy(inner.clone(), "inner");
        suspend();
        inner.borrow_mut().push("never");
    });
    assert_eq!(fiber.resume(), Status::Suspended);
    drop(fiber);
    assert_eq!(*log.borrow(), ["inner", "outer"]);
    assert!(!is_inside());
}

#[test]
fn destructors_of_a_dropped_fiber_run_inside_it_and_may_resume_others() {
    struct Finisher(Fiber, Rc<Cell<bool>>);
    impl Drop for Finisher {
        fn drop(&mut self) {
            self.1.set(is_inside() && self.0.resume() == Status::Finished && is_inside());
        }
    }
    let done = Rc::new(Cell::new(false));
    let finisher = Finisher(spawn(|| ()), done.clone());
    let mut fiber = spawn(move || {
        let _finisher = finisher;
        suspend();
    });
    assert_eq!(fiber.resume(), Status::Suspended);
    drop(fiber);
    assert!(done.get());
}

#[test]
fn dropping_a_fiber_that_never_ran_drops_its_body() {
    let log = Log::default();
    let noisy = Noisy(log.clone(), "dropped");
    drop(spawn(move || drop(noisy)));
    assert_eq!(*log.borrow(), ["dropped"]);
}

#[test]
fn a_suspended_fiber_can_be_dropped_by_a_panic() {
    let log = Log::default();
    let noisy = Noisy(log.clone(), "dropped");
    let mut fiber = spawn(move || {
        let _noisy = noisy;
        suspend();
    });
    assert_eq!(fiber.resume(), Status::Suspended);
    let caught = catch_unwind(AssertUnwindSafe(move || {
        let _fiber = fiber;
        panic!("in the owner");
    }));
    assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"in the owner"));
    assert_eq!(*log.borrow(), ["dropped"]);
}

#[test]
fn a_body_that_swallows_its_unwinding_is_still_ended() {
    let log = Log::default();
    let note = log.clone();
    let mut fiber = spawn(move || {
        let _ = catch_unwind(suspend);
        note.borrow_mut().push("went on");
    });
    assert_eq!(fiber.resume(), Status::Suspended);
    drop(fiber);
    assert_eq!(*log.borrow(), ["went on"]);
}

#[test]
fn a_body_that_swallows_every_unwinding_is_left_where_it_is() {
    let log = Log::default();
    let (pool, note) = (Pool::new(STACK), log.clone());
    let mut stubborn = spawn_in(&pool, move || {
        let _noisy = Noisy(note, "unwound");
        loop {
            let _ = catch_unwind(suspend);
        }
    });
    assert_eq!(stubborn.resume(), Status::Suspended);
    drop(stubborn);
    assert_eq!(pool.idle_stacks(), 0, "its stack is not used again");
    // Others go on as before.
    let mut fiber = spawn_in(&pool, suspend);
    assert_eq!(fiber.resume(), Status::Suspended);
    drop(fiber);
    assert!(pool.idle_stacks() == 1 && log.borrow().is_empty() && !is_inside());
}

#[test]
fn stacks_are_used_again_however_a_fiber_ended() {
    let pool = Pool::new(STACK);
    let mut returned = spawn_in(&pool, || ());
    assert_eq!(returned.resume(), Status::Finished);
    assert_eq!(pool.idle_stacks(), 1, "a stack returns with the body, not with the fiber");

    let mut panicked = spawn_in(&pool, || panic!("on purpose"));
    assert_eq!(pool.idle_stacks(), 0);
    assert!(catch_unwind(AssertUnwindSafe(|| panicked.resume())).is_err());
    drop(panicked);
    assert_eq!(pool.idle_stacks(), 1);

    let mut suspended = spawn_in(&pool.clone(), suspend);
    assert_eq!(suspended.resume(), Status::Suspended);
    drop(suspended);
    drop(spawn_in(&pool, suspend));
    drop(returned);
    assert_eq!(pool.idle_stacks(), 1);
}

#[test]
fn a_fiber_may_outlive_its_pool() {
    let mut fiber = spawn_in(&Pool::new(STACK), suspend);
    assert_eq!(fiber.resume(), Status::Suspended);
    assert_eq!(fiber.resume(), Status::Finished);
}

#[test]
fn a_body_may_hold_more_than_its_stack() {
    let large = [1_u8; 4 * STACK];
    let pool = Pool::new(STACK);
    // Never run: moving it to the stack would overflow, and meet the guard page.
    let fiber = spawn_in(&pool, move || assert_eq!(large[0], 1));
    drop(fiber);
    assert_eq!(pool.idle_stacks(), 1);
}

#[test]
fn sixteen_thousand_fibers_take_turns() {
    const FIBERS: usize = 16_384;
    const TURNS: usize = 4;
    let pool = Pool::new(STACK);
    let sum = Rc::new(Cell::new(0));
    let body = |index: usize| {
        let sum = sum.clone();
        move || {
            for turn in 0..TURNS {
                sum.set(sum.get() + index * turn);
                suspend();
            }
        }
    };
    let mut fibers: Vec<Fiber> = (0..FIBERS).map(|index| spawn_in(&pool, body(index))).collect();
    for _ in 0..TURNS {
        assert!(fibers.iter_mut().all(|fiber| fiber.resume() == Status::Suspended));
    }
    assert!(fibers.iter_mut().all(|fiber| fiber.resume() == Status::Finished));
    assert_eq!(sum.get(), FIBERS * (FIBERS - 1) / 2 * (TURNS * (TURNS - 1) / 2));
    assert_eq!(pool.idle_stacks(), FIBERS);
}

/// Makes a crew of one fiber per body, and the log that the bodies write to.
fn crew(bodies: impl IntoIterator<Item = Box<dyn FnOnce(&Log)>>) -> (Crew, Log) {
    let (pool, log) = (Pool::new(STACK), Log::default());
    let spawn = |body: Box<dyn FnOnce(&Log)>| {
        let log = Rc::clone(&log);
        spawn_in(&pool, move || body(&log))
    };
    (Crew::new(bodies.into_iter().map(spawn)), log)
}

fn note(log: &Log, what: &'static str) {
    log.borrow_mut().push(what);
}

#[test]
fn a_turn_goes_from_fiber_to_fiber_and_back_to_who_resumed_the_first() {
    let (mut crew, log) = crew([
        Box::new(|log: &Log| {
            note(log, "0 passes to 1");
            assert!(pass(1));
            note(log, "0 ends");
        }) as Box<dyn FnOnce(&Log)>,
        Box::new(|log: &Log| {
            note(log, "1 passes to 2");
            assert!(pass(2));
            assert!(!pass(1), "to who has it already");
            note(log, "1 suspends");
            suspend();
            assert!(!pass(2), "to one that has ended");
            assert!(pass(0));
            unreachable!("nobody resumes it any more");
        }),
        Box::new(|log: &Log| {
            note(log, "2 passes to 1");
            assert!(pass(1));
            note(log, "2 ends");
        }),
    ]);
    assert_eq!(crew.resume(0), (1, Status::Suspended));
    assert_eq!(crew.resume(2), (2, Status::Finished));
    assert_eq!(crew.resume(1), (0, Status::Finished));
    assert!(crew.is_finished(0) && !crew.is_finished(1) && crew.is_finished(2) && !is_inside());
    let all = ["0 passes to 1", "1 passes to 2", "2 passes to 1", "1 suspends", "2 ends", "0 ends"];
    assert_eq!(*log.borrow(), all);
}

#[test]
fn who_ends_by_a_panic_ends_the_resume_of_the_crew_by_it() {
    let (mut crew, log) = crew([
        Box::new(|log: &Log| {
            let _noisy = Noisy(Rc::clone(log), "0 is unwound");
            pass(1);
        }) as Box<dyn FnOnce(&Log)>,
        Box::new(|_: &Log| panic!("by 1")),
    ]);
    let panic = catch_unwind(AssertUnwindSafe(|| crew.resume(0))).expect_err("it goes on");
    assert_eq!(panic.downcast_ref(), Some(&"by 1"));
    assert!(crew.is_finished(1) && !crew.is_finished(0) && !is_inside() && log.borrow().is_empty());
    drop(crew);
    assert_eq!(*log.borrow(), ["0 is unwound"]);
}

#[test]
fn crews_stand_inside_crews() {
    let (mut outer, log) = crew([
        Box::new(|log: &Log| {
            let (mut inner, _) =
                crew([Box::new(|_: &Log| assert!(pass(1))) as Box<dyn FnOnce(&Log)>, Box::new(|_: &Log| ())]);
            assert_eq!(inner.resume(0), (1, Status::Finished));
            note(log, "the inner one's second has had its turn");
            assert!(pass(1));
        }) as Box<dyn FnOnce(&Log)>,
        Box::new(|log: &Log| note(log, "and the outer one's")),
    ]);
    assert_eq!(outer.resume(0), (1, Status::Finished));
    assert_eq!(*log.borrow(), ["the inner one's second has had its turn", "and the outer one's"]);
}

#[test]
fn a_crew_goes_on_when_one_that_stands_inside_it_has_panicked() {
    let (mut outer, log) = crew([
        Box::new(|log: &Log| {
            let body: Box<dyn FnOnce(&Log)> = Box::new(|_: &Log| panic!("of the inner one"));
            let (mut inner, _) = crew([body]);
            assert!(catch_unwind(AssertUnwindSafe(|| inner.resume(0))).is_err());
            assert!(pass(1));
            note(log, "0 ends");
        }) as Box<dyn FnOnce(&Log)>,
        Box::new(|log: &Log| {
            note(log, "1 passes to 0");
            assert!(pass(0));
        }),
    ]);
    assert_eq!(outer.resume(0), (0, Status::Finished));
    assert_eq!(outer.resume(1), (1, Status::Finished));
    assert_eq!(*log.borrow(), ["1 passes to 0", "0 ends"]);
}

#[test]
fn a_crew_may_be_moved_while_its_fibers_are_suspended() {
    let (mut crew, log) = crew([
        Box::new(|log: &Log| {
            let _noisy = Noisy(Rc::clone(log), "0 is unwound");
            assert!(pass(1));
        }) as Box<dyn FnOnce(&Log)>,
        Box::new(|_: &Log| {
            suspend();
            assert!(pass(2));
        }),
        Box::new(|_: &Log| {
            suspend();
            assert!(pass(1), "where it is now");
        }),
    ]);
    assert_eq!(crew.resume(0), (1, Status::Suspended));
    let mut moved = Box::new(crew);
    assert_eq!(moved.resume(1), (2, Status::Suspended));
    let mut again = *moved;
    assert_eq!(again.resume(2), (1, Status::Finished));
    drop(again);
    assert_eq!(*log.borrow(), ["0 is unwound"]);
}

/// Message of a panic, if it is a constant.
fn said(panic: &(dyn std::any::Any + Send)) -> Option<&'static str> {
    panic.downcast_ref().copied()
}

#[test]
fn a_fiber_that_one_of_the_crew_ends_passes_no_turn() {
    let (mut crew, log) = crew([
        Box::new(|log: &Log| {
            let inner = Rc::clone(log);
            let mut other = spawn(move || {
                assert!(catch_unwind(suspend).is_err(), "it is unwound");
                let refused = catch_unwind(|| pass(1)).expect_err("it is not of the crew");
                note(&inner, said(&*refused).unwrap_or("something else"));
            });
            assert_eq!(other.resume(), Status::Suspended);
            drop(other);
            assert!(pass(1));
        }) as Box<dyn FnOnce(&Log)>,
        Box::new(|log: &Log| note(log, "1 has its turn")),
    ]);
    assert_eq!(crew.resume(0), (1, Status::Finished));
    assert_eq!(*log.borrow(), ["a turn is passed by a fiber that is not of the crew", "1 has its turn"]);
}

#[test]
#[should_panic(expected = "a turn is passed outside a crew")]
fn a_fiber_of_no_crew_passes_no_turn() {
    let _ = spawn(|| _ = pass(0)).resume();
}

#[test]
#[should_panic(expected = "a turn is passed by a fiber that is not of the crew")]
fn a_fiber_that_one_of_the_crew_has_resumed_passes_no_turn() {
    let (mut crew, _) = crew([
        Box::new(|_: &Log| _ = spawn(|| _ = pass(1)).resume()) as Box<dyn FnOnce(&Log)>,
        Box::new(|_: &Log| ()),
    ]);
    let _ = crew.resume(0);
}

static OWNER: Owner = Owner::new("rest instead");

/// The message of the panic that a fiber ends with.
fn last_words(mut fiber: Fiber) -> String {
    let panic = catch_unwind(AssertUnwindSafe(|| _ = fiber.resume())).expect_err("the body panics");
    panic.downcast_ref::<String>().expect("it says why").clone()
}

#[test]
fn an_owned_fiber_is_suspended_by_its_owner_alone() {
    let pool = Pool::new(STACK).owned_by(&OWNER);
    let mut fiber = spawn_in(&pool, || OWNER.suspend());
    assert_eq!((fiber.resume(), fiber.resume()), (Status::Suspended, Status::Finished));
    let refused = "was called on a fiber that only its owner suspends: rest instead";
    assert_eq!(last_words(spawn_in(&pool, suspend)), format!("fiber::suspend {refused}"));
    assert_eq!(last_words(spawn_in(&pool, || _ = pass(0))), format!("fiber::pass {refused}"));
}

#[test]
fn owned_fibers_pass_the_turn_by_their_owner() {
    let pool = Pool::new(STACK).owned_by(&OWNER);
    let first = spawn_in(&pool, || assert!(OWNER.pass(1)));
    let second = spawn_in(&pool, || OWNER.suspend());
    let mut crew = Crew::new([first, second]);
    assert_eq!(crew.resume(0), (1, Status::Suspended));
    assert_eq!(crew.resume(1), (1, Status::Finished));
    assert_eq!(crew.resume(0), (0, Status::Finished));
}

#[test]
fn an_owner_suspends_no_fiber_of_others() {
    // A fiber that code on an owned one runs for itself: the owner would take it for its own.
    let inner = || spawn(|| OWNER.suspend());
    let outer = spawn_in(&Pool::new(STACK).owned_by(&OWNER), move || {
        assert!(last_words(inner()).contains("another fiber"))
    });
    let mut outer = outer;
    assert_eq!(outer.resume(), Status::Finished);
    let outside = catch_unwind(|| OWNER.suspend()).expect_err("no fiber is running");
    assert!(outside.downcast_ref::<String>().expect("it says why").contains("no fiber is running"));
}
