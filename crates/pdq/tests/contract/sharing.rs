//! Shared claims: when an item takes long, another worker takes the claim's items behind it, and items with the keys
//! of the items before it.
//!
//! All on one thread: a second server is at work inside a handler of the first.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tradewind_pdq::{DispatcherId, Handling, Held, Key, Queue, queue};

/// An item of the worker that is not told of.
const BEFORE: u32 = u32::MAX;

fn queue() -> Queue<u32> {
    let config = queue::Config { shares_claims: true, ..queue::Config::servers(2) };
    Queue::new(DispatcherId::fresh(), config)
}

/// The key of that number of one lane.
fn key(number: usize) -> Key {
    // At most 256 lanes, of which there is a power of two.
    (0..).map(Key::User).filter(|key| key.partition(256) == 0).nth(number).expect("there are many")
}

/// The items that have been run, in order.
type Order = RefCell<Vec<u32>>;

/// The action of a test in an item.
type During<'d, 'q> = &'d dyn Fn(u32, Handling<'_, 'q, u32>, &Order);

/// Serves items of the given keys in one claim, running `handle` in each, and the rest afterwards; returns the items
/// in the order in which they have been run.
fn served<'q>(queue: &'q Queue<u32>, keys: &[usize], handle: During<'_, 'q>) -> Vec<u32> {
    let mut worker = queue.worker(0);
    let mut serve_all = |handle: &dyn Fn(u32, Handling<'_, 'q, u32>)| while worker.serve(handle) > 0 {};
    // Brief ones make the next claims large.
    for _ in 0..64 {
        (0..8).for_each(|_| queue.enqueue(key(0), BEFORE));
        serve_all(&|_, _| ());
    }
    let order = Order::default();
    (0..).zip(keys).for_each(|(item, number)| queue.enqueue(key(*number), item));
    serve_all(&|item, handling| {
        order.borrow_mut().push(item);
        handle(item, handling, &order);
    });
    order.into_inner()
}

/// Takes all that another server can take.
fn steal(queue: &Queue<u32>, order: &Order) {
    while queue.search(1) {
        let dispatch = queue.dequeue(1).expect("something has been found");
        order.borrow_mut().push(*dispatch);
    }
}

#[test]
fn what_is_not_begun_behind_a_long_item_is_taken_by_another_server() {
    let queue = queue();
    let order = served(&queue, &[1, 2, 1, 3, 2], &|item, _, order| {
        if item == 0 {
            steal(&queue, order);
        }
    });
    let place = |item: u32| order.iter().position(|run| *run == item).unwrap();
    assert!(place(1) < place(4), "{order:?}: items of one key run in order");
    assert_eq!((place(0), place(2)), (0, 4), "{order:?}: what has the key of the long one waits for it");
    assert_eq!((queue.len(), queue.held()), (0, 0));
}

#[test]
fn the_key_of_an_item_that_is_done_is_free_behind_it() {
    let queue = queue();
    let order = served(&queue, &[1, 2, 3], &|item, mut handling, order| match item {
        // It has its place when the key is free.
        0 => handling.enqueue(key(1), 10),
        1 => {
            queue.enqueue(key(1), 11);
            steal(&queue, order);
            assert!(queue.try_hold(key(2)).is_none(), "that one runs");
        }
        _ => (),
    });
    assert_eq!(order, [0, 1, 2, 10, 11]);
    assert_eq!((queue.len(), queue.held()), (0, 0));
}

#[test]
fn a_key_that_an_item_has_kept_stays_held() {
    let queue = queue();
    let kept: RefCell<Option<Held>> = RefCell::default();
    let order = served(&queue, &[1, 2, 1], &|item, handling, order| match item {
        0 => *kept.borrow_mut() = Some(handling.keep()),
        1 => {
            steal(&queue, order);
            assert_eq!(*order.borrow(), [0, 1]);
            queue.complete(kept.take().expect("the first has kept it"));
        }
        _ => (),
    });
    assert_eq!(order, [0, 1, 2]);
    assert_eq!((queue.len(), queue.held()), (0, 0));
}

#[test]
fn a_sequential_item_waits_for_all_of_a_claim_that_has_been_split() {
    let queue = queue();
    let order = served(&queue, &[1, 2, 3], &|item, _, order| {
        if item == 1 {
            queue.enqueue(Key::Sequential, 20);
            steal(&queue, order);
            assert_eq!(*order.borrow(), [0, 1, 2], "not before this one is done");
        }
    });
    assert_eq!(order, [0, 1, 2, 20]);
}

/// Two workers, of which one is at an item that goes on until another one has run, again and again.
#[test]
fn an_item_that_goes_on_until_another_has_run_ends() {
    const PATIENCE: Duration = Duration::from_secs(20);
    let rounds = if cfg!(miri) { 3 } else { 300 };
    let queue = queue();
    let (released, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let in_vain = AtomicBool::new(false);
    let serve = |server: usize| {
        queue.worker(server).run(|item, _| {
            let start = Instant::now();
            while u64::from(item) > released.load(Ordering::Acquire) && item != BEFORE {
                in_vain.fetch_or(start.elapsed() > PATIENCE, Ordering::Relaxed);
                if in_vain.load(Ordering::Relaxed) {
                    break;
                }
                thread::yield_now();
            }
            released.fetch_add(u64::from(item == 0), Ordering::Release);
            done.fetch_add(1, Ordering::Release);
        });
    };
    thread::scope(|scope| {
        (0..2).for_each(|server| _ = scope.spawn(move || serve(server)));
        let mut sent = 0;
        for round in 1..=rounds {
            let before = (0..(round % 40)).map(|at| (key(3 + at as usize), BEFORE));
            for (key, item) in before.chain([(key(1), round), (key(2), 0)]) {
                queue.enqueue(key, item);
                sent += 1;
            }
            while done.load(Ordering::Acquire) < sent {
                thread::yield_now();
            }
        }
        queue.close();
    });
    assert!(!in_vain.into_inner(), "an item has waited for one of another key");
}
