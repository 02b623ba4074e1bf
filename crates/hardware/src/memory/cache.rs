//! A cache by itself, which has room for its own sets. This module must never know a bus, nor the client that asks for
//! a line.

use units::Time;

use super::groups::{Groups, Spot};
use super::moesi::State;
use super::tags::{Found, Tags, Victim};

/// A cache, the only one with its tags.
#[derive(Clone, Debug)]
pub struct Cache {
    sets: Groups,
    tags: Tags,
}

impl Cache {
    /// Makes an empty cache of `lines` lines in sets of `ways`; `ways` divides `lines`, and both are at least 1.
    pub fn new(lines: usize, ways: usize) -> Self {
        Self { sets: Groups::new(lines / ways), tags: Tags::new(1, ways) }
    }

    #[inline]
    fn spot(&self, line: u64) -> Spot {
        self.sets.spot(line)
    }

    /// Looks a line up, which does not count as a use.
    #[inline]
    pub fn look_up(&self, line: u64) -> Found {
        self.tags.look_up(0, self.spot(line))
    }

    /// Looks a line up for a processor, which counts as a use.
    #[inline]
    pub fn access(&mut self, line: u64) -> Found {
        self.tags.access(0, self.spot(line))
    }

    /// Takes a line out.
    pub fn remove(&mut self, line: u64) -> Option<Victim> {
        self.tags.remove(0, self.spot(line))
    }

    /// Puts in a line that is not here yet, and that is there from `there` on. `wanted` says whether another client has
    /// wanted it. Returns the line that it replaces, if any.
    pub fn insert(&mut self, line: u64, state: State, wanted: bool, there: Time) -> Option<Victim> {
        let at = self.sets.spot_with_row(line);
        self.tags.insert((0, at), state, wanted, there)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: Time = Time::ZERO;

    #[test]
    fn the_least_recently_used_line_of_a_set_goes() {
        // Two sets of two ways: even lines in set 0.
        let mut cache = Cache::new(4, 2);
        assert_eq!(cache.insert(0, State::Shared, false, NOW), None);
        assert_eq!(cache.insert(2, State::Modified, false, NOW), None);
        cache.access(0);
        let victim = Victim { line: 2, state: State::Modified, stale: false, there: NOW };
        assert_eq!(cache.insert(4, State::Exclusive, false, NOW), Some(victim));
        assert_eq!((cache.look_up(0).state, cache.look_up(2).state), (State::Shared, State::Invalid));
        assert_eq!(cache.insert(1, State::Shared, false, NOW), None, "the other set is empty");
    }

    #[test]
    fn a_line_that_was_taken_out_leaves_room() {
        let mut cache = Cache::new(1, 1);
        let there = Time::from_nanoseconds(5);
        cache.insert(7, State::Shared, false, NOW);
        let seven = cache.spot(7);
        cache.tags.raise(0, seven, false, there);
        cache.tags.age(seven);
        assert_eq!(cache.access(7), Found { state: State::Modified, stale: true, there });
        assert_eq!(cache.remove(7), Some(Victim { line: 7, state: State::Modified, stale: true, there }));
        assert_eq!(cache.remove(7), None);
        assert_eq!(cache.insert(8, State::Shared, false, NOW), None);
    }

    #[test]
    fn a_line_is_private_that_no_other_client_has_wanted() {
        let mut cache = Cache::new(4, 1);
        let at = Time::from_nanoseconds(5);
        cache.insert(0, State::Exclusive, false, NOW);
        cache.insert(1, State::Exclusive, true, NOW);
        cache.insert(2, State::Shared, false, NOW);
        assert_eq!(
            [0, 1, 2, 3].map(|line| cache.tags.is_private(0, cache.spot(line))),
            [true, false, false, false]
        );
        assert_eq!(
            [0, 1, 2, 3].map(|line| cache.tags.store(0, cache.spot(line), at)),
            [true, true, false, false]
        );
        assert_eq!(cache.look_up(0), Found { state: State::Modified, stale: false, there: at });
        let stored = [0, 1, 2, 3].map(|line| cache.tags.store_private(0, cache.spot(line), at));
        assert_eq!(stored, [true, false, false, false], "a store to a line that was wanted waits");
        let two = cache.spot(2);
        cache.tags.raise(0, two, false, at);
        assert!(cache.tags.is_private(0, two) && !cache.tags.store(0, cache.spot(3), at));
        cache.tags.raise(0, two, true, at);
        assert!(!cache.tags.is_private(0, two));
    }

    /// A reference cache for the tests: a list of lines, the one used last at its end.
    #[derive(Default)]
    struct Naive(Vec<(u64, State)>);

    impl Naive {
        fn access(&mut self, line: u64) -> State {
            let Some(place) = self.0.iter().position(|entry| entry.0 == line) else { return State::Invalid };
            let entry = self.0.remove(place);
            self.0.push(entry);
            entry.1
        }
        fn insert(&mut self, line: u64, state: State, sets: u64, ways: usize) -> Option<(u64, State)> {
            let of_set = |entry: &&(u64, State)| entry.0 % sets == line % sets;
            let full = self.0.iter().filter(of_set).count() == ways;
            let oldest = self.0.iter().position(|entry| entry.0 % sets == line % sets);
            let victim = full.then(|| self.0.remove(oldest.expect("a full set has lines")));
            self.0.push((line, state));
            victim
        }
        fn remove(&mut self, line: u64) -> Option<State> {
            let place = self.0.iter().position(|entry| entry.0 == line)?;
            Some(self.0.remove(place).1)
        }
    }

    proptest! {
        #[test]
        fn it_does_what_a_list_does(
            sets in 1_u64..20, ways in 1_usize..5,
            steps in proptest::collection::vec((0_u64..80, 0_u8..4), 0..400),
        ) {
            let mut cache = Cache::new(sets as usize * ways, ways);
            let mut naive = Naive::default();
            for (line, what) in steps {
                match what {
                    0 => {
                        let victim = cache.remove(line).map(|victim| victim.state);
                        prop_assert_eq!(victim, naive.remove(line));
                    }
                    _ => {
                        let state = naive.access(line);
                        prop_assert_eq!(cache.access(line), Found { state, ..Found::default() });
                        if state == State::Invalid {
                            let fresh = if what == 1 { State::Modified } else { State::Shared };
                            let victim = cache.insert(line, fresh, false, NOW).map(|victim| (victim.line, victim.state));
                            prop_assert_eq!(victim, naive.insert(line, fresh, sets, ways));
                        }
                    }
                }
            }
        }
    }
}
