//! Taking from a lane whose claim takes long: a look behind the claim, and a split of a shared claim.
//!
//! This module must never know when a claim takes too long.

use super::super::inbox::Split;
use super::super::tuning;
use super::Serving;
use crate::{Key, UserKey};

impl<T, K: UserKey> Serving<'_, T, K> {
    /// Looks for an item to run behind the items that other servers run in this lane. Takes back claimed items that have not begun,
    /// then moves up to `LOOK_BEHIND` items from the inbox into the index. Returns whether an item can be run now, and the number
    /// of items taken back. If an item can be run, the next `SORT_AHEAD` picks move more items into the index than they need. Does
    /// nothing if the lane is not attended.
    pub(in super::super) fn break_in(&mut self) -> (bool, usize) {
        if !self.is_attended() {
            return (false, 0);
        }
        let back = self.split_claim();
        self.enter_claim();
        let upto = self.lane.limit().min(self.served.reader.taken() + tuning::LOOK_BEHIND);
        while self.served.index.ready() == 0 && self.served.reader.taken() < upto {
            self.sort_one();
        }
        let found = self.ready() > 0;
        if found {
            self.served.sort_ahead = tuning::SORT_AHEAD;
        }
        (found, back)
    }

    /// Looks behind the outstanding claim, as far as needed to find an item to run. Returns whether an item can be run now, and
    /// the number of items taken back for that.
    pub(in super::super) fn search(&mut self) -> (bool, usize) {
        let back = if self.served.index.ready() == 0 { self.split_claim() } else { 0 };
        let limit = self.lane.limit();
        if self.served.index.ready() == 0 && self.served.reader.taken() < limit {
            self.enter_claim();
            while self.served.index.ready() == 0 && self.served.reader.taken() < limit {
                self.sort_one();
            }
        }
        (self.ready() > 0, back)
    }

    /// Reduces a shared claim to the item that runs: the items before it end, and the items that have not begun go into the index,
    /// ahead of all younger ones. Returns the number of items that have not begun; 0 if the claim is not shared.
    fn split_claim(&mut self) -> usize {
        if !self.served.reader.shares_claim() {
            return 0;
        }
        self.enter_claim();
        let served = &mut *self.served;
        // Only their server knows which of the done items have kept their keys.
        let Split { done, unbegun } = served.reader.split_claim(&self.lane.inbox, !served.kept);
        let (keys, back): (Vec<_>, _) = (unbegun.iter().map(|(key, _)| *key).collect(), unbegun.len());
        served.counts.done += done.len() as u64;
        served.counts.dispatched -= back as u64;
        // Last first, so that in the end the first is in front.
        for (key, item) in unbegun.into_iter().rev() {
            match key {
                Key::User(user) => served.index.put_back(user, item),
                _ => served.index.make_first(key, item),
            }
        }
        for key in done.into_iter().chain(keys) {
            if let Key::User(user) = key {
                served.index.complete(user);
            }
        }
        back
    }
}
