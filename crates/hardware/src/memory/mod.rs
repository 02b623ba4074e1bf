//! The memory system of one node: caches, bus, memory banks, and the staging buffer of an interface on the bus.
//!
//! | module | content |
//! |---|---|
//! | `node` | [`NodeMemory`]: loads, stores, flushes, purges and syncs of processors; how a line is fetched |
//! | `shared` | shared memory in blocks: accesses that wait, blocks that a device reads and writes, its registers |
//! | `device` | an interface on the bus: it reads lines, deposits them, takes them over and gives them up |
//! | `snooped` | the answers of the bus's clients to a transaction |
//! | `slots` | the receive slots that the protocol engine of such an interface has at hand |
//! | `tags` | tags and states of a write-back cache |
//! | `cache` | a cache by itself |
//! | `groups` | the sets of caches for which there is room |
//! | `first_level` | a cache between a processor and its cache |
//! | `holders` | the processors whose caches may have a line |
//! | `moesi` | the coherence protocol as pure functions |
//! | `plain` | the transactions that move no block |
//! | `bus` | a split-transaction bus: arbitration, address phases, data phases |
//! | `poller` | a client of the bus that polls |
//! | `calendar` | the reservations of a resource, and the gaps between them |
//! | `banks` | interleaved memory |
//! | `write_backs` | the queue of lines that wait to be written back |
//! | `buffer` | a staging buffer with the tags of its cache controller |
//! | `wanted` | the lines that more than one client has wanted |
//! | `counts` | the counts of all parts |
//!
//! Each part answers with times: a call at `now` returns the time at which its operation is done, and occupies the
//! resources on its way from then on. Nothing here holds data; the program has them. Calls of one node come in the
//! order of time.
//!
//! A transaction changes the states of lines when it is asked for. A line that it brings is there only at its end: before
//! that no client supplies the line, takes it away or writes it back.
//!
//! All times come from the machine file. These modules must never know messages, handlers, programs or engine events.

mod banks;
mod buffer;
mod bus;
mod cache;
mod calendar;
mod counts;
mod device;
mod first_level;
mod groups;
mod holders;
mod moesi;
mod node;
mod plain;
mod poller;
mod shared;
mod slots;
mod snooped;
mod tags;
mod wanted;
mod write_backs;

#[cfg(test)]
mod tests;

pub use buffer::Slot;
pub use cache::Cache;
pub use counts::Counts;
pub use moesi::State;
pub use node::{Hit, Hits, NodeMemory};
pub use shared::Keep;
pub use tags::{Found, Victim};
