//! Laws of the bus, whoever asks: it is in use for as long as its transactions need, for no longer than time passes, and in the order
//! of requests. Waits are those of the queue that theory knows.

use machine::{Transaction, Transactions};
use proptest::prelude::*;

use super::*;

/// A node whose bus has wires of addresses and data in common, and holds them in between, or not.
fn on_bus((multiplexed, connected): (bool, bool)) -> NodeMemory {
    let mut costs = simple();
    (costs.bus.multiplexed, costs.bus.connected) = (multiplexed, connected);
    NodeMemory::new(&costs, Bytes::new(32), 2)
}

fn buses() -> impl Strategy<Value = (bool, bool)> {
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
fn random_gaps() -> impl Iterator<Item = f64> {
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
