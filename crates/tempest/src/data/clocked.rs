//! The handles through which a program reads and writes state that its node's threads and handlers share.
//!
//! A simulator lets a thread or handler run ahead of other events of its node. Shared state is read and written at the
//! instant of the accessing thread's or handler's clock, so each access names that thread or handler. This module must
//! never know the worlds that keep these clocks.

use crate::Event;

/// A handle that has a clock: a [`Thread`](crate::Thread), a [`Handler`](crate::Handler) or its
/// [`Actions`](crate::Actions), or the node before its run ([`Setup`](crate::Setup)) and after it
/// ([`FinalState`](crate::FinalState)). Reads of [events](crate::Event) and accesses to [cells](crate::Cells) take
/// place at the time of the clock.
///
/// A simulator first runs all events of the node that are due before this time. A world on real threads has nothing to
/// wait for.
pub trait Clocked: Sealed {}

/// The method behind [`Clocked`], which only this crate can implement.
pub trait Sealed {
    /// Runs all events of the node that are due before this handle's time.
    fn settle(&self);
}

impl Event {
    /// Returns the event's count at the time of `on`: a thread, a handler, or the node at the end of a run. The caller
    /// sees all writes that came before the counted signals.
    #[inline]
    pub fn count(&self, on: &impl Clocked) -> u64 {
        on.settle();
        self.counted()
    }
}
