//! Histogram in shared memory: threads of all nodes count squares into the same bins. The second program of `docs/new-program.md`.
//!
//! # Inputs
//!
//! | input | kind | default | meaning |
//! |---|---|---|---|
//! | `values` | an integer from 1 to 999999 | 9999 | values of each node |

use tempest::entry::plain::*;

/// One node's view of the bins, and how many values the threads of each node count.
pub struct SharedHistogram {
    values: u64,
    nodes: u64,
    bins: Shared<u64>,
    found: Cells<u64>,
}

impl Handlers for SharedHistogram {
    fn register(_: &mut Messages<'_, Self>) {}
}

impl Protocol for SharedHistogram {
    type Config = Numbers;
    fn install(numbers: &Numbers, node: &mut Setup<'_>) -> Self {
        let bins = numbers.share(node, |space| space.array("bins", 64, Homes::RoundRobin));
        let nodes = node.shape().nodes.into();
        Self { values: numbers["values"].into(), nodes, bins, found: Cells::new(64, 0) }
    }
}

impl Program for SharedHistogram {
    fn main(&self, thread: &Thread<'_>) {
        thread.phase("count");
        for value in (thread.index().into()..self.values).step_by(thread.threads() as usize) {
            thread.fetch_add(&self.bins, (value * value % 64) as usize, 1);
            thread.poll();
        }
        thread.phase("check");
        if thread.index() == 0 {
            (0..64).for_each(|bin| self.found.set(bin, thread.read(&self.bins, bin)));
        }
    }
    fn report(&self, _: &mut Quiet<'_>) -> Report {
        let due = |bin: &u64| (0..self.values).filter(|value| value * value % 64 == *bin).count() as u64;
        let wrong = (0..64).filter(|bin| self.found.get(*bin as usize) != due(bin) * self.nodes).count();
        Report::checked(wrong == 0, || format!("{wrong} bins hold another count than a sequential run's"))
    }
}

impl Plain for SharedHistogram {
    const INPUTS: &'static [Input] = &[Input::integer("values", 1..=999_999, "9999", "values of each node")];
    const MECHANISMS: &'static [Mechanism] = &[Mechanism::SharedMemory];
}
