//! The handles through which a program reads and writes state that its node's threads and handlers share.
//!
//! A model lets a thread or handler run ahead of other events of its node. Shared state is read and written at the
//! instant of the accessing thread's or handler's clock, so each access names that thread or handler. This module must
//! never know the worlds that keep these clocks.

use crate::Event;

/// A handle with a clock, at whose instant a program reads [events](crate::Event) and accesses [cells](crate::Cells): a
/// [`Thread`](crate::Thread), a [`Handler`](crate::Handler) or its [`Actions`](crate::Actions), and the node before its
/// run ([`Setup`](crate::Setup)) and after it ([`FinalState`](crate::FinalState)).
///
/// A model first runs all events of the node that come before this clock. Natively there is nothing to wait for.
pub trait Clocked: Sealed {}

/// The part of [`Clocked`] that only this crate can implement.
pub trait Sealed {
    /// Runs all events of the node that come before this clock.
    fn settle(&self);
}

impl Event {
    /// The count at the instant of the clock of `on`: a thread, a handler, or the node at the end of a run. Everything
    /// that happened before the signals that are counted happened before this call returns.
    #[inline]
    pub fn count(&self, on: &impl Clocked) -> u64 {
        on.settle();
        self.counted()
    }
}
