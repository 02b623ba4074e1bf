//! A bus. A transaction is granted, takes its address phase, leaves the bus, and comes back for its data phase. On a connected
//! bus it does not leave: others wait for the end of its data. The bus is granted in the order of requests.
//!
//! Where addresses and data share the wires of a bus that splits transactions, it is granted whenever it is free: a
//! phase that reaches into the time of an earlier grant pauses for it. Separate address or data wires, and a connected
//! bus, are granted for a whole phase.
//!
//! A client may [poll](super::poller) over the bus. Its transactions are granted in the order of requests as well.
//!
//! This module must never know caches or memory.

use std::iter::Sum;
use std::ops::Mul;
use std::sync::Arc;

use machine::Transactions;
use units::{Bytes, Time};

use super::calendar::{Calendar, Span};
use super::poller::Poller;

/// The bus of a node.
#[derive(Clone, Debug)]
pub(crate) struct Bus {
    /// The costs, which all nodes of a machine share.
    costs: Arc<machine::Bus>,
    line: Bytes,
    /// The wires of addresses, and of data too where both share the wires.
    wires: Calendar,
    /// The wires of data, where these have wires of their own.
    data: Calendar,
    /// The times for which a line, and a word of the bus's width, occupy the data wires.
    passage: Time,
    word: Time,
    /// The use of the bus by each kind of transaction that moves no block, and the number of such transactions made.
    plain: Arc<Usages>,
    made: [u64; KINDS],
    /// The end of the last address phase, from which a transaction on a connected bus waits for its data.
    asked: Time,
    /// The client that polls over the bus, if there is one.
    poller: Option<Box<Poller>>,
    /// The number and the bytes of all other transactions.
    transactions: u64,
    bytes: u64,
}

/// The use of the bus by each kind of transaction that moves no block, by the [number](Transactions::by_number) of the kind.
pub(crate) type Usages = [Usage; KINDS];

/// The numbers of kinds of transactions are less than this.
const KINDS: usize = Transactions::NUMBERS;

/// The use of the bus by a transaction that moves no block: at most two phases, and the bytes that they move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// The time for which the address holds its wires, with the data where these follow at once on the same wires.
    address: Time,
    /// The time from the start of the address to the answer, or to the phase of the data.
    answer: Time,
    /// The time for which the data hold their wires later; zero where there is no such phase.
    data: Time,
    bytes: Bytes,
}

impl Usage {
    /// The use of a bus by a transaction with data of a size, which come `delay` after the address; zero bytes are an address
    /// alone, which the caches answer after `delay`.
    pub(crate) fn of(costs: &machine::Bus, bytes: Bytes, delay: Time) -> Self {
        let &machine::Bus { address, multiplexed, connected, .. } = costs;
        let (data, is_alone) = (costs.passage(bytes), bytes == Bytes::new(0));
        let held = if connected && !is_alone { delay } else { Time::ZERO };
        if is_alone || multiplexed && held == delay {
            let address = address + held + data;
            return Self { address, answer: address + (delay - held), data: Time::ZERO, bytes };
        }
        Self { address, answer: address + delay, data, bytes }
    }
}

/// The data phase of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Phase {
    pub(crate) start: Time,
    /// The end of the first word, which is the critical one.
    pub(crate) first: Time,
    pub(crate) end: Time,
}

impl Bus {
    /// A free bus. `plain` is the use of the bus by transactions that move no block.
    pub(crate) fn new(costs: &machine::Bus, line: Bytes, plain: Usages) -> Self {
        Self {
            plain: Arc::new(plain),
            made: Default::default(),
            passage: costs.passage(line),
            word: costs.passage(costs.width),
            line,
            costs: Arc::new(costs.clone()),
            wires: Calendar::new(costs.multiplexed && !costs.connected),
            data: Calendar::default(),
            asked: Time::ZERO,
            poller: None,
            transactions: 0,
            bytes: 0,
        }
    }

    /// The time from a request to the earliest address phase.
    pub(crate) fn arbitration(&self) -> Time {
        self.costs.arbitration
    }

    /// The time for which `size` bytes occupy the data wires.
    #[inline]
    pub(crate) fn passage(&self, size: Bytes) -> Time {
        match size {
            size if size == self.line => self.passage,
            size if size == self.costs.width => self.word,
            size => self.costs.passage(size),
        }
    }

    /// Whether no phase is to come or goes on after `now`, and no client polls.
    #[inline]
    pub(crate) fn is_free(&self, now: Time) -> bool {
        self.wires.is_free(now) && self.data.is_free(now) && !self.is_polled()
    }

    /// Gives the bus a client that polls.
    pub(crate) fn set_poller(&mut self, poller: Poller) {
        self.poller = Some(Box::new(poller));
    }

    /// Whether the bus has a client that may poll.
    #[inline]
    pub(crate) fn has_poller(&self) -> bool {
        self.poller.is_some()
    }

    /// Whether a client polls at present.
    #[inline]
    fn is_polled(&self) -> bool {
        self.poller.as_ref().is_some_and(|poller| poller.polls())
    }

    /// Lets the client that polls begin at `now`, if there is one.
    pub(crate) fn begin_polls(&mut self, now: Time) {
        if let Some(poller) = &mut self.poller {
            poller.begin(now);
        }
    }

    /// Ends the polls at `now`. No later request begins before `now`.
    pub(crate) fn stop_polls(&mut self, now: Time) {
        self.poll_until(now);
        if let Some(poller) = &mut self.poller {
            poller.stop();
        }
    }

    /// Makes the transactions of polls that are asked for up to `until`.
    #[inline(always)]
    fn poll_until(&mut self, until: Time) {
        if self.poller.is_some() {
            self.poll_until_now(until);
        }
    }

    #[inline(never)]
    fn poll_until_now(&mut self, until: Time) {
        let Some(mut poller) = self.poller.take() else { return };
        while let Some((next, _)) = poller.next_until(until) {
            let free = self.wires.free_until(next).min(self.data.free_until(next));
            if free > next {
                poller.skip_until(free.min(until));
            }
            let Some((next, kind)) = poller.next_until(until) else { break };
            self.wires.begin();
            self.data.begin();
            poller.made_until(self.make_among(self.plain[kind], next + self.costs.arbitration));
        }
        self.poller = Some(poller);
    }

    /// Makes transactions that move no block while no other client uses the bus.
    #[inline]
    pub(crate) fn make_alone(&mut self, made: Transactions) {
        made.by_number().for_each(|(kind, count)| self.made[kind] += count);
    }

    /// Makes transactions that move no block, one after the other, the first of which is asked for at `now`. Returns the end of the
    /// last.
    #[inline(always)]
    pub(crate) fn make(&mut self, made: Transactions, now: Time) -> Time {
        if self.is_polled() {
            return self.make_among_polls(made, now);
        }
        self.wires.begin();
        self.data.begin();
        let (mut at, mut kinds) = (now, made.by_number());
        while let Some((kind, count)) = kinds.next() {
            self.made[kind] += count;
            let usage = self.plain[kind];
            for made in 0..count {
                let from = at + self.costs.arbitration;
                if self.is_behind(usage, from) {
                    return self.make_behind((usage, count - made), kinds, at);
                }
                at = self.make_among(usage, from);
            }
        }
        at
    }

    /// [Makes](Self::make) transactions while a client polls.
    #[inline(never)]
    fn make_among_polls(&mut self, made: Transactions, now: Time) -> Time {
        let mut at = now;
        for (kind, count) in made.by_number() {
            self.made[kind] += count;
            for _ in 0..count {
                self.poll_until(at);
                self.wires.begin();
                self.data.begin();
                at = self.make_among(self.plain[kind], at + self.costs.arbitration);
            }
        }
        at
    }

    /// Whether a transaction whose address is sent from `from` on, and all transactions that follow it, come behind all
    /// reservations, and have separate wires for their data.
    #[inline(always)]
    fn is_behind(&self, usage: Usage, from: Time) -> bool {
        !self.costs.multiplexed && self.wires.is_free(from) && self.data.is_free(from + usage.answer)
    }

    /// Makes transactions, first a number of one kind, then those in `kinds`, one after the other. They come
    /// [behind](Self::is_behind) all reservations. The first is asked for at `now`. Returns the end of the last.
    #[inline(always)]
    fn make_behind(
        &mut self,
        (mut usage, mut count): (Usage, u64),
        mut kinds: impl Iterator<Item = (usize, u64)>,
        now: Time,
    ) -> Time {
        let arbitration = self.costs.arbitration;
        let mut at = now;
        loop {
            let Usage { address, answer, data, .. } = usage;
            for _ in 0..count {
                let from = at + arbitration;
                self.wires.place_behind(from, address);
                at = from + answer;
                if !data.is_zero() {
                    self.data.place_behind(at, data);
                    at += data;
                }
            }
            let Some((kind, next)) = kinds.next() else { return at };
            self.made[kind] += next;
            (usage, count) = (self.plain[kind], next);
        }
    }

    /// Makes a transaction in the first free time, the address not before `from`. Returns its end.
    #[inline(always)]
    fn make_among(&mut self, Usage { address, answer, data, .. }: Usage, from: Time) -> Time {
        let answered = self.wires.place(from, address) + (answer - address);
        if data.is_zero() {
            return answered;
        }
        let wires = if self.costs.multiplexed { &mut self.wires } else { &mut self.data };
        wires.place(answered, data)
    }

    /// The sum of `each` over the transactions that move no block.
    fn plain<T: Sum + Mul<u64, Output = T>>(&self, each: impl Fn(&Usage) -> T) -> T {
        self.plain.iter().zip(self.made).map(|(usage, made)| each(usage) * made).sum()
    }

    /// The number of transactions since the start, and the bytes that they have moved.
    pub(crate) fn transactions(&self) -> (u64, u64) {
        (self.transactions + self.plain(|_| 1), self.bytes + self.plain(|usage| usage.bytes.get()))
    }

    /// Asks for the bus at `now`. Returns the end of the address phase.
    #[inline]
    pub(crate) fn request(&mut self, now: Time) -> Time {
        self.transactions += 1;
        self.poll_until(now);
        self.asked = self.wires.reserve(now + self.costs.arbitration, self.costs.address).end;
        self.asked
    }

    /// Moves `size` bytes, ready at `ready`, for a transaction whose address has passed.
    #[inline(always)]
    pub(crate) fn reply(&mut self, ready: Time, size: Bytes) -> Phase {
        self.bytes += size.get();
        let hold = self.passage(size);
        if !self.costs.connected {
            return self.move_data(ready, hold);
        }
        // Where another transaction has begun since, this one holds the bus behind it.
        let waits = ready.saturating_sub(self.asked);
        let start = self.wires.reserve(ready - waits, waits + hold).start + waits;
        self.whole(start, hold)
    }

    /// Asks at `now` to write `size` bytes, which the target can take from `open` on. The data follow the address.
    #[inline]
    pub(crate) fn write(&mut self, now: Time, open: Time, size: Bytes) -> Phase {
        self.transactions += 1;
        self.bytes += size.get();
        let (address, hold) = (self.costs.address, self.passage(size));
        let earliest = (now + self.costs.arbitration).max(open.before(address));
        self.poll_until(earliest.before(self.costs.arbitration));
        if self.costs.connected {
            let start = self.wires.reserve(earliest, address + hold).start + address;
            return self.whole(start, hold);
        }
        let asked = self.wires.reserve(earliest, address).end;
        self.move_data(asked, hold)
    }

    /// Moves data for `hold` from `ready` on, over a bus that splits transactions.
    #[inline(always)]
    fn move_data(&mut self, ready: Time, hold: Time) -> Phase {
        if !self.costs.multiplexed {
            let start = self.data.reserve(ready, hold).start;
            return self.whole(start, hold);
        }
        let word = hold.min(self.costs.cycle);
        let Span { start, end: first } = self.wires.reserve(ready, word);
        let end = if hold == word { first } else { self.wires.reserve(first, hold - word).end };
        Phase { start, first, end }
    }

    /// A phase without a pause.
    fn whole(&self, start: Time, hold: Time) -> Phase {
        Phase { start, first: start + self.costs.cycle, end: start + hold }
    }

    /// Forgets the phases that end by `now`. No later request begins before `now`.
    #[inline]
    pub(crate) fn forget(&mut self, now: Time) {
        self.poll_until(now);
        self.wires.forget(now);
        self.data.forget(now);
    }

    /// The time up to `now` for which the address wires and the data wires have been busy; `None` for the data where
    /// both share the wires.
    pub(crate) fn busy_at(&self, now: Time) -> (Time, Option<Time>) {
        if self.is_polled() {
            let mut polled = self.clone();
            polled.stop_polls(now);
            return polled.busy_at(now);
        }
        let (addresses, data) = (self.busy_with_plain_addresses(), self.busy_with_plain_data());
        if self.costs.multiplexed {
            return (addresses + data - self.wires.beyond(now), None);
        }
        (addresses - self.wires.beyond(now), Some(data - self.data.beyond(now)))
    }

    /// The time for which the wires have been in use, for addresses and data together.
    pub(crate) fn busy(&self) -> Time {
        self.busy_with_plain_addresses() + self.busy_with_plain_data()
    }

    fn busy_with_plain_addresses(&self) -> Time {
        self.wires.busy() + self.plain(|usage| usage.address) + self.polls(|usage| usage.address)
    }

    fn busy_with_plain_data(&self) -> Time {
        self.data.busy() + self.plain(|usage| usage.data) + self.polls(|usage| usage.data)
    }

    /// The sum of `each` over the transactions of polls.
    fn polls(&self, each: impl Fn(&Usage) -> Time) -> Time {
        let Some(poller) = &self.poller else { return Time::ZERO };
        poller.made().map(|(kind, made)| each(&self.plain[kind]) * made).sum()
    }
}

#[cfg(test)]
mod tests {
    use machine::Transaction;
    use proptest::prelude::*;

    use super::*;
    use crate::memory::tests::{bus, cycles};

    const LINE: Bytes = Bytes::new(32);

    fn new(costs: &machine::Bus) -> Bus {
        Bus::new(costs, LINE, Default::default())
    }

    #[test]
    fn a_line_takes_one_address_cycle_and_four_of_data() {
        let mut bus = new(&bus());
        assert_eq!(bus.request(cycles(0)), cycles(3));
        let phase = bus.reply(cycles(24), LINE);
        assert_eq!((phase.start, phase.first, phase.end), (cycles(24), cycles(25), cycles(28)));
        assert_eq!((bus.transactions(), bus.busy()), ((1, 32), cycles(5)));
        assert_eq!(bus.busy_at(cycles(26)), (cycles(3), None));
    }

    #[test]
    fn others_use_the_bus_while_memory_looks() {
        let mut bus = new(&bus());
        bus.request(cycles(0));
        bus.reply(cycles(24), LINE);
        // Write-backs asked for together: 2 of arbitration, then one every 5 cycles. The data of the read, at 24, interrupt the last.
        let starts: Vec<_> = (0..5).map(|_| bus.write(cycles(1), Time::ZERO, LINE)).collect();
        assert_eq!(
            starts.iter().map(|phase| phase.start).collect::<Vec<_>>(),
            [4, 9, 14, 19, 28].map(cycles)
        );
        assert_eq!(starts.iter().map(|phase| phase.end).collect::<Vec<_>>(), [8, 13, 18, 23, 32].map(cycles));
    }

    #[test]
    fn a_connected_bus_is_held_from_the_address_to_the_data() {
        let mut bus = new(&machine::Bus { connected: true, ..bus() });
        assert_eq!(bus.request(cycles(0)), cycles(3));
        assert_eq!(bus.reply(cycles(24), LINE).end, cycles(28));
        assert_eq!((bus.busy(), bus.write(cycles(1), Time::ZERO, LINE).start), (cycles(26), cycles(29)));
        // Two transactions that have begun: the second waits for its data once the first has its own.
        assert_eq!([40, 40].map(|at| bus.request(cycles(at))), [43, 44].map(cycles));
        assert_eq!([60, 60].map(|at| bus.reply(cycles(at), LINE).start), [60, 80].map(cycles));
    }

    #[test]
    fn wires_of_their_own_let_addresses_pass_beside_data() {
        let mut shared = new(&bus());
        let mut apart = new(&machine::Bus { multiplexed: false, ..bus() });
        for bus in [&mut shared, &mut apart] {
            bus.reply(cycles(0), LINE);
        }
        assert_eq!((shared.request(cycles(0)), apart.request(cycles(0))), (cycles(5), cycles(3)));
        assert_eq!(apart.busy_at(cycles(9)), (cycles(1), Some(cycles(4))));
    }

    #[test]
    fn a_write_waits_for_who_takes_it() {
        let mut bus = new(&bus());
        assert_eq!(bus.write(cycles(0), cycles(9), LINE).start, cycles(9));
    }

    #[test]
    fn polls_before_a_late_reservation_are_counted_and_not_made_one_by_one() {
        let hours = Time::from_microseconds(10_000_000_000);
        let usage = Usage::of(&bus(), LINE, cycles(4));
        let mut usages = Usages::default();
        usages[Transaction::Memory as usize] = usage;
        let mut bus = Bus::new(&bus(), LINE, usages);
        let (poll, held) = (cycles(200), usage.address + usage.data);
        bus.set_poller(Poller::new(
            Transactions::one(Transaction::Memory),
            poll,
            bus.arbitration() + usage.answer + usage.data,
        ));
        bus.begin_polls(Time::ZERO);
        bus.reply(hours, LINE);
        bus.stop_polls(hours);
        let polls = hours.as_femtoseconds() / poll.as_femtoseconds();
        assert_eq!(bus.busy(), held * polls + bus.passage(LINE));
    }

    proptest! {
        #[test]
        fn transactions_behind_all_others_are_made_as_those_among_them(
            multiplexed in any::<bool>(),
            trains in proptest::collection::vec((0_u64..60, proptest::collection::vec(0_usize..5, 1..6)), 1..20),
        ) {
            let costs = machine::Bus { multiplexed, ..bus() };
            let mut plain = Usages::default();
            let usages = [(0, 3), (32, 4), (8, 4), (8, 0), (32, 6)];
            for (usage, (bytes, delay)) in plain.iter_mut().zip(usages) {
                *usage = Usage::of(&costs, Bytes::new(bytes), cycles(delay));
            }
            let [mut one, mut other] = [(); 2].map(|()| Bus::new(&costs, LINE, plain));
            let mut now = Time::ZERO;
            for (later, kinds) in trains {
                now += cycles(later);
                one.forget(now);
                other.forget(now);
                let each = kinds.iter().map(|&kind| Transactions::one(Transaction::ALL[kind]));
                let made = each.fold(Transactions::NONE, Transactions::and);
                other.wires.begin();
                other.data.begin();
                let mut end = now;
                for (kind, count) in made.by_number() {
                    for _ in 0..count {
                        end = other.make_among(plain[kind], end + costs.arbitration);
                    }
                }
                prop_assert_eq!(one.make(made, now), end);
                for at in [0, 7, 30].map(|later| now + cycles(later)) {
                    prop_assert_eq!(one.wires.beyond(at), other.wires.beyond(at));
                    prop_assert_eq!(one.data.beyond(at), other.data.beyond(at));
                }
            }
        }
    }
}
