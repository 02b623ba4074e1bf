//! Entries in groups of consecutive keys, of which each group has memory or none.
//!
//! The `unsafe` code here rests on one fact more than that of `keyed`: a group is opened and closed under `Sequential`, which
//! conflicts with every other proof of the dispatcher. It must never know the use of entries.

use super::apart::Apart;
use super::slot::{Slot, nth};
use crate::Lawful;
use crate::sync::UnsafeCell;

/// Entries in groups of consecutive keys. A closed group has no entries and takes no memory.
///
/// The slot of a group is written under `Sequential` alone, which conflicts with every other proof. So any proof may read it.
pub(super) struct Grouped<T, K> {
    pub(super) first: K,
    /// Number of keys of all groups together.
    pub(super) len: usize,
    /// Number of keys of each group; the last group may have fewer.
    pub(super) group: usize,
    pub(super) groups: Box<[Slot<Group<T>>]>,
    pub(super) init: Box<dyn Fn(K) -> T + Send + Sync>,
}

/// Entries of a group; `None` if the group is closed.
pub(super) type Group<T> = Option<Apart<Box<[Slot<T>]>>>;

impl<T, K: Lawful> Grouped<T, K> {
    /// Makes the entries of the group with index `at`.
    pub(super) fn made(&self, at: usize) -> Apart<Box<[Slot<T>]>> {
        let keys = at * self.group..self.len.min((at + 1) * self.group);
        Apart(keys.map(|at| Slot(UnsafeCell::new((self.init)(nth(self.first, at))))).collect())
    }

    /// Returns the index of the group that contains `key`; `None` if no group does.
    #[inline]
    pub(super) fn group_at(&self, key: K) -> Option<usize> {
        key.steps_after(self.first).filter(|&at| at < self.len).map(|at| at / self.group)
    }

    /// Returns the entries of the group with index `at`, if it is open. The caller has a proof of the table's dispatcher, of any
    /// key.
    #[inline]
    pub(super) fn group(&self, at: usize) -> Option<&[Slot<T>]> {
        // SAFETY: the slot of a group is written by `Keyed::open_group` and `Keyed::close_group` only, under a sequential proof, which is
        // exclusively borrowed meanwhile. The caller's proof conflicts with that one, whichever of the two is older, so they do
        // not live together and the write happens before this read or after it. The entries stay where they are until the group
        // is closed: not as long as that proof, from which every reference to an entry is borrowed, lives.
        unsafe { (*self.groups[at].0.get()).as_deref().map(|slots| &**slots) }
    }

    #[inline]
    pub(super) fn find(&self, key: K) -> Option<&Slot<T>> {
        let at = key.steps_after(self.first).filter(|&at| at < self.len)?;
        self.group(at / self.group)?.get(at % self.group)
    }

    /// The entries of all open groups. The caller has a sequential proof of the table's dispatcher.
    pub(super) fn slots(&self) -> impl Iterator<Item = (K, &Slot<T>)> {
        let groups = (0..self.groups.len()).filter_map(|at| Some((at, self.group(at)?)));
        groups.flat_map(|(at, slots)| {
            (at * self.group..).zip(slots).map(|(at, slot)| (nth(self.first, at), slot))
        })
    }

    pub(super) fn slots_mut(&mut self) -> impl Iterator<Item = (K, &mut T)> {
        let (first, group) = (self.first, self.group);
        let groups =
            (0..).zip(&mut self.groups).filter_map(|(at, slot)| Some((at, slot.0.get_mut().as_mut()?)));
        groups.flat_map(move |(at, slots)| {
            (at * group..).zip(&mut **slots).map(move |(at, slot)| (nth(first, at), slot.0.get_mut()))
        })
    }

    pub(super) fn into_entries(self) -> impl Iterator<Item = (K, T)> {
        let (first, group) = (self.first, self.group);
        let groups = (0..).zip(self.groups).filter_map(|(at, slot)| Some((at, slot.0.into_inner()?)));
        groups.flat_map(move |(at, slots)| {
            let slots = slots.into_inner();
            (at * group..).zip(slots).map(move |(at, slot)| (nth(first, at), slot.0.into_inner()))
        })
    }

    #[cold]
    pub(super) fn refuse(&self, key: K) -> ! {
        match self.group_at(key) {
            Some(_) => panic!("key {key:#x?} has no entry: its group of {} keys is closed", self.group),
            None => {
                let (first, len) = (self.first, self.len);
                panic!("key {key:#x?} is outside the table: it has {len} keys from {first:#x?} up")
            }
        }
    }
}
