//! Precedence where software dispatches: waiting messages and faults, or the next key for a thread.
//!
//! The dispatch routine takes nothing out while a thread holds a key. Threads that hold keys one after the other, or
//! whose requests for a key always overlap, would starve it. So after very many keys the messages and faults that wait
//! by then come first, and requests for keys are put off until they have been taken out.
//!
//! This module must never know the meaning of a message or a key.

use std::collections::VecDeque;

use super::events::{Events, Request};

/// The keys in a row that threads are given or keep while messages or faults wait, before these come first. The number is large
/// because a run's result depends on it.
const LENIENCE: u32 = 1 << 14;

/// The precedence of one node.
#[derive(Debug, Default)]
pub(super) struct Precedence {
    /// The number of keys that have kept the routine from waiting messages and faults since it last took one out.
    overtaken: u32,
    /// The number of messages and faults that come before the next key.
    owed: usize,
    /// The requests that come after them, oldest first.
    put_off: VecDeque<Request>,
}

impl Precedence {
    /// Records that the key of a thread keeps the routine from the messages and faults that wait, `waiting` in number.
    pub(super) fn overtake(&mut self, waiting: usize) {
        if waiting == 0 || self.owed > 0 {
            return;
        }
        self.overtaken += 1;
        if self.overtaken == LENIENCE {
            self.owed = waiting;
        }
    }

    /// Records that the routine has taken a message or a fault out.
    pub(super) fn take_out(&mut self) {
        self.overtaken = 0;
        self.owed = self.owed.saturating_sub(1);
    }

    /// Whether requests for keys are put off.
    pub(super) fn puts_off(&self) -> bool {
        self.owed > 0
    }

    /// Puts a request off.
    pub(super) fn put_off(&mut self, request: Request) {
        self.put_off.push_back(request);
    }

    /// The number of requests that have been put off.
    pub(super) fn waiting(&self) -> usize {
        self.put_off.len()
    }

    /// Adds the requests that were put off to the events, if nothing comes before them any more. Returns whether it did.
    pub(super) fn admit(&mut self, events: &mut Events) -> bool {
        let admits = !self.puts_off() && !self.put_off.is_empty();
        if admits {
            self.put_off.drain(..).for_each(|request| events.enqueue_request(request));
        }
        admits
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{events, key};
    use super::*;
    use crate::testing::ns;

    fn overtake(precedence: &mut Precedence, times: u32, waiting: usize) {
        (0..times).for_each(|_| precedence.overtake(waiting));
    }

    #[test]
    fn what_waits_comes_first_after_very_many_keys_and_all_of_it() {
        let mut precedence = Precedence::default();
        overtake(&mut precedence, LENIENCE, 0);
        assert!(!precedence.puts_off(), "nothing waited");
        overtake(&mut precedence, LENIENCE - 1, 2);
        precedence.take_out();
        overtake(&mut precedence, LENIENCE - 1, 2);
        assert!(!precedence.puts_off(), "they are counted from the last message that was taken out");
        precedence.overtake(2);
        assert!(precedence.puts_off());
        precedence.take_out();
        assert!(precedence.puts_off(), "the second one waits");
        precedence.take_out();
        assert!(!precedence.puts_off());
    }

    #[test]
    fn a_request_that_was_put_off_waits_for_what_comes_first() {
        let (mut precedence, mut events) = (Precedence::default(), events());
        overtake(&mut precedence, LENIENCE, 1);
        precedence.put_off(Request { at: ns(3), key: key(7), thread: 2 });
        events.note_arrival(ns(3));
        assert!(!precedence.admit(&mut events) && events.queue_is_empty());
        precedence.take_out();
        assert!(precedence.admit(&mut events) && !events.queue_is_empty());
        assert_eq!(precedence.waiting(), 0);
    }
}
