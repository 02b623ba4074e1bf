//! A common interface of all implementations, so that a shared promise is tested once. It must never know the
//! promises.

use std::collections::BTreeMap;
use std::fmt::Debug;

use tradewind_pdq::specification::{self, Specification};
use tradewind_pdq::{DispatcherId, Held, Key, Queue, Statistics, queue};

/// Servers of a dispatcher under test.
pub(crate) const SERVERS: usize = 4;

pub(crate) trait Dispatcher<T> {
    /// The token of a held item.
    type Token;
    fn enqueue(&mut self, key: Key, item: T);
    fn dispatch(&mut self, server: usize) -> Option<(Self::Token, T)>;
    fn try_hold(&mut self, key: Key) -> Option<Self::Token>;
    fn complete(&mut self, held: Self::Token);
    fn complete_with(&mut self, held: Self::Token, continuation: T);
    fn key_of(held: &Self::Token) -> Key;
    fn waiting(&self) -> usize;
    fn held(&self) -> usize;
    fn statistics(&self) -> Statistics;
}

/// The specification without bounds, which the concurrent queue refines.
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
    type Token = Held;
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
    fn key_of(held: &Held) -> Key {
        held.key()
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
    type Token = Held;
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
    fn key_of(held: &Held) -> Key {
        held.key()
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

/// The concurrent queue, which promises *some* dispatchable item, made to hand out the oldest of all: it takes every
/// item that can be taken, and keeps them in order of arrival. Kept items count as waiting.
pub(crate) struct Eager<T> {
    queue: Queue<(u64, T)>,
    /// Number of partitions. Servers of one queue share the items taken, servers of partitions do not.
    partitions: usize,
    /// By partition and ticket.
    taken: BTreeMap<(usize, u64), (Held, T)>,
    next_ticket: u64,
}

impl<T> Eager<T> {
    pub(crate) fn new(config: queue::Config) -> Self {
        Self {
            queue: Queue::new(DispatcherId::fresh(), config),
            partitions: config.partitions,
            taken: BTreeMap::new(),
            next_ticket: 0,
        }
    }

    /// Everything that can be dispatched to this server, oldest first.
    pub(crate) fn dispatchable(&mut self, server: usize) -> impl Iterator<Item = &T> {
        let place = self.place(server);
        while let Some(dispatch) = self.queue.dequeue(server) {
            let ((ticket, item), held) = dispatch.into_parts();
            assert!(self.taken.insert((place, ticket), (held, item)).is_none(), "dispatched twice");
        }
        self.taken.range((place, 0)..(place + 1, 0)).map(|(_, (_, item))| item)
    }

    fn place(&self, server: usize) -> usize {
        if self.partitions == 1 { 0 } else { server }
    }

    fn take_ticket(&mut self) -> u64 {
        self.next_ticket += 1;
        self.next_ticket
    }
}

/// An eager queue of [`SERVERS`] servers.
pub(crate) fn eager<T>() -> Eager<T> {
    Eager::new(queue::Config::servers(SERVERS))
}

impl<T> Dispatcher<T> for Eager<T> {
    type Token = (u64, Held);
    fn enqueue(&mut self, key: Key, item: T) {
        let ticket = self.take_ticket();
        self.queue.enqueue(key, (ticket, item));
    }
    fn dispatch(&mut self, server: usize) -> Option<(Self::Token, T)> {
        self.dispatchable(server).next()?;
        let (&oldest, _) = self.taken.range((self.place(server), 0)..).next()?;
        let (held, item) = self.taken.remove(&oldest)?;
        Some(((oldest.1, held), item))
    }
    fn try_hold(&mut self, key: Key) -> Option<Self::Token> {
        let held = self.queue.try_hold(key)?;
        Some((self.take_ticket(), held))
    }
    fn complete(&mut self, (_, held): Self::Token) {
        self.queue.complete(held);
    }
    fn complete_with(&mut self, (ticket, held): Self::Token, continuation: T) {
        self.queue.complete_with(held, (ticket, continuation));
    }
    fn key_of((_, held): &Self::Token) -> Key {
        held.key()
    }
    fn waiting(&self) -> usize {
        self.queue.len() + self.taken.len()
    }
    fn held(&self) -> usize {
        self.queue.held() - self.taken.len()
    }
    fn statistics(&self) -> Statistics {
        self.queue.statistics()
    }
}

/// Takes the next item, which must be `expected`.
pub(crate) fn take<T: PartialEq + Debug, D: Dispatcher<T>>(from: &mut D, expected: T) -> D::Token {
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

/// Runs items one at a time until none can be run; returns them in that order.
pub(crate) fn drain<T>(dispatcher: &mut impl Dispatcher<T>) -> Vec<T> {
    let mut order = Vec::new();
    while let Some((held, item)) = dispatcher.dispatch(0) {
        order.push(item);
        dispatcher.complete(held);
    }
    order
}
