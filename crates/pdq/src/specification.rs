//! The executable specification: the parallel dispatch queue of Falsafi and Wood (HPCA 1999), one thread, no cleverness.
//!
//! It is the oracle for the concurrent queue, and the modelled hardware of simulators. It must never know time,
//! threads or the concurrent queue: the three share only the kinds of key and the tokens.
//!
//! # The rule
//!
//! Every item gets a ticket in order of arrival, and is first waiting, then held by a server, then done.
//!
//! > An item is *dispatchable* if it waits, lies in the search window, and no older item that is not done conflicts
//! > with it. `dispatch` takes the oldest dispatchable item.
//!
//! The search need not compare an item with the older *waiting* items. Going from old to new, it reaches an item `e`
//! only after finding every older waiting item in reach blocked. If such an item, `x`, conflicts with `e`, there are
//! two cases. If `x` is sequential, `e` lies behind the barrier, where the search ends. Otherwise both have one user
//! key; `x` is blocked, and not by a sequential item (the search would have ended there), so its key is held, and `e`
//! is blocked by the very same holder.

use std::collections::VecDeque;

use crate::{DispatcherId, Held, Identity, Key, Statistics, UserKey};

/// Parameters of a [`Specification`] or a [`Device`](crate::Device).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// Number of the oldest waiting items among which a dispatch searches for an item to run; `None`: all. With 1 and one
    /// server, the queue is a plain FIFO.
    pub window: Option<usize>,
    /// Number of waiting items for which the device has room; `None`: all. Younger items wait in memory, beyond any search, until
    /// the device has room again.
    pub capacity: Option<usize>,
    /// Whether at most one dispatched item, of any key, may be unfinished at a time.
    pub serial: bool,
    /// Number of queues in the device. 1: any server takes any item. More: items are split statically; server `s` takes the items
    /// whose [`Key::partition`] is `s`, and a server with a number of `partitions` or more takes none. Window and capacity are
    /// per queue; the order between sequential items and all others is still that of the whole device.
    pub partitions: usize,
}

impl Default for Config {
    /// A search window of 16 items in a device with room for 64; any server takes any item, and items of different keys run in
    /// parallel.
    fn default() -> Self {
        Self { window: Some(16), capacity: Some(64), serial: false, partitions: 1 }
    }
}

/// The specified queue. See the [module](self) for the rule that it follows.
///
/// To model a device that searches ahead and keeps found items in a buffer per server, call `dispatch` early and keep
/// its result: entering the buffer reserves a key exactly as a dispatch does.
///
/// ```
/// use tradewind_pdq::specification::{Config, Specification};
/// use tradewind_pdq::{DispatcherId, Key};
///
/// let mut queue = Specification::new(DispatcherId::fresh(), Config::default());
/// queue.enqueue(Key::User(1), "first");
/// queue.enqueue(Key::User(1), "second");
/// let (held, item) = queue.dispatch(0).expect("an item waits and nothing is held");
/// assert_eq!(item, "first");
/// assert!(!queue.can_dispatch(1), "its key is held");
/// queue.complete(held);
/// assert!(queue.can_dispatch(1));
/// ```
#[derive(Debug)]
pub struct Specification<T, K = u64> {
    identity: Identity,
    /// Number of the oldest waiting items that a search covers: the smaller of window and capacity, or `usize::MAX` without
    /// either.
    reach: usize,
    capacity: usize,
    serial: bool,
    partitions: Vec<Partition<T, K>>,
    /// Active-key table: a row for each dispatched item that is not done. An item whose handler has ended and whose continuation
    /// waits has a row too.
    active: Vec<Active<K>>,
    /// Number of `active` items whose continuation waits. No token is outstanding for them.
    continuing: usize,
    waiting: usize,
    /// Tickets of the waiting sequential items, oldest first.
    waiting_sequential: VecDeque<u64>,
    next_ticket: u64,
    statistics: Statistics,
}

#[derive(Debug)]
struct Partition<T, K> {
    /// Waiting items in arrival order, which is the order of their tickets.
    waiting: VecDeque<Entry<T, K>>,
    /// Waiting continuations, by ticket. Their keys are in the active-key table, so they do not count for window and capacity.
    continuations: VecDeque<Entry<T, K>>,
}

#[derive(Debug)]
struct Entry<T, K> {
    ticket: u64,
    key: Key<K>,
    /// Whether a search has passed this item over because its key was held.
    passed_over: bool,
    item: T,
}

#[derive(Debug)]
struct Active<K> {
    ticket: u64,
    key: Key<K>,
}

/// Outcome of a search for a dispatchable item.
struct Search {
    /// Number of waiting items that the search passed over. A held key blocks each of them; the last may also be a sequential item
    /// that waits for older items.
    passed: usize,
    /// Whether the item after the passed ones is dispatchable.
    found: bool,
}

impl Config {
    /// Returns the number of items that a search covers, and the number for which the device has room.
    ///
    /// # Panics
    ///
    /// If window, capacity or the number of partitions is 0: no item could ever be dispatched.
    pub(crate) fn limits(&self) -> (usize, usize) {
        let capacity = self.capacity.unwrap_or(usize::MAX);
        let reach = self.window.unwrap_or(usize::MAX).min(capacity);
        assert!(reach > 0, "a queue with a window or a capacity of 0 dispatches nothing");
        assert!(self.partitions > 0, "a queue needs at least one partition");
        (reach, capacity)
    }
}

impl<T> Specification<T> {
    /// Makes an empty queue of items whose keys are numbers.
    ///
    /// # Panics
    ///
    /// If window, capacity or the number of partitions is 0: no item could ever be dispatched.
    pub fn new(identity: Identity, config: Config) -> Self {
        Self::with_keys(identity, config)
    }
}

impl<T, K: UserKey> Specification<T, K> {
    /// Makes an empty queue of items whose keys have type `K`.
    ///
    /// # Panics
    ///
    /// If window, capacity or the number of partitions is 0: no item could ever be dispatched.
    pub fn with_keys(identity: Identity, config: Config) -> Self {
        let (reach, capacity) = config.limits();
        let partition = || Partition { waiting: VecDeque::new(), continuations: VecDeque::new() };
        Self {
            identity,
            reach,
            capacity,
            serial: config.serial,
            partitions: std::iter::repeat_with(partition).take(config.partitions).collect(),
            active: Vec::new(),
            continuing: 0,
            waiting: 0,
            waiting_sequential: VecDeque::new(),
            next_ticket: 0,
            statistics: Statistics::default(),
        }
    }

    /// Returns this queue's identifier, with which [`Keyed`](crate::Keyed) tables are made.
    pub fn id(&self) -> DispatcherId {
        self.identity.id()
    }

    /// Appends an item at the tail. Never fails: an item for which the device has no room waits in memory.
    pub fn enqueue(&mut self, key: Key<K>, item: T) {
        self.count_arrival(key);
        let ticket = self.take_ticket();
        self.statistics.spilled += u64::from(self.would_spill(key));
        let home = key.partition(self.partitions.len());
        let partition = &mut self.partitions[home];
        partition.waiting.push_back(Entry { ticket, key, passed_over: false, item });
        if key == Key::Sequential {
            self.waiting_sequential.push_back(ticket);
        }
        self.waiting += 1;
    }

    /// Whether an item of this key, if appended now, would find no room in the device and wait in memory.
    pub fn would_spill(&self, key: Key<K>) -> bool {
        let home = key.partition(self.partitions.len());
        self.partitions[home].waiting.len() >= self.capacity
    }

    /// Takes the oldest dispatchable item that server `server` may run. Returns the held key and the item; `None` if there is no
    /// such item.
    pub fn dispatch(&mut self, server: usize) -> Option<(Held<K>, T)> {
        if self.closed_by_serial() {
            return None;
        }
        let partition = self.partition_of(server)?;
        let search = self.search(partition);
        self.count_search(partition, &search);
        let entry = self.take(partition, &search)?;
        self.waiting -= 1;
        self.statistics.dispatched += 1;
        Some((Held::new(entry.key, self.id(), entry.ticket), entry.item))
    }

    /// Whether [`dispatch`](Self::dispatch) would return an item for server `server`. Costs one search of the window.
    pub fn can_dispatch(&self, server: usize) -> bool {
        !self.closed_by_serial()
            && self.partition_of(server).is_some_and(|partition| {
                !self.partitions[partition].continuations.is_empty() || self.search(partition).found
            })
    }

    /// Holds `key` without an item, as if an item had arrived and been dispatched at once. `None` if an unfinished item, waiting or
    /// dispatched, conflicts with `key`, or if the queue is serial and a key is held. Compares `key` with every waiting item.
    pub fn try_hold(&mut self, key: Key<K>) -> Option<Held<K>> {
        if self.closed_by_serial() || self.unfinished().any(|other| other.conflicts(key)) {
            return None;
        }
        let ticket = self.take_ticket();
        self.statistics.enqueued += 1;
        self.statistics.dispatched += 1;
        self.active.push(Active { ticket, key });
        Some(Held::new(key, self.id(), ticket))
    }

    /// Ends the item, or the hold without an item, to which the token `held` belongs. The key is free again.
    ///
    /// # Panics
    ///
    /// If another dispatcher made the token.
    pub fn complete(&mut self, held: Held<K>) {
        let ticket = held.redeem(self.id());
        let position = self.active.iter().position(|active| active.ticket == ticket);
        self.active.swap_remove(position.expect("a token is outstanding for active items only"));
    }

    /// Ends a handler and keeps its key held: `continuation` takes over the item's place in the order, so it runs ahead of all
    /// others of the key and is dispatchable at once, regardless of the window.
    ///
    /// # Panics
    ///
    /// If another dispatcher made the token.
    pub fn complete_with(&mut self, held: Held<K>, continuation: T) {
        let key = held.key();
        let ticket = held.redeem(self.id());
        let home = key.partition(self.partitions.len());
        let continuations = &mut self.partitions[home].continuations;
        let place = continuations.partition_point(|other| other.ticket < ticket);
        continuations.insert(place, Entry { ticket, key, passed_over: false, item: continuation });
        self.continuing += 1;
        self.statistics.continued += 1;
        self.waiting += 1;
    }

    /// Number of waiting items, continuations included.
    pub fn len(&self) -> usize {
        self.waiting
    }

    /// Whether no item waits. (Keys may still be held.)
    pub fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Number of keys that are held now: by dispatched items that are not done, and by [`try_hold`](Self::try_hold). An item whose
    /// continuation waits does not count.
    pub fn held(&self) -> usize {
        self.active.len() - self.continuing
    }

    /// Number of waiting items for which the device has no room at present.
    pub fn spilled(&self) -> usize {
        self.partitions.iter().map(|partition| partition.waiting.len().saturating_sub(self.capacity)).sum()
    }

    /// Counts of items and waits since the queue was made.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    fn closed_by_serial(&self) -> bool {
        self.serial && self.held() > 0
    }

    fn partition_of(&self, server: usize) -> Option<usize> {
        match self.partitions.len() {
            1 => Some(0),
            partitions => (server < partitions).then_some(server),
        }
    }

    /// Searches the waiting items of a partition, from the oldest on, for the first that can be dispatched. Compares items with
    /// held keys only: the head of the module proves that this suffices.
    fn search(&self, partition: usize) -> Search {
        let barrier = self.barrier();
        let mut passed = 0;
        for entry in self.partitions[partition].waiting.iter().take(self.reach) {
            if entry.ticket > barrier {
                break;
            }
            if self.is_free(entry) {
                return Search { passed, found: true };
            }
            passed += 1;
        }
        Search { passed, found: false }
    }

    /// Whether an item is dispatchable: no held key conflicts and, for a sequential item, no older one waits.
    fn is_free<U>(&self, entry: &Entry<U, K>) -> bool {
        !self.active.iter().any(|active| active.key.conflicts(entry.key))
            && (entry.key != Key::Sequential || self.oldest_waiting() == Some(entry.ticket))
    }

    /// Ticket of the oldest unfinished sequential item, which holds back all younger items; `u64::MAX` if there is none.
    fn barrier(&self) -> u64 {
        match self.active.first() {
            // It runs alone, so it is the only entry.
            Some(active) if active.key == Key::Sequential => active.ticket,
            _ => self.waiting_sequential.front().copied().unwrap_or(u64::MAX),
        }
    }

    fn oldest_waiting(&self) -> Option<u64> {
        self.partitions
            .iter()
            .filter_map(|partition| partition.waiting.front())
            .map(|entry| entry.ticket)
            .min()
    }

    fn unfinished(&self) -> impl Iterator<Item = Key<K>> {
        let waiting = self.partitions.iter().flat_map(|partition| &partition.waiting).map(|entry| entry.key);
        self.active.iter().map(|active| active.key).chain(waiting)
    }

    /// Takes the older of the item that a search found and the first continuation of a partition.
    fn take(&mut self, partition: usize, search: &Search) -> Option<Entry<T, K>> {
        let Partition { waiting, continuations } = &mut self.partitions[partition];
        let found = search.found.then(|| waiting[search.passed].ticket);
        if let Some(continuation) = continuations.front()
            && found.is_none_or(|ticket| continuation.ticket < ticket)
        {
            self.continuing -= 1;
            return continuations.pop_front();
        }
        found?;
        let entry = waiting.remove(search.passed)?;
        if entry.key == Key::Sequential {
            self.waiting_sequential.pop_front();
        }
        self.active.push(Active { ticket: entry.ticket, key: entry.key });
        Some(entry)
    }

    fn take_ticket(&mut self) -> u64 {
        self.next_ticket += 1;
        self.next_ticket
    }

    fn count_arrival(&mut self, key: Key<K>) {
        self.statistics.enqueued += 1;
        let behind_sequential = self.barrier() != u64::MAX;
        let behind_anything = self.waiting > 0 || !self.active.is_empty();
        if behind_sequential || key == Key::Sequential && behind_anything {
            self.statistics.waited_on_sequential += 1;
        }
    }

    fn count_search(&mut self, partition: usize, search: &Search) {
        let barrier = self.barrier();
        let waiting = &mut self.partitions[partition].waiting;
        for entry in waiting.iter_mut().take(search.passed).filter(|entry| entry.key != Key::Sequential) {
            self.statistics.waited_on_key += u64::from(!entry.passed_over);
            entry.passed_over = true;
        }
        let cut_off = waiting.get(self.reach).is_some_and(|beyond| beyond.ticket < barrier);
        self.statistics.blocked_by_window += u64::from(!search.found && cut_off);
    }
}
