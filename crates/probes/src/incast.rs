//! Incast: all other nodes send small messages to node 0 at once.
//!
//! The one that is slowest sets the pace: the port into node 0, which passes a message in its bytes over its bandwidth (or in the
//! least time between two messages), or the processor that handles them. Each node but node 0 sends as fast as it can. Where senders
//! are slower than both, there are too few of them.
//!
//! # Figures
//!
//! | figure | meaning |
//! |---|---|
//! | `message` | the time from the first message that is handled to the last, by their number less one; in nanoseconds |
//! | `taken` | the time from the start to the end of the last handler, in microseconds |
//!
//! # Timed regions
//!
//! `incast`.
//!
//! # How it is checked
//!
//! Node 0 must have had every message of every other node.

use tempest::entry::InputError;
use tempest::*;

/// All nodes send small messages to node 0 at once.
#[program(problem = (), nodes = 2)]
pub struct Incast {
    /// messages of each sender
    #[input(default = 1000, range = 1..=10_000_000)]
    messages: u32,
    /// words of a message, 8 bytes each
    #[input(default = 3, range = 0..=14)]
    words: u32,
    /// integer operations of the handler
    #[input(default = 0, range = 0..=1_000_000)]
    handler: u32,
    #[make(setup.node())]
    node: NodeId,
    #[make(setup.shape().nodes)]
    nodes: u32,
    /// The number of messages that have been handled.
    #[make(Event::new("incast.handled"))]
    handled: Event,
    /// The times at which the first handler and the last began, in femtoseconds.
    #[cells(2)]
    began: Cells<u64>,
    /// The time from the start to the end of the last handler, in microseconds.
    #[cells(1)]
    taken: Cells<f64>,
}

#[handlers]
impl Incast {
    fn prepare(_: &IncastInputs, shape: Shape, _seed: u64) -> Result<(), InputError> {
        let alone = "incast on 1 node: expected --nodes of at least 2";
        if shape.nodes < 2 { Err(InputError::Together(alone.to_owned())) } else { Ok(()) }
    }

    /// Carries words that nobody reads.
    #[message(key = 0)]
    fn item(&self, _payload: &[u64], cx: &mut Handler<'_>) {
        let now = cx.now().as_femtoseconds();
        if self.handled.count() == 0 {
            self.began.set(0, now);
        }
        self.began.set(1, now);
        cx.charge(Operations::NONE.integers(self.handler));
        cx.signal(&self.handled, 1);
    }

    fn all(&self) -> u64 {
        u64::from(self.messages) * u64::from(self.nodes - 1)
    }

    fn main(&self, thread: &Thread<'_>) {
        thread.phase("incast");
        if thread.index() > 0 {
            return;
        }
        if thread.node() == NodeId(0) {
            let start = thread.now();
            thread.wait(&self.handled, self.all());
            self.taken.set(0, (thread.now() - start).as_nanoseconds() / 1e3);
            return;
        }
        let payload = &[0; MAX_WORDS][..self.words as usize];
        for _ in 0..self.messages {
            thread.send_with(NodeId(0), Self::item(), payload);
        }
    }

    fn report(&self, _: &mut Quiet<'_>) -> Report {
        if self.node != NodeId(0) {
            return Report::default();
        }
        let (had, all) = (self.handled.count(), self.all());
        let between = (self.began.get(1) - self.began.get(0)) as f64 / 1e6 / (all.max(2) - 1) as f64;
        Report::checked(had == all, || format!("node 0 handled {had} messages, not {all}"))
            .measured("message", between, "ns", Merge::Max)
            .measured("taken", self.taken.get(0), "us", Merge::Max)
    }
}
