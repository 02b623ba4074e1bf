//! Sums of counts over threads and values: each thread has counted its keys by value, and learns where its first key of each value goes.
//!
//! Values are divided among the threads. Each thread sends every other thread its counts of that thread's values, as
//! one block. Each thread sums the counts of its values over the threads, and sends every other thread the places of
//! its first keys. So a thread sends each count and each place once, for any number of threads, in two blocks for each
//! of the other threads.
//!
//! This module must never know the meaning of the values.

use protocols::split_phase::{LocalPtr, Memory, Plan};
use tempest::{Shape, Thread, ThreadId};

use super::work::SUM;
use crate::kit::Division;

/// The places of a sum in the arenas.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranks {
    /// The division of values among threads.
    values: Division,
    /// The most values of a thread.
    most: u32,
    /// By thread of the node, then by sending thread: counts of the values of the first.
    told: LocalPtr<u32>,
    /// By thread of the node: the places of its first keys, by value.
    firsts: LocalPtr<u32>,
}

impl Ranks {
    /// Makes room for the sums over `values` values in the arenas of a plan.
    pub(crate) fn reserve(plan: &mut Plan, values: u32, shape: Shape) -> Self {
        let Shape { nodes, threads } = shape;
        let values = Division::new(values, shape);
        let most = values.most_of_a_node().div_ceil(threads);
        let told = plan.local(threads * nodes * threads * most);
        Self { values, most, told, firsts: plan.local(threads * values.size()) }
    }

    /// The position of this thread's first key of each value, if keys are ordered by value, and keys of one value by
    /// thread. `base` gets the number of keys, of all threads, with the values that this thread sums, and returns the
    /// position of the first of them.
    ///
    /// Every thread of every node calls it. All stores are synchronized by it.
    pub(crate) fn of(
        &self,
        thread: &Thread<'_>,
        memory: Memory<'_>,
        counts: &[u32],
        base: impl FnOnce(u64) -> u64,
    ) -> Vec<u32> {
        let me = self.values.number(thread.id());
        self.tell(thread, memory, |to| (self.told_by(to, me), &counts[self.slice(to)]));
        memory.all_store_sync();
        let firsts = self.sum(thread, memory, base);
        let own = self.slice(thread.id());
        self.tell(thread, memory, |to| {
            let at = self.firsts_of(to) + own.start as i64;
            (at, &firsts[self.values.number(to) as usize * own.len()..][..own.len()])
        });
        memory.all_store_sync();
        let at = self.firsts_of(thread.id());
        (0..counts.len() as i64).map(|value| memory.load(at + value)).collect()
    }

    /// Stores a block to each thread that has any, beginning with the one behind this one.
    fn tell<'b>(
        &self,
        thread: &Thread<'_>,
        memory: Memory<'_>,
        block: impl Fn(ThreadId) -> (LocalPtr<u32>, &'b [u32]),
    ) {
        for to in self.values.after(thread.id()) {
            let (at, words) = block(to);
            if !words.is_empty() {
                memory.bulk_store(at.on(to.node), words);
            }
        }
    }

    /// The places of the first keys of the values that this thread sums, by thread.
    fn sum(&self, thread: &Thread<'_>, memory: Memory<'_>, base: impl FnOnce(u64) -> u64) -> Vec<u32> {
        let Shape { nodes, threads } = self.values.shape();
        let (all, own) = (nodes * threads, self.slice(thread.id()).len());
        let mut firsts = vec![0; all as usize * own];
        let mut smaller = 0_u32;
        for value in 0..own {
            for teller in 0..all {
                let at = self.told_by(thread.id(), teller) + value as i64;
                firsts[teller as usize * own + value] = smaller;
                smaller += memory.load(at);
            }
        }
        thread.charge(SUM.times(firsts.len() as u32));
        let base = base(smaller.into()) as u32;
        firsts.iter_mut().for_each(|first| *first += base);
        thread.charge(SUM.times(firsts.len() as u32));
        firsts
    }

    /// The values of a thread.
    fn slice(&self, thread: ThreadId) -> std::ops::Range<usize> {
        let own = self.values.of_thread(thread);
        own.start as usize..own.end as usize
    }

    /// The place of the counts that thread number `teller` sends to a thread.
    fn told_by(&self, thread: ThreadId, teller: u32) -> LocalPtr<u32> {
        let Shape { nodes, threads } = self.values.shape();
        self.told + i64::from((thread.index * nodes * threads + teller) * self.most)
    }

    fn firsts_of(&self, thread: ThreadId) -> LocalPtr<u32> {
        self.firsts + i64::from(thread.index * self.values.size())
    }
}
