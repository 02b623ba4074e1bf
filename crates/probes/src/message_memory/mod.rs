//! Messages through the memory system: the time until data are on the other node, and until they are in its cache.
//!
//! The measurement follows M. Swanson et al., *Message Passing Support in the Avalanche Widget*, University of Utah,
//! 1996, figure 3. Node 0 has just stored to every word of a message; node 1 has posted a buffer of which no line is
//! cached. *Arrival* lasts from the first instruction of the send until node 1 knows that the whole message is there.
//! *Consumption* follows, until one word of every line has been loaded and used. Where caches and interfaces are not
//! coherent, node 0 flushes the message as part of the send, and node 1 purges its buffer before it posts it.
//!
//! # Figures
//!
//! Times are means in nanoseconds; with `both=1`, the larger of the two nodes'.
//!
//! | figure | timed operation |
//! |---|---|
//! | `arrival`, `consume`, `total` | arrival, consumption, and their sum |
//! | `flush` | the part of `arrival` in which the sender flushes |
//! | `all` | from the first send to the last arrival of a round |
//! | `other` | the arrival of the message to node 2, since its own send began |
//! | `reuse` | the sender's second reading of its message |
//! | `copy` | the copying at the receiver |
//! | `load` | the receiver's load of the first word, the first part of `consume` |
//!
//! The memory systems of node 0 (`sender.…`) and node 1 (`receiver.…`) count, per round: `bus_transactions`,
//! `bus_bytes`, `memory_reads`, `memory_writes`, `cache_supplies`, `buffer_supplies`, `write_backs`, `evictions`,
//! `pushes`, `displaced` (lines that left a cache for pushed ones), `slot_lookups`, `slot_misses`, `merges`, `kept_blocks`,
//! `kept_lines`, `packets`, `fall_throughs`. Three more counts must be 0 unless software is `careless`: `stale_loads`,
//! `stale_sends`, `overwritten`. The sender's counts begin with the send, the receiver's
//! with the posting of the buffer; both end with the round. A world without a modelled memory system, such as the
//! native one, has no counts, and its consumption is of words that the host's caches hold.
//!
//! # Timed regions
//!
//! `messages` has all rounds.
//!
//! # How it is checked
//!
//! Every word of every message is compared with the sent word.

mod program;

pub use program::MessageMemory;
