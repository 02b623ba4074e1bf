//! radix by messages: each key is stored to its position by a message of its own, and the target counts arrivals.
//!
//! Two arrays of keys take turns. A thread may store into the array that was read in the pass before: it has been told
//! its positions since, so every thread has counted its keys of this pass, and has read the keys of the pass before for
//! the last time.
//!
//! A thread polls where it stores. While it counts it does not. This module must never know which processor serves a
//! store.

use std::sync::Arc;

use protocols::split_phase::{LocalPtr, Memory, Plan, SplitPhase};
use protocols::sync::{Collectives, Reduction, Scan};
use tempest::{FinalState, Operations, Protocol, Report, Setup, Thread, handlers};

use super::sorting::{Config, Run};
use crate::kit::sorts::work::{COUNT_KEY, MOVE};
use crate::kit::sorts::{Digit, Ranks};

/// The work of moving a key but for its store: the load of the key, and node and place of a position, by a shift and a mask.
const ROUTE: Operations = MOVE.and(Operations::NONE.integers(2).loads(1));

/// The state of radix by messages on one node.
pub(super) struct MessageRadix {
    run: Run,
    split: Arc<SplitPhase>,
    scan: Arc<Scan>,
    ranks: Ranks,
    /// The keys at the positions of this node, and room for as many.
    keys: [LocalPtr<u32>; 2],
}

impl Protocol for MessageRadix {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let Config { asked, problem, division } = &**config;
        let shape = setup.shape();
        let mut plan = Plan::new(shape.nodes);
        let keys = [(); 2].map(|()| plan.local(division.most_of_a_node()));
        let ranks = Ranks::reserve(&mut plan, asked.radix, shape);
        Self {
            run: Run::new(*asked, problem, *division, setup.node()),
            split: setup.install::<SplitPhase>(&plan),
            scan: setup.install::<Scan>(&Collectives::FAN_IN),
            ranks,
            keys,
        }
    }
}

#[handlers]
impl MessageRadix {
    /// The place of a thread's first key in an array.
    fn first(&self, thread: &Thread<'_>, array: usize) -> LocalPtr<u32> {
        let of_node = self.run.division.of_node(self.run.node).start as usize;
        self.keys[array] + (self.run.own(thread).start - of_node) as i64
    }

    /// A thread's keys in an array.
    fn own(&self, thread: &Thread<'_>, memory: Memory<'_>, array: usize) -> impl Iterator<Item = u32> {
        let first = self.first(thread, array);
        (0..self.run.own(thread).len() as i64).map(move |key| memory.load(first + key))
    }

    /// Sorts by a digit, out of array `from` into the other.
    fn pass(&self, thread: &Thread<'_>, memory: Memory<'_>, from: usize, digit: Digit) {
        let mut counts = vec![0; self.run.asked.radix as usize];
        self.own(thread, memory, from).for_each(|key| counts[digit.of(key)] += 1);
        thread.charge(COUNT_KEY.times(self.run.own(thread).len() as u32));
        let before = |keys| self.scan.inclusive(thread, Reduction::Sum, keys) - keys;
        let mut positions = self.ranks.of(thread, memory, &counts, before);
        let (division, to) = (self.run.division, self.keys[1 - from]);
        for key in self.own(thread, memory, from) {
            thread.charge(ROUTE);
            let position = &mut positions[digit.of(key)];
            let node = division.node_of(*position);
            let at = *position - division.of_node(node).start;
            *position += 1;
            memory.store((to + i64::from(at)).on(node), key);
        }
        memory.all_store_sync();
    }

    fn main(&self, thread: &Thread<'_>) {
        let memory = self.split.on(thread);
        let keys = &self.run.problem.keys[self.run.own(thread)];
        (0..).zip(keys).for_each(|(at, key)| memory.set(self.first(thread, 0) + at, *key));
        thread.phase("sort");
        let mut at = 0;
        for digit in self.run.asked.digits() {
            self.pass(thread, memory, at, digit);
            at = 1 - at;
        }
        thread.phase("check");
        let own = self.run.own(thread).start;
        self.run.compare(thread, |first, keys| {
            let first = self.first(thread, at) + (first - own) as i64;
            (0..).zip(keys).for_each(|(offset, key)| *key = memory.load(first + offset));
        });
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        self.run.report(end)
    }
}
