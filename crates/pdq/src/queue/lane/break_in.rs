//! How a server takes from a lane whose claim takes long: it looks behind the claim, and splits it where claims are shared.
//!
//! This module must never know when a claim takes too long.

use super::super::inbox::Split;
use super::super::tuning;
use super::Serving;
use crate::{Key, UserKey};

impl<T, K: UserKey> Serving<'_, T, K> {
    /// Looks a little behind what others run in an attended lane: whether that has found something to run, and how many items
    /// it has taken back for that. If so, more is sorted from now on than those others need.
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

    /// Whether anything in this lane can be run, and how many items have been taken back for that: looks behind an outstanding
    /// claim, as far as it must.
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

    /// Leaves of a shared claim the item that runs: what is done is done, and what has not been begun waits ahead of all that is
    /// younger. Returns how many the latter are.
    fn split_claim(&mut self) -> usize {
        if !self.served.reader.shares_claim() {
            return 0;
        }
        self.enter_claim();
        let served = &mut *self.served;
        // Which of those that are done have kept their keys, only their server knows.
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
