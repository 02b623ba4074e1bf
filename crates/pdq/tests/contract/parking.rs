//! Servers without work: they sleep, each item wakes one, and the end wakes all.
//!
//! This module must never know how a worker sleeps.

use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use tradewind_pdq::{DispatcherId, Key, Queue, queue};

const SERVERS: usize = 3;
const A: Key = Key::User(0xa);

fn queue<T>(partitions: usize) -> Queue<T> {
    Queue::new(DispatcherId::fresh(), queue::Config { partitions, ..queue::Config::servers(SERVERS) })
}

/// The processor time that all threads of this process have used, in ticks of the system (10 ms).
#[cfg(target_os = "linux")]
fn ticks_of(task: &str) -> u64 {
    let stat = std::fs::read_to_string(format!("{task}/stat")).expect("a thread that lives has this file");
    let behind_name = stat.rsplit(')').next().expect("the name stands in parentheses");
    behind_name.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<u64>().expect("a number")).sum()
}

#[test]
#[cfg(target_os = "linux")]
#[cfg_attr(miri, ignore = "looks at the system's files")]
fn workers_without_work_use_no_processor() {
    let queue = queue::<()>(1);
    let (names, named) = channel();
    thread::scope(|scope| {
        for server in 0..SERVERS {
            let (queue, names) = (&queue, names.clone());
            scope.spawn(move || {
                let link = std::fs::read_link("/proc/thread-self").expect("each thread has one");
                names.send(format!("/proc/{}", link.display())).expect("the test listens");
                queue.worker(server).run(|(), _| ());
            });
        }
        let tasks: Vec<String> = named.iter().take(SERVERS).collect();
        queue.enqueue(A, ());
        thread::sleep(Duration::from_millis(50));
        let used = || tasks.iter().map(|task| ticks_of(task)).sum::<u64>();
        let before = used();
        thread::sleep(Duration::from_millis(500));
        let after = used();
        queue.close();
        // Three that look around all the time would use 50 ticks or more.
        assert!(after - before <= 2, "{} ticks in half a second", after - before);
    });
}

#[test]
fn each_single_item_wakes_a_sleeper() {
    const TURNS: u64 = if cfg!(miri) { 20 } else { 10_000 };
    for partitions in [1, SERVERS] {
        let queue = queue(partitions);
        let (answers, answered) = channel();
        thread::scope(|scope| {
            for server in 0..SERVERS {
                let (queue, answers) = (&queue, answers.clone());
                scope.spawn(move || {
                    queue.worker(server).run(|n, _| answers.send(n).expect("the test listens"));
                });
            }
            for n in 0..TURNS {
                let key = match n % 8 {
                    0 => Key::Sequential,
                    1 => Key::NoSync,
                    _ => Key::User(n),
                };
                queue.enqueue(key, n);
                assert_eq!(answered.recv_timeout(Duration::from_secs(30)), Ok(n), "nobody has woken up");
            }
            queue.close();
        });
    }
}

#[test]
fn what_becomes_free_wakes_a_sleeper() {
    let queue = queue(1);
    let (answers, answered) = channel();
    thread::scope(|scope| {
        let worker = &queue;
        scope.spawn(move || worker.worker(0).run(|n, _| answers.send(n).expect("the test listens")));
        for n in 0..if cfg!(miri) { 4 } else { 500 } {
            let key = if n % 2 == 0 { A } else { Key::Sequential };
            let mut held = queue.try_hold(key);
            // The worker may not yet have ended the item that it has answered.
            while held.is_none() {
                thread::yield_now();
                held = queue.try_hold(key);
            }
            queue.enqueue(A, n);
            thread::sleep(Duration::from_micros(50));
            assert!(answered.try_recv().is_err(), "its key is held");
            queue.complete(held.expect("just taken"));
            assert_eq!(answered.recv_timeout(Duration::from_secs(30)), Ok(n), "nobody has woken up");
        }
        queue.close();
    });
}

#[test]
fn all_workers_end_on_close_and_on_abort() {
    let ends: [fn(&Queue<()>); 2] = [Queue::close, |queue| drop(queue.abort())];
    for end in ends {
        for asleep in [false, true] {
            let queue = queue::<()>(1);
            thread::scope(|scope| {
                for server in 0..SERVERS {
                    let queue = &queue;
                    scope.spawn(move || queue.worker(server).run(|(), _| ()));
                }
                if asleep {
                    thread::sleep(Duration::from_millis(5));
                }
                end(&queue);
            });
        }
    }
}

#[test]
fn who_waits_for_the_last_handler_ends_with_it() {
    let queue = queue::<()>(1);
    queue.enqueue(A, ());
    queue.close();
    let last = queue.dequeue(0).expect("an item waits");
    thread::scope(|scope| {
        let waits = scope.spawn(|| queue.worker(1).wait());
        thread::sleep(Duration::from_millis(5));
        assert!(!waits.is_finished(), "the handler may still enqueue");
        drop(last);
        assert!(!waits.join().expect("it only waits"), "there will never be anything");
    });
}
