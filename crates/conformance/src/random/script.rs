//! The language of random programs: the actions of handlers and of threads.
//!
//! The result of a program does not depend on any order of events: handlers only send, signal and count, threads only
//! wait for counts that never fall. That makes a sequential oracle possible. This module must never know how a program
//! is drawn, run or judged.

use std::fmt;

use tempest::message::Space;
use tempest::{Block, Key, NodeId};

/// Number of user keys of the program, of keys of the protocol that it installs, and of blocks: the same for each.
pub(super) const KEYS: usize = 8;

/// The slot of events without a key. See [`Rule::slot`].
pub(super) const NO_SYNC: usize = 3 * KEYS;

/// The slot of sequential events.
pub(super) const SEQUENTIAL: usize = NO_SYNC + 1;

/// All slots.
pub(super) const SLOTS: usize = SEQUENTIAL + 1;

/// The events that programs signal, by name.
pub(super) const EVENTS: &[&str] = &["random.red", "random.green", "random.blue"];

/// The number of the event that counts deposited words, after the [`EVENTS`].
pub(super) const DEPOSITED: usize = EVENTS.len();

/// The segment that is deposited into, which names its event.
pub(super) const DEPOSITS: &str = "random.deposits";

/// The name of an event, or of the segment whose deposits it counts.
pub(super) fn event_name(event: usize) -> &'static str {
    EVENTS.get(event).copied().unwrap_or(DEPOSITS)
}

/// The names of phases.
pub(super) const PHASES: &[&str] = &["random.first", "random.second", "random.third"];

/// The most words of a transfer.
pub(super) const MAX_TRANSFER: u32 = 40;

/// A program.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Script {
    /// Kinds of messages. Each starts only kinds behind it, so that all of it ends.
    pub(super) kinds: Vec<Kind>,
    /// Operations of each thread, by node and then by thread.
    pub(super) bodies: Vec<Vec<Op>>,
}

/// A kind of message.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Kind {
    pub(super) rule: Rule,
    /// Keys that its messages use in turn.
    pub(super) keys: u32,
    /// Words of its payload.
    pub(super) payload: usize,
    /// Pauses that its handler makes.
    pub(super) work: u32,
    /// Actions of the handler.
    pub(super) acts: Vec<Act>,
}

/// The rule by which events state their keys.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Rule {
    /// Numbers of the program.
    Own,
    /// Numbers of the protocol that the program installs.
    Other,
    /// Blocks.
    Block,
    NoSync,
    Sequential,
}

impl Rule {
    pub(super) const ALL: [Self; 5] = [Self::Own, Self::Other, Self::Block, Self::NoSync, Self::Sequential];

    /// The slot in which events of a key are counted.
    pub(super) fn slot(self, key: u32) -> usize {
        match self {
            Self::Own => key as usize,
            Self::Other => KEYS + key as usize,
            Self::Block => 2 * KEYS + key as usize,
            Self::NoSync => NO_SYNC,
            Self::Sequential => SEQUENTIAL,
        }
    }

    /// The rule and the key of a slot.
    pub(super) fn of_slot(slot: usize) -> (Self, u32) {
        match slot {
            NO_SYNC => (Self::NoSync, 0),
            SEQUENTIAL => (Self::Sequential, 0),
            _ => (Self::ALL[slot / KEYS], (slot % KEYS) as u32),
        }
    }

    /// The key, as a thread states it. `other` is the space of the installed protocol.
    pub(super) fn key(self, key: u32, other: Space) -> Key {
        match self {
            Self::Other => other.key(key.into()),
            Self::Own => Key::User(key.into()),
            Self::Block => Key::Block(Block(key)),
            Self::NoSync => Key::NoSync,
            Self::Sequential => Key::Sequential,
        }
    }
}

/// An action of a handler, or of the body of a hold.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Act {
    Send(Sending),
    Signal { event: usize, amount: u64 },
    Panic(u32),
}

/// Several messages of one kind.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Sending {
    pub(super) kind: usize,
    pub(super) to: To,
    pub(super) times: u32,
}

/// Destination of a message.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum To {
    Here,
    Next,
    /// To the sender of the handled message; from a thread to its own node.
    Back,
    Every,
}

impl To {
    /// The nodes that it names for an event of `here` that came from `source`.
    pub(super) fn nodes(self, here: NodeId, source: NodeId, nodes: u32) -> impl Iterator<Item = NodeId> {
        let range = match self {
            Self::Here => here.0..here.0 + 1,
            Self::Next => (here.0 + 1) % nodes..(here.0 + 1) % nodes + 1,
            Self::Back => source.0..source.0 + 1,
            Self::Every => 0..nodes,
        };
        range.map(NodeId)
    }
}

/// An operation of a thread.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Op {
    Send(Sending),
    /// Sends, and where there is no room insists.
    TrySend(Sending),
    /// An event of the thread's own.
    Hold {
        rule: Rule,
        key: u32,
        acts: Vec<Act>,
    },
    Poll(u32),
    Work(u32),
    /// Puts `words` words into its place at another node, and sends the message behind them.
    Transfer {
        sending: Sending,
        words: u32,
    },
    Deposit {
        to: To,
        words: u32,
    },
    Signal {
        event: usize,
        amount: u64,
    },
    Wait {
        event: usize,
        at_least: u64,
    },
    /// Waits by computing.
    Spin {
        event: usize,
        at_least: u64,
    },
    /// Asks a node, and blocks until its answer resumes it.
    Ask(To),
    /// Enters the timed region with that number, with all threads.
    Phase(usize),
    Panic(u32),
    /// Catches any panic.
    Caught(Vec<Op>),
    /// Has a guard that polls, sends and waits when it is dropped while the thread unwinds.
    Guarded(Vec<Op>),
}

impl Op {
    /// The operations inside it.
    pub(super) fn inner(&self) -> &[Self] {
        match self {
            Self::Caught(inner) | Self::Guarded(inner) => inner,
            _ => &[],
        }
    }
}

/// The phases that a body enters, in order.
pub(super) fn phases_of(body: &[Op]) -> Vec<Op> {
    let inside = |op: &Op| if matches!(op, Op::Phase(_)) { vec![op.clone()] } else { phases_of(op.inner()) };
    body.iter().flat_map(inside).collect()
}

/// Message of a deliberate panic of a program.
pub(super) fn panic_words(number: u32) -> String {
    format!("random panic {number}")
}

/// A line for each kind of message and each thread.
impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, kind) in self.kinds.iter().enumerate() {
            writeln!(f, "  kind {number}: {kind:?}")?;
        }
        for (number, body) in self.bodies.iter().enumerate() {
            writeln!(f, "  thread {number}: {body:?}")?;
        }
        Ok(())
    }
}
