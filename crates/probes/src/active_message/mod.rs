//! Active messages: the time of a null message to a near and to a far node, and the bandwidth across the middle of a
//! machine.
//!
//! The measures follow F. T. Chong, R. Barua, F. Dahlgren, J. D. Kubiatowicz and A. Agarwal, *The Sensitivity of
//! Communication Mechanisms to Bandwidth and Latency*, HPCA-4, 1998.
//!
//! | mechanism | timed operation | figures |
//! |---|---|---|
//! | `messages` | null messages (no arguments, a handler that only answers) that node 0 exchanges with node `near`, then with node `far` | `one_way.near` and `one_way.far`: half a round trip; `per_hop`: their difference by `hops`; all in nanoseconds |
//! | `bulk` | blocks in both directions between the nodes on either side of the middle of each row of nodes | `cut`: megabytes (10^6) per second, headers aside, that cross the middle |
//!
//! Handlers answer handlers, so a round trip is twice the way from the beginning of a send to the first instruction
//! of the handler. The threads of both nodes compute and poll meanwhile. So under a policy with interrupts each
//! message interrupts; natively, each of the two threads wants a core of its own. A measurement begins and ends
//! where node 0 handles an answer, so no start of a phase and no last poll is part of it.
//!
//! Nodes are numbered row by row. The middle lies between the first half of each row and the second. On a mesh with
//! dimension-order routing, a block takes only the one link between its two nodes. So every link of the cut has a
//! sender of its own, in both directions.
//!
//! # Timed regions
//!
//! `near` and `far`, or `cut`.
//!
//! # How it is checked
//!
//! Each node must have had exactly its messages. The last word of each block is compared with the sender's word, and so
//! are all words of the last blocks.

mod bounce;
mod cut;

use tempest::entry::{BadPlan, Entry, Inputs, Instance, Least, Plan};
use tempest::{Job, Mechanism};

use bounce::Bounce;
use cut::Cut;

/// The entry of active-message in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "active-message",
    summary: "a null message from end to end, near and far; by bulk: blocks across the middle of the machine",
    mechanisms: &[Mechanism::Messages, Mechanism::Bulk],
    inputs: Options::INPUTS,
    load: |given| Ok(Box::new(Options::from_given(given)?)),
};

/// The inputs of active-message.
#[derive(Clone, Copy, Debug, Inputs)]
struct Options {
    /// round trips, or blocks from each sender
    #[input(default = 2000, range = 1..=1_000_000)]
    rounds: u32,
    /// the first node that answers
    #[input(default = 1, range = 1..=65_535, only = [Messages])]
    near: u32,
    /// the second node that answers; 0: the last there is
    #[input(default = 0, range = 0..=65_535, only = [Messages])]
    far: u32,
    /// how many links `far` is further away than `near`
    #[input(default = 9, range = 1..=65_535, only = [Messages])]
    hops: u32,
    /// nodes of a row, at most as many as there are
    #[input(default = 8, range = 2..=65_535, only = [Bulk])]
    row: u32,
    /// words of a block
    #[input(default = 2048, range = 1..=65_536, only = [Bulk])]
    block: u32,
}

impl Instance for Options {
    fn job(&self, &Plan { mechanism, shape, .. }: &Plan) -> Result<Job, BadPlan> {
        let nodes = shape.nodes;
        if nodes < 2 {
            return Err("active-message on 1 node: expected --nodes of at least 2".to_owned().into());
        }
        if mechanism == Mechanism::Bulk {
            let (rounds, block, row) = (self.rounds, self.block, self.row.min(nodes));
            return Ok(Job::new::<Cut>(cut::Config { rounds, block, row }));
        }
        let far = if self.far == 0 { nodes - 1 } else { self.far };
        for (key, node) in [("near", self.near), ("far", far)] {
            if node >= nodes {
                return Err(format!("`{key}={node}` on {nodes} nodes: expected at most {}", nodes - 1).into());
            }
        }
        let config = bounce::Config { rounds: self.rounds, near: self.near, far, hops: self.hops };
        Ok(Job::new::<Bounce>(config))
    }

    fn least(&self) -> Least {
        Least { nodes: self.near.max(self.far) + 1, ..Least::ANY }
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        let Self { rounds, near, far, hops, row, block } = *self;
        let far = if far == 0 { "the last node".to_owned() } else { format!("node {far}") };
        vec![
            ("rounds", rounds.to_string()),
            ("answered by", format!("node {near} and {far}, {hops} links further away")),
            ("across", format!("rows of {row} nodes, blocks of {block} words")),
        ]
    }
}

#[cfg(test)]
mod tests {
    use tempest::Shape;
    use tempest::entry::{Given, Loaded};

    use super::*;

    fn told(values: &[(&str, &str)]) -> Loaded {
        let values = values.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        (ENTRY.load)(&Given { values, ..Given::default() })
    }

    #[test]
    fn who_answers_must_be_there() {
        let plan = |nodes| Plan::new(Mechanism::Messages, Shape { nodes, threads: 1 });
        let job = |values: &[(&str, &str)], nodes| {
            let instance = told(values).unwrap();
            instance.job(&plan(nodes)).map(|_| ()).err()
        };
        assert_eq!(job(&[], 2), None);
        assert_eq!(job(&[], 1).unwrap().0, "active-message on 1 node: expected --nodes of at least 2");
        assert_eq!(job(&[("far", "8")], 8).unwrap().0, "`far=8` on 8 nodes: expected at most 7");
    }
}
