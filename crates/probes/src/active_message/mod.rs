//! Active messages: the time of a null message to a near and to a far node, and the bandwidth across the middle of a
//! machine.
//!
//! The measures are those of F. T. Chong, R. Barua, F. Dahlgren, J. D. Kubiatowicz and A. Agarwal, *The Sensitivity of
//! Communication Mechanisms to Bandwidth and Latency*, HPCA-4, 1998.
//!
//! | mechanism | what is timed | figures |
//! |---|---|---|
//! | `messages` | null messages (no arguments, a handler that only answers) to and fro between node 0 and `near`, then `far` | `one_way.near` and `one_way.far`: half a round trip; `per_hop`: their difference by `hops`; all in nanoseconds |
//! | `bulk` | blocks in both directions between the nodes on either side of the middle of each row of nodes | `cut`: megabytes (10^6) per second, headers aside, that cross the middle |
//!
//! Handlers answer handlers, so a round trip is twice the way from the beginning of a send to the first instruction
//! of the handler. The threads of both nodes compute and poll meanwhile. So under a policy with interrupts each
//! message interrupts; natively, each of the two threads wants a core of its own. The end of a measurement, at most
//! one poll, is divided among all its round trips.
//!
//! Nodes are numbered row by row. The middle lies between the first half of each row and the second. On a mesh with
//! dimension-order routing, a block takes only the one link between its two nodes. So every link of the cut has a
//! sender of its own, in both directions.
//!
//! # Inputs
//!
//! | input | kind | default | meaning |
//! |---|---|---|---|
//! | `rounds` | an integer from 1 to 1000000 | 2000 | round trips, or blocks from each sender |
//! | `near` | an integer from 1 to 65535 | 1 | the first node that answers |
//! | `far` | an integer from 0 to 65535 | 0 | the second node that answers; 0: the last there is |
//! | `hops` | an integer from 1 to 65535 | 9 | how many links `far` is further away than `near` |
//! | `row` | an integer from 2 to 65535 | 8 | nodes of a row, at most as many as there are |
//! | `block` | an integer from 1 to 65536 | 2048 | words of a block |
//!
//! # Timed regions
//!
//! `near` and `far`, or `cut`.
//!
//! # How it is checked
//!
//! Each node must have had exactly its messages. The last word of each block is compared with what the sender wrote,
//! and so are all words of the last blocks.

mod bounce;
mod cut;

use tempest::entry::{BadPlan, Entry, Given, Input, Instance, Loaded, Plan, Reader};
use tempest::{Job, Mechanism};

use bounce::Bounce;
use cut::Cut;

/// How the registry lists it.
pub const ENTRY: Entry = Entry {
    name: "active-message",
    summary: "a null message from end to end, near and far; by bulk: blocks across the middle of the machine",
    mechanisms: &[Mechanism::Messages, Mechanism::Bulk],
    inputs: INPUTS,
    load,
};

static INPUTS: &[Input] = &[
    Input::integer("rounds", 1..=1_000_000, "2000", "round trips, or blocks from each sender"),
    Input::integer("near", 1..=65_535, "1", "the first node that answers"),
    Input::integer("far", 0..=65_535, "0", "the second node that answers; 0: the last there is"),
    Input::integer("hops", 1..=65_535, "9", "how many links `far` is further away than `near`"),
    Input::integer("row", 2..=65_535, "8", "nodes of a row, at most as many as there are"),
    Input::integer("block", 1..=65_536, "2048", "words of a block"),
];

/// What it was told.
#[derive(Clone, Copy, Debug)]
struct Asked {
    rounds: u32,
    near: u32,
    far: u32,
    hops: u32,
    row: u32,
    block: u32,
}

fn load(given: &Given) -> Loaded {
    let mut reader = Reader::new(given, INPUTS);
    let asked = Asked {
        rounds: reader.integer("rounds"),
        near: reader.integer("near"),
        far: reader.integer("far"),
        hops: reader.integer("hops"),
        row: reader.integer("row"),
        block: reader.integer("block"),
    };
    reader.finish()?;
    Ok(Box::new(asked))
}

impl Instance for Asked {
    fn job(&self, &Plan { mechanism, shape, .. }: &Plan) -> Result<Job, BadPlan> {
        let nodes = shape.nodes;
        if nodes < 2 {
            return Err("active-message on 1 node: expected at least 2".to_owned().into());
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

    use super::*;

    fn told(values: &[(&str, &str)]) -> Loaded {
        let values = values.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        load(&Given { values, ..Given::default() })
    }

    #[test]
    fn who_answers_must_be_there() {
        let plan = |nodes| Plan::new(Mechanism::Messages, Shape { nodes, threads: 1 });
        let job = |values: &[(&str, &str)], nodes| {
            let instance = told(values).unwrap();
            instance.job(&plan(nodes)).map(|_| ()).err()
        };
        assert_eq!(job(&[], 2), None);
        assert_eq!(job(&[], 1).unwrap().0, "active-message on 1 node: expected at least 2");
        assert_eq!(job(&[("far", "8")], 8).unwrap().0, "`far=8` on 8 nodes: expected at most 7");
    }
}
