//! Tags and states of a write-back cache, direct mapped or set associative with least recently used replacement. Holds
//! no data and knows no time.

use super::moesi::State;

/// A line's place.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    line: u64,
    state: State,
    /// A device has overwritten the line in memory since: only caches that do not snoop have such.
    stale: bool,
    used: u64,
}

/// What was in a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Victim {
    /// Which line.
    pub line: u64,
    /// In what state; never `Invalid`.
    pub state: State,
    /// A device has overwritten the line in memory since.
    pub stale: bool,
}

/// A cache.
#[derive(Clone, Debug)]
pub struct Cache {
    ways: usize,
    sets: u64,
    /// `sets - 1` where that is a mask: the division would cost more than all else.
    mask: Option<u64>,
    /// Empty until a line comes in: most processors of a large machine use no modelled memory.
    entries: Vec<Entry>,
    lines: usize,
    clock: u64,
}

impl Cache {
    /// An empty cache of `lines` lines in sets of `ways`; `ways` divides `lines`, and both are at least 1.
    pub fn new(lines: usize, ways: usize) -> Self {
        let sets = (lines / ways) as u64;
        let mask = sets.is_power_of_two().then(|| sets - 1);
        Self { ways, sets, mask, entries: Vec::new(), lines, clock: 0 }
    }

    #[inline]
    fn set(&self, line: u64) -> std::ops::Range<usize> {
        let set = self.mask.map_or_else(|| line % self.sets, |mask| line & mask);
        let first = set as usize * self.ways;
        first..first + self.ways
    }

    #[inline]
    fn find(&self, line: u64) -> Option<usize> {
        let here = |entry: &Entry| entry.line == line && entry.state != State::Invalid;
        self.set(line).find(|&place| self.entries.get(place).is_some_and(here))
    }

    /// The state of a line; nothing is used by asking.
    pub fn state(&self, line: u64) -> State {
        self.find(line).map_or(State::Invalid, |place| self.entries[place].state)
    }

    /// A processor uses a line: its state, and whether a device has overwritten it in memory since.
    #[inline]
    pub fn access(&mut self, line: u64) -> (State, bool) {
        let Some(place) = self.find(line) else { return (State::Invalid, false) };
        self.clock += 1;
        let entry = &mut self.entries[place];
        entry.used = self.clock;
        (entry.state, entry.stale)
    }

    /// Changes the state of a line that is here.
    pub fn change(&mut self, line: u64, state: State) {
        if let Some(place) = self.find(line) {
            self.entries[place].state = state;
        }
    }

    /// A device has overwritten a line in memory, and this cache did not snoop it.
    pub fn age(&mut self, line: u64) {
        if let Some(place) = self.find(line) {
            self.entries[place].stale = true;
        }
    }

    /// Takes a line out.
    pub fn remove(&mut self, line: u64) -> Option<Victim> {
        let place = self.find(line)?;
        let entry = &mut self.entries[place];
        let victim = Victim { line, state: entry.state, stale: entry.stale };
        *entry = Entry::default();
        Some(victim)
    }

    /// Puts in a line that is not here; what it replaces, if anything.
    pub fn insert(&mut self, line: u64, state: State) -> Option<Victim> {
        self.clock += 1;
        if self.entries.is_empty() {
            self.entries = vec![Entry::default(); self.lines];
        }
        let entries = &self.entries;
        let rank = |&place: &usize| (entries[place].state != State::Invalid, entries[place].used);
        let place = self.set(line).min_by_key(rank).expect("a set has at least one way");
        let old = self.entries[place];
        self.entries[place] = Entry { line, state, stale: false, used: self.clock };
        (old.state != State::Invalid).then_some(Victim { line: old.line, state: old.state, stale: old.stale })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_least_recently_used_line_of_a_set_goes() {
        // Two sets of two ways: even lines in set 0.
        let mut cache = Cache::new(4, 2);
        assert_eq!(cache.insert(0, State::Shared), None);
        assert_eq!(cache.insert(2, State::Modified), None);
        cache.access(0);
        let victim = Victim { line: 2, state: State::Modified, stale: false };
        assert_eq!(cache.insert(4, State::Exclusive), Some(victim));
        assert_eq!((cache.state(0), cache.state(2)), (State::Shared, State::Invalid));
        assert_eq!(cache.insert(1, State::Shared), None, "the other set is empty");
    }

    #[test]
    fn a_line_that_was_taken_out_leaves_room() {
        let mut cache = Cache::new(1, 1);
        cache.insert(7, State::Modified);
        cache.age(7);
        assert_eq!(cache.access(7), (State::Modified, true));
        assert_eq!(cache.remove(7), Some(Victim { line: 7, state: State::Modified, stale: true }));
        assert_eq!(cache.remove(7), None);
        assert_eq!(cache.insert(8, State::Shared), None);
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
            sets in 1_u64..6, ways in 1_usize..5,
            steps in proptest::collection::vec((0_u64..24, 0_u8..4), 0..400),
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
                        prop_assert_eq!(cache.access(line), (state, false));
                        if state == State::Invalid {
                            let fresh = if what == 1 { State::Modified } else { State::Shared };
                            let victim = cache.insert(line, fresh).map(|victim| (victim.line, victim.state));
                            prop_assert_eq!(victim, naive.insert(line, fresh, sets, ways));
                        }
                    }
                }
            }
        }
    }
}
