//! Histogram through shared memory. This module must never know which world runs it, nor how blocks are kept coherent.

use tempest::*;

/// Nodes count into the same bins.
#[program]
pub struct SharedHistogram {
    /// values of each node
    #[input(default = 9999, range = 1..=999_999)]
    values: u32,
    #[shared(64)]
    bins: Shared<u64>,
    #[make(setup.shape().nodes.into())]
    nodes: u64,
    #[cells(64)]
    found: Cells<u64>,
}

#[handlers]
impl SharedHistogram {
    fn main(&self, thread: &Thread<'_>) {
        thread.phase("count");
        for value in thread.share(0..self.values) {
            thread.fetch_add(&self.bins, (value * value % 64) as usize, 1);
            thread.poll();
        }
        thread.phase("check");
        if thread.index() == 0 {
            (0..64).for_each(|bin| self.found.set(thread, bin, thread.read(&self.bins, bin)));
        }
    }
    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let due = |bin| (0..u64::from(self.values)).filter(|value| value * value % 64 == bin).count() as u64;
        let wrong = (0..64).filter(|&bin| self.found.get(end, bin as usize) != due(bin) * self.nodes).count();
        Report::checked(wrong == 0, || format!("{wrong} bins hold another count than a sequential run's"))
    }
}
