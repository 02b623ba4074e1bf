//! Price lists: the cost of an operation to a processor, by the kind of processor, the primitive and the class of
//! message.
//!
//! A run ends when it needs a price that the machine file does not give: nothing is free by omission. This module
//! must never know an instant, nor what a processor has spent.

use machine::{ByClass, Class, Cost, Machine, Primitives};
use tempest::{Operations, Primitive};
use units::{Frequency, Time};

/// The bytes of one word of a transfer or deposit.
pub(crate) const WORD_BYTES: u64 = 8;

/// The price list of a processor, chosen by the kind of processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum List {
    /// The list of computing processors, and of every kind that has no list of its own.
    General,
    /// The list of network processors.
    Network,
    /// The list of processors inside the network device.
    Embedded,
}

/// How an event reaches the processor that handles it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Receipt {
    /// The processor reads a message out of the interface, with `words` words behind the header.
    Message { own: bool, words: u64, interrupts: bool },
    /// A network processor has handed the message over.
    Forwarded,
    /// A thread of the node has faulted.
    Fault,
    /// A handler continues, because the right that it waited for has been taken away.
    Resumed,
}

/// The parts of the price of receiving an event.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Reception {
    /// The primitive by which the handler is entered, its name, and its cost.
    pub(crate) dispatch: (Primitive, &'static str, Cost),
    /// The cost of reading the header out of the interface; `None` where no processor reads it.
    pub(crate) extract: Option<Cost>,
    /// The number of words behind the header, and the cost of reading them.
    pub(crate) words: (u64, Cost),
}

impl Reception {
    /// The cost of all parts together.
    pub(crate) fn total(&self) -> Cost {
        self.dispatch.2.and(self.extract.unwrap_or_default()).and(self.words.1)
    }
}

/// The price lists of a machine.
pub(crate) struct PriceLists {
    machine: String,
    general: Primitives,
    /// The list of network processors; `None` where the machine has no such processors.
    network: Option<Primitives>,
    /// The list of embedded processors; `None` where the machine has none for them.
    embedded: Option<Primitives>,
    operations: hardware::Prices,
    /// The operations of network processors and of embedded processors, each at its own clock.
    network_operations: hardware::Prices,
    embedded_operations: hardware::Prices,
    memory: machine::Memory,
    fetch: Time,
    visible: Time,
}

impl PriceLists {
    /// The price lists of a machine.
    pub(crate) fn new(machine: &Machine) -> Self {
        let operations = hardware::Prices::new(&machine.processor.work);
        let stated = machine.processor.clock;
        let at = |own: Option<Frequency>| operations.at_clock(stated, own.unwrap_or(stated));
        Self {
            machine: machine.name.clone(),
            general: machine.primitives.clone(),
            network: machine.network_processor.as_ref().map(|network| network.primitives.clone()),
            embedded: machine.embedded_processor.as_ref().map(|embedded| embedded.primitives.clone()),
            network_operations: at(machine.network_processor.as_ref().map(|network| network.clock)),
            embedded_operations: at(machine.embedded_processor.as_ref().map(|embedded| embedded.clock)),
            operations,
            memory: machine.memory.clone(),
            fetch: machine.processor.fetch,
            visible: machine.handoff.as_ref().map_or(Time::ZERO, |handoff| handoff.visible),
        }
    }

    /// The cost of one use of a primitive for a message of a class.
    ///
    /// # Panics
    /// If the machine gives no price for it, which ends the run with that message.
    #[inline]
    pub(crate) fn of(&self, list: List, primitive: Primitive, class: Class) -> Cost {
        self.named(list, primitive, class).1
    }

    /// The name of a primitive in machine files, and the cost of one use of it for a message of a class.
    ///
    /// # Panics
    /// If the machine gives no price for it.
    #[inline]
    pub(crate) fn named(&self, list: List, primitive: Primitive, class: Class) -> (&'static str, Cost) {
        let (name, price) = entry(self.list(list), primitive);
        (name, self.priced(list, name, price, class))
    }

    /// The price of receiving an event of a class and entering its handler. Where a device dispatches, the device
    /// reads the message out of the interface, and the processor pays nothing for that.
    ///
    /// # Panics
    /// If the machine gives no price for it.
    pub(crate) fn reception(&self, list: List, class: Class, receipt: Receipt) -> Reception {
        let primitive = match receipt {
            Receipt::Forwarded => Primitive::Take,
            Receipt::Fault => Primitive::DispatchFault,
            Receipt::Message { .. } | Receipt::Resumed => Primitive::Dispatch,
        };
        let after_interrupt = self.list(list).dispatch_interrupt.as_ref();
        let (name, cost) = match (receipt, after_interrupt) {
            (Receipt::Message { interrupts: true, .. }, Some(price)) => {
                ("dispatch_interrupt", price.of(class))
            }
            _ => self.named(list, primitive, class),
        };
        let dispatch = (primitive, name, cost);
        let Receipt::Message { own, words, .. } = receipt else {
            return Reception { dispatch, extract: None, words: (0, Cost::default()) };
        };
        let prices = self.list(list);
        let own = prices.extract_own.as_ref().filter(|_| own);
        let extract = own.or(prices.extract.as_ref()).map(|price| price.of(class));
        Reception { dispatch, extract, words: (words, self.words(list, class, words)) }
    }

    fn words(&self, list: List, class: Class, words: u64) -> Cost {
        if words == 0 {
            return Cost::default();
        }
        self.priced(list, "receive_word", &self.list(list).receive_word, class).times(words)
    }

    /// The cost of a header to the sender's own node; `None` if the machine has no separate price for it.
    pub(crate) fn send_own(&self, list: List, class: Class) -> Option<Cost> {
        self.list(list).send_own.as_ref().map(|price| price.of(class))
    }

    /// The cost of handing a message of `words` words over to another processor of the node. It is the machine's
    /// price for that, or else the cost of the stores into a queue in the node's memory.
    pub(crate) fn hand_over(&self, list: List, class: Class, words: usize) -> Cost {
        match &self.list(list).hand_over {
            Some(price) => price.of(class),
            None => Cost { path: self.operations.operations(0, 0, 0, words as u32 + 1), ..Cost::default() },
        }
    }

    /// The time from the end of a hand-over until the other processor can see the message.
    pub(crate) fn hand_over_delay(&self) -> Time {
        self.visible
    }

    /// The name and cost of getting a directory entry from another protocol processor.
    ///
    /// # Panics
    /// If the machine gives no price for it.
    pub(crate) fn migrate_entry(&self, list: List, class: Class) -> (&'static str, Cost) {
        let name = "migrate_entry";
        (name, self.priced(list, name, &self.list(list).migrate_entry, class))
    }

    /// The cost of telling the device that a processor computes again.
    ///
    /// # Panics
    /// If the machine gives no price for it.
    pub(crate) fn report_computing(&self) -> Cost {
        self.priced(List::General, "report_computing", &self.general.report_computing, Class::User)
    }

    /// The time of a program's own operations, on a processor of a kind.
    pub(crate) fn operations(&self, list: List, done: Operations) -> Time {
        let prices = match list {
            List::General => &self.operations,
            List::Network => &self.network_operations,
            List::Embedded => &self.embedded_operations,
        };
        prices.operations(done.flops, done.integers, done.loads, done.stores)
    }

    /// The time to read `words` words of memory that are in no cache.
    pub(crate) fn first_read(&self, words: u32) -> Time {
        self.memory.read * (u64::from(words) * WORD_BYTES).div_ceil(self.memory.line.get())
    }

    /// The extra time to receive a message from another node that no earlier message has prefetched.
    pub(crate) fn fetch(&self) -> Time {
        self.fetch
    }

    /// The key of a primitive that has no price in the machine file; `None` if it has one.
    pub(crate) fn lacks(&self, list: List, primitive: Primitive) -> Option<String> {
        let (name, price) = entry(self.list(list), primitive);
        price.is_none().then(|| self.key(list, name))
    }

    /// The key of a charge that is no primitive and has no price in the machine file; `None` if it has one.
    pub(crate) fn lacks_other(&self, list: List, name: &str) -> Option<String> {
        let priced = self.list(list).iter().any(|(other, _)| other == name);
        (!priced).then(|| self.key(list, name))
    }

    fn key(&self, list: List, name: &str) -> String {
        let section = match list {
            List::Network => "network_processor.",
            List::Embedded if self.embedded.is_some() => "embedded_processor.",
            List::General | List::Embedded => "",
        };
        format!("{section}primitives.{name}")
    }

    #[inline]
    fn list(&self, list: List) -> &Primitives {
        let own = match list {
            List::General => None,
            List::Network => self.network.as_ref(),
            List::Embedded => self.embedded.as_ref(),
        };
        own.unwrap_or(&self.general)
    }

    #[inline]
    fn priced(&self, list: List, name: &str, price: &Option<ByClass<Cost>>, class: Class) -> Cost {
        match price {
            Some(price) => price.of(class),
            None => self.refuse_for_free(list, name),
        }
    }

    #[cold]
    fn refuse_for_free(&self, list: List, name: &str) -> ! {
        let why = format!("machine `{}` gives no price for `{}`", self.machine, self.key(list, name));
        // The panic unwinds to the engine like any other. A back trace would tell nothing, so the hook that
        // prints one is skipped.
        std::panic::resume_unwind(Box::new(why))
    }
}

/// Declares, for each primitive of protocols, its key in machine files.
macro_rules! keys {
    ($($primitive:ident => $key:ident,)*) => {
        /// A primitive's key in machine files, and its price in a list. This is inlined because most callers ask
        /// for a particular primitive.
        #[inline(always)]
        fn entry(list: &Primitives, primitive: Primitive) -> (&'static str, &Option<ByClass<Cost>>) {
            match primitive {
                $(Primitive::$primitive => (stringify!($key), &list.$key),)*
            }
        }
    };
}

keys! {
    Dispatch => dispatch, DetectMiss => detect_miss, DispatchFault => dispatch_fault,
    ReadFaultState => read_fault_state, SendHeader => send_header, SendWord => send_word,
    StartTransfer => start_transfer, Extract => extract, HandOver => hand_over, Take => take,
    Issue => issue, Complete => complete, CountStore => count_store, FetchWord => fetch_word,
    PlaceWord => place_word, DirectoryLookup => directory_lookup, SetTag => set_tag,
    FetchBlock => fetch_block, PlaceBlock => place_block, MapPage => map_page, Purge => purge,
    Resume => resume, Translate => translate, TranslateAgain => translate_again, Defer => defer,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(n: u64) -> Time {
        Time::from_nanoseconds(n)
    }

    fn price(n: u64) -> Option<ByClass<Cost>> {
        Some(ByClass::uniform(Cost { path: ns(n), ..Cost::default() }))
    }

    impl PriceLists {
        /// Price lists from one list, with round numbers for work, lines and queues.
        pub(crate) fn in_round_numbers(general: Primitives) -> Self {
            let work = machine::WorkCosts { flop: ns(4), integer: ns(1), load: ns(1), store: ns(2) };
            Self {
                machine: "pencil".to_owned(),
                general,
                network: None,
                embedded: None,
                operations: hardware::Prices::new(&work),
                network_operations: hardware::Prices::new(&work),
                embedded_operations: hardware::Prices::new(&work),
                memory: machine::Memory { line: units::Bytes::new(32), read: ns(50) },
                fetch: ns(6),
                visible: ns(9),
            }
        }
    }

    /// Price lists for tests: general prices of some primitives. The network processor receives words for less
    /// and has no price for sending.
    fn lists() -> PriceLists {
        let general = Primitives {
            dispatch: price(10),
            dispatch_fault: price(20),
            extract: price(3),
            extract_own: price(1),
            receive_word: price(2),
            take: price(7),
            send_header: price(5),
            ..Primitives::default()
        };
        let network = Primitives { dispatch: price(100), receive_word: price(1), ..Primitives::default() };
        PriceLists { network: Some(network), ..PriceLists::in_round_numbers(general) }
    }

    #[test]
    fn a_message_costs_its_header_its_words_and_the_way_into_its_handler() {
        let lists = lists();
        let path = |list, receipt| lists.reception(list, Class::User, receipt).total().path;
        assert_eq!(
            path(List::General, Receipt::Message { own: false, words: 4, interrupts: false }),
            ns(10 + 3 + 4 * 2)
        );
        assert_eq!(
            path(List::General, Receipt::Message { own: true, words: 0, interrupts: false }),
            ns(10 + 1)
        );
        assert_eq!(
            path(List::Network, Receipt::Message { own: false, words: 4, interrupts: false }),
            ns(100 + 4)
        );
    }

    #[test]
    fn a_message_that_interrupts_has_a_price_of_its_own_where_the_machine_states_one() {
        let message = |interrupts| Receipt::Message { own: true, words: 0, interrupts };
        let path =
            |lists: &PriceLists, receipt| lists.reception(List::General, Class::User, receipt).total().path;
        let without = lists();
        assert_eq!([true, false].map(|interrupts| path(&without, message(interrupts))), [ns(11), ns(11)]);
        let general = Primitives { dispatch_interrupt: price(40), ..lists().general };
        let with = PriceLists { general, ..lists() };
        assert_eq!([true, false].map(|interrupts| path(&with, message(interrupts))), [ns(41), ns(11)]);
        assert_eq!(path(&with, Receipt::Fault), ns(20), "a fault interrupts nothing");
    }

    #[test]
    fn embedded_processors_have_the_general_prices_unless_they_have_a_list() {
        let without = lists();
        let own = Primitives { dispatch: price(1), ..Primitives::default() };
        let with = PriceLists { embedded: Some(own), ..lists() };
        let path = |lists: &PriceLists| lists.of(List::Embedded, Primitive::Dispatch, Class::User).path;
        assert_eq!((path(&without), path(&with)), (ns(10), ns(1)));
        assert_eq!(with.of(List::General, Primitive::Dispatch, Class::User).path, ns(10));
    }

    #[test]
    fn what_was_read_before_is_not_read_again() {
        let lists = lists();
        let path = |receipt| lists.reception(List::General, Class::User, receipt).total().path;
        assert_eq!(path(Receipt::Forwarded), ns(7));
        assert_eq!(path(Receipt::Fault), ns(20));
        assert_eq!(path(Receipt::Resumed), ns(10));
    }

    #[test]
    fn handing_over_without_a_price_is_stores_into_memory() {
        assert_eq!(lists().hand_over(List::General, Class::User, 3).path, ns(4 * 2));
    }

    #[test]
    fn a_first_read_takes_a_line_at_a_time() {
        assert_eq!((lists().first_read(4), lists().first_read(5)), (ns(50), ns(100)));
    }

    #[test]
    fn nothing_is_free_by_omission() {
        let unpriced = |list| {
            let panic = std::panic::catch_unwind(|| lists().of(list, Primitive::SetTag, Class::User));
            *panic.expect_err("it has no price").downcast::<String>().expect("the refusal is text")
        };
        assert_eq!(unpriced(List::General), "machine `pencil` gives no price for `primitives.set_tag`");
        assert_eq!(
            unpriced(List::Network),
            "machine `pencil` gives no price for `network_processor.primitives.set_tag`"
        );
    }
}
