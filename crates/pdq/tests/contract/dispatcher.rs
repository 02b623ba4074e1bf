//! One face for both implementations, so that a promise they share is written once.

use pdq::specification::{self, Specification};
use pdq::{DispatcherId, Held, Key, Queue, Statistics, queue};

/// Servers of a dispatcher under test.
pub(crate) const SERVERS: usize = 4;

pub(crate) trait Dispatcher<T> {
    fn enqueue(&mut self, key: Key, item: T);
    fn dispatch(&mut self, server: usize) -> Option<(Held, T)>;
    fn try_hold(&mut self, key: Key) -> Option<Held>;
    fn complete(&mut self, held: Held);
    fn complete_with(&mut self, held: Held, continuation: T);
    fn waiting(&self) -> usize;
    fn held(&self) -> usize;
    fn statistics(&self) -> Statistics;
}

/// The specification without bounds: what the concurrent queue refines.
pub(crate) fn unbounded<T>() -> Specification<T> {
    specified(specification::Config { window: None, capacity: None, ..Default::default() })
}

pub(crate) fn specified<T>(config: specification::Config) -> Specification<T> {
    Specification::new(DispatcherId::fresh(), config)
}

pub(crate) fn concurrent<T>() -> Queue<T> {
    Queue::new(DispatcherId::fresh(), queue::Config::servers(SERVERS))
}

impl<T> Dispatcher<T> for Specification<T> {
    fn enqueue(&mut self, key: Key, item: T) {
        self.enqueue(key, item);
    }
    fn dispatch(&mut self, server: usize) -> Option<(Held, T)> {
        self.dispatch(server)
    }
    fn try_hold(&mut self, key: Key) -> Option<Held> {
        self.try_hold(key)
    }
    fn complete(&mut self, held: Held) {
        self.complete(held);
    }
    fn complete_with(&mut self, held: Held, continuation: T) {
        self.complete_with(held, continuation);
    }
    fn waiting(&self) -> usize {
        self.len()
    }
    fn held(&self) -> usize {
        self.held()
    }
    fn statistics(&self) -> Statistics {
        self.statistics()
    }
}

impl<T> Dispatcher<T> for Queue<T> {
    fn enqueue(&mut self, key: Key, item: T) {
        Queue::enqueue(self, key, item);
    }
    fn dispatch(&mut self, server: usize) -> Option<(Held, T)> {
        let (item, held) = self.dequeue(server)?.into_parts();
        Some((held, item))
    }
    fn try_hold(&mut self, key: Key) -> Option<Held> {
        Queue::try_hold(self, key)
    }
    fn complete(&mut self, held: Held) {
        Queue::complete(self, held);
    }
    fn complete_with(&mut self, held: Held, continuation: T) {
        Queue::complete_with(self, held, continuation);
    }
    fn waiting(&self) -> usize {
        self.len()
    }
    fn held(&self) -> usize {
        Queue::held(self)
    }
    fn statistics(&self) -> Statistics {
        Queue::statistics(self)
    }
}

/// Takes the next item, which must be `expected`.
pub(crate) fn take<T: PartialEq + std::fmt::Debug>(from: &mut impl Dispatcher<T>, expected: T) -> Held {
    let (held, item) = from.dispatch(0).unwrap_or_else(|| panic!("{expected:?} is dispatchable"));
    assert_eq!(item, expected);
    held
}

/// Nothing can be dispatched.
pub(crate) fn blocked<T>(dispatcher: &mut impl Dispatcher<T>) -> bool {
    match dispatcher.dispatch(0) {
        None => true,
        Some((held, _)) => {
            dispatcher.complete(held);
            false
        }
    }
}

/// Runs what can be run, one item at a time; the order in which that happens.
pub(crate) fn drain<T>(dispatcher: &mut impl Dispatcher<T>) -> Vec<T> {
    let mut order = Vec::new();
    while let Some((held, item)) = dispatcher.dispatch(0) {
        order.push(item);
        dispatcher.complete(held);
    }
    order
}
