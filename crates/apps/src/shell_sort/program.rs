//! The program of shell-sort: a thread sorts its keys, then merges them with the keys of one partner after another.
//!
//! This module must never know which processor serves a read.

use std::ops::Range;
use std::sync::Arc;

use protocols::split_phase::{LocalPtr, Memory, Plan, SplitPhase};
use protocols::sync::{Collectives, Reduction};
use tempest::{
    Cells, FinalState, Mechanism, Merge, NodeId, Protocol, Report, Setup, Shape, Thread, ThreadId, handlers,
};

use super::passes::Pass;
use super::problem::Options;
use crate::kit::sorts::work::MERGE_KEY;
use crate::kit::sorts::{self, Half, Keys};
use crate::kit::{Division, Verdict};

/// The part of a run that all nodes share.
pub(super) struct Config {
    pub(super) asked: Options,
    pub(super) mechanism: Mechanism,
    pub(super) division: Division,
    pub(super) problem: Arc<Keys>,
}

/// The state of shell-sort on one node.
pub(super) struct ShellSort {
    config: Arc<Config>,
    node: NodeId,
    split: Arc<SplitPhase>,
    collectives: Arc<Collectives>,
    /// By thread of the node: two arrays, of which one has its keys.
    keys: LocalPtr<u32>,
    /// The keys for which an array has room.
    room: u32,
    /// By thread of the node: the side of the array that has its keys, in even and in odd passes.
    sides: LocalPtr<u32>,
    /// By thread of the node: room for a piece of the partner's keys.
    landing: LocalPtr<u32>,
    /// The number of passes.
    passes: Cells<u64>,
    verdict: Verdict,
}

/// The part of one thread in a run.
struct Sorter<'a> {
    program: &'a ShellSort,
    thread: &'a Thread<'a>,
    memory: Memory<'a>,
    /// The number of the thread among all threads.
    number: u32,
    mine: Vec<u32>,
    /// The passes that are over.
    passes: u32,
}

impl Protocol for ShellSort {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let Shape { nodes, threads } = setup.shape();
        let mut plan = Plan::new(nodes).blocks_by(config.mechanism);
        let room = config.division.most_of_a_node().div_ceil(threads);
        let keys = plan.local(threads * 2 * room);
        let (sides, landing) = (plan.local(threads * 2), plan.local(threads * config.asked.piece.min(room)));
        Self {
            config: Arc::clone(config),
            node: setup.node(),
            split: setup.install::<SplitPhase>(&plan),
            collectives: setup.install::<Collectives>(&Collectives::FAN_IN),
            keys,
            room,
            sides,
            landing,
            passes: Cells::new(1, 0),
            verdict: Verdict::new(threads),
        }
    }
}

impl ShellSort {
    /// The thread of a number.
    fn id(&self, number: u32) -> ThreadId {
        let Shape { threads, .. } = self.config.division.shape();
        ThreadId { node: NodeId(number / threads), index: number % threads }
    }

    /// The array of this side, 0 or 1, of thread `index` of a node.
    fn array(&self, index: u32, side: u32) -> LocalPtr<u32> {
        self.keys + i64::from((2 * index + side) * self.room)
    }

    /// The word that says which array has the keys of a thread of a node in a pass.
    fn side(&self, index: u32, pass: u32) -> LocalPtr<u32> {
        self.sides + i64::from(2 * index + pass % 2)
    }

    /// The positions of a thread.
    fn positions(&self, id: ThreadId) -> Range<usize> {
        let own = self.config.division.of_thread(id);
        own.start as usize..own.end as usize
    }
}

impl Sorter<'_> {
    /// Puts the keys into an array of this thread.
    fn publish(&self, side: u32) {
        let array = self.program.array(self.thread.index(), side);
        (0..).zip(&self.mine).for_each(|(at, key)| self.memory.set(array + at, *key));
    }

    /// Divides keys with the partner of the pass, if there is one. Returns whether a key changed places.
    fn pass(&mut self, pass: Pass) -> bool {
        let (program, index, memory) = (self.program, self.thread.index(), self.memory);
        let Shape { nodes, threads } = program.config.division.shape();
        let side = memory.load(program.side(index, self.passes));
        let partner = pass.partner(self.number, nodes * threads);
        let merged = partner.and_then(|(partner, half)| self.merge(program.id(partner), half));
        let changed = merged.is_some();
        if let Some(merged) = merged {
            self.mine = merged;
            self.publish(1 - side);
        }
        self.passes += 1;
        // The side told to the partners of this pass stays unchanged until they have all read it.
        memory.set(program.side(index, self.passes), if changed { 1 - side } else { side });
        memory.barrier();
        changed
    }

    /// The keys that this thread keeps of its own and its partner's, if any keys change places.
    fn merge(&self, partner: ThreadId, half: Half) -> Option<Vec<u32>> {
        let memory = self.memory;
        let side = memory.read(self.program.side(partner.index, self.passes).on(partner.node));
        let mut left = 0..self.program.positions(partner).len();
        let mut piece = self.next_piece(partner, side, half, &mut left);
        if in_order(half, &self.mine, &piece) {
            return None;
        }
        let mut merge = sorts::Merge::new(half, &self.mine);
        loop {
            let kept = merge.take(&piece);
            self.thread.charge(MERGE_KEY.times(kept as u32));
            if merge.left() == 0 || left.is_empty() {
                break;
            }
            piece = self.next_piece(partner, side, half, &mut left);
        }
        self.thread.charge(MERGE_KEY.times(merge.left() as u32));
        Some(merge.finish())
    }

    /// Reads the next piece of the partner's keys, of which those at `left` are left: from the front for the lower half, from the back
    /// for the upper.
    fn next_piece(&self, partner: ThreadId, side: u32, half: Half, left: &mut Range<usize>) -> Vec<u32> {
        let len = left.len().min(self.program.config.asked.piece as usize);
        let first = match half {
            Half::Lower => left.start,
            Half::Upper => left.end - len,
        };
        match half {
            Half::Lower => left.start += len,
            Half::Upper => left.end -= len,
        }
        let most = self.program.config.asked.piece.min(self.program.room);
        let landing = self.program.landing + i64::from(self.thread.index() * most);
        let from = self.program.array(partner.index, side) + first as i64;
        self.memory.bulk_read(from.on(partner.node), landing, len);
        (0..len as i64).map(|key| self.memory.load(landing + key)).collect()
    }
}

/// Whether all keys of the lower thread are below all of the upper one. The piece is the end of the partner's keys that is nearer.
fn in_order(half: Half, mine: &[u32], piece: &[u32]) -> bool {
    let (low, high) = match half {
        Half::Lower => (mine.last(), piece.first()),
        Half::Upper => (piece.last(), mine.first()),
    };
    low <= high
}

#[handlers]
impl ShellSort {
    fn main(&self, thread: &Thread<'_>) {
        let (config, own) = (&self.config, self.positions(thread.id()));
        let Shape { nodes, threads } = config.division.shape();
        let (memory, mine) = (self.split.on(thread), config.problem.keys[own.clone()].to_vec());
        let number = config.division.number(thread.id());
        let mut sorter = Sorter { program: self, thread, memory, number, mine, passes: 0 };
        thread.phase("sort");
        sorts::sort(thread, &mut sorter.mine, config.asked.bits);
        sorter.publish(0);
        memory.barrier();
        for pass in Pass::decreasing(nodes * threads) {
            sorter.pass(pass);
        }
        loop {
            let changes = Pass::CLEAN_UP.map(|pass| u64::from(sorter.pass(pass)));
            let changed: u64 = changes.into_iter().sum();
            if self.collectives.all_reduce(thread, Reduction::Max, changed) == 0 {
                break;
            }
        }
        thread.phase("check");
        self.passes.set(thread, 0, sorter.passes.into());
        sorts::compare(&self.verdict, thread, &sorter.mine, &config.problem.expected[own]);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let asked = &self.config.asked;
        let report = sorts::report(&self.verdict, end);
        if self.node != NodeId(0) {
            return report;
        }
        let passes = self.passes.get(end, 0) as f64;
        report.figure("keys", f64::from(asked.keys), Merge::Max).figure("passes", passes, Merge::Max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_partners_see_whether_keys_are_in_order() {
        let blocks: [(&[u32], &[u32], bool); 3] =
            [(&[1, 2], &[3, 4], true), (&[1, 3], &[3, 4], true), (&[1, 4], &[3, 5], false)];
        for (low, high, ordered) in blocks {
            assert_eq!(in_order(Half::Lower, low, &high[..1]), ordered);
            assert_eq!(in_order(Half::Upper, high, &low[1..]), ordered);
        }
    }
}
