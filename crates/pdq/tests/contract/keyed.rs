//! Tables opened by proof: the entries, the refusals, and the rights of foreign code inside them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use tradewind_pdq::{DispatcherId, Held, Key, Keyed, Queue, Serial};

use crate::dispatcher::concurrent;

fn serial() -> Serial {
    Serial::new(DispatcherId::fresh())
}

#[test]
fn each_key_has_its_own_entry() {
    let mut serial = serial();
    let tables = [Keyed::dense(serial.id(), 10, 3, |key| key), Keyed::sparse(serial.id(), |key| key)];
    for table in tables {
        for key in [12, 10, 11] {
            *table.get(&mut serial.hold(Key::User(key))) += 100;
        }
        *table.get_any(&mut serial.hold(Key::Sequential), 11) += 1000;
        assert_eq!(table.into_entries(), [(10, 110), (11, 1111), (12, 112)]);
    }
}

#[test]
fn what_is_prefetched_stays_as_it_is_and_need_not_exist() {
    let tables = [
        (Keyed::dense(serial().id(), 10, 2, |key| key), vec![(10, 10), (11, 11)]),
        (Keyed::sparse(serial().id(), |key| key), vec![]),
    ];
    for (table, entries) in tables {
        [0, 9, 10, 11, 12, u64::MAX].into_iter().for_each(|key| table.prefetch(key));
        assert_eq!(table.into_entries(), entries);
    }
}

#[test]
fn sparse_entries_are_made_once_on_first_use_and_listed_in_ascending_order() {
    let mut serial = serial();
    let made = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&made);
    let mut table = Keyed::sparse(serial.id(), move |key| {
        count.fetch_add(1, Ordering::Relaxed);
        key * 2
    });
    for key in (0..100).rev().chain(0..100) {
        assert_eq!(*table.get(&mut serial.hold(Key::User(key))), key * 2);
    }
    assert_eq!(made.load(Ordering::Relaxed), 100);
    assert!(table.iter_mut().map(|(key, value)| (key, *value)).eq((0..100).map(|key| (key, key * 2))));
}

#[test]
fn a_group_of_entries_comes_new_and_goes_whole() {
    let mut serial = serial();
    let table = Keyed::grouped(serial.id(), 100, 10, 4, |key| vec![key], |first| first == 104);
    let has = |serial: &mut Serial, key| table.has_entry(&serial.hold(Key::User(key)));
    assert!([99, 100, 103, 108, 109, 110].into_iter().all(|key| !has(&mut serial, key)));
    assert!((104..108).all(|key| has(&mut serial, key)));
    // The last group is shorter.
    table.open_group(&mut serial.hold(Key::Sequential), 109);
    assert!(has(&mut serial, 108) && has(&mut serial, 109) && !has(&mut serial, 110));
    table.get(&mut serial.hold(Key::User(109))).push(1);
    table.open_group(&mut serial.hold(Key::Sequential), 108);
    assert_eq!(*table.get(&mut serial.hold(Key::User(109))), [109, 1], "a group that is open stays");
    table.close_group(&mut serial.hold(Key::Sequential), 108);
    table.close_group(&mut serial.hold(Key::Sequential), 108);
    assert!(!table.has_any(&serial.hold(Key::Sequential), 109));
    table.open_group(&mut serial.hold(Key::Sequential), 108);
    assert_eq!(*table.get_any(&mut serial.hold(Key::Sequential), 109), [109], "it comes back new");
    let all: Vec<_> = table.entries(&mut serial.hold(Key::Sequential)).map(|(key, _)| key).collect();
    assert_eq!(all, [104, 105, 106, 107, 108, 109]);
    assert_eq!(table.into_entries().len(), 6);
}

#[test]
fn a_closed_group_has_no_entries() {
    for (key, says) in [
        (3, "key 0x3 has no entry: its group of 4 keys is closed"),
        (8, "key 0x8 is outside the table: it has 8 keys from 0x0 up"),
    ] {
        let mut serial = serial();
        let table = Keyed::grouped(serial.id(), 0, 8, 4, |_| (), |_| false);
        let reach = || *table.get(&mut serial.hold(Key::User(key)));
        let panic = catch_unwind(AssertUnwindSafe(reach)).unwrap_err();
        assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some(says));
    }
}

#[test]
#[should_panic(expected = "only SEQUENTIAL reaches a group of entries")]
fn a_group_is_opened_by_who_runs_alone() {
    let mut serial = serial();
    let table = Keyed::grouped(serial.id(), 0, 8, 4, |_| (), |_| false);
    table.open_group(&mut serial.hold(Key::User(0)), 0);
}

/// Servers add to entries while others open and close the groups around them: no entry is reached while its group goes.
#[test]
fn groups_come_and_go_while_other_entries_are_used() {
    const GROUPS: u64 = 8;
    let queue = concurrent::<u64>();
    let table = Keyed::grouped(queue.id(), 0, GROUPS as usize * 4, 4, |_| 0_u64, |_| true);
    let added = AtomicU32::new(0);
    let rounds = if_miri(60, 20_000);
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let (queue, table, added) = (&queue, &table, &added);
            scope.spawn(move || {
                for round in 0..rounds {
                    let key = (round * 7 + thread * 11) % (GROUPS * 4);
                    if let Some(mut held) = queue.try_hold(Key::User(key)) {
                        if table.has_entry(&held.proof()) {
                            *table.get(&mut held.proof()) += 1;
                            added.fetch_add(1, Ordering::Relaxed);
                        }
                        queue.complete(held);
                    }
                    if round % 5 == thread
                        && let Some(mut held) = queue.try_hold(Key::Sequential)
                    {
                        let mut proof = held.proof();
                        if table.has_any(&proof, key) && key.is_multiple_of(2) {
                            let sum: u64 = (key / 4 * 4..key / 4 * 4 + 4)
                                .map(|key| *table.get_any(&mut proof, key))
                                .sum();
                            added.fetch_sub(sum as u32, Ordering::Relaxed);
                            table.close_group(&mut proof, key);
                        } else {
                            table.open_group(&mut proof, key);
                        }
                        queue.complete(held);
                    }
                }
            });
        }
    });
    let left: u64 = table.into_entries().into_iter().map(|(_, count)| count).sum();
    assert_eq!(left, u64::from(added.load(Ordering::Relaxed)), "what is left is what nobody dropped");
}

#[test]
fn entries_stay_where_they_are_while_the_table_grows() {
    let queue = concurrent::<()>();
    let table = Keyed::sparse(queue.id(), |key| key);
    let mut first = queue.try_hold(Key::User(0)).expect("the queue is empty");
    let mut proof = first.proof();
    let entry = table.get(&mut proof);
    for key in 1..if_miri(200, 10_000) {
        let mut held = queue.try_hold(Key::User(key)).expect("nobody holds this key");
        *table.get(&mut held.proof()) += 1;
        queue.complete(held);
    }
    *entry = 7;
    queue.complete(first);
    assert_eq!(table.into_entries()[0], (0, 7));
}

fn if_miri(small: u64, full: u64) -> u64 {
    if cfg!(miri) { small } else { full }
}

#[test]
fn a_table_may_reach_to_the_last_key() {
    let mut serial = serial();
    let mut table = Keyed::dense(serial.id(), u64::MAX - 1, 2, |_| 0);
    *table.get(&mut serial.hold(Key::User(u64::MAX))) = 1;
    assert_eq!(table.iter_mut().map(|(key, _)| key).collect::<Vec<_>>(), [u64::MAX - 1, u64::MAX]);
    assert_eq!(table.into_entries(), [(u64::MAX - 1, 0), (u64::MAX, 1)]);
}

#[test]
#[should_panic(expected = "exceed the range of a key")]
fn a_table_beyond_the_last_key_is_refused() {
    Keyed::dense(serial().id(), u64::MAX, 2, |_| 0);
}

#[test]
fn an_initializer_that_panics_leaves_the_table_usable() {
    let mut serial = serial();
    let broken = Arc::new(AtomicBool::new(true));
    let switch = Arc::clone(&broken);
    let table = Keyed::sparse(serial.id(), move |_| assert!(!switch.load(Ordering::Relaxed), "not yet"));
    let outcome = catch_unwind(AssertUnwindSafe(|| *table.get(&mut serial.hold(Key::User(1)))));
    assert!(outcome.is_err());
    broken.store(false, Ordering::Relaxed);
    table.get(&mut serial.hold(Key::User(1)));
    assert_eq!(table.into_entries(), [(1, ())]);
}

/// The table an initializer comes back to, and the token it may use there.
struct Reentry {
    table: OnceLock<Keyed<u64>>,
    other: Mutex<Option<Held>>,
}

#[test]
fn an_initializer_may_come_back_to_the_table_for_another_key() {
    let queue = concurrent::<()>();
    let reentry =
        Arc::new(Reentry { table: OnceLock::new(), other: Mutex::new(queue.try_hold(Key::User(2))) });
    let inside = Arc::downgrade(&reentry);
    let table = Keyed::sparse(queue.id(), move |key| {
        if key == 2 {
            return 20;
        }
        let inside = inside.upgrade().expect("the test holds it");
        let mut other = inside.other.lock().expect("nobody panics").take().expect("taken once");
        key + *inside.table.get().expect("set below").get(&mut other.proof())
    });
    assert!(reentry.table.set(table).is_ok());
    let mut held = queue.try_hold(Key::User(1)).expect("nobody holds this key");
    assert_eq!(*reentry.table.get().expect("just set").get(&mut held.proof()), 21);
}

fn opened(key: Key, open: impl FnOnce(&Keyed<u32>, &mut Serial)) {
    let mut serial = serial();
    let table = Keyed::dense(serial.id(), 0x10, 2, |_| 0);
    open(&table, &mut serial);
    table.get(&mut serial.hold(key));
}

#[test]
#[should_panic(expected = "NOSYNC holds no key")]
fn nosync_reaches_no_entry() {
    opened(Key::NoSync, |_, _| ());
}

#[test]
#[should_panic(expected = "SEQUENTIAL names no entry")]
fn sequential_must_say_which_entry() {
    opened(Key::Sequential, |_, _| ());
}

#[test]
#[should_panic(expected = "key 0x12 is outside the table: it has 2 keys from 0x10 up")]
fn a_key_above_a_dense_table_is_refused() {
    opened(Key::User(0x12), |_, _| ());
}

#[test]
#[should_panic(expected = "key 0xf is outside the table")]
fn a_key_below_a_dense_table_is_refused() {
    opened(Key::User(0xf), |_, _| ());
}

#[test]
#[should_panic(expected = "only SEQUENTIAL reaches the entry of any key, but 0x10 is held")]
fn a_user_key_does_not_reach_the_entry_of_any_key() {
    opened(Key::User(0x10), |table, serial| {
        table.get_any(&mut serial.hold(Key::User(0x10)), 0x10);
    });
}

#[test]
fn sequential_reaches_all_entries_at_once() {
    let mut serial = serial();
    let dense = Keyed::dense(serial.id(), u64::MAX - 1, 2, |_| 1);
    let sparse = Keyed::sparse(serial.id(), |key| key);
    for key in [300, 5, 80] {
        sparse.get(&mut serial.hold(Key::User(key)));
    }
    for table in [&dense, &sparse] {
        let mut proof = serial.hold(Key::Sequential);
        let all: Vec<_> = table.entries(&mut proof).collect();
        all.into_iter().for_each(|(_, entry)| *entry += 1);
    }
    assert_eq!(dense.into_entries(), [(u64::MAX - 1, 2), (u64::MAX, 2)]);
    assert_eq!(sparse.into_entries(), [(5, 6), (80, 81), (300, 301)]);
}

#[test]
#[should_panic(expected = "only SEQUENTIAL reaches all entries, but 0x10 is held")]
fn a_user_key_does_not_reach_all_entries() {
    opened(Key::User(0x10), |table, serial| {
        table.entries(&mut serial.hold(Key::User(0x10))).for_each(drop);
    });
}

#[test]
#[should_panic(expected = "the table belongs to")]
fn a_proof_of_another_dispatcher_does_not_reach_all_entries() {
    opened(Key::User(0x10), |table, _| {
        table.entries(&mut serial().hold(Key::Sequential)).for_each(drop);
    });
}

#[test]
#[should_panic(expected = "the table belongs to")]
fn a_proof_of_another_dispatcher_is_refused() {
    opened(Key::User(0x10), |table, _| {
        table.get(&mut serial().hold(Key::User(0x10)));
    });
}

#[test]
fn a_proof_can_be_lent_on_and_used_again() {
    fn add(table: &Keyed<u32>, mut proof: tradewind_pdq::Proof<'_>) {
        *table.get(&mut proof) += 1;
    }
    let mut serial = serial();
    let table = Keyed::sparse(serial.id(), |_| 0);
    let mut proof = serial.hold(Key::User(1));
    add(&table, proof.reborrow());
    add(&table, proof);
    assert_eq!(table.into_entries(), [(1, 2)]);
}

#[test]
fn tables_and_queues_cross_threads_when_their_contents_may() {
    fn shared<S: Send + Sync>(_: &S) {}
    shared(&Keyed::dense(serial().id(), 0, 1, |_| std::cell::Cell::new(0)));
    shared(&concurrent::<std::cell::Cell<u32>>());
    fn named<S: Send>(_: Option<S>) {}
    named::<Held>(Queue::<()>::try_hold(&concurrent(), Key::NoSync));
}

/// Counts itself when it is dropped, and panics.
struct Bomb(Arc<AtomicU32>);

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("bomb {}", self.0.fetch_add(1, Ordering::Relaxed));
    }
}

#[test]
fn a_table_drops_every_entry_whichever_panic_and_goes_on_with_the_first() {
    let dropped = Arc::new(AtomicU32::new(0));
    let make = || {
        let bomb = Arc::clone(&dropped);
        move |_| Bomb(Arc::clone(&bomb))
    };
    type Make = Box<dyn Fn(u64) -> Bomb + Send + Sync>;
    let tables: [fn(DispatcherId, Make) -> Keyed<Bomb>; 3] = [
        |id, make| Keyed::dense(id, 0, 10, make),
        |id, make| Keyed::grouped(id, 0, 10, 4, make, |_| true),
        |id, make| Keyed::sparse(id, make),
    ];
    for table in tables {
        let mut serial = serial();
        let table = table(serial.id(), Box::new(make()));
        (0..10).for_each(|key| _ = table.get(&mut serial.hold(Key::User(key))));
        dropped.store(0, Ordering::Relaxed);
        let panic = catch_unwind(AssertUnwindSafe(|| drop(table))).expect_err("all entries panic");
        let first: &String = panic.downcast_ref().expect("a panic with a message");
        assert_eq!((first.as_str(), dropped.load(Ordering::Relaxed)), ("bomb 0", 10));
    }
    // Where a panic unwinds the owner of the table, that panic goes on.
    let table = Keyed::dense(serial().id(), 0, 10, make());
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        let _table = table;
        panic!("the owner");
    }));
    assert_eq!(unwound.expect_err("the owner panics").downcast_ref(), Some(&"the owner"));
    assert_eq!(dropped.load(Ordering::Relaxed), 20);
}
