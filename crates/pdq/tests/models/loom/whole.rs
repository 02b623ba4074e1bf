//! Scenarios of the whole queue.
//!
//! Handlers reach the state of their key through a [`Keyed`] table whose cells `loom` watches, so two that are not
//! ordered are noticed even where they do not overlap. A sequential handler reaches the state of every key. This module
//! must never know how the queue is built.

use std::sync::Arc;

use loom::thread;

use crate::sync::{Condvar, Mutex, UnsafeCell};
use crate::{DispatcherId, Key, Keyed, Queue, explore, explore_whole, queue};

/// A queue and the state that its handlers write.
struct World {
    queue: Queue<u32>,
    /// Items that were run with each user key, in order. A sequential item adds itself to all.
    runs: Keyed<Vec<u32>>,
    /// Items without a key read it, sequential ones write it.
    stage: Stage,
    rendezvous: Rendezvous,
}

/// Two wait for one another.
#[derive(Default)]
struct Rendezvous {
    arrived: Mutex<usize>,
    changed: Condvar,
}

impl Rendezvous {
    fn meet(&self) {
        let mut arrived = self.arrived.lock().expect("nobody panics here");
        *arrived += 1;
        self.changed.notify_all();
        while *arrived < 2 {
            arrived = self.changed.wait(arrived).expect("nobody panics here");
        }
    }
}

struct Stage(UnsafeCell<u32>);

// SAFETY: `loom` watches all accesses.
unsafe impl Sync for Stage {}

/// User keys are from 0 to below this. With two lanes, 0 and 2 are of the first, 1 and 3 of the second.
const KEYS: u64 = 4;

impl World {
    fn new(config: queue::Config) -> Arc<Self> {
        let queue = Queue::new(DispatcherId::fresh(), config);
        let runs = Keyed::dense(queue.id(), 0, KEYS as usize, |_| Vec::new());
        Arc::new(Self { queue, runs, stage: Stage(UnsafeCell::new(0)), rendezvous: Rendezvous::default() })
    }

    fn servers(servers: usize) -> Arc<Self> {
        Self::new(queue::Config::servers(servers))
    }

    fn run(&self, item: u32, proof: &mut crate::Proof<'_>) {
        match proof.key() {
            Key::User(_) => self.runs.get(proof).push(item),
            Key::Sequential => {
                // SAFETY: the pointer is used at once; `loom` sees whether that is right.
                unsafe { *self.stage.0.get() += 1 };
                (0..KEYS).for_each(|key| self.runs.get_any(proof, key).push(item));
            }
            Key::NoSync => {
                // SAFETY: as above.
                assert!(unsafe { *self.stage.0.get_shared() } < 100);
            }
        }
    }

    /// Serves until the queue is closed and all is done.
    fn work(&self, server: usize) {
        self.queue.worker(server).run(|item, mut handling| self.run(item, &mut handling.proof()));
    }

    /// Takes one item, if there is one, and runs it.
    fn take(&self, server: usize) -> Option<u32> {
        let mut dispatch = self.queue.dequeue(server)?;
        let item = *dispatch;
        self.run(item, &mut dispatch.proof());
        Some(item)
    }

    /// Items that were run with each key.
    fn end(self: Arc<Self>) -> Vec<Vec<u32>> {
        let world = Arc::into_inner(self).expect("all threads have ended");
        assert!(world.queue.is_empty());
        assert_eq!(world.queue.held(), 0);
        world.runs.into_entries().into_iter().map(|(_, runs)| runs).collect()
    }
}

fn spawn(world: &Arc<World>, f: impl FnOnce(&World) + 'static) -> thread::JoinHandle<()> {
    let world = world.clone();
    thread::spawn(move || f(&world))
}

fn join<const N: usize>(threads: [thread::JoinHandle<()>; N]) {
    threads.into_iter().for_each(|thread| thread.join().expect("its panic is the test's"));
}

/// Positions of the items in the record of runs.
fn places<const N: usize>(runs: &[u32], items: [u32; N]) -> [usize; N] {
    items.map(|item| runs.iter().position(|run| *run == item).expect("every item is run"))
}

/// Serves a few batches, and then the remaining items when all other threads have ended.
fn serve(world: &World, server: usize, batches: usize) {
    let mut worker = world.queue.worker(server);
    for _ in 0..batches {
        worker.serve(|item, mut handling| world.run(item, &mut handling.proof()));
    }
}

fn finish(world: &World, server: usize) {
    while world.take(server).is_some() {}
}

#[test]
fn two_producers_of_one_key() {
    explore_whole(1, || {
        let world = World::servers(1);
        let worker = spawn(&world, |world| world.work(0));
        let producer = spawn(&world, |world| world.queue.enqueue(Key::User(0), 10));
        world.queue.enqueue(Key::User(0), 20);
        world.queue.enqueue(Key::User(0), 21);
        join([producer]);
        world.queue.close();
        join([worker]);
        let runs = world.end().swap_remove(0);
        assert_eq!(runs.len(), 3);
        let [first, second] = places(&runs, [20, 21]);
        assert!(first < second, "{runs:?}");
    });
}

#[test]
fn two_workers_of_one_key() {
    explore_whole(3, || {
        let world = World::servers(2);
        world.queue.enqueue(Key::User(0), 1);
        let workers = [0, 1].map(|server| spawn(&world, move |world| serve(world, server, 1)));
        world.queue.enqueue(Key::User(0), 2);
        join(workers);
        finish(&world, 0);
        assert_eq!(world.end()[0], [1, 2]);
    });
}

#[test]
fn two_workers_of_two_keys() {
    explore_whole(2, || {
        let world = World::servers(2);
        for item in [1, 2] {
            world.queue.enqueue(Key::User(0), item);
        }
        world.queue.enqueue(Key::User(1), 1);
        let other = spawn(&world, |world| serve(world, 1, 2));
        serve(&world, 0, 2);
        join([other]);
        finish(&world, 0);
        let runs = world.end();
        assert_eq!((&*runs[0], &*runs[1]), (&[1, 2][..], &[1][..]));
    });
}

/// The worker is asleep, or about to, or has just been woken.
#[test]
fn lost_wake_up() {
    explore_whole(3, || {
        let world = World::servers(1);
        let worker = spawn(&world, |world| {
            let mut worker = world.queue.worker(0);
            while worker.serve(|item, mut handling| world.run(item, &mut handling.proof())) == 0 {
                assert!(worker.wait());
            }
        });
        world.queue.enqueue(Key::User(0), 1);
        join([worker]);
        assert_eq!(world.end()[0], [1]);
    });
}

/// A worker runs a claim in place while another server takes single items of the same lane.
#[test]
fn claim_and_thief() {
    explore_whole(3, || {
        let world = World::servers(1);
        for (key, item) in [(0, 1), (0, 2), (1, 3), (0, 4)] {
            world.queue.enqueue(Key::User(key), item);
        }
        let thief = spawn(&world, |world| {
            world.take(0);
            world.take(0);
        });
        serve(&world, 0, 2);
        join([thief]);
        finish(&world, 0);
        let runs = world.end();
        assert_eq!((&*runs[0], &*runs[1]), (&[1, 2, 4][..], &[3][..]));
    });
}

/// A handler keeps its key while a thief sorts the rest of the claim.
#[test]
fn kept_key_and_thief() {
    explore_whole(3, || {
        let world = World::servers(1);
        for (key, item) in [(0, 1), (0, 2), (1, 3), (0, 4)] {
            world.queue.enqueue(Key::User(key), item);
        }
        let thief = spawn(&world, |world| {
            world.take(0);
            world.take(0);
        });
        let mut kept = None;
        world.queue.worker(0).serve(|item, mut handling| {
            world.run(item, &mut handling.proof());
            if kept.is_none() && handling.key() == Key::User(0) {
                kept = Some((item, handling.keep()));
            }
        });
        let kept = kept.map(|(item, mut held)| {
            world.run(20, &mut held.proof());
            world.queue.complete(held);
            item
        });
        join([thief]);
        finish(&world, 0);
        let mut runs = world.end().swap_remove(0);
        if let Some(kept) = kept {
            let [before, after] = places(&runs, [kept, 20]);
            assert_eq!(before + 1, after, "{runs:?}");
            runs.remove(after);
        }
        assert_eq!(runs, [1, 2, 4]);
    });
}

/// A sequential item arrives at one instant, the same for all lanes.
#[test]
fn sequential_between_lanes() {
    explore_whole(3, || {
        let world = World::servers(2);
        let producer = spawn(&world, |world| {
            world.queue.enqueue(Key::User(0), 1);
            world.queue.enqueue(Key::User(1), 2);
        });
        world.queue.enqueue(Key::Sequential, 9);
        world.take(0);
        join([producer]);
        finish(&world, 0);
        let runs = world.end();
        let [one, sequential] = places(&runs[0], [1, 9]);
        let [two, again] = places(&runs[1], [2, 9]);
        assert!(one < sequential || again < two, "{runs:?}");
    });
}

/// The last items before a sequential one are done while it asks the lanes to drain.
#[test]
fn last_completions_and_drain() {
    explore_whole(1, || {
        let world = World::servers(2);
        world.queue.enqueue(Key::User(0), 1);
        world.queue.enqueue(Key::User(1), 2);
        let take = |world: &World| {
            world.take(0);
        };
        let servers = [spawn(&world, take), spawn(&world, take)];
        world.queue.enqueue(Key::Sequential, 9);
        world.queue.enqueue(Key::User(0), 3);
        join(servers);
        finish(&world, 0);
        let runs = world.end();
        assert_eq!((&*runs[0], &*runs[1]), (&[1, 9, 3][..], &[2, 9][..]));
    });
}

#[test]
fn nosync_and_sequential() {
    explore_whole(3, || {
        let world = World::servers(1);
        world.queue.enqueue(Key::NoSync, 1);
        let take = |world: &World| {
            world.take(0);
            world.take(0);
        };
        let server = spawn(&world, take);
        world.queue.enqueue(Key::Sequential, 9);
        world.queue.enqueue(Key::NoSync, 2);
        take(&world);
        join([server]);
        finish(&world, 0);
        assert_eq!(world.end()[0], [9]);
    });
}

/// Items that a handler enqueues have their places before another thread can know that the handler has ended.
#[test]
fn handler_enqueues_its_own_key() {
    explore_whole(3, || {
        let world = World::servers(1);
        world.queue.enqueue(Key::User(0), 1);
        let other = spawn(&world, |world| {
            // The key is free when no item of it is unfinished. An item enqueued then comes behind the items sent
            // before.
            if let Some(held) = world.queue.try_hold(Key::User(0)) {
                world.queue.complete(held);
                world.queue.enqueue(Key::User(0), 3);
            }
        });
        let send = |world: &World| {
            let mut worker = world.queue.worker(0);
            worker.serve(|item, mut handling| {
                world.run(item, &mut handling.proof());
                if item == 1 {
                    handling.enqueue(Key::User(0), 2);
                }
            });
        };
        send(&world);
        join([other]);
        // Unless the latch was taken when it was tried.
        send(&world);
        finish(&world, 0);
        let runs = world.end().swap_remove(0);
        assert_eq!(runs[..2], [1, 2]);
    });
}

/// A handler sends, keeps its key, and the key is given back before the claim ends.
#[test]
fn sent_before_a_kept_key_is_given_back() {
    explore_whole(3, || {
        let world = World::servers(1);
        world.queue.enqueue(Key::User(0), 1);
        let taker = spawn(&world, |world| {
            world.take(0);
        });
        world.queue.worker(0).serve(|item, mut handling| {
            world.run(item, &mut handling.proof());
            handling.enqueue(Key::User(0), item + 1);
            world.queue.complete(handling.keep());
            world.queue.enqueue(Key::User(0), item + 2);
        });
        join([taker]);
        finish(&world, 0);
        let runs = world.end().swap_remove(0);
        assert!([&[1][..], &[1, 2, 3]].contains(&&*runs), "{runs:?}");
    });
}

/// A continuation runs before all others of its key, on any server.
#[test]
fn continuation_first() {
    explore_whole(3, || {
        let world = World::servers(1);
        for item in [1, 2, 3] {
            world.queue.enqueue(Key::User(0), item);
        }
        let other = spawn(&world, |world| {
            world.take(0);
            world.take(0);
        });
        let mut worker = world.queue.worker(0);
        worker.serve(|item, mut handling| {
            world.run(item, &mut handling.proof());
            handling.continue_with(item + 10);
        });
        drop(worker);
        join([other]);
        finish(&world, 0);
        let runs = world.end().swap_remove(0);
        // Unless the other one has had all the time.
        if let Some(continued) = runs.iter().position(|item| *item > 10) {
            assert_eq!(runs[continued], runs[continued - 1] + 10, "{runs:?}");
        }
        let others: Vec<_> = runs.into_iter().filter(|item| *item < 10).collect();
        assert_eq!(others, [1, 2, 3]);
    });
}

/// The queue is closed while the last item is run: the worker that sleeps must end all the same.
#[test]
fn close_and_last_completion() {
    explore_whole(3, || {
        let world = World::servers(2);
        world.queue.enqueue(Key::User(0), 1);
        let held = world.queue.try_hold(Key::User(1)).expect("the key is free");
        let worker = spawn(&world, |world| world.work(0));
        let closer = spawn(&world, |world| world.queue.close());
        world.queue.complete(held);
        join([worker, closer]);
        assert_eq!(world.end()[0], [1]);
    });
}

/// A server without lanes falls asleep while the queue is closed: no latch of a lane orders the two.
///
/// Loads return any value that they may: with the newest only, at least one of the threads always sees the other.
#[test]
fn close_and_server_without_lanes() {
    explore(2, || {
        let config = queue::Config { servers: 3, partitions: 2, limit: None, shares_claims: false };
        let world = World::new(config);
        let worker = spawn(&world, |world| world.work(2));
        world.queue.close();
        join([worker]);
    });
}

/// Room for one item: the producer waits for it while the item before is taken.
#[test]
fn room() {
    explore_whole(3, || {
        let world = World::new(queue::Config { limit: Some(1), ..queue::Config::servers(1) });
        world.queue.enqueue(Key::User(0), 1);
        let producer =
            spawn(&world, |world| world.queue.enqueue_when_room(Key::User(0), 2).expect("it is open"));
        assert_eq!(world.take(0), Some(1));
        join([producer]);
        finish(&world, 0);
        assert_eq!(world.end()[0], [1, 2]);
    });
}

/// An item arrives behind a sequential one while a server looks how far it may go.
#[test]
fn younger_than_a_sequential() {
    explore_whole(3, || {
        let world = World::servers(1);
        world.queue.enqueue(Key::User(0), 1);
        let server = spawn(&world, |world| serve(world, 0, 2));
        world.queue.enqueue(Key::Sequential, 9);
        world.queue.enqueue(Key::User(0), 2);
        join([server]);
        finish(&world, 0);
        assert_eq!(world.end()[0], [1, 9, 2]);
    });
}

/// While a claim is run, everything behind it is taken and new items arrive: the block of the claim must stay.
#[test]
fn claim_and_blocks() {
    explore_whole(3, || {
        let world = World::servers(1);
        for (key, item) in [(0, 1), (1, 2), (2, 3)] {
            world.queue.enqueue(Key::User(key), item);
        }
        let thief = spawn(&world, |world| {
            world.take(0);
            world.queue.enqueue(Key::User(3), 4);
            world.queue.enqueue(Key::User(2), 5);
            world.queue.enqueue(Key::User(2), 6);
        });
        serve(&world, 0, 1);
        join([thief]);
        finish(&world, 0);
        assert_eq!(world.end(), [vec![1], vec![2], vec![3, 5, 6], vec![4]]);
    });
}

/// Both sleep. Two items arrive, and the first of them is not done before the second: so both must wake.
#[test]
fn both_must_wake() {
    explore_whole(1, || {
        let world = World::servers(2);
        let workers = [0, 1].map(|server| {
            spawn(&world, move |world| {
                world.queue.worker(server).run(|item, mut handling| {
                    world.run(item, &mut handling.proof());
                    world.rendezvous.meet();
                    world.queue.close();
                });
            })
        });
        world.queue.enqueue(Key::User(0), 1);
        world.queue.enqueue(Key::User(1), 2);
        join(workers);
        world.end();
    });
}

/// A token is given back while one worker looks around and finds something else: the other must wake.
#[test]
fn completion_and_last_finder() {
    explore_whole(1, || {
        let world = World::servers(2);
        let held = world.queue.try_hold(Key::User(0)).expect("the key is free");
        world.queue.enqueue(Key::User(0), 1);
        let workers = [0, 1].map(|server| {
            spawn(&world, move |world| {
                world.queue.worker(server).run(|item, mut handling| {
                    world.run(item, &mut handling.proof());
                    world.rendezvous.meet();
                    world.queue.close();
                });
            })
        });
        world.queue.enqueue(Key::User(1), 2);
        world.queue.complete(held);
        join(workers);
        world.end();
    });
}

/// A server has searched in vain for an item, because another holds its key, another key in its lane, or all keys.
/// The completion of that holder tells it to search again.
#[test]
fn search_and_completion() {
    explore_whole(3, || {
        for (hold, key) in [(Key::User(0), 0), (Key::User(0), 2), (Key::Sequential, 0)] {
            let world = World::servers(1);
            let holder = world.clone();
            let holder = thread::spawn(move || {
                let held = holder.queue.try_hold(hold)?;
                Some(holder.queue.complete(held))
            });
            world.queue.enqueue(Key::User(key), 1);
            let found = world.queue.worker(0).serve(|item, mut handling| {
                world.run(item, &mut handling.proof());
            });
            let told = holder.join().expect("nothing panics here");
            assert!(found == 1 || told == Some(true), "found {found}, told {told:?}");
            assert_eq!(world.take(0).is_some(), found == 0);
            assert_eq!(world.end()[key as usize], [1]);
        }
    });
}

/// A server breaks into a seizure while an item runs, or before, or after; another item of the same lane comes next.
#[test]
fn seizure_and_breaker() {
    explore_whole(3, || {
        let world = World::servers(2);
        let mut seizure = world.queue.seize().expect("nothing is unfinished");
        let breaker = spawn(&world, |world| {
            world.queue.enqueue(Key::User(0), 10);
            if let Some(item) = world.queue.seized_for() {
                world.queue.break_in(item);
            }
            world.take(1);
        });
        seizure.run(Key::User(0), |mut proof| world.run(1, &mut proof));
        if !seizure.is_broken() {
            seizure.run(Key::User(2), |mut proof| world.run(2, &mut proof));
        }
        let ran_both = !seizure.is_broken();
        seizure.give_back();
        join([breaker]);
        finish(&world, 0);
        let runs = world.end();
        assert_eq!(runs[0], [1, 10]);
        assert!(!ran_both || runs[2] == [2], "{runs:?}");
    });
}

/// A worker runs a claim in place while another server splits it, and takes an item that has not begun, or an item
/// with the key of a finished one.
#[test]
fn claim_and_splitter() {
    explore_whole(3, || {
        let world = World::new(queue::Config { shares_claims: true, ..queue::Config::servers(1) });
        for (key, item) in [(0, 1), (2, 2), (0, 3)] {
            world.queue.enqueue(Key::User(key), item);
        }
        let thief = spawn(&world, |world| {
            world.queue.search(0);
            world.take(0);
            world.take(0);
        });
        serve(&world, 0, 1);
        join([thief]);
        finish(&world, 0);
        let runs = world.end();
        assert_eq!((&*runs[0], &*runs[2]), (&[1, 3][..], &[2][..]));
    });
}
