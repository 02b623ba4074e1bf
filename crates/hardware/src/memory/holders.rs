//! The processors whose caches have a line. A transaction is shown to these caches alone.
//!
//! A set of a cache has room for few lines, but many lines belong to it. They are divided into classes, and the holders of each
//! class of each set are known. This module must never know the state of a line, nor which client asks for it.

use super::groups::Spot;

/// For each class of each set of the caches, a bit for each processor that has a line of the class.
#[derive(Clone, Debug)]
pub(crate) struct Holders {
    /// A word for each row of sets, with the bits of the first class lowest.
    words: Vec<u64>,
    /// The number of sets.
    sets: u64,
    /// The number of bits of a class: of all processors, a power of two.
    width: u32,
    /// The bits of a line's number that name its set, where the number of sets is a power of two. A division would take the host longer.
    bits: Option<u32>,
}

/// A class of lines of one set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Class {
    /// The row of the set.
    row: usize,
    /// The lowest of its bits.
    shift: u32,
}

/// The first processor that has no bit of its own. This processor and those after it share a bit, which once set stays.
const SHARED: usize = u64::BITS as usize - 1;

impl Holders {
    /// Nobody of so many processors has a line of any of `count` sets.
    pub(crate) fn new(count: usize, processors: usize) -> Self {
        let width = processors.next_power_of_two().min(u64::BITS as usize) as u32;
        let bits = count.is_power_of_two().then(|| count.trailing_zeros());
        Self { words: Vec::new(), sets: count as u64, width, bits }
    }

    /// The class of a line.
    #[inline]
    pub(super) fn class_of(&self, at: Spot) -> Class {
        let above = self.bits.map_or_else(|| at.line / self.sets, |bits| at.line >> bits);
        Class { row: at.row, shift: (above as u32).wrapping_mul(self.width) % u64::BITS }
    }

    /// Records that a processor has a line of a class, whose set has a row.
    #[inline]
    pub(crate) fn add(&mut self, class: Class, processor: usize) {
        if class.row >= self.words.len() {
            self.words.resize(class.row + 1, 0);
        }
        self.words[class.row] |= bit(processor) << class.shift;
    }

    /// Records that a processor has no line of a class any more.
    #[inline]
    pub(crate) fn remove(&mut self, class: Class, processor: usize) {
        if processor < SHARED
            && let Some(held) = self.words.get_mut(class.row)
        {
            *held &= !(bit(processor) << class.shift);
        }
    }

    /// The processors besides `processor` that may have a line of a class: all that have one. Processors that share a bit are named
    /// together, `processor` with them.
    #[inline]
    pub(crate) fn others(&self, class: Class, processor: Option<usize>) -> Others {
        let all = u64::MAX >> (u64::BITS - self.width);
        let held = self.words.get(class.row).map_or(0, |held| held >> class.shift & all);
        let own = processor.map_or(0, |processor| if processor < SHARED { 1 << processor } else { 0 });
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

    /// Yields each of them but `processor`. A node has `count` processors.
    #[inline]
    pub(crate) fn iter(self, count: usize, processor: Option<usize>) -> impl Iterator<Item = usize> {
        let mut left = self.0 & !bit(SHARED);
        let mut sharing = if self.0 == left { 0..0 } else { SHARED..count };
        std::iter::from_fn(move || {
            if left == 0 {
                return sharing.find(|&next| Some(next) != processor);
            }
            let first = left.trailing_zeros() as usize;
            left &= left - 1;
            Some(first)
        })
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
        let mut holders = Holders::new(4, 66);
        let class = holders.class_of(Spot { line: 7, row: 3 });
        assert!(holders.others(class, None).is_empty());
        [0, 5, 65].into_iter().for_each(|processor| holders.add(class, processor));
        let found = |holders: &Holders, who| holders.others(class, who).iter(66, who).collect::<Vec<_>>();
        assert_eq!(found(&holders, None), [0, 5, 63, 64, 65]);
        assert_eq!(found(&holders, Some(5)), [0, 63, 64, 65]);
        assert_eq!(found(&holders, Some(65)), [0, 5, 63, 64], "64 may have it");
        [0, 5, 65].into_iter().for_each(|processor| holders.remove(class, processor));
        assert_eq!(found(&holders, None), [63, 64, 65]);
        assert!(holders.others(holders.class_of(Spot { line: 6, row: 2 }), None).is_empty());
    }

    #[test]
    fn few_processors_hold_many_classes_apart() {
        for (sets, apart) in [(4, 8), (3, 8)] {
            let mut holders = Holders::new(sets, 5);
            let class = |line: u64| holders.class_of(Spot { line, row: (line % sets as u64) as usize });
            let [first, second, again] = [1, 1 + sets as u64, 1 + (apart * sets) as u64].map(class);
            assert!(first != second && first == again, "{sets} sets");
            holders.add(first, 4);
            holders.add(second, 2);
            holders.remove(second, 4);
            let found = |class| holders.others(class, None).iter(5, None).collect::<Vec<_>>();
            assert_eq!((found(first), found(second)), (vec![4], vec![2]));
        }
    }
}
