//! Features of the concurrent queue alone: the limit, the guard, and its way with panics.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tradewind_pdq::{DispatcherId, Key, Keyed, Queue, Refused, queue};

use crate::dispatcher::concurrent;

const A: Key = Key::User(0xa);

#[test]
fn a_producer_gets_its_item_back_at_the_limit_but_a_handler_never_does() {
    let config = queue::Config { limit: Some(2), ..queue::Config::servers(1) };
    let queue = Queue::new(DispatcherId::fresh(), config);
    assert_eq!(queue.try_enqueue(A, 1), Ok(()));
    assert_eq!(queue.try_enqueue(A, 2), Ok(()));
    assert_eq!(queue.try_enqueue(A, 3), Err(Refused::Full(3)));
    queue.enqueue(A, 4);
    assert_eq!(queue.len(), 3);
    let _running = queue.dequeue(0).map(|dispatch| dispatch.into_parts());
    assert_eq!(queue.try_enqueue(A, 3), Err(Refused::Full(3)), "two still wait");
}

#[test]
fn the_limit_counts_waiting_items_only() {
    let config = queue::Config { limit: Some(1), ..queue::Config::servers(1) };
    let queue = Queue::new(DispatcherId::fresh(), config);
    queue.enqueue(A, 1);
    let _running = queue.dequeue(0).expect("an item waits");
    assert_eq!(queue.try_enqueue(A, 2), Ok(()));
}

#[test]
fn dropping_the_guard_completes_the_item() {
    let queue = concurrent();
    queue.enqueue(A, 1);
    queue.enqueue(A, 2);
    let mut first = queue.dequeue(0).expect("an item waits");
    *first += 10;
    assert_eq!((*first, first.key(), queue.held()), (11, A, 1));
    drop(first);
    assert_eq!(queue.held(), 0);
    assert_eq!(queue.dequeue(0).as_deref(), Some(&2));
}

#[test]
fn a_panicking_handler_releases_its_key_and_is_counted() {
    let queue = concurrent();
    queue.enqueue(A, "panics");
    queue.enqueue(A, "runs");
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let dispatch = queue.dequeue(0).expect("an item waits");
        panic!("in the handler of {}", *dispatch);
    }));
    assert!(outcome.is_err());
    assert_eq!((queue.held(), queue.statistics().panicked), (0, 1));
    assert_eq!(queue.dequeue(0).as_deref(), Some(&"runs"));
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("in the drop of the item");
    }
}

#[test]
fn an_item_that_panics_when_dropped_releases_its_key() {
    let queue = concurrent();
    queue.enqueue(A, Bomb);
    let outcome = catch_unwind(AssertUnwindSafe(|| drop(queue.dequeue(0))));
    assert!(outcome.is_err());
    assert_eq!(queue.held(), 0);
    assert!(queue.try_hold(A).is_some());
}

#[test]
fn an_item_is_dropped_while_its_key_is_still_held() {
    struct Probe<'a>(&'a Queue<()>);
    impl Drop for Probe<'_> {
        fn drop(&mut self) {
            self.0.enqueue(Key::NoSync, ());
        }
    }
    // The probe's own queue, so that it can outlive the one under test.
    let witness = concurrent();
    let queue = concurrent();
    queue.enqueue(A, Probe(&witness));
    drop(queue.dequeue(0));
    assert_eq!((witness.len(), queue.held()), (1, 0));
}

#[test]
fn item_and_proof_are_at_hand_side_by_side() {
    let queue = concurrent();
    let sums = Keyed::sparse(queue.id(), |_| 0);
    queue.enqueue(A, 5);
    let mut dispatch = queue.dequeue(0).expect("an item waits");
    let (item, mut proof) = dispatch.parts();
    *sums.get(&mut proof) += *item;
    drop(dispatch);
    assert_eq!(sums.into_entries(), [(0xa, 5)]);
}

#[test]
fn a_token_taken_out_of_the_guard_is_completed_by_hand() {
    let queue = concurrent();
    queue.enqueue(A, 1);
    let (item, held) = queue.dequeue(0).expect("an item waits").into_parts();
    assert_eq!((item, queue.held()), (1, 1));
    queue.complete_with(held, 2);
    assert_eq!(queue.dequeue(0).as_deref(), Some(&2));
    assert_eq!(queue.held(), 0);
}

#[test]
fn a_completion_says_whether_who_has_searched_in_vain_finds_something_now() {
    let queue = concurrent();
    let hold = |key| queue.try_hold(key).expect("it is free");
    let held = hold(A);
    assert!(!queue.complete(held), "nobody has come for it");
    let held = hold(A);
    queue.enqueue(A, 1);
    assert!(queue.dequeue(0).is_none());
    assert!(queue.complete(held));
    assert_eq!(queue.dequeue(0).as_deref(), Some(&1));
    let held = hold(Key::Sequential);
    assert!(!queue.complete(held));
    let held = hold(Key::Sequential);
    queue.enqueue(A, 2);
    assert!(queue.dequeue(0).is_none());
    assert!(queue.complete(held));
    assert_eq!(queue.dequeue(0).as_deref(), Some(&2));
}

#[test]
fn the_sequential_token_lends_proofs_of_all_keys() {
    let queue = concurrent::<()>();
    let sums = Keyed::sparse(queue.id(), |key| key);
    let mut held = queue.try_hold(Key::Sequential).expect("the queue is empty");
    for key in [7, 9] {
        *sums.get(&mut held.proof_of(Key::User(key))) += 1;
    }
    queue.complete(held);
    assert_eq!(sums.into_entries(), [(7, 8), (9, 10)]);
}

#[test]
#[should_panic(expected = "key 0xb is not held with key 0xa")]
fn a_token_lends_no_proof_of_another_key() {
    let queue = concurrent::<()>();
    let mut held = queue.try_hold(A).expect("the queue is empty");
    held.proof_of(Key::User(0xb));
}

#[test]
#[should_panic(expected = "cannot be given back")]
fn a_token_of_another_dispatcher_is_refused() {
    let [one, other] = [concurrent::<()>(), concurrent()];
    other.complete(one.try_hold(A).expect("the queue is empty"));
}

#[test]
#[should_panic(expected = "3 partitions cannot be served by 2 servers")]
fn a_partition_without_a_server_is_refused() {
    Queue::<()>::new(DispatcherId::fresh(), queue::Config { partitions: 3, ..queue::Config::servers(2) });
}

#[test]
fn a_server_takes_its_own_partition_only() {
    let config = queue::Config { servers: 3, partitions: 2, limit: None, shares_claims: false };
    let queue = Queue::new(DispatcherId::fresh(), config);
    (0..32).for_each(|key| queue.enqueue(Key::User(key), key));
    for server in 0..3 {
        while let Some(dispatch) = queue.dequeue(server) {
            assert_eq!(dispatch.key().partition(2), server);
        }
    }
    assert!(queue.is_empty());
}
