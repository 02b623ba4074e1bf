//! Threads: every way into the queue and every way to serve it at once, recorded and checked against the rule.
//!
//! This module must never know how the record is kept or checked.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread;

use tradewind_pdq::{DispatcherId, Executor, Key, Keyed, Queue, Serial, execute, queue};

use crate::history::{History, Item};
use crate::load::{KEYS, Load, Wanted, panics};

const PRODUCERS: usize = 3;
const SERVERS: usize = 3;
/// The thread that gives kept keys back.
const KEEPER: usize = PRODUCERS + SERVERS;
const ACTORS: usize = KEEPER + 1;
/// Number of items of each producer.
const ITEMS: usize = if cfg!(miri) { 30 } else { 20_000 };

fn limited() -> queue::Config {
    queue::Config { limit: Some(256), ..queue::Config::servers(SERVERS) }
}

/// Runs producers beside the server threads, which call `serve`, and closes the queue when the producers are done.
fn run(load: &Load, items: usize, serve: impl Fn(usize) + Sync) {
    thread::scope(|scope| {
        for server in 0..SERVERS {
            let serve = &serve;
            scope.spawn(move || serve(server));
        }
        scope.spawn(|| load.keep(KEEPER));
        let producers = (0..PRODUCERS).map(|producer| scope.spawn(move || load.produce(producer, items)));
        let producers: Vec<_> = producers.collect();
        for producer in producers {
            producer.join().expect("producers do not panic");
        }
        load.queue.close();
    });
}

/// Everything that arrived was done once, as the rule allows; the cells have seen all of it.
fn check(load: Load) -> History {
    assert_eq!((load.queue.len(), load.queue.held()), (0, 0));
    let (history, cells) = load.finish();
    assert_eq!(history.check(), Ok(()));
    let keys: std::collections::HashMap<Item, Key> =
        history.arrivals.iter().map(|arrival| (arrival.item, arrival.key)).collect();
    for (cell, seen) in cells {
        let touches = |key: &Key| [Key::User(cell), Key::Sequential].contains(key);
        let expected = history.parts.iter().filter(|part| touches(&keys[&part.item])).count();
        assert_eq!(seen.len(), expected, "updates of cell {cell} are lost");
    }
    history
}

fn by_workers(load: &Load, server: usize) {
    let mut worker = load.queue.worker(server);
    let mut run = || worker.run(|job, handling| load.handle(PRODUCERS + server, job, handling));
    // A panic ends `run`; the worker goes on.
    while let Err(payload) = catch_unwind(AssertUnwindSafe(&mut run)) {
        if !payload.is::<Wanted>() {
            // Not a handler's: the others will not get done, and should end.
            load.queue.abort();
            resume_unwind(payload);
        }
    }
}

#[test]
fn workers_keep_the_rule_while_handlers_enqueue_continue_keep_and_panic() {
    let load = Load::new(limited(), ACTORS);
    run(&load, ITEMS, |server| by_workers(&load, server));
    let counted = load.queue.statistics();
    let history = check(load);
    assert!(history.arrivals.len() > PRODUCERS * ITEMS, "handlers enqueued some");
    assert_eq!(counted.panicked, panics(&history));
    assert_eq!(counted.enqueued, history.arrivals.len() as u64);
    assert_eq!(counted.dispatched, counted.enqueued + counted.continued);
}

#[test]
fn workers_of_partitions_keep_the_rule() {
    let load = Load::new(queue::Config { partitions: SERVERS, ..limited() }, ACTORS);
    run(&load, ITEMS / 2, |server| by_workers(&load, server));
    check(load);
}

#[test]
fn guards_keep_the_rule() {
    let load = Load::new(limited(), ACTORS);
    run(&load, ITEMS, |server| load.serve_by_guards(PRODUCERS + server, server));
    check(load);
}

#[test]
#[cfg_attr(
    miri,
    ignore = "a server may look at what was true a moment ago, which is only said where memory is weak"
)]
fn guards_leave_no_server_idle_while_an_item_can_be_dispatched() {
    let load = Load::new(limited(), ACTORS);
    run(&load, ITEMS / 10, |server| load.serve_by_guards(PRODUCERS + server, server));
    let history = check(load);
    assert_eq!(history.check_work_conservation(), Ok(()));
}

#[test]
fn workers_and_guards_keep_the_rule_together() {
    let load = Load::new(limited(), ACTORS);
    run(&load, ITEMS, |server| match server {
        0 => load.serve_by_guards(PRODUCERS, 0),
        _ => by_workers(&load, server),
    });
    check(load);
}

#[test]
fn a_queue_closed_under_load_runs_exactly_what_it_has_accepted() {
    let load = Load::new(limited(), ACTORS);
    let accepted = thread::scope(|scope| {
        for server in 0..SERVERS {
            let load = &load;
            scope.spawn(move || by_workers(load, server));
        }
        scope.spawn(|| load.keep(KEEPER));
        let produce = |producer| {
            let load = &load;
            scope.spawn(move || load.produce(producer, usize::MAX))
        };
        let producers = [0, 1, 2].map(produce);
        while load.queue.statistics().dispatched < ITEMS as u64 {
            load.idle();
        }
        load.queue.close();
        producers.map(|producer| producer.join().expect("producers do not panic"))
    });
    let history = check(load);
    let arrived =
        |producer| history.arrivals.iter().filter(|arrival| arrival.item.producer == producer).count();
    assert_eq!(accepted, [0, 1, 2].map(arrived));
}

#[test]
fn what_an_abort_under_load_does_not_return_has_run() {
    let load = Load::new(limited(), ACTORS);
    thread::scope(|scope| {
        for server in 0..SERVERS {
            let load = &load;
            scope.spawn(move || by_workers(load, server));
        }
        scope.spawn(|| load.keep(KEEPER));
        let producers = [0, 1, 2].map(|producer| {
            let load = &load;
            scope.spawn(move || load.produce(producer, usize::MAX))
        });
        while load.queue.statistics().dispatched < ITEMS as u64 {
            load.idle();
        }
        let mut back = load.queue.abort();
        for producer in producers {
            producer.join().expect("producers do not panic");
        }
        // Items that were placed, continued or kept meanwhile.
        loop {
            load.hand_back(KEEPER - 1, back);
            if load.is_done() {
                break;
            }
            load.idle();
            back = load.queue.abort();
        }
    });
    check(load);
}

#[test]
fn an_executor_keeps_the_rule_and_reports_panics() {
    let config = limited();
    let load = Arc::new(Load::new(config, ACTORS + SERVERS));
    // The executor owns a queue of its own, whose handlers work on the load's.
    let relay = Executor::start(Queue::new(DispatcherId::fresh(), config), {
        let load = load.clone();
        move |producer, _| {
            load.produce(producer, ITEMS);
        }
    });
    (0..PRODUCERS).for_each(|producer| relay.queue().enqueue(Key::User(producer as u64), producer));
    let outcome = thread::scope(|scope| {
        scope.spawn(|| load.keep(KEEPER));
        execute(&load.queue, |job, handling| load.handle_anonymously(job, handling), || relay.finish())
    });
    let reported = outcome.expect_err("some handlers panic").into_payloads();
    assert!(reported.iter().all(|payload| payload.is::<Wanted>()));
    let load = Arc::into_inner(load).expect("all threads have ended");
    let counted = load.queue.statistics().panicked;
    assert_eq!(counted, panics(&check(load)));
    assert!((1..=counted).contains(&(reported.len() as u64)), "one of each batch at most");
}

/// A thread that takes keys directly, between the handlers.
#[test]
fn keys_taken_directly_exclude_handlers() {
    let queue = Queue::new(DispatcherId::fresh(), queue::Config::servers(SERVERS));
    let counts = Keyed::dense(queue.id(), 0, KEYS as usize, |_| 0_usize);
    let entered = thread::scope(|scope| {
        for server in 0..SERVERS {
            let (queue, counts) = (&queue, &counts);
            scope.spawn(move || {
                queue.worker(server).run(|(), mut handling| *counts.get(&mut handling.proof()) += 1);
            });
        }
        let mut entered = 0;
        for n in 0..ITEMS as u64 {
            queue.enqueue(Key::User(n % KEYS), ());
            while n % 8 == 0 && !queue.is_empty() {
                thread::yield_now();
            }
            let key = if n % 64 == 0 { Key::Sequential } else { Key::User(n / 2 % KEYS) };
            if let Some(mut held) = queue.try_hold(key) {
                let mut proof = held.proof();
                match key {
                    Key::Sequential => *counts.get_any(&mut proof, n % KEYS) += 1,
                    _ => *counts.get(&mut proof) += 1,
                }
                entered += 1;
                queue.complete(held);
            }
        }
        queue.close();
        entered
    });
    assert!(entered > 0, "no key was ever free");
    assert_eq!(counts.into_entries().iter().map(|(_, count)| count).sum::<usize>(), ITEMS + entered);
}

#[test]
fn a_serial_dispatcher_may_move_between_threads() {
    let mut serial = Serial::new(DispatcherId::fresh());
    let table = Keyed::sparse(serial.id(), |_| 0);
    for _ in 0..4 {
        thread::scope(|scope| {
            scope.spawn(|| *table.get(&mut serial.hold(Key::User(1))) += 1);
        });
    }
    assert_eq!(table.into_entries(), [(1, 4)]);
}
