//! Traffic: every node sends messages by a pattern, at a stated load; latency and throughput against the load.
//!
//! # Sources
//!
//! In an *open loop* each thread makes messages at times that it draws beforehand from its own stream of random numbers: a
//! Poisson process, equal times, or bursts. A message that cannot go at once waits at its source. Its latency counts from the time
//! at which it was made to the beginning of its handler. In a *closed loop* each thread keeps so many messages under way, and makes
//! the next one when the handler of an earlier one has answered.
//!
//! While a thread waits for the time of its next message it computes and polls, a small part of the latency of a lone message at a
//! time, so that a policy which polls serves what comes. A thread of a node to which nobody sends does not poll.
//!
//! | pattern | node n of N sends to |
//! |---|---|
//! | `uniform` | any other node, each as likely as the next |
//! | `transpose` | the node whose row and column are n's column and row; N is a square |
//! | `complement` | N - 1 - n, which is n with every bit turned; N is a power of two |
//! | `tornado` | n + N/2 - 1 round a ring, N/2 rounded up |
//! | `neighbour` | n + 1 round a ring |
//! | `hotspot:10` | node 0 with 10 % of its messages, any other node with the others |
//! | `8-to-1`, `incast` | node 0, from nodes 1 to 8, or from all others |
//!
//! A node whose destination would be itself sends nothing. A *sender* is a node that sends.
//!
//! # What is measured
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
//! In the region `search` the program bisects between the largest load that is kept up with below the least one that is not, and
//! that one, `steps` times. These loads stand among the others. `saturation` is the largest load that was kept up with,
//! `saturation.below` the least above it that was not, both as shares of the capacity; `saturation.rate` is the throughput
//! accepted at `saturation`. Where all loads are kept up with, there is no `saturation.below`. Where none of the loads asked for
//! is, a figure says so, with a load to try.
//!
//! # Timed regions
//!
//! `flood`, `curve`, `search`.
//!
//! # How it is checked
//!
//! As many messages must have been handled as were made, and every word of the last blocks must be right.

mod arrivals;
mod curve;
mod load;
mod pattern;
mod program;
mod source;
mod statistics;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use tempest::entry::{BadPlan, Entry, InputError, Inputs, Instance, Least, Plan};
use tempest::{Job, MAX_WORDS, Mechanism};
use units::Bytes;

use arrivals::Arrivals;
use load::{Capacity, Load, Loads, Rate};
use pattern::Pattern;
use program::Traffic;

/// The entry of traffic in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "traffic",
    summary: "messages by a pattern at stated loads: latency and throughput against load, and saturation",
    mechanisms: &[Mechanism::Messages, Mechanism::Bulk],
    inputs: Asked::INPUTS,
    load: |given| Ok(Box::new(Asked::from_given(given)?)),
};

/// The bytes of a word.
const WORD: u64 = 8;

/// The largest block, in bytes.
const LARGEST: u64 = 1 << 26;

/// The messages of all senders together, the bytes of all their messages, and the messages of each sender at least, by which a
/// load is measured where nobody says how many.
const MESSAGES: (u64, u64, u64) = (10_000, 1 << 26, 50);

/// The most threads of a node: their number travels in a message's stamp.
const MOST_THREADS: u32 = 128;

/// The inputs of traffic.
#[derive(Clone, Debug, Inputs)]
#[inputs(check)]
struct Asked {
    /// who sends to whom: uniform, transpose, complement, tornado, neighbour, hotspot:10 (percent), 8-to-1, or incast (all
    /// others to node 0)
    #[input(default = "uniform")]
    pattern: Pattern,
    /// bytes of a message, in words of 8: 0B to 112B; with --mechanism bulk of a block, such as 64KiB
    #[input(default = "24 B")]
    size: Bytes,
    /// when messages are made: poisson, periodic, bursts:8, or closed (see windows)
    #[input(default = "poisson")]
    arrivals: Arrivals,
    /// loads offered one after the other: shares of the capacity such as 0.1,0.5 or 0.1..0.9..0.2 (from..to..step), or rates of
    /// a sender such as 10,20MB/s or 50k/s (messages)
    #[input(default = "0.1,0.3,0.5,0.7,0.9,1")]
    loads: Loads,
    /// what a load of 1 is: a rate of a sender such as 100MB/s or 50k/s (messages), or measured: what arrives when all send as
    /// fast as they can
    #[input(default = "measured")]
    capacity: Capacity,
    /// with arrivals=closed: messages that each thread keeps under way, one number after the other
    #[input(default = "1,2,4,8,16")]
    windows: Windows,
    /// messages of each sender by which a load is measured, on average; half as many go before them and a quarter after; 0: 10000
    /// of all senders together, or 64 MiB, and at least 50 of each
    #[input(default = 0, range = 0..=100_000_000)]
    messages: u32,
    /// integer operations of a handler
    #[input(default = 0, range = 0..=1_000_000)]
    handler: u32,
    /// a load is kept up with while its latency is at most so many times that of a lone message and the time between two of a sender
    #[input(default = 4.0, range = 1.0..=1000.0)]
    bound: f64,
    /// bisections between the loads that are kept up with and those that are not
    #[input(default = 4, range = 0..=20)]
    steps: u32,
}

/// The numbers of messages that a thread keeps under way.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Windows(Vec<u32>);

impl FromStr for Windows {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || format!("`{text}`: expected up to 64 numbers from 1 to 65536, such as 1,4,16");
        let window = |text: &str| text.trim().parse().ok().filter(|window| (1..=65_536).contains(window));
        let windows: Option<Vec<u32>> = text.split(',').map(window).collect();
        windows.filter(|windows| windows.len() <= 64).map(Self).ok_or_else(expected)
    }
}

impl fmt::Display for Windows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        f.pad(&texts.join(","))
    }
}

impl Asked {
    fn check(&self) -> Result<(), InputError> {
        let size = self.size.get();
        if !size.is_multiple_of(WORD) || size > LARGEST {
            let most = Bytes::new(LARGEST);
            return Err(
                format!("input `size={}`: expected a multiple of 8 B, at most {most}", self.size).into()
            );
        }
        let rates = self.loads.all.iter().filter_map(|load| match load {
            Load::Rate(rate) => Some(*rate),
            Load::Share(_) => None,
        });
        let capacity = match self.capacity {
            Capacity::Given(rate) => Some(rate),
            Capacity::Measured => None,
        };
        if rates.chain(capacity).any(|rate: Rate| rate.messages(size).is_none()) {
            return Err("messages of 0 B have no rate in bytes: expected one in messages, such as 50k/s"
                .to_owned()
                .into());
        }
        Ok(())
    }

    /// The number of messages of each of so many senders by which a load is measured.
    fn messages_of_each(&self, senders: u32) -> u32 {
        let (all, bytes, each) = MESSAGES;
        let all = all.min(bytes / self.size.get().max(WORD));
        let usual = (all / u64::from(senders)).max(each) as u32;
        if self.messages == 0 { usual } else { self.messages }
    }

    /// Checks that the messages can go by a mechanism.
    fn check_size(&self, mechanism: Mechanism) -> Result<(), String> {
        let (size, most) = (self.size.get(), MAX_WORDS as u64 * WORD);
        match mechanism {
            Mechanism::Bulk if size == 0 => Err("a block of `size=0 B`: expected at least 8 B".to_owned()),
            Mechanism::Messages if size > most => Err(format!(
                "a message of `size={}`: expected at most {most} B, or --mechanism bulk",
                self.size
            )),
            _ => Ok(()),
        }
    }
}

impl Instance for Asked {
    fn job(&self, plan: &Plan) -> Result<Job, BadPlan> {
        self.pattern.check(plan.shape.nodes)?;
        self.check_size(plan.mechanism)?;
        if plan.shape.threads > MOST_THREADS {
            return Err(format!(
                "traffic by {} threads of a node: expected at most {MOST_THREADS}",
                plan.shape.threads
            )
            .into());
        }
        Ok(Job::new::<Traffic>(Arc::new(program::Study::new(self, plan))))
    }

    fn least(&self) -> Least {
        Least { nodes: self.pattern.least(), ..Least::ANY }
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        let offered = match self.arrivals {
            Arrivals::Closed => ("windows", self.windows.to_string()),
            _ => ("loads", self.loads.to_string()),
        };
        vec![
            ("pattern", self.pattern.to_string()),
            ("size", self.size.to_string()),
            ("arrivals", self.arrivals.to_string()),
            offered,
            ("capacity", self.capacity.to_string()),
        ]
    }
}
