//! Fine-grain shared memory on the machines whose protocol events go through a parallel dispatch queue: a remote miss
//! takes the time that the study measured, row by row, and throughput ends where the protocol processors' time does.

use std::sync::atomic::{AtomicU64, Ordering};

use machine::Machine;
use protocols::stache::{Config, Stache};
use tempest::outcome::{Outcome, Resource, Stage, Utilization, VolumeBytes};
use tempest::world::{Launch, World};
use tempest::{
    Array, FinalState, Homes, Job, Layout, Mechanism, NodeId, Protocol, Report, Setup, Shared, Thread,
    handlers,
};
use tradewind_sim::Model;
use units::{Time, TotalTime};

use crate::setup::machine;

/// Words of the largest block.
const WORDS: usize = 16;

/// Every thread reads words of the next node, each in a block of its own, one after the other.
struct Reads {
    words: Shared<u64>,
    /// Blocks of each thread.
    count: usize,
    /// Whether every node does, or the first only.
    all: bool,
    /// Femtoseconds of the last read.
    last: AtomicU64,
}

struct Plan {
    config: Config,
    words: Array<u64>,
    count: usize,
    all: bool,
}

impl Protocol for Reads {
    type Config = Plan;

    fn install(plan: &Plan, setup: &mut Setup<'_>) -> Self {
        let words = setup.install::<Stache>(&plan.config).bind(plan.words);
        Self { words, count: plan.count, all: plan.all, last: AtomicU64::new(0) }
    }
}

#[handlers]
impl Reads {
    fn main(&self, thread: &Thread<'_>) {
        thread.phase("reads");
        if self.all || thread.node() == NodeId(0) && thread.index() == 0 {
            let next = NodeId((thread.node().0 + 1) % thread.nodes());
            for index in 0..self.count {
                let own = thread.index() as usize * self.count + index;
                let before = thread.now();
                assert_eq!(thread.read(&self.words, self.words.at(next, own * WORDS)), 0);
                self.last.store((thread.now() - before).as_femtoseconds(), Ordering::Relaxed);
            }
        }
        thread.phase("end");
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        let cycles = self.last.load(Ordering::Relaxed) as f64 / 2.5e6;
        Report::checked(true, String::new).figure("cycles", cycles, tempest::Merge::Max)
    }
}

fn reads(name: &str, policy: &str, shape: (u32, u32), block: u32, count: usize) -> Outcome {
    // Memory is highly interleaved: bank conflicts of this program's strides are no part of the test. Nor are directory
    // entries that a cache has no room for.
    let set = [("memory.banks.count", "4093"), ("cache.size", "\"8 MiB\"")];
    reads_on(machine(name, &set), policy, shape, block, count)
}

fn reads_on(
    machine: Machine,
    policy: &str,
    (nodes, processors): (u32, u32),
    block: u32,
    count: usize,
) -> Outcome {
    let mut layout = Layout::new(nodes, block).expect("a block of a permitted size");
    let all = nodes > 2;
    let threads = processors as usize;
    let words =
        layout.array("words", threads * count * WORDS * nodes as usize, Homes::Parts).expect("it is small");
    let job = Job::new::<Reads>(Plan { config: Config::new(layout), words, count, all });
    let launch = Launch {
        nodes,
        processors,
        mechanism: Mechanism::SharedMemory,
        ..Launch::new(job, policy.parse().expect("a policy"))
    };
    Model::new(machine).run(&launch).unwrap_or_else(|failure| panic!("{failure}"))
}

/// The mean of a step of all events of kinds with this in their name, in cycles; zero if none took it.
fn step(outcome: &Outcome, kind: &str, name: &str) -> f64 {
    let stages = outcome.anatomy.iter().filter(|stage| stage.kind.contains(kind));
    let mean = stages.filter_map(|stage| stage.step(name)).next().map_or(Time::ZERO, |step| step.mean());
    mean.as_nanoseconds() / 2.5
}

/// The travel through the network of an event of a kind, in cycles.
fn travel(outcome: &Outcome, kind: &str) -> f64 {
    let stage = outcome.anatomy.iter().find(|stage| stage.kind.contains(kind)).expect("there were such");
    stage.travel.as_nanoseconds() / 2.5 / stage.events as f64
}

#[test]
fn a_remote_read_takes_the_rows_of_the_study() {
    let (request, reply, response) = ("::Faulted", "::Ask", "::Supply");
    for (name, policy, rows) in [
        ("s-coma", "s-coma", [5, 12, 0, 100, 1, 8, 136, 100, 1, 8, 6, 63]),
        ("hurricane", "hurricane:1", [5, 16, 36, 100, 3, 61, 140, 100, 4, 50, 6, 63]),
        ("hurricane-1", "hurricane-1:1", [5, 87, 141, 100, 51, 121, 205, 100, 50, 63, 178, 63]),
    ] {
        // The study's network takes the same for a request of 16 bytes and a reply of 80; here the reply takes half a cycle more.
        let mut expected = rows.map(f64::from);
        (expected[3], expected[7]) = (99.75, 100.25);
        let outcome = reads(name, policy, (2, 1), 64, 20);
        let of =
            |kind: &str, steps: &[&str]| steps.iter().map(|name| step(&outcome, kind, name)).sum::<f64>();
        let found = [
            of(Stage::ACCESS, &["detect_miss"]),
            of(request, &["dispatch_fault"]),
            of(request, &["read_fault_state", "send_header"]),
            travel(&outcome, reply),
            of(reply, &["dispatch"]),
            of(reply, &["directory_lookup"]),
            of(reply, &["fetch_block", "set_tag", "send_header"]),
            travel(&outcome, response),
            of(response, &["dispatch"]),
            of(response, &["place_block", "set_tag"]),
            of(response, &["resume"]),
            of(Stage::ACCESS, &[Stage::COMPLETE]),
        ];
        assert_eq!(found, expected, "{name}: {:#?}", outcome.anatomy);
        let total = outcome.report.figures[0].value;
        assert_eq!(total, rows.iter().sum::<i32>().into(), "{name}: the last read");
    }
}

#[test]
fn computing_processors_pay_their_own_way_to_a_device_whoever_is_inside() {
    let time = |name: &str, policy: &str| reads(name, policy, (2, 1), 64, 20).time;
    assert_eq!(time("hurricane", "single"), time("hurricane-1", "single"));
    assert!(time("hurricane", "hurricane:1") < time("hurricane", "single"));
}

#[test]
fn a_block_has_arrived_when_its_last_byte_has() {
    for (block, bandwidth) in [(64, "1 MB/s"), (128, "1 MB/s"), (128, "8 MB/s")] {
        let slow = machine("hurricane-1", &[("interface.bandwidth", bandwidth)]);
        let rate = slow.interface.bandwidth.as_bytes_per_second() as f64;
        let outcome = reads_on(slow, "hurricane-1:1", (2, 1), block, 20);
        // A request is a header, the reply a header and the block; both have the same latency.
        let apart = (travel(&outcome, "::Supply") - travel(&outcome, "::Ask")) * 2.5;
        let expected = f64::from(block) / rate * 1e9;
        assert!((apart - expected).abs() < 1e-3, "{block} B at {bandwidth}: {apart} ns, expected {expected}");
    }
}

/// The cycles for which a miss keeps protocol processors busy, at both ends together, for blocks of `lines` lines: the
/// rows of the study, and the completions off the path.
fn occupancy(name: &str, lines: u32) -> u32 {
    let (fixed, each_line) = match name {
        // 12 + 0; 1 + 8 + 8 + 0; 1 + 0 + 8 + 6.
        "s-coma" => (12 + 17 + 15, 64),
        // 16 + 36; 3 + 61 + 8 + 4; 4 + 34 + 8 + 6; three completions of 1.
        "hurricane" => (52 + 76 + 52 + 3, 64 + 4),
        // 87 + 141; 51 + 121 + 28 + 49; 50 + 3 + 28 + 178; three completions of 12.
        "hurricane-1" => (228 + 249 + 259 + 36, 64 + 16),
        _ => unreachable!("{name} is none of the three"),
    };
    fixed + lines * each_line
}

/// Cycles of a node for each miss when all its processors miss all the time.
fn cycles_a_miss(name: &str, policy: &str, block: u32) -> f64 {
    // An odd number of blocks: the threads' own are not all in the same banks.
    let (processors, count) = (8, 201);
    let outcome = reads(name, policy, (4, processors), block, count);
    outcome.phases[0].time.as_nanoseconds() / 2.5 / f64::from(processors) / count as f64
}

/// Asserts that a saturated run is limited by the machine's protocol processors; returns the cycles of a miss.
fn saturated(name: &str, policy: &str, lines: u32) -> f64 {
    let (cycles, busy) = (cycles_a_miss(name, policy, 32 * lines), f64::from(occupancy(name, lines)));
    // Beyond that they wait for the bus, on which the state machine leaves the least time unused.
    let most = if name == "s-coma" { 1.12 } else { 1.05 };
    assert!(cycles >= busy && cycles < busy * most, "{name}: {cycles} cycles, {busy} of them busy");
    cycles
}

#[test]
fn throughput_ends_where_protocol_processors_are_busy() {
    // As shares of the state machine's: (172 + 64 (lines - 2)) to 316 and 896 and as much more, without completions and
    // the cost of placing a longer block.
    for (lines, hurricane, hurricane_1) in [(1, 0.43, 0.13), (2, 0.54, 0.19), (4, 0.68, 0.29)] {
        let hardware = saturated("s-coma", "s-coma", lines);
        for (name, share) in [("hurricane", hurricane), ("hurricane-1", hurricane_1)] {
            let found = hardware / saturated(name, &format!("{name}:1"), lines);
            assert!((found / share - 1.0).abs() < 0.1, "{name}, {lines} lines: {found}, expected {share}");
        }
    }
}

/// Every line of a block crosses one bus to be fetched and one to be placed, and one line is loaded, in 16 cycles each.
#[test]
fn a_miss_takes_no_less_than_its_lines_take_the_bus() {
    for lines in [1, 2, 4] {
        let (needed, took) = (16 * (2 * lines + 1), cycles_a_miss("hurricane", "hurricane:8", 32 * lines));
        assert!(took >= f64::from(needed), "{lines} lines: {took} cycles, the bus needs {needed}");
    }
}

#[test]
fn more_protocol_processors_do_more_until_something_else_is_busy() {
    for (name, expected) in [("hurricane", [0.63, 0.43]), ("hurricane-1", [0.6, 0.4])] {
        let [one, two, four] = [1, 2, 4].map(|count| cycles_a_miss(name, &format!("{name}:{count}"), 64));
        // Directory entries that another had last, and the bus, keep them from twice and four times as much.
        assert!(two > one / 2.0 && two < one * (expected[0] + 0.02), "{name}: {one} {two}");
        assert!(four > one / 4.0 && four < one * (expected[1] + 0.02), "{name}: {one} {four}");
    }
}

#[test]
fn a_processor_whose_thread_waits_for_a_block_waits_for_memory() {
    let outcome = reads("s-coma", "s-coma", (2, 1), 64, 20);
    let (spent, time) = (outcome.phases[0].breakdown, outcome.phases[0].time);
    // Of each read the reader's processor is busy for the 5 cycles of noticing the miss; the other node has nothing to do.
    let noticing = Time::from_femtoseconds(20 * 5 * 2_500_000);
    assert_eq!((spent.overhead, spent.memory), (noticing.into(), (time - noticing).into()));
    assert_eq!((spent.compute, spent.synchronization), (TotalTime::ZERO, time.into()));
    let computing = Utilization::find(&outcome.utilization, Resource::ComputingProcessor);
    let busy = computing.expect("processors compute").mean;
    assert!(busy < 0.1, "whoever waits for a block is not busy: {busy}");
    // A request is a header of 16 bytes, an answer as much and the block; nothing is taken away.
    let volume = VolumeBytes { data: 20 * 64, headers: 20 * 16, requests: 20 * 16, invalidations: 0 };
    assert_eq!(outcome.counters.volume, volume);
}

#[test]
fn a_run_repeats_itself_to_the_bit() {
    for (name, policy) in [("hurricane", "hurricane:2"), ("hurricane-1", "hurricane-1-mult")] {
        let [first, again] = [(); 2].map(|()| reads(name, policy, (4, 4), 64, 31));
        assert_eq!(first, again, "{policy}");
    }
}

#[test]
fn a_machine_without_shared_memory_refuses_a_program_that_has_some() {
    let mut layout = Layout::new(2, 64).expect("a block of a permitted size");
    let words = layout.array("words", WORDS, Homes::Parts).expect("it is small");
    let job = Job::new::<Reads>(Plan { config: Config::new(layout), words, count: 1, all: false });
    let launch = Launch { nodes: 2, ..Launch::new(job, "single".parse().expect("a policy")) };
    let failure = Model::new(machine("cm-5", &[])).run(&launch).expect_err("it cannot run");
    assert!(failure.to_string().contains("needs `shared-memory`, which machine `cm-5` lacks"), "{failure}");
}

#[test]
fn idle_processors_serve_and_busy_ones_are_interrupted_only_when_all_are() {
    // Every thread waits for a miss most of the time: no thread has to be interrupted.
    let outcome = reads("hurricane-1", "hurricane-1-mult", (4, 8), 64, 51);
    let handlers = outcome.counters.handlers;
    assert_eq!(handlers, 4 * 8 * 51 * 3, "a fault, a request and an answer for each miss");
    assert!(outcome.counters.interrupts < handlers / 100, "{} interrupts", outcome.counters.interrupts);
    let lonely = reads("hurricane-1", "hurricane-1-mult", (2, 1), 64, 20);
    assert_eq!(lonely.counters.handlers, 20 * 3);
    let cycles = lonely.report.figures[0].value;
    // The reader's own handlers run where it waits: before it goes on, its processor completes the last of them, and says that
    // it computes.
    assert_eq!(cycles, 1164.0 + 12.0 + 12.0);
}

#[test]
fn rows_with_bus_transactions_get_longer_where_four_protocol_processors_share_the_bus() {
    let (request, reply, response) = ("::Faulted", "::Ask", "::Supply");
    let outcome = reads("hurricane-1", "hurricane-1:4", (4, 8), 64, 51);
    for (kind, name, idle) in [
        (request, "dispatch_fault", 87.0),
        (reply, "dispatch", 51.0),
        (reply, "fetch_block", 128.0),
        (reply, "set_tag", 28.0),
        (response, "dispatch", 50.0),
        (response, "resume", 178.0),
    ] {
        let found = step(&outcome, kind, name);
        assert!(found > idle && found < 3.0 * idle, "{kind} {name}: {found} cycles, {idle} when idle");
    }
    assert_eq!(step(&outcome, reply, "directory_lookup"), 121.0, "it is in the processor's cache");
}

/// Thread 0 of each node counts in a word of 4 bytes; the distance of two nodes' words is an input.
struct Counters {
    words: Shared<u32>,
    apart: usize,
}

/// Times that each counts.
const COUNTS: u32 = 200;

impl Protocol for Counters {
    type Config = (Config, Array<u32>, usize);

    fn install((config, words, apart): &Self::Config, setup: &mut Setup<'_>) -> Self {
        Self { words: setup.install::<Stache>(config).bind(*words), apart: *apart }
    }
}

#[handlers]
impl Counters {
    fn main(&self, thread: &Thread<'_>) {
        let mine = thread.node().0 as usize * self.apart / size_of::<u32>();
        for _ in 0..COUNTS {
            let count = thread.read(&self.words, mine);
            thread.write(&self.words, mine, count + 1);
            thread.charge(tempest::Operations::NONE.integers(100));
            thread.poll();
        }
        assert_eq!(thread.read(&self.words, mine), COUNTS, "what was counted");
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report { checks: 1, ..Report::default() }
    }
}

/// Two nodes count, and neither reads the other's counter. Counters of 4 bytes next to each other are in one block of
/// 64 bytes, which ping-pongs; counters in two blocks stay in place.
#[test]
fn counters_of_four_bytes_in_one_block_are_shared_though_nobody_shares_them() {
    let counted = |apart: usize| {
        let mut layout = Layout::new(2, 64).expect("a block of a permitted size");
        let words = layout.array("counters", 64, Homes::At(NodeId(0))).expect("it is small");
        let launch = Launch {
            nodes: 2,
            processors: 1,
            mechanism: Mechanism::SharedMemory,
            ..Launch::new(
                Job::new::<Counters>((Config::new(layout), words, apart)),
                "s-coma".parse().expect("a policy"),
            )
        };
        let model = Model::new(machine("s-coma", &[]));
        let outcome = model.run(&launch).unwrap_or_else(|failure| panic!("{failure}"));
        let asked = outcome.anatomy.iter().filter(|stage| stage.kind.contains("::Faulted"));
        (asked.map(|stage| stage.events).sum::<u64>(), outcome.time)
    };
    let (alone, quickly) = counted(64);
    let (together, slowly) = counted(4);
    // Node 0 is the home; node 1 faults once to read and once to write.
    assert_eq!(alone, 2, "faults on counters of two blocks");
    assert!(together > u64::from(COUNTS) / 2, "{together} faults on counters of one block");
    assert!(slowly > quickly + quickly, "{slowly} and {quickly}");
}
