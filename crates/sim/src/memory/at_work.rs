//! A processor at work: spends prices on its own clock and on the bus of its node, and counts steps in the account of costs.
//!
//! A price may contain transactions on the bus. They wait until engine time has reached the processor's clock. Then they are made,
//! one after the other. This module must never know which thread or handler is at work, nor why.

use hardware::memory::NodeMemory;
use machine::{Class, Cost, Transactions};
use tempest::Primitive;
use tempest::outcome::Stage;
use tempest::world::Work;
use units::Time;

use super::Memory;
use crate::measure::anatomy::{Anatomy, Taken};
use crate::prices::{Price, PriceLists, Receipt, Rest};
use crate::processor::clock::Pending;
use crate::processor::core::{Activity, Core};
use crate::processor::ledger::Bucket;

/// A step in the account of costs: a kind of event, and a step of such an event.
pub(crate) type Step = (u16, Taken);

/// An event that reaches a processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reaching {
    pub(crate) class: Class,
    /// The kind of the event in the account of costs.
    pub(crate) kind: u16,
    pub(crate) receipt: Receipt,
    /// The node that sent it.
    pub(crate) from: usize,
    /// The time at which it came to its node.
    pub(crate) arrived: Time,
    /// The time that it took through the network, and the time that it has waited since.
    pub(crate) travel: Time,
    pub(crate) wait: Time,
}

/// Cargo that a processor injects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Injecting {
    pub(crate) class: Class,
    /// The words behind the header, including the lists of a transfer's pieces.
    pub(crate) words: u64,
    /// Whether the cargo goes to the processor's own node.
    pub(crate) own: bool,
    /// Whether the interface takes the cargo by a command, as it takes every transfer.
    pub(crate) commands: bool,
}

/// A processor at work, with the memory of its node, its prices and the account of costs.
pub(crate) struct AtWork<'a> {
    pub(crate) now: Time,
    pub(crate) core: &'a mut Core,
    pub(crate) memory: &'a mut Memory,
    pub(crate) prices: &'a PriceLists,
    pub(crate) anatomy: &'a mut Anatomy,
}

impl AtWork<'_> {
    /// Spends a cost: its path now, and its occupancy after the present handler or send. Its bus transactions are made when the
    /// clock is settled.
    pub(crate) fn spend(&mut self, cost: Cost) {
        let own = cost.path - self.put_on_bus(cost.bus, None);
        self.core.spend(Bucket::Overhead, own);
        self.core.clock.owe(&cost);
        self.core.clock.keep_waiting(cost.wait);
    }

    /// Adds transactions of a step, which are made when the processor's clock is settled. They belong to `step` if it is given.
    /// Returns their time on an idle bus.
    #[inline]
    pub(crate) fn put_on_bus(&mut self, transactions: Transactions, step: Option<Step>) -> Time {
        if transactions.is_empty() || self.memory.modelled().is_none() {
            return Time::ZERO;
        }
        self.put_on_modelled_bus(transactions, step)
    }

    #[inline(never)]
    fn put_on_modelled_bus(&mut self, transactions: Transactions, step: Option<Step>) -> Time {
        let Some(time) = self.memory.time_of(transactions) else { return Time::ZERO };
        self.pend(transactions, time, step);
        time
    }

    /// Adds the transactions of a step, which take `time` on an idle bus, to the pending ones.
    #[inline]
    fn pend(&mut self, transactions: Transactions, time: Time, step: Option<Step>) {
        if self.core.clock.pends() {
            self.pend_behind_others(transactions, step);
        } else {
            self.core.clock.pend(Pending { made: transactions, alone: time, step });
        }
    }

    #[cold]
    #[inline(never)]
    fn pend_behind_others(&mut self, transactions: Transactions, step: Option<Step>) {
        let before = self.core.clock.pending();
        let made = before.made.and(transactions);
        let alone = self.memory.time_of(made).unwrap_or_default();
        self.core.clock.pend(Pending { made, alone, step: step.or(before.step) });
    }

    /// Makes all pending transactions from the processor's clock on, though engine time has not come to it. This is for places
    /// where no fiber can wait for that.
    pub(crate) fn make_at_once(&mut self) {
        let pending = self.core.clock.take_pending();
        let delay = self.memory.delay(pending.made, self.core.clock.at(self.now), self.now);
        self.core.spend(Bucket::Overhead, pending.alone);
        self.core.spend(Bucket::Memory, delay);
        if let Some((kind, taken)) = pending.step {
            self.anatomy.count_wait(kind, taken, delay);
        }
    }

    /// Makes transactions, one after the other from the present time on, and books them. Returns the end of the last.
    #[inline(always)]
    pub(crate) fn make(&mut self, Pending { made, alone, step }: Pending) -> Time {
        let now = self.now;
        let end = self.bus().make(made, now, now);
        self.core.ledger.book(Bucket::Overhead, alone);
        let wait = (end - now).saturating_sub(alone);
        if !wait.is_zero() {
            self.book_wait(wait, step);
        }
        end
    }

    /// The caches, bus and banks of the node.
    ///
    /// # Panics
    /// If the machine describes no bus: no part makes a request then.
    #[inline]
    pub(super) fn bus(&mut self) -> &mut NodeMemory {
        self.memory.system().expect("transactions are made where there is a bus")
    }

    /// Whether the bus is free now. Transactions then take their time on an idle bus if no event comes before their end.
    #[inline]
    pub(crate) fn finds_bus_free(&self) -> bool {
        self.memory.modelled().is_some_and(|system| system.is_bus_free(self.now))
    }

    /// Makes transactions that have found the bus free and have taken their time on an idle bus, `alone`.
    #[inline]
    pub(crate) fn make_undisturbed(&mut self, transactions: Transactions, alone: Time) {
        self.bus().make_alone(transactions);
        self.core.ledger.book(Bucket::Overhead, alone);
    }

    /// Books a wait for the bus, by which a step took longer.
    #[inline]
    fn book_wait(&mut self, wait: Time, step: Option<Step>) {
        self.core.ledger.book(Bucket::Memory, wait);
        if let Some((kind, taken)) = step {
            self.anatomy.count_wait(kind, taken, wait);
        }
    }

    /// Spends the cost of `count` uses of a primitive, for the class of message that the processor works on.
    #[inline]
    pub(crate) fn spend_primitive(&mut self, primitive: Primitive, count: u32) {
        let count = u64::from(count) * if primitive == Primitive::SetTag { self.memory.tags() } else { 1 };
        self.spend_primitive_for(primitive, self.core.purpose().class, count);
    }

    /// Spends the cost of `count` uses of a primitive for a message of the given class. Zero uses need no price.
    #[inline]
    pub(crate) fn spend_primitive_for(&mut self, primitive: Primitive, class: Class, count: u64) {
        if count > 0 {
            let price = self.prices.price(self.core.list(), primitive, class);
            self.spend_step(Taken::primitive(primitive), price, count);
        }
    }

    /// Spends the cost of an injection.
    #[inline(always)]
    pub(crate) fn spend_injection(&mut self, cargo: Injecting) {
        let Injecting { class, words, own, commands } = cargo;
        let price = self.prices.sending(self.core.list(), class, own, words as usize);
        let Some((price, sent)) = price.filter(|_| !commands) else { return self.spend_by_steps(cargo) };
        let kind = self.core.purpose().kind;
        self.core.spend(Bucket::Overhead, sent.own);
        self.core.clock.owe_time(sent.occupancy);
        if let Some(rest) = &sent.rest {
            self.spend_rest(rest, kind);
        }
        let (header, path) = price.header;
        self.anatomy.count_send(kind, (header, 1, path), (price.word, words, sent.words));
    }

    /// Spends the rare parts of a price.
    fn spend_rest(&mut self, rest: &Rest, kind: u16) {
        self.core.clock.keep_waiting(rest.wait);
        self.core.clock.owe(&Cost { after: rest.after, ..Cost::default() });
        if !rest.bus.is_empty() {
            self.pend(rest.bus, rest.alone, Some((kind, Taken::primitive(rest.step))));
        }
    }

    /// Spends the cost of an injection step by step.
    #[inline(never)]
    fn spend_by_steps(&mut self, Injecting { class, words, own, commands }: Injecting) {
        if commands {
            self.spend_primitive_for(Primitive::StartTransfer, class, 1);
        }
        match self.prices.send_own(self.core.list(), class).filter(|_| own) {
            Some(price) => self.spend_step(Taken::primitive(Primitive::SendHeader), price, 1),
            None => self.spend_primitive_for(Primitive::SendHeader, class, 1),
        }
        self.spend_primitive_for(Primitive::SendWord, class, words);
    }

    /// Receives an event and enters its handler, whose steps it counts. The processor owes the occupancy, and the transactions
    /// are pending, from now on. Returns the path without the transactions, and with them.
    #[inline]
    pub(crate) fn receive(&mut self, event: Reaching) -> (Time, Time) {
        let Reaching { class, kind, receipt, from, arrived, travel, wait } = event;
        let (reception, received, word) = self.prices.reception(self.core.list(), class, receipt);
        let (primitive, name, path) = reception.dispatch;
        let step = Taken::primitive(primitive);
        let counts = self.anatomy.of(kind);
        if receipt != Receipt::Resumed {
            counts.count_event(travel, wait);
        }
        counts.count_step(step, (name, 1), path);
        if let Some(path) = reception.extract {
            counts.count_step(Taken::primitive(Primitive::Extract), ("extract", 1), path);
        }
        if let Some(name) = word {
            counts.count_step(Taken::RECEIVE_WORD, (name, receipt.words()), received.words);
        }
        let fetch = self.time_to_fetch(from, arrived);
        let (own, path) = self.enter(&received.cost, received.alone, Some((kind, step)));
        (fetch + own, path)
    }

    /// Receives the grant of a thread's key, at the cost of a user event. Returns the path without the transactions,
    /// and with them.
    #[cold]
    pub(crate) fn receive_grant(&mut self) -> (Time, Time) {
        let cost = self.prices.price(self.core.list(), Primitive::Dispatch, Class::User).cost;
        self.enter(&cost, self.memory.time_of(cost.bus), None)
    }

    /// Owes the occupancy of the entry into a handler. Adds its transactions, which take `alone` on an idle bus, to the
    /// pending ones. Returns the path without the transactions, and with them.
    #[inline(always)]
    fn enter(&mut self, cost: &Cost, alone: Option<Time>, step: Option<Step>) -> (Time, Time) {
        self.core.clock.owe(cost);
        let Some(alone) = alone else { return (cost.path, cost.path) };
        self.pend(cost.bus, alone, step);
        (cost.path - alone, cost.path)
    }

    /// Spends the price of `count` uses of a step, and counts the step.
    #[inline]
    fn spend_step(&mut self, taken: Taken, price: &Price, count: u64) {
        let kind = self.core.purpose().kind;
        match price.plain(count) {
            Some((path, occupancy)) => {
                self.core.spend(Bucket::Overhead, path);
                self.core.clock.owe_time(occupancy);
            }
            None => self.spend_parts((kind, taken), price, count),
        }
        self.anatomy.count_step(kind, taken, (price.name, count), price.cost.path * count);
    }

    /// Spends a price that has other parts than path and occupancy.
    #[inline(never)]
    fn spend_parts(&mut self, step: Step, price: &Price, count: u64) {
        if count == 1 {
            let (own, _) = self.enter(&price.cost, price.alone, None);
            self.core.spend(Bucket::Overhead, own);
            self.core.clock.keep_waiting(price.cost.wait);
        } else {
            self.spend(price.cost.times(count));
        }
        if !price.cost.bus.is_empty() {
            self.core.clock.name_pending(step);
        }
    }

    /// The extra time for the processor to receive, at the present time, a message from node `from` that no earlier message has
    /// prefetched. That is so if the message before came from another node, or was received before this one arrived.
    pub(crate) fn time_to_fetch(&mut self, from: usize, arrived: Time) -> Time {
        if self.prices.fetch().is_zero() {
            return Time::ZERO;
        }
        let goes_on = self.core.activity() == Activity::Handler;
        let at_hand = |&(last, taken): &(usize, Time)| goes_on && last == from && arrived <= taken;
        let is_near = self.core.service.take_up(from, self.now).as_ref().is_some_and(at_hand);
        if is_near || from == self.core.node() { Time::ZERO } else { self.prices.fetch() }
    }

    /// Spends the occupancy that follows a handler or a send.
    #[inline]
    pub(crate) fn spend_tail(&mut self) {
        let after = self.core.clock.take_after();
        let tail = self.core.clock.take_tail();
        if tail.is_zero() {
            return;
        }
        let handles = self.core.activity() == Activity::Handler;
        let step = handles.then_some((self.core.purpose().kind, Taken::COMPLETION));
        if let Some((kind, taken)) = step {
            self.anatomy.count_step(kind, taken, (Stage::COMPLETION, 1), tail);
        }
        let own = tail - self.put_on_bus(after, step);
        self.core.spend(Bucket::Overhead, own);
    }

    /// Books the cost of telling the device that the processor computes again, and returns its time.
    pub(crate) fn report_computing(&mut self) -> Time {
        let cost = self.prices.report_computing();
        let delay = self.memory.delay(cost.bus, self.now, self.now);
        self.core.ledger.book(Bucket::Memory, delay);
        self.core.ledger.book(Bucket::Overhead, cost.path);
        delay + cost.path
    }

    /// Charges work that the thread or handler has done.
    #[inline]
    pub(crate) fn charge(&mut self, work: Work) {
        match work {
            Work::Primitive(primitive, count) => self.spend_primitive(primitive, count),
            Work::Block(..) => unreachable!("blocks are handled where a fiber can wait for the bus"),
            Work::Compute(done) => {
                self.core.compute(self.prices.operations(self.core.list(), done));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::testing::{Bench, price};
    use crate::testing::{self, described, ns};
    use machine::{Primitives, Transaction};
    use proptest::prelude::*;

    fn cost(path: u64, occupancy: u64) -> Cost {
        Cost { path: ns(path), occupancy: ns(occupancy), ..Cost::default() }
    }

    #[test]
    fn a_path_is_spent_now_and_occupancy_after_the_handler() {
        let prices = Primitives { set_tag: price(cost(10, 4)), ..Primitives::default() };
        let mut bench = Bench::new(Memory::plain(ns(50)), prices);
        bench.at_work(0, ns(0)).spend_primitive(Primitive::SetTag, 3);
        assert_eq!(bench.spent(0), (ns(30), ns(30), ns(0)));
        bench.at_work(0, ns(0)).spend_tail();
        assert_eq!(bench.spent(0), (ns(42), ns(42), ns(0)));
        bench.at_work(0, ns(0)).spend_tail();
        assert_eq!(bench.spent(0).0, ns(42), "it follows once");
    }

    #[test]
    fn transactions_of_a_price_wait_for_their_instant_and_take_their_part_on_an_idle_bus() {
        let bus = Transactions::one(Transaction::Read);
        let prices = Primitives {
            take: price(Cost { path: ns(100), bus, ..Cost::default() }),
            ..Primitives::default()
        };
        let mut bench = Bench::new(Memory::described(&described()), prices);
        let alone = bench.memory.time_alone(Transaction::Read);
        assert!(alone > ns(0) && alone < ns(100));
        bench.at_work(0, ns(0)).spend_primitive(Primitive::Take, 1);
        assert_eq!(bench.spent(0), (ns(100) - alone, ns(100) - alone, ns(0)));
        bench.at_work(0, ns(0)).make_at_once();
        assert_eq!(bench.spent(0), (ns(100), ns(100), ns(0)));
        // The bus is in use by the first processor from its own time on: the second waits.
        bench.at_work(1, ns(0)).spend_primitive(Primitive::Take, 1);
        bench.at_work(1, ns(0)).make_at_once();
        let (ahead, overhead, memory) = bench.spent(1);
        assert_eq!((overhead, ahead), (ns(100), ns(100) + memory));
        assert!(memory > ns(0));
    }

    #[test]
    fn transactions_add_up_on_the_clock_under_the_last_step_that_was_named() {
        let mut bench = Bench::new(Memory::described(&described()), Primitives::default());
        let [many, read] = [Transaction::Write, Transaction::Read].map(Transactions::one);
        let many = many.times(200);
        let mut work = bench.at_work(0, ns(0));
        let first = work.put_on_bus(many.and(read), Some((3, Taken::MISS)));
        assert_eq!(work.put_on_bus(Transactions::NONE, Some((4, Taken::MISS))), ns(0));
        let second = work.put_on_bus(many, None);
        let pending = bench.cores[0].clock.take_pending();
        // No more than 255 of a kind.
        let [write, read] = [Transaction::Write, Transaction::Read].map(|kind| bench.memory.time_alone(kind));
        assert_eq!((first, second), (write * 200 + read, write * 200));
        assert_eq!((pending.alone, pending.made.iter().count()), (write * 255 + read, 256));
        assert_eq!(pending.step.map(|(kind, _)| kind), Some(3));
    }

    #[test]
    fn a_message_is_near_if_it_came_before_the_last_of_its_source_was_taken_up() {
        let mut bench = Bench::new(Memory::plain(ns(50)), Primitives::default());
        let fetch = bench.at_work(0, ns(0)).prices.fetch();
        bench.cores[0].begin(Activity::Handler);
        let mut time = |now, from, arrived| bench.at_work(0, ns(now)).time_to_fetch(from, ns(arrived));
        assert_eq!(time(10, 7, 5), fetch, "the first");
        assert_eq!(time(20, 7, 8), ns(0), "it was there when the first was taken up");
        assert_eq!(time(30, 7, 25), fetch, "it came later");
        assert_eq!(time(40, 8, 25), fetch, "it comes from elsewhere");
        assert_eq!(time(50, 0, 45), ns(0), "its own node sent it");
    }

    /// A price with some of the parts that a price may have.
    fn any_price() -> impl Strategy<Value = Option<machine::ByClass<Cost>>> {
        let made = |count: u64| Transactions::one(Transaction::Write).times(count);
        let parts = (100..1000_u64, 100..1000_u64, 0..2_u64, 0..2_u64, 0..2_u64);
        parts.prop_map(move |(path, occupancy, wait, bus, after)| {
            let cost = cost(path, occupancy);
            price(Cost { wait: ns(wait * 30), bus: made(bus), after: made(after), ..cost })
        })
    }

    proptest! {
        /// A send at its flattened price leaves the processor and the account as header and words one by one do.
        #[test]
        fn a_send_at_once_is_its_steps_one_by_one(
            prices in (any_price(), any_price(), proptest::option::of(any_price())),
            sends in proptest::collection::vec((0..15_u64, proptest::bool::ANY), 1..5),
            described in proptest::bool::ANY,
        ) {
            let (send_header, send_word, send_own) = prices;
            let prices =
                Primitives { send_header, send_word, send_own: send_own.flatten(), ..Primitives::default() };
            let bench = || {
                let memory = if described { Memory::described(&testing::described()) } else { Memory::plain(ns(50)) };
                Bench::new(memory, prices.clone())
            };
            let (mut at_once, mut by_steps) = (bench(), bench());
            for (words, own) in sends {
                let cargo = Injecting { class: Class::User, words, own, commands: false };
                at_once.at_work(0, ns(0)).spend_injection(cargo);
                by_steps.at_work(0, ns(0)).spend_by_steps(cargo);
            }
            for bench in [&mut at_once, &mut by_steps] {
                bench.at_work(0, ns(0)).make_at_once();
                bench.at_work(0, ns(0)).spend_tail();
                bench.at_work(0, ns(0)).make_at_once();
                bench.at_work(0, ns(0)).anatomy.count_access();
            }
            prop_assert_eq!(at_once.spent(0), by_steps.spent(0));
            prop_assert_eq!(at_once.stages(), by_steps.stages());
        }
    }
}
