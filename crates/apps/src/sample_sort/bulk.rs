//! Keys that travel in groups: a thread groups its keys by owner, and each group is one bulk store into the owner's bin.
//!
//! Before the keys the counts are exchanged, so that each group has its place in the bin. This module must never know how splitters are
//! found.

use std::cell::Cell;

use protocols::split_phase::{LocalPtr, Memory, Plan};
use tempest::{Operations, Thread};

use super::problem::bin_of;
use crate::kit::Division;
use crate::kit::sorts::Ranks;
use crate::kit::sorts::work::{COUNT_KEY, MOVE_KEY, SUM};

/// The work of a key on its way into a group, but for the search: it is counted and its owner is noted; then the owner is loaded and the
/// key is moved.
const GROUP: Operations = COUNT_KEY.and(MOVE_KEY).and(Operations::NONE.loads(1).stores(1));

/// Bins into which groups of keys are stored.
pub(super) struct Groups {
    /// By thread of the node: its bin.
    bins: LocalPtr<u32>,
    /// The keys for which a bin has room.
    room: u32,
    division: Division,
    ranks: Ranks,
}

impl Groups {
    /// Makes room for bins of at most `largest` keys.
    pub(super) fn reserve(plan: &mut Plan, largest: u32, division: Division) -> Self {
        let shape = division.shape();
        let ranks = Ranks::reserve(plan, shape.nodes * shape.threads, shape);
        Self { bins: plan.local(shape.threads * largest), room: largest, division, ranks }
    }

    fn bin(&self, index: u32) -> LocalPtr<u32> {
        self.bins + i64::from(index * self.room)
    }

    /// Sends the keys of a thread, and returns the keys that all threads have sent into its bin.
    pub(super) fn exchange(
        &self,
        thread: &Thread<'_>,
        memory: Memory<'_>,
        splitters: &[u32],
        own: &[u32],
        search: Operations,
    ) -> Vec<u32> {
        let (grouped, counts) = group(own, splitters);
        thread.charge(search.and(GROUP).times(own.len() as u32));
        thread.charge(SUM.times(counts.len() as u32));
        let come = Cell::new(0);
        // A thread sums the counts of its own bin, in which places begin at 0.
        let places = self.ranks.of(thread, memory, &counts, |keys| {
            come.set(keys);
            0
        });
        for to in self.division.after(thread.id()) {
            let owner = self.division.number(to) as usize;
            let before: u32 = counts[..owner].iter().sum();
            let group = &grouped[before as usize..][..counts[owner] as usize];
            if !group.is_empty() {
                let at = self.bin(to.index) + i64::from(places[owner]);
                memory.bulk_store(at.on(to.node), group);
            }
        }
        memory.all_store_sync();
        let bin = self.bin(thread.index());
        (0..come.get() as i64).map(|word| memory.load(bin + word)).collect()
    }
}

/// Keys in the order of their owners, and the number of keys of each owner.
fn group(keys: &[u32], splitters: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let owners: Vec<u32> = keys.iter().map(|key| bin_of(splitters, *key) as u32).collect();
    let mut counts = vec![0; splitters.len() + 1];
    owners.iter().for_each(|owner| counts[*owner as usize] += 1);
    let mut before = 0;
    let place = |count: &u32| {
        let first = before;
        before += *count as usize;
        first
    };
    let mut places: Vec<usize> = counts.iter().map(place).collect();
    let mut grouped = vec![0; keys.len()];
    for (key, owner) in keys.iter().zip(owners) {
        let place = &mut places[owner as usize];
        grouped[*place] = *key;
        *place += 1;
    }
    (grouped, counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_one_owner_stand_together_in_their_order() {
        let (grouped, counts) = group(&[9, 1, 5, 7, 0, 6], &[5, 7]);
        assert_eq!((grouped, counts), (vec![1, 0, 5, 6, 9, 7], vec![2, 2, 2]));
    }
}
