//! Threads: what the promises say about overlap and order, witnessed by state that has no lock of its own.
//!
//! Each key owns a plain cell. A missing happens-before between two handlers of one key is therefore a data race, which
//! Miri and ThreadSanitizer report; a missing exclusion loses counts, which the test sees by itself.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pdq::{DispatcherId, Key, Keyed, Proof, Queue, Serial, queue};

const PRODUCERS: usize = 3;
const SERVERS: usize = 3;
const KEYS: u64 = 5;
const ITEMS: usize = if cfg!(miri) { 60 } else { 20_000 };

/// Bounds idle loops, so that a broken queue fails the test instead of hanging it.
struct Patience(Instant);

impl Patience {
    const LIMIT: Duration = Duration::from_secs(120);

    fn idle<T>(&self, queue: &Queue<T>) {
        assert_eq!(queue.statistics().panicked, 0, "another server's handler has failed");
        assert!(self.0.elapsed() < Self::LIMIT, "{} items wait, {} are held", queue.len(), queue.held());
        thread::yield_now();
    }
}

/// The n-th item of a producer.
#[derive(Clone, Copy, Debug)]
struct Item {
    producer: usize,
    number: usize,
}

/// What the handlers of one key have seen.
#[derive(Default)]
struct Seen {
    items: u64,
    /// Per producer, one more than the number of its last item here.
    next: [usize; PRODUCERS],
}

struct World {
    patience: Patience,
    queue: Queue<Item>,
    state: Keyed<Seen>,
    /// Handlers running now.
    running: AtomicUsize,
    /// Per producer, items done.
    done: [AtomicUsize; PRODUCERS],
    /// Per producer and item, times it ran.
    ran: Vec<Vec<AtomicU32>>,
}

/// A fixed scramble, so that a failure can be run again.
fn key_of(item: Item) -> Key {
    let scrambled =
        (item.producer as u64 * 1_000_003 + item.number as u64).wrapping_mul(0x2545_F491_4F6C_DD1D);
    match scrambled >> 57 {
        0 => Key::Sequential,
        1..12 => Key::NoSync,
        n => Key::User(n % KEYS),
    }
}

impl World {
    fn new() -> Self {
        let queue = Queue::new(
            DispatcherId::fresh(),
            queue::Config { limit: Some(256), ..queue::Config::servers(SERVERS) },
        );
        let ran = || (0..ITEMS).map(|_| AtomicU32::new(0)).collect();
        Self {
            patience: Patience(Instant::now()),
            state: Keyed::sparse(queue.id(), |_| Seen::default()),
            queue,
            running: AtomicUsize::new(0),
            done: Default::default(),
            ran: std::iter::repeat_with(ran).take(PRODUCERS).collect(),
        }
    }

    fn produce(&self, producer: usize) {
        for number in 0..ITEMS {
            let item = Item { producer, number };
            while self.queue.try_enqueue(key_of(item), item).is_err() {
                self.patience.idle(&self.queue);
            }
        }
    }

    fn serve(&self, server: usize) {
        while self.done.iter().any(|done| done.load(Ordering::Relaxed) < ITEMS) {
            match self.queue.dequeue(server) {
                Some(mut dispatch) => {
                    let (item, proof) = dispatch.parts();
                    self.handle(*item, proof);
                }
                None => self.patience.idle(&self.queue),
            }
        }
    }

    fn handle(&self, item: Item, proof: Proof<'_>) {
        // Relaxed throughout: the test must not order what the queue failed to order.
        let others = self.running.fetch_add(1, Ordering::Relaxed);
        match proof.key() {
            Key::Sequential => self.handle_alone(item, others, proof),
            Key::User(_) => self.handle_keyed(item, proof),
            Key::NoSync => {}
        }
        self.ran[item.producer][item.number].fetch_add(1, Ordering::Relaxed);
        self.done[item.producer].fetch_add(1, Ordering::Relaxed);
        self.running.fetch_sub(1, Ordering::Relaxed);
    }

    fn handle_keyed(&self, item: Item, mut proof: Proof<'_>) {
        let seen = self.state.get(&mut proof);
        seen.items += 1;
        assert!(seen.next[item.producer] <= item.number, "{item:?} after {}", seen.next[item.producer]);
        seen.next[item.producer] = item.number + 1;
    }

    /// Everything older of its producer is done, nothing younger has started, and every entry can be touched.
    fn handle_alone(&self, item: Item, others: usize, mut proof: Proof<'_>) {
        assert_eq!(others, 0, "{item:?} does not run alone");
        assert_eq!(self.done[item.producer].load(Ordering::Relaxed), item.number);
        for key in 0..KEYS {
            let seen = self.state.get_any(&mut proof, key);
            assert!(seen.next[item.producer] <= item.number);
            seen.items += 1;
        }
        thread::yield_now();
        assert_eq!(self.running.load(Ordering::Relaxed), 1, "{item:?} was joined by another");
    }

    /// A thread that takes keys directly between the handlers; how often it got one.
    fn intrude(&self) -> u64 {
        let mut entered = 0;
        for key in (0..KEYS).cycle().take(ITEMS) {
            if let Some(mut held) = self.queue.try_hold(Key::User(key)) {
                self.state.get(&mut held.proof()).items += 1;
                entered += 1;
                self.queue.complete(held);
            }
            thread::yield_now();
        }
        entered
    }
}

#[test]
fn handlers_of_one_key_exclude_each_other_in_order_and_sequential_ones_exclude_all() {
    let world = World::new();
    let intruded = thread::scope(|scope| {
        let world = &world;
        for producer in 0..PRODUCERS {
            scope.spawn(move || world.produce(producer));
        }
        for server in 0..SERVERS {
            scope.spawn(move || world.serve(server));
        }
        scope.spawn(move || world.intrude()).join().expect("the intruder only counts")
    });
    assert!(
        world.ran.iter().flatten().all(|ran| ran.load(Ordering::Relaxed) == 1),
        "each item runs exactly once"
    );
    assert_eq!((world.queue.len(), world.queue.held()), (0, 0));
    let counted: u64 = world.state.into_entries().iter().map(|(_, seen)| seen.items).sum();
    assert_eq!(counted, intruded + touches());
}

/// How many entries all items touch together.
fn touches() -> u64 {
    let items = (0..PRODUCERS).flat_map(|producer| (0..ITEMS).map(move |number| Item { producer, number }));
    items
        .map(|item| match key_of(item) {
            Key::User(_) => 1,
            Key::Sequential => KEYS,
            Key::NoSync => 0,
        })
        .sum()
}

#[test]
fn handlers_that_enqueue_and_continue_lose_nothing() {
    const CHAIN: usize = ITEMS / 4;
    let queue = Queue::new(DispatcherId::fresh(), queue::Config::servers(SERVERS));
    let counts = Keyed::dense(queue.id(), 0, KEYS as usize, |_| 0_usize);
    let done = AtomicUsize::new(0);
    let patience = Patience(Instant::now());
    (0..KEYS).for_each(|key| queue.enqueue(Key::User(key), 0));
    thread::scope(|scope| {
        for server in 0..SERVERS {
            let (queue, counts, done, patience) = (&queue, &counts, &done, &patience);
            scope.spawn(move || {
                while done.load(Ordering::Relaxed) < KEYS as usize {
                    let Some(dispatch) = queue.dequeue(server) else {
                        patience.idle(queue);
                        continue;
                    };
                    let (step, mut held) = dispatch.into_parts();
                    *counts.get(&mut held.proof()) += 1;
                    match step {
                        CHAIN => {
                            done.fetch_add(1, Ordering::Relaxed);
                            queue.complete(held);
                        }
                        step if step % 2 == 0 => queue.complete_with(held, step + 1),
                        step => {
                            queue.enqueue(held.key(), step + 1);
                            queue.complete(held);
                        }
                    }
                }
            });
        }
    });
    assert!(counts.into_entries().iter().all(|(_, count)| *count == CHAIN + 1));
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
