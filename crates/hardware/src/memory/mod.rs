//! The memory system of one node: caches, bus, memory banks, and the staging buffer of an interface on the bus.
//!
//! | module | what it holds |
//! |---|---|
//! | `node` | [`NodeMemory`]: what processors do, load, store, flush, purge, sync; how a line is fetched |
//! | `shared` | what shared memory in blocks is to a node: accesses that wait, blocks that a device reads and writes, its registers |
//! | `device` | what an interface on the bus does: reads, deposits, takes over and gives up lines |
//! | `cache` | tags and states of a write-back cache |
//! | `moesi` | the coherence protocol as pure functions |
//! | `bus` | a split-transaction bus: arbitration, address phases, data phases |
//! | `calendar` | what is reserved of a resource, gaps included |
//! | `banks` | interleaved memory |
//! | `write_backs` | the queue of lines that wait to be written back |
//! | `buffer` | a staging buffer with the tags of its cache controller |
//! | `counts` | what all of them count |
//!
//! Each part says *when*: a call at `now` returns the time at which what was asked for is done, and what it occupies
//! on the way is occupied from then on. Nothing here holds data; that is the program's. Calls of one node come in the
//! order of time. A transaction takes effect on states when it is granted, which is when the bus orders it.
//!
//! All times come from the machine file. These modules must never know messages, handlers, programs or engine events.

mod banks;
mod buffer;
mod bus;
mod cache;
mod calendar;
mod counts;
mod device;
mod moesi;
mod node;
mod shared;
mod write_backs;

#[cfg(test)]
mod tests;

pub use buffer::Slot;
pub use cache::{Cache, Victim};
pub use counts::Counts;
pub use moesi::State;
pub use node::NodeMemory;
pub use shared::{Answer, Keep};
