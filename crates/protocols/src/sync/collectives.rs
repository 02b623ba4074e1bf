//! Collective operations of all threads of all nodes, by messages along a tree: barrier, reduction, broadcast.
//!
//! All three share one algorithm. The threads of a node contribute words and meet under the key of the collectives. The
//! contributions are combined, then combined with the results of the nodes below, and reported to the node above (P.-C. Yew,
//! N.-F. Tzeng and D. H. Lawrie, *Distributing hot-spot addressing in large-scale multiprocessors*, IEEE Transactions on Computers
//! C-36, 1987: the combining tree). When the root has all reports, it sends the result down the same tree (J. M. Mellor-Crummey and
//! M. L. Scott, *Algorithms for scalable synchronization on shared-memory multiprocessors*, ACM Transactions on Computer Systems 9,
//! 1991: the tree barrier). Each node but the root sends one message up and receives one down. A barrier contributes no words; a
//! broadcast the words of one thread.
//!
//! # One buffer for each contribution is enough
//!
//! All threads must arrive before any goes on, in a broadcast too. A node that reports the next collective has been released from
//! this one, its parent before it, and all threads of a node have taken this result before the next collective can end. So no
//! queue grows, however fast some nodes are.

use std::num::NonZeroU32;

use tempest::data::Word;
use tempest::{
    Actions, Cells, Event, Handler, Keyed, Operations, Protocol, Setup, Shape, Thread, ThreadId, handlers,
};

use super::reduction::{Fold, MOST, Number, Operation, Reduction, Words};
use super::tree::{self, Place};

/// Key of a node's only entry. The value is arbitrary, but differs from that of [`Barrier`](super::Barrier), so that a static
/// partition runs the two on different servers.
const KEY: u64 = 1;

/// Cost of counting one contribution and testing whether it is the last.
const STEP: Operations = Operations::NONE.loads(1).integers(2).stores(1);

/// Barriers, reductions and broadcasts of all threads of all nodes, any number of times. All threads must call the same operations in
/// the same order; a mismatch is detected and ends the run with an error.
///
/// The configuration is the fan-in of the tree: the number of nodes that report to one node. The tree barrier of Mellor-Crummey and
/// Scott has 4.
#[derive(Debug)]
pub struct Collectives {
    shape: Shape,
    step: Keyed<Step>,
    /// Result of the last collective: its number of words, then the words.
    result: Cells<u64>,
    /// Event that counts the collectives that are over.
    over: Event,
}

/// Progress of a node in the current collective.
#[derive(Debug)]
struct Step {
    place: Place,
    /// Operation of the current collective; known after a thread of the node has arrived.
    operation: Option<Operation>,
    /// Code of the operation; known after the first arrival, of a thread of the node or of a child in the tree.
    code: Option<u64>,
    /// Number of threads of the node and children in the tree that have arrived.
    come: usize,
    /// Contributions that have arrived: of the node's threads by index, then of its children.
    brought: Vec<Words>,
}

#[handlers]
impl Collectives {
    /// Reports that the threads of the source, and of all nodes below it, have arrived at the operation with this code. The payload is
    /// their combined contribution.
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

    /// Tells the receiver that every thread of every node has arrived. The payload is the result.
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
    /// Fan-in of the tree barrier of Mellor-Crummey and Scott: four nodes report to one.
    pub const FAN_IN: NonZeroU32 = tree::FAN_IN;

    /// Waits until every thread of every node has called `barrier` as many times as this thread. A thread that returns sees everything
    /// that any thread did before that call.
    pub fn barrier(&self, thread: &Thread<'_>) {
        self.join(thread, Operation::Barrier, Words::default());
    }

    /// Reduces one number of each thread, this thread's `value`, to one number by the operation `by`. Returns the result to every
    /// thread. Acts as a barrier too.
    ///
    /// The order of reduction is fixed: the threads of a node by index, then the nodes below it in the order of their numbers. So a
    /// sum of floating-point numbers is bit-identical in every world and in every run with the same numbers of nodes and of threads
    /// on each, and the same fan-in.
    pub fn all_reduce<T: Number>(&self, thread: &Thread<'_>, by: Reduction, value: T) -> T {
        let mut values = [value];
        self.all_reduce_each(thread, by, &mut values);
        values[0]
    }

    /// Reduces the numbers of all threads at each index of `values`, in rounds of up to 13 words. Every thread passes equally many
    /// values, and finds the results in `values` afterwards. The order of reduction is that of [`all_reduce`](Self::all_reduce).
    /// With at least one value it acts as a barrier too.
    pub fn all_reduce_each<T: Number>(&self, thread: &Thread<'_>, by: Reduction, values: &mut [T]) {
        for values in values.chunks_mut(MOST) {
            let mut bits = [0; MOST];
            bits.iter_mut().zip(&*values).for_each(|(bits, value)| *bits = value.to_bits());
            let mine = Words::of(&bits[..values.len()]);
            self.join(thread, Operation::Reduce(by, Fold::of::<T>()), mine);
            let came = self.result.get(thread, 0) as usize;
            assert_eq!(came, values.len(), "a reduction of {came} values and of {}", values.len());
            (1..)
                .zip(values)
                .for_each(|(index, value)| *value = T::from_bits(self.result.get(thread, index)));
        }
    }

    /// Copies the words of thread `from` to all threads, in rounds of up to 13 words. Acts as a barrier too. Every thread passes a
    /// buffer of the same length; it holds the words of `from` afterwards.
    ///
    /// # Panics
    /// If there is no thread `from`, or its buffer has another length than this one.
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
            let came = self.result.get(thread, 0) as usize;
            assert_eq!(came, room.len(), "a broadcast of {came} words to room for {}", room.len());
            (1..).zip(room).for_each(|(index, word)| *word = T::from_bits(self.result.get(thread, index)));
        }
    }

    /// Contributes this thread's words, `mine`, and waits for the result.
    fn join(&self, thread: &Thread<'_>, operation: Operation, mine: Words) {
        // This collective cannot end before this thread has arrived.
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
    /// Takes the contribution `words` at index `place`. After the last, reports to the parent in the tree; the root releases all
    /// nodes.
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

    /// Combines all contributions of this node's threads and children.
    fn combined(&self, cx: &mut Actions<'_>) -> Words {
        let operation = self.operation.expect("a thread of this node has come");
        let mut all = self.brought[0];
        for next in &self.brought[1..] {
            operation.combine(&mut all, next);
        }
        cx.charge(operation.step(all.as_slice().len()).times(self.brought.len() as u32 - 1));
        all
    }

    /// Gives the result `words` to the children in the tree and to the threads of this node, and resets for the next collective.
    fn release(&mut self, words: &[u64], all: &Collectives, cx: &mut Actions<'_>) {
        for &child in &self.place.children {
            cx.send_with(child, Collectives::release(), words);
        }
        all.result.set(cx, 0, words.len() as u64);
        (1..).zip(words).for_each(|(index, word)| all.result.set(cx, index, *word));
        (self.operation, self.code, self.come) = (None, None, 0);
        cx.signal(&all.over, 1);
    }
}
