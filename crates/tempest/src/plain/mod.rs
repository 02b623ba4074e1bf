//! Plain values: the identities of objects, the packet that carries a message, and the accesses and work that a
//! simulator charges for.
//!
//! Every other folder may use these; they use no other folder. They must never know a node, a world or a handle.
//!
//! | module | contents |
//! |---|---|
//! | `identity` | the numbers of nodes, threads, messages and waiters |
//! | `shape` | the size of a world, and the flow control that it asks of protocols |
//! | `block` | the number of a block of shared memory |
//! | `key` | the keys of events: as messages state them, and as a dispatcher compares them |
//! | `names` | names of a program's objects, in the source or made at run time |
//! | `packet` | the words of a message on its way, with its class and its kind of traffic |
//! | `access` | accesses to memory, and the counts of a modelled memory system |
//! | `work` | the cost of a step, in operations or protocol primitives |
//! | `random` | the seeds of random streams |
//! | `fingerprint` | a hash that is equal in all processes of one executable |

pub(crate) mod access;
mod block;
pub(crate) mod fingerprint;
pub(crate) mod identity;
pub(crate) mod key;
pub(crate) mod names;
pub(crate) mod packet;
pub(crate) mod random;
mod shape;
mod work;

pub use access::{Access, MemoryEvents};
pub use block::Block;
pub use identity::{NodeId, ThreadId, Waiter};
pub use key::{Key, Space};
pub use packet::{Class, MAX_WORDS, Volume};
pub use shape::{Flow, Shape};
pub use work::{Operations, Primitive, Work};
