//! The dispatch queue of a node: the executable specification of the parallel dispatch queue, used as it stands as the
//! modelled hardware, plus the time each event arrived and how long the queue has had anything to do.

use pdq::{DispatcherId, Held, Identity, Key, Specification, Statistics, UserKey, specification};
use units::Time;

/// A node's queue of protocol events.
#[derive(Debug)]
pub struct EventQueue<T, K = u64> {
    /// Events with the time of their arrival, and whether they spilled.
    queue: Specification<(Time, bool, T), K>,
    waits: Waits,
    /// Events that have arrived and are not done, and keys that are held.
    unfinished: usize,
    busy: Time,
    busy_since: Time,
}

/// An event on its way to a processor: its key is held.
#[derive(Debug)]
pub struct Dispatched<T, K = u64> {
    /// The key, until the queue gets this back.
    pub held: Held<K>,
    /// The event.
    pub event: T,
    /// Whether the event found no room in the device and has waited in memory.
    pub spilled: bool,
}

/// How long events waited between arrival and dispatch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Waits {
    /// All waits together.
    pub total: Time,
    /// How many events that were.
    pub events: u64,
}

impl<T, K: UserKey> EventQueue<T, K> {
    /// An empty queue.
    pub fn new(identity: Identity, config: specification::Config) -> Self {
        Self {
            queue: Specification::with_keys(identity, config),
            waits: Waits::default(),
            unfinished: 0,
            busy: Time::ZERO,
            busy_since: Time::ZERO,
        }
    }

    /// The dispatcher that tables belong to.
    pub fn id(&self) -> DispatcherId {
        self.queue.id()
    }

    /// An event has arrived, and will be [enqueued](Self::enqueue) now or when somebody looks at it.
    pub fn arrive(&mut self, now: Time) {
        if self.unfinished == 0 {
            self.busy_since = now;
        }
        self.unfinished += 1;
    }

    /// An event that [arrived](Self::arrive) at `arrived` joins the queue.
    pub fn enqueue(&mut self, arrived: Time, key: Key<K>, event: T) {
        let spills = self.queue.would_spill(key);
        self.queue.enqueue(key, (arrived, spills, event));
    }

    /// Whether `server` would get an event.
    pub fn can_dispatch(&self, server: usize) -> bool {
        !self.queue.is_empty() && self.queue.can_dispatch(server)
    }

    /// Whether a key is held.
    pub fn is_held(&self) -> bool {
        self.queue.held() > 0
    }

    /// Hands `server` the oldest event it may run now.
    pub fn dispatch(&mut self, now: Time, server: usize) -> Option<Dispatched<T, K>> {
        let (held, (arrived, spilled, event)) = self.queue.dispatch(server)?;
        self.waits.total += now - arrived;
        self.waits.events += 1;
        Some(Dispatched { held, event, spilled })
    }

    /// Holds `key` at once if nothing unfinished conflicts.
    pub fn try_hold(&mut self, now: Time, key: Key<K>) -> Option<Held<K>> {
        let held = self.queue.try_hold(key)?;
        // As an event that has its key as soon as it arrives.
        self.arrive(now);
        Some(held)
    }

    /// A handler is done with its key.
    pub fn complete(&mut self, now: Time, held: Held<K>) {
        self.queue.complete(held);
        self.unfinished -= 1;
        if self.unfinished == 0 {
            self.busy += now - self.busy_since;
        }
    }

    /// How long, up to now, there has been an event that waits or a key that is held.
    pub fn busy(&self, now: Time) -> Time {
        if self.unfinished == 0 { self.busy } else { self.busy + (now - self.busy_since) }
    }

    /// Events that wait.
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// How long events have waited so far.
    pub fn waits(&self) -> Waits {
        self.waits
    }

    /// What the queue counted.
    pub fn statistics(&self) -> Statistics {
        self.queue.statistics()
    }
}
