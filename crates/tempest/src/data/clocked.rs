//! The handles through which a program reads and writes state that its node's threads and handlers share.
//!
//! A model lets a thread or handler run ahead of what happens around it. State is read and written at the instant of the own clock, so
//! an access names its thread or handler. This module must never know the worlds that keep these clocks.

use crate::Event;

/// A reader of [events](crate::Event), and a reader and writer of [cells](crate::Cells): a [`Thread`](crate::Thread), a
/// [`Handler`](crate::Handler) or its [`Actions`](crate::Actions), and the node before its run ([`Setup`](crate::Setup)) and after it
/// ([`FinalState`](crate::FinalState)).
///
/// In a model everything of the node happens first that comes before this clock. Natively it has happened.
pub trait Clocked: Sealed {}

/// The part of a [`Clocked`] that only this crate implements.
pub trait Sealed {
    /// Lets everything happen that comes before this clock.
    fn settle(&self);
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
