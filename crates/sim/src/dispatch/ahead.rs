//! The steps of a network processor that are joined to an earlier step and have not begun.
//!
//! Their effects on the queues of the node are made when the first of the joined steps begins. Each effect has a place among the
//! events of the node. Until that place has passed, other parts find the queues as they were before. A part that waits for the effect
//! gets an event at that place.
//!
//! This module must never know the meaning of a step, nor the present time.

use des::Order;
use units::Time;

/// The effects that were made ahead of their places, at most one of each kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ahead {
    /// The place at which a message that was handed over is taken; [`NOTHING`] before the first.
    takes: Order,
    /// The place at which a message leaves the interface; [`NOTHING`] before the first.
    reads: Order,
    /// The time at which that message has been read.
    read: Time,
    /// Whether an event was made at the place where a message is taken.
    awaited: bool,
}

/// Stands for a place where there is none.
const NOTHING: Order = Order::NEVER;

impl Default for Ahead {
    fn default() -> Self {
        Self { takes: NOTHING, reads: NOTHING, read: Time::ZERO, awaited: false }
    }
}

impl Ahead {
    /// Notes that a message that was handed over is taken at `place`.
    pub(crate) fn take_at(&mut self, place: Order) {
        (self.takes, self.awaited) = (place, false);
    }

    /// Notes that a message leaves the interface at `place`, and has been read at `read`.
    pub(crate) fn read_at(&mut self, place: Order, read: Time) {
        (self.reads, self.read) = (place, read);
    }

    /// The place at which the last message is taken that was taken ahead.
    pub(crate) fn takes(&self) -> Option<Order> {
        Some(self.takes).filter(|&place| place != NOTHING)
    }

    /// The place at which the last message leaves the interface that left ahead, and the time at which it has been read.
    pub(crate) fn reads(&self) -> Option<(Order, Time)> {
        Some((self.reads, self.read)).filter(|&(place, _)| place != NOTHING)
    }

    /// Notes that another part waits until a message is taken. Returns whether it is the first one.
    pub(crate) fn await_take(&mut self) -> bool {
        !std::mem::replace(&mut self.awaited, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ns;

    #[test]
    fn each_message_that_is_taken_ahead_is_awaited_once() {
        let mut ahead = Ahead::default();
        for at in [5, 9] {
            let place = Order { at: ns(at), major: 1, minor: 2 };
            ahead.take_at(place);
            assert_eq!((ahead.takes(), ahead.await_take(), ahead.await_take()), (Some(place), true, false));
        }
    }
}
