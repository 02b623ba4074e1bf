//! Bounds without a queue: threads run the items they draw, under a lock per key or, for one thread, under none.
//!
//! It must never know the meaning of items.

use std::thread;
use std::time::{Duration, Instant};

use crate::harness::{Contestant, Gate, Span, elapsed};
use crate::host;
use crate::state::{Item, Lock, Server, Table, Work};
use crate::workload::{Cell, Streams, Topology};
use tradewind_bench::pin;

/// As many threads as the topology has workers; each takes an even part of the items that would be produced.
pub(crate) struct Inline<L> {
    table: Table<L>,
    topology: Topology,
    work: Work,
}

impl<L: Lock> Inline<L> {
    pub(crate) fn new(cell: Cell, topology: Topology, work: Work) -> Self {
        Self { table: Table::new(cell.keys.bound()), topology, work }
    }
}

impl<L: Lock> Contestant for Inline<L> {
    fn run(&mut self, streams: &Streams<'_>) -> Duration {
        // There are never fewer producers than workers, nor more: each thread stands for one of both.
        let threads = self.topology.workers();
        let gate = Gate::new(threads);
        let spans: Vec<Span> = thread::scope(|scope| {
            let start = |number: usize| {
                let (this, gate) = (&*self, &gate);
                scope.spawn(move || {
                    pin(number);
                    let mut server = Server::new(&this.table, this.work);
                    let begin = gate.pass();
                    for (&key, sequence) in streams.of(number).iter().zip(1..) {
                        server.run(u64::from(key), Item { producer: number as u32, sequence });
                    }
                    let end = Instant::now();
                    host::leave();
                    (begin, end)
                })
            };
            let threads: Vec<_> = (0..threads).map(start).collect();
            threads.into_iter().map(|thread| thread.join().expect("violations abort")).collect()
        });
        // SAFETY: all threads have ended.
        unsafe { self.table.settle(self.work.who, streams) };
        elapsed(&spans)
    }
}
