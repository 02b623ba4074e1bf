//! Features of workers alone: batches, the rest of a batch when a handler keeps its key, and the buffer.
//!
//! All on one thread: a second worker is served from inside a handler of the first, so the overlap is the same each time.
//! This module must never know how a worker finds its batches.

use std::cell::RefCell;

use tradewind_pdq::{Handling, Held, Key, Queue, Worker};

use crate::dispatcher::concurrent;

const A: Key = Key::User(0xa);

/// Runs a worker until it finds no item; returns the items in order.
fn drained<T>(worker: &mut Worker<'_, T>) -> Vec<T> {
    let mut order = Vec::new();
    while worker.serve(|item, _| order.push(item)) > 0 {}
    order
}

/// A worker that takes several items at a time: claims grow as long as handlers are short.
fn warm<'q>(queue: &'q Queue<u32>, server: usize) -> Worker<'q, u32> {
    let mut worker = queue.worker(server);
    for _ in 0..64 {
        (0..8).for_each(|_| queue.enqueue(A, u32::MAX));
        drained(&mut worker);
    }
    worker
}

/// Serves `queue` with a worker whose first claim has several items, and does `first` in the handler of item 0.
/// Returns the order of all other items that this worker and a `thief` have run.
fn order_when_the_first<'q>(
    queue: &'q Queue<u32>,
    mut first: impl FnMut(Handling<'_, 'q, u32>, &mut dyn FnMut()),
) -> Vec<u32> {
    let order = RefCell::new(Vec::new());
    let mut worker = warm(queue, 0);
    let mut thief = warm(queue, 1);
    // More than one claim can have.
    (0..200).for_each(|item| queue.enqueue(A, item));
    let mut handler = |item: u32, handling: Handling<'_, 'q, u32>| match item {
        0 => first(handling, &mut || while thief.serve(|item, _| order.borrow_mut().push(item)) > 0 {}),
        _ => order.borrow_mut().push(item),
    };
    while worker.serve(&mut handler) > 0 {}
    order.into_inner()
}

#[test]
fn a_continuation_that_another_worker_takes_brings_nothing_of_its_key_ahead_of_its_batch() {
    let queue = concurrent();
    let order = order_when_the_first(&queue, |handling, steal| {
        handling.continue_with(1000);
        steal();
    });
    assert!(order.into_iter().eq((0..200).map(|item| if item == 0 { 1000 } else { item })));
}

#[test]
fn a_continuation_without_a_key_is_served_while_another_claim_of_its_lane_runs() {
    let queue = concurrent();
    // As many as there are lanes at most: one of them comes from the lane of `A`.
    let mut free: Vec<Held> = Vec::new();
    (0..256).for_each(|_| queue.enqueue(Key::NoSync, 0));
    while let Some(dispatch) = queue.dequeue(0) {
        free.push(dispatch.into_parts().1);
    }
    let mut thief = queue.worker(1);
    let mut worker = queue.worker(0);
    queue.enqueue(A, 1);
    let mut served = 0;
    worker.serve(|_, _| {
        free.drain(..).for_each(|held| queue.complete_with(held, 2));
        loop {
            match thief.serve(|_, _| ()) {
                0 => break,
                more => served += more,
            }
        }
    });
    assert_eq!(served, 256, "all of them can be run");
}

#[test]
fn what_a_worker_has_in_its_buffer_when_it_pauses_takes_its_place_and_others_may_run_it() {
    let queue = concurrent();
    let mut worker = queue.worker(0);
    (0..3).for_each(|item| worker.enqueue(A, item));
    let paused = worker.pause();
    queue.enqueue(A, 3);
    // Another may even stand for the same server.
    assert_eq!(drained(&mut queue.worker(0)), [0, 1, 2, 3]);
    let mut worker = queue.resume(paused);
    worker.enqueue(A, 4);
    assert_eq!(drained(&mut worker), [4]);
}

#[test]
#[should_panic(expected = "a worker of another queue")]
fn a_worker_goes_on_at_its_own_queue_only() {
    let paused = concurrent::<u32>().worker(0).pause();
    concurrent().resume(paused);
}
