//! Tables whose entries come and go by groups of consecutive keys: an unused group takes no memory.
//!
//! The `unsafe` code here rests on one fact more than that of its parent: a group is opened and closed under `Sequential`, which
//! conflicts with every other proof of the dispatcher. It must never know the use of entries.

use super::grouped::Grouped;
use super::slot::{Slot, expect_keys, nth};
use super::{Entries, Keyed, expect_sequential};
use crate::sync::UnsafeCell;
use crate::{DispatcherId, Key, Lawful, Proof};

impl<T, K: Lawful> Keyed<T, K> {
    /// Makes a table for `len` keys from `first_key` up, in groups of `group` consecutive keys. The entries of a group come and
    /// go together: [`open_group`](Self::open_group) makes them by `init`, [`close_group`](Self::close_group) drops them. A group
    /// is open from the start if `is_open` returns true for its first key. A closed group takes two words of memory.
    ///
    /// ```
    /// use tradewind_pdq::{DispatcherId, Key, Keyed, Serial};
    ///
    /// let mut serial = Serial::new(DispatcherId::fresh());
    /// let table = Keyed::grouped(serial.id(), 0, 1 << 20, 64, |_| 0_u32, |first| first == 0);
    /// *table.get(&mut serial.hold(Key::User(5))) = 7;
    /// table.open_group(&mut serial.hold(Key::Sequential), 640);
    /// *table.get(&mut serial.hold(Key::User(641))) = 8;
    /// table.close_group(&mut serial.hold(Key::Sequential), 640);
    /// assert!(!table.has_entry(&serial.hold(Key::User(641))));
    /// assert_eq!(table.into_entries().len(), 64);
    /// ```
    ///
    /// # Panics
    ///
    /// If `group` is 0, or if the last key exceeds the range of its type.
    pub fn grouped(
        dispatcher: DispatcherId,
        first_key: K,
        len: usize,
        group: usize,
        init: impl Fn(K) -> T + Send + Sync + 'static,
        mut is_open: impl FnMut(K) -> bool,
    ) -> Self {
        expect_keys(first_key, len);
        assert!(group > 0, "a table in groups of no keys");
        let mut grouped =
            Grouped { first: first_key, len, group, groups: Box::default(), init: Box::new(init) };
        let made = |at| is_open(nth(first_key, at * group)).then(|| grouped.made(at));
        let groups = (0..len.div_ceil(group)).map(made).map(|group| Slot(UnsafeCell::new(group))).collect();
        grouped.groups = groups;
        Self { dispatcher, entries: Entries::Grouped(grouped) }
    }

    /// Makes the entries of the group that contains `key`. The proof is of [`Key::Sequential`]. Does nothing if the group is
    /// open.
    ///
    /// # Panics
    ///
    /// If the proof is from another dispatcher, if its key is not [`Key::Sequential`], or if no group of the table contains
    /// `key`.
    pub fn open_group(&self, proof: &mut Proof<'_, K>, key: K) {
        let (grouped, at) = self.group_of(proof, key);
        if grouped.group(at).is_none() {
            let made = grouped.made(at);
            // SAFETY: the proof is this dispatcher's, and sequential: no other lives, and this one is exclusively borrowed. So
            // nothing reads the slot of the group, and no entry is lent.
            unsafe { *grouped.groups[at].0.get() = Some(made) };
        }
    }

    /// Drops the entries of the group that contains `key`. The proof is of [`Key::Sequential`]. Does nothing if the group is
    /// closed.
    ///
    /// # Panics
    ///
    /// If the proof is from another dispatcher, if its key is not [`Key::Sequential`], or if no group of the table contains
    /// `key`.
    pub fn close_group(&self, proof: &mut Proof<'_, K>, key: K) {
        let (grouped, at) = self.group_of(proof, key);
        // SAFETY: as in `open_group`. The entries are taken out before they are dropped, so that their `Drop` finds
        // the group closed.
        let closed = unsafe { (*grouped.groups[at].0.get()).take() };
        drop(closed);
    }

    /// Whether the table has an entry for the user key that `proof` shows to be held; true for each user key of a sparse table.
    ///
    /// # Panics
    ///
    /// If the proof is from another dispatcher.
    #[inline]
    pub fn has_entry(&self, proof: &Proof<'_, K>) -> bool {
        self.expect_own(proof);
        match proof.key() {
            Key::User(key) => self.find(key).is_some(),
            Key::Sequential | Key::NoSync => false,
        }
    }

    /// Whether the table has an entry for `key`. The proof is of [`Key::Sequential`], so no other handler runs.
    ///
    /// # Panics
    ///
    /// If the proof is from another dispatcher, or if its key is not [`Key::Sequential`].
    pub fn has_any(&self, proof: &Proof<'_, K>, key: K) -> bool {
        self.expect_own(proof);
        expect_sequential(proof, "the entry of any key");
        self.find(key).is_some()
    }

    /// Returns the table's groups and the index of the group that contains `key`. Checks that the proof is from this table's
    /// dispatcher and of [`Key::Sequential`].
    fn group_of(&self, proof: &Proof<'_, K>, key: K) -> (&Grouped<T, K>, usize) {
        self.expect_own(proof);
        expect_sequential(proof, "a group of entries");
        let Entries::Grouped(grouped) = &self.entries else { panic!("the table has no groups of entries") };
        let at = grouped.group_at(key);
        (grouped, at.unwrap_or_else(|| grouped.refuse(key)))
    }
}
