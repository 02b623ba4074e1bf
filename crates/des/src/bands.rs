//! The entries behind the heap of a [queue](crate::queue), in bands. All entries of a band come before all entries of the
//! next band.
//!
//! A band is in no order. An entry is pushed at the end of its band. When the soonest band is taken it is cut into
//! several, if it is long. So an entry is moved few times, each time in the order of the host's memory, and the heap
//! fits a near cache for any number of entries.
//!
//! This module must never know the meaning of an order or an entry.

use crate::entry::Entry;

/// The most entries that a band has when it is taken, unless many have one key. They fit a near cache.
pub(crate) const TAKEN: usize = 2048;

/// The entries that a band should have when it is taken.
const FITTING: usize = 1024;

/// The most bands that a band is cut into at once.
const PARTS: usize = 16;

/// The least number of a band's keys in the sample that decides where it is cut.
const SAMPLE: usize = 32 * PARTS;

/// The reciprocal of a band's spare room, as a share of its expected number of entries.
const SPARE: usize = 4;

/// Entries in bands.
#[derive(Clone, Debug)]
pub(crate) struct Bands<K, E> {
    /// The bands. The soonest is the last one. None is empty.
    bands: Vec<Vec<Entry<K, E>>>,
    /// For each band a key that comes before none of its entries, and after all entries of the sooner bands.
    from: Vec<K>,
}

impl<K, E> Bands<K, E> {
    /// No bands.
    pub(crate) const fn new() -> Self {
        Self { bands: Vec::new(), from: Vec::new() }
    }

    /// The number of entries.
    pub(crate) fn len(&self) -> usize {
        self.bands.iter().map(Vec::len).sum()
    }

    /// All entries, in no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Entry<K, E>> {
        self.bands.iter().flatten()
    }
}

impl<K: Copy + Ord, E: Copy> Bands<K, E> {
    /// Adds an entry, unless it comes before all bands. Returns whether it was added.
    pub(crate) fn push(&mut self, entry: Entry<K, E>) -> bool {
        if self.from.last().is_none_or(|&soonest| entry.key < soonest) {
            return false;
        }
        let place = self.from.partition_point(|&from| entry.key < from);
        self.bands[place].push(entry);
        true
    }

    /// Adds entries, all of which come before the present ones. Then removes and returns the soonest of all.
    pub(crate) fn push_before(&mut self, mut things: Vec<Entry<K, E>>) -> Vec<Entry<K, E>> {
        while things.len() > TAKEN && self.cut(&things) {
            things = self.take().unwrap_or_default();
        }
        things
    }

    /// Removes and returns the soonest entries, in no order. They are few.
    pub(crate) fn take_soonest(&mut self) -> Option<Vec<Entry<K, E>>> {
        let things = self.take()?;
        Some(self.push_before(things))
    }

    fn take(&mut self) -> Option<Vec<Entry<K, E>>> {
        self.from.pop();
        self.bands.pop()
    }

    /// Adds entries that come before all others, in several bands. Returns false, and adds none, if they are of one band.
    fn cut(&mut self, things: &[Entry<K, E>]) -> bool {
        let parts = (things.len() / FITTING).clamp(2, PARTS);
        let mut sample: Vec<_> =
            things.iter().step_by(things.len() / SAMPLE).map(|entry| entry.key).collect();
        sample.sort_unstable();
        let mut from: Vec<_> = (0..parts).rev().map(|part| sample[part * sample.len() / parts]).collect();
        from.dedup();
        let (first, sooner) = (self.bands.len(), from.len() - 1);
        if sooner == 0 {
            return false;
        }
        // The bands are not of one length: the keys between them are from a sample.
        let room = things.len() / parts;
        self.bands.extend((0..=sooner).map(|_| Vec::with_capacity(room + room / SPARE)));
        let bands = &mut self.bands[first..];
        for entry in things {
            let place = from[..sooner].partition_point(|&from| entry.key < from);
            bands[place].push(*entry);
        }
        // Some may come before the whole sample.
        if let Some(soonest) = bands[sooner].iter().map(|entry| entry.key).min() {
            from[sooner] = soonest;
        }
        self.from.append(&mut from);
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::choice::Choice;

    /// Takes the soonest entries out. Returns their keys in order.
    fn taken(bands: &mut Bands<u64, ()>) -> Vec<u64> {
        let things = bands.take_soonest().unwrap_or_default();
        let mut keys: Vec<_> = things.iter().map(|entry| entry.key).collect();
        keys.sort_unstable();
        keys
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn bands_are_taken_in_order_and_few_things_at_a_time(
            seed in any::<u64>(), first in 1_u32..40_000, later in 0_u32..20_000,
        ) {
            let choice = Choice::new(seed);
            let key = |number: u32| u64::from(choice.tie(number) % 1_000_000);
            let mut bands = Bands::new();
            let mut all: Vec<_> = (0..first).map(key).collect();
            let things = all.iter().map(|&key| Entry { key, thing: () }).collect();
            let mut out: Vec<_> = bands.push_before(things).iter().map(|entry| entry.key).collect();
            out.sort_unstable();
            for number in first..first + later {
                let entry = Entry { key: key(number), thing: () };
                if bands.push(entry) {
                    all.push(entry.key);
                } else {
                    prop_assert!(bands.from.last().is_none_or(|&from| entry.key < from));
                }
            }
            prop_assert_eq!(out.len() + bands.iter().count(), all.len());
            prop_assert_eq!(bands.iter().count(), bands.len());
            loop {
                let next = taken(&mut bands);
                prop_assert!(next.len() <= TAKEN);
                if next.is_empty() {
                    break;
                }
                prop_assert!(out.last() <= next.first());
                out.extend(next);
            }
            all.sort_unstable();
            prop_assert_eq!(out, all);
        }
    }

    #[test]
    fn things_of_one_key_are_one_band() {
        let mut bands = Bands::new();
        let things = bands.push_before(vec![Entry { key: 7, thing: () }; 3 * TAKEN]);
        assert_eq!((things.len(), bands.len()), (3 * TAKEN, 0));
    }
}
