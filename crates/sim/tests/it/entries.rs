//! The entries of tables in the caches of the processors that run handlers: they miss exactly as a cache written by hand does, move
//! from one protocol processor to another, and share lines.

use machine::Machine;
use tempest::outcome::{Outcome, Stage};
use tempest::world::{Launch, World};
use tempest::{
    Event, FinalState, Handler, Job, Keyed, Mechanism, NodeId, Operations, Protocol, Report, Setup, Shape,
    Thread, handlers,
};
use tradewind_sim::Model;

use crate::setup::{job, machine};

/// A thread has the handlers of node 1 use entries of a table, in this order.
struct Uses {
    order: Order,
    table: Keyed<u64>,
    used: Event,
}

/// The entries that are used, and the modelled size of an entry.
#[derive(Clone)]
struct Order {
    entries: Vec<u64>,
    bytes: u32,
}

/// The number of entries.
const ENTRIES: usize = 1 << 9;

impl Protocol for Uses {
    type Config = Order;
    fn install(order: &Order, setup: &mut Setup<'_>) -> Self {
        let table = setup.entry_bytes(order.bytes).keyed(ENTRIES, |_| 0);
        Self { order: order.clone(), table, used: Event::new("used") }
    }
}

#[handlers]
impl Uses {
    #[message(key = entry)]
    fn use_entry(&self, entry: u64, cx: &mut Handler<'_>) {
        // As long as a message comes every few hundred operations, two processors handle every other one.
        cx.charge(Operations::NONE.integers(2000));
        cx.with(&self.table, |uses, cx| {
            *uses += 1;
            cx.signal(&self.used, 1);
        });
    }

    fn main(&self, thread: &Thread<'_>) {
        match thread.node() {
            NodeId(0) => {
                self.order.entries.iter().for_each(|&entry| thread.send(NodeId(1), Self::use_entry(entry)))
            }
            _ => thread.wait(&self.used, self.order.entries.len() as u64),
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::default()
    }
}

fn run(machine: Machine, policy: &str, bytes: u32, entries: Vec<u64>) -> Outcome {
    let job = Job::new::<Uses>(Order { entries, bytes });
    let launch = Launch {
        nodes: 2,
        processors: 1,
        threads: 1,
        mechanism: Mechanism::Messages,
        ..Launch::new(job, policy.parse().expect("a policy"))
    };
    Model::new(machine).run(&launch).expect("the run ends well")
}

/// The number of times that handlers waited for a line of an entry.
fn waits(outcome: &Outcome) -> u64 {
    let steps = outcome.anatomy.iter().filter_map(|kind| kind.step(Stage::STATE));
    steps.map(|step| step.times).sum()
}

/// The misses of a cache of `sets` sets of `ways` lines with replacement of the line used longest ago, which begins with the lines
/// of the table that were written last.
fn misses(sets: u64, ways: usize, lines: u64, uses: impl Iterator<Item = u64>) -> u64 {
    let mut cache = vec![Vec::new(); sets as usize];
    let mut access = |line: u64| {
        let set = &mut cache[(line % sets) as usize];
        let found = set.iter().position(|other| *other == line);
        found.map(|place| set.remove(place));
        set.push(line);
        if set.len() > ways {
            set.remove(0);
        }
        found.is_none()
    };
    (0..lines).for_each(|line| _ = access(line));
    uses.filter(|&line| access(line)).count() as u64
}

#[test]
fn a_protocol_processor_misses_as_a_cache_by_hand_does() {
    for (bytes, ways, stride) in
        [(8, 1, 1), (8, 4, 7), (16, 1, 3), (16, 2, 64), (32, 1, 1), (32, 4, 5), (64, 1, 2), (64, 4, 33)]
    {
        let entries: Vec<u64> = (0..700).map(|use_| use_ * stride * 5 % ENTRIES as u64).collect();
        let ways_text = ways.to_string();
        let set = [("cache.size", "\"4 KiB\""), ("cache.ways", ways_text.as_str())];
        for name in ["hurricane-1", "hurricane"] {
            let outcome = run(machine(name, &set), &format!("{name}:1"), bytes, entries.clone());
            let (bytes, lines) = (u64::from(bytes), ENTRIES as u64 * u64::from(bytes) / 32);
            let uses =
                entries.iter().flat_map(|entry| entry * bytes / 32..(entry * bytes + bytes).div_ceil(32));
            let expected = misses(128 / ways as u64, ways, lines, uses);
            assert_eq!(
                waits(&outcome),
                expected,
                "{name}: entries of {bytes} B, {ways} ways, stride {stride}"
            );
        }
    }
}

#[test]
fn entries_that_fit_cost_nothing_where_one_processor_runs_all_handlers_and_move_where_several_do() {
    let entries: Vec<u64> = (0..400).map(|use_| use_ * 37 % 64).collect();
    for (name, one, two) in
        [("hurricane-1", "hurricane-1:1", "hurricane-1:2"), ("hurricane", "hurricane:1", "hurricane:2")]
    {
        let [one, apart, shared] = [(one, 32), (two, 32), (two, 8)]
            .map(|(policy, bytes)| waits(&run(machine(name, &[]), policy, bytes, entries.clone())));
        assert_eq!(one, 0, "{name}");
        assert!(apart > 0, "{name}: entries move between two processors");
        assert!(shared > 0, "{name}: lines with four entries move too");
    }
}

/// A state machine has memory of its own for the state of blocks.
#[test]
fn a_remote_read_takes_the_stated_sum_with_entries_at_hand_and_more_without() {
    let miss = |name: &str, policy: &str, set: &[(&str, &str)]| {
        let inputs = [("misses", "300")];
        let job = job("remote-miss", Mechanism::SharedMemory, Shape { nodes: 2, threads: 1 }, &inputs);
        let mechanism = Mechanism::SharedMemory;
        let launch = Launch {
            nodes: 2,
            processors: 1,
            threads: 1,
            mechanism,
            ..Launch::new(job, policy.parse().expect("a policy"))
        };
        let outcome = Model::new(machine(name, set)).run(&launch).expect("the run ends well");
        let figure = outcome.report.figures.iter().find(|figure| figure.name == "time.miss");
        // In cycles of 2.5 ns.
        (figure.expect("a figure").value / 2.5, waits(&outcome))
    };
    for (name, policy, total) in [
        ("s-coma", "s-coma", 440.0),
        ("hurricane", "hurricane:1", 584.0),
        ("hurricane-1", "hurricane-1:1", 1164.0),
    ] {
        assert_eq!(miss(name, policy, &[]), (total, 0), "{name}");
        let (small, waits) = miss(name, policy, &[("cache.size", "\"1 KiB\"")]);
        // Four entries share a line of 32 B; requester and home wait for it once each.
        match name {
            "s-coma" => assert_eq!(waits, 0),
            _ => assert!(small > total + 25.0 && (140..=160).contains(&waits), "{name}: {small}, {waits}"),
        }
    }
}
