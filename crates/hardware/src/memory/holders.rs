//! The processors whose caches have a line. A transaction is shown to these caches alone.
//!
//! A set of a cache has room for few lines, but many lines belong to it. They are divided into classes, and the holders of each
//! class of each set are known. This module must never know the state of a line, nor which client asks for it.

use super::groups::Spot;
use crate::Divisor;

/// For each class of each set of the caches, a bit for each processor that has a line of the class.
#[derive(Clone, Debug)]
pub(crate) struct Holders {
    /// A word for each row of sets, with the bits of the first class lowest.
    words: Vec<u64>,
    /// The number of sets. The lines of a set differ in their quotients by it.
    sets: Divisor,
    /// The number of bits of a class as a power of two, and these bits: of all processors.
    width: u32,
    all: u64,
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
    /// An empty record: no processor of `processors` has a line of any of the sets.
    pub(crate) fn new(sets: Divisor, processors: usize) -> Self {
        let width = processors.next_power_of_two().min(u64::BITS as usize) as u32;
        let (width, all) = (width.trailing_zeros(), u64::MAX >> (u64::BITS - width));
        Self { words: Vec::new(), sets, width, all }
    }

    /// The class of a line.
    #[inline]
    pub(super) fn class_of(&self, at: Spot) -> Class {
        let above = self.sets.quotient(at.line);
        Class { row: at.row, shift: (above << self.width) as u32 % u64::BITS }
    }

    /// Records that a processor has a line of a class, whose set has a row.
    #[inline]
    pub(crate) fn add(&mut self, class: Class, processor: usize) {
        let bit = bit(processor) << class.shift;
        match self.words.get_mut(class.row) {
            Some(held) => *held |= bit,
            None => self.add_to_new(class.row, bit),
        }
    }

    /// Records a bit in a row that has no word yet.
    #[cold]
    #[inline(never)]
    fn add_to_new(&mut self, row: usize, bit: u64) {
        self.words.resize(row + 1, 0);
        self.words[row] = bit;
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

    /// Records that processors, a bit for each, have no line of a class any more. Each of them has a bit of its own.
    #[inline]
    pub(crate) fn remove_all(&mut self, class: Class, processors: u64) {
        if let Some(held) = self.words.get_mut(class.row) {
            *held &= !(processors << class.shift);
        }
    }

    /// The processors besides `processor` that may have a line of a class; no holder is missing. Processors that share
    /// a bit are named together, `processor` with them.
    #[inline]
    pub(crate) fn others(&self, class: Class, processor: Option<usize>) -> Others {
        let held = self.words.get(class.row).map_or(0, |held| held >> class.shift & self.all);
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

    /// A bit for each of them that has a bit of its own.
    #[inline]
    pub(crate) fn named(self) -> u64 {
        self.0 & !bit(SHARED)
    }

    /// Whether the processors with the shared bit are among them.
    #[inline]
    pub(crate) fn are_shared(self) -> bool {
        self.0 & bit(SHARED) != 0
    }

    /// Yields each processor but `processor` that shares a bit. A node has `count` processors.
    pub(crate) fn sharing(count: usize, processor: Option<usize>) -> impl Iterator<Item = usize> {
        (SHARED..count).filter(move |&next| Some(next) != processor)
    }
}

#[inline]
fn bit(processor: usize) -> u64 {
    1 << processor.min(SHARED)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some processors of a node that has `count`, except `without`.
    fn all(others: Others, count: usize, without: Option<usize>) -> Vec<usize> {
        let sharing = Others::sharing(count, without).filter(|_| others.are_shared());
        (0..SHARED).filter(|&processor| others.named() >> processor & 1 == 1).chain(sharing).collect()
    }

    #[test]
    fn others_are_those_that_have_a_line_and_many_processors_share_a_bit() {
        let mut holders = Holders::new(Divisor::new(4), 66);
        let class = holders.class_of(Spot { line: 7, row: 3 });
        assert!(holders.others(class, None).is_empty());
        [0, 5, 65].into_iter().for_each(|processor| holders.add(class, processor));
        let found = |holders: &Holders, who| all(holders.others(class, who), 66, who);
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
            let mut holders = Holders::new(Divisor::new(sets), 5);
            let class = |line: u64| holders.class_of(Spot { line, row: (line % sets) as usize });
            let [first, second, again] = [1, 1 + sets, 1 + apart * sets].map(class);
            assert!(first != second && first == again, "{sets} sets");
            holders.add(first, 4);
            holders.add(second, 2);
            holders.remove(second, 4);
            let found = |class| all(holders.others(class, None), 5, None);
            assert_eq!((found(first), found(second)), (vec![4], vec![2]));
        }
    }
}
