//! What a processor keeps from one service to the next: its serial dispatcher, where it is the only processor of its node, what it
//! owes to senders, what it has looked at.
//!
//! Only the processor touches it. This module must never know messages, or how handlers are run.

use std::cell::{Cell, RefCell};

use tempest::world::Serial;

/// One in so many batches is timed: two looks at the clock cost as much as a handler.
pub(crate) const SAMPLE: u32 = 16;

/// What a processor keeps from one service to the next.
pub(crate) struct Service {
    /// The node's serial dispatcher, where this is its only processor.
    serial: RefCell<Option<Serial>>,
    /// Batches served, for sampling.
    batches: Cell<u32>,
    /// Changes of the node's lowerings when it last looked through them.
    looked: Cell<u64>,
    /// Handled messages of threads that their senders have not been told of.
    owes: Cell<bool>,
}

impl Service {
    /// Nothing has been served. The serial dispatcher is that of a node with one processor.
    pub(crate) fn new(serial: Option<Serial>) -> Self {
        let serial = RefCell::new(serial);
        Self { serial, batches: Cell::new(0), looked: Cell::new(0), owes: Cell::new(false) }
    }

    /// Does something with the serial dispatcher that the processor has for itself.
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

    /// Whether the next batch is to be timed, one in [`SAMPLE`].
    #[inline]
    pub(crate) fn is_sampled(&self) -> bool {
        self.batches.get() % SAMPLE == SAMPLE / 2
    }

    /// A batch has been served.
    #[inline]
    pub(crate) fn count_batch(&self) {
        self.batches.set(self.batches.get().wrapping_add(1));
    }

    /// The number of the node's changes of lowerings when the processor last looked through them.
    #[inline]
    pub(crate) fn looked(&self) -> &Cell<u64> {
        &self.looked
    }

    /// Messages of threads have been handled that their senders are not told of yet.
    #[inline]
    pub(crate) fn owe(&self) {
        self.owes.set(true);
    }

    /// Whether senders have not been told of all that was handled. The caller tells them, or leaves that to another processor.
    #[inline]
    pub(crate) fn take_debt(&self) -> bool {
        self.owes.replace(false)
    }
}
