//! Queueing: messages come at random to a server that takes the same time for each.
//!
//! Node 0 is the server. All other nodes are independent Poisson sources, so their messages together are a Poisson stream. The
//! service time S is measured first, by messages that wait for the server all the time. Then each source sends at instants that it
//! draws from the seed, at a rate that makes the server's utilization the stated load ρ. Theory (A. K. Erlang; the formula of
//! Pollaczek and Khinchine) gives a mean wait of ρ S / (2 (1 − ρ)) for this queue, M/D/1.
//!
//! A source that is due before its last send is over sends late. With many sources of a low rate each that is rare.
//!
//! # Figures
//!
//! | figure | meaning |
//! |---|---|
//! | `service` | the service time: from the beginning of one handler to that of the next while messages wait, in nanoseconds |
//! | `load` | the service times of all messages by the time in which they came, in percent |
//! | `wait` | the mean wait of a message, in nanoseconds: from its send to its handler, less that time for a lone message |
//! | `theory` | the mean wait by theory at the stated load, in nanoseconds |
//!
//! # Timed regions
//!
//! `queue`.
//!
//! # How it is checked
//!
//! The server must have had every message of every source.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use tempest::entry::{BadPlan, Entry, Inputs, Instance, Least, Plan, stream_seed};
use tempest::{
    Cells, Event, Handler, Job, Mechanism, Merge, NodeId, Operations, Protocol, Quiet, Report, Setup, Thread,
    handlers,
};

/// The entry of queueing in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "queueing",
    summary: "messages come at random to one server: their wait, beside theory (M/D/1)",
    mechanisms: &[Mechanism::Messages],
    inputs: Asked::INPUTS,
    load: |given| Ok(Box::new(Asked::from_given(given)?)),
};

/// Lone messages.
const LONE: u64 = 16;

/// Messages of each source that wait for the server while its service time is measured.
const WAITING: u64 = 64;

/// Operations by which a source measures how long one takes.
const SAMPLE: u32 = 1 << 16;

const SERVER: NodeId = NodeId(0);

/// The inputs of queueing.
#[derive(Clone, Copy, Debug, Inputs)]
struct Asked {
    /// messages of all sources, on average: they come for so long
    #[input(default = 100_000, range = 1..=100_000_000)]
    messages: u64,
    /// utilization of the server, in percent
    #[input(default = 80.0, range = 1.0..=99.0)]
    load: f64,
    /// integer operations of the handler
    #[input(default = 100, range = 0..=1_000_000)]
    handler: u32,
}

impl Instance for Asked {
    fn job(&self, &Plan { shape, seed, .. }: &Plan) -> Result<Job, BadPlan> {
        if shape.nodes < 2 {
            return Err("queueing on 1 node: expected --nodes of at least 2".to_owned().into());
        }
        Ok(Job::new::<Queueing>(Config { asked: *self, seed }))
    }

    fn least(&self) -> Least {
        Least { nodes: 2, ..Least::ANY }
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        vec![
            ("messages", self.messages.to_string()),
            ("load", format!("{} %", self.load)),
            ("handler", format!("{} integer operations", self.handler)),
        ]
    }
}

#[derive(Clone, Copy, Debug)]
struct Config {
    asked: Asked,
    seed: u64,
}

/// The state of the program on one node.
struct Queueing {
    config: Config,
    node: NodeId,
    sources: u64,
    /// The number of messages that the server has handled.
    handled: Event,
    /// The number of sources that have sent all their messages.
    finished: Event,
    /// The number of times that this source has been told something.
    told: Event,
    /// On the server: sums of times from send to handler, in picoseconds, of lone messages and of those of the queue; the
    /// times at which the first and the last handler began while messages waited, in femtoseconds; the messages of the queue.
    /// On each node: the service time, in femtoseconds.
    times: Cells<u64>,
}

/// The places of the times of a node.
const LONE_SUM: usize = 0;
const QUEUE_SUM: usize = 1;
const FIRST: usize = 2;
const LAST: usize = 3;
const SERVICE: usize = 4;
const SENT: usize = 5;

impl Protocol for Queueing {
    type Config = Config;

    fn install(config: &Config, setup: &mut Setup<'_>) -> Self {
        Self {
            config: *config,
            node: setup.node(),
            sources: u64::from(setup.shape().nodes) - 1,
            handled: Event::new("queueing.handled"),
            finished: Event::new("queueing.finished"),
            told: Event::new("queueing.told"),
            times: Cells::new(6, 0),
        }
    }
}

#[handlers]
impl Queueing {
    /// Asks for service. The message says when it was sent.
    #[message(key = 0)]
    fn request(&self, sent: u64, cx: &mut Handler<'_>) {
        let now = cx.now().as_femtoseconds();
        let number = self.handled.count();
        let (lone, waiting) = (LONE, LONE + WAITING * self.sources);
        if number < lone {
            self.times.add(LONE_SUM, now.saturating_sub(sent) / 1000);
        } else if number >= waiting {
            self.times.add(QUEUE_SUM, now.saturating_sub(sent) / 1000);
        }
        if number == lone {
            self.times.set(FIRST, now);
        }
        self.times.set(LAST, now);
        cx.charge(Operations::NONE.integers(self.config.asked.handler));
        cx.signal(&self.handled, 1);
        if number < lone {
            let source = cx.source();
            cx.send(source, Self::tell(0));
        }
    }

    /// Tells a source the service time, or that its lone message has been handled.
    #[message]
    fn tell(&self, service: u64, cx: &mut Handler<'_>) {
        self.times.set(SERVICE, service);
        cx.signal(&self.told, 1);
    }

    /// Says how many messages a source has sent in the last stage.
    #[message(key = 0)]
    fn done(&self, sent: u64, cx: &mut Handler<'_>) {
        self.times.add(SENT, sent);
        cx.signal(&self.finished, 1);
    }

    fn ask(thread: &Thread<'_>) {
        thread.send(SERVER, Self::request(thread.now().as_femtoseconds()));
    }

    fn tell_all(&self, thread: &Thread<'_>, service: u64) {
        (1..thread.nodes()).for_each(|source| thread.send(NodeId(source), Self::tell(service)));
    }

    /// Serves: waits until the messages of each stage have been handled.
    fn serve(&self, thread: &Thread<'_>) {
        let waiting = LONE + WAITING * self.sources;
        thread.wait(&self.handled, LONE);
        self.tell_all(thread, 0);
        thread.wait(&self.handled, waiting);
        let service = (self.times.get(LAST) - self.times.get(FIRST)) / (WAITING * self.sources - 1);
        self.times.set(SERVICE, service);
        self.tell_all(thread, service);
        thread.phase("queue");
        thread.wait(&self.finished, self.sources);
        thread.wait(&self.handled, waiting + self.times.get(SENT));
    }

    /// Sends the messages of each stage.
    fn request_all(&self, thread: &Thread<'_>) {
        let lone = if self.node == NodeId(1) { LONE } else { 0 };
        for told in 1..=lone {
            Self::ask(thread);
            thread.wait(&self.told, told);
        }
        thread.wait(&self.told, lone + 1);
        (0..WAITING).for_each(|_| Self::ask(thread));
        thread.wait(&self.told, lone + 2);
        let operation = operation(thread);
        thread.phase("queue");
        let mut random = Pcg64::seed_from_u64(stream_seed(self.config.seed, self.node.0.into()));
        let apart = self.times.get(SERVICE) as f64 * self.sources as f64 / (self.config.asked.load / 100.0);
        let mut due = thread.now().as_femtoseconds() as f64;
        let end = due + self.config.asked.messages as f64 * apart / self.sources as f64;
        for sent in 0.. {
            due += -f64::ln(1.0 - random.random_range(0.0..1.0)) * apart;
            if due > end {
                return thread.send(SERVER, Self::done(sent));
            }
            stay_away(thread, due, operation);
            Self::ask(thread);
        }
    }

    fn main(&self, thread: &Thread<'_>) {
        if thread.index() > 0 {
            thread.phase("queue");
        } else if self.node == SERVER {
            self.serve(thread);
        } else {
            self.request_all(thread);
        }
    }

    fn report(&self, _: &mut Quiet<'_>) -> Report {
        if self.node != SERVER {
            return Report::default();
        }
        let Asked { messages, load, .. } = self.config.asked;
        let (sent, load) = (self.times.get(SENT), load / 100.0);
        let (had, all) = (self.handled.count(), LONE + WAITING * self.sources + sent);
        let mean = |place: usize, count: u64| self.times.get(place) as f64 / 1e3 / count as f64;
        let service = self.times.get(SERVICE) as f64 / 1e6;
        Report::checked(had == all && sent > 0, || format!("the server handled {had} messages, not {all}"))
            .measured("service", service, "ns", Merge::Max)
            .measured("load", 100.0 * load * sent as f64 / messages as f64, "%", Merge::Max)
            .measured("wait", mean(QUEUE_SUM, sent.max(1)) - mean(LONE_SUM, LONE), "ns", Merge::Max)
            .measured("theory", load * service / (2.0 * (1.0 - load)), "ns", Merge::Max)
    }
}

/// The time of an integer operation of a thread in femtoseconds, 0 where operations take no time.
fn operation(thread: &Thread<'_>) -> f64 {
    let start = thread.now();
    thread.charge(Operations::NONE.integers(SAMPLE));
    (thread.now() - start).as_femtoseconds() as f64 / f64::from(SAMPLE)
}

/// Computes until an instant, in femtoseconds, without a poll.
fn stay_away(thread: &Thread<'_>, due: f64, operation: f64) {
    loop {
        let left = due - thread.now().as_femtoseconds() as f64;
        if left <= 0.0 {
            return;
        }
        // Natively a charge takes no time, and the loop looks at the clock.
        let operations = (left / operation.max(1.0)).ceil().min(f64::from(u32::MAX));
        thread.charge(Operations::NONE.integers(operations as u32));
    }
}
