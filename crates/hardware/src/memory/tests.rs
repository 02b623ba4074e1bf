//! The memory system of the Widget study (M. R. Swanson and others, *Message Passing Support in the Avalanche Widget*,
//! University of Utah, 1996), in cycles: its table of operations comes out of the stages.

use machine::{Banks, Bus, Cache, Placement, Staging};
use units::{Bandwidth, Bytes, Frequency, Time};

use super::*;

mod laws;
mod on_its_way;
mod polls;

const CLOCK: Frequency = Frequency::from_megahertz(120);

pub(super) fn cycles(n: u64) -> Time {
    CLOCK.cycles_to_time(1) * n
}

/// A duration in cycles, rounded: a cycle of 120 MHz is no whole number of femtoseconds.
fn in_cycles(time: Time) -> u64 {
    let cycle = cycles(1).as_femtoseconds();
    (time.as_femtoseconds() + cycle / 2) / cycle
}

pub(super) fn bus() -> Bus {
    Bus {
        clock: CLOCK,
        width: Bytes::new(8),
        cycle: cycles(1),
        arbitration: cycles(2),
        address: cycles(1),
        snoop: Some(cycles(3)),
        multiplexed: true,
        connected: false,
        device: Time::ZERO,
    }
}

pub(super) fn banks() -> Banks {
    Banks {
        count: 2,
        latency: cycles(21),
        read: cycles(24),
        write: cycles(8),
        turnaround: cycles(10),
        accept: cycles(7),
    }
}

pub(super) fn staging() -> Staging {
    Staging {
        size: Bytes::new(8192),
        block: Bytes::new(128),
        tags: 256,
        slots: None,
        deposit: Placement::Buffer,
        append: true,
        interleave: false,
        command: cycles(20),
        packet: cycles(10),
        read_every: cycles(7),
        port: Bandwidth::new(960_000_000).unwrap(),
        store: cycles(1),
        handoff: cycles(10),
        path: cycles(35),
        receive: cycles(10),
        lookup: cycles(25),
        notify: cycles(50),
    }
}

pub(super) fn costs(coherent: bool) -> machine::NodeMemory {
    machine::NodeMemory {
        cache: Cache {
            size: Bytes::new(256 * 1024),
            ways: 1,
            coherent,
            load_use: cycles(1),
            refill: cycles(4),
            misses: 6,
            write_backs: 4,
            acknowledge: cycles(6),
            tag_delay: cycles(u64::from(coherent)),
            sync: cycles(11),
            supply: Some(cycles(19)),
            first: None,
        },
        bus: bus(),
        banks: banks(),
        staging: Some(staging()),
    }
}

/// Caches that snoop, a device that answers after 5, and no staging buffer.
pub(super) fn simple() -> machine::NodeMemory {
    let bus = Bus { device: cycles(5), ..bus() };
    machine::NodeMemory { bus, staging: None, ..costs(true) }
}

/// A processor that issues an instruction a cycle.
struct Program {
    node: NodeMemory,
    now: Time,
}

impl Program {
    fn new(coherent: bool) -> Self {
        Self::with(&costs(coherent))
    }
    fn with(costs: &machine::NodeMemory) -> Self {
        Self { node: NodeMemory::new(costs, Bytes::new(32), 1), now: cycles(1000) }
    }
    fn issue(&mut self, count: u64) -> Time {
        self.now += cycles(count);
        self.now
    }
    fn load(&mut self, line: u64) {
        let issued = self.issue(1);
        self.now = self.node.load(0, line, issued, true);
    }
    fn store(&mut self, line: u64) {
        let issued = self.issue(1);
        self.now = self.node.store(0, line, issued);
    }
    fn flush(&mut self, line: u64) {
        let issued = self.issue(1);
        self.now = self.node.flush(0, line, issued);
    }
    fn sync(&mut self) {
        self.now = self.node.sync(0, self.now);
    }
    fn idle(&mut self) {
        self.issue(1000);
    }
    /// The number of cycles of an action.
    fn measure(&mut self, what: impl FnOnce(&mut Self)) -> u64 {
        let start = self.now;
        what(self);
        in_cycles(self.now - start)
    }
    /// A loop over the lines of a page, the operation in the delay slot of its branch, and a wait for the queue.
    fn page(&mut self, operation: impl Fn(&mut Self, u64)) -> u64 {
        self.measure(|program| {
            program.issue(6);
            for line in 0..128 {
                program.issue(1);
                operation(program, line);
            }
            program.sync();
        })
    }
    fn load_page(&mut self) {
        (0..128).for_each(|line| self.load(line));
        self.idle();
    }
    fn store_page(&mut self) {
        for line in 0..128 {
            self.issue(1);
            self.store(line);
        }
    }
    fn purge(&mut self, line: u64) {
        let issued = self.issue(1);
        self.now = self.node.purge(0, line, issued);
    }
}

#[test]
fn a_load_costs_what_its_stages_add_up_to() {
    for (coherent, miss) in [(false, 30), (true, 33)] {
        let mut program = Program::new(coherent);
        assert_eq!(program.measure(|program| program.load(5)), miss);
        assert_eq!(program.measure(|program| program.load(5)), 2);
        let ignored = |program: &mut Program| {
            let issued = program.issue(1);
            program.now = program.node.load(0, 77, issued, false);
        };
        assert_eq!(program.measure(ignored), 1);
    }
}

#[test]
fn a_seventh_miss_waits_for_the_first() {
    let mut program = Program::new(false);
    let ignore = |program: &mut Program| {
        for line in 0..7 {
            let issued = program.issue(1);
            program.now = program.node.load(0, line, issued, false);
        }
    };
    // Six go out in 6 cycles; the first is back 30 after its issue, and the seventh goes then.
    assert_eq!(program.measure(ignore), 30);
}

#[test]
fn sync_waits_for_what_is_queued() {
    let mut program = Program::new(false);
    assert_eq!(program.measure(Program::sync), 11);
    program.store(3);
    program.idle();
    assert_eq!(program.measure(|program| program.flush(3)), 1);
    assert_eq!(program.measure(Program::sync), 31);
    assert_eq!(program.node.counts().write_backs, 1);
}

#[test]
fn clean_pages_are_flushed_and_purged_alike() {
    for (coherent, page) in [(false, 273), (true, 274)] {
        let mut program = Program::new(coherent);
        program.load_page();
        assert_eq!(program.page(Program::flush), page);
        program.load_page();
        assert_eq!(program.page(Program::purge), page);
        program.store_page();
        program.idle();
        assert_eq!(program.page(Program::purge), page, "nothing is written");
        assert_eq!(program.node.counts().write_backs, 0);
    }
}

#[test]
fn a_page_just_dirtied_is_flushed_behind_its_last_misses() {
    // The published 731 and 799. Alone, 128 write-backs at the bus's rate take 8 + 127 * 5 + 31 = 674; the misses that
    // the stores have left outstanding keep bus and banks busy at first.
    for (coherent, published) in [(false, 731), (true, 799)] {
        let mut program = Program::new(coherent);
        program.store_page();
        let just = program.page(Program::flush);
        let error = just as f64 / published as f64 - 1.0;
        assert!(error.abs() < 0.01, "{just} for {published}");
        program.store_page();
        program.idle();
        let later = program.page(Program::flush);
        assert_eq!(later, if coherent { 674 + 1 + 63 } else { 674 });
    }
}

#[test]
fn a_line_in_the_buffer_comes_without_memory_and_to_stay() {
    let mut program = Program::new(true);
    let (slot, _) = program.node.take_block(program.now).unwrap();
    let lines: Vec<_> = program.node.lines(128, 96).collect();
    assert_eq!(lines, [(4, true), (5, true), (6, true)]);
    // Arbitration 2, then address 1 and snoop 3 for each: asked for while the one before is answered.
    assert_eq!(program.node.own(slot, &lines, program.now), program.now + cycles(2 + 3 * 4));
    program.idle();
    assert_eq!(program.measure(|program| program.load(4)), 12);
    assert_eq!(program.measure(|program| program.store(4)), 1, "it came with the right to write");
    let counts = program.node.counts();
    assert_eq!((counts.memory_reads, counts.buffer_supplies, counts.memory_writes), (0, 1, 0));
}

#[test]
fn a_line_that_is_pushed_into_the_cache_is_a_hit_and_another_leaves_for_it() {
    let mut program = Program::with(&machine::NodeMemory {
        staging: Some(Staging { deposit: Placement::Cache, ..staging() }),
        ..costs(true)
    });
    // Line 8196 has the place of line 4 in the cache: 256 KiB are 8192 lines.
    program.store(8196);
    program.load(5);
    program.idle();
    let (slot, _) = program.node.take_block(program.now).unwrap();
    let lines: Vec<_> = program.node.lines(128, 64).collect();
    // Arbitration 2, then address 1 and data 4 for each line, with the write-back of line 8196 between them, and 4 until the cache
    // has the last.
    assert_eq!(program.node.own(slot, &lines, program.now), program.now + cycles(2 + 3 * 5 + 4));
    program.idle();
    assert_eq!([4, 5].map(|line| program.measure(|program| program.load(line))), [2, 2]);
    assert_eq!(program.measure(|program| program.store(4)), 1, "it came with the right to write");
    let counts = program.node.counts();
    assert_eq!((counts.pushes, counts.displaced, counts.write_backs), (2, 1, 1));
    assert_eq!((counts.kept_blocks, counts.buffer_supplies), (0, 0));
}

#[test]
fn a_line_is_updated_in_the_cache_that_has_it_and_kept_in_the_buffer_otherwise() {
    let mut program = Program::with(&machine::NodeMemory {
        staging: Some(Staging { deposit: Placement::Update, ..staging() }),
        ..costs(true)
    });
    program.load(5);
    program.idle();
    let (slot, _) = program.node.take_block(program.now).unwrap();
    // Half of line 5, and all of lines 6 and 7: the contents of line 5 are fetched and merged.
    let lines: Vec<_> = program.node.lines(5 * 32 + 16, 80).collect();
    program.node.own(slot, &lines, program.now);
    program.idle();
    assert_eq!([5, 6, 7].map(|line| program.measure(|program| program.load(line))), [2, 12, 12]);
    let counts = program.node.counts();
    assert_eq!((counts.pushes, counts.displaced, counts.merges), (1, 0, 1));
    assert_eq!((counts.kept_blocks, counts.kept_lines, counts.buffer_supplies), (1, 2, 2));
}

#[test]
fn lines_that_wait_too_long_go_to_memory_and_cost_a_miss() {
    let mut program = Program::new(true);
    // 64 blocks are all there are; the 65th drives the first out.
    for block in 0..65 {
        let (slot, from) = program.node.take_block(program.now).unwrap();
        let lines: Vec<_> = program.node.lines(block * 128, 128).collect();
        program.now = program.node.own(slot, &lines, from);
        program.idle();
    }
    let counts = program.node.counts();
    assert_eq!((counts.capacity_evictions, counts.memory_writes, counts.conflict_evictions), (4, 4, 0));
    // The first read after writes turns memory round: 10 more.
    assert_eq!(program.measure(|program| program.load(0)), 43);
    assert_eq!(program.measure(|program| program.load(1)), 33);
    assert_eq!(program.measure(|program| program.load(4)), 12);
}

#[test]
fn a_part_of_a_line_is_merged_and_costs_its_contents() {
    let mut whole = Program::new(true);
    let mut part = Program::new(true);
    let at = whole.now;
    let own = |program: &mut Program, bytes| {
        let (slot, _) = program.node.take_block(at).unwrap();
        let lines: Vec<_> = program.node.lines(0, bytes).collect();
        in_cycles(program.node.own(slot, &lines, at) - at)
    };
    assert_eq!(own(&mut whole, 32), 6);
    // Arbitration, address, snoop, memory, four words, into the buffer: 2 + 1 + 3 + 21 + 4 + 5.
    assert_eq!(own(&mut part, 16), 36);
    assert_eq!(part.node.counts().merges, 1);
}

#[test]
fn what_is_sent_comes_from_the_cache_that_has_it_or_from_memory() {
    let mut coherent = Program::new(true);
    coherent.store(0);
    coherent.idle();
    let at = coherent.now;
    // 2 + 1 + 3 + 19 + 4 + 5; the cache keeps its line.
    assert_eq!(in_cycles(coherent.node.stage([0].into_iter(), at) - at), 34);
    coherent.idle();
    assert_eq!(coherent.measure(|program| program.store(0)), 1);
    assert_eq!(coherent.node.counts().transactions, 2);

    let mut software = Program::new(false);
    software.store(0);
    software.idle();
    let at = software.now;
    // 2 + 1 + 21 + 4 + 5, and it is the old line.
    assert_eq!(in_cycles(software.node.stage([0].into_iter(), at) - at), 33);
    assert_eq!(software.node.counts().stale_sends, 1);
}

#[test]
fn a_deposit_that_nobody_snoops_leaves_old_lines_behind() {
    let mut program = Program::new(false);
    program.load(0);
    program.store(1);
    program.idle();
    let at = program.now;
    // Arbitration 2, address 1, data 4, acceptance 7.
    assert_eq!(program.node.deposit(0, true, at), at + cycles(14));
    program.node.deposit(1, true, at + cycles(100));
    program.idle();
    program.load(0);
    program.flush(1);
    let counts = program.node.counts();
    assert_eq!((counts.stale_loads, counts.overwritten), (1, 1));

    let mut coherent = Program::new(true);
    coherent.load(0);
    coherent.store(1);
    coherent.idle();
    coherent.node.deposit(0, true, coherent.now);
    coherent.node.deposit(1, true, coherent.now);
    coherent.idle();
    let missed = coherent.measure(|program| program.load(0));
    assert_eq!(missed, 43, "invalidated; and memory has to be turned round");
    let counts = coherent.node.counts();
    assert_eq!((counts.stale_loads, counts.overwritten, counts.write_backs), (0, 0, 0));
}

#[test]
fn processors_of_a_node_share_and_pass_lines() {
    let mut node = NodeMemory::new(&costs(true), Bytes::new(32), 2);
    let mut at = cycles(0);
    let mut step = |node: &mut NodeMemory, act: &dyn Fn(&mut NodeMemory, Time) -> Time| {
        at += cycles(1000);
        act(node, at) - at
    };
    step(&mut node, &|node, at| node.store(0, 9, at));
    // From the other cache: 2 + 1 + 3 + 19 + 1 + 4.
    assert_eq!(step(&mut node, &|node, at| node.load(1, 9, at, true)), cycles(30));
    let transactions = node.counts().transactions;
    step(&mut node, &|node, at| node.store(1, 9, at));
    assert_eq!(node.counts().transactions, transactions + 1, "an upgrade");
    assert_eq!(step(&mut node, &|node, at| node.load(0, 9, at, true)), cycles(30), "its copy was taken away");
    assert_eq!(node.counts().memory_reads, 1);
}

/// Lets a client of a node with two processors use a line out of a few.
fn act(node: &mut NodeMemory, (what, who, line): (u8, usize, u64), now: Time) -> Time {
    match what {
        0 => node.load(who, line, now, true),
        1 => node.load(who, line, now, false),
        2 => node.store(who, line, now),
        3 => node.flush(who, line, now),
        4 => node.purge(who, line, now),
        5 => node.sync(who, now),
        6 => node.stage([line].into_iter(), now),
        7 => node.deposit(line, who == 0, now),
        _ => {
            let (slot, from) = node.take_block(now).expect("no packet keeps its block here");
            node.own(slot, &[(line, who == 0)], from)
        }
    }
}

proptest::proptest! {
    /// For actions at once or one after the other: a line has one writer, its buffer shares with no cache, no action is
    /// done before its request, the bus carries exactly the counted transactions, and the holders of lines of a class
    /// are known.
    #[test]
    fn clients_of_a_node_agree(
        ways in 1_usize..3, processors in proptest::sample::select(vec![2_usize, 40]),
        deposit in proptest::sample::select(vec![Placement::Buffer, Placement::Update, Placement::Cache]),
        steps in proptest::collection::vec((0_u8..9, 0_usize..2, 0_u64..12, 0_u64..60), 0..200)
    ) {
        // Two sets of one line or two, so that lines are replaced all the time; four blocks and two tags.
        let mut costs = costs(true);
        (costs.cache.size, costs.cache.ways) = (Bytes::new(64 * ways as u64), ways);
        costs.staging = Some(Staging { size: Bytes::new(4 * 128), tags: 2, deposit, ..staging() });
        let mut node = NodeMemory::new(&costs, Bytes::new(32), processors);
        let mut now = Time::ZERO;
        for (what, who, line, later) in steps {
            now += cycles(later);
            proptest::prop_assert!(act(&mut node, (what, who, line), now) >= now);
            for line in 0..12 {
                let state = |who: usize| node.caches.look_up(who, node.sets.spot(line)).state;
                let states = [0, 1].map(state);
                let there = states.iter().filter(|state| **state != State::Invalid).count();
                let alone = |state: &State| matches!(state, State::Modified | State::Exclusive);
                proptest::prop_assert!(there < 2 || !states.iter().any(alone), "{states:?}");
                let kept = node.buffer.as_ref().is_some_and(|buffer| buffer.there(line).is_some());
                proptest::prop_assert!(!kept || there == 0, "{states:?}");
            }
            let class_of = |line| node.holders.class_of(node.sets.spot(line));
            for (class, who) in (0..12).flat_map(|line| [0, 1].map(|who| (class_of(line), who))) {
                let there = |line: &u64| node.caches.look_up(who, node.sets.spot(*line)).state != State::Invalid;
                let has = (0..200).filter(there).any(|line| class_of(line) == class);
                let holds = node.holders.others(class, None).named() >> who & 1 == 1;
                proptest::prop_assert_eq!(holds, has);
            }
        }
        let counts = node.counts();
        let written = counts.write_backs + counts.capacity_evictions + counts.conflict_evictions;
        proptest::prop_assert!(counts.memory_writes >= written);
        proptest::prop_assert_eq!(counts.bus_bytes % 32, 0);
        proptest::prop_assert!(node.bus_busy() >= cycles(counts.transactions + counts.bus_bytes / 8));
    }
}
