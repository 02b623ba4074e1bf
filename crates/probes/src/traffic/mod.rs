//! Traffic: every node sends messages by a pattern, at a stated load; latency and throughput against the load.
//!
//! # Sources
//!
//! In an *open loop* each thread makes messages at times that it draws beforehand from its own stream of random
//! numbers: a Poisson process, equal times, or bursts. A message that cannot go at once waits at its source. Its
//! latency counts from the time at which it was made to the beginning of its handler. In a *closed loop* each thread
//! keeps a window of messages under way, and makes the next one when the handler of an earlier one has answered.
//!
//! While a thread waits for the time of its next message it computes and polls, a small part of the latency of a lone
//! message at a time, so that a policy which polls serves arrivals. A thread of a node that receives no messages does
//! not poll.
//!
//! | pattern | node n of N sends to |
//! |---|---|
//! | `uniform` | any other node, each as likely as the next |
//! | `transpose` | the node whose row and column are n's column and row; N is a square |
//! | `complement` | N - 1 - n, which is n with every bit turned; N is a power of two |
//! | `tornado` | in each dimension of side k: k/2 - 1 further round, k/2 rounded up |
//! | `neighbour` | in each dimension: the next one round |
//! | `hotspot:10` | node 0 with 10 % of its messages, any other node with the others |
//! | `8-to-1`, `incast` | node 0, from nodes 1 to 8, or from all others |
//!
//! `tornado` and `neighbour` count in the grid that `dimensions` says, such as `8x8`; a ring of all nodes has one side.
//! The first coordinate of a node runs the fastest, as that of a machine's `network.dimensions` does. On a machine
//! whose network has no dimensions they are permutations like others. A program does not know its machine, so the sides
//! must be given.
//!
//! A node whose destination would be itself sends no messages. A *sender* is a node that sends.
//!
//! # Measurements
//!
//! First the senders, at most 64 of them, send a few lone messages one after the other. Then, in the region `flood`, all senders
//! send as fast as they can. Unless a person states the *capacity*, it is the rate per sender at which the middle half of these
//! messages were handled.
//!
//! In the region `curve` the program offers each load, one after the other. A load is a share of the capacity, or a rate. As many
//! messages as `messages` says, on average, are made by each sender in the *window* of a load. Half as many before it warm
//! the machine up, for four latencies of a lone message at least, and a quarter after it keep the load on. Then all wait until every message has been handled.
//!
//! | figure of a load | meaning |
//! |---|---|
//! | `offered` | the rate per sender at which messages were made in the window |
//! | `accepted` | the rate per sender at which handlers began in the window |
//! | `latency`, `+-` | the mean latency of the messages made in the window, and half its 95 % confidence interval, by the means of 12 batches of equal time |
//! | `median`, `p99` | latencies that 50 % and 99 % of these messages did not exceed |
//! | `theory` | into one node, Poisson: the latency of a lone message and the mean wait by theory (M/D/1) |
//!
//! A load *is kept up with* if `accepted` is at least 95 % of `offered`, and `latency` is at most `bound` times the sum of the
//! latency of a lone message and the time between two messages (or bursts) of a sender at capacity.
//!
//! Times are in ns. Rates are in MB/s, and in M/s where messages have no payload: the names of these end in `.messages`.
//!
//! In the region `search` the program bisects, `steps` times, between the largest load that is kept up with and the next one above
//! it. These loads stand among the others. `saturation` is the largest load that was kept up with, `saturation.below` the next one
//! above it, both as shares of the capacity; `saturation.rate` is the throughput accepted at `saturation`. Where the greatest load
//! is kept up with, there is no `saturation.below`. Where none of the loads asked for is, a figure says so, with a load to try.
//!
//! # Threads
//!
//! Each thread wants a processor of its own. Of several threads of a processor one runs until it waits, and the others make
//! their messages late.
//!
//! # Timed regions
//!
//! `flood`, `curve`, `search`.
//!
//! # How it is checked
//!
//! As many messages must have been handled as were made, and every word of the last blocks must be right.

mod curve;
mod load;
mod pattern;
mod program;
mod source;
mod study;

use std::sync::Arc;

use tempest::entry::{BadPlan, Entry, Inputs, Instance, Least, Plan};
use tempest::{Job, Mechanism};

use crate::kit::arrivals::Arrivals;
use program::Traffic;
use study::{Options, Study};

/// The entry of traffic in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "traffic",
    summary: "messages by a pattern at stated loads: latency and throughput against load, and saturation",
    mechanisms: &[Mechanism::Messages, Mechanism::Bulk],
    inputs: Options::INPUTS,
    load: |given| Ok(Box::new(Options::from_given(given)?)),
};

/// The most threads of a node: their number travels in a message's stamp.
const MOST_THREADS: u32 = 128;

impl Instance for Options {
    fn job(&self, plan: &Plan) -> Result<Job, BadPlan> {
        self.pattern.check(&self.space(plan.shape.nodes))?;
        self.check_size(plan.mechanism)?;
        if plan.shape.threads > MOST_THREADS {
            return Err(format!(
                "traffic by {} threads of a node: expected at most {MOST_THREADS}",
                plan.shape.threads
            )
            .into());
        }
        Ok(Job::new::<Traffic>(Arc::new(Study::new(self, plan))))
    }

    fn least(&self) -> Least {
        Least { nodes: self.pattern.least(), ..Least::ANY }
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        let offered = match self.arrivals {
            Arrivals::Closed => ("windows", self.windows.to_string()),
            _ => ("loads", self.loads.to_string()),
        };
        let pattern = match self.pattern.has_dimensions() {
            true => format!("{} in {}", self.pattern, self.dimensions),
            false => self.pattern.to_string(),
        };
        vec![
            ("pattern", pattern),
            ("size", self.size.to_string()),
            ("arrivals", self.arrivals.to_string()),
            offered,
            ("capacity", self.capacity.to_string()),
        ]
    }
}
