//! Two nodes that change words of their own share a block falsely if the words lie in one: each change brings the block.
//!
//! The test counts blocks that are brought from one node to another. This module must never know how a block is brought.

use std::sync::Arc;

use protocols::stache::STACHE;
use protocols::sync::Barrier;
use tempest::entry::SharedMemory;
use tempest::{
    Array, FinalState, Homes, Layout, Mechanism, NodeId, Protocol, Report, Setup, Shared, Thread, handlers,
};

use crate::Setting;

const BLOCK: u32 = 64;

/// Number of times that each of the two nodes changes its counter.
const TURNS: u64 = 40;

/// Two counters of 4 bytes, changed in turn by a node each, move with every change if they lie in one block, and never
/// again if they lie in two.
pub fn shared_blocks_are_shared_falsely(setting: &Setting<'_>) {
    if setting.nodes < 2 {
        return;
    }
    let [together, apart] = [1, BLOCK as usize / size_of::<u32>()].map(|distance| brought(setting, distance));
    // A few may be messages of the barrier.
    assert!(
        together >= apart + 2 * TURNS - 4,
        "`shared_blocks_are_shared_falsely` is broken ({setting}): {together} blocks are brought for two counters in one block, \
         {apart} for two counters in two"
    );
}

/// The number of blocks that are brought if the counters lie `distance` words from each other.
fn brought(setting: &Setting<'_>, distance: usize) -> u64 {
    let mut layout = Layout::new(setting.nodes, BLOCK).expect("blocks have a permitted length");
    let counters = layout.array("counters", distance + 1, Homes::At(NodeId(0))).expect("it is small");
    let memory = SharedMemory { space: layout.into(), protocol: &STACHE };
    let plan = Plan { memory, counters, distance };
    let promise = "shared_blocks_are_shared_falsely";
    let outcome = setting.verified_by::<Counting>(Mechanism::SharedMemory, promise, plan, 1);
    outcome.counters.volume.data / u64::from(BLOCK)
}

struct Plan {
    memory: SharedMemory,
    counters: Array<u32>,
    distance: usize,
}

struct Counting {
    counters: Shared<u32>,
    distance: usize,
    barrier: Arc<Barrier>,
}

impl Protocol for Counting {
    type Config = Plan;

    fn install(plan: &Plan, setup: &mut Setup<'_>) -> Self {
        let counters = plan.memory.install(setup).bind(plan.counters);
        Self { counters, distance: plan.distance, barrier: setup.install::<Barrier>(&()) }
    }
}

#[handlers]
impl Counting {
    fn main(&self, thread: &Thread<'_>) {
        let NodeId(node) = thread.node();
        for turn in 0..2 * TURNS {
            if u64::from(node) == turn % 2 && thread.index() == 0 {
                let own = node as usize * self.distance;
                let before = thread.read(&self.counters, own);
                assert_eq!(u64::from(before), turn / 2, "the counter of node {node} in turn {turn}");
                thread.write(&self.counters, own, before + 1);
            }
            self.barrier.wait(thread);
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        // The threads have asserted their values.
        Report { checks: 1, ..Report::default() }
    }
}
