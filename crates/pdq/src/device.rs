//! The modelled device: the [specification](crate::specification) without continuations. The outcome of each search
//! is computed ahead of the query.
//!
//! A simulator queries a dispatch queue far more often than items come or go. The device therefore searches when its
//! state changes: behind an item that is taken, at an item that arrives, or through the window when a key becomes
//! free. While no key conflicts, each of these searches looks at one item at most.
//!
//! The device dispatches and counts exactly as the specification does: a property test compares the two. This module
//! must never know time, or the meaning of an item.

use std::collections::VecDeque;

use crate::specification::Config;
use crate::{DispatcherId, Held, Identity, Key, Statistics, UserKey};

/// A queue that behaves as a [`Specification`](crate::Specification) with the same [`Config`], but has no continuations and is
/// quick to ask.
///
/// ```
/// use tradewind_pdq::specification::Config;
/// use tradewind_pdq::{Device, DispatcherId, Key};
///
/// let mut device = Device::new(DispatcherId::fresh(), Config::default());
/// device.enqueue(Key::User(1), "first");
/// device.enqueue(Key::User(1), "second");
/// let (held, item) = device.dispatch(0).expect("an item waits and nothing is held");
/// assert_eq!(item, "first");
/// assert!(!device.can_dispatch(1), "its key is held");
/// device.complete(held);
/// assert!(device.can_dispatch(1));
/// ```
#[derive(Debug)]
pub struct Device<T, K = u64> {
    identity: Identity,
    /// Number of the oldest waiting items of a partition that a search covers.
    reach: usize,
    capacity: usize,
    serial: bool,
    partitions: Box<[Partition<T, K>]>,
    /// Items that were dispatched and are not done.
    active: Vec<Active<K>>,
    /// Number of waiting items of all partitions.
    waiting: usize,
    /// Tickets of the waiting sequential items, oldest first.
    waiting_sequential: VecDeque<u64>,
    next_ticket: u64,
    statistics: Statistics,
}

#[derive(Debug)]
struct Partition<T, K> {
    /// Waiting items, oldest first.
    waiting: VecDeque<Entry<T, K>>,
    /// Outcome that a search of this partition would have now. Every change of the device updates it.
    search: Search,
}

#[derive(Debug)]
struct Entry<T, K> {
    ticket: u64,
    key: Key<K>,
    /// Whether a search for a server has passed this item over because its key was held.
    passed_over: bool,
    item: T,
}

#[derive(Debug)]
struct Active<K> {
    ticket: u64,
    key: Key<K>,
}

/// Outcome of a search for an item that can be dispatched.
#[derive(Clone, Copy, Debug, Default)]
struct Search {
    /// Number of blocked items before the place where the search ended.
    passed: usize,
    /// Whether the item after the blocked ones can be dispatched.
    found: bool,
}

impl<T, K: UserKey> Device<T, K> {
    /// Makes an empty device.
    ///
    /// # Panics
    ///
    /// If window, capacity or the number of partitions is 0: no item could ever be dispatched.
    pub fn new(identity: Identity, config: Config) -> Self {
        let (reach, capacity) = config.limits();
        // Most devices of a machine with many nodes have one item at a time, waiting or active.
        let partition = || Partition { waiting: VecDeque::with_capacity(1), search: Search::default() };
        Self {
            identity,
            reach,
            capacity,
            serial: config.serial,
            partitions: std::iter::repeat_with(partition).take(config.partitions).collect(),
            active: Vec::with_capacity(1),
            waiting: 0,
            waiting_sequential: VecDeque::new(),
            next_ticket: 0,
            statistics: Statistics::default(),
        }
    }

    /// Returns the memory of the first partition and of the list of active items, for a simulator that prefetches it into the
    /// host's caches.
    pub fn lists(&self) -> (&(impl Sized + use<T, K>), &[impl Sized + use<T, K>]) {
        (&self.partitions[0], &self.active)
    }

    /// Returns this device's identifier, with which [`Keyed`](crate::Keyed) tables are made.
    pub fn id(&self) -> DispatcherId {
        self.identity.id()
    }

    /// Appends an item at the tail. An item for which the device has no room waits in memory.
    #[inline]
    pub fn enqueue(&mut self, key: Key<K>, item: T) {
        self.enqueue_with(key, |_| item);
    }

    /// Appends at the tail the item that the closure `item` makes. The closure's argument is true if the device has no room for
    /// the item, which then waits in memory.
    #[inline]
    pub fn enqueue_with(&mut self, key: Key<K>, item: impl FnOnce(bool) -> T) {
        let behind_sequential = self.barrier() != u64::MAX;
        self.count_arrival(key, behind_sequential);
        let ticket = self.take_ticket();
        let is_free = self.is_free_behind_all(key);
        let home = key.partition(self.partitions.len());
        let Partition { waiting, search } = &mut self.partitions[home];
        let place = waiting.len();
        let spills = place >= self.capacity;
        self.statistics.spilled += u64::from(spills);
        let sees = !search.found && search.passed == place && place < self.reach && !behind_sequential;
        search.found |= sees && is_free;
        search.passed += usize::from(sees && !is_free);
        waiting.push_back(Entry { ticket, key, passed_over: false, item: item(spills) });
        if key == Key::Sequential {
            self.waiting_sequential.push_back(ticket);
        }
        self.waiting += 1;
    }

    /// Dispatches an item at once if it need not wait: counts it as enqueued and dispatched, and returns its held key. `None` if
    /// another item waits, if `key` is not free, if the device is serial and a key is held, or if there are several partitions; the
    /// caller then [enqueues](Self::enqueue) the item.
    #[inline]
    pub fn pass(&mut self, key: Key<K>) -> Option<Held<K>> {
        let passes = self.waiting == 0 && self.partitions.len() == 1 && !self.closed_by_serial();
        if !passes || !self.is_free_behind_all(key) {
            return None;
        }
        let ticket = self.take_ticket();
        Some(self.hold(key, ticket))
    }

    /// Takes the oldest item whose key is free and that server `server` may run. Returns the held key and the item; `None` if there is no
    /// such item.
    #[inline]
    pub fn dispatch(&mut self, server: usize) -> Option<(Held<K>, T)> {
        self.dispatch_with(server, |_| ())
    }

    /// Takes the oldest item whose key is free and that server `server` may run. Returns the held key and the item; `None` if there
    /// is no such item. The oldest item that waits in memory, if any, now has room in the device: `refill` is called with it.
    #[inline]
    pub fn dispatch_with(&mut self, server: usize, refill: impl FnOnce(&mut T)) -> Option<(Held<K>, T)> {
        if self.closed_by_serial() {
            return None;
        }
        let home = self.partition_of(server)?;
        let Search { passed, found } = self.partitions[home].search;
        if !found || passed > 0 {
            self.count_search(home);
        }
        if !found {
            return None;
        }
        let entry = self.take(home, passed)?;
        if let Some(next) = self.partitions[home].waiting.get_mut(self.capacity - 1) {
            refill(&mut next.item);
        }
        self.search_again();
        Some((Held::new(entry.key, self.id(), entry.ticket), entry.item))
    }

    /// Whether [`dispatch`](Self::dispatch) would return an item for server `server`.
    #[inline]
    pub fn can_dispatch(&self, server: usize) -> bool {
        !self.closed_by_serial()
            && self.partition_of(server).is_some_and(|home| self.partitions[home].search.found)
    }

    /// Whether [`dispatch`](Self::dispatch) would return an item for any server.
    #[inline]
    pub fn can_dispatch_any(&self) -> bool {
        !self.closed_by_serial() && self.partitions.iter().any(|partition| partition.search.found)
    }

    /// Holds `key` without an item, as if an item had arrived and been dispatched at once. `None` if an unfinished item, waiting or
    /// dispatched, conflicts with `key`, or if the device is serial and a key is held. Compares `key` with every waiting item.
    pub fn try_hold(&mut self, key: Key<K>) -> Option<Held<K>> {
        if self.closed_by_serial() || self.unfinished().any(|other| other.conflicts(key)) {
            return None;
        }
        // No item that waits conflicts, so the hold changes the outcome of no search.
        let ticket = self.take_ticket();
        Some(self.hold(key, ticket))
    }

    /// Counts and records an item that is dispatched as soon as it arrives. Returns its held key.
    #[inline]
    fn hold(&mut self, key: Key<K>, ticket: u64) -> Held<K> {
        self.statistics.enqueued += 1;
        self.statistics.dispatched += 1;
        self.active.push(Active { ticket, key });
        Held::new(key, self.id(), ticket)
    }

    /// Ends the item, or the hold without an item, to which the token `held` belongs. The key is free again.
    ///
    /// # Panics
    ///
    /// If another dispatcher made the token.
    #[inline]
    pub fn complete(&mut self, held: Held<K>) {
        let ticket = held.redeem(self.id());
        // Most items are the last that came, and the only one.
        match self.active.last() {
            Some(last) if last.ticket == ticket => self.active.truncate(self.active.len() - 1),
            _ => self.end_earlier(ticket),
        }
        if self.waiting > 0 {
            self.search_after_end();
        }
    }

    /// Updates the searches after the end of an item, which may have freed any waiting item.
    #[inline(never)]
    fn search_after_end(&mut self) {
        if !self.finds_oldest() {
            self.search_anew();
        }
    }

    /// Ends the item with this ticket. Items that were dispatched after it may still run.
    #[inline(never)]
    fn end_earlier(&mut self, ticket: u64) {
        let position = self.active.iter().position(|active| active.ticket == ticket);
        self.active.swap_remove(position.expect("a token is outstanding for active items only"));
    }

    /// Number of waiting items.
    #[inline]
    pub fn len(&self) -> usize {
        self.waiting
    }

    /// Number of waiting items in the longest partition.
    pub fn longest(&self) -> usize {
        self.partitions.iter().map(|partition| partition.waiting.len()).max().unwrap_or(0)
    }

    /// Whether no item waits. (Keys may still be held.)
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Number of items that were dispatched and are not done, plus the keys that [`try_hold`](Self::try_hold) holds.
    #[inline]
    pub fn held(&self) -> usize {
        self.active.len()
    }

    /// Counts of items and waits since the device was made.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Whether the device has one partition, whose oldest waiting item can be dispatched. The end of another item then changes no
    /// search.
    #[inline]
    fn finds_oldest(&self) -> bool {
        matches!(&*self.partitions, [one] if one.search.found && one.search.passed == 0)
    }

    #[inline]
    fn closed_by_serial(&self) -> bool {
        self.serial && !self.active.is_empty()
    }

    #[inline]
    fn partition_of(&self, server: usize) -> Option<usize> {
        match self.partitions.len() {
            1 => Some(0),
            partitions => (server < partitions).then_some(server),
        }
    }

    /// Continues the search of partition `home` from its last outcome, up to an item that can be dispatched.
    fn search_on(&mut self, home: usize) {
        let Partition { waiting, search } = &self.partitions[home];
        let mut passed = search.passed;
        let (barrier, end) = (self.barrier(), waiting.len().min(self.reach));
        let mut found = false;
        while passed < end && waiting[passed].ticket <= barrier {
            found = self.is_free(&waiting[passed]);
            if found {
                break;
            }
            passed += 1;
        }
        self.partitions[home].search = Search { passed, found };
    }

    /// Continues all searches after an item was taken. Older items that were blocked remain so. With several partitions, the
    /// taken item may have been the only item for which a sequential item of another partition waited.
    #[inline]
    fn search_again(&mut self) {
        if self.waiting == 0 {
            self.partitions.iter_mut().for_each(|partition| partition.search = Search::default());
        } else if self.partitions.len() == 1 {
            self.search_on(0);
        } else {
            self.search_anew();
        }
    }

    /// Searches all partitions from their beginnings: any waiting item may have become free.
    fn search_anew(&mut self) {
        for home in 0..self.partitions.len() {
            self.partitions[home].search = Search::default();
            self.search_on(home);
        }
    }

    /// Whether an item of this key could be dispatched if it arrived now: no held key conflicts, and a sequential item has no
    /// older one waiting.
    #[inline]
    fn is_free_behind_all(&self, key: Key<K>) -> bool {
        !self.active.iter().any(|active| active.key.conflicts(key))
            && (key != Key::Sequential || self.waiting == 0)
    }

    /// Whether an item can be dispatched: no held key conflicts and, for a sequential item, no older one waits.
    #[inline]
    fn is_free(&self, entry: &Entry<T, K>) -> bool {
        !self.active.iter().any(|active| active.key.conflicts(entry.key))
            && (entry.key != Key::Sequential || self.oldest_waiting() == Some(entry.ticket))
    }

    /// Ticket of the oldest unfinished sequential item, which holds back all younger items; `u64::MAX` if there is none.
    #[inline]
    fn barrier(&self) -> u64 {
        match self.active.first() {
            // It runs alone, so it is the only entry.
            Some(active) if active.key == Key::Sequential => active.ticket,
            _ => self.waiting_sequential.front().copied().unwrap_or(u64::MAX),
        }
    }

    fn oldest_waiting(&self) -> Option<u64> {
        let oldest = self.partitions.iter().filter_map(|partition| partition.waiting.front());
        oldest.map(|entry| entry.ticket).min()
    }

    fn unfinished(&self) -> impl Iterator<Item = Key<K>> {
        let waiting = self.partitions.iter().flat_map(|partition| &partition.waiting).map(|entry| entry.key);
        self.active.iter().map(|active| active.key).chain(waiting)
    }

    /// Takes the waiting item with index `place` out of partition `home`. Its key is held from now on.
    #[inline]
    fn take(&mut self, home: usize, place: usize) -> Option<Entry<T, K>> {
        let waiting = &mut self.partitions[home].waiting;
        let entry = if place == 0 { waiting.pop_front() } else { waiting.remove(place) }?;
        if entry.key == Key::Sequential {
            self.waiting_sequential.pop_front();
        }
        self.waiting -= 1;
        self.statistics.dispatched += 1;
        self.active.push(Active { ticket: entry.ticket, key: entry.key });
        Some(entry)
    }

    #[inline]
    fn take_ticket(&mut self) -> u64 {
        self.next_ticket += 1;
        self.next_ticket
    }

    #[inline]
    fn count_arrival(&mut self, key: Key<K>, behind_sequential: bool) {
        self.statistics.enqueued += 1;
        let behind_anything = self.waiting > 0 || !self.active.is_empty();
        if behind_sequential || key == Key::Sequential && behind_anything {
            self.statistics.waited_on_sequential += 1;
        }
    }

    /// Counts a search of partition `home` that passed items over, or that found none to dispatch.
    #[cold]
    fn count_search(&mut self, home: usize) {
        let barrier = self.barrier();
        let Partition { waiting, search } = &mut self.partitions[home];
        for entry in waiting.iter_mut().take(search.passed).filter(|entry| entry.key != Key::Sequential) {
            self.statistics.waited_on_key += u64::from(!entry.passed_over);
            entry.passed_over = true;
        }
        let cut_off = waiting.get(self.reach).is_some_and(|beyond| beyond.ticket < barrier);
        self.statistics.blocked_by_window += u64::from(!search.found && cut_off);
    }
}
