//! What things cost a processor: prices of the machine file, by primitive and class of message, spent on its clock.
//!
//! Compute processors and network processors have price lists of their own. A primitive that a list gives no price for
//! ends the run: nothing is free by omission.

use machine::{ByClass, Class, Cost, Primitives};
use tempest::{Primitive, Work};
use units::Time;

use crate::core::{Activity, Bucket};
use crate::state::State;
use crate::traffic::WORD_BYTES;

impl State {
    /// What a use of a primitive costs a core, for a message of some class.
    ///
    /// # Panics
    /// If the machine gives no price for it, which ends the run with that message.
    #[inline]
    pub(crate) fn price(&self, core: usize, primitive: Primitive, class: Class) -> Cost {
        let (name, price) = entry(self.price_list(core), primitive);
        self.priced(core, name, price, class)
    }

    /// What it costs a core to take a message of `words` words in and enter its handler. Where a device dispatches there is
    /// no price for reading the message out of the interface: that is the device's work.
    pub(crate) fn cost_of_receiving(&self, core: usize, class: Class, words: u64) -> Cost {
        let list = self.price_list(core);
        let extract = list.extract.as_ref().map_or_else(Cost::default, |price| price.of(class));
        let dispatch = self.price(core, Primitive::Dispatch, class);
        let word = self.priced(core, "receive_word", &list.receive_word, class);
        Cost {
            path: extract.path + dispatch.path + word.path * words,
            occupancy: extract.occupancy + dispatch.occupancy + word.occupancy * words,
            wait: extract.wait.max(dispatch.wait),
        }
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
        let why = format!("machine `{}` gives no price for `{list}primitives.{name}`", self.machine.name);
        // Unwinds to the engine as a panic does, but nothing is broken that a back trace would help to find.
        std::panic::resume_unwind(Box::new(why))
    }

    #[inline]
    fn price_list(&self, core: usize) -> &Primitives {
        match &self.machine.network_processor {
            Some(own) if self.is_network_processor(core) => &own.primitives,
            _ => &self.machine.primitives,
        }
    }

    /// Spends a cost on a core's clock: its path now, its occupancy when its handler or send is over.
    pub(crate) fn spend_cost(&mut self, core: usize, cost: Cost) {
        let state = &mut self.cores[core];
        state.spend(Bucket::Overhead, cost.path);
        state.tail += cost.occupancy;
        state.wait = state.wait.max(cost.wait);
    }

    /// Spends the cost of `count` uses of a primitive, for the class of message that the core is at work on.
    pub(crate) fn spend_primitive(&mut self, core: usize, primitive: Primitive, count: u32) {
        let cost = self.price(core, primitive, self.cores[core].class);
        let count = u64::from(count);
        self.spend_cost(
            core,
            Cost { path: cost.path * count, occupancy: cost.occupancy * count, wait: cost.wait },
        );
    }

    /// A charge of the fiber that runs on `core`.
    pub(crate) fn charge(&mut self, core: usize, work: Work) {
        match work {
            Work::Primitive(primitive, count) => self.spend_primitive(core, primitive, count),
            Work::FirstRead(words) => {
                let machine::Memory { line, read } = self.machine.memory;
                let lines = (u64::from(words) * WORD_BYTES).div_ceil(line.get());
                self.cores[core].spend(Bucket::Memory, read * lines);
            }
            Work::Compute(done) => {
                let time = self.prices.operations(done.flops, done.integers, done.loads, done.stores);
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
            None => Cost { path: self.prices.operations(0, 0, 0, words as u32 + 1), ..Cost::default() },
        }
    }

    /// From the end of handing a message over until the other processor can see it.
    pub(crate) fn hand_over_delay(&self) -> Time {
        self.machine.handoff.as_ref().map_or(Time::ZERO, |handoff| handoff.visible)
    }
}

/// A primitive's name in machine files, and its price in a list. Inlined: most callers ask for a particular one.
#[inline(always)]
fn entry(list: &Primitives, primitive: Primitive) -> (&'static str, &Option<ByClass<Cost>>) {
    match primitive {
        Primitive::Dispatch => ("dispatch", &list.dispatch),
        Primitive::ReadFaultState => ("read_fault_state", &list.read_fault_state),
        Primitive::SendHeader => ("send_header", &list.send_header),
        Primitive::SendWord => ("send_word", &list.send_word),
        Primitive::StartTransfer => ("start_transfer", &list.start_transfer),
        Primitive::Extract => ("extract", &list.extract),
        Primitive::HandOver => ("hand_over", &list.hand_over),
        Primitive::Take => ("take", &list.take),
        Primitive::Issue => ("issue", &list.issue),
        Primitive::Complete => ("complete", &list.complete),
        Primitive::CountStore => ("count_store", &list.count_store),
        Primitive::FetchWord => ("fetch_word", &list.fetch_word),
        Primitive::PlaceWord => ("place_word", &list.place_word),
        Primitive::DirectoryLookup => ("directory_lookup", &list.directory_lookup),
        Primitive::SetTag => ("set_tag", &list.set_tag),
        Primitive::FetchBlock => ("fetch_block", &list.fetch_block),
        Primitive::PlaceBlock => ("place_block", &list.place_block),
        Primitive::Purge => ("purge", &list.purge),
        Primitive::Resume => ("resume", &list.resume),
        Primitive::Translate => ("translate", &list.translate),
        Primitive::TranslateAgain => ("translate_again", &list.translate_again),
        Primitive::Defer => ("defer", &list.defer),
    }
}
