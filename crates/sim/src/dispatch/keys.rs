//! The keys that threads of a node ask for, hold and give back.
//!
//! This module must never know the work of a thread under its key, or the cost of that work.

use tempest::world::{DispatchKey, Held};
use units::Time;

use super::events::Request;
use super::{Dispatch, Dispatcher};

impl Dispatcher {
    /// Holds a key for a thread at once, if no unfinished event conflicts with it and nothing comes before the thread.
    pub(crate) fn try_hold(&mut self, now: Time, key: DispatchKey) -> Option<Held> {
        match &self.way {
            Dispatch::Routine(routine) if routine.puts_keys_off() => None,
            _ => self.events.try_hold(now, key),
        }
    }

    /// Adds the request of a thread for a key to the events.
    pub(crate) fn request(&mut self, now: Time, key: DispatchKey, thread: u32) {
        let request = Request { at: now, key, thread };
        self.events.note_arrival(now);
        match &mut self.way {
            Dispatch::Routine(routine) if routine.puts_keys_off() => routine.put_off(request),
            _ => self.events.enqueue_request(request),
        }
    }

    /// Takes a key back from a thread.
    pub(crate) fn release(&mut self, now: Time, held: Held) {
        self.events.complete(now, held);
        if let Dispatch::Routine(routine) = &mut self.way {
            routine.note_release(&self.events);
        }
    }
}
