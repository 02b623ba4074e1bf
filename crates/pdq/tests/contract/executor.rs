//! Threads of the crate's executor: they report panics, hand back items that were not run, and end in any case.
//!
//! This module must never know how the queue orders items.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use tradewind_pdq::{DispatcherId, Executor, Handling, Key, Queue, execute, queue};

const A: Key = Key::User(0xa);

fn queue<T>() -> Queue<T> {
    Queue::new(DispatcherId::fresh(), queue::Config::servers(2))
}

/// Counts its calls in `count`, and panics with the items that are texts.
fn counting(
    count: &AtomicUsize,
) -> impl Fn(Option<&'static str>, Handling<'_, '_, Option<&'static str>>) + Sync {
    |item, _| {
        count.fetch_add(1, Ordering::Relaxed);
        if let Some(text) = item {
            resume_unwind(Box::new(text));
        }
    }
}

#[test]
fn execute_runs_everything_and_returns_what_was_produced() {
    let (queue, count) = (queue(), AtomicUsize::new(0));
    let produced = execute(&queue, counting(&count), || {
        (0..100).for_each(|key| queue.enqueue(Key::User(key), None));
        "produced"
    });
    assert_eq!(produced.ok(), Some("produced"));
    assert_eq!(count.into_inner(), 100);
    assert!(queue.is_closed());
}

#[test]
fn execute_reports_panics_after_all_else_was_run() {
    let (queue, count) = (queue(), AtomicUsize::new(0));
    let outcome = execute(&queue, counting(&count), || {
        queue.enqueue(A, Some("broken"));
        (0..100).for_each(|_| queue.enqueue(A, None));
    });
    let panicked = outcome.expect_err("a handler has panicked");
    assert_eq!(panicked.to_string(), "a handler panicked with: broken");
    let payloads = panicked.into_payloads();
    assert_eq!(payloads.len(), 1);
    assert_eq!(payloads[0].downcast_ref(), Some(&"broken"));
    assert_eq!((count.into_inner(), queue.statistics().panicked), (101, 1));
}

#[test]
fn a_panic_of_who_produces_comes_out_after_all_else_was_run() {
    let (queue, count) = (queue(), AtomicUsize::new(0));
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        execute(&queue, counting(&count), || {
            (0..100).for_each(|_| queue.enqueue(A, None));
            resume_unwind(Box::new("of the producer"));
        })
    }));
    assert_eq!(outcome.expect_err("it panics").downcast_ref(), Some(&"of the producer"));
    assert_eq!(count.into_inner(), 100);
}

/// An executor whose handlers count, and the count.
fn started() -> (Executor<Option<&'static str>>, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let into = count.clone();
    (Executor::start(queue(), move |item, handling| counting(&into)(item, handling)), count)
}

#[test]
fn finishing_runs_everything_and_reports_panics() {
    let (executor, count) = started();
    (0..100).for_each(|key| executor.queue().enqueue(Key::User(key % 7), (key == 50).then_some("broken")));
    let panicked = executor.finish().expect_err("a handler has panicked");
    assert_eq!(panicked.into_payloads()[0].downcast_ref(), Some(&"broken"));
    assert_eq!(count.load(Ordering::Relaxed), 100);
    assert_eq!(Arc::strong_count(&count), 1, "the threads have ended");
}

#[test]
fn dropping_an_executor_runs_everything() {
    let (executor, count) = started();
    (0..100).for_each(|key| executor.queue().enqueue(Key::User(key % 7), (key == 50).then_some("broken")));
    drop(executor);
    assert_eq!((count.load(Ordering::Relaxed), Arc::strong_count(&count)), (100, 1));
}

#[test]
fn aborting_hands_back_in_order_what_was_not_run_also_what_the_last_handlers_enqueue() {
    let (starts, started) = channel();
    let executor = Executor::start(queue(), move |n: u32, mut handling: Handling<'_, '_, u32>| {
        starts.send(n).expect("the test listens");
        // An abort closes the queue after it has stopped it.
        while !handling.queue().is_closed() {
            std::thread::yield_now();
        }
        handling.enqueue(A, n + 1000);
    });
    executor.queue().enqueue(A, 0);
    assert_eq!(started.recv(), Ok(0));
    (1..100).for_each(|n| executor.queue().enqueue(A, n));
    let aborting = std::thread::spawn(move || executor.abort());
    let back = aborting.join().expect("it hands back");
    let ran: Vec<_> = std::iter::once(0).chain(started.iter()).collect();
    let items: Vec<_> =
        back.into_iter().map(|(key, n)| (key == A).then_some(n).expect("there is one key")).collect();
    let ran_not = ran.len() as u32..100;
    assert!(ran.iter().copied().eq(0..ran_not.start), "in order");
    assert!(
        items.iter().copied().eq(ran_not.clone().chain((0..ran_not.start).map(|n| n + 1000))),
        "{items:?}"
    );
}

#[test]
fn aborting_ends_also_when_a_running_handler_continues() {
    let (go, may_go) = channel::<()>();
    let (starts, started) = channel();
    let may_go = Mutex::new(may_go);
    let executor = Executor::start(queue(), move |n: u32, handling: Handling<'_, '_, u32>| {
        starts.send(n).expect("the test listens");
        // Returns when the test lets go of the other end.
        let _ = may_go.lock().expect("nobody panics").recv();
        handling.continue_with(n + 1);
    });
    executor.queue().enqueue(A, 0);
    assert_eq!(started.recv(), Ok(0));
    let aborting = std::thread::spawn(move || executor.abort());
    std::thread::sleep(std::time::Duration::from_millis(20));
    drop(go);
    let back = aborting.join().expect("it hands back");
    let ran = 1 + started.iter().count() as u32;
    assert_eq!(back, [(A, ran)]);
}
