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
//! | figure | what is timed |
//! |---|---|
//! | `miss.used`, `miss.ignored` | a load that misses, whose value the next instruction uses, or none does |
//! | `hit.used` | a load that hits |
//! | `sync.empty`, `sync.one` | waiting for writes: none is outstanding, or one is |
//! | `flush_line`, `purge_line` | flush and purge of a dirty line |
//! | `flush_page.clean`, `flush_page.dirty` | flush of a page |
//! | `purge_page`, `purge_page.dirty` | purge of a clean page, and of a dirty one |
//! | `flush_page.settled`, `flush_half.settled` | flush of a page, and of half a page, dirtied long before: the difference shows the rate of the bus |
//! | `miss.widget` | a load of a message that a second node has sent, where the interface's buffer still holds it |
//!
//! # How it is checked
//!
//! The message that arrives is compared with what was sent. Its line must come from the interface's buffer, if there
//! is one.

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

/// The work of a wait so long that nothing is outstanding after it.
const IDLE: Operations = Operations::NONE.integers(10_000);

/// The names of the figures, in the order of their cells.
const NAMES: [&str; 14] = [
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
    "miss.widget",
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
    #[segment(PAGE as usize)]
    page: Segment<u64>,
    #[segment(PAGE as usize)]
    inbox: Segment<u64>,
    #[segment(PAGE as usize, value = 7)]
    outbox: Segment<u64>,
    #[event]
    ready: Event,
    #[event]
    arrived: Event,
    /// The sum of the times of each figure, in the order of [`NAMES`].
    #[cells(NAMES.len())]
    sums: Cells<f64>,
    /// The number of times in each sum.
    #[cells(NAMES.len())]
    counts: Cells<u64>,
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
            self.program.sums.set(place, self.program.sums.get(place) + taken.as_nanoseconds());
            self.program.counts.add(place, 1);
        }
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

    /// Brings the node into a known state: no line of the page is cached, nothing is outstanding, and the last access
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
        self.time("miss.ignored", |probe| probe.touch(0, Access::LoadIgnored));
        self.idle();
        self.time("miss.used", |probe| probe.touch(line, Access::Load));
        self.time("hit.used", |probe| probe.touch(line, Access::Load));
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

    /// Waits for a message that nothing reads, then times the load of its first line.
    fn receive(&self, sender: NodeId, round: u64) {
        let program = self.program;
        self.thread.send(sender, MemoryOperations::ready());
        self.thread.wait(&program.arrived, round);
        self.idle();
        let before = self.thread.memory_events();
        let load = |probe: &Self| probe.thread.touch(program.inbox.place(0), 1, Access::Load);
        // Only a line that the interface's buffer supplies is this operation.
        if self.thread.memory_events().kept_lines > 0 {
            self.time("miss.widget", load);
        }
        let supplied = self.thread.memory_events().since(before).buffer_supplies;
        let kept = self.thread.memory_events().kept_lines;
        program.wrong.add(0, u64::from(supplied == 0 && kept > 0));
        let wrong = (0..PAGE as usize).filter(|word| program.inbox.cells().get(*word) != 7).count();
        program.wrong.add(0, wrong as u64);
    }
}

#[handlers]
impl MemoryOperations {
    /// The words of a cache line.
    fn line_words(&self) -> u32 {
        (self.line / WORD).max(1)
    }

    /// Tells the sender that the receiver's buffer is free.
    #[message]
    fn ready(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.ready, 1);
    }

    /// Tells the receiver that a message is in its buffer.
    #[message]
    fn arrived(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.arrived, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        thread.phase("operations");
        let (first, second) = (NodeId(0), NodeId(1));
        thread.touch(self.page.place(0), 1, Access::Load);
        if thread.index() != 0 || thread.memory_events().misses == 0 {
            return;
        }
        for round in 0..=u64::from(self.rounds) {
            let probe = Probe { program: self, thread, counts: round > 0 };
            if thread.node() == first {
                probe.round();
                if thread.nodes() > 1 {
                    probe.receive(second, round + 1);
                }
            } else if thread.node() == second {
                thread.wait(&self.ready, round + 1);
                let place = self.inbox.place(0);
                thread.transfer_from(self.outbox.place(0), PAGE as usize, first, place, Self::arrived());
            }
        }
    }

    fn report(&self, _: &mut Quiet<'_>) -> Report {
        let wrong = self.wrong.get(0);
        let mut report = Report::checked(wrong == 0, || format!("{wrong} words have arrived wrong"));
        if (0..NAMES.len()).all(|place| self.counts.get(place) == 0) {
            // No node timed anything: this world has no memory system that a program could measure.
            report = report.figure("unmeasured", NAMES.len() as f64, Merge::Max);
        }
        for (place, name) in NAMES.iter().enumerate() {
            let (sum, count) = (self.sums.get(place), self.counts.get(place));
            if count > 0 {
                report = report.measured(name, sum / count as f64, "ns", Merge::Max);
            }
        }
        report
    }
}
