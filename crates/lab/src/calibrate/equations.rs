//! From figures to values of a machine file: small linear equations, none of which knows a program that is to be predicted.
//!
//! In a model a message takes its sender `send`; the network `latency`; and its receiver `fetch` if no earlier message
//! has prefetched its line, and `receive`, which is `extract + dispatch`. A handler of these runs counts its message,
//! which takes `signal`. The lone request has one word more than its reply. A thread that waits goes on after `wake`. A
//! node that sends to itself shows the reaction of an idle processor to a message without any network, and has its
//! prices. So:
//!
//! ```text
//! hold          = (task - signal - its 14 operations) / 2
//! look          = a poll that always looks + a look at the clock, which says when the next one is due
//! send          = the least of a send of a burst, and of a stream
//! receive       = receive of a burst - signal
//! word out      = (long send - send) / 12               word in = (long receive - receive) / 12
//! fetch         = found - clock - look - receive - signal
//! own send      = own send of a burst                   own receive = own receive of a burst - signal
//! wake          = own waiting - 2 own send - 2 own receive - word out - word in - signal
//! lone          = 2 send + 2 fetch + 2 receive + word out + word in + signal
//! latency       = (waiting - lone - wake) / 2
//! interrupt     = rested - polling
//! ```
//!
//! A send of a burst goes to an idle receiver, which looks at the very line that is being written; in a long stream the
//! receiver is busy. The lower of the two is the price of sending; the rest is due to that look.
//!
//! Under `fixed` sender and receiver are different processors of a node and there is no network. The receiver does all
//! of a request but the first send, and is the slower: with a window outstanding it takes two receives, a signal and a
//! send, and is never idle, so that fetching overlaps with them. A lone message takes `loopback` to the receiver, whose
//! own reply to itself is at hand:
//!
//! ```text
//! receive       = (window - send - signal) / 2
//! loopback      = polling - 2 send - 2 receive - word out - word in - signal
//! wake          = waiting - polling
//! ```
//!
//! A poll in a loop that computes is partly hidden by it: its price is the time that it adds there, not its time among
//! polls alone. A miss in shared memory takes two messages, a wake and the protocol's own work, which these runs cannot
//! tell apart: half of it is put at the node that misses and half at home. A clock cycle is an operation of a chain in
//! which each waits for the one before.

use super::probe::Round;

/// Words by which a long message is longer.
const WORDS: f64 = 12.0;

/// Operations of a task of the pool in `message-costs`.
const TASK: f64 = 14.0;

/// Bytes of a line in the file.
const LINE: f64 = 64.0;

/// Unit of a value.
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
    /// Name of the unit in a machine file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nanoseconds | Self::SomeNanoseconds => "ns",
            Self::Megahertz => "MHz",
            Self::Megabytes => "MB/s",
        }
    }

    /// Least result of an equation; a lower one means that the subtraction left nothing.
    pub(super) const fn least(self) -> f64 {
        match self {
            Self::Nanoseconds => 0.0,
            Self::SomeNanoseconds => 0.1,
            Self::Megahertz | Self::Megabytes => 1.0,
        }
    }
}

/// A value of the file.
pub(super) struct Equation {
    pub(super) key: &'static str,
    pub(super) unit: Unit,
    /// Formula of the value, for people.
    pub(super) from: &'static str,
    /// The figure from which the value is the rest of a subtraction, and the number of such values in that figure;
    /// `None` if the value is a figure itself.
    pub(super) rest_of: Option<(&'static str, f64)>,
    pub(super) value: fn(&Round) -> Result<f64, String>,
}

const fn equation(
    key: &'static str,
    unit: Unit,
    from: &'static str,
    value: fn(&Round) -> Result<f64, String>,
) -> Equation {
    Equation { key, unit, from, rest_of: None, value }
}

/// All equations, in the order of the file.
pub(super) static ALL: &[Equation] = &[
    equation("processor.clock", Unit::Megahertz, "1 / work chain", |it| Ok(1e3 / it.get("work.chain")?)),
    time("processor.thread_switch", "switch", |it| it.get("switch.switch")),
    equation("processor.poll", Unit::SomeNanoseconds, "look poll + look clock", look),
    rest("processor.pass", "work poll", ("work.operation", 1.0), |it| it.get("work.poll")),
    rest("processor.fetch", "single found - clock - poll - receive - signal", ("single.found", 1.0), fetch),
    rest("processor.hold", "(single task - signal - 14 work operations) / 2", ("single.task", 2.0), |it| {
        hold(it, "single")
    }),
    time("processor.signal", "single signal", |it| it.get("single.signal")),
    rest(
        "processor.wake",
        "own waiting - 2 own send - 2 own receive - words - signal",
        ("own.waiting", 1.0),
        wake,
    ),
    rest("processor.interrupt", "single rested - polling", ("single.rested", 1.0), |it| {
        Ok(it.get("single.rested")? - it.get("single.polling")?)
    }),
    time("processor.work.flop", "work operation", |it| it.get("work.operation")),
    time("processor.work.integer", "work operation", |it| it.get("work.operation")),
    time("processor.work.load", "work operation", |it| it.get("work.operation")),
    time("processor.work.store", "work operation", |it| it.get("work.operation")),
    time("primitives.send_header", "the least of single send, stream", |it| send(it, "single")),
    time("primitives.send_own", "own send", |it| it.get("own.send")),
    rest("primitives.send_word", "(single send.long - send) / 12", ("single.send.long", WORDS), |it| {
        word(it, "single.send")
    }),
    rest("primitives.extract", "single receive - signal - dispatch", ("single.receive", 1.0), |it| {
        extract(it, "single")
    }),
    rest("primitives.extract_own", "own receive - signal - dispatch", ("own.receive", 1.0), |it| {
        extract(it, "own")
    }),
    rest(
        "primitives.receive_word",
        "(single receive.long - receive) / 12",
        ("single.receive.long", WORDS),
        |it| word(it, "single.receive"),
    ),
    rest("primitives.dispatch", "the least of hold, own receive - signal", ("single.task", 2.0), dispatch),
    rest("primitives.dispatch_fault", "half of what is left of a miss", ("miss.time.miss", 2.0), |it| {
        Ok(protocol(it)? / 2.0)
    }),
    rest("primitives.directory_lookup", "half of what is left of a miss", ("miss.time.miss", 2.0), |it| {
        Ok(protocol(it)? / 2.0)
    }),
    equation("interface.engine", Unit::Megabytes, "bulk store of 64 KiB", |it| it.get("bulk.store")),
    time("memory.read", "64 B at the bandwidth of a bulk store", |it| Ok(LINE * 1e3 / it.get("bulk.store")?)),
    Equation {
        unit: Unit::SomeNanoseconds,
        ..rest("network.latency", "(single waiting - lone - wake) / 2", ("single.waiting", 2.0), latency)
    },
    time("policy.fixed.processor.signal", "fixed signal", |it| it.get("fixed.signal")),
    rest("policy.fixed.processor.wake", "fixed waiting - polling", ("fixed.waiting", 1.0), |it| {
        Ok(it.get("fixed.waiting")? - it.get("fixed.polling")?)
    }),
    time("policy.fixed.primitives.send_header", "the least of fixed send, stream", |it| send(it, "fixed")),
    rest(
        "policy.fixed.primitives.extract",
        "(fixed window - send - signal) / 2 - hold",
        ("fixed.window", 2.0),
        |it| Ok((fixed_receive(it)? - hold(it, "fixed")?).max(0.0)),
    ),
    rest(
        "policy.fixed.primitives.dispatch",
        "(fixed task - signal - 14 work operations) / 2",
        ("fixed.task", 2.0),
        |it| Ok(hold(it, "fixed")?.min(fixed_receive(it)?)),
    ),
    rest("policy.fixed.interface.loopback", "fixed polling - lone", ("fixed.polling", 1.0), loopback),
];

/// Equation of a time that is the rest of a figure which contains it `of.1` times.
const fn rest(
    key: &'static str,
    from: &'static str,
    of: (&'static str, f64),
    value: fn(&Round) -> Result<f64, String>,
) -> Equation {
    Equation { rest_of: Some(of), ..time(key, from, value) }
}

const fn time(key: &'static str, from: &'static str, value: fn(&Round) -> Result<f64, String>) -> Equation {
    equation(key, Unit::Nanoseconds, from, value)
}

/// Price of one more word.
fn word(it: &Round, message: &str) -> Result<f64, String> {
    Ok(((it.get(&format!("{message}.long"))? - it.get(message)?) / WORDS).max(0.0))
}

/// A send without words, in the run of that name.
fn send(it: &Round, run: &str) -> Result<f64, String> {
    Ok(it.get(&format!("{run}.send"))?.min(it.get(&format!("{run}.stream"))?))
}

/// Reception of a message of a burst, in the run named `run`, without the work of its handler.
fn receive(it: &Round, run: &str) -> Result<f64, String> {
    Ok((it.get(&format!("{run}.receive"))? - it.get(&format!("{run}.signal"))?).max(0.0))
}

/// A key, as a thread asks for it that does other things between.
fn hold(it: &Round, run: &str) -> Result<f64, String> {
    let others = it.get(&format!("{run}.signal"))? + TASK * it.get("work.operation")?;
    Ok(((it.get(&format!("{run}.task"))? - others) / 2.0).max(0.0))
}

/// Price of a key, at most the whole reception of a message at hand.
fn dispatch(it: &Round) -> Result<f64, String> {
    Ok(hold(it, "single")?.min(receive(it, "own")?))
}

/// Rest of receiving without dispatch.
fn extract(it: &Round, run: &str) -> Result<f64, String> {
    Ok(receive(it, run)? - dispatch(it)?)
}

/// A poll that looks, and when the next one is to look.
fn look(it: &Round) -> Result<f64, String> {
    Ok(it.get("look.poll")? + it.get("look.clock")?)
}

/// Extra time of a lone message over one of a burst.
fn fetch(it: &Round) -> Result<f64, String> {
    let burst = receive(it, "single")? + it.get("single.signal")?;
    Ok((it.get("single.found")? - it.get("single.clock")? - look(it)? - burst).max(0.0))
}

fn fixed_receive(it: &Round) -> Result<f64, String> {
    let both = it.get("fixed.window")? - send(it, "fixed")? - it.get("fixed.signal")?;
    Ok((both / 2.0).max(0.0))
}

/// Price of the word of a request of one word, out and in.
fn words(it: &Round) -> Result<f64, String> {
    Ok(word(it, "single.send")? + word(it, "single.receive")?)
}

/// A request of one word and its reply, without the way between nodes.
fn lone(it: &Round) -> Result<f64, String> {
    let messages = 2.0 * (send(it, "single")? + fetch(it)? + receive(it, "single")?);
    Ok(messages + words(it)? + it.get("single.signal")?)
}

fn wake(it: &Round) -> Result<f64, String> {
    let messages = 2.0 * (it.get("own.send")? + receive(it, "own")?);
    Ok(it.get("own.waiting")? - messages - words(it)? - it.get("own.signal")?)
}

fn latency(it: &Round) -> Result<f64, String> {
    Ok((it.get("single.waiting")? - lone(it)? - wake(it)?) / 2.0)
}

fn loopback(it: &Round) -> Result<f64, String> {
    let lone = 2.0 * (send(it, "fixed")? + fixed_receive(it)?) + words(it)? + it.get("fixed.signal")?;
    Ok(it.get("fixed.polling")? - lone)
}

/// Rest of a miss in shared memory, without its messages and its wake.
fn protocol(it: &Round) -> Result<f64, String> {
    let messages = send(it, "single")? + fetch(it)? + receive(it, "single")? + latency(it)?;
    Ok(it.get("miss.time.miss")? - 2.0 * messages - wake(it)?)
}
