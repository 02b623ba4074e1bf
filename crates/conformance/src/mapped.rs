//! Memory of other nodes that is mapped is memory.
//!
//! In a world that maps nothing the program here does nothing, and the promise is kept; a world must not map some
//! segments and not others.

use tempest::{
    Cells, FinalState, Mapped, NodeId, Protocol, Report, Rights, Segment, Setup, Shape, Thread, handlers,
};

use crate::Setting;
use crate::split_phase::Dice;

/// Words of a thread's area on each node: blocks of them are short and long.
const AREA: usize = 300;

/// Steps of a random program.
const STEPS: usize = 200;

/// After any puts, gets, copies and atomic changes by threads, each word holds the last value put there.
pub fn mapped_segments_are_memory(setting: &Setting<'_>) {
    setting.verified::<Random>("mapped_segments_are_memory", (), 2);
}

/// Whether a thread finds a segment mapped on all nodes.
///
/// # Panics
/// If it is on some.
pub(crate) fn is_mapped(thread: &Thread<'_>, segment: &Segment<u64>) -> bool {
    let mapped = (0..thread.nodes()).filter(|node| thread.map(segment, NodeId(*node)).is_some()).count();
    assert!([0, thread.nodes() as usize].contains(&mapped), "a segment is mapped on {mapped} nodes");
    mapped > 0
}

/// A node's part of a segment.
pub(crate) fn map<'a>(thread: &Thread<'a>, segment: &Segment<u64>, node: NodeId) -> Mapped<'a, u64> {
    thread.map(segment, node).expect("it was mapped before")
}

/// A thread's number across the nodes.
pub(crate) fn number(shape: Shape, node: NodeId, thread: u32) -> usize {
    (node.0 * shape.threads + thread) as usize
}

/// Threads with random programs, each on its own area of every node; and counters that all threads share.
struct Random {
    shape: Shape,
    areas: Segment<u64>,
    /// A word that is added to, and a word that is exchanged for its successor.
    counts: Segment<u64>,
    /// Number of threads that found all segments mapped.
    mapped: Cells<u64>,
}

impl Protocol for Random {
    type Config = ();

    fn install((): &(), setup: &mut Setup<'_>) -> Self {
        let shape = setup.shape();
        let threads = (shape.nodes * shape.threads) as usize;
        Self {
            shape,
            areas: setup.segment_for(Rights::READ_WRITE, "conformance.areas", threads * AREA, 0),
            counts: setup.segment_for(Rights::ALL, "conformance.counts", 2, 0),
            mapped: Cells::new(1, 0),
        }
    }
}

impl Random {
    /// Makes a random step on an area, whose expected words are in `held`.
    fn step(
        &self,
        thread: &Thread<'_>,
        dice: &mut Dice,
        there: &Mapped<'_, u64>,
        (area, held): (usize, &mut [u64]),
        fresh: u64,
    ) {
        let first = dice.below(AREA as u32) as usize;
        let len = 1 + dice.below((AREA - first) as u32) as usize;
        let (at, range) = (area + first, first..first + len);
        match dice.below(5) {
            0 => {
                there.put(at, fresh);
                held[first] = fresh;
            }
            1 => assert_eq!(there.get(at), held[first], "word {first}"),
            2 => {
                let words: Vec<u64> = (fresh..).take(len).collect();
                there.write(at, &words);
                held[range].copy_from_slice(&words);
            }
            3 => {
                let mut found = vec![0; len];
                there.read(at, &mut found);
                assert_eq!(found, held[range], "words {first} and on");
            }
            _ => {
                let found = Cells::new(len + 1, 0);
                there.read_into(at, &found, 1, len);
                assert!(held[range].iter().zip(1..).all(|(word, cell)| found.get(thread, cell) == *word));
            }
        }
    }

    /// Adds one to each counter, one by addition and one by exchange.
    fn count(counts: &Mapped<'_, u64>) {
        counts.fetch_add(0, 1);
        let mut before = counts.get(1);
        while let Err(found) = counts.compare_exchange(1, before, before + 1) {
            before = found;
        }
    }
}

#[handlers]
impl Random {
    fn main(&self, thread: &Thread<'_>) {
        if !is_mapped(thread, &self.areas) {
            return;
        }
        let owner = number(self.shape, thread.node(), thread.index());
        let mut dice = Dice(owner as u64);
        let mut held = vec![[0; AREA]; thread.nodes() as usize];
        for step in 0..STEPS {
            let node = dice.below(thread.nodes());
            let there = map(thread, &self.areas, NodeId(node));
            let fresh = ((owner + 1) << 32 | step << 16) as u64;
            self.step(thread, &mut dice, &there, (owner * AREA, &mut held[node as usize]), fresh);
            (0..thread.nodes()).for_each(|node| Self::count(&map(thread, &self.counts, NodeId(node))));
            thread.poll();
        }
        self.mapped.add(thread, 0, 1);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let all = u64::from(self.shape.threads);
        let mapped = self.mapped.get(end, 0);
        let steps = mapped * u64::from(self.shape.nodes) * STEPS as u64;
        let counts = [0, 1].map(|word| self.counts.cells().get(end, word));
        Report::checked([0, all].contains(&mapped) && counts == [steps; 2], || {
            format!("{mapped} of {all} threads, counts {counts:?}: expected {steps}")
        })
    }
}
