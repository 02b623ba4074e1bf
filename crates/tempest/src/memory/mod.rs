//! Fine-grain shared memory: each node has a right to each block of a shared address space, and each access tests this
//! right.
//!
//! Each *page* of the space has a home node; each *block* (16 to 128 bytes) is kept coherent by itself. Every node has
//! room for a copy of the whole space, and a [`Tag`] for each block: `Invalid`, `ReadOnly` or `Writable`. A thread's
//! access is a test of the tag and the access itself ([`Thread::read`](crate::Thread::read)). An access that the tag
//! forbids is a *fault*: an event of the node, keyed by the block. A protocol then chooses the messages that move the
//! block and its rights: this crate knows no states, no directory, no owner.
//!
//! | module | contents |
//! |---|---|
//! | `layout` | the address space as plain data: pages and their homes, arrays and records in it |
//! | `frames` | the address space of a run, with the room on a node for pages of others |
//! | `right` | tags, rights, faults, lowerings |
//! | `store` | one node's copy: words and mapped pages |
//! | `blocks` | the words of a copy, which other nodes write |
//! | `tags` | the tags of a copy |
//! | `faults` | the threads that wait for each block, and the accesses that are granted but not yet done |
//! | `watchers` | the threads that wait for another node to change a word |
//! | `shared` | typed handles: arrays, records, runs of words that were checked once |
//!
//! # Check, then access
//!
//! Between the test of a tag and the access, a handler on another processor may take the block away. The promise: *an
//! access that passed its test completes before the loss of that right takes effect.*
//!
//! - **Raising** a tag ([`Actions::raise`](crate::Actions::raise)) is a release store, after the words are in
//!   place; the test is an acquire load. A thread that sees the right sees the words.
//! - **Lowering** a tag ([`Actions::lower`](crate::Actions::lower)) ends its handler. The world stores the tag, and
//!   then asks every computing processor of the node for an acknowledgement, by a release. Each processor acquires the
//!   request where it polls, faults, waits or idles, which is never between a test and its access, and acknowledges by
//!   a release. An access before the acknowledgement, in program order, happens before the steps that follow the
//!   acknowledgement; an access after it sees the lowered tag. Only then does the continuation of the handler run,
//!   under the key that has been held all the time.
//! - **Progress.** A thread whose fault was served does its access once before the right is taken away again:
//!   a lowering waits for accesses that are granted and not done ([`Memory::is_pinned`]).
//!
//! # Memory order
//!
//! *Across nodes: sequential consistency*, if the protocol grants writing only when all other copies are
//! gone, as [stache](https://doi.org/10.1145/191995.192062) does. An access to a block is done while the node
//! has the right to it. The right to write and another node's right to read exclude each other. An access is
//! never done before the test of its own tag, which is never before the test of the preceding access in
//! program order. So accesses of different nodes are ordered as their rights were, and that order contains
//! every thread's own.
//!
//! *Inside a native node*: threads of one processor take turns, so they see each other in program order. Threads of
//! *different processors* of a node use the same copy through relaxed atomics behind acquire tests: single words are
//! coherent and nothing tears, but a store may be seen late. Events, keys and atomic updates order them. In a
//! simulation the processors of a node are sequentially consistent too.

mod blocks;
mod faults;
#[cfg(test)]
mod faults_tests;
mod frames;
mod layout;
mod placement;
mod right;
mod shared;
mod store;
mod tags;
mod watchers;

pub use blocks::Blocks;
pub use frames::{AddressSpace, Frames, NoFrames};
pub use layout::{Array, Homes, Layout};
pub use placement::Placement;
pub use right::{Downgrade, Fault, Right, Tag};
pub use shared::{Run, RunMut, Shared};
pub use store::{Memory, Words};
