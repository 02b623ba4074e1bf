//! Faults that reviews have found: each was a failure of this test before its repair.

use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tradewind_pdq::{DispatcherId, Executor, Key, Queue, queue};

const A: Key = Key::User(0xa);
/// Far beyond the time that a right queue needs on a busy host.
const PATIENCE: Duration = Duration::from_secs(20);

fn of<T>(servers: usize) -> Queue<T> {
    Queue::new(DispatcherId::fresh(), queue::Config::servers(servers))
}

fn soon(mut happened: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while !happened() {
        if start.elapsed() > PATIENCE {
            return false;
        }
        thread::yield_now();
    }
    true
}

#[test]
fn what_is_held_never_falls_below_nothing() {
    const LOOKS: usize = if cfg!(miri) { 20 } else { 20_000 };
    let (queue, over) = (of(1), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                queue.enqueue(Key::Sequential, ());
                drop(queue.dequeue(0));
            }
        });
        let most = (0..LOOKS).map(|_| queue.held()).max();
        over.store(true, Ordering::Relaxed);
        assert!(most <= Some(1), "{most:?}");
    });
}

#[test]
fn after_an_abort_that_took_a_draining_sequential_item_the_queue_is_empty() {
    let queue = of(1);
    queue.enqueue(A, 1);
    let running = queue.dequeue(0);
    queue.enqueue(Key::Sequential, 2);
    assert_eq!(queue.abort(), [(Key::Sequential, 2)]);
    drop(running);
    assert!(queue.is_empty());
}

#[test]
fn after_an_abort_no_key_is_to_be_had() {
    let queue = of(1);
    queue.enqueue(A, 1);
    queue.abort();
    queue.enqueue(A, 2);
    assert!(queue.try_hold(A).is_none(), "an item of the key waits to be handed back");
}

/// Panics when it is dropped, unless that would end the process.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !thread::panicking() {
            panic!("a payload that panics");
        }
    }
}

#[test]
fn payloads_that_panic_when_dropped_leave_no_claim_behind() {
    let queue = of(1);
    (0..50).for_each(|_| queue.enqueue(A, ()));
    let mut worker = queue.worker(0);
    while worker.serve(|_, _| ()) > 0 {}
    (0..4).for_each(|_| queue.enqueue(A, ()));
    // One claim of four items, or two where blocks are small: after each, the first of its payloads comes back.
    loop {
        let serving = catch_unwind(AssertUnwindSafe(|| worker.serve(|_, _| panic_any(Bomb))));
        match serving {
            Ok(served) => break assert_eq!(served, 0),
            Err(payload) => std::mem::forget(payload),
        }
    }
    drop(worker);
    while let Some(dispatch) = queue.dequeue(0) {
        drop(dispatch);
    }
    assert_eq!((queue.len(), queue.held(), queue.statistics().panicked), (0, 0, 4));
}

#[test]
fn items_that_do_not_fit_on_a_stack_by_the_block_can_be_queued() {
    let queue = of(1);
    queue.enqueue(A, [1_u8; 1 << 16]);
    assert_eq!(queue.dequeue(0).map(|dispatch| dispatch[99]), Some(1));
}

#[test]
fn a_continuation_that_was_refused_takes_no_room() {
    let queue =
        Queue::new(DispatcherId::fresh(), queue::Config { limit: Some(1), ..queue::Config::servers(1) });
    let foreign = of::<u32>(1).try_hold(A).expect("the other queue is empty");
    assert!(catch_unwind(AssertUnwindSafe(|| queue.complete_with(foreign, 1))).is_err());
    assert_eq!(queue.try_enqueue(A, 2), Ok(()));
}

#[test]
fn an_item_put_back_behind_a_kept_key_is_not_counted_as_spilled_again() {
    let queue =
        Queue::new(DispatcherId::fresh(), queue::Config { limit: Some(1), ..queue::Config::servers(1) });
    (0..5).for_each(|n| queue.enqueue(A, n));
    let mut worker = queue.worker(0);
    let mut kept = Vec::new();
    while worker.serve(|_, handling| kept.push(handling.keep())) > 0 {}
    assert_eq!((queue.statistics().spilled, kept.len()), (4, 1));
    kept.into_iter().for_each(|held| _ = queue.complete(held));
}

#[test]
fn a_handler_may_drop_the_last_handle_of_its_executor() {
    let own: Arc<Mutex<Option<Executor<()>>>> = Arc::default();
    let ended = Arc::new(AtomicBool::new(false));
    let (inside, tells) = (own.clone(), ended.clone());
    let executor = Executor::start(of(2), move |(), _| {
        let executor = inside.lock().expect("nobody panics").take();
        drop(executor);
        tells.store(true, Ordering::Release);
    });
    let mut place = own.lock().expect("nobody panics");
    executor.queue().enqueue(A, ());
    *place = Some(executor);
    drop(place);
    assert!(soon(|| ended.load(Ordering::Acquire)), "the handler waits for itself");
}

#[test]
fn who_has_waited_but_does_not_serve_keeps_nobody_asleep() {
    let (queue, ran) = (of(2), AtomicUsize::new(0));
    thread::scope(|scope| {
        let (queue, ran) = (&queue, &ran);
        let mut idler = queue.worker(0);
        queue.enqueue(A, ());
        assert!(idler.wait(), "an item is there");
        scope.spawn(move || {
            queue.worker(1).run(|(), _| {
                ran.fetch_add(1, Ordering::Relaxed);
            });
        });
        let all = (1..=50).all(|n| {
            let caught_up = soon(|| ran.load(Ordering::Relaxed) == n);
            queue.enqueue(A, ());
            caught_up
        });
        queue.close();
        assert!(all, "the other server sleeps");
    });
}

#[test]
fn what_is_behind_a_long_handler_does_not_wait_for_servers_to_be_idle() {
    let queue = of(2);
    // Three keys, two of which share a lane.
    let lanes = 4;
    let in_lane = |lane: usize, n: usize| {
        (0..).map(Key::User).filter(move |key| key.partition(lanes) == lane).nth(n).expect("there are many")
    };
    let (long, behind, busy) = (in_lane(0, 0), in_lane(0, 1), in_lane(1, 0));
    let (started, ran) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        let (queue, started, ran) = (&queue, &started, &ran);
        for server in 0..2 {
            scope.spawn(move || {
                queue.worker(server).run(|(), mut handling| {
                    if handling.key() == long {
                        started.store(true, Ordering::Release);
                        assert!(soon(|| ran.load(Ordering::Acquire)), "the item behind waits for this one");
                    } else if handling.key() == behind {
                        ran.store(true, Ordering::Release);
                    } else if !ran.load(Ordering::Acquire) {
                        handling.enqueue(busy, ());
                    }
                });
            });
        }
        queue.enqueue(long, ());
        assert!(soon(|| started.load(Ordering::Acquire)));
        queue.enqueue(busy, ());
        queue.enqueue(behind, ());
        queue.close();
    });
    assert!(ran.into_inner());
}
