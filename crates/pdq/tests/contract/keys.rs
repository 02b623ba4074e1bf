//! Keys that are not plain numbers: found by all of themselves, hashed by as much as they say.
//!
//! This module must never know how keys are hashed, only which of them share a hash.

use std::collections::HashMap;

use tradewind_pdq::specification::{self, Specification};
use tradewind_pdq::{DispatcherId, Executor, Key, Keyed, Queue, Serial, execute, lawful, queue};

lawful! {
    /// Numbers of several spaces, spread as the bare number.
    #[derive(Debug, PartialOrd, Ord)]
    pub(crate) struct Name { space: u32, number: u64 }
    hash(number)
}

lawful! {
    #[derive(Debug, PartialOrd, Ord)]
    enum Party { Bank, Broker(u16), Private { client: u32, name: &'static str } }
}

lawful! {
    #[derive(Debug)]
    struct Symbol(u32);
}

fn name(space: u32, number: u64) -> Key<Name> {
    Key::User(Name { space, number })
}

#[test]
fn keys_that_share_a_hash_share_nothing_else() {
    let queue = Queue::with_keys(DispatcherId::fresh(), queue::Config::servers(2));
    queue.enqueue(name(1, 5), "first");
    queue.enqueue(name(2, 5), "other");
    queue.enqueue(name(1, 5), "second");
    let first = queue.dequeue(0).expect("nothing is held");
    let other = queue.dequeue(1).expect("another space");
    assert_eq!((*first, *other), ("first", "other"));
    assert!(queue.dequeue(0).is_none(), "the rest has a key that is held");
    assert!(queue.try_hold(name(2, 5)).is_none());
    let held = queue.try_hold(name(3, 5)).expect("nobody has it");
    assert!(queue.try_hold(name(3, 5)).is_none());
    queue.complete(held);
    drop(first);
    assert_eq!(queue.dequeue(0).as_deref(), Some(&"second"));
}

#[test]
fn the_specification_tells_names_apart() {
    let config = specification::Config { partitions: 3, ..specification::Config::default() };
    let mut queue = Specification::with_keys(DispatcherId::fresh(), config);
    let home = Key::User(5_u64).partition(3);
    for space in [1, 2, 1] {
        queue.enqueue(name(space, 5), space);
    }
    let (one, _) = queue.dispatch(home).expect("nothing is held");
    let (two, space) = queue.dispatch(home).expect("another space");
    assert_eq!(space, 2);
    assert!(queue.dispatch(home).is_none());
    queue.complete(one);
    queue.complete(two);
    assert!(queue.dispatch(home).is_some());
}

#[test]
fn a_partition_is_that_of_the_words_that_are_hashed() {
    for number in [0, 1, 0x40, 0x1000, u64::MAX] {
        for partitions in [1, 2, 3, 7, 64] {
            let expected = Key::User(number).partition(partitions);
            assert_eq!(name(0, number).partition(partitions), expected);
            assert_eq!(name(9, number).partition(partitions), expected);
        }
    }
}

#[test]
fn several_words_spread_over_all_partitions() {
    let mut counts = HashMap::new();
    for client in 0..32_u32 {
        for number in 0..32_u64 {
            *counts.entry(Key::User((client * 64, number << 12)).partition(8)).or_insert(0) += 1;
        }
    }
    assert_eq!(counts.len(), 8);
    assert!(counts.values().all(|count| (96..=160).contains(count)), "{counts:?}");
}

#[test]
fn a_dense_table_begins_in_one_space() {
    let mut serial = Serial::with_keys(DispatcherId::fresh());
    let first = Name { space: 4, number: 10 };
    let table = Keyed::dense(serial.id(), first, 3, |name: Name| name.number);
    let address = std::ptr::from_mut(table.get(&mut serial.hold(name(4, 11))));
    *table.get(&mut serial.hold(name(4, 12))) += 100;
    assert_eq!(address, std::ptr::from_mut(table.get(&mut serial.hold(name(4, 11)))), "entries stay");
    let entries: Vec<_> =
        table.into_entries().into_iter().map(|(name, n)| (name.space, name.number, n)).collect();
    assert_eq!(entries, [(4, 10, 10), (4, 11, 11), (4, 12, 112)]);
}

#[test]
#[should_panic(expected = "is outside the table: it has 3 keys from")]
fn a_dense_table_has_no_entry_of_another_space() {
    let mut serial = Serial::with_keys(DispatcherId::fresh());
    let table = Keyed::dense(serial.id(), Name { space: 4, number: 10 }, 3, |_| ());
    table.get(&mut serial.hold(name(5, 11)));
}

#[test]
#[should_panic(expected = "3 keys from \"anchor\" up exceed the range of a key")]
fn a_dense_table_needs_keys_with_steps() {
    let _table = Keyed::dense(DispatcherId::fresh().id(), "anchor", 3, |_| ());
}

#[test]
fn sequential_sees_all_entries_in_order() {
    let queue: Queue<(), Party> = Queue::with_keys(DispatcherId::fresh(), queue::Config::servers(1));
    let table = Keyed::sparse(queue.id(), |_| 0);
    let parties = [Party::Private { client: 1, name: "ann" }, Party::Broker(7), Party::Bank];
    for (party, sum) in parties.into_iter().zip(1..) {
        let mut held = queue.try_hold(Key::User(party)).expect("nothing is held");
        *table.get(&mut held.proof()) = sum;
        queue.complete(held);
    }
    queue.close();
    let mut held = queue.try_hold(Key::Sequential).expect("the queue is quiet, be it closed or not");
    let mut proof = held.proof();
    let mut entries: Vec<_> = table.entries(&mut proof).collect();
    entries.iter_mut().for_each(|(_, sum)| **sum *= 10);
    assert_eq!(
        entries,
        [
            (Party::Bank, &mut 30),
            (Party::Broker(7), &mut 20),
            (Party::Private { client: 1, name: "ann" }, &mut 10)
        ]
    );
    queue.complete(held);
}

/// Miri takes its time.
const ITEMS: u64 = if cfg!(miri) { 200 } else { 3000 };

#[test]
fn threads_run_items_of_any_key() {
    let queue = Queue::with_keys(DispatcherId::fresh(), queue::Config::servers(2));
    let sums = Keyed::sparse(queue.id(), |_| Vec::new());
    execute(
        &queue,
        |n: u64, mut handling| sums.get(&mut handling.proof()).push(n),
        || {
            let mut producer = queue.producer();
            for n in 0..ITEMS {
                producer.enqueue(Key::User(Symbol((n % 7) as u32)), n);
                producer.enqueue(if n % 97 == 0 { Key::Sequential } else { Key::User(Symbol(8)) }, n);
            }
        },
    )
    .expect_err("SEQUENTIAL names no entry");
    let mut held = queue.try_hold(Key::Sequential).expect("all is done");
    for symbol in 0..7 {
        let expected: Vec<_> = (0..ITEMS).filter(|n| n % 7 == symbol).collect();
        assert_eq!(*sums.get_any(&mut held.proof(), Symbol(symbol as u32)), expected, "in order");
    }
    queue.complete(held);
}

#[test]
fn an_aborted_executor_hands_whole_keys_back() {
    let queue = Queue::with_keys(DispatcherId::fresh(), queue::Config::servers(1));
    let held = queue.try_hold(name(1, 1)).expect("nothing is held");
    let executor = Executor::start(queue, |_: (), _| ());
    executor.queue().enqueue(name(1, 1), ());
    assert_eq!(executor.abort(), [(name(1, 1), ())]);
    drop(held);
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Nothing;

#[test]
fn keys_and_items_without_a_size_are_keys_and_items() {
    fn serve<K: tradewind_pdq::UserKey + Send + std::fmt::Debug + 'static>(key: K) {
        // More than a block of the inbox has room for.
        const ITEMS: usize = 1000;
        let queue = Queue::with_keys(DispatcherId::fresh(), queue::Config::servers(1));
        (0..ITEMS).for_each(|_| queue.enqueue(Key::User(key), ()));
        queue.enqueue(Key::Sequential, ());
        queue.enqueue(Key::NoSync, ());
        let mut worker = queue.worker(0);
        let mut served = 0;
        while worker.serve(|(), _| served += 1) > 0 {}
        assert_eq!(served, ITEMS + 2);
        assert!(queue.is_empty());
    }
    serve(());
    serve(Nothing);
}

thread_local! {
    /// Number of comparisons and hashes of [`Brittle`] keys until the next one panics; 0: none does.
    static LEFT: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// A key whose equality and hash panic now and then.
#[derive(Clone, Copy, Debug)]
struct Brittle(u64);

impl Brittle {
    fn wear() {
        let left = LEFT.get();
        LEFT.set(left.saturating_sub(1));
        assert!(left != 1, "a brittle key");
    }
}

impl PartialEq for Brittle {
    fn eq(&self, other: &Self) -> bool {
        Self::wear();
        self.0 == other.0
    }
}

impl Eq for Brittle {}

impl std::hash::Hash for Brittle {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        Self::wear();
        self.0.hash(state);
    }
}

#[test]
fn items_are_dropped_once_whenever_a_key_panics() {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;
    const ITEMS: u64 = 40;
    let mut panics = 0;
    for wear in 1..200 {
        let item = Arc::new(());
        LEFT.set(0);
        let queue = Queue::with_keys(DispatcherId::fresh(), queue::Config::servers(2));
        LEFT.set(wear);
        for number in 0..ITEMS {
            let enqueue = || queue.enqueue(Key::User(Brittle(number % 7)), Arc::clone(&item));
            panics += u32::from(catch_unwind(AssertUnwindSafe(enqueue)).is_err());
        }
        for turn in 0..2 * ITEMS {
            let dispatch = || drop(queue.dequeue(turn as usize % 2));
            panics += u32::from(catch_unwind(AssertUnwindSafe(dispatch)).is_err());
        }
        let drops = catch_unwind(AssertUnwindSafe(|| drop(queue)));
        assert!(drops.is_ok() && Arc::strong_count(&item) == 1, "wear {wear}");
    }
    assert!(panics > 50, "{panics} panics");
}
