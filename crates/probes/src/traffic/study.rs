//! The inputs, and the data derived from them on all nodes. This module must never know how anything is sent.

use std::fmt;
use std::str::FromStr;

use tempest::entry::{InputError, Inputs, Plan};
use tempest::{MAX_WORDS, Mechanism};
use units::Bytes;

use super::load::{Capacity, Load, Loads, Rate};
use super::pattern::{Dimensions, Pattern, Space, UNSAID};
use crate::kit::arrivals::Arrivals;

/// The most senders of lone messages.
const LONE_SENDERS: u32 = 64;

/// The lone messages in all, about, and of each sender at least.
const LONE: (u32, u32) = (128, 2);

/// The default loads of an open loop.
const LOADS: &str = "0.1,0.3,0.5,0.7,0.9,1";

/// The default windows of a closed loop.
const WINDOWS: &str = "1,2,4,8,16";

/// The bytes of a word.
const WORD: u64 = 8;

/// The largest block, in bytes.
const LARGEST: u64 = 1 << 26;

/// The default for measuring a load: the messages of all senders together, the bytes of all their messages, and the
/// messages of each sender at least.
const MESSAGES: (u64, u64, u64) = (6_000, 1 << 25, 50);

/// The inputs of traffic.
#[derive(Clone, Debug, Inputs)]
#[inputs(check)]
pub(super) struct Options {
    /// who sends to whom: uniform, transpose, complement, tornado, neighbour, hotspot:10 (percent), 8-to-1, or incast (all
    /// others to node 0)
    #[input(default = "uniform")]
    pub(super) pattern: Pattern,
    /// for tornado and neighbour: sides of the grid of nodes such as 8x8, or 64 for a ring; their product is the number of nodes
    #[input(default = UNSAID)]
    pub(super) dimensions: Dimensions,
    /// bytes of a message, in words of 8: 0B to 112B; with --mechanism bulk of a block, such as 64KiB
    #[input(default = "24 B")]
    pub(super) size: Bytes,
    /// when messages are made: poisson, periodic, bursts:8, or closed (see windows)
    #[input(default = "poisson")]
    pub(super) arrivals: Arrivals,
    /// loads offered one after the other: shares of the capacity such as 0.1,0.5 or 0.1..0.9..0.2 (from..to..step), or rates of
    /// a sender such as 10,20MB/s or 50k/s (messages)
    #[input(default = LOADS)]
    pub(super) loads: Loads,
    /// what a load of 1 is: a rate of a sender such as 100MB/s or 50k/s (messages), or measured: what arrives when all send as
    /// fast as they can
    #[input(default = "measured")]
    pub(super) capacity: Capacity,
    /// with arrivals=closed: messages that each thread keeps under way, one number after the other
    #[input(default = WINDOWS)]
    pub(super) windows: Windows,
    /// messages of each sender by which a load is measured, on average; half as many go before them and a quarter after; 0: 6000
    /// of all senders together, or 32 MiB, and at least 50 of each
    #[input(default = 0, range = 0..=100_000_000)]
    pub(super) messages: u32,
    /// integer operations of a handler
    #[input(default = 0, range = 0..=1_000_000)]
    pub(super) handler: u32,
    /// a load is kept up with while its latency is at most so many times that of a lone message and the time between two of a sender
    #[input(default = 4.0, range = 1.0..=1000.0)]
    pub(super) bound: f64,
    /// bisections between the loads that are kept up with and those that are not
    #[input(default = 4, range = 0..=20)]
    pub(super) steps: u32,
}

/// The numbers of messages that a thread keeps under way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Windows(pub(super) Vec<u32>);

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

impl Options {
    fn check(&self) -> Result<(), InputError> {
        let size = self.size.get();
        if !size.is_multiple_of(WORD) || size > LARGEST {
            let most = Bytes::new(LARGEST);
            return Err(
                format!("input `size={}`: expected a multiple of 8 B, at most {most}", self.size).into()
            );
        }
        // An input without effect would mislead the person who sets it.
        if self.dimensions != Dimensions::default() && !self.pattern.has_dimensions() {
            let (given, pattern) = (&self.dimensions, self.pattern);
            return Err(format!(
                "`dimensions={given}` of pattern `{pattern}`: expected pattern=tornado or neighbour"
            )
            .into());
        }
        let closed = self.arrivals == Arrivals::Closed;
        let (loads, windows) = (self.loads.to_string(), self.windows.to_string());
        if closed && loads != LOADS {
            return Err(
                format!("`loads={loads}` of a closed loop: expected windows such as windows=1,4,16").into()
            );
        }
        if !closed && windows != WINDOWS {
            return Err(format!("`windows={windows}` of an open loop: expected arrivals=closed").into());
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

    /// The nodes of a run, and the grid that they are.
    pub(super) fn space(&self, nodes: u32) -> Space {
        Space { nodes, dimensions: self.dimensions.clone() }
    }

    /// The number of messages of each of `senders` senders by which a load is measured.
    fn messages_of_each(&self, senders: u32) -> u32 {
        let (all, bytes, each) = MESSAGES;
        let all = all.min(bytes / self.size.get().max(WORD));
        let usual = (all / u64::from(senders)).max(each) as u32;
        if self.messages == 0 { usual } else { self.messages }
    }

    /// Checks that the messages can go by a mechanism.
    pub(super) fn check_size(&self, mechanism: Mechanism) -> Result<(), String> {
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

/// The inputs of a run, as all nodes know them.
#[derive(Debug)]
pub(super) struct Study {
    pub(super) asked: Options,
    pub(super) seed: u64,
    pub(super) mechanism: Mechanism,
    pub(super) space: Space,
    pub(super) threads: u32,
    pub(super) senders: u32,
    /// The messages of each sender by which a load is measured, on average.
    pub(super) messages: u32,
    /// The words of a message or block.
    pub(super) words: usize,
}

impl Study {
    pub(super) fn new(asked: &Options, &Plan { mechanism, shape, seed, .. }: &Plan) -> Self {
        let senders = asked.pattern.senders(shape.nodes);
        Self {
            asked: asked.clone(),
            seed,
            mechanism,
            space: asked.space(shape.nodes),
            threads: shape.threads,
            senders,
            messages: asked.messages_of_each(senders),
            words: (asked.size.get() / WORD) as usize,
        }
    }

    /// Whether a node is the first sender of lone messages, and the sender after it; `None` for a node that sends none.
    pub(super) fn lone(&self, node: u32) -> Option<(bool, Option<u32>)> {
        let (pattern, space, nodes) = (self.asked.pattern, &self.space, self.space.nodes);
        let stride = nodes.div_ceil(LONE_SENDERS);
        let mut all = (1 % stride..nodes).step_by(stride as usize).filter(|one| pattern.sends(*one, space));
        let mut first = true;
        loop {
            match all.next()? {
                one if one == node => return Some((first, all.next())),
                _ => first = false,
            }
        }
    }

    /// The number of lone messages of each sender of some.
    pub(super) fn lone_each(&self) -> u32 {
        (LONE.0 / self.senders.min(LONE_SENDERS)).max(LONE.1)
    }
}

#[cfg(test)]
mod tests {
    use tempest::entry::Given;

    use super::*;

    #[test]
    fn inputs_that_change_nothing_or_contradict_each_other_are_refused() {
        let error = |values: &[(&str, &str)]| {
            let values = values.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
            Options::from_given(&Given { values, ..Given::default() }).err().map(|bad| bad.to_string())
        };
        assert_eq!(error(&[]), None);
        assert_eq!(error(&[("arrivals", "closed"), ("windows", "1,3")]), None);
        let refused = [
            (("arrivals", "closed"), ("loads", "0.5"), "expected windows such as windows=1,4,16"),
            (("arrivals", "poisson"), ("windows", "4"), "expected arrivals=closed"),
            (("dimensions", "8x8"), ("pattern", "uniform"), "expected pattern=tornado or neighbour"),
            (("size", "0 B"), ("loads", "20MB/s"), "expected one in messages, such as 50k/s"),
            (("size", "20 B"), ("steps", "1"), "expected a multiple of 8 B, at most 64 MiB"),
        ];
        for (one, other, expected) in refused {
            let error = error(&[one, other]).expect("a contradiction");
            assert!(error.ends_with(expected), "{error}");
        }
    }
}
