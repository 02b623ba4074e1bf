//! Tests of frames for remote pages: the replaced page, and a node's memory.

use std::num::NonZeroU32;

use protocols::stache::STACHE;
use protocols::sync::{BarrierRoom, SharedBarrier};
use tempest::entry::SharedMemory;
use tempest::memory::{AddressSpace, Frames};
use tempest::outcome::Outcome;
use tempest::world::{Launch, World};
use tempest::{
    Array, FinalState, Homes, Job, Layout, NodeId, Protocol, Report, Setup, Shared, Thread, handlers,
};
use tradewind_native::Local;

const BLOCK: u32 = 128;
const PAGE_WORDS: usize = 512;
const FAN_IN: NonZeroU32 = NonZeroU32::MIN.saturating_add(1);

/// A node's accesses to the pages, one after the other.
type Visit = fn(&Thread<'_>, &Shared<u64>, usize);

/// A program: its nodes, and their accesses to a number of pages.
#[derive(Clone, Copy)]
struct Tour {
    nodes: u32,
    homes: Homes,
    frames: Frames,
    pages: usize,
    visit: Visit,
}

struct Plan {
    memory: SharedMemory,
    words: Array<u64>,
    barrier: BarrierRoom,
    tour: Tour,
}

struct Visitor {
    words: Shared<u64>,
    barrier: SharedBarrier,
    tour: Tour,
}

impl Protocol for Visitor {
    type Config = Plan;

    fn install(plan: &Plan, setup: &mut Setup<'_>) -> Self {
        let memory = plan.memory.install(setup);
        let barrier = SharedBarrier::new(setup, &memory, plan.barrier, FAN_IN);
        Self { words: memory.bind(plan.words), barrier, tour: plan.tour }
    }
}

#[handlers]
impl Visitor {
    fn main(&self, thread: &Thread<'_>) {
        let Tour { homes, pages, visit, .. } = self.tour;
        let home_writes = homes == Homes::At(NodeId(0));
        if home_writes && thread.node() == NodeId(0) {
            (0..self.words.len()).step_by(7).for_each(|word| thread.write(&self.words, word, word as u64));
        }
        self.barrier.wait(thread);
        if !home_writes || thread.node() == NodeId(1) {
            (0..pages).for_each(|page| visit(thread, &self.words, page));
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        // The threads have checked all values that they read.
        Report { checks: 1, ..Report::default() }
    }
}

impl Tour {
    /// Node 0 writes its pages, then node 1 visits them.
    fn of_one(frames: Frames, pages: usize, visit: Visit) -> Self {
        Self { nodes: 2, homes: Homes::At(NodeId(0)), frames, pages, visit }
    }

    fn made(self) -> Outcome {
        let mut layout = Layout::new(self.nodes, BLOCK).expect("blocks have a permitted length");
        let words = layout.array("words", self.pages * PAGE_WORDS, self.homes).expect("it is small");
        let barrier = SharedBarrier::room(&mut layout).expect("it is small");
        let space = AddressSpace::new(layout, self.frames).expect("there is a frame");
        let memory = SharedMemory { space, protocol: &STACHE };
        let plan = Plan { memory, words, barrier, tour: self };
        let policy = "single".parse().expect("a policy of this host");
        let launch = Launch { nodes: self.nodes, ..Launch::new(Job::new::<Visitor>(plan), policy) };
        Local::new().run(&launch).expect("it reads what is there")
    }

    /// Number of blocks that travelled from one node to another.
    fn brought(self) -> u64 {
        self.made().counters.volume.data / u64::from(BLOCK)
    }
}

/// Maximum number of blocks that the barrier moves too; it depends on the order of arrival.
const FEW: u64 = 20;

/// Reads a word of a page and checks its value.
fn read(thread: &Thread<'_>, words: &Shared<u64>, word: usize) {
    let expected = if word.is_multiple_of(7) { word as u64 } else { 0 };
    assert_eq!(thread.read(words, word), expected, "word {word}");
}

/// A page that is used between any two new ones travels once, for any number of new ones.
#[test]
fn a_page_in_use_keeps_its_frame() {
    let pages = 200;
    let visit: Visit = |thread, words, page| {
        read(thread, words, page * PAGE_WORDS);
        read(thread, words, 0);
    };
    let brought = |frames| Tour::of_one(frames, pages, visit).brought();
    let once = brought(Frames::All);
    let kept = brought(Frames::AtMost(8));
    assert!(kept < once + FEW, "{kept} blocks are brought, {once} with room for all");
    let moved = brought(Frames::AtMost(3));
    assert!(moved > once + FEW, "{moved} blocks are brought where the page that came first goes first");
}

/// Each node fills pages that another node manages: no block travels if the home is the node that touches first.
#[test]
fn a_page_lives_where_it_is_touched_first() {
    let visit: Visit = |thread, words, page| {
        let NodeId(node) = thread.node();
        if (page + 1) % 3 == node as usize {
            (0..PAGE_WORDS).for_each(|word| thread.write(words, page * PAGE_WORDS + word, word as u64));
        }
    };
    let brought = |homes| Tour { nodes: 3, homes, frames: Frames::AtMost(2), pages: 30, visit }.brought();
    let moved = brought(Homes::RoundRobin);
    assert!(moved >= 30 * 32, "{moved} blocks: each of 30 pages is written away from its home");
    let moved = brought(Homes::FirstTouch);
    assert!(moved < FEW, "{moved} blocks: each page is written at its home");
}

/// Environment variable of the child process: the room of node 1.
const ROOM: &str = "TRADEWIND_TEST_FRAMES";

/// Pages of the array that is visited twice.
const MANY: usize = 2048;

/// The child of the next test: prints its memory after node 1 has visited all pages. Does nothing by itself.
#[test]
#[cfg(target_os = "linux")]
#[expect(clippy::print_stdout, reason = "the parent reads it")]
fn memory_when_all_pages_have_been_visited() {
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Resident pages of the process.
    static RESIDENT: AtomicU64 = AtomicU64::new(0);

    let Ok(room) = std::env::var(ROOM) else { return };
    let visit: Visit = |thread, words, page| {
        let blocks = || (page * PAGE_WORDS..(page + 1) * PAGE_WORDS).step_by(BLOCK as usize / 8);
        blocks().for_each(|word| read(thread, words, word));
        if page + 1 == MANY {
            let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux tells a process its size");
            let resident = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok());
            RESIDENT.store(resident.expect("a number of pages"), Ordering::Relaxed);
        }
    };
    Tour::of_one(room.parse().expect("room for pages"), MANY, visit).made();
    println!("resident: {}", RESIDENT.load(Ordering::Relaxed));
}

/// Memory in bytes of a process in which node 1 visits all pages with room `room`.
#[cfg(target_os = "linux")]
fn resident(room: &str) -> i64 {
    let child = std::process::Command::new(std::env::current_exe().expect("this test binary"))
        .args(["--exact", "frames::memory_when_all_pages_have_been_visited", "--nocapture"])
        .env(ROOM, room)
        .output()
        .expect("this test binary runs");
    let text = String::from_utf8_lossy(&child.stdout);
    let number =
        text.split("resident: ").nth(1).and_then(|rest| rest.split_whitespace().next()?.parse::<i64>().ok());
    let pages = number.unwrap_or_else(|| panic!("{text}{}", String::from_utf8_lossy(&child.stderr)));
    pages * rustix::param::page_size() as i64
}

/// A node's memory depends on the number of its frames, not of the visited pages. A page in a frame takes its 4096 bytes, and less than
/// half of that for tags and entries.
#[test]
#[cfg(target_os = "linux")]
fn memory_is_bounded_by_frames() {
    const PAGE: i64 = 4096;
    const SPARE: i64 = 1 << 20;
    let [few, more, all] = ["16", "512", "on-demand"].map(resident);
    let takes =
        |frames: i64, over: i64| (frames * PAGE - SPARE..frames * PAGE * 3 / 2 + SPARE).contains(&over);
    assert!(takes(512 - 16, more - few), "512 frames take {} bytes more than 16", more - few);
    assert!(
        takes(MANY as i64 - 16, all - few),
        "room for {MANY} pages takes {} bytes more than 16",
        all - few
    );
}
