//! Room for pages of other nodes: which page gives way, and what memory a node takes.

use std::num::NonZeroU32;

use protocols::stache::STACHE;
use protocols::sync::{BarrierRoom, SharedBarrier};
use tempest::entry::SharedMemory;
use tempest::{
    AddressSpace, Array, Frames, Homes, Job, Launch, Layout, NodeId, Outcome, Protocol, Quiet, Report, Setup,
    Shared, Thread, World, handlers,
};
use tradewind_native::Local;

const BLOCK: u32 = 128;
const PAGE_WORDS: usize = 512;
const FAN_IN: NonZeroU32 = NonZeroU32::MIN.saturating_add(1);

/// What node 1 does to the pages of node 0, one after the other.
type Visit = fn(&Thread<'_>, &Shared<u64>, usize);

struct Plan {
    memory: SharedMemory,
    words: Array<u64>,
    barrier: BarrierRoom,
    pages: usize,
    visit: Visit,
}

struct Visitor {
    words: Shared<u64>,
    barrier: SharedBarrier,
    pages: usize,
    visit: Visit,
}

impl Protocol for Visitor {
    type Config = Plan;

    fn install(plan: &Plan, setup: &mut Setup<'_>) -> Self {
        let memory = plan.memory.install(setup);
        let barrier = SharedBarrier::new(setup, &memory, plan.barrier, FAN_IN);
        Self { words: memory.bind(plan.words), barrier, pages: plan.pages, visit: plan.visit }
    }
}

#[handlers]
impl Visitor {
    fn main(&self, thread: &Thread<'_>) {
        if thread.node() == NodeId(0) {
            (0..self.words.len()).step_by(7).for_each(|word| thread.write(&self.words, word, word as u64));
        }
        self.barrier.wait(thread);
        if thread.node() == NodeId(1) {
            (0..self.pages).for_each(|page| (self.visit)(thread, &self.words, page));
        }
    }

    fn report(&self, _: &mut Quiet<'_>) -> Report {
        // Node 1 has insisted on what it found.
        Report { checks: 1, ..Report::default() }
    }
}

fn visited(frames: Frames, pages: usize, visit: Visit) -> Outcome {
    let mut layout = Layout::new(2, BLOCK).expect("blocks have a permitted length");
    let words = layout.array("words", pages * PAGE_WORDS, Homes::At(NodeId(0))).expect("it is small");
    let barrier = SharedBarrier::room(&mut layout).expect("it is small");
    let space = AddressSpace::new(layout, frames).expect("there is a frame");
    let plan = Plan { memory: SharedMemory { space, protocol: &STACHE }, words, barrier, pages, visit };
    let policy = "single".parse().expect("a policy of this host");
    let launch = Launch { nodes: 2, ..Launch::new(Job::new::<Visitor>(plan), policy) };
    Local::new().run(&launch).expect("it reads what is there")
}

/// Reads a word of a page, and the value that its home stored there or did not.
fn read(thread: &Thread<'_>, words: &Shared<u64>, word: usize) {
    let expected = if word.is_multiple_of(7) { word as u64 } else { 0 };
    assert_eq!(thread.read(words, word), expected, "word {word}");
}

/// A page that is used between any two new ones is brought once, however many new ones there are.
#[test]
fn a_page_in_use_keeps_its_frame() {
    let pages = 200;
    let visit: Visit = |thread, words, page| {
        read(thread, words, page * PAGE_WORDS);
        read(thread, words, 0);
    };
    let brought = |frames| visited(frames, pages, visit).counters.volume.data / u64::from(BLOCK);
    // The barrier brings a few blocks too, how many depends on who is first.
    let (once, few) = (brought(Frames::All), 10);
    let kept = brought(Frames::AtMost(8));
    assert!(kept < once + few, "{kept} blocks are brought, {once} with room for all");
    let moved = brought(Frames::AtMost(3));
    assert!(moved > once + few, "{moved} blocks are brought where the page that came first goes first");
}
