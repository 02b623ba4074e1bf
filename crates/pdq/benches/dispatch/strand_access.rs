//! Rival: strands, a queue per bucket of keys, through the harness's interface.
//!
//! It must never know how strands work.

use crate::harness::{Access, Contender};
use crate::state::{Item, Lock, Server};
use crate::strands::Strands;
use crate::workload::{Seat, Topology};

pub(crate) struct Stranded {
    strands: Strands<Item>,
    workers: usize,
}

pub(crate) struct StrandAccess<'s> {
    strands: &'s Strands<Item>,
    number: usize,
}

impl Contender for Stranded {
    type Access<'c> = StrandAccess<'c>;

    fn new(topology: Topology, _: usize) -> Self {
        let workers = topology.workers();
        Self { strands: Strands::new(workers), workers }
    }

    fn access(&self, seat: Seat) -> StrandAccess<'_> {
        // Who is no worker has a number beyond theirs.
        let number = seat.worker.unwrap_or(self.workers + seat.producer.unwrap_or(0));
        StrandAccess { strands: &self.strands, number }
    }
}

impl Access for StrandAccess<'_> {
    #[inline]
    fn enqueue(&mut self, key: u64, item: Item) {
        self.strands.enqueue(self.number, key, item);
    }

    fn flush(&mut self) {}

    #[inline]
    fn serve<L: Lock>(&mut self, server: &mut Server<'_, L>) -> usize {
        self.strands.serve(self.number, |key, item| server.run(key, item))
    }
}
