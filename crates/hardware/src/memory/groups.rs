//! Which sets of a cache something is kept for. A large machine has many caches with lines in few of their sets, so room is made
//! only where a line comes in, for some neighbouring sets together.
//!
//! This module must never know what is kept, nor whose cache it is.

/// The number of neighbouring sets for which room is made together.
const TOGETHER: usize = 4;

/// The number of a group without room. Its sets lie beyond all that have room, so a search there finds nothing.
const NOWHERE: u32 = u32::MAX;

/// The sets of a cache for which there is room.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    /// The number of sets.
    sets: usize,
    /// For each [`TOGETHER`] sets the number of groups that got room before, or [`NOWHERE`]. Empty until there is room for one: most
    /// processors of a large machine use no modelled memory.
    before: Vec<u32>,
    /// The number of groups that have room.
    made: u32,
}

impl Groups {
    /// Room for none of so many sets.
    pub(super) fn new(sets: usize) -> Self {
        Self { sets, before: Vec::new(), made: 0 }
    }

    /// The number of sets.
    #[inline]
    pub(super) fn sets(&self) -> usize {
        self.sets
    }

    /// The number of a set among those that have room. It is beyond all of them if the set has none.
    #[inline]
    pub(super) fn place_of(&self, set: usize) -> usize {
        let before = self.before.get(set / TOGETHER).copied().unwrap_or(NOWHERE);
        before as usize * TOGETHER + set % TOGETHER
    }

    /// Gives the group of a set room, which has none. Returns the number of sets that have room now.
    #[cold]
    pub(super) fn make(&mut self, set: usize) -> usize {
        if self.before.is_empty() {
            self.before = vec![NOWHERE; self.sets.div_ceil(TOGETHER)];
        }
        self.before[set / TOGETHER] = self.made;
        self.made += 1;
        self.made as usize * TOGETHER.min(self.sets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_sets_get_room_together_in_the_order_in_which_they_ask_for_it() {
        let mut groups = Groups::new(10 * TOGETHER);
        let last = 10 * TOGETHER - 1;
        assert!(groups.place_of(last) >= 10 * TOGETHER);
        assert_eq!(groups.make(last), TOGETHER);
        assert_eq!((groups.place_of(last), groups.place_of(last - 1)), (TOGETHER - 1, TOGETHER - 2));
        assert!(groups.place_of(0) >= 2 * TOGETHER, "it has none");
        assert_eq!(groups.make(1), 2 * TOGETHER);
        assert_eq!((groups.place_of(0), groups.place_of(last)), (TOGETHER, TOGETHER - 1));
    }

    #[test]
    fn a_cache_of_few_sets_has_room_for_no_more() {
        let mut groups = Groups::new(1);
        assert_eq!((groups.make(0), groups.place_of(0)), (1, 0));
    }
}
