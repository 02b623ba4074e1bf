//! A processor at work: spends prices on its own clock and on the bus of its node, and counts steps in the account of costs.
//!
//! A price may contain transactions on the bus. They wait until engine time has reached the processor's clock. Then each is
//! made at its own instant. This module must never know which thread or handler is at work, nor why.

use hardware::memory::NodeMemory;
use machine::{Class, Cost, Transactions};
use tempest::world::DispatchKey;
use tempest::{Primitive, Stage, Work};
use units::Time;

use super::Memory;
use crate::measure::anatomy::{Anatomy, Taken};
use crate::prices::{PriceLists, Receipt};
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
    /// The time that the event took through the network, and the time that it has waited since.
    pub(crate) travel: Time,
    pub(crate) wait: Time,
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

    /// Adds transactions of a step, which are made when the processor's clock is settled. Returns their time on an idle bus.
    #[inline]
    pub(crate) fn put_on_bus(&mut self, transactions: Transactions, step: Option<Step>) -> Time {
        let Some(time) = self.memory.time_of(transactions) else { return Time::ZERO };
        self.core.clock.pend(transactions, step);
        time
    }

    /// Makes all pending transactions at once, one after the other from the processor's clock on. This is for places where no
    /// fiber can wait for their instants.
    pub(crate) fn make_at_once(&mut self) {
        let pending = self.core.clock.take_pending();
        let delay = self.memory.delay(pending.made, self.core.clock.at(self.now), self.now);
        let alone = self.memory.time_of(pending.made).unwrap_or_default();
        self.core.spend(Bucket::Overhead, alone);
        self.core.spend(Bucket::Memory, delay);
        if let Some((kind, taken)) = pending.step {
            self.anatomy.count_wait(kind, taken, delay);
        }
    }

    /// The caches, bus and banks of the node.
    ///
    /// # Panics
    /// If the machine describes no bus: no part makes a request then.
    pub(super) fn bus(&mut self) -> &mut NodeMemory {
        self.memory.system().expect("transactions are made where there is a bus")
    }

    /// The time that transactions take from now on if no event comes before their end. `None` if they then still might have to
    /// wait for the bus.
    #[inline]
    pub(crate) fn time_undisturbed(&self, transactions: Transactions) -> Option<Time> {
        let system = self.memory.modelled()?;
        system.is_bus_free(self.now).then(|| system.uncontended(transactions))
    }

    /// Makes transactions that have taken their [time undisturbed](Self::time_undisturbed).
    #[inline]
    pub(crate) fn make_undisturbed(&mut self, transactions: Transactions, time: Time) {
        self.bus().make_alone(transactions);
        self.core.ledger.book(Bucket::Overhead, time);
    }

    /// Books a wait for the bus, by which a step took longer.
    pub(super) fn book_wait(&mut self, wait: Time, step: Option<Step>) {
        self.core.ledger.book(Bucket::Memory, wait);
        if let Some((kind, taken)) = step {
            self.anatomy.count_wait(kind, taken, wait);
        }
    }

    /// Spends the cost of `count` uses of a primitive, for the class of message that the processor works on.
    pub(crate) fn spend_primitive(&mut self, primitive: Primitive, count: u32) {
        self.spend_primitive_for(primitive, self.core.purpose().class, count.into());
        if primitive == Primitive::DirectoryLookup {
            self.migrate_entry();
        }
    }

    /// Spends the cost of `count` uses of a primitive for a message of the given class. Zero uses need no price.
    pub(crate) fn spend_primitive_for(&mut self, primitive: Primitive, class: Class, count: u64) {
        if count > 0 {
            let (name, cost) = self.prices.named(self.core.list(), primitive, class);
            self.spend_step(Taken::Primitive(primitive), (name, count), cost.times(count));
        }
    }

    /// Spends the cost of a header to the processor's own node. Returns false if the machine has no separate price for that.
    pub(crate) fn spend_own_send(&mut self, class: Class) -> bool {
        let price = self.prices.send_own(self.core.list(), class);
        if let Some(cost) = price {
            self.spend_step(Taken::Primitive(Primitive::SendHeader), ("send_own", 1), cost);
        }
        price.is_some()
    }

    /// The cost of receiving an event and entering its handler, whose steps it counts. Also returns the step that waits for the
    /// bus are counted under.
    pub(crate) fn receive(&mut self, event: Reaching) -> (Cost, Step) {
        let Reaching { class, kind, receipt, travel, wait } = event;
        if receipt != Receipt::Resumed {
            self.anatomy.count_event(kind, travel, wait);
        }
        let price = self.prices.reception(self.core.list(), class, receipt);
        let (primitive, name, cost) = price.dispatch;
        let step = Taken::Primitive(primitive);
        self.anatomy.count_step(kind, step, (name, 1), cost.path);
        if let Some(extract) = price.extract {
            let step = Taken::Primitive(Primitive::Extract);
            self.anatomy.count_step(kind, step, ("extract", 1), extract.path);
        }
        let (words, cost) = price.words;
        if words > 0 {
            self.anatomy.count_step(kind, Taken::ReceiveWord, ("receive_word", words), cost.path);
        }
        (price.total(), (kind, step))
    }

    /// Spends the cost of a step, and counts the step.
    fn spend_step(&mut self, taken: Taken, step: (&'static str, u64), cost: Cost) {
        self.spend(cost);
        if !cost.bus.is_empty() {
            self.core.clock.name_pending((self.core.purpose().kind, taken));
        }
        self.anatomy.count_step(self.core.purpose().kind, taken, step, cost.path);
    }

    /// Charges the fetch of the handler's directory entry, if another protocol processor used that entry last.
    fn migrate_entry(&mut self) {
        let Some(DispatchKey::User(entry)) = self.core.purpose().key else { return };
        if self.memory.migrates(entry, self.core.number()) {
            let (name, cost) = self.prices.migrate_entry(self.core.list(), self.core.purpose().class);
            self.spend_step(Taken::MigrateEntry, (name, 1), cost);
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
    pub(crate) fn spend_tail(&mut self) {
        let after = self.core.clock.take_after();
        let tail = self.core.clock.take_tail();
        if tail.is_zero() {
            return;
        }
        let handles = self.core.activity() == Activity::Handler;
        let step = handles.then_some((self.core.purpose().kind, Taken::Completion));
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
    pub(crate) fn charge(&mut self, work: Work) {
        match work {
            Work::Primitive(primitive, count) => self.spend_primitive(primitive, count),
            Work::FirstRead(words) => self.core.spend(Bucket::Memory, self.prices.first_read(words)),
            Work::Block(..) => unreachable!("blocks are handled where a fiber can wait for the bus"),
            Work::Compute(done) => {
                let computes = self.core.activity() != Activity::Handler && !self.core.is_masked();
                let bucket = if computes { Bucket::Compute } else { Bucket::Overhead };
                self.core.spend(bucket, self.prices.operations(self.core.list(), done));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::testing::{Bench, price};
    use crate::processor::core::Purpose;
    use crate::testing::{described, ns};
    use machine::{Primitives, Transaction};
    use tempest::Block;
    use tempest::world::Name;

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
    fn a_directory_entry_that_another_processor_had_last_costs_more() {
        let prices = Primitives {
            directory_lookup: price(cost(5, 0)),
            migrate_entry: price(cost(40, 0)),
            ..Primitives::default()
        };
        let mut bench = Bench::new(Memory::plain(ns(50)), prices);
        let key = Some(DispatchKey::User(Name::of(Block(3))));
        for core in &mut bench.cores {
            core.serve(Purpose { class: Class::System, kind: 0, key });
        }
        bench.at_work(0, ns(0)).spend_primitive(Primitive::DirectoryLookup, 1);
        bench.at_work(0, ns(0)).spend_primitive(Primitive::DirectoryLookup, 1);
        bench.at_work(1, ns(0)).spend_primitive(Primitive::DirectoryLookup, 1);
        assert_eq!((bench.spent(0).0, bench.spent(1).0), (ns(10), ns(45)));
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
}
