//! Remote miss: one thread misses on one block of another node after the other, in shared memory.
//!
//! Thread 0 of node 0 loads or stores one word of each of many blocks whose home is node 1, each after the one before
//! has come. All pages are mapped from the start, every miss is on another block, and all other threads and nodes
//! wait. The thread of a busy home runs a tight loop meanwhile, which polls; a round takes up to a fifth more or less
//! than the mean. A model reports the parts of a miss itself, as its anatomy of protocol events.
//!
//! # Timed regions
//!
//! `miss` is the timed region, with all misses. The region `loop` measures the loop of a busy home; `check` checks
//! the blocks.
//!
//! # How it is checked
//!
//! Every block holds a number of its own. A value that is read must be that number; a value that is written must be
//! found at the home.

use std::sync::Arc;

use tempest::entry::{BadPlan, Entry, Inputs, Instance, Least, Plan};
use tempest::{Job, Mechanism, Merge, NodeId, Report};

use super::kind::{Home, Kind};
use super::pattern::Pattern;
use super::probe::{BODY, Config, KIND, Measured, Options, Probe};

/// The entry of remote-miss in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "remote-miss",
    summary: "one thread misses on one block after the other of another node: time of a miss",
    mechanisms: &[Mechanism::SharedMemory],
    inputs: RemoteMiss::INPUTS,
    load: |given| Ok(Box::new(RemoteMiss::from_given(given)?)),
};

/// The inputs of remote-miss.
#[derive(Clone, Inputs)]
struct RemoteMiss {
    /// misses, each on a block of its own
    #[input(default = 10000, range = 1..=1_000_000)]
    misses: u32,
    #[input(like = KIND)]
    kind: Kind,
    /// what the home does meanwhile: idle or busy
    #[input(default = "idle")]
    home: Home,
    #[input(like = BODY)]
    body: u32,
    /// KiB that the home writes after it has filled the blocks, so that its caches no longer hold them
    #[input(default = 512, range = 0..=1 << 20)]
    push: u32,
}

impl RemoteMiss {
    fn asked(&self) -> Options {
        let Self { kind, home, body, push, .. } = *self;
        Options { kind, home, body, push }
    }
}

impl Instance for RemoteMiss {
    fn job(&self, plan: &Plan) -> Result<Job, BadPlan> {
        // The home is node 1, however many nodes there are.
        let pattern = Pattern::one_home(plan.shape, self.misses)?;
        let config = Config::new(plan, pattern, self.asked(), report)?;
        Ok(Job::new::<Probe>(Arc::new(config)))
    }

    fn least(&self) -> Least {
        Least { nodes: 2, ..Least::ANY }
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        [vec![("misses", self.misses.to_string())], self.asked().describe()].concat()
    }
}

fn report(measured: &Measured, report: Report) -> Report {
    if measured.node != NodeId(0) {
        return report;
    }
    report.measured("time.miss", measured.miss.as_nanoseconds(), "ns", Merge::Max)
}

#[cfg(test)]
mod tests {
    use tempest::Shape;
    use tempest::entry::Given;

    use super::*;

    #[test]
    fn it_needs_two_nodes() {
        let instance = (ENTRY.load)(&Given::default()).unwrap();
        let plan = |nodes| {
            Plan::new(Mechanism::SharedMemory, Shape { nodes, threads: 1 })
                .kept_by(&protocols::stache::STACHE)
        };
        assert!(instance.job(&plan(2)).is_ok() && instance.job(&plan(5)).is_ok());
        let error = instance.job(&plan(1)).unwrap_err();
        assert_eq!(error.0, "misses on 1 node: expected --nodes of at least 2");
    }

    #[test]
    fn every_wrong_input_is_named() {
        let values = [("kind", "readd"), ("home", "away"), ("misses", "0")];
        let values = values.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
        let errors = (ENTRY.load)(&Given { values, ..Given::default() }).map(|_| ()).unwrap_err().texts();
        let expected = [
            "input `misses=0`: expected an integer from 1 to 1000000",
            "input `kind`: no kind of miss `readd`: expected one of read, write, upgrade",
            "input `home`: no home `away`: expected idle or busy",
        ];
        assert_eq!(errors, expected);
    }

    #[test]
    fn the_mean_is_told_by_the_node_that_misses() {
        let pattern = Pattern::one_home(Shape { nodes: 2, threads: 1 }, 4).unwrap();
        let of = |node| Measured {
            node: NodeId(node),
            pattern,
            span: None,
            miss: units::Time::from_microseconds(2),
            beside_loop: None,
        };
        let figures = |node| report(&of(node), Report::default()).figures;
        assert!(figures(1).is_empty());
        assert_eq!((figures(0)[0].name, figures(0)[0].value), ("time.miss", 2000.0));
    }
}
