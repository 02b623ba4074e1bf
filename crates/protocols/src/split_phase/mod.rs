//! Split-phase access to a global address space: every node has an *arena* of words of 4 and 8 bytes, and any thread may read
//! and write the words of any of them.
//!
//! These are the operations of Split-C (D. E. Culler et al., *Parallel Programming in Split-C*, Supercomputing 1993;
//! A. Krishnamurthy et al., *Evaluation of Architectural Support for Global Address-Based Communication in Large-Scale
//! Parallel Machines*, ASPLOS 1996):
//!
//! | operation | the issuer waits for | completion is known to |
//! |---|---|---|
//! | [`read`](Memory::read), [`write`](Memory::write) | the value; the acknowledgement | the issuer, at return |
//! | [`get`](Scope::get), [`put`](Scope::put) | nothing | the issuer, at [`sync`](Scope::sync) or the end of the scope |
//! | [`store`](Memory::store) | nothing | the target, which counts bytes: [`store_sync`](Memory::store_sync) |
//! | [`invoke`](Memory::invoke), [`fetch_add`](Memory::fetch_add) | the result | the issuer, at return |
//! | [`post`](Memory::post) | nothing | the target, which counts the procedure's bytes like a store's |
//! | [`call`](Memory::call) | an empty reply | the issuer, at return |
//! | [`barrier`](Memory::barrier) | all threads | all threads; it does not wait for stores |
//! | [`all_store_sync`](Memory::all_store_sync) | all threads, and all stores | all threads |
//!
//! and the same for blocks of words (`bulk_…`). A thread's access to its own node through a global pointer needs no message.
//!
//! # Which processor may serve which message
//!
//! | message | class | processor |
//! |---|---|---|
//! | requests of reads and gets, of writes and puts | `Read`, `Write` | any: they need no key |
//! | requests of blocks that a bulk transfer moves | `Bulk` | any: they need no key |
//! | their replies | `Reply`, `Acknowledge` | any |
//! | stores | `System` | any that can count |
//! | procedures | `Atomic` | the compute processors, one procedure at a time: all have one key |
//! | calls, and results of procedures and calls | `User` | the compute processors |
//!
//! # Flow control
//!
//! The world sets the number of requests that a node may have outstanding, and whether stores must be confirmed
//! ([`tempest::message::Flow`]). Each thread gets an even share of that window, and at least one request. Stores that must be confirmed
//! use the same window and are confirmed in batches; the program never sees the acknowledgement.
//!
//! # Direct access
//!
//! If the memory of other nodes is [mapped](tempest::Thread::map), as on one host, a plan may ask that reads, writes, gets and
//! puts, of words and of blocks, be loads and stores ([`Plan::directly`]). Results are the same; each operation is complete when
//! it returns. Stores, calls and procedures remain messages, because the target has to count or compute. A direct read polls, but
//! does not yield the processor: a thread that spins on a word by direct reads keeps the processor from the thread that would
//! change the word.
//!
//! # An example
//!
//! Every node stores its number into the next one's arena, then gets it back from there.
//!
//! ```
//! use std::sync::Arc;
//! use tradewind_protocols::split_phase::{LocalPtr, Plan, SplitPhase};
//! use tempest::world::{Launch, World};
//! use tempest::*;
//!
//! struct Ring { split: Arc<SplitPhase>, number: LocalPtr<u64>, back: LocalPtr<u64> }
//!
//! impl Protocol for Ring {
//!     type Config = ();
//!     fn install(_: &(), setup: &mut Setup<'_>) -> Self {
//!         let mut plan = Plan::new(setup.shape().nodes);
//!         let (number, back) = (plan.local(1), plan.local(1));
//!         Ring { split: setup.install::<SplitPhase>(&plan), number, back }
//!     }
//! }
//!
//! #[handlers]
//! impl Ring {
//!     fn main(&self, thread: &Thread<'_>) {
//!         let memory = self.split.on(thread);
//!         let me = thread.node();
//!         let next = NodeId((me.0 + 1) % thread.nodes());
//!         memory.store(self.number.on(next), me.0.into());
//!         memory.store_sync(8); // what the node before this one stored here
//!         memory.barrier(); // everybody has got its number
//!         memory.split_phase(|scope| scope.get(self.number.on(next), self.back));
//!         assert_eq!(memory.load(self.back), me.0.into());
//!     }
//!     fn report(&self, end: &mut FinalState<'_>) -> Report {
//!         Report::checked(self.split.arena().get(end, 1) < 3, || "nobody's number".into())
//!     }
//! }
//!
//! let launch = Launch { nodes: 3, ..Launch::new(Job::new::<Ring>(()), "single".parse().unwrap()) };
//! # let world = native::Local::new();
//! assert!(world.run(&launch).unwrap().report.verified());
//! ```
//!
//! This module must never know which world runs it.

mod arena;
mod bulk;
mod direct;
mod handle;
mod install;
mod messages;
mod plan;
mod pointers;
mod procedure;
mod state;
mod stores;

pub use arena::ArenaWord;
pub use handle::{Memory, Scope};
pub use plan::Plan;
pub use pointers::{GlobalPtr, LocalPtr, SpreadArray, SpreadPtr};
pub use procedure::Procedure;
pub use state::SplitPhase;
