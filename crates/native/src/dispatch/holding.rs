//! Keys for threads: how a thread runs something as an event of a key.
//!
//! This module must never know messages.

use std::thread::panicking;

use tempest::world::{DispatchKey, Held, Proof, Serial};

use crate::apart::bump;
use crate::dispatch::dispatcher::{Dispatcher, Event, Shared};
use crate::dispatch::right::Turn;
use crate::lock::lock;
use crate::processor::core::Processor;
use crate::processor::threads::Reason;

/// A thread that holds a key tries so often, some ten microseconds, to keep others from receiving meanwhile: about as long as a
/// batch of brief handlers takes.
const TRIES: u32 = 512;

impl Processor {
    /// Does something that no other handler or holder of a key on this node does at the same time: dispatch is serial.
    pub(crate) fn serially<R>(&self, f: impl FnOnce(&mut Serial) -> R) -> R {
        match &self.node().dispatcher {
            Dispatcher::Serial(serial) => f(&mut lock(&serial.0)),
            _ => f(self.serial.borrow_mut().as_mut().expect("dispatch is serial here")),
        }
    }

    /// Returns the serial dispatcher that the processor had for itself, if it had one: it has stopped.
    pub(crate) fn return_serial(&self) {
        if let Some(serial) = self.serial.take() {
            self.node().return_serial(serial);
        }
    }

    pub(crate) fn hold_serial(&self, key: DispatchKey, body: &mut dyn FnMut(Proof<'_>)) {
        self.take_floor();
        let mut hold = |serial: &mut Serial| {
            let is_free = !self.node().has_set_aside();
            if is_free {
                body(serial.hold(key));
            }
            is_free
        };
        while !self.serially(&mut hold) {
            if panicking() {
                return self.insist(|| self.serially(&mut hold).then_some(()));
            }
            self.pause();
            self.step_back();
        }
    }

    pub(crate) fn hold_keyed(&self, shared: &Shared, key: DispatchKey, body: &mut dyn FnMut(Proof<'_>)) {
        self.take_floor();
        let right = if self.duty.holds_are_brief() { self.receive_nothing() } else { None };
        let held = shared.queue.try_hold(key);
        let right = right.filter(|_| held.is_some());
        let mut held = held.unwrap_or_else(|| self.ask_for(shared, key));
        let started = self.duty.begins_hold().then(|| self.world.now_ns());
        match &right {
            // Others may receive if the body takes long.
            Some(turn) => turn.offer(|| body(held.proof())),
            None => body(held.proof()),
        }
        let freed = shared.queue.complete(held);
        drop(right);
        if let Some(started) = started {
            self.duty.note_hold(self.world.now_ns() - started);
        }
        if freed {
            shared.note_change();
            self.wake_idle_servers(shared);
        }
    }

    /// The right to receive, so that nobody receives a message meanwhile whose key is held: it would have to go through the
    /// queue. Only where it is to be had soon: whoever receives may be at it for long.
    fn receive_nothing(&self) -> Option<Turn<'_>> {
        self.floor()?;
        (0..TRIES).find_map(|_| {
            let right = self.try_receive();
            if right.is_none() {
                self.pause();
            }
            right
        })
    }

    /// Waits for a key as an event of its own.
    pub(crate) fn ask_for(&self, shared: &Shared, key: DispatchKey) -> Held {
        if panicking() {
            return self.insist(|| shared.queue.try_hold(key));
        }
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
