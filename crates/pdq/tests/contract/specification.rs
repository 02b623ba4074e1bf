//! Features of the specification alone: window, device capacity, serial order, static partitions.

use tradewind_pdq::Key;
use tradewind_pdq::specification::{Config, Specification};

use crate::dispatcher::{blocked, drain, specified, take};

const A: Key = Key::User(0xa);
const B: Key = Key::User(0xb);
const C: Key = Key::User(0xc);

fn queue(config: Config, items: &[(Key, &'static str)]) -> Specification<&'static str> {
    let mut queue = specified(config);
    for (key, item) in items {
        queue.enqueue(*key, *item);
    }
    queue
}

fn window(window: usize) -> Config {
    Config { window: Some(window), ..Config::default() }
}

#[test]
fn a_window_full_of_blocked_items_blocks_what_is_behind_it_and_is_counted() {
    let mut queue = queue(window(2), &[(A, "1"), (A, "2"), (A, "3"), (B, "4")]);
    let first = take(&mut queue, "1");
    assert!(!queue.can_dispatch(0));
    assert!(blocked(&mut queue), "4 could run but is the third that waits");
    assert_eq!(queue.statistics().blocked_by_window, 1);
    queue.complete(first);
    let second = take(&mut queue, "2");
    let fourth = take(&mut queue, "4");
    queue.complete(second);
    queue.complete(fourth);
    assert_eq!(drain(&mut queue), ["3"]);
}

#[test]
fn dispatched_items_have_left_the_window() {
    let mut queue = queue(window(1), &[(A, "1"), (B, "2"), (C, "3")]);
    let _running = ["1", "2", "3"].map(|item| take(&mut queue, item));
    assert_eq!(queue.held(), 3);
}

#[test]
fn a_sequential_item_is_no_fault_of_the_window() {
    let mut queue = queue(window(1), &[(A, "1"), (Key::Sequential, "alone"), (B, "2")]);
    let _first = take(&mut queue, "1");
    assert!(blocked(&mut queue));
    assert_eq!(queue.statistics().blocked_by_window, 0);
}

#[test]
fn what_waits_for_a_running_sequential_item_waits_for_no_key_and_no_window() {
    let mut queue = queue(window(1), &[(Key::Sequential, "alone")]);
    let _alone = take(&mut queue, "alone");
    queue.enqueue(A, "1");
    queue.enqueue(B, "2");
    assert!(blocked(&mut queue));
    let counts = queue.statistics();
    assert_eq!((counts.waited_on_sequential, counts.waited_on_key, counts.blocked_by_window), (2, 0, 0));
}

#[test]
fn a_continuation_needs_no_room_in_the_window() {
    let mut queue = queue(window(1), &[(A, "1"), (B, "2"), (A, "3")]);
    let _first = take(&mut queue, "1");
    let second = take(&mut queue, "2");
    assert!(blocked(&mut queue));
    queue.complete_with(second, "2 continues");
    assert!(queue.can_dispatch(0));
    let _continued = take(&mut queue, "2 continues");
}

#[test]
fn what_the_device_has_no_room_for_is_counted_and_beyond_search() {
    let config = Config { window: None, capacity: Some(2), ..Config::default() };
    let mut queue = queue(config, &[(A, "1"), (A, "2"), (A, "3"), (B, "4")]);
    assert_eq!((queue.statistics().spilled, queue.spilled()), (2, 2));
    let first = take(&mut queue, "1");
    assert_eq!(queue.spilled(), 1);
    assert!(blocked(&mut queue), "4 is still in memory");
    queue.complete(first);
    let _second = take(&mut queue, "2");
    assert_eq!(queue.spilled(), 0);
    let _fourth = take(&mut queue, "4");
}

#[test]
fn a_serial_queue_of_window_one_is_a_plain_fifo() {
    let config = Config { window: Some(1), serial: true, ..Config::default() };
    let mut queue = queue(config, &[(A, "1"), (B, "2"), (Key::NoSync, "3")]);
    let first = take(&mut queue, "1");
    assert!(blocked(&mut queue));
    assert!(queue.try_hold(C).is_none());
    queue.complete(first);
    assert_eq!(drain(&mut queue), ["2", "3"]);
}

#[test]
fn a_partition_is_served_by_its_own_server_only() {
    let config = Config { partitions: 2, ..Config::default() };
    let mut queue = specified(config);
    for key in 0..32 {
        queue.enqueue(Key::User(key), key);
    }
    let mut served = 0;
    for server in [0, 1] {
        while let Some((held, key)) = queue.dispatch(server) {
            assert_eq!(Key::User(key).partition(2), server);
            queue.complete(held);
            served += 1;
        }
    }
    assert_eq!(served, 32);
    assert!(queue.dispatch(2).is_none(), "a server without a partition");
}

#[test]
fn partitions_share_the_barrier_of_a_sequential_item() {
    let config = Config { partitions: 2, ..Config::default() };
    let other = (0..).map(Key::User).find(|key| key.partition(2) == 1).expect("both partitions have keys");
    let mut queue = queue(config, &[(other, "1"), (Key::Sequential, "alone"), (other, "2")]);
    assert!(!queue.can_dispatch(0), "an older item of the other partition waits");
    let (first, _) = queue.dispatch(1).expect("nothing is older");
    assert!(!queue.can_dispatch(0) && !queue.can_dispatch(1));
    queue.complete(first);
    assert!(!queue.can_dispatch(1), "the barrier holds there too");
    let alone = take(&mut queue, "alone");
    queue.complete(alone);
    assert!(queue.can_dispatch(1));
}

#[test]
fn keys_that_are_addresses_spread_over_partitions() {
    for shift in 0..40 {
        let mut counts = [0; 4];
        for i in 0..1024_u64 {
            counts[Key::User(i << shift).partition(4)] += 1;
        }
        assert!(
            counts.iter().all(|count| (192..=320).contains(count)),
            "{counts:?} for multiples of 2^{shift}"
        );
    }
}

#[test]
#[should_panic(expected = "cannot be given back")]
fn a_token_of_another_dispatcher_is_refused() {
    let [mut one, mut other] = [queue(window(1), &[(A, "1")]), queue(window(1), &[(A, "1")])];
    let held = take(&mut one, "1");
    other.complete(held);
}

#[test]
#[should_panic(expected = "window or a capacity of 0")]
fn a_window_of_nothing_is_refused() {
    queue(window(0), &[]);
}
