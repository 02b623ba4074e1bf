//! What all threads of all nodes do together, by messages along a tree: meet, reduce, broadcast.
//!
//! All three are one thing. The threads of a node bring words and meet under the key of the collectives; what they bring is
//! combined, then combined with what the nodes below have, and reported to the node above (P.-C. Yew, N.-F. Tzeng and
//! D. H. Lawrie, *Distributing hot-spot addressing in large-scale multiprocessors*, IEEE Transactions on Computers C-36,
//! 1987: the combining tree). When the root has heard of everybody it releases what has come of it along the same tree (J. M.
//! Mellor-Crummey and M. L. Scott, *Algorithms for scalable synchronization on shared-memory multiprocessors*, ACM
//! Transactions on Computer Systems 9, 1991: the tree barrier). Each node but the root sends one message up and receives one
//! down. A barrier brings no words; a broadcast those of one thread.
//!
//! # Why a node needs no more than one of each word
//!
//! Everybody has to come before anybody goes on, in a broadcast too. So a node that reports the next collective has been
//! released from this one, its parent before it, and all threads of a node have taken what came of this one before the next
//! can end. Nothing grows, however fast some are.

use std::num::NonZeroU32;

use tempest::{
    Actions, Cells, Event, Handler, Keyed, Operations, Protocol, Setup, Shape, Thread, ThreadId, Word,
    handlers,
};

use super::reduction::{Fold, MOST, Number, Operation, Reduction, Words};
use super::tree::{self, Place};

/// The number of a node's only entry. Any would do; under this one a static partition runs the handlers at another server than
/// those of [`Barrier`](super::Barrier).
const KEY: u64 = 1;

/// Counting one that has come, and asking whether it is the last.
const STEP: Operations = Operations::NONE.loads(1).integers(2).stores(1);

/// Barriers, reductions and broadcasts of all threads of all nodes, any number of times. All threads do the same ones in the
/// same order; that one thread does another is found out and ends the run with an error.
///
/// Installed with the fan-in of the tree: how many nodes report to one. Mellor-Crummey and Scott, cited above, use 4.
#[derive(Debug)]
pub struct Collectives {
    shape: Shape,
    step: Keyed<Step>,
    /// What has come of the last one: how many words, and the words.
    result: Cells<u64>,
    /// How many are over.
    over: Event,
}

/// How far a node is in the present collective.
#[derive(Debug)]
struct Step {
    place: Place,
    /// What is done, once one of the node's own threads has come.
    operation: Option<Operation>,
    /// Its number, once anybody has come.
    code: Option<u64>,
    /// How many of the node's threads and of its children have come.
    come: usize,
    /// What they brought: threads by index, then children.
    brought: Vec<Words>,
}

#[handlers]
impl Collectives {
    /// Says that the threads of the source, and of all nodes below it, have come to the operation of that code; the payload is
    /// what they brought.
    #[message(key = KEY, class = System, bytes = 4)]
    fn come(&self, code: u64, payload: &[u64], cx: &mut Handler<'_>) {
        cx.with(&self.step, |step, cx| {
            let source = cx.source();
            let child = step.place.child(source);
            let child = child.unwrap_or_else(|| panic!("{source} does not report to {}", cx.node()));
            let place = self.shape.threads as usize + child;
            step.take(place, code, Words::of(payload), self, cx);
        });
    }

    /// Says that every thread has come; the payload is the result.
    #[message(key = KEY, class = System)]
    fn release(&self, payload: &[u64], cx: &mut Handler<'_>) {
        cx.with(&self.step, |step, cx| {
            assert_eq!(Some(cx.source()), step.place.parent, "who releases {}", cx.node());
            step.release(payload, self, cx);
        });
    }
}

impl Protocol for Collectives {
    type Config = NonZeroU32;

    fn install(fan_in: &NonZeroU32, node: &mut Setup<'_>) -> Self {
        let shape = node.shape();
        let place = Place::of(node.node(), shape.nodes, *fan_in);
        let brought = vec![Words::default(); shape.threads as usize + place.children.len()];
        let step = node.keyed_sparse(move |_| Step {
            place: place.clone(),
            operation: None,
            code: None,
            come: 0,
            brought: brought.clone(),
        });
        Self { shape, step, result: Cells::new(1 + MOST, 0), over: Event::new("collective") }
    }
}

impl Collectives {
    /// The number of nodes that report to one in the tree barrier of Mellor-Crummey and Scott: four.
    pub const FAN_IN: NonZeroU32 = tree::FAN_IN;

    /// Waits until every thread of every node has called this as often. What they did before happens before the return.
    pub fn barrier(&self, thread: &Thread<'_>) {
        self.join(thread, Operation::Barrier, Words::default());
    }

    /// Makes one number of those of all threads, and returns it to each. It is a barrier too.
    ///
    /// The order is fixed: the threads of a node by index, then what comes from the nodes below it, in the order of their
    /// numbers. So a sum of floating-point numbers is the same to the bit in every run with as many nodes, as many threads
    /// on each and the same fan-in, in every world.
    pub fn all_reduce<T: Number>(&self, thread: &Thread<'_>, by: Reduction, value: T) -> T {
        let mut values = [value];
        self.all_reduce_each(thread, by, &mut values);
        values[0]
    }

    /// Makes one number of those that all threads have at a place, for each place of `values`, in as many rounds as their number
    /// takes at 13 words each. Every thread brings as many values, and has what came of all afterwards. The order of the
    /// threads is that of [`all_reduce`](Self::all_reduce). With one value or more it is a barrier too.
    pub fn all_reduce_each<T: Number>(&self, thread: &Thread<'_>, by: Reduction, values: &mut [T]) {
        for values in values.chunks_mut(MOST) {
            let mut bits = [0; MOST];
            bits.iter_mut().zip(&*values).for_each(|(bits, value)| *bits = value.to_bits());
            let mine = Words::of(&bits[..values.len()]);
            self.join(thread, Operation::Reduce(by, Fold::of::<T>()), mine);
            let came = self.result.get(0) as usize;
            assert_eq!(came, values.len(), "a reduction of {came} values and of {}", values.len());
            (1..).zip(values).for_each(|(index, value)| *value = T::from_bits(self.result.get(index)));
        }
    }

    /// Gives all threads the words of one, in as many rounds as their number takes at 13 words each. It is a barrier too. Every
    /// thread has room for the same number of words; what stands there is the words of `from` afterwards.
    ///
    /// # Panics
    /// If there is no thread `from`, or it brings another number of words than this one has room for.
    pub fn broadcast<T: Word>(&self, thread: &Thread<'_>, from: ThreadId, words: &mut [T]) {
        let Shape { nodes, threads } = self.shape;
        assert!(
            from.node.0 < nodes && from.index < threads,
            "a broadcast from {from}: there are {nodes} nodes of {threads} threads"
        );
        for room in words.chunks_mut(MOST) {
            let mut mine = Words::default();
            if thread.id() == from {
                let mut bits = [0; MOST];
                bits.iter_mut().zip(&*room).for_each(|(bits, word)| *bits = word.to_bits());
                mine = Words::of(&bits[..room.len()]);
            }
            self.join(thread, Operation::Broadcast(from), mine);
            let came = self.result.get(0) as usize;
            assert_eq!(came, room.len(), "a broadcast of {came} words to room for {}", room.len());
            (1..).zip(room).for_each(|(index, word)| *word = T::from_bits(self.result.get(index)));
        }
    }

    /// Brings what this thread has, and waits for what comes of it.
    fn join(&self, thread: &Thread<'_>, operation: Operation, mine: Words) {
        // This one cannot end before this thread has come to it.
        let over = self.over.count(thread);
        thread.hold(self.step.key(KEY), |cx| {
            cx.with(&self.step, |step, cx| {
                step.operation = Some(operation);
                step.take(thread.index() as usize, operation.code(), mine, self, cx);
            });
        });
        thread.wait(&self.over, over + 1);
    }
}

impl Step {
    /// One has come, and perhaps it was the last.
    fn take(&mut self, place: usize, code: u64, words: Words, all: &Collectives, cx: &mut Actions<'_>) {
        cx.charge(STEP);
        let first = *self.code.get_or_insert(code);
        assert!(
            code == first,
            "threads do different collectives at once: {} and {}",
            Operation::name(code),
            Operation::name(first)
        );
        self.brought[place] = words;
        self.come += 1;
        if self.come < self.brought.len() {
            return;
        }
        let words = self.combined(cx);
        match self.place.parent {
            Some(parent) => cx.send_with(parent, Collectives::come(code), words.as_slice()),
            None => self.release(words.as_slice(), all, cx),
        }
    }

    /// What has come of what all have brought.
    fn combined(&self, cx: &mut Actions<'_>) -> Words {
        let operation = self.operation.expect("a thread of this node has come");
        let mut all = self.brought[0];
        for next in &self.brought[1..] {
            operation.combine(&mut all, next);
        }
        cx.charge(operation.step(all.as_slice().len()).times(self.brought.len() as u32 - 1));
        all
    }

    /// Tells the nodes below and the own threads what has come of it, and is ready for the next.
    fn release(&mut self, words: &[u64], all: &Collectives, cx: &mut Actions<'_>) {
        for &child in &self.place.children {
            cx.send_with(child, Collectives::release(), words);
        }
        all.result.set(0, words.len() as u64);
        (1..).zip(words).for_each(|(index, word)| all.result.set(index, *word));
        (self.operation, self.code, self.come) = (None, None, 0);
        cx.signal(&all.over, 1);
    }
}
