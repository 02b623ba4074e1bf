//! A seizure runs items of all keys without enqueueing them, and a server that breaks in leaves it the key of the
//! running item.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use tradewind_pdq::{DispatcherId, Key, Keyed, Queue, Seizure, queue};

fn queue() -> Queue<u64> {
    Queue::new(DispatcherId::fresh(), queue::Config::servers(2))
}

/// Runs an item of `key` in a seizure that is broken into meanwhile; then does `during`.
fn broken_at(seizure: &mut Seizure<'_, u64>, queue: &Queue<u64>, key: Key, during: impl FnOnce()) {
    seizure.run(key, |_| {
        assert!(queue.break_in(queue.seized_for().expect("an item runs")));
        during();
    });
    assert!(seizure.is_broken());
}

#[test]
fn a_seizure_keeps_everything_else_waiting() {
    let queue = queue();
    let counts = Keyed::dense(queue.id(), 0, 3, |_| 0);
    let mut seizure = queue.seize().unwrap();
    queue.enqueue(Key::User(1), 1);
    assert!(queue.seize().is_none() && queue.try_hold(Key::User(2)).is_none() && queue.dequeue(0).is_none());
    for key in [1, 2, 1] {
        assert_eq!(seizure.run(Key::User(key), |mut proof| *counts.get(&mut proof) += 1), ());
    }
    assert!(!seizure.is_broken() && queue.seized_for().is_none());
    assert!(seizure.give_back(), "an item has waited");
    assert_eq!(queue.dequeue(0).as_deref(), Some(&1));
    assert_eq!(counts.into_entries(), [(0, 0), (1, 2), (2, 1)]);
}

#[test]
fn nothing_is_seized_while_anything_is_unfinished() {
    let queue = queue();
    queue.enqueue(Key::User(1), 1);
    assert!(queue.seize().is_none());
    let one = queue.dequeue(0).unwrap();
    assert!(queue.seize().is_none());
    drop(one);
    drop(queue.seize().unwrap());
    assert!(queue.try_hold(Key::Sequential).is_some());
}

#[test]
fn who_breaks_in_leaves_the_key_of_the_item_that_runs() {
    for lane in 0..8 {
        let queue = queue();
        let mut seizure = queue.seize().unwrap();
        broken_at(&mut seizure, &queue, Key::User(lane), || {
            queue.enqueue(Key::User(lane), 1);
            queue.enqueue(Key::User(100), 2);
            assert_eq!(queue.dequeue(0).as_deref(), Some(&2), "it waits for nobody");
            assert!(queue.dequeue(0).is_none(), "its key is held");
            assert!(queue.try_hold(Key::User(lane)).is_none() && queue.held() == 1);
        });
        assert!(queue.dequeue(0).is_none(), "until the seizure is given back");
        assert!(seizure.give_back());
        assert_eq!(queue.dequeue(0).as_deref(), Some(&1));
        assert_eq!((queue.len(), queue.held()), (0, 0));
    }
}

#[test]
fn a_sequential_item_waits_for_what_runs_in_a_broken_seizure() {
    for key in [Key::User(1), Key::NoSync] {
        let queue = queue();
        let mut seizure = queue.seize().unwrap();
        queue.enqueue(Key::Sequential, 1);
        broken_at(&mut seizure, &queue, key, || {
            queue.enqueue(Key::User(2), 2);
            assert!(queue.dequeue(0).is_none(), "the barrier keeps what is behind it");
        });
        assert!(seizure.give_back());
        assert_eq!(queue.dequeue(0).as_deref(), Some(&1));
        assert_eq!(queue.dequeue(0).as_deref(), Some(&2));
    }
}

#[test]
fn nobody_breaks_in_when_no_item_runs_or_it_is_the_sequential_one() {
    let queue = queue();
    assert!(queue.seized_for().is_none() && !queue.break_in(0) && !queue.break_in(1));
    let mut seizure = queue.seize().unwrap();
    let item = seizure.run(Key::User(1), |_| queue.seized_for().unwrap());
    assert!(queue.seized_for().is_none() && !queue.break_in(item), "that item has ended");
    seizure.run(Key::Sequential, |_| assert!(queue.seized_for().is_none()));
    seizure.run(Key::User(1), |_| assert!(!queue.break_in(item) && queue.seized_for() != Some(item)));
    assert!(!seizure.is_broken());
}

#[test]
fn a_broken_seizure_runs_nothing_more() {
    let queue = queue();
    let mut seizure = queue.seize().unwrap();
    broken_at(&mut seizure, &queue, Key::User(1), || ());
    let run = AssertUnwindSafe(|| seizure.run(Key::User(2), |_| ()));
    assert!(catch_unwind(run).is_err());
    drop(seizure);
    assert!(queue.seize().is_some(), "all is given back");
}

#[test]
fn an_item_that_panics_gives_its_keys_back_and_is_counted() {
    for breaks_in in [false, true] {
        let queue = queue();
        let panics = || {
            let mut seizure = queue.seize().unwrap();
            seizure.run(Key::User(1), |_| {
                assert_eq!(breaks_in, breaks_in && queue.break_in(queue.seized_for().unwrap()));
                panic!("an item");
            });
        };
        assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        assert_eq!((queue.held(), queue.statistics().panicked), (0, 1));
        assert!(queue.seize().is_some());
    }
}

/// Servers that seize the queue, break in, hold keys and take items, as fast as they can.
#[test]
fn keys_exclude_each_other_however_often_somebody_breaks_in() {
    const KEYS: u64 = 5;
    let rounds = if cfg!(miri) { 20 } else { 1_000 };
    let queue = queue();
    let runs = Keyed::dense(queue.id(), 0, KEYS as usize, |_| 0_u64);
    let busy: [AtomicBool; KEYS as usize] = Default::default();
    let [expected, broken] = [AtomicU64::new(0), AtomicU64::new(0)];
    let run = |key: u64, proof: &mut tradewind_pdq::Proof<'_>| {
        assert!(!busy[key as usize].swap(true, Ordering::Relaxed), "key {key} is held twice");
        *runs.get(proof) += 1;
        busy[key as usize].store(false, Ordering::Relaxed);
    };
    let seize = |mut random: u64| {
        let Some(mut seizure) = queue.seize() else { return };
        for _ in 0..4 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let key = (random >> 33) % KEYS;
            expected.fetch_add(1, Ordering::Relaxed);
            seizure.run(Key::User(key), |mut proof| {
                run(key, &mut proof);
                // At some items, long enough for another thread to break in.
                let mut turns = if key == 0 { 1_000 } else { 0 };
                while turns > 0 && queue.seized_for().is_some() {
                    thread::yield_now();
                    turns -= 1;
                }
            });
            if seizure.is_broken() {
                return;
            }
        }
    };
    let serve = |server: usize| {
        for round in 0..rounds {
            seize(round * 2 + server as u64);
            expected.fetch_add(1, Ordering::Relaxed);
            queue.enqueue(Key::User(round % KEYS), round % KEYS);
            while let Some(mut dispatch) = queue.dequeue(server) {
                let key = *dispatch;
                run(key, &mut dispatch.proof());
            }
        }
    };
    let break_in = || {
        while expected.load(Ordering::Relaxed) < 2 * rounds {
            if let Some(item) = queue.seized_for() {
                broken.fetch_add(queue.break_in(item).into(), Ordering::Relaxed);
            }
            thread::yield_now();
        }
    };
    thread::scope(|scope| {
        (0..2).for_each(|server| _ = scope.spawn(move || serve(server)));
        scope.spawn(break_in);
    });
    while let Some(mut dispatch) = queue.dequeue(0) {
        let key = *dispatch;
        run(key, &mut dispatch.proof());
    }
    assert_eq!((queue.len(), queue.held()), (0, 0));
    let all: u64 = runs.into_entries().into_iter().map(|(_, runs)| runs).sum();
    assert_eq!(all, expected.into_inner());
    assert!(broken.into_inner() > 0, "somebody has broken in");
}
