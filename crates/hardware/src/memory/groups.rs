//! The sets, in identical caches, that have rows of a table. A large machine has many caches with lines in few of their
//! sets, so rows are made only where a line comes in, for some neighbouring sets together.
//!
//! This module must never know the content of a row, nor whose caches they are.

use crate::Divisor;

/// The number of neighbouring sets that get rows together.
const TOGETHER: usize = 4;

/// The number of a group without rows. Its sets lie beyond all rows, so a search there finds no line.
const NOWHERE: u32 = u32::MAX;

/// Marks a group without rows. It is stored as zero, because the host's system provides zeroed memory at no cost.
const NONE: u32 = NOWHERE.wrapping_add(1);

/// A line, and the row of its set, which is beyond all rows if the set has none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Spot {
    pub(super) line: u64,
    pub(super) row: usize,
}

/// The sets of identical caches.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    /// The number of sets.
    sets: Divisor,
    /// For each [`TOGETHER`] sets the number of groups that had rows when they got theirs, their own among them, or [`NONE`]. Empty until
    /// there are rows for one: most processors of a large machine use no modelled memory.
    up_to: Vec<u32>,
    /// The number of groups that have rows.
    made: u32,
}

impl Groups {
    /// A table without rows for `sets` sets.
    pub(super) fn new(sets: usize) -> Self {
        Self { sets: Divisor::new(sets as u64), up_to: Vec::new(), made: 0 }
    }

    /// The number of sets.
    #[inline]
    pub(super) fn sets(&self) -> Divisor {
        self.sets
    }

    /// The number of the set that a line belongs to.
    #[inline]
    fn set_of(&self, line: u64) -> usize {
        self.sets.remainder(line) as usize
    }

    /// A line with the row of its set.
    #[inline]
    pub(super) fn spot(&self, line: u64) -> Spot {
        let set = self.set_of(line);
        let before = self.up_to.get(set / TOGETHER).map_or(NOWHERE, |up_to| up_to.wrapping_sub(1));
        Spot { line, row: before as usize * TOGETHER + set % TOGETHER }
    }

    /// A line with the row of its set, which gets one if it has none.
    #[inline]
    pub(super) fn spot_with_row(&mut self, line: u64) -> Spot {
        self.with_row(self.spot(line))
    }

    /// A line with the row of its set, which gets one if it has none. `at` is the result of an earlier search.
    #[inline]
    pub(super) fn with_row(&mut self, at: Spot) -> Spot {
        if at.row < self.made as usize * TOGETHER { at } else { self.make(at.line) }
    }

    /// Makes rows for the group of a line's set.
    #[cold]
    #[inline(never)]
    fn make(&mut self, line: u64) -> Spot {
        if self.up_to.is_empty() {
            self.up_to = vec![NONE; (self.sets.get() as usize).div_ceil(TOGETHER)];
        }
        let group = self.set_of(line) / TOGETHER;
        self.made += 1;
        self.up_to[group] = self.made;
        self.spot(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_sets_get_rows_together_in_the_order_in_which_they_ask_for_them() {
        let mut groups = Groups::new(16 * TOGETHER);
        let last = 16 * TOGETHER as u64 - 1;
        let row = |groups: &Groups, line| groups.spot(line).row;
        assert!(row(&groups, last) >= 16 * TOGETHER);
        assert_eq!(groups.spot_with_row(last), Spot { line: last, row: TOGETHER - 1 });
        assert_eq!((row(&groups, last), row(&groups, last - 1)), (TOGETHER - 1, TOGETHER - 2));
        assert!(row(&groups, 0) >= 2 * TOGETHER, "it has none");
        assert_eq!(groups.spot_with_row(1).row, TOGETHER + 1);
        assert_eq!((row(&groups, 0), row(&groups, last)), (TOGETHER, TOGETHER - 1));
        assert_eq!(groups.spot_with_row(last + 2).row, TOGETHER + 1, "a line of the same set");
    }

    #[test]
    fn sets_whose_number_is_no_power_of_two_have_rows_too() {
        let mut groups = Groups::new(6);
        assert_eq!([5, 6 + 5, 0].map(|line| groups.spot_with_row(line).row), [1, 1, TOGETHER]);
    }
}
