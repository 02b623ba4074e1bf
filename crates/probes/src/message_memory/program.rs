//! The program of message-memory: rounds of posting, sending, receiving and reading.
//!
//! This module must never know which world runs it.

use std::hint::black_box;

use tempest::entry::InputError;
use tempest::outcome::MemoryEvents;
use tempest::*;
use units::Time;
use units::plural::several;

const WORD_BYTES: u32 = 8;
/// The words of a page.
const PAGE: u32 = 512;
/// The number of warm-up rounds, before the rounds that count.
const WARM_UP: u32 = 2;

/// The work of setting up a loop over lines: constants, a mask, an addition, a comparison and a branch.
const SET_UP: Operations = Operations::NONE.integers(6);
/// The work of the branch that ends one round of a loop; the flush or purge stands in its delay slot.
const BRANCH: Operations = Operations::NONE.integers(1);
/// The work before the first load of the reading loop: call, address, bound, and the register of the sum.
const BEGIN_READING: Operations = Operations::NONE.integers(8);
/// The work of the reading loop for each word: an addition and a branch.
const USE: Operations = Operations::NONE.integers(2);
/// The work of a wait after which nothing is outstanding.
const SETTLE: Operations = Operations::NONE.integers(20_000);

/// The names of the times that are added up, in the order of their cells.
const TIMES: [&str; 9] = ["arrival", "consume", "total", "flush", "all", "other", "reuse", "copy", "load"];

const ARRIVAL: usize = 0;
const CONSUME: usize = 1;
const TOTAL: usize = 2;
const FLUSH: usize = 3;
const ALL: usize = 4;
const OTHER: usize = 5;
const REUSE: usize = 6;
const COPY: usize = 7;
const LOAD: usize = 8;

/// A message from the cache of one node to the cache of another, and the work of the memory systems for it.
#[program(mechanisms = [Bulk], problem = (), nodes = needed(inputs))]
pub struct MessageMemory {
    /// of a message; rounded up to words of 8
    #[input(default = 4096, range = 8..=65536)]
    bytes: u32,
    /// timed rounds, of which the mean counts; two come before them
    #[input(default = 10, range = 1..=100_000)]
    rounds: u32,
    /// bytes of a cache line; a multiple of 8
    #[input(default = 32, range = 8..=256)]
    line: u32,
    /// further messages, each to a page of its own, that arrive before the first is read
    #[input(default = 0, range = 0..=63)]
    unread: u32,
    /// whether the sender reads its message again
    #[input(default = 0, range = 0..=1)]
    reuse: u32,
    /// unrelated lines that the sender has flushed just before
    #[input(default = 0, range = 0..=64)]
    queued: u32,
    /// times that software copies the message, at the receiver, before it is read
    #[input(default = 0, range = 0..=8)]
    copies: u32,
    /// whether node 1 sends to node 0 at the same time
    #[input(default = 0, range = 0..=1)]
    both: u32,
    /// bytes of a message to node 2, sent right behind the first; needs three nodes
    #[input(default = 0, range = 0..=65536)]
    other: u32,
    /// what software leaves out where caches do not snoop: 1 the sender's flush, 2 the receiver's purge, 3 the receiver's
    /// flush of a buffer it has written to, until the message is there
    #[input(default = 0, range = 0..=3)]
    careless: u32,
    /// receive buffers at each node, segments of their own, that take turns from round to round
    #[input(default = 1, range = 1..=1024)]
    buffers: u32,
    #[make(setup.node())]
    node: NodeId,
    #[segment(room(bytes, other))]
    outbox: Segment<u64>,
    #[segment(room(bytes, other) * (1 + unread as usize))]
    inbox: Segment<u64>,
    #[segment(room(bytes, other))]
    copy: Segment<u64>,
    #[segment(queued as usize * 32)]
    unrelated: Segment<u64>,
    /// The receive buffers besides `inbox`.
    #[make(further(setup, buffers, room(bytes, other)))]
    further: Vec<Segment<u64>>,
    #[event]
    ready: Event,
    #[event]
    arrived: Event,
    /// The time at which the send of the last arrived message began, in femtoseconds.
    #[cells(1)]
    begun: Cells<u64>,
    #[cells(TIMES.len())]
    sums: Cells<f64>,
    #[cells(TIMES.len())]
    counts: Cells<u64>,
    #[cells(SENDER.len())]
    events: Cells<u64>,
    #[cells(1)]
    wrong: Cells<u64>,
}

/// The words of a buffer: whole pages, with room for a message of either length in bytes.
fn room(bytes: u32, other: u32) -> usize {
    bytes.max(other).div_ceil(WORD_BYTES).next_multiple_of(PAGE) as usize
}

/// Makes the receive buffers besides the first, of `words` words each.
fn further(setup: &mut Setup<'_>, buffers: u32, words: usize) -> Vec<Segment<u64>> {
    (1..buffers).map(|_| setup.segment("message-memory.further", words, 0)).collect()
}

/// The value of a word of the message of a round.
fn pattern(round: u32, word: u32) -> u64 {
    (u64::from(round) << 32) | (u64::from(word) + 1)
}

/// The thread of a node in one round.
struct Round<'a> {
    program: &'a MessageMemory,
    thread: &'a Thread<'a>,
    number: u32,
}

impl Round<'_> {
    /// The receive buffer of the round.
    fn inbox(&self) -> &Segment<u64> {
        let turn = (self.number % self.program.buffers) as usize;
        turn.checked_sub(1).map_or(&self.program.inbox, |turn| &self.program.further[turn])
    }

    fn add(&self, which: usize, time: Time) {
        if self.number > WARM_UP {
            self.program.sums.set(
                self.thread,
                which,
                self.program.sums.get(self.thread, which) + time.as_nanoseconds(),
            );
            self.program.counts.add(self.thread, which, 1);
        }
    }

    /// The offset of each line in `words` words.
    fn lines(&self, words: u32) -> impl Iterator<Item = u32> + use<> {
        (0..words).step_by(self.program.line_words() as usize)
    }

    /// Flushes or purges every line of some words in a loop, and waits for the writes.
    fn clear(&self, segment: &Segment<u64>, words: u32, access: Access) {
        self.thread.charge(SET_UP);
        for word in self.lines(words) {
            self.thread.charge(BRANCH);
            self.thread.touch(segment.place(word), 1, access);
        }
        self.thread.drain();
    }

    /// Reads one word of every line, and uses it. Returns the time of the first load.
    fn read(&self, segment: &Segment<u64>) -> Time {
        self.thread.charge(BEGIN_READING);
        let mut first = Time::ZERO;
        let begun = self.thread.now();
        for word in self.lines(self.program.words()) {
            let value = self.thread.words(segment).get(word as usize);
            if word == 0 {
                first = self.thread.now().saturating_sub(begun);
            }
            black_box(value);
            self.thread.charge(USE);
        }
        first
    }

    /// Fills the message and leaves all its lines dirty.
    fn fill(&self) {
        let words = self.program.words().max(self.program.other_words());
        for word in 0..words {
            self.program.outbox.cells().set(self.thread, word as usize, pattern(self.number, word));
        }
        self.thread.touch(self.program.outbox.place(0), words as usize, Access::Store);
        self.thread.drain();
        self.thread.charge(SETTLE);
    }

    /// Flushes lines unrelated to the message, so that they are on their way to memory.
    fn queue_unrelated(&self) {
        for line in 0..self.program.queued {
            self.thread.touch(self.program.unrelated.place(line * 32), 1, Access::Store);
        }
        self.thread.charge(SETTLE);
        for line in 0..self.program.queued {
            self.thread.touch(self.program.unrelated.place(line * 32), 1, Access::Flush);
        }
    }

    fn transfer(&self, to: NodeId, words: u32, place: Place, begun: Time) {
        let arrived = MessageMemory::arrived(begun.as_femtoseconds());
        self.thread.transfer(to, place, &[self.program.outbox.piece(0, words)], arrived);
    }

    /// Makes the message of a round and sends it, with all messages that follow it. Returns the memory system's
    /// counts at the beginning of the send.
    fn send(&self, to: NodeId) -> MemoryEvents {
        let program = self.program;
        self.fill();
        self.queue_unrelated();
        let before = self.thread.memory_events();
        let begun = self.thread.now();
        if !self.thread.is_coherent() && self.program.careless != 1 {
            self.clear(&program.outbox, program.words(), Access::Flush);
        }
        let flushes = !self.thread.is_coherent();
        self.add(FLUSH, if flushes { self.thread.now().saturating_sub(begun) } else { Time::ZERO });
        let room = (program.outbox.cells().len()) as u32;
        for message in 0..=program.unread {
            let place = self.inbox().place(message * room);
            self.transfer(to, program.words(), place, begun);
        }
        if program.other_words() > 0 {
            self.transfer(NodeId(2), program.other_words(), program.inbox.place(0), self.thread.now());
        }
        if self.program.reuse == 1 {
            self.thread.charge(SETTLE);
            let start = self.thread.now();
            self.read(&program.outbox);
            self.add(REUSE, self.thread.now().saturating_sub(start));
        }
        before
    }

    /// Makes sure that no line of the buffers is cached, and tells the sender that they are posted.
    fn post(&self, from: NodeId) {
        let inbox = self.inbox();
        if !self.thread.is_coherent() {
            let words = inbox.cells().len() as u32;
            match self.program.careless {
                2 => {}
                3 => self.thread.touch(inbox.place(0), words as usize, Access::Store),
                _ => self.clear(inbox, words, Access::Purge),
            }
            self.thread.drain();
            self.thread.charge(SETTLE);
        }
        self.thread.send(from, MessageMemory::ready());
    }

    /// Waits for all messages of the round, and reads the first one.
    fn receive(&self, so_far: u64) {
        let program = self.program;
        let messages = 1 + u64::from(program.unread);
        self.thread.wait(&program.arrived, so_far + 1);
        let arrived = self.thread.now();
        let begun = Time::from_femtoseconds(program.begun.get(self.thread, 0));
        let arrival = arrived.saturating_sub(begun);
        self.add(ARRIVAL, arrival);
        self.thread.wait(&program.arrived, so_far + messages);
        self.add(ALL, self.thread.now().saturating_sub(begun));
        if !self.thread.is_coherent() && self.program.careless == 3 {
            self.clear(self.inbox(), program.words(), Access::Flush);
        }
        self.copy();
        let start = self.thread.now();
        let load = self.read(self.inbox());
        let consume = self.thread.now().saturating_sub(start);
        self.add(CONSUME, consume);
        self.add(LOAD, load);
        self.add(TOTAL, arrival + consume);
        self.check(program.words());
    }

    /// Copies the message by software: from its buffer, then from copy to copy.
    fn copy(&self) {
        let start = self.thread.now();
        let program = self.program;
        for copy in 0..program.copies {
            let (from, to) =
                if copy == 0 { (self.inbox(), &program.copy) } else { (&program.copy, &program.outbox) };
            for word in 0..program.words() {
                self.thread.touch(from.place(word), 1, Access::Load);
                self.thread.touch(to.place(word), 1, Access::Store);
                self.thread.charge(BRANCH);
            }
        }
        if program.copies > 0 {
            self.add(COPY, self.thread.now().saturating_sub(start));
        }
    }

    fn check(&self, words: u32) {
        let cells = self.inbox().cells();
        let wrong = (0..words)
            .filter(|&word| cells.get(self.thread, word as usize) != pattern(self.number, word))
            .count();
        self.program.wrong.add(self.thread, 0, wrong as u64);
    }

    /// Waits for the message to node 2, and checks it.
    fn receive_other(&self) {
        self.thread.wait(&self.program.arrived, u64::from(self.number));
        let begun = Time::from_femtoseconds(self.program.begun.get(self.thread, 0));
        self.add(OTHER, self.thread.now().saturating_sub(begun));
        self.check(self.program.other_words());
    }
}

/// The number of nodes between which messages go.
fn needed(inputs: &MessageMemoryInputs) -> u32 {
    if inputs.other > 0 { 3 } else { 2 }
}

#[handlers]
impl MessageMemory {
    fn prepare(inputs: &MessageMemoryInputs, shape: Shape, _seed: u64) -> Result<(), InputError> {
        let (needed, nodes) = (needed(inputs), shape.nodes);
        if nodes < needed {
            let expected = format!("expected --nodes of at least {needed}, as messages go between nodes");
            return Err(InputError::Together(format!("{}: {expected}", several(nodes, "node"))));
        }
        if inputs.buffers > 1 && (inputs.unread > 0 || inputs.other > 0) {
            let expected = "expected unread=0 and other=0, which are for one buffer";
            return Err(InputError::Together(format!("buffers={}: {expected}", inputs.buffers)));
        }
        Ok(())
    }

    /// The words of a message.
    fn words(&self) -> u32 {
        self.bytes.div_ceil(WORD_BYTES)
    }

    /// The words of the message to node 2.
    fn other_words(&self) -> u32 {
        self.other.div_ceil(WORD_BYTES)
    }

    /// The words of a cache line.
    fn line_words(&self) -> u32 {
        (self.line / WORD_BYTES).max(1)
    }

    /// Tells the sender that the receiver's buffer is posted.
    #[message]
    fn ready(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.ready, 1);
    }

    /// Tells the receiver that a message is in its buffer, and the time at which its send began, in femtoseconds. The
    /// time belongs to the measurement, so it has no modelled bytes.
    #[message(bytes = 0)]
    fn arrived(&self, begun: u64, cx: &mut Handler<'_>) {
        self.begun.set(cx, 0, begun);
        cx.signal(&self.arrived, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        thread.phase("messages");
        let (both, node) = (self.both == 1, thread.node().0);
        let (sends, receives) = (node == 0 || both && node == 1, node == 1 || both && node == 0);
        if thread.index() != 0 {
            return;
        }
        for number in 1..=WARM_UP + self.rounds {
            let round = Round { program: self, thread, number };
            let peer = NodeId(1 - node.min(1));
            let mut before = thread.memory_events();
            if receives {
                round.post(peer);
            }
            if sends {
                thread.wait(&self.ready, u64::from(number));
                before = round.send(peer);
            }
            if receives {
                round.receive(u64::from(number - 1) * (1 + u64::from(self.unread)));
            }
            if node == 2 && self.other_words() > 0 {
                round.receive_other();
            }
            // Traffic that is still on its way belongs to this round.
            thread.charge(SETTLE);
            if number > WARM_UP {
                let counted = values(thread.memory_events().since(before));
                for (place, count) in counted.into_iter().enumerate() {
                    self.events.add(thread, place, count);
                }
            }
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let wrong = self.wrong.get(end, 0);
        let mut report = Report::checked(wrong == 0, || format!("{wrong} words have arrived wrong"));
        for (place, name) in TIMES.into_iter().enumerate() {
            let count = self.counts.get(end, place);
            if count > 0 {
                report = report.measured(name, self.sums.get(end, place) / count as f64, "ns", Merge::Max);
            }
        }
        let counts = (0..SENDER.len()).any(|place| self.events.get(end, place) > 0);
        let names = match self.node.0 {
            0 if counts => SENDER,
            1 if counts => RECEIVER,
            _ => return report,
        };
        let rounds = f64::from(self.rounds);
        for (place, name) in names.into_iter().enumerate() {
            report = report.figure(name, self.events.get(end, place) as f64 / rounds, Merge::Max);
        }
        report
    }
}

/// Lists the counts of the memory system once, for both nodes.
macro_rules! counted {
    ($($field:ident,)*) => {
        /// The names of the counts of node 0.
        const SENDER: [&str; [$(stringify!($field)),*].len()] = [$(concat!("sender.", stringify!($field))),*];
        /// The names of the counts of node 1.
        const RECEIVER: [&str; SENDER.len()] = [$(concat!("receiver.", stringify!($field))),*];

        /// The values of the counts, in the order of the names.
        fn values(events: MemoryEvents) -> [u64; SENDER.len()] {
            [$(events.$field),*]
        }
    };
}

counted! {
    bus_transactions,
    bus_bytes,
    memory_reads,
    memory_writes,
    cache_supplies,
    buffer_supplies,
    write_backs,
    evictions,
    pushes,
    displaced,
    slot_lookups,
    slot_misses,
    merges,
    kept_blocks,
    kept_lines,
    packets,
    fall_throughs,
    stale_loads,
    stale_sends,
    overwritten,
}
