//! Properties of every run of a queue, checked while it runs.
//!
//! Every item is announced when it is sent, when its handler begins and when it ends. The watch knows each sender's
//! order of sending; it must never know how the queue is built, nor on which thread anything happens. Its own lock is
//! not the checker's, so watching adds no schedules and no order.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Key;

/// An item's name: its sender, and its number there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Name {
    pub(crate) sender: usize,
    pub(crate) number: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Sent,
    Running,
    Done,
    Refused,
    Returned,
}

#[derive(Debug, Default)]
pub(crate) struct Watch(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    /// For each sender, all items that it ever sent.
    senders: Vec<Vec<(Key, State)>>,
    running: HashMap<Name, Key>,
    /// Items that must be the next of their key.
    continuations: HashMap<Name, Key>,
}

impl Watch {
    /// A watch with that number of senders.
    pub(crate) fn new(senders: usize) -> Self {
        let watch = Self::default();
        watch.lock().senders.resize(senders, Vec::new());
        watch
    }

    /// Adds a sender.
    pub(crate) fn sender(&self) -> usize {
        let mut seen = self.lock();
        seen.senders.push(Vec::new());
        seen.senders.len() - 1
    }

    /// The next item of that sender is about to be sent.
    pub(crate) fn send(&self, sender: usize, key: Key) -> Name {
        let mut seen = self.lock();
        let items = &mut seen.senders[sender];
        items.push((key, State::Sent));
        Name { sender, number: items.len() - 1 }
    }

    /// The queue did not take it.
    pub(crate) fn refused(&self, name: Name) {
        self.lock().change(name, State::Sent, State::Refused);
    }

    /// An abort has given it back.
    pub(crate) fn returned(&self, name: Name) {
        let mut seen = self.lock();
        seen.change(name, State::Sent, State::Returned);
        seen.continuations.remove(&name);
    }

    /// A handler begins.
    pub(crate) fn begin(&self, name: Name, key: Key) {
        let mut seen = self.lock();
        seen.change(name, State::Sent, State::Running);
        for (other, held) in &seen.running {
            assert!(!held.conflicts(key), "{name:?} of {key} overlaps {other:?} of {held}");
        }
        seen.continuations.remove(&name);
        for (next, held) in &seen.continuations {
            assert!(
                !held.conflicts(key),
                "{name:?} of {key} comes before the continuation {next:?} of {held}"
            );
        }
        for (number, (other, state)) in seen.senders[name.sender].iter().enumerate() {
            if number == name.number || !other.conflicts(key) {
                continue;
            }
            let older = number < name.number;
            let right = match state {
                State::Sent => !older,
                State::Running => false,
                State::Done => older,
                State::Refused | State::Returned => true,
            };
            assert!(right, "{name:?} of {key} runs while number {number} of {other} is {state:?}");
        }
        seen.running.insert(name, key);
    }

    /// Ends an item's handler, or its kept key is given back.
    pub(crate) fn end(&self, name: Name) {
        let mut seen = self.lock();
        seen.change(name, State::Running, State::Done);
        seen.running.remove(&name);
    }

    /// It ends, and `next` continues it.
    pub(crate) fn end_with(&self, name: Name, next: Name) {
        self.end(name);
        let mut seen = self.lock();
        let key = seen.senders[name.sender][name.number].0;
        seen.continuations.insert(next, key);
    }

    /// Nothing runs any more: was all of it run exactly once? Returns how many items were sent and taken.
    pub(crate) fn finish(&self) -> u64 {
        let seen = self.lock();
        let items = seen.senders.iter().enumerate().flat_map(|(sender, items)| {
            items.iter().enumerate().map(move |(number, (_, state))| (Name { sender, number }, state))
        });
        let mut taken = 0;
        for (name, state) in items {
            assert!(!matches!(state, State::Sent | State::Running), "in the end {name:?} is {state:?}");
            taken += u64::from(*state != State::Refused);
        }
        taken
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn change(&mut self, name: Name, from: State, to: State) {
        let state = &mut self.senders[name.sender][name.number].1;
        assert_eq!(*state, from, "{name:?} becomes {to:?}");
        *state = to;
    }
}
