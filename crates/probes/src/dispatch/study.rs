//! The inputs, and the data derived from them on all nodes. This module must never know how anything is sent or
//! handled.

use std::fmt;
use std::str::FromStr;

use tempest::NodeId;
use tempest::entry::{InputError, Inputs, Plan};

use crate::kit::arrivals::Arrivals;

/// The default load of an open loop.
const LOAD: f64 = 0.5;

/// The default number of messages of a sender under way in a closed loop.
const WINDOW: u32 = 4;

/// The node that handles all messages.
pub(super) const SERVER: NodeId = NodeId(0);

/// Makes the texts of an input from a table.
macro_rules! words {
    ($type:ident: $($variant:ident = $text:literal),*; expected $expected:literal) => {
        impl FromStr for $type {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($text => Ok(Self::$variant),)*
                    _ => Err(format!(concat!("`{}`: expected ", $expected), text)),
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(match self {
                    $(Self::$variant => $text,)*
                })
            }
        }
    };
}

/// The way in which handlers of one key exclude each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Synchronization {
    /// The dispatch queue hands out one event of a key at a time.
    Keyed,
    /// A handler waits for the lock of its key.
    Lock,
    /// A handler that finds the lock of its key taken leaves its message to a thread.
    Thread,
    /// Handlers of a key are not excluded from each other.
    None,
}

words! {
    Synchronization: Keyed = "keyed", Lock = "lock", Thread = "thread", None = "none";
    expected "keyed (in the queue), lock (handlers wait for it), thread (which takes over) or none"
}

/// The way in which keys follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Draw {
    /// Each key is drawn at random.
    Random,
    /// Keys in turn, from the first to the last, again and again.
    Turn,
}

words! { Draw: Random = "random", Turn = "turn"; expected "random, or turn (one after the other)" }

/// The distribution of the handlers' lengths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spread {
    /// All lengths are equal.
    Fixed,
    /// Lengths are exponentially distributed.
    Exponential,
}

words! { Spread: Fixed = "fixed", Exponential = "exponential"; expected "fixed or exponential" }

/// The inputs of dispatch.
#[derive(Clone, Debug, Inputs)]
#[inputs(check)]
pub(super) struct Options {
    /// how handlers of one key exclude each other: keyed (in the queue), lock (a handler waits for it), thread (which takes over
    /// where the lock is taken), or none
    #[input(default = "keyed")]
    pub(super) synchronization: Synchronization,
    /// keys that messages have
    #[input(default = 64, range = 1..=1 << 16)]
    pub(super) keys: u32,
    /// Zipf exponent s: the r-th most frequent key is drawn in proportion to r^-s; with 0 all alike
    #[input(default = 0, range = 0.0..=10.0)]
    pub(super) skew: f64,
    /// how keys follow each other: random, or turn (one after the other)
    #[input(default = "random")]
    pub(super) draw: Draw,
    /// integer operations of a handler, on average
    #[input(default = 400, range = 1..=1_000_000)]
    pub(super) length: u32,
    /// how lengths of handlers are spread: fixed (all alike), or exponential
    #[input(default = "fixed")]
    pub(super) spread: Spread,
    /// percent of messages whose handlers run alone on their node
    #[input(default = 0, range = 0.0..=100.0)]
    pub(super) sequential: f64,
    /// percent of messages whose handlers need no exclusion
    #[input(default = 0, range = 0.0..=100.0)]
    pub(super) nosync: f64,
    /// when messages are made: poisson, periodic, bursts:8, or closed (see window)
    #[input(default = "poisson")]
    pub(super) arrivals: Arrivals,
    /// processors that the computing of handlers keeps busy on average, such as 2.5
    #[input(default = 0.5, range = 0.0001..=1000.0)]
    pub(super) load: f64,
    /// with arrivals=closed: messages that each sender keeps under way
    #[input(default = 4, range = 1..=1 << 20)]
    pub(super) window: u32,
    /// messages of all senders together
    #[input(default = 2000, range = 1..=2_000_000)]
    pub(super) messages: u32,
}

impl Options {
    fn check(&self) -> Result<(), InputError> {
        // An input without effect would mislead the person who sets it.
        let closed = self.arrivals == Arrivals::Closed;
        let wrong = match self {
            Self { load, .. } if closed && *load != LOAD => {
                format!(
                    "`load={load}` of a closed loop: expected window=8, the messages that each sender keeps under way"
                )
            }
            Self { window, .. } if !closed && *window != WINDOW => {
                format!("`window={window}` of an open loop: expected arrivals=closed")
            }
            Self { draw: Draw::Turn, skew, .. } if *skew != 0.0 => {
                format!("`skew={skew}` of keys in turn: expected draw=random")
            }
            Self { sequential, nosync, .. } if sequential + nosync > 100.0 => {
                format!(
                    "`sequential={sequential}` and `nosync={nosync}`: expected at most 100 percent together"
                )
            }
            _ => return Ok(()),
        };
        Err(wrong.into())
    }
}

/// The inputs of a run, as all nodes know them.
#[derive(Debug)]
pub(super) struct Study {
    pub(super) asked: Options,
    pub(super) seed: u64,
    /// The threads of a node.
    pub(super) threads: u32,
    /// The threads that send.
    pub(super) senders: u32,
}

impl Study {
    pub(super) fn new(asked: &Options, &Plan { shape, seed, .. }: &Plan) -> Self {
        let senders = (shape.nodes - 1) * shape.threads;
        Self { asked: asked.clone(), seed, threads: shape.threads, senders }
    }

    /// The number of the sender that a thread is.
    pub(super) fn sender(&self, node: NodeId, thread: u32) -> u32 {
        (node.0 - 1) * self.threads + thread
    }

    /// The node and the thread that have sent a message.
    pub(super) fn source(&self, number: u32) -> (NodeId, u32) {
        let sender = number % self.senders;
        (NodeId(1 + sender / self.threads), sender % self.threads)
    }

    /// The numbers of the messages of a sender.
    pub(super) fn numbers(&self, sender: u32) -> impl Iterator<Item = u32> + use<> {
        (sender..self.asked.messages).step_by(self.senders as usize)
    }

    /// The mean time between two messages of a sender in an open loop, where an operation takes `operation`.
    pub(super) fn apart(&self, operation: f64) -> f64 {
        f64::from(self.asked.length) * operation * f64::from(self.senders) / self.asked.load
    }
}

#[cfg(test)]
mod tests {
    use tempest::Shape;
    use tempest::entry::Given;

    use super::*;

    fn asked(values: &[(&str, &str)]) -> Result<Options, String> {
        let values = values.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        Options::from_given(&Given { values, ..Given::default() }).map_err(|bad| bad.to_string())
    }

    #[test]
    fn inputs_that_change_nothing_or_contradict_each_other_are_refused() {
        assert!(asked(&[]).is_ok() && asked(&[("arrivals", "closed"), ("window", "9")]).is_ok());
        let refused = [
            (("arrivals", "closed"), ("load", "2"), "keeps under way"),
            (("arrivals", "poisson"), ("window", "9"), "expected arrivals=closed"),
            (("draw", "turn"), ("skew", "1"), "expected draw=random"),
            (("sequential", "60"), ("nosync", "50"), "at most 100 percent together"),
            (("synchronization", "mutex"), ("keys", "2"), "which takes over) or none"),
        ];
        for (one, other, expected) in refused {
            let error = asked(&[one, other]).expect_err("a contradiction");
            assert!(error.ends_with(expected), "{error}");
        }
    }

    #[test]
    fn every_message_has_one_sender() {
        let asked = asked(&[("messages", "23")]).expect("good inputs");
        let plan = Plan::new(tempest::Mechanism::Messages, Shape { nodes: 4, threads: 2 });
        let study = Study::new(&asked, &plan);
        let mut numbers = Vec::new();
        for (node, thread) in (1..4).flat_map(|node| [(node, 0), (node, 1)]) {
            for number in study.numbers(study.sender(NodeId(node), thread)) {
                assert_eq!(study.source(number), (NodeId(node), thread));
                numbers.push(number);
            }
        }
        numbers.sort_unstable();
        assert_eq!(numbers, (0..23).collect::<Vec<_>>());
    }
}
