//! Scripts: producers, workers and guards over all kinds of keys, with handlers that send, keep, continue and panic.
//!
//! The nature of an item is decided by its name and by a seed, which is part of the schedule, so a replay is the same
//! script. This module must never know how the queue is built.

use std::panic::resume_unwind;
use std::sync::Arc;

use shuttle::rand::{RngCore, thread_rng};
use shuttle::sync::Barrier;
use shuttle::sync::mpsc::{Receiver, Sender, channel};
use shuttle::thread;

use crate::queue::{Config, Handling, Refused};
use crate::watch::{Name, Watch};
use crate::{DispatcherId, Held, Key, Queue, explore};

/// Participants and parameters of a script.
#[derive(Clone, Copy)]
struct Script {
    workers: usize,
    guards: usize,
    producers: usize,
    /// Items of each producer.
    items: usize,
    /// User keys.
    keys: u64,
    /// Number of sequential items in a hundred; `nosync` is the number that need no synchronization.
    sequential: u64,
    nosync: u64,
    limit: Option<usize>,
    partitions: usize,
    ends: Ends,
}

/// The end of a script.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// Closed when all is sent.
    Closed,
    /// Closed while producers still send.
    ClosedEarly,
    /// Aborted while producers still send.
    Aborted,
}

#[derive(Clone, Copy)]
struct Item {
    name: Name,
    key: Key,
}

/// A key that a handler has kept, with the item that it belongs to.
type Kept = (Item, Held);

struct World {
    script: Script,
    queue: Queue<Item>,
    watch: Watch,
    /// Decides the nature of each item.
    seed: u64,
}

const MIXED: Script = Script {
    workers: 2,
    guards: 1,
    producers: 2,
    items: 50,
    keys: 5,
    sequential: 5,
    nosync: 10,
    limit: None,
    partitions: 1,
    ends: Ends::Closed,
};

/// Spreads a number over all others.
fn scatter(number: u64) -> u64 {
    let mixed = (number ^ 0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed ^ mixed >> 29
}

impl Script {
    fn key(&self, choice: u64) -> Key {
        match choice % 100 {
            kind if kind < self.sequential => Key::Sequential,
            kind if kind < self.sequential + self.nosync => Key::NoSync,
            _ => Key::User(choice / 100 % self.keys),
        }
    }

    /// Number of senders: producers; the handlers of each user key, which follow one another; the handlers of the
    /// sequential key; each worker for items without a key.
    fn senders(&self) -> usize {
        self.producers + self.keys as usize + 1 + self.workers
    }

    fn sender(&self, key: Key, worker: usize) -> usize {
        let keys = self.keys as usize;
        self.producers
            + match key {
                Key::User(key) => key as usize,
                Key::Sequential => keys,
                Key::NoSync => keys + 1 + worker,
            }
    }

    fn run(self) {
        let queue = Queue::new(
            DispatcherId::fresh(),
            Config {
                servers: self.workers + self.guards,
                partitions: self.partitions,
                limit: self.limit,
                shares_claims: false,
            },
        );
        let watch = Watch::new(self.senders());
        let seed = thread_rng().next_u64();
        let world = Arc::new(World { script: self, queue, watch, seed });
        let (keep, kept) = channel();
        let workers: Vec<_> = (0..self.workers)
            .map(|server| {
                let (world, keep) = (world.clone(), keep.clone());
                thread::spawn(move || world.work(server, &keep))
            })
            .collect();
        let guards: Vec<_> = (0..self.guards)
            .map(|guard| {
                let (world, keep) = (world.clone(), keep.clone());
                thread::spawn(move || world.guard(world.script.workers + guard, &keep))
            })
            .collect();
        drop(keep);
        let producers: Vec<_> = (0..self.producers)
            .map(|sender| {
                let world = world.clone();
                thread::spawn(move || world.produce(sender))
            })
            .collect();
        let returner = {
            let world = world.clone();
            thread::spawn(move || world.give_back(&kept))
        };
        if self.ends != Ends::Closed {
            (0..8 * self.items).for_each(|_| thread::yield_now());
        }
        match self.ends {
            Ends::Closed => {}
            Ends::ClosedEarly => world.queue.close(),
            Ends::Aborted => world.abort(),
        }
        join(producers);
        world.queue.close();
        join(workers);
        join(guards);
        join([returner]);
        world.finish();
    }
}

fn join(threads: impl IntoIterator<Item = thread::JoinHandle<()>>) {
    threads.into_iter().for_each(|thread| thread.join().expect("its panic is the test's"));
}

impl World {
    fn produce(&self, sender: usize) {
        for number in 0..self.script.items {
            let key = self.script.key(self.chance(Name { sender, number }));
            let item = Item { name: self.watch.send(sender, key), key };
            let refused = match self.queue.try_enqueue(key, item) {
                Err(Refused::Full(item)) => self.queue.enqueue_when_room(key, item).is_err(),
                other => other.is_err(),
            };
            if refused {
                self.watch.refused(item.name);
                assert!(self.script.ends != Ends::Closed);
            }
        }
    }

    fn work(&self, server: usize, keep: &Sender<Kept>) {
        let handler =
            |item: Item, handling: Handling<'_, '_, Item>| self.handle(item, handling, server, keep);
        self.queue
            .worker(server)
            .run_catching(handler, |payload| assert!(payload.is::<Name>(), "not the script's"));
    }

    /// Runs the handler of an item.
    fn handle(&self, item: Item, mut handling: Handling<'_, '_, Item>, worker: usize, keep: &Sender<Kept>) {
        let Item { name, key } = item;
        assert_eq!(handling.key(), key);
        self.watch.begin(name, key);
        thread::yield_now();
        let choice = scatter(self.chance(name));
        // Only items of producers send, or it would never end.
        let first = name.sender < self.script.producers;
        if first && choice.is_multiple_of(4) {
            let sender = self.script.sender(key, worker);
            for more in 0..3 {
                let key = if more == 0 { key } else { self.script.key(scatter(choice + more)) };
                let name = self.watch.send(sender, key);
                handling.enqueue(key, Item { name, key });
            }
        }
        match choice / 4 % 12 {
            0..2 => keep.send((item, handling.keep())).expect("keys are taken back to the end"),
            2..4 if first => {
                let next = Item { name: self.continuation(key), key };
                self.watch.end_with(name, next.name);
                handling.continue_with(next);
            }
            4 => {
                self.watch.end(name);
                resume_unwind(Box::new(name));
            }
            _ => self.watch.end(name),
        }
    }

    /// A number as random as the seed.
    fn chance(&self, name: Name) -> u64 {
        scatter(self.seed ^ scatter((name.sender << 32 | name.number) as u64))
    }

    /// A continuation is a sender's only item: it has no place in the order of others.
    fn continuation(&self, key: Key) -> Name {
        let sender = self.watch.sender();
        self.watch.send(sender, key)
    }

    /// Takes single items for some time.
    fn guard(&self, server: usize, keep: &Sender<Kept>) {
        for turn in 0..self.script.items {
            let Some(dispatch) = self.queue.dequeue(server) else {
                thread::yield_now();
                continue;
            };
            let Item { name, key } = *dispatch;
            assert_eq!(dispatch.key(), key);
            self.watch.begin(name, key);
            thread::yield_now();
            if turn.is_multiple_of(5) {
                keep.send(dispatch.into_parts()).expect("keys are taken back to the end");
            } else {
                self.watch.end(name);
                drop(dispatch);
            }
        }
    }

    /// Gives back kept keys, some of them with a continuation.
    fn give_back(&self, kept: &Receiver<Kept>) {
        while let Ok((Item { name, key }, held)) = kept.recv() {
            thread::yield_now();
            if name.number.is_multiple_of(2) && name.sender < self.script.producers {
                let next = self.continuation(key);
                self.watch.end_with(name, next);
                self.queue.complete_with(held, Item { name: next, key });
            } else {
                self.watch.end(name);
                self.queue.complete(held);
            }
        }
    }

    fn abort(&self) {
        for (key, item) in self.queue.abort() {
            assert_eq!(key, item.key);
            self.watch.returned(item.name);
        }
    }

    fn finish(&self) {
        if self.script.ends == Ends::Aborted {
            self.abort();
        }
        let taken = self.watch.finish();
        assert!(self.queue.is_empty());
        assert_eq!(self.queue.held(), 0);
        let counts = self.queue.statistics();
        if self.script.ends != Ends::Aborted {
            assert_eq!(counts.dispatched, taken);
            assert_eq!(counts.enqueued + counts.continued, taken);
        }
    }
}

#[test]
fn mixed() {
    explore(|| MIXED.run());
}

#[test]
fn workers_only() {
    explore(|| Script { workers: 3, guards: 0, keys: 3, ..MIXED }.run());
}

/// Handlers of few keys send to one another.
#[test]
fn few_keys() {
    explore(|| {
        Script { workers: 3, guards: 0, producers: 1, keys: 2, sequential: 0, nosync: 0, ..MIXED }.run();
    });
}

#[test]
fn many_sequential() {
    explore(|| Script { sequential: 30, nosync: 20, items: 30, ..MIXED }.run());
}

#[test]
fn limited() {
    explore(|| Script { limit: Some(3), ..MIXED }.run());
}

#[test]
fn closed_early() {
    explore(|| Script { limit: Some(5), ends: Ends::ClosedEarly, ..MIXED }.run());
}

#[test]
fn aborted() {
    explore(|| Script { ends: Ends::Aborted, ..MIXED }.run());
}

#[test]
fn partitioned() {
    explore(|| Script { workers: 3, guards: 0, partitions: 3, ..MIXED }.run());
}

/// Two servers sleep, and two items arrive whose handlers wait for one another: so both must wake. (Real handlers
/// must not wait. If they do for items of other keys, it is only luck that these are served.)
#[test]
fn both_must_wake() {
    explore(|| {
        let queue = Arc::new(Queue::new(DispatcherId::fresh(), Config::servers(2)));
        let rendezvous = Arc::new(Barrier::new(2));
        let workers = [0, 1].map(|server| {
            let (queue, rendezvous) = (queue.clone(), rendezvous.clone());
            thread::spawn(move || {
                queue.worker(server).run(|(), _| {
                    rendezvous.wait();
                    queue.close();
                });
            })
        });
        // Of different lanes.
        queue.enqueue(Key::User(0), ());
        queue.enqueue(Key::User(1), ());
        join(workers);
    });
}
