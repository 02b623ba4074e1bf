//! The handles through which a program reads state that handlers change.
//!
//! A model lets a thread or handler run ahead of what happens around it. State is read as of the reader's own clock, so a read
//! names its reader. This module must never know what is read.

use crate::{Actions, Event, Handler, Quiet, Thread};

/// A reader of [events](crate::Event) and [cells](crate::Cells): a thread, a handler, or the node at the end of its run.
///
/// In a model everything of the node happens first that comes before the reader's clock. Natively it has happened.
pub trait Clocked: Sealed {}

/// The part of a [`Clocked`] that only this crate implements.
pub trait Sealed {
    /// Lets everything happen that comes before this clock.
    fn settle(&self);
}

impl Clocked for Thread<'_> {}

impl Sealed for Thread<'_> {
    #[inline]
    fn settle(&self) {
        if let Some(accounting) = self.accounting {
            accounting.synchronize();
        }
    }
}

impl Clocked for Actions<'_> {}

impl Sealed for Actions<'_> {
    #[inline]
    fn settle(&self) {
        if let Some(accounting) = self.accounting {
            accounting.synchronize();
        }
    }
}

impl Clocked for Handler<'_> {}

impl Sealed for Handler<'_> {
    #[inline]
    fn settle(&self) {
        Actions::settle(self);
    }
}

impl Clocked for Quiet<'_> {}

/// Nothing happens any more.
impl Sealed for Quiet<'_> {
    #[inline]
    fn settle(&self) {}
}

impl Event {
    /// The count at this instant on the clock of a thread, a handler or the end of a run. What was signalled up to this count
    /// happened before the call returns.
    #[inline]
    pub fn count(&self, on: &impl Clocked) -> u64 {
        on.settle();
        self.counted()
    }
}
