//! Null messages that two nodes send to and fro. This module must never know how nodes are joined.

use tempest::{
    Cells, Event, FinalState, Handler, Merge, NodeId, Operations, Protocol, Report, Setup, Thread, handlers,
};
use units::Time;

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
    /// Instants at which the starter handled the first and the last answer of the near node, then of the far node, in femtoseconds.
    handled: Cells<u64>,
}

impl Protocol for Bounce {
    type Config = Config;

    fn install(config: &Config, setup: &mut Setup<'_>) -> Self {
        Self {
            config: *config,
            node: setup.node(),
            received: Event::new("active_message.received"),
            handled: Cells::new(4, 0),
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
        let had = self.received.count(cx);
        let last = had.is_multiple_of(self.trips());
        if cx.node() == STARTER && (last || had % self.trips() == 1) {
            let answer = 2 * ((had - 1) / self.trips()) + u64::from(last);
            self.handled.set(cx, answer as usize, cx.now().as_femtoseconds());
        }
        if cx.node() != STARTER || !last {
            let back = cx.source();
            cx.send(back, Self::null());
        }
    }

    /// The number of answers of each of the two nodes: the first begins the measurement.
    fn trips(&self) -> u64 {
        u64::from(self.config.rounds) + 1
    }

    /// The number of messages that a node must have had when both measurements are over.
    fn due(&self, node: NodeId) -> u64 {
        let Config { near, far, .. } = self.config;
        let answers = u64::from(node.0 == near) + u64::from(node.0 == far);
        self.trips() * if node == STARTER { 2 } else { answers }
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
        let Config { near, far, .. } = self.config;
        let with = NodeId([near, far][number]);
        let before = number as u64 * self.trips();
        if thread.node() == STARTER {
            thread.send(with, Self::null());
            self.spin(thread, before + self.trips());
        } else if thread.node() == with {
            let earlier = if near == far { before } else { 0 };
            self.spin(thread, earlier + self.trips());
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

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let (had, due) = (self.received.count(end), self.due(self.node));
        let report =
            Report::checked(had == due, || format!("node {} had {had} messages, not {due}", self.node.0));
        if self.node != STARTER {
            return report;
        }
        let [near, far] = [0, 2].map(|first| self.handled.get(end, first + 1) - self.handled.get(end, first));
        let ways = 2.0 * f64::from(self.config.rounds);
        let each = |span| Time::from_femtoseconds(span).as_nanoseconds() / ways;
        let further = each(far) - each(near);
        report
            .measured("one_way.near", each(near), "ns", Merge::Max)
            .measured("one_way.far", each(far), "ns", Merge::Max)
            .measured("per_hop", further / f64::from(self.config.hops), "ns", Merge::Max)
    }
}
