//! What things cost a processor: prices of the machine file, by primitive and class of message, spent on its clock.
//!
//! Compute processors and network processors have price lists of their own. A primitive that a list gives no price for
//! ends the run: nothing is free by omission.

use hardware::memory::NodeMemory;
use machine::{ByClass, Class, Cost, Primitives, Transaction, Transactions};
use tempest::policy::Notice;
use tempest::world::DispatchKey;
use tempest::{Primitive, Stage, Work};
use units::Time;

use crate::cluster::Cluster;
use crate::link::cargo::{Flight, Origin, WORD_BYTES};
use crate::measure::anatomy::Taken;
use crate::processor::core::{Activity, Bucket, Core, Pending};

impl Cluster {
    /// What a use of a primitive costs a core, for a message of some class.
    ///
    /// # Panics
    /// If the machine gives no price for it, which ends the run with that message.
    #[inline]
    pub(crate) fn price(&self, core: usize, primitive: Primitive, class: Class) -> Cost {
        self.named_price(core, primitive, class).1
    }

    /// The name of a primitive, and what a use of it costs a core for a message of some class.
    pub(crate) fn named_price(
        &self,
        core: usize,
        primitive: Primitive,
        class: Class,
    ) -> (&'static str, Cost) {
        let (name, price) = entry(self.price_list(core), primitive);
        (name, self.priced(core, name, price, class))
    }

    /// What it costs a core to take an event in and enter its handler, counted as its steps. Where a device dispatches there is
    /// no price for reading a message out of the interface: that is the device's work.
    pub(crate) fn cost_of_event(&mut self, core: usize, flight: u32) -> (Cost, (u16, Taken)) {
        let event = &self.link.flights[flight as usize];
        let (class, kind, origin) = (event.class, event.kind, event.origin);
        let whole = origin == Origin::Sent && !event.forwarded;
        let words = if whole { self.words_behind_header(event.to(), event.packet()) as u64 } else { 0 };
        let dispatch = match origin {
            _ if event.forwarded => Primitive::Take,
            Origin::Fault => Primitive::DispatchFault,
            Origin::Sent | Origin::Lowered => Primitive::Dispatch,
        };
        if origin != Origin::Lowered {
            self.measure.anatomy.count_event(kind, event.travel(), self.agenda.now - event.arrived);
        }
        let list = self.price_list(core);
        let own = list.extract_own.as_ref().filter(|_| event.from == event.to);
        let extract = own.or(list.extract.as_ref()).filter(|_| whole).map(|price| price.of(class));
        let word = self.cost_of_words(core, class, words);
        let (name, cost) = self.named_price(core, dispatch, class);
        self.measure.anatomy.count_step(kind, Taken::Primitive(dispatch), (name, 1), cost.path);
        if let Some(extract) = extract {
            self.measure.anatomy.count_step(
                kind,
                Taken::Primitive(Primitive::Extract),
                ("extract", 1),
                extract.path,
            );
        }
        if words > 0 {
            self.measure.anatomy.count_step(kind, Taken::ReceiveWord, ("receive_word", words), word.path);
        }
        (cost.and(extract.unwrap_or_default()).and(word), (kind, Taken::Primitive(dispatch)))
    }

    fn cost_of_words(&self, core: usize, class: Class, words: u64) -> Cost {
        if words == 0 {
            return Cost::default();
        }
        self.priced(core, "receive_word", &self.price_list(core).receive_word, class).times(words)
    }

    /// How much longer transactions take that `core` makes from `at` on than on an idle bus.
    pub(crate) fn bus_delay(&mut self, core: usize, transactions: Transactions, at: Time) -> Time {
        if transactions.is_empty() {
            return Time::ZERO;
        }
        let now = self.agenda.now;
        let memory = self.nodes[self.cores[core].node].memory.system.as_mut();
        memory.map_or(Time::ZERO, |memory| memory.delay_of(transactions, at, now))
    }

    #[inline]
    fn priced(&self, core: usize, name: &str, price: &Option<ByClass<Cost>>, class: Class) -> Cost {
        match price {
            Some(price) => price.of(class),
            None => self.refuse_for_free(core, name),
        }
    }

    #[cold]
    fn refuse_for_free(&self, core: usize, name: &str) -> ! {
        let list = if self.is_network_processor(core) { "network_processor." } else { "" };
        let why =
            format!("machine `{}` gives no price for `{list}primitives.{name}`", self.setting.machine.name);
        // Unwinds to the engine as a panic does, but nothing is broken that a back trace would help to find.
        std::panic::resume_unwind(Box::new(why))
    }

    #[inline]
    fn price_list(&self, core: usize) -> &Primitives {
        match &self.setting.machine.network_processor {
            Some(own) if self.is_network_processor(core) => &own.primitives,
            _ => &self.setting.machine.primitives,
        }
    }

    /// Spends a cost on a core's clock: its path now, its occupancy when its handler or send is over. Its bus transactions are
    /// [made](crate::api::Edge::settle) when the clock is settled.
    pub(crate) fn spend_cost(&mut self, core: usize, cost: Cost) {
        let own = cost.path - self.put_on_bus(core, cost.bus, None);
        let state = &mut self.cores[core];
        state.after = state.after.and(cost.after);
        state.spend(Bucket::Overhead, own);
        state.tail += cost.occupancy;
        state.wait = state.wait.max(cost.wait);
    }

    /// Has `core` make transactions, of some step, once its clock is settled: what they take on an idle bus.
    #[inline]
    pub(crate) fn put_on_bus(
        &mut self,
        core: usize,
        transactions: Transactions,
        step: Option<(u16, Taken)>,
    ) -> Time {
        if transactions.is_empty() {
            return Time::ZERO;
        }
        let Some(memory) = &self.nodes[self.cores[core].node].memory.system else { return Time::ZERO };
        let pending = &mut self.cores[core].pending;
        *pending = Pending { made: pending.made.and(transactions), step: step.or(pending.step) };
        memory.uncontended(transactions)
    }

    /// What a transaction by `core` takes on an idle bus, where there is one.
    pub(crate) fn time_alone(&self, core: usize, transaction: Transaction) -> Option<Time> {
        self.nodes[self.cores[core].node].memory.system.as_ref()?;
        let costs = self.setting.machine.node_memory.as_ref()?;
        Some(costs.uncontended(transaction, self.setting.machine.memory.line))
    }

    /// The present time, and the memory system of the node of `core`, which has one: it has transactions to make.
    pub(crate) fn memory_now(&mut self, core: usize) -> (Time, &mut NodeMemory) {
        let memory = self.nodes[self.cores[core].node].memory.system.as_mut();
        (self.agenda.now, memory.expect("transactions are made where there is a bus"))
    }

    /// A transaction by a core is done that took so long, and would take `alone` on an idle bus.
    pub(crate) fn book_transaction(
        &mut self,
        core: usize,
        (taken, alone): (Time, Time),
        step: Option<(u16, Taken)>,
    ) {
        // Caches may supply a line sooner than memory, and the bus may be in use.
        let wait = taken.saturating_sub(alone);
        self.cores[core].book(Bucket::Overhead, taken.min(alone));
        self.cores[core].book(Bucket::Memory, wait);
        if let Some((kind, taken)) = step {
            self.measure.anatomy.count_wait(kind, taken, wait);
        }
    }

    /// Makes what `core` has pending where no fiber can wait for its instant, one after the other from its clock on.
    pub(crate) fn make_at_once(&mut self, core: usize) {
        let pending = std::mem::take(&mut self.cores[core].pending);
        let delay = self.bus_delay(core, pending.made, self.agenda.now + self.cores[core].ahead);
        let memory = self.nodes[self.cores[core].node].memory.system.as_ref();
        let alone = memory.map_or(Time::ZERO, |memory| memory.uncontended(pending.made));
        self.cores[core].spend(Bucket::Overhead, alone);
        self.cores[core].spend(Bucket::Memory, delay);
        if let Some((kind, taken)) = pending.step {
            self.measure.anatomy.count_wait(kind, taken, delay);
        }
    }

    /// Spends the cost of `count` uses of a primitive, for the class of message that the core is at work on.
    pub(crate) fn spend_primitive(&mut self, core: usize, primitive: Primitive, count: u32) {
        let class = self.cores[core].class;
        self.spend_primitive_for(core, primitive, class, count.into());
        if primitive == Primitive::DirectoryLookup {
            self.migrate_entry(core);
        }
    }

    /// Spends the cost of `count` uses of a primitive for a message of the given class. A primitive that is
    /// used no times needs no price.
    pub(crate) fn spend_primitive_for(
        &mut self,
        core: usize,
        primitive: Primitive,
        class: Class,
        count: u64,
    ) {
        if count > 0 {
            let (name, cost) = self.named_price(core, primitive, class);
            self.spend_step(core, Taken::Primitive(primitive), (name, count), cost.times(count));
        }
    }

    /// Spends the cost of a header to the own node, if the machine has another price for that.
    pub(crate) fn spend_own_send(&mut self, core: usize, class: Class) -> bool {
        let price = self.price_list(core).send_own.as_ref().map(|price| price.of(class));
        if let Some(cost) = price {
            self.spend_step(core, Taken::Primitive(Primitive::SendHeader), ("send_own", 1), cost);
        }
        price.is_some()
    }

    /// How much longer it takes `core`, whose time is now, to take up a message of another node that nothing has brought
    /// nearer: the one before came from elsewhere, or was taken up before this one arrived.
    pub(crate) fn time_to_fetch(&mut self, core: usize, flight: u32) -> Time {
        let Flight { from, to, arrived, .. } = self.link.flights[flight as usize];
        let goes_on = self.cores[core].activity == Activity::Handler;
        let at_hand = |&(last, taken): &(usize, Time)| goes_on && last == from && arrived <= taken;
        let is_near = self.cores[core].service.taken.as_ref().is_some_and(at_hand);
        self.cores[core].service.taken = Some((from, self.agenda.now));
        if is_near || from == to { Time::ZERO } else { self.setting.machine.processor.fetch }
    }

    /// Spends the cost of a step, and counts it.
    fn spend_step(&mut self, core: usize, taken: Taken, step: (&'static str, u64), cost: Cost) {
        self.spend_cost(core, cost);
        let state = &mut self.cores[core];
        if !cost.bus.is_empty() {
            state.pending.step = Some((state.kind, taken));
        }
        self.measure.anatomy.count_step(state.kind, taken, step, cost.path);
    }

    /// A handler on `core` has looked its directory entry up: if another protocol processor had it last, it comes from there.
    fn migrate_entry(&mut self, core: usize) {
        let Core { node, number, key, class, .. } = self.cores[core];
        let Some(DispatchKey::User(key)) = key.filter(|_| self.setting.shares_entries) else { return };
        if self.nodes[node].memory.entries.insert(key, number).is_some_and(|last| last != number) {
            let name = "migrate_entry";
            let cost = self.priced(core, name, &self.price_list(core).migrate_entry, class);
            self.spend_step(core, Taken::MigrateEntry, (name, 1), cost);
        }
    }

    /// Spends what follows a handler or a send: occupancy off the path.
    pub(crate) fn spend_tail(&mut self, core: usize) {
        let after = std::mem::take(&mut self.cores[core].after);
        let tail = std::mem::take(&mut self.cores[core].tail);
        if tail.is_zero() {
            return;
        }
        let Core { kind, activity, .. } = self.cores[core];
        let step = (activity == Activity::Handler).then_some((kind, Taken::Completion));
        if let Some((kind, taken)) = step {
            self.measure.anatomy.count_step(kind, taken, (Stage::COMPLETION, 1), tail);
        }
        let own = tail - self.put_on_bus(core, after, step);
        self.cores[core].spend(Bucket::Overhead, own);
    }

    /// A processor that runs handlers while its threads wait computes again: what telling the device takes, booked. Nothing
    /// where nobody asks which processors compute.
    pub(crate) fn report_computing(&mut self, core: usize) -> Time {
        if self.setting.policy.notice != Notice::InterruptWhenBusy {
            return Time::ZERO;
        }
        let price = &self.setting.machine.primitives.report_computing;
        let cost = self.priced(core, "report_computing", price, Class::User);
        let delay = self.bus_delay(core, cost.bus, self.agenda.now);
        self.cores[core].book(Bucket::Memory, delay);
        self.cores[core].book(Bucket::Overhead, cost.path);
        delay + cost.path
    }

    /// A charge of the fiber that runs on `core`.
    pub(crate) fn charge(&mut self, core: usize, work: Work) {
        match work {
            Work::Primitive(primitive, count) => self.spend_primitive(core, primitive, count),
            Work::FirstRead(words) => {
                let machine::Memory { line, read } = self.setting.machine.memory;
                let lines = (u64::from(words) * WORD_BYTES).div_ceil(line.get());
                self.cores[core].spend(Bucket::Memory, read * lines);
            }
            Work::Block(..) => unreachable!("blocks are handled where a fiber can wait for the bus"),
            Work::Compute(done) => {
                let time = self.setting.prices.operations(done.flops, done.integers, done.loads, done.stores);
                let computing = self.cores[core].activity != Activity::Handler && !self.cores[core].masked;
                let bucket = if computing { Bucket::Compute } else { Bucket::Overhead };
                self.cores[core].spend(bucket, time);
            }
        }
    }

    /// What it costs `core` to put a message of `words` words into the queue to another processor of the node: the
    /// machine's price for it, or else the stores into a queue in the node's memory.
    pub(crate) fn hand_over_cost(&self, core: usize, class: Class, words: usize) -> Cost {
        match &self.price_list(core).hand_over {
            Some(price) => price.of(class),
            None => {
                Cost { path: self.setting.prices.operations(0, 0, 0, words as u32 + 1), ..Cost::default() }
            }
        }
    }

    /// From the end of handing a message over until the other processor can see it.
    pub(crate) fn hand_over_delay(&self) -> Time {
        self.setting.machine.handoff.as_ref().map_or(Time::ZERO, |handoff| handoff.visible)
    }
}

/// Declares the key that a machine file has for each primitive of protocols.
macro_rules! keys {
    ($($primitive:ident => $key:ident,)*) => {
        /// A primitive's key in machine files, and its price in a list. Inlined: most callers ask for a particular one.
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
