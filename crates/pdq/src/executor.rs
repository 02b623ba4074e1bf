//! Thread pools that run a queue's handlers, for programs without threads of their own.
//!
//! The pool has one thread per server of the queue, each a [`Worker`](crate::Worker). [`execute`] runs it for the
//! length of a closure that produces items, so handlers may borrow; an [`Executor`] owns its threads. This module
//! must never know how the queue works.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use crate::{Handling, Key, Queue, UserKey, Worker};

/// Runs `handler` for each item of `queue`, on one thread per server, while `produce` runs on the calling thread.
/// When `produce` returns, the queue is closed, the waiting items are run, and the threads end.
///
/// ```
/// use tradewind_pdq::{DispatcherId, Key, Keyed, Queue, queue};
///
/// let queue = Queue::new(DispatcherId::fresh(), queue::Config::servers(2));
/// let lengths = Keyed::sparse(queue.id(), |_| 0);
/// let handler = |word: &str, mut handling: tradewind_pdq::Handling<'_, '_, _>| *lengths.get(&mut handling.proof()) += word.len();
/// tradewind_pdq::execute(&queue, handler, || {
///     for word in "to be or not to be".split(' ') {
///         queue.enqueue(Key::User(word.as_bytes()[0].into()), word);
///     }
/// })?;
/// assert_eq!(lengths.into_entries(), [(98, 4), (110, 3), (111, 2), (116, 4)]);
/// # Ok::<_, tradewind_pdq::Panicked>(())
/// ```
///
/// # Errors
///
/// [`Panicked`] if handlers have panicked. All other items were run all the same.
///
/// # Panics
///
/// If a server of the queue has a worker already. If `produce` panics, this function panics too, after all handlers have ended.
pub fn execute<T: Send, R, K: UserKey + Send>(
    queue: &Queue<T, K>,
    handler: impl Fn(T, Handling<'_, '_, T, K>) + Sync,
    produce: impl FnOnce() -> R,
) -> Result<R, Panicked> {
    let panics = Panics::default();
    let produced = thread::scope(|scope| {
        let _closed_in_any_case = CloseOnDrop(queue);
        // All of them before any runs: a server that is taken is found at once.
        let workers: Vec<_> = (0..queue.servers()).map(|server| queue.worker(server)).collect();
        for worker in workers {
            let (handler, panics) = (&handler, &panics);
            scope.spawn(move || work(worker, handler, panics));
        }
        produce()
    });
    panics.take().map(|()| produced)
}

/// Thread pool that owns a queue and runs its handlers until [`finish`](Self::finish), [`abort`](Self::abort) or drop.
///
/// ```
/// use tradewind_pdq::{DispatcherId, Executor, Key, Queue, queue};
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use std::sync::Arc;
///
/// let sum = Arc::new(AtomicU32::new(0));
/// let into = sum.clone();
/// let queue = Queue::new(DispatcherId::fresh(), queue::Config::servers(2));
/// let executor = Executor::start(queue, move |n, _| {
///     into.fetch_add(n, Ordering::Relaxed);
/// });
/// for n in 0..10 {
///     executor.queue().enqueue(Key::User(7), n);
/// }
/// executor.finish()?;
/// assert_eq!(sum.load(Ordering::Relaxed), 45);
/// # Ok::<_, tradewind_pdq::Panicked>(())
/// ```
///
/// Dropping an executor finishes it without a report of panics. A drop inside its own handler does not wait.
#[derive(Debug)]
pub struct Executor<T, K: UserKey = u64> {
    queue: Arc<Queue<T, K>>,
    panics: Arc<Panics>,
    threads: Vec<JoinHandle<()>>,
}

impl<T: Send + 'static, K: UserKey + Send + 'static> Executor<T, K> {
    /// Starts a thread for each server of `queue`, which runs `handler` for the items.
    ///
    /// # Panics
    ///
    /// If the operating system cannot start another thread.
    pub fn start(
        queue: Queue<T, K>,
        handler: impl Fn(T, Handling<'_, '_, T, K>) + Send + Sync + 'static,
    ) -> Self {
        let (queue, handler, panics) = (Arc::new(queue), Arc::new(handler), Arc::new(Panics::default()));
        let mut executor = Self { threads: Vec::new(), queue, panics };
        for server in 0..executor.queue.servers() {
            let (queue, handler, panics) = (executor.queue.clone(), handler.clone(), executor.panics.clone());
            // If this panics, dropping the executor ends the threads that have been started.
            executor.threads.push(thread::spawn(move || work(queue.worker(server), &*handler, &panics)));
        }
        executor
    }
}

impl<T, K: UserKey> Executor<T, K> {
    /// Returns the queue, for programs to enqueue items.
    pub fn queue(&self) -> &Queue<T, K> {
        &self.queue
    }

    /// Closes the queue, runs the waiting items, and ends the threads.
    ///
    /// # Errors
    ///
    /// [`Panicked`] if handlers have panicked. All other items were run all the same.
    pub fn finish(mut self) -> Result<(), Panicked> {
        self.end();
        self.panics.take()
    }

    /// Lets each thread run the items that it has claimed, ends the threads, and returns the items that were not run; see
    /// [`Queue::abort`].
    ///
    /// Panics of handlers are reported by [`Queue::statistics`] only.
    pub fn abort(mut self) -> Vec<(Key<K>, T)> {
        let mut waiting = self.queue.abort();
        self.end();
        // The items that the last handlers have enqueued.
        waiting.append(&mut self.queue.abort());
        waiting
    }

    fn end(&mut self) {
        self.queue.close();
        // Inside one of the executor's own handlers, the threads can only be left to end by themselves.
        let here = thread::current().id();
        if self.threads.iter().any(|thread| thread.thread().id() == here) {
            self.threads.clear();
        }
        for thread in self.threads.drain(..) {
            // A worker catches panics of handlers: only a fault of the queue itself arrives here.
            if let Err(payload) = thread.join()
                && !thread::panicking()
            {
                resume_unwind(payload);
            }
        }
    }
}

impl<T, K: UserKey> Drop for Executor<T, K> {
    fn drop(&mut self) {
        self.end();
    }
}

fn work<T, K: UserKey>(
    mut worker: Worker<'_, T, K>,
    handler: impl Fn(T, Handling<'_, '_, T, K>),
    panics: &Panics,
) {
    worker.run_catching(handler, |payload| panics.add(payload));
}

struct CloseOnDrop<'q, T, K: UserKey>(&'q Queue<T, K>);

impl<T, K: UserKey> Drop for CloseOnDrop<'_, T, K> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Payload of a panic.
type Payload = Box<dyn Any + Send>;

#[derive(Debug, Default)]
struct Panics(Mutex<Vec<Payload>>);

impl Panics {
    fn add(&self, payload: Payload) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(payload);
    }

    fn take(&self) -> Result<(), Panicked> {
        let payloads = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if payloads.is_empty() { Ok(()) } else { Err(Panicked(payloads)) }
    }
}

/// Error: handlers have panicked. Their keys were released, and all other items were run.
pub struct Panicked(Vec<Payload>);

impl Panicked {
    /// Payloads of the panics, at least one.
    pub fn into_payloads(self) -> Vec<Box<dyn Any + Send>> {
        self.0
    }

    fn first(&self) -> &str {
        let payload = &*self.0[0];
        let text = payload.downcast_ref::<&str>().copied();
        text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("something not a text")
    }
}

impl fmt::Debug for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Panicked").field("handlers", &self.0.len()).field("first", &self.first()).finish()
    }
}

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            1 => write!(f, "a handler panicked with: {}", self.first()),
            n => write!(f, "{n} handlers panicked, the first with: {}", self.first()),
        }
    }
}

impl Error for Panicked {}
