//! The concurrent queue: many threads enqueue, dispatch and complete at once.
//!
//! This module is the door: the lock, the guard and the limit. The order is kept by its `core`. It must never know
//! what items do, nor park or spawn a thread; who waits for work, and how, is the caller's choice.

mod core;
mod dispatch;

use std::error::Error;
use std::fmt;
use std::sync::{Mutex, MutexGuard};

use self::core::Core;
pub use self::dispatch::Dispatch;
use crate::{DispatcherId, Held, Identity, Key, Statistics};

/// What a queue is built like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// Servers are numbered from 0 to below this.
    pub servers: usize,
    /// 1: any server takes any item. More: server `s` takes only the items whose [`Key::partition`] is `s`, and the
    /// servers beyond that number take none.
    pub partitions: usize,
    /// From so many waiting items on, [`Queue::try_enqueue`] refuses; `None`: never.
    pub limit: Option<usize>,
}

impl Config {
    /// A queue in which any of `servers` servers takes any item, without a limit.
    pub fn servers(servers: usize) -> Self {
        Self { servers, partitions: 1, limit: None }
    }
}

/// A parallel dispatch queue that threads share. See the [crate] for what it promises.
///
/// Its search window is unlimited: an item that can run is never kept back by older ones that cannot. Of the items that
/// can run, it dispatches the oldest.
///
/// ```
/// use pdq::{DispatcherId, Key, Queue, queue};
///
/// let queue = Queue::new(DispatcherId::fresh(), queue::Config::servers(2));
/// queue.enqueue(Key::User(1), "a");
/// queue.enqueue(Key::User(1), "b");
/// let first = queue.dequeue(0).expect("an item waits and nothing is held");
/// assert_eq!(*first, "a");
/// assert!(queue.dequeue(1).is_none(), "its key is held");
/// drop(first);
/// assert_eq!(queue.dequeue(1).as_deref(), Some(&"b"));
/// ```
#[derive(Debug)]
pub struct Queue<T> {
    identity: Identity,
    config: Config,
    core: Mutex<Core<T>>,
}

impl<T> Queue<T> {
    /// An empty queue.
    ///
    /// # Panics
    ///
    /// Unless there are from 1 to `servers` partitions: the items of one without a server would never run.
    pub fn new(identity: Identity, config: Config) -> Self {
        assert!(
            (1..=config.servers).contains(&config.partitions),
            "{} partitions cannot be served by {} servers, one each",
            config.partitions,
            config.servers
        );
        Self { identity, config, core: Mutex::new(Core::new(config.partitions)) }
    }

    /// The name that tables are built with.
    pub fn id(&self) -> DispatcherId {
        self.identity.id()
    }

    /// Appends an item at the tail. Never fails and never waits for room, so handlers may call it, also for their own
    /// key or [`Key::Sequential`]: the item runs after them.
    pub fn enqueue(&self, key: Key, item: T) {
        self.core().enqueue(key, item);
    }

    /// Appends an item at the tail unless the limit is reached: for producers that are not handlers.
    ///
    /// # Errors
    ///
    /// [`Full`] hands the item back.
    pub fn try_enqueue(&self, key: Key, item: T) -> Result<(), Full<T>> {
        let mut core = self.core();
        if self.config.limit.is_some_and(|limit| core.len() >= limit) {
            return Err(Full(item));
        }
        core.enqueue(key, item);
        Ok(())
    }

    /// Takes the oldest dispatchable item that this server may serve. Its key is held until the guard is dropped.
    ///
    /// # Panics
    ///
    /// If there is no such server.
    pub fn dequeue(&self, server: usize) -> Option<Dispatch<'_, T>> {
        assert!(server < self.config.servers, "server {server} of {}", self.config.servers);
        // With one partition every server serves it; else a server serves the one of its own number, if there is one.
        let partition = if self.config.partitions == 1 { 0 } else { server };
        let entry = self.core().dispatch(partition)?;
        Some(Dispatch::new(self, Held::new(entry.key, self.id(), entry.ticket), entry.item))
    }

    /// Holds a key without an item: the caller becomes an item dispatched at once. Refused if any unfinished item
    /// conflicts, waiting ones included.
    pub fn try_hold(&self, key: Key) -> Option<Held> {
        let ticket = self.core().try_hold(key)?;
        Some(Held::new(key, self.id(), ticket))
    }

    /// The item is done; its key is free.
    ///
    /// # Panics
    ///
    /// If another dispatcher minted the token.
    pub fn complete(&self, held: Held) {
        let key = held.key();
        held.redeem(self.id());
        self.core().complete(key);
    }

    /// The handler ends but its key stays held: `continuation` takes over the item's place in the order, so it runs
    /// ahead of all others of the key and is dispatchable at once.
    ///
    /// # Panics
    ///
    /// If another dispatcher minted the token.
    pub fn complete_with(&self, held: Held, continuation: T) {
        let key = held.key();
        let ticket = held.redeem(self.id());
        self.core().complete_with(ticket, key, continuation);
    }

    /// Items that wait, continuations included.
    pub fn len(&self) -> usize {
        self.core().len()
    }

    /// Whether nothing waits. (Something may still be held.)
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Tokens outstanding, those inside guards included.
    pub fn held(&self) -> usize {
        self.core().held()
    }

    /// What was counted so far.
    pub fn statistics(&self) -> Statistics {
        self.core().statistics()
    }

    fn count_panic(&self) {
        self.core().count_panic();
    }

    fn core(&self) -> MutexGuard<'_, Core<T>> {
        self.core.lock().expect("no foreign code runs under the lock, so nothing panics there")
    }
}

/// The queue is at its limit; here is the item back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full<T>(
    /// The item that was refused.
    pub T,
);

impl<T> fmt::Display for Full<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("the dispatch queue is at its limit of waiting items")
    }
}

impl<T: fmt::Debug> Error for Full<T> {}
