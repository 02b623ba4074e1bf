//! Memory operations: the cost of loads, flushes and purges for a processor on an otherwise idle node.
//!
//! The measurement follows M. Swanson et al., *Message Passing Support in the Avalanche Widget*, University of Utah,
//! 1996, figure 2. Each figure is the time of a sequence of instructions less that of the empty harness. A page has
//! 4096 bytes. A loop flushes or purges its lines, with the operation in the delay slot of the branch; then the
//! processor waits for all writes. Immediately before a *dirty* page is flushed or purged, each of its lines is
//! stored to.
//!
//! # Figures
//!
//! All in nanoseconds. A world without a modelled memory system, such as the native one, reports only `unmeasured`,
//! the number of these figures.
//!
//! | figure | timed operation |
//! |---|---|
//! | `miss.used`, `miss.ignored` | a load that misses, whose value the next instruction uses, or none does |
//! | `hit.used` | a load that hits |
//! | `sync.empty`, `sync.one` | waiting for writes: none is outstanding, or one is |
//! | `flush_line`, `purge_line` | flush and purge of a dirty line |
//! | `flush_page.clean`, `flush_page.dirty` | flush of a page |
//! | `purge_page`, `purge_page.dirty` | purge of a clean page, and of a dirty one |
//! | `flush_page.settled`, `flush_half.settled` | flush of a page, and of half a page, dirtied long before: the difference shows the rate of the bus |
//!
//! The time of a load of a message that the interface's buffer holds is measured by `message-memory` (`load`).
//!
//! # How it is checked
//!
//! The caches count misses: a load that is timed as a miss must be a miss, and a load that is timed as a hit must not.
//! Where lines are longer than `line` says, that fails.

use tempest::*;

/// The words of a page.
const PAGE: u32 = 512;

/// The bytes of a word.
const WORD: u32 = 8;

/// The work of setting up the loop over a page: two loads of constants, a mask, an addition, a comparison and a
/// branch.
const SET_UP: Operations = Operations::NONE.integers(6);

/// The work of the branch that ends one round of a loop. It counts down by itself, and the operation stands in its
/// delay slot.
const BRANCH: Operations = Operations::NONE.integers(1);

/// The work of a wait after which nothing is outstanding.
const IDLE: Operations = Operations::NONE.integers(10_000);

/// The names of the figures, in the order of their cells.
const NAMES: [&str; 13] = [
    "miss.ignored",
    "miss.used",
    "hit.used",
    "sync.empty",
    "sync.one",
    "flush_line",
    "purge_line",
    "flush_page.clean",
    "flush_page.dirty",
    "purge_page",
    "purge_page.dirty",
    "flush_page.settled",
    "flush_half.settled",
];

/// The cost of loads, flushes and purges to a processor on an idle node.
#[program]
pub struct MemoryOperations {
    /// measured rounds, of which the mean counts; one comes before them
    #[input(default = 3, range = 1..=100_000)]
    rounds: u32,
    /// bytes of a cache line; a multiple of 8
    #[input(default = 32, range = 8..=256)]
    line: u32,
    #[make(setup.node())]
    node: NodeId,
    #[segment(PAGE as usize)]
    page: Segment<u64>,
    /// The sum of the times of each figure, in the order of [`NAMES`].
    #[cells(NAMES.len())]
    sums: Cells<f64>,
    /// The number of times in each sum.
    #[cells(NAMES.len())]
    counts: Cells<u64>,
    /// The number of loads that have missed though they were timed as hits, or have hit though they were timed as misses.
    #[cells(1)]
    wrong: Cells<u64>,
}

/// The thread that measures, in one round.
struct Probe<'a> {
    program: &'a MemoryOperations,
    thread: &'a Thread<'a>,
    /// Whether the round counts. The first one does not.
    counts: bool,
}

impl Probe<'_> {
    /// Times `what`, less the empty harness, and adds the time to a figure.
    fn time(&self, name: &str, what: impl FnOnce(&Self)) {
        let start = self.thread.now();
        let empty = self.thread.now();
        what(self);
        let taken = self.thread.now().saturating_sub(empty).saturating_sub(empty.saturating_sub(start));
        let place = NAMES.iter().position(|known| *known == name);
        if let (true, Some(place)) = (self.counts, place) {
            self.program.sums.set(
                self.thread,
                place,
                self.program.sums.get(self.thread, place) + taken.as_nanoseconds(),
            );
            self.program.counts.add(self.thread, place, 1);
        }
    }

    /// Times a load that misses, or a load that hits.
    fn time_load(&self, name: &str, word: u32, access: Access, misses: u64) {
        let before = self.thread.memory_events();
        self.time(name, |probe| probe.touch(word, access));
        let missed = self.thread.memory_events().since(before).misses;
        self.program.wrong.add(self.thread, 0, u64::from(missed != misses));
    }

    fn touch(&self, word: u32, access: Access) {
        self.thread.touch(self.program.page.place(word), 1, access);
    }

    fn lines(&self) -> impl Iterator<Item = u32> + use<> {
        (0..PAGE).step_by(self.program.line_words() as usize)
    }

    /// Accesses every line of the page in a loop.
    fn each_line(&self, access: Access) {
        self.each_of(self.lines().count(), access);
    }

    /// Accesses the first `count` lines of the page in a loop.
    fn each_of(&self, count: usize, access: Access) {
        for word in self.lines().take(count) {
            self.thread.charge(BRANCH);
            self.touch(word, access);
        }
    }

    /// Accesses every line of the page in a loop, and waits for the writes.
    fn page(&self, access: Access) {
        self.part(self.lines().count(), access);
    }

    /// Accesses the first `count` lines of the page in a loop, and waits for the writes.
    fn part(&self, count: usize, access: Access) {
        self.thread.charge(SET_UP);
        self.each_of(count, access);
        self.thread.drain();
    }

    fn idle(&self) {
        self.thread.drain();
        self.thread.charge(IDLE);
    }

    /// Brings the node into a known state: no line of the page is cached, no access is outstanding, and the last access
    /// read memory.
    fn start_afresh(&self) {
        self.each_line(Access::Purge);
        self.idle();
        self.touch(PAGE - 1, Access::Load);
        self.idle();
    }

    fn round(&self) {
        let line = self.program.line_words();
        self.start_afresh();
        self.time_load("miss.ignored", 0, Access::LoadIgnored, 1);
        self.idle();
        self.time_load("miss.used", line, Access::Load, 1);
        self.time_load("hit.used", line, Access::Load, 0);
        self.idle();
        self.time("sync.empty", |probe| probe.thread.drain());
        self.touch(0, Access::Store);
        self.idle();
        self.time("flush_line", |probe| probe.touch(0, Access::Flush));
        self.time("sync.one", |probe| probe.thread.drain());
        self.touch(0, Access::Store);
        self.idle();
        self.time("purge_line", |probe| probe.touch(0, Access::Purge));
        self.start_afresh();
        self.each_line(Access::Load);
        self.time("flush_page.clean", |probe| probe.page(Access::Flush));
        self.start_afresh();
        self.each_line(Access::Load);
        self.time("purge_page", |probe| probe.page(Access::Purge));
        self.start_afresh();
        self.each_line(Access::Store);
        self.idle();
        self.time("purge_page.dirty", |probe| probe.page(Access::Purge));
        self.start_afresh();
        self.each_line(Access::Store);
        self.time("flush_page.dirty", |probe| probe.page(Access::Flush));
        let all = self.lines().count();
        for (name, count) in [("flush_page.settled", all), ("flush_half.settled", all / 2)] {
            self.start_afresh();
            self.each_of(count, Access::Store);
            self.idle();
            self.time(name, |probe| probe.part(count, Access::Flush));
        }
    }
}

#[handlers]
impl MemoryOperations {
    /// The words of a cache line.
    fn line_words(&self) -> u32 {
        (self.line / WORD).max(1)
    }

    fn main(&self, thread: &Thread<'_>) {
        thread.phase("operations");
        if thread.node() != NodeId(0) || thread.index() != 0 {
            return;
        }
        thread.touch(self.page.place(0), 1, Access::Load);
        if thread.memory_events().misses == 0 {
            return;
        }
        for round in 0..=self.rounds {
            Probe { program: self, thread, counts: round > 0 }.round();
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        if self.node != NodeId(0) {
            return Report::default();
        }
        let wrong = self.wrong.get(end, 0);
        let mut report = Report::checked(wrong == 0, || {
            format!("{wrong} loads were not the misses or hits that they were timed as")
        });
        if (0..NAMES.len()).all(|place| self.counts.get(end, place) == 0) {
            // Nothing was timed: this world has no memory system that a program could measure.
            report = report.figure("unmeasured", NAMES.len() as f64, Merge::Max);
        }
        for (place, name) in NAMES.iter().enumerate() {
            let (sum, count) = (self.sums.get(end, place), self.counts.get(end, place));
            if count > 0 {
                report = report.measured(name, sum / count as f64, "ns", Merge::Max);
            }
        }
        report
    }
}
