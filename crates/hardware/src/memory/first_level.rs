//! A first-level cache between a processor and its cache: it decides which loads hit there.
//!
//! It holds lines that the cache behind it has too, and no state of its own: a line that leaves the cache leaves it as
//! well. Loads bring lines in. Stores pass through it, and write to a line that it has. It must never know a bus.

use units::Time;

use super::cache::Cache;
use super::moesi::State;

/// A first-level cache.
#[derive(Clone, Debug)]
pub(super) struct FirstLevel {
    lines: Cache,
    /// The extra time of a load that misses here and hits in the cache behind.
    wait: Time,
}

impl FirstLevel {
    /// Makes an empty cache of lines of `line` bytes.
    pub(super) fn new(costs: &machine::FirstLevel, line: u64) -> Self {
        Self { lines: Cache::new((costs.size.get() / line) as usize, costs.ways), wait: costs.wait }
    }

    /// The extra time of a load of a line that the cache behind has: zero for a hit here.
    #[inline]
    pub(super) fn wait(&self, line: u64) -> Time {
        if self.lines.look_up(line).state == State::Invalid { self.wait } else { Time::ZERO }
    }

    /// Loads a word of a line that the cache behind has.
    #[inline]
    pub(super) fn load(&mut self, line: u64) {
        if self.lines.access(line).state == State::Invalid {
            self.lines.insert(line, State::Shared, false, Time::ZERO);
        }
    }

    /// Takes out a line that leaves the cache behind.
    #[inline]
    pub(super) fn remove(&mut self, line: u64) {
        self.lines.remove(line);
    }
}

#[cfg(test)]
mod tests {
    use units::{Bytes, Time};

    use crate::memory::tests::{cycles, simple};
    use crate::memory::{Hit, Hits, Keep, NodeMemory};

    /// Lines of 32 B: two lines in a first-level cache that is direct mapped, and 3 cycles to the cache behind it.
    fn node() -> NodeMemory {
        let mut costs = simple();
        costs.cache.first = Some(machine::FirstLevel { size: Bytes::new(64), ways: 1, wait: cycles(3) });
        NodeMemory::new(&costs, Bytes::new(32), 2)
    }

    #[test]
    fn a_load_waits_for_the_cache_behind_where_another_line_has_taken_its_place() {
        let mut node = node();
        let mut now = cycles(1000);
        let mut took = |node: &mut NodeMemory, line| {
            let begun = now;
            now = node.load(0, line, begun, true);
            now - begun
        };
        // From memory, with both levels empty; then one cycle to use a value that hits.
        let miss = took(&mut node, 0);
        assert!(miss > cycles(30), "{miss}");
        assert_eq!(took(&mut node, 0), cycles(1));
        took(&mut node, 2);
        // Line 2 is where line 0 was.
        assert_eq!([0, 0, 2, 0].map(|line| took(&mut node, line)), [4, 1, 4, 4].map(cycles));
        // A store neither waits nor brings its line in.
        assert_eq!(node.store(0, 2, now), now);
        assert_eq!(node.load(0, 0, now, true), now + cycles(1));
    }

    #[test]
    fn accesses_that_hit_are_the_same_one_by_one_and_together() {
        for lines in [[0_u64, 2, 0], [1, 1, 1], [3, 1, 3]] {
            let mut one = node();
            let mut start = cycles(1000);
            for line in lines {
                start = one.load(0, line, start, true) + cycles(100);
            }
            let mut together = one.clone();
            for line in lines {
                let hits = Hits { kind: Hit::Used, issue: cycles(1), count: 3 };
                let done = together.hit(0, line, hits, start, Time::MAX).expect("the cache behind has it");
                let each = (0..3).fold(start, |now, _| one.load(0, line, now + cycles(1), true));
                assert_eq!(done, each, "{lines:?}");
                start = done;
            }
        }
    }

    #[test]
    fn a_line_that_another_cache_takes_leaves_both_levels() {
        let mut node = node();
        assert_eq!(node.first_level(0, 7), cycles(3), "it is in neither");
        node.access(0, 7, false, Keep::Any, cycles(100));
        assert!(node.hits(0, 7, false, cycles(200)));
        assert_eq!(node.first_level(0, 7), Time::ZERO);
        node.access(1, 7, true, Keep::Any, cycles(300));
        node.access(0, 7, false, Keep::Shared, cycles(400));
        node.purge_line(7, cycles(500));
        node.access(0, 7, true, Keep::Any, cycles(600));
        assert!(node.hits(0, 7, false, cycles(700)));
        assert_eq!(node.first_level(0, 7), cycles(3), "a store has brought it into the cache behind alone");
    }
}
