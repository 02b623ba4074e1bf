//! The split-phase layer: reads, writes, gets, puts and stores land exactly once, and waits end at the right time.
//!
//! In the random programs every thread has words of its own on every node, that no other thread writes; so under any
//! interleaving, a plain array in the thread says the value of each of them.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use protocols::split_phase::{GlobalPtr, LocalPtr, Memory, Plan, Procedure, SplitPhase};
use tempest::{Cells, FinalState, Handler, Mechanism, NodeId, Protocol, Report, Setup, Thread, handlers};

use crate::Setting;

/// Words of a thread on each node.
const WORDS: u32 = 48;

/// Steps of a random program between two synchronizations of all.
const STEPS: u32 = 60;

/// Synchronizations of all.
const ROUNDS: u64 = 4;

/// Additions of each thread to each node's word.
const ADDITIONS: u64 = 40;

/// Random programs end as a sequential one does: every access lands exactly once, at the latest when it is waited for.
pub fn split_phase_is_memory(setting: &Setting<'_>) {
    let ways = [(1, Mechanism::Messages, false), (2, Mechanism::Bulk, false), (3, Mechanism::Bulk, true)];
    for way in ways {
        setting.verified::<Random>("split_phase_is_memory", way, 2);
    }
}

/// A wait for stored bytes ends when that number has arrived, and their words are in place.
pub fn store_sync_counts_bytes(setting: &Setting<'_>) {
    for blocks in [Mechanism::Messages, Mechanism::Bulk] {
        setting.verified::<Arrivals>("store_sync_counts_bytes", (blocks, Wait::Bytes), 2);
    }
}

/// A synchronization of all stores lets no thread leave before all stores are in place.
pub fn all_store_sync_waits_for_stores(setting: &Setting<'_>) {
    for blocks in [Mechanism::Messages, Mechanism::Bulk] {
        setting.verified::<Arrivals>("all_store_sync_waits_for_stores", (blocks, Wait::All), 2);
    }
}

/// Additions and procedures on one node are atomic: nothing is lost, and no two are told the same.
pub fn procedures_are_atomic(setting: &Setting<'_>) {
    setting.verified::<Atomics>("procedures_are_atomic", (), 2);
}

/// Posted procedures run once each and are atomic, and their bytes are counted like stored bytes.
pub fn posts_are_counted(setting: &Setting<'_>) {
    for wait in [Wait::All, Wait::Bytes] {
        setting.verified::<Posts>("posts_are_counted", wait, 2);
    }
}

/// Random numbers: a linear congruential generator (D. E. Knuth's MMIX), its upper bits.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }
}

/// Threads with random programs.
struct Random {
    seed: u64,
    split: Arc<SplitPhase>,
    /// By owner, across the nodes: its words.
    words: LocalPtr<u64>,
    /// By thread of the node: where its gets land.
    landings: LocalPtr<u64>,
    compared: Cells<u64>,
}

/// A thread's random program, and the words' values by the reference.
struct Walk<'a> {
    memory: Memory<'a>,
    dice: Dice,
    words: LocalPtr<u64>,
    landings: LocalPtr<u64>,
    nodes: u32,
    /// By node and word.
    held: Vec<u64>,
    next: u64,
    compared: u64,
}

impl Protocol for Random {
    /// Seed of the dice, mechanism of blocks, and whether accesses are direct where they can be.
    type Config = (u64, Mechanism, bool);

    fn install(&(seed, blocks, direct): &Self::Config, setup: &mut Setup<'_>) -> Self {
        let shape = setup.shape();
        let mut plan = Plan::new(shape.nodes).blocks_by(blocks).directly(direct);
        let words = plan.local(shape.nodes * shape.threads * WORDS);
        let landings = plan.local(shape.threads * WORDS);
        let split = setup.install::<SplitPhase>(&plan);
        Self { seed, split, words, landings, compared: Cells::new(1, 0) }
    }
}

impl Walk<'_> {
    /// A stretch of words of one node: the first, and how many.
    fn stretch(&mut self) -> (NodeId, u32, usize) {
        let first = self.dice.below(WORDS);
        (NodeId(self.dice.below(self.nodes)), first, 1 + self.dice.below(WORDS - first) as usize)
    }

    fn at(&self, node: NodeId, word: u32) -> GlobalPtr<u64> {
        (self.words + i64::from(word)).on(node)
    }

    fn held(&mut self, node: NodeId, first: u32, len: usize) -> &mut [u64] {
        let start = (node.0 * WORDS + first) as usize;
        &mut self.held[start..start + len]
    }

    /// New values for a stretch, noted as its content.
    fn fresh(&mut self, (node, first, len): (NodeId, u32, usize)) -> Vec<u64> {
        let values: Vec<u64> = (self.next..).take(len).collect();
        self.next += len as u64;
        self.held(node, first, len).copy_from_slice(&values);
        values
    }

    fn expect(&mut self, what: &str, (node, first, len): (NodeId, u32, usize), found: &[u64]) {
        let expected = self.held(node, first, len).to_vec();
        assert_eq!(found, expected, "{what} of {len} words from {first} on {node}");
        self.compared += 1;
    }

    fn landed(&self, first: u32, len: usize) -> Vec<u64> {
        (first..).take(len).map(|word| self.memory.load(self.landings + i64::from(word))).collect()
    }

    fn step(&mut self) {
        let stretch @ (node, first, len) = self.stretch();
        let (at, one) = (self.at(node, first), (node, first, 1));
        match self.dice.below(7) {
            0 => {
                let found = self.memory.read(at);
                self.expect("read", one, &[found]);
            }
            1 => {
                let value = self.fresh(one)[0];
                self.memory.write(at, value);
            }
            2 => {
                self.memory.bulk_read(at, self.landings, len);
                let found = self.landed(0, len);
                self.expect("bulk read", stretch, &found);
            }
            3 => {
                let values = self.fresh(stretch);
                self.memory.bulk_write(at, &values);
            }
            4 => self.gets(stretch),
            5 => self.puts(stretch),
            _ => self.stale_puts(stretch),
        }
    }

    /// Gets, word by word and as a block; when the scope has ended they are here.
    fn gets(&mut self, stretch: (NodeId, u32, usize)) {
        let (node, first, len) = stretch;
        self.memory.split_phase(|scope| {
            let single = len / 2;
            for word in 0..single as u32 {
                let to = self.landings + i64::from(word);
                scope.get(self.at(node, first + word), to);
            }
            let to = self.landings + single as i64;
            scope.bulk_get(self.at(node, first + single as u32), to, len - single);
        });
        let found = self.landed(0, len);
        self.expect("get", stretch, &found);
    }

    /// Puts, word by word and as a block; when the scope has ended they are there.
    fn puts(&mut self, stretch: (NodeId, u32, usize)) {
        let (node, first, len) = stretch;
        let values = self.fresh(stretch);
        self.memory.split_phase(|scope| {
            let (single, block) = values.split_at(len / 2);
            for (word, value) in (first..).zip(single) {
                scope.put(self.at(node, word), *value);
            }
            scope.bulk_put(self.at(node, first + single.len() as u32), block);
        });
        self.memory.bulk_read(self.at(node, first), self.landings, len);
        let found = self.landed(0, len);
        self.expect("put", stretch, &found);
    }

    /// A synchronization inside a scope is one too: a word put before it may be put again.
    fn stale_puts(&mut self, (node, first, _): (NodeId, u32, usize)) {
        let at = self.at(node, first);
        let value = self.fresh((node, first, 1))[0];
        self.memory.split_phase(|scope| {
            scope.put(at, !value);
            scope.sync();
            scope.put(at, value);
        });
    }

    /// Stores to stretches that do not overlap, one on each node.
    fn stores(&mut self) {
        for node in (0..self.nodes).map(NodeId) {
            let (_, first, len) = self.stretch();
            let values = self.fresh((node, first, len));
            let (single, block) = values.split_at(len / 2);
            for (word, value) in (first..).zip(single) {
                self.memory.store(self.at(node, word), *value);
            }
            self.memory.bulk_store(self.at(node, first + single.len() as u32), block);
        }
    }
}

impl Random {
    fn walk<'a>(&'a self, thread: &'a Thread<'a>) -> Walk<'a> {
        let owner = thread.node().0 * thread.threads() + thread.index();
        Walk {
            memory: self.split.on(thread),
            dice: Dice(self.seed << 32 | u64::from(owner)),
            words: self.words + i64::from(owner * WORDS),
            landings: self.landings + i64::from(thread.index() * WORDS),
            nodes: thread.nodes(),
            held: vec![0; (thread.nodes() * WORDS) as usize],
            next: (u64::from(owner) + 1) << 32,
            compared: 0,
        }
    }
}

#[handlers]
impl Random {
    fn main(&self, thread: &Thread<'_>) {
        let mut walk = self.walk(thread);
        for _ in 0..ROUNDS {
            (0..STEPS).for_each(|_| walk.step());
            walk.stores();
            walk.memory.all_store_sync();
        }
        self.compared.add(thread, 0, walk.compared);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        Report::checked(self.compared.get(end, 0) > 0, || "nothing was compared".to_owned())
    }
}

/// The event that ends a wait after storing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// A number of bytes.
    Bytes,
    /// All stores of all threads.
    All,
}

/// The first thread of each node stores to the next node, more each round, and waits for stores from the previous one.
struct Arrivals {
    wait: Wait,
    split: Arc<SplitPhase>,
    words: LocalPtr<u64>,
    compared: Cells<u64>,
}

impl Protocol for Arrivals {
    type Config = (Mechanism, Wait);

    fn install(&(blocks, wait): &(Mechanism, Wait), setup: &mut Setup<'_>) -> Self {
        let mut plan = Plan::new(setup.shape().nodes).blocks_by(blocks);
        let words = plan.local(WORDS * ROUNDS as u32);
        Self { wait, split: setup.install::<SplitPhase>(&plan), words, compared: Cells::new(1, 0) }
    }
}

impl Arrivals {
    /// A round's words, stored one by one and as a block: the count is the same.
    fn store(&self, memory: Memory<'_>, next: NodeId, round: u64) {
        let (words, values) = self.round(round);
        let (single, block) = values.split_at(round as usize * 10);
        single.iter().zip(0..).for_each(|(value, word)| memory.store((words + word).on(next), *value));
        memory.bulk_store((words + single.len() as i64).on(next), block);
    }

    fn compare(&self, thread: &Thread<'_>, memory: Memory<'_>, round: u64) {
        let (words, values) = self.round(round);
        let found: Vec<u64> = (0..WORDS.into()).map(|word| memory.load(words + word)).collect();
        assert_eq!(found, values, "round {round}");
        self.compared.add(thread, 0, 1);
    }

    /// Address and values of the words of a round.
    fn round(&self, round: u64) -> (LocalPtr<u64>, Vec<u64>) {
        let values = (0..WORDS.into()).map(|word| round << 32 | (word + 1)).collect();
        (self.words + (round * u64::from(WORDS)) as i64, values)
    }
}

#[handlers]
impl Arrivals {
    fn main(&self, thread: &Thread<'_>) {
        let memory = self.split.on(thread);
        let next = NodeId((thread.node().0 + 1) % thread.nodes());
        let first = thread.index() == 0;
        for round in 0..ROUNDS {
            if first {
                self.store(memory, next, round);
            }
            match self.wait {
                Wait::All => memory.all_store_sync(),
                Wait::Bytes if first => memory.store_sync(8 * u64::from(WORDS)),
                Wait::Bytes => {}
            }
            if first {
                self.compare(thread, memory, round);
            }
            // Bytes of the next round would count for this one.
            memory.barrier();
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let rounds = self.compared.get(end, 0);
        Report::checked(rounds == ROUNDS, || format!("{rounds} rounds were compared: expected {ROUNDS}"))
    }
}

/// All threads add to a word of each node, and append to a list there.
struct Atomics {
    split: Arc<SplitPhase>,
    layout: List,
    /// Number of threads on all nodes.
    threads: u64,
    compared: Cells<u64>,
}

/// All threads append to a list on each node by procedures that they post, and store words between them.
struct Posts {
    wait: Wait,
    atomics: Atomics,
    /// By thread: the words that it stores, each once.
    stored: LocalPtr<u64>,
}

impl Protocol for Posts {
    type Config = Wait;

    fn install(&wait: &Wait, setup: &mut Setup<'_>) -> Self {
        let mut plan = Plan::new(setup.shape().nodes);
        let stored = plan.local(setup.shape().nodes * setup.shape().threads * ADDITIONS as u32);
        Self { wait, atomics: Atomics::planned(plan, setup), stored }
    }
}

#[handlers]
impl Posts {
    fn main(&self, thread: &Thread<'_>) {
        let memory = self.atomics.split.on(thread);
        let owner = u64::from(thread.node().0 * thread.threads() + thread.index());
        for item in owner * ADDITIONS..(owner + 1) * ADDITIONS {
            for node in (0..thread.nodes()).map(NodeId) {
                memory.post(node, self.atomics.layout.append(item));
                memory.store((self.stored + item as i64).on(node), !item);
            }
        }
        let of_thread = ADDITIONS * (size_of::<Append>() + size_of::<u64>()) as u64;
        match self.wait {
            Wait::All => memory.all_store_sync(),
            Wait::Bytes if thread.index() == 0 => memory.store_sync(self.atomics.threads * of_thread),
            Wait::Bytes => {}
        }
        if thread.index() == 0 {
            let all = self.atomics.threads * ADDITIONS;
            let stored = |item: u64| memory.load(self.stored + item as i64) == !item;
            assert!((0..all).all(stored), "words stored between procedures");
            self.atomics.expect_list(&memory);
            self.atomics.compared.add(thread, 0, 1);
        }
    }

    fn report(&self, quiet: &mut FinalState<'_>) -> Report {
        self.atomics.report(quiet)
    }
}

/// A word that is added to, the list's length, and its items.
#[derive(Clone, Copy)]
struct List {
    word: LocalPtr<u64>,
    length: LocalPtr<u64>,
    items: LocalPtr<u64>,
}

impl List {
    /// The procedure that appends an item.
    fn append(self, item: u64) -> Append {
        Append { length: self.length.offset(), items: self.items.offset(), item }
    }
}

/// Appends an item: reads the length and then writes it, which another append must not interrupt.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Append {
    length: u32,
    items: u32,
    item: u64,
}

impl Procedure for Append {
    fn run(self, arena: &Cells<u64>, cx: &mut Handler<'_>) -> u64 {
        let length = arena.get(cx, self.length as usize);
        arena.set(cx, self.items as usize + length as usize, self.item);
        arena.set(cx, self.length as usize, length + 1);
        length
    }
}

impl Protocol for Atomics {
    type Config = ();

    fn install((): &(), setup: &mut Setup<'_>) -> Self {
        Self::planned(Plan::new(setup.shape().nodes), setup)
    }
}

impl Atomics {
    /// The word and the list, beside the content of a plan.
    fn planned(mut plan: Plan, setup: &mut Setup<'_>) -> Self {
        let shape = setup.shape();
        let threads = shape.nodes * shape.threads;
        let items = plan.local(threads * ADDITIONS as u32);
        let layout = List { word: plan.local(1), length: plan.local(1), items };
        plan.procedure::<Append>();
        let split = setup.install::<SplitPhase>(&plan);
        Self { split, layout, threads: threads.into(), compared: Cells::new(1, 0) }
    }
}

#[handlers]
impl Atomics {
    fn main(&self, thread: &Thread<'_>) {
        let memory = self.split.on(thread);
        let List { word, items, .. } = self.layout;
        let owner = u64::from(thread.node().0 * thread.threads() + thread.index());
        for node in (0..thread.nodes()).map(NodeId) {
            let mut before = None;
            for addition in 0..ADDITIONS {
                let told = memory.fetch_add(word.on(node), 1);
                assert!(before < Some(told), "told {told} after {before:?}");
                before = Some(told);
                let item = owner * ADDITIONS + addition;
                let place = memory.invoke(node, self.layout.append(item));
                assert_eq!(memory.read((items + place as i64).on(node)), item, "item {place} of {node}");
            }
            memory.call(node);
        }
        memory.barrier();
        if thread.index() == 0 {
            self.expect_all(&memory);
            self.compared.add(thread, 0, 1);
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        Report::checked(self.compared.get(end, 0) == 1, || "the list was not compared".to_owned())
    }
}

impl Atomics {
    /// Each node's word counts all additions, and its list has each item once.
    fn expect_all(&self, memory: &Memory<'_>) {
        assert_eq!(memory.load(self.layout.word), self.threads * ADDITIONS);
        self.expect_list(memory);
    }

    fn expect_list(&self, memory: &Memory<'_>) {
        let all = self.threads * ADDITIONS;
        assert_eq!(memory.load(self.layout.length), all);
        let mut items: Vec<u64> = (0..all as i64).map(|item| memory.load(self.layout.items + item)).collect();
        items.sort_unstable();
        assert_eq!(items, (0..all).collect::<Vec<_>>());
    }
}
