//! Split-phase microbenchmarks: the cost of an access to another node's memory, measured in five ways.
//!
//! The measures follow A. Krishnamurthy, K. E. Schauser, C. J. Scheiman, R. Y. Wang, D. E. Culler and K. Yelick,
//! *Evaluation of Architectural Support for Global Address-Based Communication in Large-Scale Parallel Machines*,
//! ASPLOS 1996, table 1. Node 0 asks, nodes 1 and 2 serve; a server waits meanwhile, so that its processor is free to
//! serve.
//!
//! | measure | timed operation | figures, in microseconds for one operation |
//! |---|---|---|
//! | `rtt` | one blocking operation after the other | `rtt.am` (a message that does nothing and its answer), `rtt.read`, `rtt.write` |
//! | `overhead` | issue, compute until the answer is surely there, synchronize; less the computing | `overhead.get`, `overhead.put`, `overhead.store` |
//! | `gap` | a long burst to node 1, with all waiting for its flow control | `gap.get`, `gap.put`, `gap.store` |
//! | `gap2` | a long burst to nodes 1 and 2 in turn, with all waiting for its flow control | `gap2.get`, `gap2.put`, `gap2.store` |
//! | `exch` | nodes 0 and 1 send bursts to each other; the time is that of the slower node | `exch.get`, `exch.put`, `exch.store` |
//!
//! A gap is timed at the issuer over the middle half of its burst, as the beginning fills queues and windows. So a
//! burst must be much longer than the window of requests and the queues together. An exchange is timed until the
//! slower node has issued all operations and synchronized, as an overloaded node may get its turn only when the other
//! node has finished. Stores have no completion: their gap is the rate at which they can be issued for long. Their
//! overhead includes the acknowledgement of an earlier store, since each operation polls. The computing of `overhead`
//! takes four times as long as a blocking read. The time of the same computing alone is measured beside it, and
//! subtracted.
//!
//! # Timed regions
//!
//! Each figure has a region of its name. It includes filling, emptying and checking.
//!
//! # How it is checked
//!
//! Every value that is read, got, written, put or stored is compared with its expected value.

mod cell;
mod program;

use std::sync::Arc;

use tempest::entry::{BadPlan, Entry, Input, Inputs, Instance, Least, Plan};
use tempest::{Job, Mechanism};

use cell::{CELLS, Cell, Choice};
use program::{Config, Microbenchmarks};

/// The entry of split-phase in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "split-phase",
    summary: "round trip, overhead and gaps of reads, writes, gets, puts and stores, in microseconds",
    mechanisms: &[Mechanism::Messages],
    inputs: Options::INPUTS,
    load: |given| Ok(Box::new(Options::from_given(given)?)),
};

/// An input of programs over the split-phase layer: whether accesses to mapped memory are loads and stores.
pub(crate) const DIRECT: Input = Input::text(
    "direct",
    "false",
    "true: reads, writes, gets and puts are loads and stores where memory is mapped, as natively",
);

/// The number of nodes that take part: one asks, and two serve.
const NODES: u32 = 3;

/// The inputs of split-phase.
#[derive(Clone, Inputs)]
struct Options {
    /// operations of each burst and round trip; overhead has an eighth of them
    #[input(default = 2048, range = 64..=1_000_000)]
    operations: u32,
    /// what to measure: all, rtt, overhead, gap, gap2 or exch
    #[input(name = "measure", default = "all")]
    choice: Choice,
    #[input(like = DIRECT)]
    direct: bool,
}

impl Options {
    fn cells(&self) -> impl Iterator<Item = &'static Cell> {
        CELLS.iter().filter(|cell| self.choice.includes(cell.measure))
    }
}

impl Instance for Options {
    fn job(&self, &Plan { shape, .. }: &Plan) -> Result<Job, BadPlan> {
        if shape.nodes < NODES {
            return Err(format!(
                "split-phase on {}: expected --nodes of at least {NODES}",
                if shape.nodes == 1 { "1 node".to_owned() } else { format!("{} nodes", shape.nodes) }
            )
            .into());
        }
        let cells = self.cells().collect();
        let config = Config { operations: self.operations, direct: self.direct, cells };
        Ok(Job::new::<Microbenchmarks>(Arc::new(config)))
    }

    fn least(&self) -> Least {
        Least { nodes: NODES, ..Least::ANY }
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        let names: Vec<_> = self.cells().map(|cell| cell.name).collect();
        vec![("operations", self.operations.to_string()), ("measured", names.join(", "))]
    }
}

#[cfg(test)]
mod tests {
    use tempest::Shape;
    use tempest::entry::Given;

    use super::*;

    #[test]
    fn it_needs_three_nodes() {
        let instance = (ENTRY.load)(&Given::default()).unwrap();
        let plan = |nodes| Plan::new(Mechanism::Messages, Shape { nodes, threads: 1 });
        assert!(instance.job(&plan(3)).is_ok());
        let error = instance.job(&plan(2)).unwrap_err();
        assert_eq!(error.0, "split-phase on 2 nodes: expected --nodes of at least 3");
    }

    #[test]
    fn one_measure_has_its_three_figures() {
        let mut given = Given::default();
        given.values.insert("measure".into(), "gap2".into());
        let facts = (ENTRY.load)(&given).unwrap().describe();
        assert_eq!(facts[1], ("measured", "gap2.get, gap2.put, gap2.store".to_owned()));
        given.values.insert("measure".into(), "gap3".into());
        let errors = (ENTRY.load)(&given).map(|_| ()).unwrap_err().texts();
        let says =
            "input `measure`: unknown measure `gap3`: expected one of all, rtt, overhead, gap, gap2, exch";
        assert_eq!(errors, [says]);
    }
}
