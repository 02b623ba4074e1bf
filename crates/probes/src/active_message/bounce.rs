//! Null messages that two nodes send to and fro. This module must never know how nodes are joined.

use tempest::{
    Cells, Event, Handler, Merge, NodeId, Operations, Protocol, Quiet, Report, Setup, Thread, handlers,
};

/// The work of one look at the count: load, comparison and branch.
const LOOK: Operations = Operations::NONE.loads(1).integers(2);

/// The node that starts and measures.
const STARTER: NodeId = NodeId(0);

#[derive(Clone, Copy, Debug)]
pub(super) struct Config {
    pub(super) rounds: u32,
    pub(super) near: u32,
    pub(super) far: u32,
    pub(super) hops: u32,
}

/// The state of the program on one node.
pub(super) struct Bounce {
    config: Config,
    node: NodeId,
    /// The number of null messages that this node has had.
    received: Event,
    /// Half a round trip to the near node and to the far node, in nanoseconds; used on the starter only.
    measured: Cells<f64>,
}

impl Protocol for Bounce {
    type Config = Config;

    fn install(config: &Config, setup: &mut Setup<'_>) -> Self {
        Self {
            config: *config,
            node: setup.node(),
            received: Event::new("active_message.received"),
            measured: Cells::new(2, 0.0),
        }
    }
}

#[handlers]
impl Bounce {
    /// An empty message. The receiver sends it back, until the starter has had all round trips. The count is atomic, so
    /// there is no key.
    #[message]
    fn null(&self, cx: &mut Handler<'_>) {
        // Count before sending back: the answer may be handled on this node before this handler ends.
        cx.signal(&self.received, 1);
        let last = self.received.count(cx).is_multiple_of(u64::from(self.config.rounds));
        if cx.node() != STARTER || !last {
            let back = cx.source();
            cx.send(back, Self::null());
        }
    }

    /// The number of messages that a node must have had when both measurements are over.
    fn due(&self, node: NodeId) -> u64 {
        let Config { rounds, near, far, .. } = self.config;
        let answers = u64::from(node.0 == near) + u64::from(node.0 == far);
        u64::from(rounds) * if node == STARTER { 2 } else { answers }
    }

    /// Computes and polls until `until` messages have come.
    fn spin(&self, thread: &Thread<'_>, until: u64) {
        while self.received.count(thread) < until {
            thread.charge(LOOK);
            thread.spin();
            // Other processors read and write the count, so a look at it is as dear as a signal.
            thread.signal(&self.received, 0);
        }
    }

    /// Exchanges messages with the near node (number 0) or the far node (number 1).
    fn play(&self, thread: &Thread<'_>, number: usize) {
        let Config { rounds, near, far, .. } = self.config;
        let with = NodeId([near, far][number]);
        let rounds = u64::from(rounds);
        if thread.node() == STARTER {
            let start = thread.now();
            thread.send(with, Self::null());
            self.spin(thread, (number as u64 + 1) * rounds);
            let each = (thread.now() - start).as_nanoseconds() / (2 * rounds) as f64;
            self.measured.set(thread, number, each);
        } else if thread.node() == with {
            let plays = if near == far { number as u64 + 1 } else { 1 };
            self.spin(thread, plays * rounds);
        }
    }

    fn main(&self, thread: &Thread<'_>) {
        for (number, name) in ["near", "far"].into_iter().enumerate() {
            thread.phase(name);
            if thread.index() == 0 {
                self.play(thread, number);
            }
        }
    }

    fn report(&self, end: &mut Quiet<'_>) -> Report {
        let (had, due) = (self.received.count(end), self.due(self.node));
        let report =
            Report::checked(had == due, || format!("node {} had {had} messages, not {due}", self.node.0));
        if self.node != STARTER {
            return report;
        }
        let (near, far) = (self.measured.get(end, 0), self.measured.get(end, 1));
        // Less than one message in all rounds is the start of a phase, and no way: the two nodes are equally far.
        let (further, start) = (far - near, near / f64::from(self.config.rounds));
        let per_hop = if further.abs() <= start { 0.0 } else { further / f64::from(self.config.hops) };
        report
            .measured("one_way.near", near, "ns", Merge::Max)
            .measured("one_way.far", far, "ns", Merge::Max)
            .measured("per_hop", per_hop, "ns", Merge::Max)
    }
}
