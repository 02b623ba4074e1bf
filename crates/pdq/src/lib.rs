//! A parallel dispatch queue: handlers of different keys run in parallel, handlers of equal keys one at a time and in
//! order.
//!
//! # The idea
//!
//! Several servers take work items from one queue. Each item carries a *key* that names the resources its handler
//! touches. The queue, not the handler, does the synchronizing: it hands out an item only when no conflicting item is
//! running. So a handler takes no lock, never waits and always runs to its end, and a server never blocks on a busy
//! lock while other items could run. (B. Falsafi and D. A. Wood, "Parallel Dispatch Queue: A Queue-Based Programming
//! Abstraction To Parallelize Fine-Grain Communication Protocols", HPCA 1999.)
//!
//! There are three kinds of [`Key`]: a user key, [`Key::Sequential`] (runs alone) and [`Key::NoSync`] (touches nothing
//! that needs protection). A user key is a `u64`, or a value of any type that is `Copy + Eq + Hash`. The [`guide`] begins with a
//! first queue and ends with its shutdown.
//!
//! ```
//! use tradewind_pdq::{DispatcherId, Key, Keyed, Queue, queue};
//!
//! // Transfers within an account run in order; different accounts run in parallel; an audit runs alone.
//! enum Event {
//!     Deposit(u64),
//!     Audit { expected: u64 },
//! }
//!
//! let bank = Queue::new(DispatcherId::fresh(), queue::Config::servers(2));
//! let accounts = Keyed::dense(bank.id(), 0, 10, |_| 0_u64);
//! for account in 0..10 {
//!     bank.enqueue(Key::User(account), Event::Deposit(5));
//!     bank.enqueue(Key::User(account), Event::Deposit(account));
//! }
//! bank.enqueue(Key::Sequential, Event::Audit { expected: 95 });
//!
//! std::thread::scope(|scope| {
//!     for server in 0..2 {
//!         let (bank, accounts) = (&bank, &accounts);
//!         scope.spawn(move || {
//!             while !bank.is_empty() {
//!                 let Some(mut dispatch) = bank.dequeue(server) else { continue };
//!                 match dispatch.parts() {
//!                     // No lock: the proof that the key is held opens the account.
//!                     (Event::Deposit(sum), proof) => *accounts.open(proof) += *sum,
//!                     (Event::Audit { expected }, mut proof) => {
//!                         let total: u64 = accounts.entries(&mut proof).map(|(_, balance)| *balance).sum();
//!                         assert_eq!(total, *expected);
//!                     }
//!                 }
//!             } // the guard is dropped: the key is free
//!         });
//!     }
//! });
//! ```
//!
//! # Guarantees
//!
//! * **Exclusion and order.** Items of one user key run one at a time in arrival order. Items of different keys have no
//!   order.
//! * **Sequential items** are barriers in queue order: one starts after every older item is done, even an older item
//!   that is itself waiting for a busy key, and nothing younger starts before it is done.
//! * **NoSync items** overtake everything but sequential items, and overlap each other.
//! * **Exactly once.** Every item is dispatched once. A handler that panics releases its key and is reported.
//! * **Work conservation.** No item waits for one with another key: [`Queue::dequeue`] finds an item whenever any can
//!   run. With one exception, the price of batches: a [`Worker`] claims a batch of items that should take a few
//!   microseconds together, and no other server runs an item of that batch. If one item takes long, the rest of its
//!   batch waits; younger items do not.
//! * **Progress.** Keys are hashed to a few *lanes*. Servers go through the lanes in turn and take the oldest item of each
//!   that can run, continuations first. Nothing else overtakes without bound.
//! * **Memory order.** Writes of a producer before `enqueue` are visible to the handler; writes of a handler are
//!   visible to every conflicting handler after it.
//! * **Proof instead of locks.** Holding a key is a value ([`Held`], lent out as [`Proof`]) that [`Keyed`] turns into
//!   `&mut T`. Code that breaks the exclusion does not compile.
//! * **A choice at the bound.** At the limit [`Queue::try_enqueue`] hands the item back, [`Queue::enqueue_when_room`]
//!   waits, and [`Queue::enqueue`], for handlers, spills.
//!
//! # Overview
//!
//! | | threads | use |
//! |---|---|---|
//! | [`Queue`] | many | the queue to run programs with |
//! | [`execute`], [`Executor`] | its own | the common case: threads that run a queue's handlers |
//! | [`Worker`], [`Producer`] | one each | a thread of yours that serves, or enqueues many items at a time |
//! | [`Keyed`] | any | state per key, reached by proof of holding the key; its keys are [`Lawful`] |
//! | [`Specification`] | one | the paper's hardware queue with its bounded search, to read and to test against |
//! | [`Serial`] | one | one server in serial order: the same proofs, no queue and no atomics |
//!
//! The feature `low-level` adds `Device`, that hardware queue without continuations, quick to ask, for simulators; and `Steps` and
//! `Fences`, the parts of a [`Seizure`], for other resources.
//!
//! # When not to use it
//!
//! * A handler must not wait for an item of its own queue, in particular not for an item of its own key: that waits
//!   for the handler. Store a request that cannot be served yet in the state of the key, end, and let the unblocking
//!   item finish it.
//! * Where each item touches several keyed things, most items become sequential; use locks or transactions.
//! * Where one key has most of the work, it is the bottleneck however many servers there are.

#![deny(unsafe_code)]

#[cfg(feature = "low-level")]
mod device;
mod executor;
#[cfg_attr(not(feature = "low-level"), allow(dead_code, unreachable_pub, reason = "the feature exports it"))]
mod fences;
pub mod guide;
mod key;
#[allow(unsafe_code)]
mod keyed;
#[allow(unsafe_code)]
mod lawful;
#[allow(unsafe_code)]
mod prefetch;
mod proof;
pub mod queue;
mod serial;
pub mod specification;
mod spread;
mod statistics;
mod sync;

#[cfg(feature = "low-level")]
pub use device::Device;
pub use executor::{Executor, Panicked, execute};
#[cfg(feature = "low-level")]
pub use fences::Fences;
pub use key::{Key, UserKey};
pub use keyed::Keyed;
pub use lawful::Lawful;
pub use proof::{DispatcherId, Held, Identity, Proof};
#[cfg(feature = "low-level")]
pub use queue::Steps;
pub use queue::{Dispatch, Handling, Paused, Producer, Queue, Refused, Seizure, Worker};
pub use serial::Serial;
pub use specification::Specification;
pub use statistics::Statistics;

/// The examples of the README are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
