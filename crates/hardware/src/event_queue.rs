//! The dispatch queue of a node: the executable specification of the parallel dispatch queue, used as it stands as the
//! modelled hardware, plus the time each event arrived.

use pdq::{DispatcherId, Held, Identity, Key, Specification, Statistics, specification};
use units::Time;

/// A node's queue of protocol events.
#[derive(Debug)]
pub struct EventQueue<T> {
    queue: Specification<(Time, T)>,
    waits: Waits,
}

/// An event on its way to a processor: its key is held.
#[derive(Debug)]
pub struct Dispatched<T> {
    /// The key, until the queue gets this back.
    pub held: Held,
    /// The event.
    pub event: T,
}

/// How long events waited between arrival and dispatch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Waits {
    /// All waits together.
    pub total: Time,
    /// How many events that were.
    pub events: u64,
}

impl<T> EventQueue<T> {
    /// An empty queue.
    pub fn new(identity: Identity, config: specification::Config) -> Self {
        Self { queue: Specification::new(identity, config), waits: Waits::default() }
    }

    /// The dispatcher that tables belong to.
    pub fn id(&self) -> DispatcherId {
        self.queue.id()
    }

    /// An event that arrived at `arrived` joins the queue.
    pub fn enqueue(&mut self, arrived: Time, key: Key, event: T) {
        self.queue.enqueue(key, (arrived, event));
    }

    /// Whether `server` would get an event.
    pub fn can_dispatch(&self, server: usize) -> bool {
        !self.queue.is_empty() && self.queue.can_dispatch(server)
    }

    /// Hands `server` the oldest event it may run now.
    pub fn dispatch(&mut self, now: Time, server: usize) -> Option<Dispatched<T>> {
        let (held, (arrived, event)) = self.queue.dispatch(server)?;
        self.waits.total += now - arrived;
        self.waits.events += 1;
        Some(Dispatched { held, event })
    }

    /// Holds `key` at once if nothing unfinished conflicts.
    pub fn try_hold(&mut self, key: Key) -> Option<Held> {
        self.queue.try_hold(key)
    }

    /// A handler is done with its key.
    pub fn complete(&mut self, held: Held) {
        self.queue.complete(held);
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
