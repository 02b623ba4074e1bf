//! The edge cases that were decided one by one, each with its test. Edge cases that are promises of both
//! implementations are in `promises`.
//!
//! | | case | test |
//! |---|---|---|
//! | 1 | sequential behind items blocked on a busy key | `promises::a_sequential_item_waits_for_every_older_item_even_one_blocked_on_a_busy_key` |
//! | 2 | nosync and sequential: they never overlap, and there are no other modes | `promises::nosync_respects_a_waiting_and_a_running_sequential_item` |
//! | 3 | several sequential items | `promises::several_sequential_items_run_in_arrival_order_one_at_a_time` |
//! | 4 | starvation of keyed items | `row_04_…` |
//! | 5 | starvation of sequential items | `row_05_…` |
//! | 6 | a handler enqueues to its own queue | `promises::a_handler_may_enqueue_…`, `row_06_…` |
//! | 7 | a handler waits for its own queue | `row_07_…` |
//! | 8 | a handler enqueues at the limit | `queue::a_producer_gets_its_item_back_at_the_limit_but_a_handler_never_does`, `row_08_…` |
//! | 9 | a producer at the limit | the same, `row_09_…` |
//! | 10 | an item that needs several keys | `row_10_…` |
//! | 11 | a key like the encoding of another kind | `row_11_…` |
//! | 12 | a handler panics: its key is released, the panic reported, the queue stays usable | `row_12_…`, `executor::…_reports_panics…` |
//! | 13 | double and forgotten completion | `compile_fail` examples of `Held`, `row_13_…` |
//! | 14 | nothing can be dispatched though something waits | `row_14_…` |
//! | 15 | the end | `row_15_…`, `stress::a_queue_closed_under_load_…`, `stress::what_an_abort_under_load_…` |
//! | 16 | which idle server gets the item | `row_16_…` |
//! | 17 | an item whose work became unnecessary | `row_17_…` |
//! | 18 | a request that cannot be served now | `promises::row_18_…` |

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;
use std::time::Duration;

use tradewind_pdq::{DispatcherId, Key, Keyed, Queue, Refused, Worker, queue};

use crate::dispatcher::concurrent;

const A: Key = Key::User(0xa);
const B: Key = Key::User(0xb);

fn limited<T>(limit: usize) -> Queue<T> {
    Queue::new(DispatcherId::fresh(), queue::Config { limit: Some(limit), ..queue::Config::servers(2) })
}

/// Runs a worker until it finds no item; returns the items in order.
fn drained<T>(worker: &mut Worker<'_, T>) -> Vec<T> {
    let mut order = Vec::new();
    while worker.serve(|item, _| order.push(item)) > 0 {}
    order
}

/// Handlers that a key which always has another item may run before all others have run.
const PATIENCE: usize = 10_000;

#[test]
fn row_04_a_key_that_is_never_idle_starves_no_other() {
    // Some of them pass through the same lane as `A`.
    let others = 0..100_u64;
    let queue = concurrent();
    let mut worker = queue.worker(0);
    queue.enqueue(A, A);
    others.clone().map(Key::User).filter(|key| *key != A).for_each(|key| queue.enqueue(key, key));
    queue.enqueue(Key::NoSync, Key::NoSync);
    let (mut ran, mut waiting) = (0, 100);
    while waiting > 0 {
        assert!(ran < PATIENCE, "{waiting} still wait after {ran} of one key");
        worker.serve(|key, mut handling| match key {
            A => {
                ran += 1;
                handling.enqueue(A, A);
            }
            _ => waiting -= 1,
        });
    }
    // The same for servers that take item by item.
    others.clone().map(Key::User).filter(|key| *key != A).for_each(|key| queue.enqueue(key, key));
    (ran, waiting) = (0, 99);
    while waiting > 0 {
        assert!(ran < PATIENCE, "{waiting} still wait after {ran} of one key");
        let dispatch = queue.dequeue(1).expect("`A` is never done");
        match *dispatch {
            A => {
                ran += 1;
                queue.enqueue(A, A);
            }
            _ => waiting -= 1,
        }
    }
}

#[test]
fn row_05_items_that_never_cease_do_not_starve_a_sequential_one() {
    let queue = concurrent();
    let mut worker = queue.worker(0);
    (0..8).for_each(|key| queue.enqueue(Key::User(key), Key::User(key)));
    queue.enqueue(Key::Sequential, Key::Sequential);
    let (mut before, mut alone) = (0, false);
    while !alone {
        worker.serve(|key, mut handling| match key {
            Key::Sequential => alone = true,
            _ => {
                before += usize::from(!alone);
                handling.enqueue(key, key);
                handling.enqueue(Key::NoSync, Key::NoSync);
            }
        });
    }
    assert_eq!(before, 8, "nothing younger has started");
}

#[test]
fn row_06_what_a_handler_enqueues_runs_after_it_and_behind_all_that_waits() {
    let queue = concurrent();
    let mut worker = queue.worker(0);
    (0..3).for_each(|n| queue.enqueue(A, n));
    let mut order = Vec::new();
    while worker.serve(|n, mut handling| {
        order.push(n);
        if n == 0 {
            handling.enqueue(A, 10);
            handling.enqueue(Key::Sequential, 11);
            handling.enqueue(A, 12);
            assert_eq!(order.len(), 1, "nothing runs inside");
        }
    }) > 0
    {}
    assert_eq!(order, [0, 1, 2, 10, 11, 12]);
}

#[test]
#[cfg(debug_assertions)]
fn row_07_waiting_for_the_own_queue_inside_a_handler_panics() {
    let [queue, other] = [concurrent(), concurrent()];
    let mut worker = queue.worker(0);
    let mut second = queue.worker(1);
    let mut waits: [Box<dyn FnMut()>; 2] = [
        Box::new(|| assert!(second.wait())),
        Box::new(|| queue.enqueue_when_room(A, ()).expect("there is room")),
    ];
    for wait in &mut waits {
        queue.enqueue(A, ());
        let outcome = catch_unwind(AssertUnwindSafe(|| worker.serve(|(), _| wait())));
        let payload = outcome.expect_err("it would wait for itself");
        let text = payload.downcast_ref::<&str>().expect("a text");
        assert!(text.contains("must not wait for its own queue"), "{text}");
        // Another queue may be waited for, and outside of handlers this one too.
        queue.enqueue(A, ());
        worker.serve(|(), _| other.enqueue_when_room(A, ()).expect("there is room"));
        queue.enqueue_when_room(A, ()).expect("there is room");
        assert!(worker.wait(), "an item waits");
        worker.serve(|(), _| ());
    }
    assert_eq!((queue.len(), queue.held(), queue.statistics().panicked), (0, 0, 2));
}

#[test]
fn row_08_a_handler_enqueues_beyond_the_limit_and_it_is_counted() {
    let queue = limited(2);
    let mut worker = queue.worker(0);
    assert_eq!(queue.try_enqueue(A, 0), Ok(()));
    worker.serve(|_, mut handling| (1..=10).for_each(|n| handling.enqueue(Key::User(n), n)));
    assert_eq!((queue.len(), queue.statistics().spilled), (10, 8));
    assert_eq!(queue.try_enqueue(A, 11), Err(Refused::Full(11)));
    drained(&mut worker);
    assert_eq!(queue.try_enqueue(A, 11), Ok(()));
}

#[test]
fn row_09_a_producer_that_waits_for_room_gets_in_when_there_is_some_and_leaves_on_close() {
    let queue = limited(1);
    queue.enqueue(A, 0);
    thread::scope(|scope| {
        let waits = scope.spawn(|| queue.enqueue_when_room(A, 1));
        thread::sleep(Duration::from_millis(2));
        assert!(!waits.is_finished(), "there is no room");
        drop(queue.dequeue(0));
        assert_eq!(waits.join().expect("it only waits"), Ok(()));
        let waits = scope.spawn(|| queue.enqueue_when_room(A, 2));
        thread::sleep(Duration::from_millis(2));
        queue.close();
        assert_eq!(waits.join().expect("it only waits"), Err(Refused::Closed(2)));
    });
    assert_eq!(queue.len(), 1);
}

#[test]
fn row_10_an_item_that_needs_several_keys_is_sequential() {
    let queue = concurrent();
    let accounts = Keyed::dense(queue.id(), 0, 2, |_| 100);
    queue.enqueue(Key::Sequential, 30);
    queue.worker(0).serve(|sum, mut handling| {
        let mut proof = handling.proof();
        *accounts.get_any(&mut proof, 0) -= sum;
        *accounts.get_any(&mut proof, 1) += sum;
    });
    assert_eq!(accounts.into_entries(), [(0, 70), (1, 130)]);
}

#[test]
fn row_11_every_word_is_a_user_key_like_any_other() {
    let queue = concurrent();
    let words = [0, 1, u64::MAX, u64::MAX - 1, 1 << 63];
    words.iter().for_each(|word| (0..2).for_each(|n| queue.enqueue(Key::User(*word), n)));
    let mut first: Vec<_> = std::iter::from_fn(|| queue.dequeue(0)).collect();
    // One of each at a time: none runs alone, none without exclusion.
    assert_eq!(first.len(), words.len());
    assert!(first.iter().all(|dispatch| **dispatch == 0));
    first.clear();
    assert_eq!(std::iter::from_fn(|| queue.dequeue(0)).map(|dispatch| *dispatch).sum::<i32>(), 5);
}

#[test]
fn row_12_a_panicking_handler_releases_its_key_and_the_batch_is_run_before_anyone_hears() {
    let queue = concurrent();
    let mut worker = queue.worker(0);
    for _ in 0..50 {
        (0..10).for_each(|n| queue.enqueue(A, n));
        let (mut ran, mut heard, mut handled, mut enqueued) = (Vec::new(), Vec::new(), 0, 0);
        loop {
            let served = catch_unwind(AssertUnwindSafe(|| {
                worker.serve(|n, mut handling| {
                    ran.push(n);
                    handled += 1;
                    handling.enqueue(B, n);
                    if n % 4 == 0 {
                        resume_unwind(Box::new(n));
                    }
                })
            }));
            match served {
                Ok(0) => break,
                Ok(_) => {}
                Err(payload) => heard.extend(payload.downcast_ref::<i32>().copied()),
            }
            // Items that handlers have enqueued are there, whether they panicked or not.
            while let Some(dispatch) = queue.dequeue(1) {
                if dispatch.key() == A { ran.push(*dispatch) } else { enqueued += 1 }
            }
        }
        assert_eq!((ran, enqueued), ((0..10).collect::<Vec<_>>(), handled));
        assert_eq!(heard.first(), Some(&0), "the first of its batch");
        assert_eq!((queue.len(), queue.held()), (0, 0));
    }
    assert!(queue.statistics().panicked >= 50);
}

#[test]
fn row_13_a_guard_completes_once_and_a_forgotten_token_shows() {
    let queue = concurrent();
    (0..3).for_each(|n| queue.enqueue(A, n));
    drop(queue.dequeue(0));
    assert_eq!(queue.held(), 0);
    let (_, held) = queue.dequeue(0).expect("its key is free").into_parts();
    let _forgotten = held;
    assert_eq!((queue.held(), queue.len()), (1, 1));
    assert!(queue.dequeue(0).is_none());
    // Kept in a handler and forgotten: the same.
    queue.enqueue(B, 3);
    queue.worker(0).serve(|_, handling| {
        let _forgotten = handling.keep();
    });
    assert_eq!((queue.held(), queue.len()), (2, 1));
    // A sequential item behind them waits for ever, and so does every item behind that.
    queue.enqueue(Key::Sequential, 4);
    queue.enqueue(Key::NoSync, 5);
    assert!(queue.dequeue(0).is_none());
    assert_eq!((queue.held(), queue.len()), (2, 3));
}

#[test]
fn row_14_nothing_to_dispatch_is_the_same_answer_whatever_the_reason_and_the_reasons_are_counted() {
    let queue = concurrent();
    assert!(queue.dequeue(0).is_none(), "empty");
    queue.enqueue(A, 1);
    queue.enqueue(A, 2);
    let first = queue.dequeue(0).expect("an item waits");
    assert!(queue.dequeue(0).is_none(), "blocked by a key");
    assert_eq!(queue.statistics().waited_on_key, 1);
    queue.enqueue(Key::Sequential, 3);
    queue.enqueue(B, 4);
    assert!(queue.dequeue(0).is_none(), "draining");
    drop(first);
    drop(queue.dequeue(0).expect("older than the sequential one"));
    drop(queue.dequeue(0).expect("the sequential one"));
    drop(queue.dequeue(0).expect("the last"));
    assert_eq!(queue.statistics().waited_on_sequential, 2);
}

#[test]
fn row_15_a_closed_queue_takes_nothing_from_outside_and_runs_the_rest() {
    let queue = concurrent();
    let mut worker = queue.worker(0);
    queue.enqueue(A, 1);
    queue.close();
    assert!(queue.is_closed());
    assert_eq!(queue.try_enqueue(B, 2), Err(Refused::Closed(2)));
    assert_eq!(queue.try_enqueue(Key::Sequential, 2), Err(Refused::Closed(2)));
    assert_eq!(queue.enqueue_when_room(B, 2), Err(Refused::Closed(2)));
    assert!(worker.wait(), "an item waits");
    worker.serve(|_, mut handling| handling.enqueue(Key::Sequential, 3));
    assert_eq!(drained(&mut worker), [3]);
    assert!(!worker.wait(), "there will never be anything");
}

#[test]
fn row_15_an_aborted_queue_returns_what_waits_and_runs_nothing() {
    let queue = concurrent();
    let items =
        [(A, 0), (A, 1), (A, 2), (Key::Sequential, 3), (A, 4), (Key::NoSync, 5), (Key::Sequential, 6)];
    items.iter().for_each(|(key, n)| queue.enqueue(*key, *n));
    let running = queue.dequeue(0).expect("an item waits");
    assert_eq!(*running, 0);
    let back: Vec<_> = queue.abort();
    assert_eq!(back[..3], items[1..4]);
    let mut between = back[3..5].to_vec();
    between.sort_unstable();
    assert_eq!((between, &back[5..]), (items[4..6].to_vec(), &items[6..]));
    queue.enqueue(B, 7);
    let (_, held) = running.into_parts();
    queue.complete_with(held, 8);
    assert!(queue.is_closed() && queue.dequeue(1).is_none() && !queue.worker(0).wait());
    let mut late = queue.abort();
    late.sort_unstable();
    assert_eq!(late, [(A, 8), (B, 7)]);
    assert_eq!((queue.len(), queue.held()), (0, 0));
}

#[test]
#[cfg_attr(miri, ignore = "needs a clock that others keep up with")]
fn row_16_of_idle_servers_the_one_that_fell_asleep_last_is_woken() {
    // Taking turns would always be half each. On a busy machine one may not fall asleep in time.
    assert!((0..10).any(|_| largest_share_of_two(50) >= 40), "idle servers take turns");
}

/// Runs single items, each for two sleepers; returns the number that the busier server has run.
fn largest_share_of_two(items: u64) -> u64 {
    let queue = Queue::new(DispatcherId::fresh(), queue::Config::servers(2));
    thread::scope(|scope| {
        let serve = |server| {
            let queue = &queue;
            scope.spawn(move || {
                let mut share = 0;
                queue.worker(server).run(|(), _| share += 1);
                share
            })
        };
        let servers = [0, 1].map(serve);
        for _ in 0..items {
            thread::sleep(Duration::from_millis(2));
            queue.enqueue(Key::NoSync, ());
        }
        queue.close();
        servers.map(|server| server.join().expect("it only counts")).into_iter().fold(0, u64::max)
    })
}

#[test]
fn row_17_the_queue_never_looks_at_items_so_one_without_work_left_just_ends() {
    /// Cannot be printed, compared or copied.
    struct Fault;
    let queue = concurrent();
    let resolved = Keyed::sparse(queue.id(), |_| false);
    (0..3).for_each(|_| queue.enqueue(A, Fault));
    let mut work = 0;
    let mut worker = queue.worker(0);
    while worker.serve(|Fault, mut handling| {
        let mut proof = handling.proof();
        let resolved = resolved.get(&mut proof);
        work += u32::from(!std::mem::replace(resolved, true));
    }) > 0
    {}
    assert_eq!((work, queue.statistics().dispatched), (1, 3));
}
