//! Keys for threads: how a thread runs something as an event of a key.
//!
//! This module must never know messages.

use pdq::{Held, Key, Proof, Serial};

use crate::gauge::bump;
use crate::node::{Dispatcher, Event, Shared, lock};
use crate::processor::Processor;
use crate::threads::Reason;

impl Processor {
    /// Does something that no other handler or holder of a key on this node does at the same time: dispatch is serial.
    pub(crate) fn serially<R>(&self, f: impl FnOnce(&mut Serial) -> R) -> R {
        match &self.node().dispatcher {
            Dispatcher::Serial(serial) => f(&mut lock(serial)),
            _ => f(self.serial.borrow_mut().as_mut().expect("dispatch is serial here")),
        }
    }

    pub(crate) fn hold_serial(&self, key: Key, body: &mut dyn FnMut(Proof<'_>)) {
        let mut hold = |serial: &mut Serial| {
            let is_free = !self.node().has_set_aside();
            if is_free {
                body(serial.hold(key));
            }
            is_free
        };
        while !self.serially(&mut hold) {
            self.pause();
            self.step_back();
        }
    }

    pub(crate) fn hold_keyed(&self, shared: &Shared, key: Key, body: &mut dyn FnMut(Proof<'_>)) {
        let mut held = shared.queue.try_hold(key).unwrap_or_else(|| self.ask_for(shared, key));
        body(held.proof());
        shared.queue.complete(held);
        shared.note_change();
        self.wake_idle_servers(shared);
    }

    /// Waits for a key as an event of its own.
    pub(crate) fn ask_for(&self, shared: &Shared, key: Key) -> Held {
        let thread = self.current.get();
        bump(&self.gauge().sent, 1);
        shared.enqueue(key, Event::Grant(thread));
        shared.note_change();
        self.wake_servers(1);
        let slot = &self.node().threads[thread as usize];
        let mut granted = None;
        self.wait_until(Reason::Key(key), || {
            granted = slot.take_grant();
            granted.is_some()
        });
        granted.expect("the wait ended with the key")
    }
}
