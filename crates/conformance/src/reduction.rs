//! A reduction has one answer, to the bit, and a broadcast brings the sender's words.
//!
//! The reference is a sequential fold in the order that [`Collectives::all_reduce`] states. The last thread to come
//! changes from round to round, so that an order which depended on it would be seen: the numbers' sums depend on their
//! order.

use std::num::NonZeroU32;
use std::sync::Arc;

use protocols::stache::{self, Stache};
use protocols::sync::{CollectiveRoom, Collectives, Number, Reduction, SharedCollectives};
use tempest::data::Word;
use tempest::outcome::Failure;
use tempest::{
    Cells, FinalState, Layout, NodeId, Protocol, Report, Setup, Shape, Thread, ThreadId, handlers,
};

use crate::Setting;
use crate::barrier::dawdle;

/// Rounds of reductions and broadcasts.
const ROUNDS: u32 = 6;

/// All threads get the reduction of all their numbers, in the stated order, in every round and despite any work in
/// between.
pub fn reductions_are_exact(setting: &Setting<'_>) {
    for fan_in in [2, 4] {
        setting.verified::<Together>("reductions_are_exact", (Work::Reduce, fan_in, Medium::Messages), 2);
    }
}

/// Reductions and broadcasts through shared memory have the answers of those by messages, for any length of a block.
pub fn shared_collectives_are_exact(setting: &Setting<'_>) {
    for (block, words, fan_in) in [(16, 1, 1), (64, 8, 2), (128, 30, 4)] {
        for work in [Work::Reduce, Work::Broadcast] {
            let medium = Medium::shared(setting.nodes, block, words);
            setting.verified::<Together>("shared_collectives_are_exact", (work, fan_in, medium), 2);
        }
    }
}

/// All threads get the words of one thread, each in its turn, for any number of words.
pub fn broadcasts_reach_everybody(setting: &Setting<'_>) {
    setting.verified::<Together>("broadcasts_reach_everybody", (Work::Broadcast, 2, Medium::Messages), 2);
}

/// Threads that do different collectives at once are found out.
pub fn collectives_must_agree(setting: &Setting<'_>) {
    let failure = setting.run::<Together>((Work::Disagree, 2, Medium::Messages), 2);
    let found_out = matches!(&failure, Err(Failure::Program(what)) if what.contains("different collectives"));
    let alone = setting.nodes * setting.threads_per_node(2) == 1;
    setting.demand("collectives_must_agree", found_out || alone, || {
        format!("expected to hear of different collectives, got {failure:?}")
    });
}

#[derive(Clone, Copy)]
enum Work {
    Reduce,
    Broadcast,
    Disagree,
}

/// The medium of a collective: messages, or shared memory.
#[derive(Clone)]
pub(crate) enum Medium {
    Messages,
    Shared(stache::Config, CollectiveRoom),
}

impl Medium {
    /// Through shared memory with blocks of `block` bytes, in slots of `words` words.
    pub(crate) fn shared(nodes: u32, block: u32, words: usize) -> Self {
        let mut layout = Layout::new(nodes, block).expect("a length of blocks");
        let room = SharedCollectives::room(&mut layout, words).expect("it is small");
        Self::Shared(stache::Config::new(layout), room)
    }

    /// The collectives of that room on the node being settled, if they go through shared memory.
    pub(crate) fn bind(&self, fan_in: NonZeroU32, setup: &mut Setup<'_>) -> Option<Box<SharedCollectives>> {
        let Self::Shared(config, room) = self else { return None };
        let stache = setup.install::<Stache>(config);
        Some(Box::new(SharedCollectives::new(setup, stache.memory(), *room, fan_in)))
    }
}

/// Collectives, installed.
enum Installed {
    Messages(Arc<Collectives>),
    Shared(Box<SharedCollectives>),
}

impl Installed {
    fn all_reduce<T: Number>(&self, thread: &Thread<'_>, by: Reduction, value: T) -> T {
        match self {
            Self::Messages(all) => all.all_reduce(thread, by, value),
            Self::Shared(all) => all.all_reduce(thread, by, value),
        }
    }

    fn all_reduce_each<T: Number>(&self, thread: &Thread<'_>, by: Reduction, values: &mut [T]) {
        match self {
            Self::Messages(all) => all.all_reduce_each(thread, by, values),
            Self::Shared(all) => all.all_reduce_each(thread, by, values),
        }
    }

    fn broadcast<T: Word>(&self, thread: &Thread<'_>, from: ThreadId, words: &mut [T]) {
        match self {
            Self::Messages(all) => all.broadcast(thread, from, words),
            Self::Shared(all) => all.broadcast(thread, from, words),
        }
    }

    fn barrier(&self, thread: &Thread<'_>) {
        match self {
            Self::Messages(all) => all.barrier(thread),
            Self::Shared(all) => all.barrier(thread),
        }
    }
}

struct Together {
    shape: Shape,
    work: Work,
    fan_in: u32,
    collectives: Installed,
    /// Number of right answers, and number of wrong ones.
    right: Cells<u64>,
}

impl Protocol for Together {
    type Config = (Work, u32, Medium);

    fn install((work, fan_in, medium): &(Work, u32, Medium), setup: &mut Setup<'_>) -> Self {
        let (work, fan_in) = (*work, *fan_in);
        let tree = NonZeroU32::new(fan_in).expect("nobody asks for none");
        let collectives = match medium.bind(tree, setup) {
            Some(shared) => Installed::Shared(shared),
            None => Installed::Messages(setup.install::<Collectives>(&tree)),
        };
        Self { shape: setup.shape(), work, fan_in, collectives, right: Cells::new(2, 0) }
    }
}

impl Together {
    fn count(&self, thread: &Thread<'_>, right: bool) {
        self.right.add(thread, usize::from(!right), 1);
    }

    fn threads(&self) -> u32 {
        self.shape.nodes * self.shape.threads
    }

    /// A thread's number in a round: sums of these round differently in different orders.
    fn real(&self, node: u32, thread: u32, round: u32) -> f64 {
        let number = node * self.shape.threads + thread;
        let sign = if number.is_multiple_of(2) { 1.0 } else { -1.0 };
        sign * 10_f64.powi(((number * 7 + round * 3) % 17) as i32) / 3.0
    }

    fn whole(&self, node: u32, thread: u32, round: u32) -> u64 {
        let number = u64::from(node * self.shape.threads + thread);
        (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(round)
    }

    /// The reduction of a node and those below it: its threads by index, then its children in the order of their
    /// numbers.
    fn below<T: Number>(&self, node: u32, by: Reduction, of: &dyn Fn(u32, u32) -> T) -> T {
        let own = (1..self.shape.threads).fold(of(node, 0), |all, thread| all.reduced(of(node, thread), by));
        let first = node * self.fan_in + 1;
        let children = first..(first + self.fan_in).min(self.shape.nodes);
        children.fold(own, |all, child| all.reduced(self.below(child, by, of), by))
    }

    fn reduce(&self, thread: &Thread<'_>, round: u32) {
        let (node, index) = (thread.node().0, thread.index());
        for by in [Reduction::Sum, Reduction::Min, Reduction::Max] {
            let real = self.collectives.all_reduce(thread, by, self.real(node, index, round));
            let expected = self.below(0, by, &|node, thread| self.real(node, thread, round));
            self.count(thread, real.to_bits() == expected.to_bits());
            let whole = self.collectives.all_reduce(thread, by, self.whole(node, index, round));
            self.count(thread, whole == self.below(0, by, &|node, thread| self.whole(node, thread, round)));
            // More than a message's full.
            let mut many = [0, 5, 9].repeat(5);
            many.iter_mut().for_each(|more| *more += self.whole(node, index, round) >> 8);
            self.collectives.all_reduce_each(thread, by, &mut many);
            let each =
                |more| self.below(0, by, &|node, thread| more + (self.whole(node, thread, round) >> 8));
            self.count(thread, many.chunks(3).all(|three| three == [0, 5, 9].map(each)));
        }
        self.collectives.barrier(thread);
    }

    /// Words of every length up to more than two messages' full.
    fn broadcast(&self, thread: &Thread<'_>, round: u32) {
        for from in 0..self.threads() {
            let (node, index) = (from / self.shape.threads, from % self.shape.threads);
            let length = (from * ROUNDS + round) % 30;
            let expected: Vec<u64> = (0..length).map(|word| self.whole(node, index, round + word)).collect();
            let from = ThreadId { node: NodeId(node), index };
            let mut words = if thread.id() == from { expected.clone() } else { vec![0; length as usize] };
            self.collectives.broadcast(thread, from, &mut words);
            self.count(thread, words == expected);
        }
    }
}

#[handlers]
impl Together {
    fn main(&self, thread: &Thread<'_>) {
        let mine = thread.node().0 * thread.threads() + thread.index();
        for round in 0..ROUNDS {
            if round % self.threads() == mine {
                dawdle(thread);
            }
            match self.work {
                Work::Reduce => self.reduce(thread, round),
                Work::Broadcast => self.broadcast(thread, round),
                Work::Disagree if mine == 0 => self.collectives.barrier(thread),
                Work::Disagree => drop(self.collectives.all_reduce(thread, Reduction::Sum, 1_u64)),
            }
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let (right, wrong) = (self.right.get(end, 0), self.right.get(end, 1));
        Report::checked(wrong == 0 && right > 0, || format!("{wrong} answers were wrong, {right} right"))
    }
}
