//! Shared memory loses no store and shows none that is out of date, however few blocks and frames there are
//! for many threads.
//!
//! Every thread owns a word in each page, all of them side by side in few blocks, and stores its own name and a number
//! that grows; it reads back its own store, and others' words, whose numbers must not shrink. All add to counters in
//! further blocks. In the end every thread finds in every word its owner's last number, and in the counters the sum of
//! all additions. Nothing but shared memory is used, so a machine whose hardware runs the protocol can be held to it
//! too.

use std::num::NonZeroU32;
use std::ops::Range;

use protocols::stache::{STACHE, STACHE_UNORDERED};
use protocols::sync::{BarrierRoom, SharedBarrier};
use tempest::entry::{Coherence, SharedMemory};
use tempest::memory::{AddressSpace, Frames};
use tempest::world::World;
use tempest::{
    Array, FinalState, Homes, Layout, Mechanism, NodeId, Protocol, Report, Setup, Shape, Shared, Thread,
    handlers,
};

use crate::Setting;
use crate::moving_homes::{EAGER, EAGER_UNORDERED};
use crate::random::Draw;

/// Nodes that report to one at a barrier.
pub(crate) const FAN_IN: NonZeroU32 = NonZeroU32::MIN.saturating_add(1);

/// Number of words of a page: page `p` begins at word `p * PAGE_WORDS`.
const PAGE_WORDS: usize = 512;

/// Index of a page's counters: behind the threads' words, apart from them.
const COUNTERS: usize = 256;

/// Counters of a page, in one block.
const COUNTERS_OF_A_PAGE: usize = 2;

/// Stores of few threads to few blocks: none is lost, none is seen late, with room for all pages.
pub fn shared_memory_is_memory(setting: &Setting<'_>) {
    for block in [16, 128] {
        Load::new(&STACHE, Frames::All, block, 20).put_on(setting, "shared_memory_is_memory");
    }
    let load = Load::new(&STACHE_UNORDERED, Frames::OnDemand, 64, 20);
    load.put_on(setting, "shared_memory_is_memory");
}

/// Stores of few threads to pages whose home is the node that touches them first: none is lost, none is seen late.
pub fn first_touch_is_memory(setting: &Setting<'_>) {
    for protocol in [&STACHE, &STACHE_UNORDERED] {
        for frames in [Frames::All, Frames::AtMost(4)] {
            let load = Load { homes: Homes::FirstTouch, ..Load::new(protocol, frames, 64, 4) };
            load.put_on(setting, "first_touch_is_memory");
        }
    }
}

/// Stores of few threads to pages whose homes move at almost every occasion: none is lost, none is seen late.
pub fn moving_homes_are_memory(setting: &Setting<'_>) {
    for protocol in [&EAGER, &EAGER_UNORDERED] {
        for (homes, frames) in [
            (Homes::RoundRobin, Frames::All),
            (Homes::RoundRobin, Frames::AtMost(1)),
            (Homes::FirstTouch, Frames::AtMost(4)),
        ] {
            let load = Load { homes, ..Load::new(protocol, frames, 64, 4) };
            load.put_on(setting, "moving_homes_are_memory");
        }
    }
}

/// Stores of more threads than frames to few blocks, with room for one or two remote pages at a time: none is
/// lost, none is seen late.
pub fn shared_memory_fits_its_frames(setting: &Setting<'_>) {
    let promise = "shared_memory_fits_its_frames";
    Load::new(&STACHE, Frames::AtMost(2), 64, 8).put_on(setting, promise);
    Load::new(&STACHE, Frames::AtMost(1), 64, 4).put_on(setting, promise);
    Load::new(&STACHE_UNORDERED, Frames::AtMost(2), 64, 4).put_on(setting, promise);
    // Of four frames one rests.
    Load::new(&STACHE, Frames::AtMost(4), 64, 4).put_on(setting, promise);
    Load::new(&STACHE_UNORDERED, Frames::AtMost(4), 64, 4).put_on(setting, promise);
}

/// Shared memory under load: `rounds` rounds in which each of two threads a processor stores, reads and adds
/// in each page. With `rounds` in the thousands this is the full dose.
pub fn shared_memory_stress(setting: &Setting<'_>, rounds: u32) {
    for protocol in [&STACHE, &STACHE_UNORDERED, &EAGER, &EAGER_UNORDERED] {
        for frames in [Frames::All, Frames::AtMost(2), Frames::AtMost(4)] {
            Load::new(protocol, frames, 64, rounds).put_on(setting, "shared_memory_stress");
        }
    }
}

/// Shared memory under random settings, one for each seed: protocol, room, homes, blocks, nodes, and the way of each thread through the
/// pages. None is lost, none is seen late. In half of them homes move at almost every occasion.
///
/// # Panics
/// If a policy does not parse, the world refuses it, or a store is lost or seen late: the message names the seed.
pub fn drawn_memory_is_memory(world: &dyn World, policies: &[&str], seeds: Range<u64>) {
    for seed in seeds {
        let mut draw = Draw::new(seed);
        let text = draw.pick(policies);
        let policy = text.parse().unwrap_or_else(|error| panic!("policy `{text}`: {error}"));
        let setting =
            Setting { world, policy: &policy, nodes: draw.number(2, 4), processors: draw.number(2, 3) };
        let protocol = draw.pick(&[&STACHE, &STACHE_UNORDERED, &EAGER, &EAGER_UNORDERED]);
        let frames = draw.pick(&[
            Frames::All,
            Frames::OnDemand,
            Frames::AtMost(1),
            Frames::AtMost(2),
            Frames::AtMost(4),
        ]);
        let homes = draw.pick(&[Homes::RoundRobin, Homes::FirstTouch, Homes::At(NodeId(0))]);
        let block = draw.pick(&tempest::entry::Plan::BLOCKS);
        let load = Load { homes, seed: Some(seed), ..Load::new(protocol, frames, block, draw.number(3, 12)) };
        load.put_on(&setting, &format!("drawn_memory_is_memory, seed {seed}"));
    }
}

/// A protocol of anybody's keeps shared memory coherent: no store is lost or seen late, with blocks of every length and room for
/// all pages.
pub fn memory_is_coherent(setting: &Setting<'_>, protocol: &'static Coherence) {
    for block in tempest::entry::Plan::BLOCKS {
        Load::new(protocol, Frames::All, block, 20).put_on(setting, "memory_is_coherent");
    }
}

/// The work of all threads on shared memory, and the protocol that keeps it coherent.
struct Load {
    protocol: &'static Coherence,
    frames: Frames,
    homes: Homes,
    block: u32,
    rounds: u32,
    /// Threads go through the pages in a random order, another in each round; in turn if there is none.
    seed: Option<u64>,
}

impl Load {
    fn new(protocol: &'static Coherence, frames: Frames, block: u32, rounds: u32) -> Self {
        Self { protocol, frames, homes: Homes::RoundRobin, block, rounds, seed: None }
    }

    fn put_on(self, setting: &Setting<'_>, promise: &str) {
        let Self { protocol, frames, homes, block, rounds, seed } = self;
        // A page at each node, and one more; or enough pages that nodes have to choose which of them have frames.
        let pages = match frames {
            Frames::AtMost(most) => 2 * (most as usize + 1),
            Frames::All | Frames::OnDemand => setting.nodes as usize + 1,
        };
        let mut layout = Layout::new(setting.nodes, block).expect("blocks have a permitted length");
        let words = layout.array("words", pages * PAGE_WORDS, homes).expect("it is small");
        let barrier = SharedBarrier::room(&mut layout).expect("it is small");
        let space = AddressSpace::new(layout, frames).expect("there is a frame");
        let memory = SharedMemory { space, protocol };
        let plan = Plan { memory, barrier, words, pages, rounds, seed };
        setting.verified_by::<Tagged>(Mechanism::SharedMemory, promise, plan, 2);
    }
}

struct Plan {
    memory: SharedMemory,
    barrier: BarrierRoom,
    words: Array<u64>,
    pages: usize,
    rounds: u32,
    seed: Option<u64>,
}

struct Tagged {
    shape: Shape,
    words: Shared<u64>,
    pages: usize,
    rounds: u32,
    seed: Option<u64>,
    barrier: SharedBarrier,
}

impl Protocol for Tagged {
    type Config = Plan;

    fn install(plan: &Plan, setup: &mut Setup<'_>) -> Self {
        let memory = plan.memory.install(setup);
        let barrier = SharedBarrier::new(setup, &memory, plan.barrier, FAN_IN);
        let words = memory.bind(plan.words);
        Self { shape: setup.shape(), words, pages: plan.pages, rounds: plan.rounds, seed: plan.seed, barrier }
    }
}

/// The value of a word after its owner's `number`-th store; 0 before the first.
fn tagged(owner: usize, number: u32) -> u64 {
    if number == 0 { 0 } else { (owner as u64 + 1) << 32 | u64::from(number) }
}

impl Tagged {
    fn threads(&self) -> usize {
        (self.shape.nodes * self.shape.threads) as usize
    }

    /// A thread's own way through the pages in a round.
    fn way(&self, mine: usize, round: u32) -> Vec<usize> {
        let mut way: Vec<usize> = (0..self.pages).map(|step| (mine + step) % self.pages).collect();
        if let Some(seed) = self.seed {
            let mut draw = Draw::new(seed ^ (mine as u64 + 1) << 32 ^ u64::from(round) << 48);
            for last in (1..way.len()).rev() {
                way.swap(last, draw.number(0, last as u32) as usize);
            }
        }
        way
    }

    /// Makes a round in a page: stores the own word, adds, looks at another's.
    fn visit(&self, thread: &Thread<'_>, mine: usize, page: usize, round: u32, seen: &mut u32) {
        let (first, number) = (page * PAGE_WORDS, round + 1);
        let before = thread.read(&self.words, first + mine);
        assert_eq!(before, tagged(mine, round), "what the owner of word {mine} of page {page} finds");
        thread.write(&self.words, first + mine, tagged(mine, number));
        thread.fetch_add(&self.words, first + COUNTERS + mine % COUNTERS_OF_A_PAGE, 1);
        let other = (mine + 1) % self.threads();
        let found = thread.read(&self.words, first + other);
        let shown = found as u32;
        assert_eq!(found, tagged(other, shown), "whose word {other} of page {page} is");
        assert!(shown >= *seen && shown <= self.rounds, "word {other} of page {page}: {shown} after {seen}");
        *seen = shown;
        let now = thread.read(&self.words, first + mine);
        assert_eq!(now, tagged(mine, number), "what the owner of word {mine} of page {page} has just stored");
    }

    /// Asserts that each owner's last store is there, and that the counters hold all additions.
    fn check(&self, thread: &Thread<'_>, page: usize) {
        let first = page * PAGE_WORDS;
        for owner in 0..self.threads() {
            let found = thread.read(&self.words, first + owner);
            assert_eq!(found, tagged(owner, self.rounds), "word {owner} of page {page} in the end");
        }
        let counters =
            (0..COUNTERS_OF_A_PAGE).map(|counter| thread.read(&self.words, first + COUNTERS + counter));
        let added = u64::from(self.rounds) * self.threads() as u64;
        assert_eq!(counters.sum::<u64>(), added, "what was added in page {page}");
    }
}

#[handlers]
impl Tagged {
    fn main(&self, thread: &Thread<'_>) {
        assert!(self.threads() <= COUNTERS, "a page has words for {COUNTERS} threads");
        let NodeId(node) = thread.node();
        let mine = (node * thread.threads() + thread.index()) as usize;
        let mut seen = vec![0; self.pages];
        for round in 0..self.rounds {
            for page in self.way(mine, round) {
                self.visit(thread, mine, page, round, &mut seen[page]);
                thread.poll();
            }
        }
        self.barrier.wait(thread);
        (0..self.pages).for_each(|page| self.check(thread, page));
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        // Every thread has asserted its values.
        Report { checks: 1, ..Report::default() }
    }
}
