//! The processors whose caches have a line of a set. A transaction is shown to these caches alone.
//!
//! This module must never know the state of a line, nor which client asks for it.

/// For each set of the caches, a bit for each processor that has a line of the set.
#[derive(Clone, Debug)]
pub(crate) struct Holders {
    /// Empty until a line comes in.
    sets: Vec<u64>,
    count: usize,
}

/// The first processor that has no bit of its own. This processor and those after it share a bit, which once set stays.
const SHARED: usize = u64::BITS as usize - 1;

impl Holders {
    /// Nobody has a line of any of `count` sets.
    pub(crate) fn new(count: usize) -> Self {
        Self { sets: Vec::new(), count }
    }

    /// Records that a processor has a line of a set.
    pub(crate) fn add(&mut self, set: usize, processor: usize) {
        if self.sets.is_empty() {
            self.sets = vec![0; self.count];
        }
        self.sets[set] |= bit(processor);
    }

    /// Records that a processor has no line of a set any more.
    pub(crate) fn remove(&mut self, set: usize, processor: usize) {
        if processor < SHARED
            && let Some(held) = self.sets.get_mut(set)
        {
            *held &= !bit(processor);
        }
    }

    /// The processors besides `processor` that may have a line of a set: all that have one. Processors that share a bit are named
    /// together.
    #[inline]
    pub(crate) fn others(&self, set: usize, processor: Option<usize>) -> Others {
        let held = self.sets.get(set).copied().unwrap_or_default();
        let own = processor.filter(|&processor| processor < SHARED).map_or(0, bit);
        Others(held & !own)
    }
}

/// Some processors of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Others(u64);

impl Others {
    /// Whether there are none.
    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Yields each of them. A node has `count` processors.
    #[inline]
    pub(crate) fn iter(self, count: usize) -> impl Iterator<Item = usize> {
        let mut left = self.0;
        let shared = if left & bit(SHARED) == 0 { 0..0 } else { SHARED..count };
        let own = std::iter::from_fn(move || {
            let next = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (next < SHARED).then_some(next)
        });
        own.chain(shared)
    }
}

#[inline]
fn bit(processor: usize) -> u64 {
    1 << processor.min(SHARED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_those_that_have_a_line_and_many_processors_share_a_bit() {
        let mut holders = Holders::new(4);
        assert!(holders.others(3, None).is_empty());
        [0, 5, 65].into_iter().for_each(|processor| holders.add(3, processor));
        let found = |holders: &Holders, who| holders.others(3, who).iter(66).collect::<Vec<_>>();
        assert_eq!(found(&holders, None), [0, 5, 63, 64, 65]);
        assert_eq!(found(&holders, Some(5)), [0, 63, 64, 65]);
        assert_eq!(found(&holders, Some(65)), [0, 5, 63, 64, 65], "64 may have it");
        [0, 5, 65].into_iter().for_each(|processor| holders.remove(3, processor));
        assert_eq!(found(&holders, None), [63, 64, 65]);
        assert!(holders.others(2, None).is_empty());
    }
}
