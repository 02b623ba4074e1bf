//! Bulk bandwidth: the rate at which blocks of a size are got from another node, and stored there.
//!
//! The measurement follows A. Krishnamurthy et al., *Evaluation of Architectural Support for Global Address-Based
//! Communication in Large-Scale Parallel Machines*, ASPLOS 1996, figure 6. Node 0 gets a block from node 1 and waits
//! for it. Then node 0 stores a block on node 1; the time runs until node 1 has counted all of it. Each size is
//! repeated, and the first repetition is not counted.
//!
//! # Mechanisms
//!
//! | mechanism | how blocks travel |
//! |---|---|
//! | `messages` | a few words in each message |
//! | `bulk` | one transfer for each block; a get is a request whose handler makes the transfer |
//!
//! # Figures
//!
//! `store` and `get`, in millions of bytes per second. With `bytes=all` there is one pair for each size: `store.8`,
//! `get.8`, `store.16` and so on.
//!
//! # Timed regions
//!
//! `get` and `store`.
//!
//! # How it is checked
//!
//! Every word that is got or stored is compared with its expected value.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;

use protocols::split_phase::{LocalPtr, Plan, SplitPhase};
use tempest::entry::{BadPlan, Entry, Inputs, Instance, Least};
use tempest::{Cells, FinalState, Job, Mechanism, Merge, NodeId, Protocol, Report, Setup, Thread, handlers};
use units::Time;

use crate::split_phase::DIRECT;

/// The entry of bulk-bandwidth in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "bulk-bandwidth",
    summary: "blocks got from another node and stored there, in MB/s by size",
    mechanisms: &[Mechanism::Messages, Mechanism::Bulk],
    inputs: Options::INPUTS,
    load: |given| Ok(Box::new(Options::from_given(given)?)),
};

/// The node that gets and stores, and the node that it gets from and stores to.
const CLIENT: NodeId = NodeId(0);
const SERVER: NodeId = NodeId(1);

/// The bytes of a word.
const WORD: u32 = 8;

/// The names of the figures for each size, from one word on.
static NAMES: [[&str; 2]; 16] = [
    ["get.8", "store.8"],
    ["get.16", "store.16"],
    ["get.32", "store.32"],
    ["get.64", "store.64"],
    ["get.128", "store.128"],
    ["get.256", "store.256"],
    ["get.512", "store.512"],
    ["get.1024", "store.1024"],
    ["get.2048", "store.2048"],
    ["get.4096", "store.4096"],
    ["get.8192", "store.8192"],
    ["get.16384", "store.16384"],
    ["get.32768", "store.32768"],
    ["get.65536", "store.65536"],
    ["get.131072", "store.131072"],
    ["get.262144", "store.262144"],
];

/// The sizes that a person may ask for, in bytes.
const SIZES: RangeInclusive<u32> = WORD..=1 << 20;

/// The sizes to measure: one, or all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sizes {
    All,
    One(u32),
}

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::All);
        }
        let bytes = text.parse().ok().filter(|bytes: &u32| bytes.is_power_of_two() && SIZES.contains(bytes));
        let expected =
            || format!("`{text}`: expected a power of two from {} to {}, or all", SIZES.start(), SIZES.end());
        bytes.map(Self::One).ok_or_else(expected)
    }
}

/// Blocks of one size, and the names of their two figures.
#[derive(Clone, Copy, Debug)]
struct Block {
    words: u32,
    names: [&'static str; 2],
}

impl Sizes {
    fn blocks(self) -> Vec<Block> {
        match self {
            Sizes::One(bytes) => vec![Block { words: bytes / WORD, names: ["get", "store"] }],
            Sizes::All => (0..).zip(NAMES).map(|(power, names)| Block { words: 1 << power, names }).collect(),
        }
    }
}

impl Block {
    /// The number of times that a block is moved. The first time is not counted.
    fn repetitions(self) -> u32 {
        // Short blocks are moved more often, so that their mean is steady on a host.
        ((1 << 15) / self.words).clamp(4, 64)
    }

    /// The rate in millions of bytes per second, if all repetitions but the first took `total`.
    fn rate(self, total: Time) -> f64 {
        let bytes = f64::from(self.words * WORD) * f64::from(self.repetitions() - 1);
        bytes / total.as_microseconds()
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sizes::All => f.pad("all"),
            Sizes::One(bytes) => bytes.fmt(f),
        }
    }
}

/// The inputs of bulk-bandwidth.
#[derive(Clone, Inputs)]
struct Options {
    /// size of the blocks: a power of two from 8 to 1048576, or all: each from 8 to 262144
    #[input(name = "bytes", default = "all")]
    sizes: Sizes,
    #[input(like = DIRECT)]
    direct: bool,
}

impl Instance for Options {
    fn job(
        &self,
        &tempest::entry::Plan { mechanism, shape, .. }: &tempest::entry::Plan,
    ) -> Result<Job, BadPlan> {
        if shape.nodes < 2 {
            return Err(
                format!("bulk-bandwidth on {} node: expected --nodes of at least 2", shape.nodes).into()
            );
        }
        Ok(Job::new::<Bandwidth>(Config { blocks: self.sizes.blocks(), mechanism, direct: self.direct }))
    }

    fn least(&self) -> Least {
        Least { nodes: 2, ..Least::ANY }
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        let bytes: Vec<_> =
            self.sizes.blocks().iter().map(|block| (block.words * WORD).to_string()).collect();
        vec![("bytes", bytes.join(", "))]
    }
}

struct Config {
    blocks: Vec<Block>,
    mechanism: Mechanism,
    direct: bool,
}

/// The state of the program on one node.
struct Bandwidth {
    node: NodeId,
    blocks: Vec<Block>,
    split: Arc<SplitPhase>,
    /// The area that the server gives blocks from.
    source: LocalPtr<u64>,
    /// The area where blocks arrive, on either node.
    landing: LocalPtr<u64>,
    /// The time at which the server had the stored block, in femtoseconds; used on the client only.
    arrived: LocalPtr<u64>,
    /// The rates of get and store for each size, in millions of bytes per second.
    rates: Cells<f64>,
    compared: Cells<u64>,
    wrong: Cells<u64>,
}

/// The word at `index` of the block that is moved in a repetition.
fn word(repetition: u32, index: u32) -> u64 {
    u64::from(repetition + 1) << 32 | u64::from(index)
}

impl Protocol for Bandwidth {
    type Config = Config;

    fn install(config: &Config, setup: &mut Setup<'_>) -> Self {
        let most = config.blocks.iter().map(|block| block.words).max().unwrap_or(0);
        let mut plan = Plan::new(setup.shape().nodes).blocks_by(config.mechanism).directly(config.direct);
        let [source, landing] = [(); 2].map(|()| plan.local(most));
        let arrived = plan.local(1);
        Self {
            node: setup.node(),
            blocks: config.blocks.clone(),
            split: setup.install::<SplitPhase>(&plan),
            source,
            landing,
            arrived,
            rates: Cells::new(2 * config.blocks.len(), 0.0),
            compared: Cells::new(1, 0),
            wrong: Cells::new(1, 0),
        }
    }
}

#[handlers]
impl Bandwidth {
    /// Compares a block that has arrived on this node, and clears it.
    fn compare(&self, thread: &Thread<'_>, block: Block, repetition: u32) {
        let memory = self.split.on(thread);
        for index in 0..block.words {
            let place = self.landing + i64::from(index);
            self.wrong.add(thread, 0, u64::from(memory.load(place) != word(repetition, index)));
            memory.set(place, 0);
        }
        self.compared.add(thread, 0, block.words.into());
    }

    /// Gets a block, and returns the time that this took.
    fn get(&self, thread: &Thread<'_>, block: Block, repetition: u32) -> Time {
        let memory = self.split.on(thread);
        if self.node == SERVER && thread.index() == 0 {
            let words = (0..block.words).map(|index| (i64::from(index), word(repetition, index)));
            words.for_each(|(index, word)| memory.set(self.source + index, word));
        }
        memory.barrier();
        let mut took = Time::ZERO;
        if self.node == CLIENT && thread.index() == 0 {
            let start = thread.now();
            memory.bulk_read(self.source.on(SERVER), self.landing, block.words as usize);
            took = thread.now() - start;
            self.compare(thread, block, repetition);
        }
        // The server may write the next block only now.
        memory.barrier();
        took
    }

    /// Stores a block, and returns the time until the server had it.
    fn store(&self, thread: &Thread<'_>, block: Block, repetition: u32) -> Time {
        let memory = self.split.on(thread);
        memory.barrier();
        let mut start = Time::ZERO;
        if self.node == CLIENT && thread.index() == 0 {
            let words: Vec<u64> = (0..block.words).map(|index| word(repetition, index)).collect();
            start = thread.now();
            memory.bulk_store(self.landing.on(SERVER), &words);
        } else if self.node == SERVER && thread.index() == 0 {
            memory.store_sync(u64::from(block.words) * u64::from(WORD));
            memory.write(self.arrived.on(CLIENT), thread.now().as_femtoseconds());
            self.compare(thread, block, repetition);
        }
        memory.barrier();
        Time::from_femtoseconds(memory.load(self.arrived)) - start
    }

    /// Moves blocks of each size by `go`, and notes their rates under `way`: get (0) or store (1).
    fn run(&self, thread: &Thread<'_>, way: usize, go: impl Fn(Block, u32) -> Time) {
        for (number, block) in self.blocks.iter().enumerate() {
            let times = (0..block.repetitions()).map(|repetition| go(*block, repetition));
            let total = times.skip(1).sum();
            if self.node == CLIENT && thread.index() == 0 {
                self.rates.set(thread, 2 * number + way, block.rate(total));
            }
        }
    }

    fn main(&self, thread: &Thread<'_>) {
        thread.phase("get");
        self.run(thread, 0, |block, repetition| self.get(thread, block, repetition));
        thread.phase("store");
        self.run(thread, 1, |block, repetition| self.store(thread, block, repetition));
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let wrong = self.wrong.get(end, 0);
        let failures = (wrong > 0).then(|| format!("{wrong} wrong words on {}", self.node));
        let mut report = Report {
            checks: self.compared.get(end, 0),
            failures: failures.into_iter().collect(),
            ..Report::default()
        };
        if self.node == CLIENT {
            for (number, block) in self.blocks.iter().enumerate() {
                for (way, name) in block.names.into_iter().enumerate() {
                    report = report.measured(name, self.rates.get(end, 2 * number + way), "MB/s", Merge::Max);
                }
            }
        }
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_two_within_reach() {
        assert_eq!(("8".parse(), "all".parse()), (Ok(Sizes::One(8)), Ok(Sizes::All)));
        for text in ["4", "24", "2097152", "many"] {
            let error = text.parse::<Sizes>().unwrap_err();
            assert_eq!(error, format!("`{text}`: expected a power of two from 8 to 1048576, or all"));
        }
    }

    #[test]
    fn names_say_their_size() {
        for block in Sizes::All.blocks() {
            let bytes = block.words * WORD;
            assert_eq!(block.names, [format!("get.{bytes}"), format!("store.{bytes}")]);
        }
    }
}
