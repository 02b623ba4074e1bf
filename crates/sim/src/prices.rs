//! Price lists: the cost of an operation to a processor, by the kind of processor, the primitive and the class of
//! message.
//!
//! A run ends when it needs a price that the machine file does not give: nothing is free by omission. This module must
//! never know an instant, nor the time that a processor has spent.

use machine::{ByClass, Class, Cost, Machine, Primitives, Transactions};
use tempest::{MAX_WORDS, Operations, Primitive};
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

/// The way of an event to the processor that handles it.
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

impl Receipt {
    /// The ways that differ in price, besides the words.
    const WAYS: [Self; 7] = [
        Self::Forwarded,
        Self::Fault,
        Self::Resumed,
        Self::Message { own: false, words: 0, interrupts: false },
        Self::Message { own: true, words: 0, interrupts: false },
        Self::Message { own: false, words: 0, interrupts: true },
        Self::Message { own: true, words: 0, interrupts: true },
    ];

    /// The place among [`WAYS`](Self::WAYS).
    #[inline]
    fn way(self) -> usize {
        match self {
            Self::Forwarded => 0,
            Self::Fault => 1,
            Self::Resumed => 2,
            Self::Message { own, interrupts, .. } => 3 + usize::from(own) + 2 * usize::from(interrupts),
        }
    }

    /// The words behind the header that the processor reads.
    #[inline]
    pub(crate) fn words(self) -> u64 {
        if let Self::Message { words, .. } = self { words } else { 0 }
    }
}

/// The price of one use of a primitive.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Price {
    /// The name of the primitive in machine files.
    pub(crate) name: &'static str,
    pub(crate) cost: Cost,
    /// Whether the cost is path and occupancy alone, as most are: without bus transactions and without a wait.
    plain: bool,
    /// The time of the cost's transactions on an idle bus; `None` where there are none, or the machine describes no bus.
    pub(crate) alone: Option<Time>,
}

impl Price {
    fn new(name: &'static str, cost: Cost, alone: Alone<'_>) -> Self {
        let plain = cost.bus.is_empty() && cost.after.is_empty() && cost.wait.is_zero();
        Self { name, cost, plain, alone: alone(cost.bus).filter(|_| !cost.bus.is_empty()) }
    }

    /// The path and the occupancy of `count` uses, if the cost has no other parts.
    #[inline]
    pub(crate) fn plain(&self, count: u64) -> Option<(Time, Time)> {
        self.plain.then(|| (self.cost.path * count, self.cost.occupancy * count))
    }
}

/// The most words behind a header: the words of a message, and the place of a deposit.
const MOST_WORDS: usize = MAX_WORDS + 1;

/// The price of sending a message, flattened for each number of words.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Sending {
    /// The name of the primitive that sends the header, and its path.
    pub(crate) header: (&'static str, Time),
    /// The name of the primitive that sends a word.
    pub(crate) word: &'static str,
    sent: [Sent; MOST_WORDS + 1],
}

/// The price of sending a header and a number of words behind it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Sent {
    /// The path of the words alone.
    pub(crate) words: Time,
    /// The path of all without the bus transactions, which are made at their own instants.
    pub(crate) own: Time,
    pub(crate) occupancy: Time,
    /// The parts that few prices have: [`Cost::wait`], [`Cost::bus`] and [`Cost::after`]; `None` where all three are empty.
    pub(crate) rest: Option<Rest>,
}

/// The parts of a price that few prices have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Rest {
    pub(crate) wait: Time,
    pub(crate) bus: Transactions,
    /// The time of these transactions on an idle bus.
    pub(crate) alone: Time,
    pub(crate) after: Transactions,
    /// The step that the transactions are counted under.
    pub(crate) step: Primitive,
}

/// The time of transactions on an idle bus; `None` on a machine whose bus is not described.
type Alone<'a> = &'a dyn Fn(Transactions) -> Option<Time>;

impl Sending {
    fn of(header: &Price, word: &Price, alone: Alone<'_>) -> Self {
        let sent = |count: usize| {
            let words = if count == 0 { Cost::default() } else { word.cost.times(count as u64) };
            let all = header.cost.and(words);
            let mut rest = Rest {
                wait: all.wait,
                bus: Transactions::NONE,
                alone: Time::ZERO,
                after: all.after,
                step: Primitive::SendHeader,
            };
            for (step, made) in [(Primitive::SendHeader, header.cost.bus), (Primitive::SendWord, words.bus)] {
                if let Some(time) = alone(made).filter(|_| !made.is_empty()) {
                    rest = Rest { bus: rest.bus.and(made), alone: rest.alone + time, step, ..rest };
                }
            }
            let is_plain = rest.wait.is_zero() && rest.bus.is_empty() && rest.after.is_empty();
            Sent {
                words: words.path,
                own: all.path - rest.alone,
                occupancy: all.occupancy,
                rest: (!is_plain).then_some(rest),
            }
        };
        Self { header: (header.name, header.cost.path), word: word.name, sent: std::array::from_fn(sent) }
    }
}

/// The price of receiving an event and entering its handler, flattened for each number of words behind the header.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Reception {
    /// The primitive by which the handler is entered, its name, and its path.
    pub(crate) dispatch: (Primitive, &'static str, Time),
    /// The path of reading the header out of the interface; `None` where no processor reads it.
    pub(crate) extract: Option<Time>,
    /// The name of the primitive that reads a word; `None` if the machine gives no price for it.
    word: Option<&'static str>,
    received: [Received; MOST_WORDS + 1],
}

/// The price of receiving an event with a number of words behind the header.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Received {
    /// The path of the words alone.
    pub(crate) words: Time,
    /// The cost of all together.
    pub(crate) cost: Cost,
    /// The time of its [transactions](Cost::bus) on an idle bus; `None` where there are none, or the machine describes no bus.
    pub(crate) alone: Option<Time>,
}

/// A value for each class, where the machine gives it.
type ByKnown<T> = [Option<T>; Class::ALL.len()];

/// The prices of one kind of processor, flattened: each takes a single look-up.
struct PriceList {
    primitives: [ByKnown<Price>; PRIMITIVES.len()],
    receptions: [ByKnown<Box<Reception>>; Receipt::WAYS.len()],
    send_own: ByKnown<Price>,
    /// The price of sending to other nodes, and to the own one.
    sending: [ByKnown<Box<Sending>>; 2],
    operations: hardware::Prices,
    /// The list as the machine file states it.
    stated: Primitives,
}

impl PriceList {
    fn new(stated: &Primitives, operations: hardware::Prices, alone: Alone<'_>) -> Self {
        let known = |name, price: &Option<ByClass<Cost>>| {
            Class::ALL.map(|class| price.as_ref().map(|price| Price::new(name, price.of(class), alone)))
        };
        let primitives = PRIMITIVES.map(|primitive| {
            let (name, price) = entry(stated, primitive);
            known(name, price)
        });
        let [header, word] =
            [Primitive::SendHeader, Primitive::SendWord].map(|primitive| primitives[primitive as usize]);
        let send_own = known("send_own", &stated.send_own);
        let sending = |class: usize, own: Option<Price>| {
            Some(Box::new(Sending::of(&own.or(header[class])?, &word[class]?, alone)))
        };
        Self {
            sending: [
                std::array::from_fn(|class| sending(class, None)),
                std::array::from_fn(|class| sending(class, send_own[class])),
            ],
            primitives,
            receptions: Receipt::WAYS
                .map(|way| Class::ALL.map(|class| reception(stated, class, way, alone).map(Box::new))),
            send_own,
            operations,
            stated: stated.clone(),
        }
    }
}

/// The primitive by which a processor receives an event.
fn received_by(receipt: Receipt) -> Primitive {
    match receipt {
        Receipt::Forwarded => Primitive::Take,
        Receipt::Fault => Primitive::DispatchFault,
        Receipt::Message { .. } | Receipt::Resumed => Primitive::Dispatch,
    }
}

/// The price of receiving an event of a class and entering its handler; `None` if the machine gives none. Where a device
/// dispatches, the device reads the message out of the interface, and the processor pays nothing for that.
fn reception(stated: &Primitives, class: Class, receipt: Receipt, alone: Alone<'_>) -> Option<Reception> {
    let primitive = received_by(receipt);
    let (name, price) = match (receipt, &stated.dispatch_interrupt) {
        (Receipt::Message { interrupts: true, .. }, Some(_)) => {
            ("dispatch_interrupt", &stated.dispatch_interrupt)
        }
        _ => entry(stated, primitive),
    };
    let cost = price.as_ref()?.of(class);
    let extract = match receipt {
        Receipt::Message { own: true, .. } => stated.extract_own.as_ref().or(stated.extract.as_ref()),
        Receipt::Message { .. } => stated.extract.as_ref(),
        _ => None,
    };
    let extract = extract.map(|price| price.of(class));
    let word = stated.receive_word.as_ref().map(|price| price.of(class));
    let received = |count: usize| {
        let words = word.filter(|_| count > 0).unwrap_or_default().times(count as u64);
        let cost = cost.and(extract.unwrap_or_default()).and(words);
        Received { words: words.path, cost, alone: alone(cost.bus).filter(|_| !cost.bus.is_empty()) }
    };
    Some(Reception {
        dispatch: (primitive, name, cost.path),
        extract: extract.map(|cost| cost.path),
        word: word.map(|_| "receive_word"),
        received: std::array::from_fn(received),
    })
}

/// The price lists of a machine.
pub(crate) struct PriceLists {
    machine: String,
    /// The list of each kind of processor, in the order of [`List`]. A kind without a list of its own has the general one.
    lists: [Box<PriceList>; 3],
    /// Whether the machine has a list for embedded processors.
    has_embedded: bool,
    fetch: Time,
    check: Time,
    visible: Time,
}

impl PriceLists {
    /// The price lists of a machine.
    pub(crate) fn new(machine: &Machine) -> Self {
        let (network, embedded) = (&machine.network_processor, &machine.embedded_processor);
        let operations = hardware::Prices::new(&machine.processor.work);
        let stated = machine.processor.clock;
        let at = |own: Option<Frequency>| operations.at_clock(stated, own.unwrap_or(stated));
        let clocks =
            [network.as_ref().map(|network| network.clock), embedded.as_ref().map(|embedded| embedded.clock)];
        let own = [
            network.as_ref().map(|network| &network.primitives),
            embedded.as_ref().map(|embedded| &embedded.primitives),
        ];
        let bus = machine.node_memory.as_ref();
        let alone = |made| bus.map(|bus| bus.uncontended_all(made, machine.memory.line));
        Self {
            machine: machine.name.clone(),
            lists: Self::lists(&machine.primitives, own, &operations, clocks.map(at), &alone),
            has_embedded: embedded.is_some(),
            fetch: machine.processor.fetch,
            check: machine.processor.check,
            visible: machine.handoff.as_ref().map_or(Time::ZERO, |handoff| handoff.visible),
        }
    }

    /// The general list, and the lists of network processors and embedded processors, each with operations at its own
    /// clock.
    fn lists(
        general: &Primitives,
        own: [Option<&Primitives>; 2],
        operations: &hardware::Prices,
        own_operations: [hardware::Prices; 2],
        alone: Alone<'_>,
    ) -> [Box<PriceList>; 3] {
        let [network, embedded] = own.map(|own| own.unwrap_or(general));
        let [of_network, of_embedded] = own_operations;
        [
            Box::new(PriceList::new(general, operations.clone(), alone)),
            Box::new(PriceList::new(network, of_network, alone)),
            Box::new(PriceList::new(embedded, of_embedded, alone)),
        ]
    }

    /// The cost of one use of a primitive for a message of a class.
    ///
    /// # Panics
    /// If the machine gives no price for it, which ends the run with that message.
    #[inline]
    pub(crate) fn of(&self, list: List, primitive: Primitive, class: Class) -> Cost {
        self.price(list, primitive, class).cost
    }

    /// The price of a primitive for a message of a class.
    ///
    /// # Panics
    /// If the machine gives none.
    #[inline]
    pub(crate) fn price(&self, list: List, primitive: Primitive, class: Class) -> &Price {
        let price = &self.list(list).primitives[primitive as usize][class as usize];
        price.as_ref().unwrap_or_else(|| self.refuse_for_free(list, key(primitive)))
    }

    /// The price of receiving an event of a class with its words, and entering its handler. Also returns the name of the
    /// primitive that reads a word, where there are words.
    ///
    /// # Panics
    /// If the machine gives none.
    #[inline]
    pub(crate) fn reception(
        &self,
        list: List,
        class: Class,
        receipt: Receipt,
    ) -> (&Reception, &Received, Option<&'static str>) {
        let price = &self.list(list).receptions[receipt.way()][class as usize];
        let price = price.as_ref().unwrap_or_else(|| self.refuse_for_free(list, key(received_by(receipt))));
        let words = receipt.words() as usize;
        if words > 0 && price.word.is_none() {
            self.refuse_for_free(list, "receive_word");
        }
        (price, &price.received[words], price.word.filter(|_| words > 0))
    }

    /// The price of sending a message of class `class` with `words` words to another node, or to the `own` node; `None`
    /// if the machine gives none.
    #[inline]
    pub(crate) fn sending(
        &self,
        list: List,
        class: Class,
        own: bool,
        words: usize,
    ) -> Option<(&Sending, &Sent)> {
        let price = self.list(list).sending[usize::from(own)][class as usize].as_ref()?;
        Some((price, price.sent.get(words)?))
    }

    /// The price of a header to the sender's own node; `None` if the machine has no separate price for it.
    #[inline]
    pub(crate) fn send_own(&self, list: List, class: Class) -> Option<&Price> {
        self.list(list).send_own[class as usize].as_ref()
    }

    /// The cost of handing a message of `words` words over to another processor of the node. It is the machine's
    /// price for that, or else the cost of the stores into a queue in the node's memory.
    pub(crate) fn hand_over(&self, list: List, class: Class, words: usize) -> Cost {
        match &self.list(list).stated.hand_over {
            Some(price) => price.of(class),
            None => Cost {
                path: self.list(List::General).operations.operations(0, 0, 0, words as u32 + 1),
                ..Cost::default()
            },
        }
    }

    /// The time from the end of a hand-over until the other processor can see the message.
    pub(crate) fn hand_over_delay(&self) -> Time {
        self.visible
    }

    /// The cost of telling the device that a processor computes again.
    ///
    /// # Panics
    /// If the machine gives no price for it.
    pub(crate) fn report_computing(&self) -> Cost {
        match &self.list(List::General).stated.report_computing {
            Some(price) => price.of(Class::User),
            None => self.refuse_for_free(List::General, "report_computing"),
        }
    }

    /// The time that a processor of a kind takes to issue a load, or a store or another instruction of a line.
    #[inline]
    pub(crate) fn issue(&self, list: List, loads: bool) -> Time {
        let operations = &self.list(list).operations;
        if loads { operations.load() } else { operations.store() }
    }

    /// The time of a program's own operations, on a processor of a kind; `None` if they may take very long.
    #[inline]
    pub(crate) fn short_operations(&self, list: List, done: Operations) -> Option<Time> {
        self.list(list).operations.short_operations(done.flops, done.integers, done.loads, done.stores)
    }

    /// The time of a program's own operations, on a processor of a kind.
    #[inline]
    pub(crate) fn operations(&self, list: List, done: Operations) -> Time {
        self.list(list).operations.operations(done.flops, done.integers, done.loads, done.stores)
    }

    /// The time of an access to shared memory that its tag allows, without a wait for its line: the look at the tag, and the issue.
    #[inline]
    pub(crate) fn access(&self, list: List, loads: bool) -> Time {
        self.check + self.issue(list, loads)
    }

    /// The extra time to receive a message from another node that no earlier message has prefetched.
    pub(crate) fn fetch(&self) -> Time {
        self.fetch
    }

    /// The key of a primitive that has no price in the machine file; `None` if it has one.
    pub(crate) fn lacks(&self, list: List, primitive: Primitive) -> Option<String> {
        let (name, price) = entry(&self.list(list).stated, primitive);
        price.is_none().then(|| self.key(list, name))
    }

    /// The key of a charge that is no primitive and has no price in the machine file; `None` if it has one.
    pub(crate) fn lacks_other(&self, list: List, name: &str) -> Option<String> {
        let priced = self.list(list).stated.iter().any(|(other, _)| other == name);
        (!priced).then(|| self.key(list, name))
    }

    fn key(&self, list: List, name: &str) -> String {
        let section = match list {
            List::Network => "network_processor.",
            List::Embedded if self.has_embedded => "embedded_processor.",
            List::General | List::Embedded => "",
        };
        format!("{section}primitives.{name}")
    }

    #[inline]
    fn list(&self, list: List) -> &PriceList {
        &self.lists[list as usize]
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
        /// Every primitive, in the order of declaration.
        const PRIMITIVES: [Primitive; [$(stringify!($key)),*].len()] = [$(Primitive::$primitive),*];

        /// A primitive's key in machine files.
        fn key(primitive: Primitive) -> &'static str {
            match primitive {
                $(Primitive::$primitive => stringify!($key),)*
            }
        }

        /// A primitive's key in machine files, and its price in a list.
        fn entry(list: &Primitives, primitive: Primitive) -> (&'static str, &Option<ByClass<Cost>>) {
            match primitive {
                $(Primitive::$primitive => (key(primitive), &list.$key),)*
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
mod tests;
