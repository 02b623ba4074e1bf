//! Rival: a task per key that owns it, with a channel of its own, on tokio's threads.
//!
//! Tasks start with the first item of their key and stay. No program keeps a million channels: beyond [`MANY`] keys,
//! [`SHARDS`] tasks share them, which costs little parallelism with two workers. It must never know the meaning of
//! items.

use std::cell::Cell as ThreadCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::yield_now;

use crate::harness::{Contestant, Idle, Ledger, Span, elapsed};
use crate::host;
use crate::state::{Item, NoLock, Server, Table, Work};
use crate::workload::{CHUNK, Cell, Streams, Topology};
use tradewind_bench::pin;

/// Number of keys up to which each has its own task.
const MANY: usize = 1 << 16;
/// Number of tasks that serve more keys than that.
const SHARDS: usize = 1 << 10;
/// Most items received at once.
const BATCH: usize = 64;

thread_local! {
    static WORKER: ThreadCell<usize> = const { ThreadCell::new(0) };
}

/// The way to one task, once it was asked for.
type Mailbox = OnceLock<UnboundedSender<(u64, Item)>>;

/// State shared by the tasks.
struct Shared {
    table: Table<NoLock>,
    work: Work,
    sharded: bool,
    senders: Box<[Mailbox]>,
    ledger: Ledger,
}

/// The tasks, their threads, and their shared state.
pub(crate) struct Actors {
    runtime: Runtime,
    shared: Arc<Shared>,
    topology: Topology,
}

impl Actors {
    pub(crate) fn new(cell: Cell, topology: Topology, work: Work) -> Self {
        let keys = cell.keys.bound();
        let started = AtomicUsize::new(0);
        // Where a thread only produces it has the first core; workers have the others.
        let first_core = topology.seats().len() - topology.workers();
        let runtime = Builder::new_multi_thread()
            .worker_threads(topology.workers())
            .on_thread_start(move || {
                let worker = started.fetch_add(1, Ordering::Relaxed);
                WORKER.set(worker);
                pin(first_core + worker);
            })
            .build()
            .expect("the host has threads left");
        let shared = Shared {
            table: Table::new(keys),
            work,
            sharded: keys > MANY,
            senders: (0..if keys > MANY { SHARDS } else { keys }).map(|_| OnceLock::new()).collect(),
            ledger: Ledger::new(topology, 0),
        };
        Self { runtime, shared: Arc::new(shared), topology }
    }

    /// Produces on a thread outside tokio's pool.
    fn split(&self, keys: &[u32]) -> Span {
        let _context = self.runtime.enter();
        let (mut produced, mut idle) = (0, Idle::new());
        let begin = Instant::now();
        while produced < keys.len() {
            let granted = self.shared.ledger.claim(0, (keys.len() - produced) as u64) as usize;
            if granted == 0 {
                idle.pause(self.shared.work.who, &self.shared.ledger);
                continue;
            }
            idle.reset();
            send(&self.shared, 0, &keys[produced..produced + granted], produced);
            produced += granted;
        }
        while !self.shared.ledger.complete() {
            idle.pause(self.shared.work.who, &self.shared.ledger);
        }
        (begin, Instant::now())
    }
}

impl Contestant for Actors {
    fn run(&mut self, streams: &Streams<'_>) -> Duration {
        self.shared.ledger.restart(streams.items());
        let spans: Vec<Span> = if self.topology == Topology::Split {
            thread::scope(|scope| {
                let produce = || {
                    pin(0);
                    let span = self.split(streams.of(0));
                    host::leave();
                    span
                };
                vec![scope.spawn(produce).join().expect("violations abort")]
            })
        } else {
            let producers: Vec<_> = (0..self.topology.producers())
                .map(|number| {
                    let (shared, keys) = (Arc::clone(&self.shared), streams.of(number).into());
                    self.runtime.spawn(produce(shared, number, keys))
                })
                .collect();
            producers.into_iter().map(|task| self.runtime.block_on(task).expect("violations abort")).collect()
        };
        // SAFETY: the ledger is complete: every handler has ended, and its end was seen there.
        unsafe { self.shared.table.settle(self.shared.work.who, streams) };
        elapsed(&spans)
    }
}

/// Produces on a thread of tokio, in turns with the tasks that serve.
async fn produce(shared: Arc<Shared>, number: usize, keys: Arc<[u32]>) -> Span {
    let (mut produced, mut granted) = (0, 0);
    let begin = Instant::now();
    while produced < keys.len() {
        if granted == 0 {
            granted = shared.ledger.claim(number, (keys.len() - produced) as u64);
        }
        let count = granted.min(CHUNK) as usize;
        send(&shared, number, &keys[produced..produced + count], produced);
        produced += count;
        granted -= count as u64;
        yield_now().await;
    }
    while !shared.ledger.complete() {
        yield_now().await;
    }
    (begin, Instant::now())
}

fn send(shared: &Arc<Shared>, producer: usize, keys: &[u32], before: usize) {
    for (&key, sequence) in keys.iter().zip(before as u32 + 1..) {
        let key = u64::from(key);
        let actor = if shared.sharded { key as usize % SHARDS } else { key as usize };
        let sender = shared.senders[actor].get_or_init(|| {
            let (sender, receiver) = unbounded_channel();
            tokio::spawn(actor_of_keys(Arc::clone(shared), receiver));
            sender
        });
        sender.send((key, Item { producer: producer as u32, sequence })).expect("tasks stay");
    }
}

async fn actor_of_keys(shared: Arc<Shared>, mut receiver: UnboundedReceiver<(u64, Item)>) {
    let mut batch = Vec::new();
    let mut server = Server::new(&shared.table, shared.work);
    loop {
        let count = receiver.recv_many(&mut batch, BATCH).await;
        if count == 0 {
            return;
        }
        for (key, item) in batch.drain(..) {
            server.run(key, item);
        }
        shared.ledger.publish(WORKER.get(), count as u64);
    }
}
