//! Rival: a job per item on rayon's threads, with a lock per key in it.
//!
//! Jobs have no order among each other. It must never know the meaning of items.

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use rayon::{Scope, ThreadPool, ThreadPoolBuilder, Yield};

use crate::harness::{Contestant, Idle, Ledger, Span, elapsed};
use crate::host;
use crate::state::{Item, Server, Spin, Table, Work};
use crate::workload::{CHUNK, Cell, Streams, Topology};
use tradewind_bench::pin;

/// The pool and the jobs' shared state.
pub(crate) struct Jobs {
    pool: ThreadPool,
    table: Table<Spin>,
    work: Work,
    topology: Topology,
}

impl Jobs {
    pub(crate) fn new(cell: Cell, topology: Topology, work: Work) -> Self {
        // Where a thread only produces it has the first core; workers have the others.
        let first_core = topology.seats().len() - topology.workers();
        let pool = ThreadPoolBuilder::new()
            .num_threads(topology.workers())
            .start_handler(move |worker| pin(first_core + worker))
            .build()
            .expect("the host has threads left");
        Self { pool, table: Table::new(cell.keys.bound()), work, topology }
    }

    fn spawn<'s>(
        &'s self,
        scope: &Scope<'s>,
        ledger: &'s Ledger,
        producer: usize,
        keys: &[u32],
        before: usize,
    ) {
        for (&key, sequence) in keys.iter().zip(before as u32 + 1..) {
            scope.spawn(move |_| {
                let item = Item { producer: producer as u32, sequence };
                Server::new(&self.table, self.work).run(u64::from(key), item);
                ledger.publish(rayon::current_thread_index().unwrap_or(0), 1);
            });
        }
    }

    /// Produces on a thread outside rayon's pool.
    fn split(&self, keys: &[u32], ledger: &Ledger) -> Span {
        let begin = Instant::now();
        self.pool.in_place_scope(|scope| {
            let (mut produced, mut idle) = (0, Idle::new());
            while produced < keys.len() {
                let granted = ledger.claim(0, (keys.len() - produced) as u64) as usize;
                if granted == 0 {
                    idle.pause(self.work.who, ledger);
                    continue;
                }
                idle.reset();
                self.spawn(scope, ledger, 0, &keys[produced..produced + granted], produced);
                produced += granted;
            }
            // Not asleep in the scope's end, so that no waking up is timed.
            while !ledger.complete() {
                idle.pause(self.work.who, ledger);
            }
        });
        (begin, Instant::now())
    }

    /// Every thread of the pool produces and runs jobs in turns.
    fn both(&self, streams: &Streams<'_>, ledger: &Ledger) -> Vec<Span> {
        let spans = Mutex::new(Vec::new());
        self.pool.scope(|scope| {
            scope.spawn_broadcast(|scope, context| {
                let begin = Instant::now();
                let (number, keys) = (context.index(), streams.of(context.index()));
                let (mut produced, mut granted) = (0, 0);
                while produced < keys.len() || !ledger.complete() {
                    if granted == 0 {
                        granted = ledger.claim(number, (keys.len() - produced) as u64);
                    }
                    let count = granted.min(CHUNK) as usize;
                    self.spawn(scope, ledger, number, &keys[produced..produced + count], produced);
                    produced += count;
                    granted -= count as u64;
                    for _ in 0..CHUNK {
                        if rayon::yield_now() != Some(Yield::Executed) {
                            break;
                        }
                    }
                }
                spans.lock().expect("no thread panics").push((begin, Instant::now()));
            });
        });
        spans.into_inner().expect("no thread panics")
    }
}

impl Contestant for Jobs {
    fn run(&mut self, streams: &Streams<'_>) -> Duration {
        let ledger = Ledger::new(self.topology, streams.items());
        let spans = if self.topology == Topology::Split {
            thread::scope(|scope| {
                let produce = || {
                    pin(0);
                    let span = self.split(streams.of(0), &ledger);
                    host::leave();
                    span
                };
                vec![scope.spawn(produce).join().expect("violations abort")]
            })
        } else {
            self.both(streams, &ledger)
        };
        // SAFETY: the scope has ended and with it every handler.
        unsafe { self.table.settle(self.work.who, streams) };
        elapsed(&spans)
    }
}
