//! Messages through the memory system: the time until data are on the other node, and until they are in its cache.
//!
//! The measurement follows M. Swanson et al., *Message Passing Support in the Avalanche Widget*, University of Utah,
//! 1996, figure 3. Node 0 has just stored to every word of a message; node 1 has posted a buffer of which no line is
//! cached. *Arrival* lasts from the first instruction of the send until node 1 knows that the whole message is there.
//! *Consumption* follows, until one word of every line has been loaded and used. Where caches and interfaces are not
//! coherent, node 0 flushes the message as part of the send, and node 1 purges its buffer before it posts it.
//!
//! # Inputs
//!
//! | input | kind | default | meaning |
//! |---|---|---|---|
//! | `bytes` | an integer from 8 to 65536 | 4096 | of a message; rounded up to words of 8 |
//! | `rounds` | an integer from 1 to 100000 | 10 | timed rounds, of which the mean counts; two come before them |
//! | `line` | an integer from 8 to 256 | 32 | bytes of a cache line; a multiple of 8 |
//! | `unread` | an integer from 0 to 63 | 0 | further messages, each to a page of its own, that arrive before the first is read |
//! | `reuse` | an integer from 0 to 1 | 0 | whether the sender reads its message again |
//! | `queued` | an integer from 0 to 64 | 0 | unrelated lines that the sender has flushed just before |
//! | `copies` | an integer from 0 to 8 | 0 | times that software copies the message, at the receiver, before it is read |
//! | `both` | an integer from 0 to 1 | 0 | whether node 1 sends to node 0 at the same time |
//! | `other` | an integer from 0 to 65536 | 0 | bytes of a message to node 2, sent right behind the first; needs three nodes |
//! | `careless` | an integer from 0 to 3 | 0 | what software leaves out where caches do not snoop: 1 the sender's flush, 2 the receiver's purge, 3 the receiver's flush of a buffer it has written to, until the message is there |
//!
//! # Figures
//!
//! Times are means in nanoseconds; with `both=1`, the larger of the two nodes'.
//!
//! | figure | what is timed |
//! |---|---|
//! | `arrival`, `consume`, `total` | arrival, consumption, and their sum |
//! | `flush` | the part of `arrival` in which the sender flushes |
//! | `all` | from the first send to the last arrival of a round |
//! | `other` | the arrival of the message to node 2, since its own send began |
//! | `reuse` | the sender's second reading of its message |
//! | `copy` | the copying at the receiver |
//!
//! The memory systems of node 0 (`sender.…`) and node 1 (`receiver.…`) count, per round: `bus_transactions`,
//! `bus_bytes`, `memory_reads`, `memory_writes`, `cache_supplies`, `buffer_supplies`, `write_backs`, `evictions`,
//! `merges`, `kept_blocks`, `kept_lines`, `packets`, `fall_throughs`. Three more counts must be 0 unless software is
//! `careless`: `stale_loads`, `stale_sends`, `overwritten`. The sender's counts begin with the send, the receiver's
//! with the posting of the buffer; both end with the round. A world without a modelled memory system, such as the
//! native one, has no counts, and its consumption is of words that the host's caches hold.
//!
//! # Timed regions
//!
//! `messages` has all rounds.
//!
//! # How it is checked
//!
//! Every word of every message is compared with what was sent.

mod program;

use tempest::entry::{BadPlan, Entry, Given, Input, Instance, Loaded, Plan, Reader};
use tempest::{Job, Mechanism};

use program::MessageMemory;
use tempest::entry::plain::Values;

/// How the registry lists it.
pub const ENTRY: Entry = Entry {
    name: "message-memory",
    summary: "a message from the cache of one node to the cache of another, and what the memory systems do for it",
    mechanisms: &[Mechanism::Bulk],
    inputs: INPUTS,
    load,
};

static INPUTS: &[Input] = &[
    Input::integer("bytes", 8..=65536, "4096", "of a message; rounded up to words of 8"),
    Input::integer(
        "rounds",
        1..=100_000,
        "10",
        "timed rounds, of which the mean counts; two come before them",
    ),
    Input::integer("line", 8..=256, "32", "bytes of a cache line; a multiple of 8"),
    Input::integer(
        "unread",
        0..=63,
        "0",
        "further messages, each to a page of its own, that arrive before the first is read",
    ),
    Input::integer("reuse", 0..=1, "0", "whether the sender reads its message again"),
    Input::integer("queued", 0..=64, "0", "unrelated lines that the sender has flushed just before"),
    Input::integer(
        "copies",
        0..=8,
        "0",
        "times that software copies the message, at the receiver, before it is read",
    ),
    Input::integer("both", 0..=1, "0", "whether node 1 sends to node 0 at the same time"),
    Input::integer(
        "other",
        0..=65536,
        "0",
        "bytes of a message to node 2, sent right behind the first; needs three nodes",
    ),
    Input::integer(
        "careless",
        0..=3,
        "0",
        "what software leaves out where caches do not snoop: 1 the sender's flush, 2 the receiver's purge, 3 the \
         receiver's flush of a buffer it has written to, until the message is there",
    ),
];

fn load(given: &Given) -> Loaded {
    let mut reader = Reader::new(given, INPUTS);
    let numbers = INPUTS.iter().map(|input| (input.key, reader.integer(input.key))).collect();
    reader.finish()?;
    Ok(Box::new(Told(numbers)))
}

/// The inputs.
struct Told(Values);

impl Instance for Told {
    fn job(&self, &Plan { shape, .. }: &Plan) -> Result<Job, BadPlan> {
        let needed = if self.0["other"] > 0 { 3 } else { 2 };
        if shape.nodes < needed {
            return Err(format!(
                "{} nodes: expected at least {needed}, as messages go between nodes",
                shape.nodes
            )
            .into());
        }
        Ok(Job::new::<MessageMemory>(self.0.clone()))
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        self.0.iter().map(|(key, number)| (*key, number.to_string())).collect()
    }
}
