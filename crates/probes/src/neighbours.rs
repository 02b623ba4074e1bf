//! Neighbours: every node exchanges values with a few others, round after round, with very little memory of its own.
//!
//! This is the program for very many nodes. When a handler has received the last value of a round, it sends its
//! node's next value itself, so that no thread is needed. With `handlers-only=true` the first thread of node 0 starts
//! its node, and all threads return at once; any other node starts when its first message arrives. Otherwise the
//! first thread of each node starts the node, and waits until its last round is over.
//!
//! The neighbours of node n are n ± s, modulo the number of nodes, for strides s that are powers of one number. With
//! four neighbours the nodes form a torus of two dimensions, with six a torus of three.
//!
//! # Timed regions
//!
//! `exchange` has all rounds. With `handlers-only=true` there is no region: only the whole run is timed.
//!
//! # Why two rounds are enough
//!
//! A neighbour sends its value of round r + 1 after it has received all values of round r, including this node's. So
//! while this node gathers round r, it receives values of the rounds r and r + 1 and of no other.
//!
//! # How it is checked
//!
//! The final value of every node is compared with the value of a sequential run.

use std::sync::Arc;

use tempest::entry::{BadPlan, Entry, Inputs, Instance, Plan, mix};
use tempest::{
    Actions, Cells, Event, FinalState, Handler, Job, Key, Keyed, Mechanism, Merge, NodeId, Operations,
    Protocol, Report, Setup, Thread, handlers,
};

/// The entry of neighbours in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "neighbours",
    summary: "every node exchanges values with a few others, if asked by handlers alone: for very many nodes",
    mechanisms: &[Mechanism::Messages],
    inputs: Options::INPUTS,
    load: |given| Ok(Box::new(Options::from_given(given)?)),
};

/// The key of a node's only entry.
const KEY: Key = Key::User(0);

/// The work of taking a value in: load, add to and store the sum and the count of the round; compare the count.
const TAKE: Operations = Operations::NONE.loads(2).integers(4).stores(2);

/// The work of computing a node's next value: [`mix`].
const NEXT: Operations = Operations::NONE.integers(7);

/// The inputs of neighbours.
#[derive(Clone, Copy, Debug, Inputs)]
struct Options {
    /// how often each node sends its value to each neighbour
    #[input(default = 4, range = 1..=1_000_000)]
    rounds: u32,
    /// half of the neighbours of a node
    #[input(default = 2, range = 1..=8)]
    dimensions: u32,
    /// true: no thread waits, handlers do everything; false: a thread of each node waits
    #[input(default = false)]
    handlers_only: bool,
}

impl Instance for Options {
    fn job(&self, &Plan { shape, seed, .. }: &Plan) -> Result<Job, BadPlan> {
        let strides = (0..self.dimensions).map(|power| stride(shape.nodes, power, self.dimensions)).collect();
        let mut grid = Grid { asked: *self, nodes: shape.nodes, strides, seed, expected: Vec::new() };
        grid.expected = grid.sequential();
        Ok(Job::new::<Neighbours>(Arc::new(grid)))
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        vec![
            ("rounds", self.rounds.to_string()),
            ("neighbours of a node", (2 * self.dimensions).to_string()),
            ("driven by", if self.handlers_only { "handlers alone" } else { "threads" }.to_owned()),
        ]
    }
}

/// The distance of the neighbours in a dimension. The sides of the torus are as equal as integers allow.
fn stride(nodes: u32, power: u32, dimensions: u32) -> u32 {
    f64::from(nodes).powf(f64::from(power) / f64::from(dimensions)).round() as u32
}

/// The neighbourhood and the expected values, which all nodes share.
struct Grid {
    asked: Options,
    nodes: u32,
    strides: Vec<u32>,
    seed: u64,
    /// The expected final value of each node, indexed by node.
    expected: Vec<u64>,
}

impl Grid {
    fn neighbours(&self, node: u32) -> impl Iterator<Item = u32> {
        let (node, nodes) = (u64::from(node), u64::from(self.nodes));
        let offsets = self.strides.iter().map(move |stride| u64::from(*stride) % nodes);
        offsets
            .flat_map(move |offset| [node + offset, node + nodes - offset])
            .map(move |to| (to % nodes) as u32)
    }

    /// The value of a node before the first round.
    fn first(&self, node: u32) -> u64 {
        mix(self.seed.wrapping_add(node.into()))
    }

    /// Runs all rounds, one node after the other, and returns the final values.
    fn sequential(&self) -> Vec<u64> {
        let mut values: Vec<u64> = (0..self.nodes).map(|node| self.first(node)).collect();
        for _ in 0..self.asked.rounds {
            let sum = |node| {
                self.neighbours(node).fold(0, |sum: u64, from| sum.wrapping_add(values[from as usize]))
            };
            values = (0..self.nodes).map(|node| next(values[node as usize], sum(node))).collect();
        }
        values
    }
}

/// The value of a node after a round, from its value before and the sum of its neighbours' values.
fn next(value: u64, sum: u64) -> u64 {
    mix(value ^ sum)
}

/// The state of the program on one node.
struct Neighbours {
    grid: Arc<Grid>,
    node: NodeId,
    progress: Keyed<Progress>,
    /// The number of rounds that are over.
    finished: Event,
    /// The last value of this node.
    result: Cells<u64>,
}

/// The progress of a node.
#[derive(Clone, Copy, Default)]
struct Progress {
    started: bool,
    round: u32,
    value: u64,
    /// The number of values that have come and their sum, indexed by round modulo 2.
    heard: [(u32, u64); 2],
}

impl Protocol for Neighbours {
    type Config = Arc<Grid>;

    fn install(grid: &Arc<Grid>, setup: &mut Setup<'_>) -> Self {
        let node = setup.node();
        Self {
            grid: Arc::clone(grid),
            node,
            progress: setup.keyed(1, |_| Progress { value: grid.first(node.0), ..Progress::default() }),
            finished: Event::new("neighbours.finished"),
            result: Cells::new(1, 0),
        }
    }
}

#[handlers]
impl Neighbours {
    /// Brings a neighbour's value of a round.
    #[message(key = KEY, bytes = 12)]
    fn value(&self, value: u64, round: u32, cx: &mut Handler<'_>) {
        cx.with(&self.progress, |progress, cx| {
            cx.charge(TAKE);
            let (count, sum) = &mut progress.heard[(round % 2) as usize];
            *count += 1;
            *sum = sum.wrapping_add(value);
            self.start(progress, cx);
            self.advance(progress, cx);
        });
    }

    /// Starts the node, if it has not started.
    fn start(&self, progress: &mut Progress, cx: &mut Actions<'_>) {
        if !progress.started {
            progress.started = true;
            self.tell(progress, cx);
        }
    }

    fn tell(&self, progress: &Progress, cx: &mut Actions<'_>) {
        for to in self.grid.neighbours(self.node.0) {
            cx.send(NodeId(to), Self::value(progress.value, progress.round));
        }
    }

    /// Ends the present round if all its values have come.
    fn advance(&self, progress: &mut Progress, cx: &mut Actions<'_>) {
        let all = 2 * self.grid.asked.dimensions;
        let (count, sum) = progress.heard[(progress.round % 2) as usize];
        if count < all {
            return;
        }
        cx.charge(NEXT);
        progress.heard[(progress.round % 2) as usize] = (0, 0);
        progress.value = next(progress.value, sum);
        progress.round += 1;
        self.result.set(cx, 0, progress.value);
        cx.signal(&self.finished, 1);
        if progress.round < self.grid.asked.rounds {
            self.tell(progress, cx);
        }
    }

    fn main(&self, thread: &Thread<'_>) {
        let Options { rounds, handlers_only, .. } = self.grid.asked;
        if !handlers_only {
            // A phase would make every thread come, and so keep a stack for each.
            thread.phase("exchange");
        }
        if thread.index() > 0 || (handlers_only && self.node != NodeId(0)) {
            return;
        }
        thread.hold(KEY, |cx| cx.with(&self.progress, |progress, cx| self.start(progress, cx)));
        if !handlers_only {
            thread.wait(&self.finished, rounds.into());
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let (held, expected) = (self.result.get(end, 0), self.grid.expected[self.node.0 as usize]);
        let heard = self.finished.count(end) * 2 * u64::from(self.grid.asked.dimensions);
        Report::checked(held == expected, || format!("{} holds {held:#x}: expected {expected:#x}", self.node))
            .figure("messages", heard as f64, Merge::Sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbourhood_is_mutual() {
        for (nodes, dimensions) in [(1, 2), (2, 1), (7, 2), (16, 2), (27, 3)] {
            let strides = (0..dimensions).map(|power| stride(nodes, power, dimensions)).collect();
            let asked = Options { rounds: 1, dimensions, handlers_only: false };
            let grid = Grid { asked, nodes, strides, seed: 1, expected: Vec::new() };
            let count = |of, node| grid.neighbours(of).filter(|to| *to == node).count();
            for (one, other) in (0..nodes).flat_map(|one| (0..nodes).map(move |other| (one, other))) {
                assert_eq!(count(one, other), count(other, one), "{one} and {other} of {nodes}");
            }
        }
    }

    /// 27 nodes in three dimensions: strides 1, 3 and 9.
    #[test]
    fn strides_are_powers_of_the_side() {
        assert_eq!([0, 1, 2].map(|power| stride(27, power, 3)), [1, 3, 9]);
    }
}
