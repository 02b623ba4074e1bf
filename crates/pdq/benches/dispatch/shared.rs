//! Rivals that give any item to any worker and leave the exclusion to a lock in the handler.
//!
//! They keep no order between the items of a key once two workers have taken them.

use crossbeam::channel;
use crossbeam::queue::SegQueue;

use crate::harness::{Access, Contender};
use crate::state::{Item, Lock, Server};
use crate::workload::{Seat, Topology, WINDOW};

/// Most items of a batch.
const BATCH: usize = 64;

/// An unbounded lock-free queue.
pub(crate) struct Segments(SegQueue<(u64, Item)>);

impl Contender for Segments {
    type Access<'c> = &'c Segments;

    fn new(_: Topology, _: usize) -> Self {
        Self(SegQueue::new())
    }

    fn access(&self, _: Seat) -> &Self {
        self
    }
}

impl Access for &Segments {
    #[inline]
    fn enqueue(&mut self, key: u64, item: Item) {
        self.0.push((key, item));
    }

    fn flush(&mut self) {}

    #[inline]
    fn serve<L: Lock>(&mut self, server: &mut Server<'_, L>) -> usize {
        for served in 0..BATCH {
            let Some((key, item)) = self.0.pop() else { return served };
            server.run(key, item);
        }
        BATCH
    }
}

/// A channel of many producers and many consumers, with room for all that is ever in flight.
pub(crate) struct Channel {
    sender: channel::Sender<(u64, Item)>,
    receiver: channel::Receiver<(u64, Item)>,
}

impl Contender for Channel {
    type Access<'c> = &'c Channel;

    fn new(_: Topology, _: usize) -> Self {
        let (sender, receiver) = channel::bounded(2 * WINDOW as usize);
        Self { sender, receiver }
    }

    fn access(&self, _: Seat) -> &Self {
        self
    }
}

impl Access for &Channel {
    #[inline]
    fn enqueue(&mut self, key: u64, item: Item) {
        self.sender.try_send((key, item)).expect("there is room for more than the window and both ends live");
    }

    fn flush(&mut self) {}

    #[inline]
    fn serve<L: Lock>(&mut self, server: &mut Server<'_, L>) -> usize {
        for served in 0..BATCH {
            let Ok((key, item)) = self.receiver.try_recv() else { return served };
            server.run(key, item);
        }
        BATCH
    }
}
