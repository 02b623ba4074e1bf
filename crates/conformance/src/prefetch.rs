//! A prefetch changes no answer: prefetched shared memory is memory, also while other nodes want its blocks.
//!
//! The threads of all nodes add to the same words and read words of each other, and prefetch them before, after and
//! beside that, for reading and for writing. They also prefetch words that no thread uses, more blocks than a node has
//! room for prefetches of.

use std::sync::Arc;

use protocols::stache::STACHE;
use protocols::sync::Barrier;
use tempest::entry::SharedMemory;
use tempest::memory::{AddressSpace, Frames};
use tempest::{
    Array, Cells, FinalState, Homes, Layout, Mechanism, Protocol, Report, Right, Setup, Shared, Thread,
    handlers,
};

use crate::Setting;

/// Words of the array: 100 blocks of 64 bytes.
const WORDS: usize = 800;

/// Words that are neither read nor written: 300 blocks, more than a node has room for prefetches of.
const UNUSED: usize = 2400;

/// Passes over the array.
const PASSES: u64 = 3;

/// Additions to prefetched words arrive once, and a read after a barrier returns the value written before it.
pub fn shared_blocks_are_prefetched(setting: &Setting<'_>) {
    for frames in [Frames::All, Frames::OnDemand] {
        let mut layout = Layout::new(setting.nodes, 64).expect("blocks have a permitted length");
        let words = layout.array("words", WORDS, Homes::RoundRobin).expect("it is small");
        let unused = layout.array("unused", UNUSED, Homes::RoundRobin).expect("it is small");
        let space = AddressSpace::new(layout, frames).expect("there is room");
        let plan = Plan { memory: SharedMemory { space, protocol: &STACHE }, words, unused };
        setting.verified_by::<Ahead>(Mechanism::SharedMemory, "shared_blocks_are_prefetched", plan, 2);
    }
}

struct Plan {
    memory: SharedMemory,
    words: Array<u64>,
    unused: Array<u64>,
}

struct Ahead {
    words: Shared<u64>,
    unused: Shared<u64>,
    barrier: Arc<Barrier>,
    /// The number of words that were right, and of wrong ones.
    right: Cells<u64>,
}

impl Protocol for Ahead {
    type Config = Plan;

    fn install(plan: &Plan, setup: &mut Setup<'_>) -> Self {
        let memory = plan.memory.install(setup);
        let (words, unused) = (memory.bind(plan.words), memory.bind(plan.unused));
        Self { words, unused, barrier: setup.install::<Barrier>(&()), right: Cells::new(2, 0) }
    }
}

#[handlers]
impl Ahead {
    /// Adds one to every word, and asks for the words behind each before it comes to them.
    fn add(&self, thread: &Thread<'_>, from: usize) {
        for index in 0..WORDS {
            let word = (from + index) % WORDS;
            if word.is_multiple_of(40) {
                let right = if word.is_multiple_of(80) { Right::Read } else { Right::Write };
                thread.prefetch(&self.words, word..(word + 320).min(WORDS), right);
            }
            thread.fetch_add(&self.words, word, 1);
        }
    }

    fn main(&self, thread: &Thread<'_>) {
        let all = u64::from(thread.nodes() * thread.threads());
        let mine = (thread.node().0 * thread.threads() + thread.index()) as usize;
        for pass in 1..=PASSES {
            self.add(thread, mine * 97 % WORDS);
            self.barrier.wait(thread);
            thread.prefetch(&self.unused, 0..UNUSED, if pass == 1 { Right::Read } else { Right::Write });
            thread.prefetch(&self.words, 0..WORDS, Right::Read);
            let mut found = [0; WORDS];
            thread.read_slice(&self.words, 0, &mut found);
            let right = found.iter().filter(|&&word| word == pass * all).count() as u64;
            self.right.add(thread, 0, right);
            self.right.add(thread, 1, WORDS as u64 - right);
            self.barrier.wait(thread);
        }
        // No thread waits for these: the run ends all the same.
        thread.prefetch(&self.words, 0..WORDS, Right::Write);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let (right, wrong) = (self.right.get(end, 0), self.right.get(end, 1));
        Report::checked(wrong == 0 && right > 0, || format!("{wrong} words were wrong, {right} right"))
    }
}
