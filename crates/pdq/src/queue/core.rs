//! What the queue's lock protects: strands, ready lists and the gate.
//!
//! Every operation costs a hash look-up and a logarithm of the ready items, however many wait. An item is in exactly one
//! place:
//!
//! * *ready*: nothing unfinished and older conflicts with it. Ordered by ticket, one list per partition.
//! * in the *strand* of its user key: behind an unfinished item of that key. The strand exists while such an item does.
//! * in the *gate*: it is sequential, and an older item is unfinished.
//! * *behind* the gate: it arrived after a sequential item that is unfinished, and knows nothing but that.
//!
//! So ready items are exactly the dispatchable ones of the [specification](crate::specification) with an unlimited
//! window. This module must never know threads, nor the specification it is tested against.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::{Key, Statistics};

#[derive(Debug)]
pub(super) struct Core<T> {
    ready: Vec<BTreeMap<u64, Entry<T>>>,
    strands: HashMap<u64, VecDeque<Entry<T>>>,
    gate: Gate<T>,
    behind: VecDeque<Entry<T>>,
    /// Items that passed the gate and are not done; the sequential one is none of them.
    unfinished: usize,
    waiting: usize,
    held: usize,
    next_ticket: u64,
    statistics: Statistics,
}

#[derive(Debug)]
pub(super) struct Entry<T> {
    pub(super) ticket: u64,
    pub(super) key: Key,
    pub(super) item: T,
}

/// Where the oldest unfinished sequential item stands.
#[derive(Debug)]
enum Gate<T> {
    /// There is none.
    Open,
    /// Older items are unfinished.
    Draining(Entry<T>),
    /// It is ready or held, and nothing else is.
    Exclusive,
}

impl<T> Core<T> {
    pub(super) fn new(partitions: usize) -> Self {
        Self {
            ready: std::iter::repeat_with(BTreeMap::new).take(partitions).collect(),
            strands: HashMap::new(),
            gate: Gate::Open,
            behind: VecDeque::new(),
            unfinished: 0,
            waiting: 0,
            held: 0,
            next_ticket: 0,
            statistics: Statistics::default(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.waiting
    }

    pub(super) fn held(&self) -> usize {
        self.held
    }

    pub(super) fn statistics(&self) -> Statistics {
        self.statistics
    }

    pub(super) fn count_panic(&mut self) {
        self.statistics.panicked += 1;
    }

    pub(super) fn enqueue(&mut self, key: Key, item: T) {
        self.count_arrival(key);
        let entry = Entry { ticket: self.take_ticket(), key, item };
        self.one_more_waits();
        match self.gate {
            Gate::Open => self.admit(entry),
            Gate::Draining(_) | Gate::Exclusive => self.behind.push_back(entry),
        }
    }

    pub(super) fn dispatch(&mut self, partition: usize) -> Option<Entry<T>> {
        let (_, entry) = self.ready.get_mut(partition)?.pop_first()?;
        self.waiting -= 1;
        self.held += 1;
        self.statistics.dispatched += 1;
        Some(entry)
    }

    pub(super) fn try_hold(&mut self, key: Key) -> Option<u64> {
        if self.conflicts(key) {
            return None;
        }
        match key {
            Key::Sequential => self.gate = Gate::Exclusive,
            Key::User(user) => {
                self.unfinished += 1;
                self.strands.insert(user, VecDeque::new());
            }
            Key::NoSync => self.unfinished += 1,
        }
        self.held += 1;
        self.statistics.enqueued += 1;
        self.statistics.dispatched += 1;
        Some(self.take_ticket())
    }

    pub(super) fn complete(&mut self, key: Key) {
        self.held -= 1;
        match key {
            Key::Sequential => self.open_gate(),
            Key::User(user) => {
                self.unfinished -= 1;
                self.advance_strand(user);
            }
            Key::NoSync => self.unfinished -= 1,
        }
        self.pass_gate_if_drained();
    }

    /// The item stays unfinished; its continuation is ready in its place.
    pub(super) fn complete_with(&mut self, ticket: u64, key: Key, continuation: T) {
        self.held -= 1;
        self.statistics.continued += 1;
        self.one_more_waits();
        self.make_ready(Entry { ticket, key, item: continuation });
    }

    /// Whether an unfinished item conflicts with `key`.
    fn conflicts(&self, key: Key) -> bool {
        match (&self.gate, key) {
            (Gate::Draining(_) | Gate::Exclusive, _) => true,
            (Gate::Open, Key::Sequential) => self.unfinished > 0,
            (Gate::Open, Key::User(user)) => self.strands.contains_key(&user),
            (Gate::Open, Key::NoSync) => false,
        }
    }

    /// Lets an item in; the gate is open, so it is younger than everything inside.
    fn admit(&mut self, entry: Entry<T>) {
        match entry.key {
            Key::Sequential => {
                self.gate = Gate::Draining(entry);
                self.pass_gate_if_drained();
            }
            Key::User(user) => {
                self.unfinished += 1;
                if let Some(strand) = self.strands.get_mut(&user) {
                    self.statistics.waited_on_key += 1;
                    strand.push_back(entry);
                } else {
                    self.strands.insert(user, VecDeque::new());
                    self.make_ready(entry);
                }
            }
            Key::NoSync => {
                self.unfinished += 1;
                self.make_ready(entry);
            }
        }
    }

    fn make_ready(&mut self, entry: Entry<T>) {
        let partition = entry.key.partition(self.ready.len());
        self.ready[partition].insert(entry.ticket, entry);
    }

    fn advance_strand(&mut self, user: u64) {
        let strand =
            self.strands.get_mut(&user).expect("a strand exists while an item of its key is unfinished");
        match strand.pop_front() {
            Some(next) => self.make_ready(next),
            None => {
                self.strands.remove(&user);
            }
        }
    }

    fn pass_gate_if_drained(&mut self) {
        if self.unfinished > 0 || !matches!(self.gate, Gate::Draining(_)) {
            return;
        }
        if let Gate::Draining(entry) = std::mem::replace(&mut self.gate, Gate::Exclusive) {
            self.make_ready(entry);
        }
    }

    /// Lets in what is behind, up to and including the next sequential item.
    fn open_gate(&mut self) {
        self.gate = Gate::Open;
        while matches!(self.gate, Gate::Open)
            && let Some(entry) = self.behind.pop_front()
        {
            self.admit(entry);
        }
    }

    fn take_ticket(&mut self) -> u64 {
        self.next_ticket += 1;
        self.next_ticket
    }

    fn one_more_waits(&mut self) {
        self.waiting += 1;
        self.statistics.longest = self.statistics.longest.max(self.waiting);
    }

    fn count_arrival(&mut self, key: Key) {
        self.statistics.enqueued += 1;
        let behind_sequential = !matches!(self.gate, Gate::Open);
        if behind_sequential || key == Key::Sequential && self.unfinished > 0 {
            self.statistics.waited_on_sequential += 1;
        }
    }
}
