//! From figures to values of a machine file: small linear equations, none of which knows a program that is to be predicted.
//!
//! In a model a message takes its sender `send`; the network `latency`; and its receiver, `find` for the first that a look finds,
//! and `receive` for each, which is `extract + dispatch`. Of many requests with a window of them outstanding, each takes either
//! node a send, a look that finds one message, and a receive. The lone request has one word more than its reply. A thread that
//! polls notices what has come at its next poll, half a poll later on average; one that waits goes on after `wake`. So:
//!
//! ```text
//! send          = the least of a send of a burst, and of a stream
//! receive       = receive of a burst
//! word out      = (long send - send) / 12               word in = (long receive - receive) / 12
//! find          = window - send - receive - poll
//! lone          = 2 send + 2 find + 2 receive + word out + word in
//! latency       = (polling - lone - poll / 2) / 2
//! wake          = waiting - lone - 2 latency
//! interrupt     = rested - polling
//! ```
//!
//! A send of a burst goes to a receiver that has nothing else to do, and looks at the very line that is being written; in a long
//! stream it has. Whichever is less is what sending takes, and the rest is that looking.
//!
//! Under `fixed` sender and receiver are different processors of a node and there is no network. All but the first send of a request
//! is done by the receiver, which is the slower: with a window outstanding it takes two receives and a send, and is never without
//! something to do, so that what finding takes is a part of that. A lone message takes `loopback` to the receiver, whose own
//! reply to itself is at hand:
//!
//! ```text
//! receive       = (window - send) / 2
//! loopback      = polling - lone
//! wake          = waiting - polling
//! ```
//!
//! A poll in a loop that computes is partly hidden by it: what it adds there is its price, not what it takes among nothing but polls.
//! A miss in shared memory takes two messages, a wake and the protocol's own work, which nothing here tells apart: it is put half at
//! the node that misses and half at home. A clock cycle is an operation of a chain in which each waits for the one before.

use super::probe::Round;

/// Words by which a long message is longer.
const WORDS: f64 = 12.0;

/// Bytes of a line in the file.
const LINE: f64 = 64.0;

/// What a value is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Nanoseconds.
    Nanoseconds,
    /// Nanoseconds, and never none: an effect does not come before its cause.
    SomeNanoseconds,
    /// Millions of cycles in a second.
    Megahertz,
    /// Millions of bytes in a second.
    Megabytes,
}

impl Unit {
    /// As a machine file writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nanoseconds | Self::SomeNanoseconds => "ns",
            Self::Megahertz => "MHz",
            Self::Megabytes => "MB/s",
        }
    }

    /// What an equation may come to at least; one that comes to less says that there is nothing left over.
    pub(super) const fn least(self) -> f64 {
        match self {
            Self::Nanoseconds => 0.0,
            Self::SomeNanoseconds => 0.1,
            Self::Megahertz | Self::Megabytes => 1.0,
        }
    }
}

/// One value of the file.
pub(super) struct Equation {
    pub(super) key: &'static str,
    pub(super) unit: Unit,
    /// What it is made of, for people.
    pub(super) from: &'static str,
    pub(super) value: fn(&Round) -> Result<f64, String>,
}

const fn equation(
    key: &'static str,
    unit: Unit,
    from: &'static str,
    value: fn(&Round) -> Result<f64, String>,
) -> Equation {
    Equation { key, unit, from, value }
}

/// All of them, in the order of the file.
pub(super) static ALL: &[Equation] = &[
    equation("processor.clock", Unit::Megahertz, "1 / work chain", |it| Ok(1e3 / it.get("work.chain")?)),
    time("processor.thread_switch", "switch", |it| it.get("switch.switch")),
    equation("processor.poll", Unit::SomeNanoseconds, "work poll", |it| it.get("work.poll")),
    time("processor.find", "single window - send - receive - poll", find),
    time("processor.hold", "single hold", |it| it.get("single.hold")),
    time("processor.wake", "single waiting - lone - 2 latency", wake),
    time("processor.interrupt", "single rested - polling", |it| {
        Ok(it.get("single.rested")? - it.get("single.polling")?)
    }),
    time("processor.work.flop", "work operation", |it| it.get("work.operation")),
    time("processor.work.integer", "work operation", |it| it.get("work.operation")),
    time("processor.work.load", "work operation", |it| it.get("work.operation")),
    time("processor.work.store", "work operation", |it| it.get("work.operation")),
    time("primitives.send_header", "the least of single send, stream", |it| send(it, "single")),
    time("primitives.send_word", "(single send.long - send) / 12", |it| word(it, "single.send")),
    time("primitives.extract", "single receive - hold", |it| Ok(receive(it)? - it.get("single.hold")?)),
    time("primitives.receive_word", "(single receive.long - receive) / 12", |it| word(it, "single.receive")),
    time("primitives.dispatch", "single hold", |it| it.get("single.hold")),
    time("primitives.dispatch_fault", "half of what is left of a miss", |it| Ok(protocol(it)? / 2.0)),
    time("primitives.directory_lookup", "half of what is left of a miss", |it| Ok(protocol(it)? / 2.0)),
    equation("interface.engine", Unit::Megabytes, "bulk store of 64 KiB", |it| it.get("bulk.store")),
    time("memory.read", "64 B at the bandwidth of a bulk store", |it| Ok(LINE * 1e3 / it.get("bulk.store")?)),
    equation("network.latency", Unit::SomeNanoseconds, "(single polling - lone - poll / 2) / 2", latency),
    time("policy.fixed.processor.wake", "fixed waiting - polling", |it| {
        Ok(it.get("fixed.waiting")? - it.get("fixed.polling")?)
    }),
    time("policy.fixed.primitives.send_header", "the least of fixed send, stream", |it| send(it, "fixed")),
    time("policy.fixed.primitives.extract", "(fixed window - send) / 2 - hold", |it| {
        Ok(fixed_receive(it)? - it.get("fixed.hold")?)
    }),
    time("policy.fixed.primitives.dispatch", "fixed hold", |it| it.get("fixed.hold")),
    time("policy.fixed.interface.loopback", "fixed polling - lone", loopback),
];

const fn time(key: &'static str, from: &'static str, value: fn(&Round) -> Result<f64, String>) -> Equation {
    equation(key, Unit::Nanoseconds, from, value)
}

/// What a word more costs.
fn word(it: &Round, message: &str) -> Result<f64, String> {
    Ok(((it.get(&format!("{message}.long"))? - it.get(message)?) / WORDS).max(0.0))
}

/// A send without words, in the run of that name.
fn send(it: &Round, run: &str) -> Result<f64, String> {
    Ok(it.get(&format!("{run}.send"))?.min(it.get(&format!("{run}.stream"))?))
}

/// From the poll that finds a message to the end of its handler, in a burst.
fn receive(it: &Round) -> Result<f64, String> {
    Ok(it.get("single.receive")?.max(it.get("single.hold")?))
}

/// What it takes longer where the messages are found one by one.
fn find(it: &Round) -> Result<f64, String> {
    let others = send(it, "single")? + receive(it)? + it.get("single.poll")?;
    Ok((it.get("single.window")? - others).max(0.0))
}

fn fixed_receive(it: &Round) -> Result<f64, String> {
    Ok(((it.get("fixed.window")? - send(it, "fixed")?) / 2.0).max(it.get("fixed.hold")?))
}

/// What the words of a request of one word take, out and in.
fn words(it: &Round) -> Result<f64, String> {
    Ok(word(it, "single.send")? + word(it, "single.receive")?)
}

/// What the processors do for a lone request of one word and its reply.
fn lone(it: &Round) -> Result<f64, String> {
    Ok(2.0 * (send(it, "single")? + find(it)? + receive(it)?) + words(it)?)
}

fn latency(it: &Round) -> Result<f64, String> {
    let left = it.get("single.polling")? - lone(it)? - it.get("single.poll")? / 2.0;
    Ok((left / 2.0).max(Unit::SomeNanoseconds.least()))
}

fn loopback(it: &Round) -> Result<f64, String> {
    let lone = 2.0 * send(it, "fixed")? + 2.0 * fixed_receive(it)? + words(it)?;
    Ok(it.get("fixed.polling")? - lone)
}

/// What is left of a miss in shared memory.
fn protocol(it: &Round) -> Result<f64, String> {
    let messages = 2.0 * (send(it, "single")? + find(it)? + receive(it)? + latency(it)?);
    Ok(it.get("miss.time.miss")? - messages - wake(it)?)
}

fn wake(it: &Round) -> Result<f64, String> {
    Ok(it.get("single.waiting")? - lone(it)? - 2.0 * latency(it)?)
}
