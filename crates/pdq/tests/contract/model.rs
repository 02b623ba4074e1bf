//! The ordering rule in its own words: the set of dispatchable tickets, by comparing everything with everything.

use tradewind_pdq::Key;
use tradewind_pdq::specification::Config;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    Waiting,
    Held,
    /// The item's handler has ended, its continuation waits.
    Continuing,
    Done,
}

/// Every item that ever arrived, at the index that is its ticket.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) items: Vec<(Key, State)>,
    pub(crate) config: Config,
}

impl Model {
    pub(crate) fn tickets(&self, state: State) -> impl DoubleEndedIterator<Item = usize> {
        (0..self.items.len()).filter(move |t| self.items[*t].1 == state)
    }

    pub(crate) fn dispatchable(&self, server: usize) -> Vec<usize> {
        let partitions = self.config.partitions;
        let serves = |t: &usize| partitions == 1 || self.items[*t].0.partition(partitions) == server;
        if self.closed_by_serial() {
            return Vec::new();
        }
        let reach = self.config.window.unwrap_or(usize::MAX).min(self.config.capacity.unwrap_or(usize::MAX));
        let window = self.tickets(State::Waiting).filter(serves).take(reach);
        let mut tickets: Vec<_> = window.filter(|t| !self.conflicts(self.items[*t].0, *t)).collect();
        tickets.extend(self.tickets(State::Continuing).filter(serves));
        tickets.sort_unstable();
        tickets
    }

    /// Whether an unfinished item older than ticket `before` conflicts with `key`.
    pub(crate) fn conflicts(&self, key: Key, before: usize) -> bool {
        self.items[..before].iter().any(|(other, state)| *state != State::Done && other.conflicts(key))
    }

    pub(crate) fn may_hold(&self, key: Key) -> bool {
        !self.closed_by_serial() && !self.conflicts(key, self.items.len())
    }

    fn closed_by_serial(&self) -> bool {
        self.config.serial && self.tickets(State::Held).next().is_some()
    }
}
