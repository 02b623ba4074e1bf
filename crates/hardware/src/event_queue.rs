//! The dispatch queue of a node. The device of the parallel dispatch queue, which behaves as the executable
//! specification, serves as the modelled hardware. This module adds the time of each event's arrival, and the time for
//! which the queue was busy.

use pdq::{Device, DispatcherId, Held, Identity, Key, Statistics, UserKey, specification};
use units::{Time, TotalTime};

/// A node's queue of protocol events.
#[derive(Debug)]
pub struct EventQueue<T, K = u64> {
    /// The events. Each has the time of its arrival, and the time of its refill.
    queue: Device<(Time, Refill, T), K>,
    waits: Waits,
    /// The number of events that have arrived and are not done, and of keys that are held.
    unfinished: usize,
    busy: Time,
    busy_since: Time,
}

/// An event that has been dispatched to a processor. Its key is held.
#[derive(Debug)]
pub struct Dispatched<T, K = u64> {
    /// The key, until the queue takes it back.
    pub held: Held<K>,
    /// The event.
    pub event: T,
    /// The time at which the device began to fetch the event back from memory.
    pub refill: Refill,
}

/// The time at which the device began to fetch an event back from memory, because it had room again. `None` for an event that
/// has not been in memory.
pub type Refill = Option<Time>;

/// The time that events have waited between arrival and dispatch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Waits {
    /// The sum of all waits.
    pub total: TotalTime,
    /// The number of events that waited.
    pub events: u64,
}

impl<T, K: UserKey> EventQueue<T, K> {
    /// An empty queue.
    pub fn new(identity: Identity, config: specification::Config) -> Self {
        Self {
            queue: Device::new(identity, config),
            waits: Waits::default(),
            unfinished: 0,
            busy: Time::ZERO,
            busy_since: Time::ZERO,
        }
    }

    /// The memory of the queue's lists, for a simulator that prefetches it into the host's caches.
    pub fn lists(&self) -> (&(impl Sized + use<T, K>), &[impl Sized + use<T, K>]) {
        self.queue.lists()
    }

    /// The identity of the queue's dispatcher, for which keyed tables are built.
    pub fn id(&self) -> DispatcherId {
        self.queue.id()
    }

    /// Records the arrival of an event, which is [enqueued](Self::enqueue) now or later.
    #[inline]
    pub fn arrive(&mut self, now: Time) {
        if self.unfinished == 0 {
            self.busy_since = now;
        }
        self.unfinished += 1;
    }

    /// Adds an event to the queue that [arrived](Self::arrive) at `arrived`.
    #[inline]
    pub fn enqueue(&mut self, arrived: Time, key: Key<K>, event: T) {
        self.queue.enqueue_with(key, |spills| (arrived, spills.then_some(arrived), event));
    }

    /// Whether the queue has an event that `server` may run now.
    #[inline]
    pub fn can_dispatch(&self, server: usize) -> bool {
        self.queue.can_dispatch(server)
    }

    /// Whether the queue has an event that some server may run now.
    #[inline]
    pub fn can_dispatch_any(&self) -> bool {
        self.queue.can_dispatch_any()
    }

    /// Whether a key is held.
    #[inline]
    pub fn is_held(&self) -> bool {
        self.queue.held() > 0
    }

    /// Dispatches the oldest event that `server` may run now.
    #[inline]
    pub fn dispatch(&mut self, now: Time, server: usize) -> Option<Dispatched<T, K>> {
        let refill = |next: &mut (Time, Refill, T)| next.1 = Some(now);
        let (held, (arrived, refill, event)) = self.queue.dispatch_with(server, refill)?;
        self.count(now, arrived);
        Some(Dispatched { held, event, refill })
    }

    /// Lets an event that [arrived](Self::arrive) at `arrived` pass: it counts as enqueued, and as dispatched at once. Returns its
    /// key. Refused, so that nothing changes, if another event waits, if the key is not free, or if each server has events of
    /// its own.
    #[inline]
    pub fn pass(&mut self, (arrived, now): (Time, Time), key: Key<K>) -> Option<Held<K>> {
        let held = self.queue.pass(key)?;
        self.count(now, arrived);
        Some(held)
    }

    /// Counts the wait of an event that is dispatched.
    #[inline]
    fn count(&mut self, now: Time, arrived: Time) {
        self.waits.total += now - arrived;
        self.waits.events += 1;
    }

    /// Holds `key` at once, if no unfinished event conflicts with it.
    pub fn try_hold(&mut self, now: Time, key: Key<K>) -> Option<Held<K>> {
        let held = self.queue.try_hold(key)?;
        // This counts as an event that has its key on arrival.
        self.arrive(now);
        Some(held)
    }

    /// Takes back the key of a handler that has ended.
    #[inline]
    pub fn complete(&mut self, now: Time, held: Held<K>) {
        self.queue.complete(held);
        self.unfinished -= 1;
        if self.unfinished == 0 {
            self.busy += now - self.busy_since;
        }
    }

    /// Takes a key back that a run had held when it ended. The times of such a run no longer count, and may lie before the instant
    /// that the queue has come to.
    pub fn abandon(&mut self, held: Held<K>) {
        self.queue.complete(held);
        self.unfinished -= 1;
    }

    /// The time, up to now, for which an event waited or a key was held.
    pub fn busy(&self, now: Time) -> Time {
        if self.unfinished == 0 { self.busy } else { self.busy + (now - self.busy_since) }
    }

    /// The number of events that wait.
    #[inline]
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// The greatest number of events that wait for one server; all of them if any server takes any event.
    pub fn longest(&self) -> usize {
        self.queue.longest()
    }

    /// Whether no event waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// The waits of all events since the start.
    pub fn waits(&self) -> Waits {
        self.waits
    }

    /// The counts of the queue.
    pub fn statistics(&self) -> Statistics {
        self.queue.statistics()
    }
}
