//! Laws of the bus, for all clients: it is in use for as long as its transactions need, for no longer than time passes,
//! in the order of requests, and whenever a transaction waits. Waits agree with queueing theory.

use machine::{Transaction, Transactions};
use proptest::prelude::*;

use super::*;

/// A node whose bus has wires of addresses and data in common, and holds them in between, or not.
pub(super) fn on_bus((multiplexed, connected): (bool, bool)) -> NodeMemory {
    let mut costs = simple();
    (costs.bus.multiplexed, costs.bus.connected) = (multiplexed, connected);
    NodeMemory::new(&costs, Bytes::new(32), 2)
}

pub(super) fn buses() -> impl Strategy<Value = (bool, bool)> {
    prop_oneof![Just((false, false)), Just((true, false)), Just((true, true))]
}

fn sum(kinds: Vec<usize>) -> Transactions {
    kinds
        .into_iter()
        .map(|kind| Transactions::one(Transaction::ALL[kind]))
        .fold(Transactions::NONE, Transactions::and)
}

/// The use of a bus's wires up to an instant.
#[derive(Default)]
struct UseOfWires {
    at: Time,
    busy: [Time; 2],
}

impl UseOfWires {
    /// Goes on to a later instant. No wire is in use for longer than time has passed.
    fn check(&mut self, node: &NodeMemory, at: Time) -> Result<(), TestCaseError> {
        let (address, data) = node.bus_busy_at(at);
        let busy = [address, data.unwrap_or_default()];
        for (before, busy) in self.busy.into_iter().zip(busy) {
            prop_assert!(busy - before <= at - self.at, "in use for {} up to {at}", busy - before);
        }
        (self.at, self.busy) = (at, busy);
        Ok(())
    }
}

proptest! {
    #[test]
    fn a_bus_is_used_for_what_is_asked_for_and_no_longer_than_time_passes(
        bus in buses(),
        trains in proptest::collection::vec((0_u64..40, proptest::collection::vec(0_usize..5, 1..8)), 1..30),
    ) {
        let (mut node, mut alone) = (on_bus(bus), on_bus(bus));
        let (mut now, mut last, mut bytes) = (cycles(100), Time::ZERO, 0);
        let mut use_of_wires = UseOfWires::default();
        for (later, kinds) in trains {
            for _ in 0..later {
                now += cycles(1);
                use_of_wires.check(&node, now)?;
            }
            let made = sum(kinds);
            let end = node.make(made, now, now);
            prop_assert!(end >= now + node.uncontended(made), "nothing is done sooner than on an idle bus");
            last = last.max(end);
            // On a bus of its own, much later.
            let before = alone.counts().bus_bytes;
            let idle = cycles(1_000_000) * (1 + alone.counts().transactions);
            prop_assert_eq!(alone.make(made, idle, idle), idle + alone.uncontended(made));
            bytes += alone.counts().bus_bytes - before;
        }
        prop_assert_eq!((node.counts(), node.counts().bus_bytes), (alone.counts(), bytes));
        prop_assert_eq!(node.bus_busy(), alone.bus_busy());
        while now <= last {
            now += cycles(1);
            use_of_wires.check(&node, now)?;
        }
        let all = node.bus_busy_at(last);
        prop_assert_eq!(all.0 + all.1.unwrap_or_default(), node.bus_busy(), "no use is left behind the last end");
    }

    #[test]
    fn requests_of_one_kind_are_served_in_their_order(
        bus in buses(),
        kind in 0_usize..5,
        requests in proptest::collection::vec((0_u64..20, 1_u64..4), 2..30),
    ) {
        let mut node = on_bus(bus);
        let (mut now, mut before) = (cycles(100), Time::ZERO);
        for (later, count) in requests {
            now += cycles(later);
            let first = node.make(Transactions::one(Transaction::ALL[kind]), now, now);
            prop_assert!(first > before, "a request that came later");
            before = first;
            // A train of another client follows, which may leave gaps behind it.
            node.make(Transactions::one(Transaction::ALL[kind]).times(count), now, now);
            if count > 1 {
                before = Time::ZERO;
            }
        }
    }
}

/// Times between requests that come at random, with a mean of one.
pub(super) fn random_gaps() -> impl Iterator<Item = f64> {
    let mut state = 1_u64;
    std::iter::from_fn(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let part = ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        Some(-part.ln())
    })
}

/// Requests come at random and need the bus for one time: the queue M/D/1. Its mean wait is `load / (2 (1 - load))` services.
#[test]
fn requests_that_come_at_random_wait_as_theory_says() {
    for kind in [Transaction::Invalidate, Transaction::Write] {
        let mut node = on_bus((true, false));
        node.make(Transactions::one(kind), cycles(0), cycles(0));
        let service = node.bus_busy();
        for load in [0.2, 0.5, 0.8] {
            let mut node = on_bus((true, false));
            let alone = node.uncontended(Transactions::one(kind));
            let (count, mut at, mut waited) = (400_000, 0.0, 0.0);
            for gap in random_gaps().take(count) {
                at += gap * service.as_femtoseconds() as f64 / load;
                let now = Time::from_femtoseconds(at as u64);
                waited +=
                    (node.make(Transactions::one(kind), now, now) - now - alone).as_femtoseconds() as f64;
            }
            let (wait, theory) =
                (waited / count as f64 / service.as_femtoseconds() as f64, load / (2.0 * (1.0 - load)));
            assert!(
                (wait / theory - 1.0).abs() < 0.02,
                "{kind:?} at {load}: {wait} services, in theory {theory}"
            );
        }
    }
}

/// Processors that only miss: each asks for a line, waits until it is there, computes for a while, and asks for the next.
#[derive(Clone, Copy, Debug)]
struct Missing {
    processors: usize,
    /// The nanoseconds from one miss to the next, on average.
    thinks: u64,
    /// Whether a processor's lines follow one another. Otherwise it draws them.
    streams: bool,
    multiplexed: bool,
}

/// The nanoseconds of an address, of the data of a line, and of memory from the address to the first word.
const ADDRESS: u64 = 20;
const DATA: u64 = 40;
const MEMORY: u64 = 100;

/// The misses of each processor.
const MISSES: u64 = 400;

impl Missing {
    /// The time that processor `who` computes behind its miss number `before`.
    fn thought(self, who: u64, before: u64) -> u64 {
        u64::from(des::Choice::new(who).tie(before as u32)) % (2 * self.thinks + 1)
    }

    fn node(self) -> NodeMemory {
        let ns = Time::from_nanoseconds;
        let mut costs = simple();
        costs.cache.refill = Time::ZERO;
        costs.banks = Banks { count: 1024, latency: ns(MEMORY), read: ns(1), ..costs.banks };
        let bus = Bus { arbitration: Time::ZERO, address: ns(ADDRESS), cycle: ns(DATA / 4), ..costs.bus };
        costs.bus = Bus { snoop: Some(Time::ZERO), multiplexed: self.multiplexed, ..bus };
        NodeMemory::new(&costs, Bytes::new(32), self.processors)
    }

    /// The nanoseconds that the bus takes for each miss, and the share of the time for which its wires of addresses (or all its wires)
    /// are busy, between a quarter and three quarters of all misses.
    fn run(self) -> (f64, f64) {
        self.run_on(self.node())
    }

    fn run_on(self, mut node: NodeMemory) -> (f64, f64) {
        // A processor's next miss, and the number of those before it.
        let mut next: Vec<_> =
            (0..self.processors as u64).map(|who| (Time::from_nanoseconds(who), 0)).collect();
        let (all, mut made, mut from) = (MISSES * self.processors as u64, 0, (Time::ZERO, Time::ZERO));
        loop {
            let (now, who) =
                next.iter().enumerate().map(|(who, &(at, _))| (at, who)).min().expect("there are some");
            let busy = node.bus_busy_at(now).0;
            if made == all / 4 {
                from = (now, busy);
            }
            if made == all / 4 * 3 {
                let took = (now - from.0).as_nanoseconds();
                return (took / (all / 2) as f64, (busy - from.1).as_nanoseconds() / took);
            }
            let (_, before) = next[who];
            let line = if self.streams {
                before
            } else {
                u64::from(des::Choice::new(who as u64).tie(before as u32) % 8192)
            };
            // Each processor has lines of its own, and none twice.
            let done = node.access(who, ((who as u64) << 40) + (before << 20) + line, false, Keep::Any, now);
            next[who] = (done + Time::from_nanoseconds(self.thought(who as u64, before)), before + 1);
            made += 1;
        }
    }

    /// The nanoseconds of each miss where a bus with wires in common grants whole phases, whenever it is free. Among
    /// waiting phases, the processor that asked first goes first.
    fn of_a_bus_that_grants_whole_phases(self) -> f64 {
        let all = MISSES * self.processors as u64;
        // The phases to come: when their miss was asked for, from when they wait, whose they are, and whether they are the data.
        let mut phases: Vec<_> = (0..self.processors as u64).map(|who| (who, who, who, false)).collect();
        let (mut free, mut done, mut from, mut before) = (0, 0, 0, vec![0; self.processors]);
        loop {
            let now = phases.iter().map(|phase| phase.1).min().expect("there is always one").max(free);
            let waiting = phases.iter().enumerate().filter(|(_, phase)| phase.1 <= now);
            let first = waiting.min_by_key(|(_, phase)| **phase).map(|(place, _)| place);
            let (asked, _, who, data) = phases.swap_remove(first.expect("there is one"));
            if !data {
                free = now + ADDRESS;
                phases.push((asked, free + MEMORY, who, true));
                continue;
            }
            free = now + DATA;
            // The processor goes on with the first word.
            let next = now + DATA / 4 + self.thought(who, before[who as usize]);
            before[who as usize] += 1;
            phases.push((next, next, who, false));
            done += 1;
            if done == all / 4 {
                from = free;
            }
            if done == all / 4 * 3 {
                return (free - from) as f64 / (all / 2) as f64;
            }
        }
    }
}

#[test]
fn a_bus_with_wires_in_common_is_busy_while_anybody_waits() {
    for streams in [true, false] {
        for processors in [8, 16, 32] {
            let (each, busy) = Missing { processors, thinks: 0, streams, multiplexed: true }.run();
            let expected = (ADDRESS + DATA) as f64;
            assert!(
                (each / expected - 1.0).abs() < 0.002 && busy > 0.998,
                "{processors}, {streams}: {each}, {busy}"
            );
        }
    }
}

/// The Avalanche's bus: an address is one cycle, a line four, and memory has banks enough. The data of all misses go before the
/// addresses that are asked for after them, so a round of n misses takes the bus for 5 n cycles; or the first address and 24 cycles until
/// its data come, and then 4 n, where fewer than 25 processors leave nothing to do meanwhile.
#[test]
fn the_avalanche_has_its_bus_free_only_while_nobody_waits() {
    for processors in [16, 24, 32] {
        let mut costs = costs(true);
        costs.banks.count = 256;
        let node = NodeMemory::new(&costs, Bytes::new(32), processors);
        let (each, busy) = Missing { processors, thinks: 0, streams: true, multiplexed: true }.run_on(node);
        let round = u64::max(5 * processors as u64, 25 + 4 * processors as u64);
        let expected = cycles(round).as_nanoseconds() / processors as f64;
        assert!((each / expected - 1.0).abs() < 0.005, "{processors}: {each} ns, busy {busy}");
    }
}

#[test]
fn a_bus_with_wires_of_data_of_their_own_takes_the_longer_phase() {
    for streams in [true, false] {
        for processors in [8, 16, 32] {
            let (each, _) = Missing { processors, thinks: 0, streams, multiplexed: false }.run();
            assert!((each / DATA as f64 - 1.0).abs() < 0.002, "{processors}, {streams}: {each}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn misses_take_what_they_take_on_a_bus_that_grants_whole_phases_whenever_it_is_free(
        processors in 1_usize..24, thinks in 0_u64..2000, streams in any::<bool>(),
    ) {
        let missing = Missing { processors, thinks, streams, multiplexed: true };
        let (each, whole) = (missing.run().0, missing.of_a_bus_that_grants_whole_phases());
        prop_assert!((each / whole - 1.0).abs() < 0.06, "{each} and {whole} ns");
    }
}
