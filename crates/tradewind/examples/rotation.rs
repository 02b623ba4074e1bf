//! Numbers that move around a ring of nodes in steps: a barrier, which the program installs, and an event.
//!
//! ```text
//! cargo run --example rotation run rotation --machine paragon --nodes 4
//! cargo run --example rotation compare rotation --machine native,paragon
//! ```

use tradewind::prelude::*;
use tradewind::protocols::Barrier;

/// Each node passes its number to the next node, step by step.
#[program]
struct Rotation {
    /// steps of each number
    #[input(default = 100, range = 1..=1_000_000)]
    steps: u32,
    #[make(setup.shape().nodes)]
    nodes: u32,
    #[install]
    barrier: Arc<Barrier>,
    #[event]
    arrived: Event,
    #[cells(1)]
    number: Cells<u32>,
}

#[handlers]
impl Rotation {
    /// Gives the node its next number.
    #[message]
    fn pass(&self, number: u32, cx: &mut Handler<'_>) {
        self.number.set(cx, 0, number);
        cx.signal(&self.arrived, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        let mut number = thread.node().0;
        for step in 1..=self.steps {
            if thread.index() == 0 {
                thread.send(thread.next_node(), Self::pass(number));
                thread.wait(&self.arrived, step.into());
                number = self.number.get(thread, 0);
            }
            // No node sends its next number before every node has read its present one.
            self.barrier.wait(thread);
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let (node, found) = (end.node().0, self.number.get(end, 0));
        let due = (node + self.nodes - self.steps % self.nodes) % self.nodes;
        Report::checked(found == due, || format!("node {node} has the number {found}, not {due}"))
    }
}

fn main() -> ExitCode {
    tradewind::main(&[Rotation::ENTRY])
}
