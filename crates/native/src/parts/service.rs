//! A processor's state between two services: its serial dispatcher if it is the only processor of its node, its pending acknowledgements,
//! and its last look at downgrades.
//!
//! Only the processor accesses it. This module must never know messages, or the way handlers are run.

use std::cell::{Cell, RefCell};

use tempest::world::Serial;

use crate::parts::queue_state::QueueState;
use crate::parts::tuning::BATCHES_PER_TIMED;

/// A processor's state between two services.
pub(crate) struct Service {
    /// The node's serial dispatcher, if this is its only processor.
    serial: RefCell<Option<Serial>>,
    /// Number of batches served, for sampling.
    batches: Cell<u32>,
    /// Count of changes of the node's downgrades at the last look through them.
    looked: Cell<u64>,
    /// Whether handled messages of threads have not been acknowledged to their senders.
    owes: Cell<bool>,
    /// State for the node's dispatch queue, if there is one.
    pub(crate) queue: QueueState,
}

impl Service {
    /// The initial state. `serial` is the dispatcher of a node with one processor.
    pub(crate) fn new(serial: Option<Serial>) -> Self {
        let serial = RefCell::new(serial);
        let (batches, looked, owes) = (Cell::new(0), Cell::new(0), Cell::new(false));
        Self { serial, batches, looked, owes, queue: QueueState::default() }
    }

    /// Calls `f` with the processor's own serial dispatcher.
    ///
    /// # Panics
    /// If it has none.
    #[inline]
    pub(crate) fn with_serial<R>(&self, f: impl FnOnce(&mut Serial) -> R) -> R {
        f(self.serial.borrow_mut().as_mut().expect("dispatch is serial here"))
    }

    /// Takes the serial dispatcher out, if there is one.
    pub(crate) fn take_serial(&self) -> Option<Serial> {
        self.serial.take()
    }

    /// Whether the next batch has to be timed; true once per [`BATCHES_PER_TIMED`] batches.
    #[inline]
    pub(crate) fn is_sampled(&self) -> bool {
        self.batches.get() % BATCHES_PER_TIMED == BATCHES_PER_TIMED / 2
    }

    /// Counts a served batch.
    #[inline]
    pub(crate) fn count_batch(&self) {
        self.batches.set(self.batches.get().wrapping_add(1));
    }

    /// Count of changes of the node's downgrades at the last look through them.
    #[inline]
    pub(crate) fn looked(&self) -> &Cell<u64> {
        &self.looked
    }

    /// Records that handled messages of threads have not been acknowledged to their senders.
    #[inline]
    pub(crate) fn owe(&self) {
        self.owes.set(true);
    }

    /// Whether acknowledgements are pending; clears the flag. The caller sends them or leaves that to another processor.
    #[inline]
    pub(crate) fn take_debt(&self) -> bool {
        self.owes.replace(false)
    }
}

#[cfg(test)]
mod tests {
    use pdq::DispatcherId;

    use super::*;

    #[test]
    fn one_batch_of_sixteen_is_timed() {
        let service = Service::new(None);
        let timed = (0..10 * BATCHES_PER_TIMED).filter(|_| {
            let is_sampled = service.is_sampled();
            service.count_batch();
            is_sampled
        });
        assert_eq!(timed.count(), 10);
        assert!(!service.is_sampled(), "the first batch after a timed one is not timed");
    }

    #[test]
    fn pending_acknowledgements_are_taken_once() {
        let service = Service::new(None);
        assert!(!service.take_debt());
        service.owe();
        service.owe();
        assert!(service.take_debt() && !service.take_debt());
    }

    #[test]
    fn the_serial_dispatcher_is_lent_until_it_is_taken_out() {
        let identity = DispatcherId::fresh();
        let id = identity.id();
        let service = Service::new(Some(Serial::with_keys(identity)));
        assert_eq!(service.with_serial(|serial| serial.id()), id);
        assert!(service.take_serial().is_some() && service.take_serial().is_none());
    }
}
