//! The state of a node: its arena, the issued and completed operations of each thread, and the stores that arrived here.
//!
//! Every counter has one writer or is an atomic addition: the issuing thread writes *issued*, the processors that run handlers
//! add to *completed*, and the number outstanding is the difference. So no lock is needed. This module must never know the
//! format of messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tempest::message::{Flow, Space};
use tempest::{Cells, Event, MAX_WORDS, NodeId, Thread};

use super::arena::Arena;
use crate::Barrier;

/// Largest number of stores that one acknowledgement confirms, whatever the world allows: the count travels in 16 bits.
const MOST_CONFIRMED: u64 = u16::MAX as u64;

/// Largest number of payload words of a block in one message. The message's other words, one or two, encode the block's place.
pub(super) const BLOCK: usize = MAX_WORDS - 2;

/// One node's part of the global address space. See the [module](super).
#[derive(Debug)]
pub struct SplitPhase {
    pub(super) node: NodeId,
    /// Key space of this protocol's procedures.
    pub(super) space: Space,
    pub(super) arena: Arena,
    /// Whether blocks travel as bulk transfers.
    pub(super) transfers: bool,
    /// Whether accesses to mapped memory of other nodes are loads and stores.
    pub(super) direct: bool,
    pub(super) issuers: Box<[Issuer]>,
    pub(super) arrivals: Arrivals,
    pub(super) barrier: Arc<Barrier>,
}

/// Kind of an outstanding operation. Operations of each kind are counted and awaited separately.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Operations that return when they are done: reads, writes, calls and procedures.
    Blocking,
    /// Gets and puts.
    Split,
    /// Stores that must be confirmed, for flow control alone.
    Store,
}

/// All kinds, in the order of their numbers.
const KINDS: [Kind; 3] = [Kind::Blocking, Kind::Split, Kind::Store];

/// A thread and a kind of operation: the counter to which the completion of a request is added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ticket {
    pub(super) thread: u32,
    pub(super) kind: Kind,
}

impl Ticket {
    /// Encodes the ticket in a message's field.
    pub(super) fn to_bits(self) -> u32 {
        self.thread * KINDS.len() as u32 + self.kind as u32
    }

    /// Decodes the ticket from a message's field.
    pub(super) fn from_bits(bits: u32) -> Self {
        let kinds = KINDS.len() as u32;
        Self { thread: bits / kinds, kind: KINDS[(bits % kinds) as usize] }
    }
}

/// Counter that one thread writes and any thread reads.
#[derive(Debug, Default)]
struct Count(AtomicU64);

impl Count {
    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Sets the counter. Only its writing thread may call this.
    fn set(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }

    /// Adds to the counter. Only its writing thread may call this.
    fn add(&self, amount: u64) {
        self.set(self.get() + amount);
    }

    /// Sets the counter to 0, and returns its previous value. Only its writing thread may call this.
    fn take(&self) -> u64 {
        let count = self.get();
        self.set(0);
        count
    }
}

/// Issued and completed operations of one thread.
#[derive(Debug)]
pub(super) struct Issuer {
    /// Number of requests that the thread may have outstanding: its share of the node's window.
    window: u64,
    /// Number of stores after which the thread requests an acknowledgement; `None` if stores are not confirmed.
    every: Option<u64>,
    issued: [Count; KINDS.len()],
    completed: [Event; KINDS.len()],
    /// Number of stores to each node for which no acknowledgement has been requested, indexed by node.
    unasked: Box<[Count]>,
    /// Sum of `unasked`.
    unasked_in_all: Count,
    /// Number of stores since the last request for an acknowledgement.
    since_asked: Count,
    /// Number of bytes stored to each node since the last synchronization of all stores, indexed by node.
    stored: Box<[Count]>,
}

impl Issuer {
    pub(super) fn new(nodes: u32, threads: u32, flow: Flow) -> Self {
        let by_node = || (0..nodes).map(|_| Count::default()).collect();
        // Each thread has its even share of the window, and at least one.
        let window = u64::from((flow.window / threads).max(1));
        Self {
            window,
            every: flow.acknowledge_every.map(u64::from),
            issued: Default::default(),
            completed: ["split_phase.returned", "split_phase.answered", "split_phase.confirmed"]
                .map(Event::new),
            unasked: by_node(),
            unasked_in_all: Count::default(),
            since_asked: Count::default(),
            stored: by_node(),
        }
    }

    pub(super) fn completed(&self, kind: Kind) -> &Event {
        &self.completed[kind as usize]
    }

    /// Waits until the thread's window has room for one more request. Receives messages meanwhile.
    pub(super) fn reserve(&self, thread: &Thread<'_>) {
        loop {
            let done = KINDS.map(|kind| self.completed(kind).count(thread));
            let pending = KINDS.map(|kind| self.issued[kind as usize].get() - done[kind as usize]);
            if pending.iter().sum::<u64>() < self.window {
                return;
            }
            // Stores come last: stores alone never fill the window unless the acknowledgement of one has been requested.
            let kind = KINDS.into_iter().find(|kind| pending[*kind as usize] > 0);
            let kind = kind.expect("a full window has something pending");
            thread.wait(self.completed(kind), done[kind as usize] + 1);
        }
    }

    /// Counts `requests` operations of this kind as outstanding.
    pub(super) fn count(&self, kind: Kind, requests: u64) {
        self.issued[kind as usize].add(requests);
    }

    /// Waits until the thread has no outstanding operation of this kind.
    pub(super) fn complete(&self, thread: &Thread<'_>, kind: Kind) {
        thread.wait(self.completed(kind), self.issued[kind as usize].get());
    }

    /// Counts `bytes` bytes as stored to node `to`.
    pub(super) fn note_stored(&self, to: NodeId, bytes: u64) {
        self.stored[to.0 as usize].add(bytes);
    }

    /// Returns and clears the number of bytes stored to node `to`.
    pub(super) fn take_stored(&self, to: NodeId) -> u64 {
        self.stored[to.0 as usize].take()
    }

    /// Counts all stores without a requested acknowledgement as confirmed. The caller knows that they have arrived.
    pub(super) fn settle_stores(&self, thread: &Thread<'_>) {
        self.unasked.iter().for_each(|unasked| unasked.set(0));
        thread.signal(self.completed(Kind::Store), self.unasked_in_all.take());
        self.since_asked.set(0);
    }

    /// Whether stores count as outstanding until they are confirmed.
    pub(super) fn confirms_stores(&self) -> bool {
        self.every.is_some()
    }

    /// Counts a store to node `to`. Returns the number of stores that node `to` shall confirm now, mostly 0.
    ///
    /// Every `every`-th store asks its destination to confirm all stores that it has received. If stores go to many nodes, the
    /// number without a requested acknowledgement grows. From half of the window on every store asks, so that the window never fills
    /// with stores that no node will confirm.
    pub(super) fn count_store(&self, to: NodeId) -> u16 {
        let Some(every) = self.every else { return 0 };
        self.count(Kind::Store, 1);
        let unasked = &self.unasked[to.0 as usize];
        let here = unasked.get() + 1;
        let (all, since) = (self.unasked_in_all.get() + 1, self.since_asked.get() + 1);
        let asks = since >= every || all > self.window / 2 || here == MOST_CONFIRMED;
        let (left, all, since) = if asks { (0, all - here, 0) } else { (here, all, since) };
        unasked.set(left);
        self.unasked_in_all.set(all);
        self.since_asked.set(since);
        if asks { here as u16 } else { 0 }
    }
}

/// Stores that arrived at this node, its own included.
#[derive(Debug)]
pub(super) struct Arrivals {
    /// Number of bytes that have arrived, as an event that threads wait for.
    pub(super) bytes: Event,
    /// Number of bytes that all nodes, this one included, have announced as stored here since the start of the run. Only a
    /// synchronization of all stores announces.
    pub(super) owed: Cells<u64>,
    /// Number of arrived bytes that threads have waited for.
    awaited: Cells<u64>,
    /// Address of the word behind the last store: a store there continues the run of stores.
    run: AtomicU64,
}

impl Arrivals {
    pub(super) fn new() -> Self {
        Self {
            bytes: Event::new("split_phase.stored"),
            owed: Cells::new(1, 0),
            awaited: Cells::new(1, 0),
            run: AtomicU64::new(u64::MAX),
        }
    }

    /// Whether a store of `words` words from address `first` on starts where the last store at this node ended, or repeats its
    /// last word. The address translation of the last store then serves this store too. Remembers the end of this store.
    pub(super) fn continues(&self, first: u64, words: u32) -> bool {
        let end = first + u64::from(words);
        let before = self.run.swap(end, Ordering::Relaxed);
        first == before || first + 1 == before
    }

    /// Waits until `bytes` more bytes have arrived than earlier waits have consumed.
    pub(super) fn wait(&self, thread: &Thread<'_>, bytes: u64) {
        let before = self.awaited.add(thread, 0, bytes);
        thread.wait(&self.bytes, before + bytes);
    }

    /// Waits until all announced bytes have arrived. The caller guarantees that no further announcement arrives.
    pub(super) fn wait_for_all(&self, thread: &Thread<'_>) {
        let owed = self.owed.get(thread, 0);
        thread.wait(&self.bytes, owed);
        self.awaited.set(thread, 0, owed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issuer(window: u32, every: u32) -> Issuer {
        Issuer::new(4, 1, Flow { window, acknowledge_every: Some(every) })
    }

    #[test]
    fn tickets_arrive_as_they_left() {
        for ticket in (0..4).flat_map(|thread| KINDS.map(|kind| Ticket { thread, kind })) {
            assert_eq!(Ticket::from_bits(ticket.to_bits()), ticket);
        }
    }

    #[test]
    fn one_destination_confirms_stores_in_bunches() {
        let issuer = issuer(16, 8);
        let asked: Vec<u16> = (0..16).map(|_| issuer.count_store(NodeId(1))).collect();
        assert_eq!(asked, [0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 8]);
    }

    /// Stores to two nodes in turn. The 8th asks node 1 to confirm the 4 it has received. After another 4, node 0 has received 6 and
    /// node 1 has 2 without a requested acknowledgement, half of the window; so the 13th asks node 0 for 7.
    #[test]
    fn what_nobody_was_asked_for_never_exceeds_half_of_the_window() {
        let issuer = issuer(16, 8);
        let asked: Vec<u16> = (0..13).map(|store| issuer.count_store(NodeId(store % 2))).collect();
        assert_eq!(asked, [0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 7]);
    }

    #[test]
    fn a_window_of_one_asks_at_every_store() {
        let issuer = issuer(1, 8);
        assert_eq!([0, 1, 0, 2].map(|node| issuer.count_store(NodeId(node))), [1; 4]);
    }

    #[test]
    fn a_run_of_stores_goes_on_at_the_next_word_or_repeats_the_last() {
        let arrivals = Arrivals::new();
        let stores = [(5, 1), (6, 2), (8, 1), (8, 1), (7, 1), (20, 1)];
        assert_eq!(
            stores.map(|(offset, words)| arrivals.continues(offset, words)),
            [false, true, true, true, false, false]
        );
    }
}
