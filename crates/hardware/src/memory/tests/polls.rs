//! Laws of a client of the bus that polls: others wait for its transactions as theory says, and it makes no difference that the
//! transactions are made only when another client asks.

use machine::{Transaction, Transactions};
use proptest::prelude::*;

use super::laws::{buses, on_bus, random_gaps};
use super::*;

/// The transactions of a poll: some lines from memory.
fn lines(count: u64) -> Transactions {
    Transactions::one(Transaction::Memory).times(count)
}

/// A node on which a client polls from the start on. A poll takes `poll` cycles.
fn polled(bus: (bool, bool), count: u64, poll: u64) -> NodeMemory {
    let mut node = on_bus(bus).with_poller(lines(count), cycles(poll));
    node.begin_polls(Time::ZERO);
    node
}

/// The cycles for which a connected bus is held by a line from memory: address, snoop, memory and data.
const HELD: u64 = 1 + 3 + 21 + 4;

/// A client that asks at random finds the bus held with the probability of the polls' share of it, and then for half a transaction more
/// in the mean.
#[test]
fn a_miss_waits_for_half_a_transaction_times_the_share_of_the_polls() {
    for (count, poll) in [(1, 200), (2, 200), (4, 200), (1, 70)] {
        let mut node = polled((true, true), count, poll);
        let alone = node.uncontended(lines(1));
        let (requests, mut now, mut waited) = (400_000, Time::ZERO, 0.0);
        for (gap, line) in random_gaps().zip(0..requests) {
            now += cycles(1000) + Time::from_femtoseconds((gap * 1e10) as u64);
            waited += (node.fetch_line(line, now) - now - alone).as_femtoseconds() as f64;
        }
        let cycle = cycles(1).as_femtoseconds() as f64;
        let mean = waited / cycle / requests as f64;
        let theory = (count * HELD) as f64 / poll as f64 * HELD as f64 / 2.0;
        assert!((mean / theory - 1.0).abs() < 0.02, "{count} in {poll}: {mean} cycles, in theory {theory}");
    }
}

#[test]
fn polls_occupy_their_share_of_the_bus() {
    let mut node = polled((true, true), 2, 200);
    assert_eq!(in_cycles(node.bus_busy_at(cycles(200_000)).0), 2 * HELD * 1000);
    node.stop_polls(cycles(199_990));
    assert_eq!(in_cycles(node.bus_busy_at(cycles(900_000)).0), 2 * HELD * 1000);
    // Counts are of the others' transactions.
    assert_eq!(node.counts().transactions, 0);
}

/// The polls of hours are too many to be made one by one.
#[test]
fn polls_end_with_time() {
    let mut node = polled((true, true), 2, 200);
    assert_eq!(node.fetch_line(1, Time::MAX), Time::MAX);
    assert_eq!(node.fetch_line(2, Time::MAX), Time::MAX);
    node.stop_polls(Time::MAX);
}

#[test]
fn a_poll_that_has_begun_ends_and_a_later_one_waits_for_the_bus() {
    // A transaction takes 2 cycles of arbitration and 29 more, and a poll takes no other time.
    let mut node = polled((true, true), 1, 31);
    // The first poll holds the bus until 31, and the line comes behind it.
    assert_eq!(node.fetch_line(1, cycles(10)), cycles(31 + 29));
    // The second poll, asked for at 31, waits for that line.
    assert_eq!(node.fetch_line(2, cycles(40)), cycles(60 + 29 + 29));
    // The third poll, asked for at 89, waits until 118, and is the last.
    node.stop_polls(cycles(130));
    assert_eq!(node.fetch_line(3, cycles(130)), cycles(118 + 29 + 29));
    assert_eq!(node.fetch_line(4, cycles(300)), cycles(331));
    node.begin_polls(cycles(400));
    assert_eq!(node.fetch_line(5, cycles(400)), cycles(431 + 29));
}

proptest! {
    #[test]
    fn a_poll_is_as_if_each_of_its_transactions_were_an_event(
        bus in buses(),
        (count, poll) in (1_u64..4, 100_u64..300),
        requests in proptest::collection::vec((0_u64..500, 0_usize..6, 1_u64..4, any::<bool>()), 1..40),
    ) {
        let mut both = [(); 2].map(|()| polled(bus, count, poll));
        let (mut now, mut polls) = (Time::ZERO, true);
        for (number, (later, kind, many, turns)) in requests.into_iter().enumerate() {
            let until = now + cycles(later);
            // One of the two is asked for nothing in each cycle.
            while now < until {
                now += cycles(1);
                both[1].make(Transactions::NONE, now, now);
            }
            let made = Transactions::one(Transaction::ALL[kind]).times(many);
            let ends = both.each_mut().map(|node| {
                let line = node.access(0, number as u64, turns, Keep::Any, now);
                (line, node.make(made, now, now))
            });
            prop_assert_eq!(ends[0], ends[1]);
            if turns {
                both.iter_mut().for_each(|node| if polls { node.stop_polls(now) } else { node.begin_polls(now) });
                polls = !polls;
            }
            for at in [0, 50, 1000].map(|later| now + cycles(later)) {
                prop_assert_eq!(both[0].bus_busy_at(at), both[1].bus_busy_at(at));
            }
        }
    }

    #[test]
    fn without_polls_a_poller_is_in_nobodys_way(
        bus in buses(),
        requests in proptest::collection::vec((0_u64..50, 0_usize..6, 1_u64..4), 1..40),
    ) {
        let (mut plain, mut now) = (on_bus(bus), Time::ZERO);
        let mut other = plain.clone().with_poller(lines(2), cycles(200));
        for (later, kind, many) in requests {
            now += cycles(later);
            let made = Transactions::one(Transaction::ALL[kind]).times(many);
            prop_assert_eq!(plain.make(made, now, now), other.make(made, now, now));
            prop_assert_eq!(plain.is_bus_free(now), other.is_bus_free(now));
        }
    }
}
