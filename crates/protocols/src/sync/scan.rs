//! Running reductions of all threads, by messages: each thread gets the reduction of the numbers of the threads up to itself.
//!
//! The threads of a node bring their numbers under the key of the scan. Between nodes it is the scan of W. D. Hillis and G. L.
//! Steele (*Data parallel algorithms*, Communications of the ACM 29, 1986): in round r = 0, 1, … node n sends its partial result to
//! node n + 2^r and combines that of node n - 2^r with its own. After ⌈log₂ nodes⌉ rounds each node has the numbers of all nodes
//! before it.
//!
//! # Room for one message per round is enough
//!
//! A scan ends with the barrier of [`Collectives`]. So no node begins the next scan before all nodes have ended this one, and a node
//! receives one message of each round per scan.
//!
//! This module must never know the meaning of the numbers.

use std::num::NonZeroU32;
use std::sync::Arc;

use tempest::{Actions, Cells, Event, Handler, Keyed, Protocol, Setup, Shape, Thread, handlers};

use super::Collectives;
use super::reduction::{Fold, MOST, Number, Operation, Reduction, Words};
use super::rounds::Rounds;

/// Key of a node's only entry. It differs from that of the other collectives, so that a static partition runs them on different
/// servers.
const KEY: u64 = 3;

/// Running reductions of all threads of all nodes, any number of times. All threads must call the same operations in the same order; a
/// mismatch is detected and ends the run with an error.
///
/// The configuration is the fan-in of the tree of its [`Collectives`].
#[derive(Debug)]
pub struct Scan {
    shape: Shape,
    rounds: Rounds,
    collectives: Arc<Collectives>,
    step: Keyed<Step>,
    /// Result words of each thread's last scan, indexed by thread.
    results: Cells<u64>,
    /// Event that counts the scans that are over on this node.
    over: Event,
}

/// Progress of a node in the current scan.
#[derive(Debug)]
struct Step {
    operation: Option<Operation>,
    /// Contribution of each thread of the node, indexed by thread; `come` is the number of threads that have contributed.
    brought: Vec<Words>,
    come: u32,
    /// Message of each round that has arrived and has not been combined yet, indexed by round.
    heard: Vec<Option<(u32, Words)>>,
    round: usize,
    /// Whether this node has sent its message of the current round to the node that follows at the round's distance.
    told: bool,
    /// Reduction over the nodes before this one, as far as their messages have arrived and been combined; `None` before the first
    /// message.
    before: Option<Words>,
    /// Reduction over this node and the nodes before it, as far as their messages have arrived and been combined.
    all: Words,
}

#[handlers]
impl Scan {
    /// Delivers the payload: the reduction over the source and some nodes before it, for round `round`. `code` is the code of the
    /// operation.
    #[message(key = KEY, class = System, bytes = 4)]
    fn come(&self, round: u32, code: u32, payload: &[u64], cx: &mut Handler<'_>) {
        let (source, expected) = (cx.source(), self.rounds.source(round as usize));
        assert!(Some(source) == expected, "round {round} of a scan from {source} at {}", cx.node());
        cx.with(&self.step, |step, cx| {
            let heard = step.heard[round as usize].replace((code, Words::of(payload)));
            assert!(heard.is_none(), "round {round} of a scan comes twice to {}", cx.node());
            step.advance(self, cx);
        });
    }
}

impl Protocol for Scan {
    type Config = NonZeroU32;

    fn install(fan_in: &NonZeroU32, setup: &mut Setup<'_>) -> Self {
        let shape = setup.shape();
        let rounds = Rounds::of(setup.node(), shape.nodes);
        let step = setup.keyed_sparse(move |_| Step {
            operation: None,
            brought: vec![Words::default(); shape.threads as usize],
            come: 0,
            heard: vec![None; rounds.count()],
            round: 0,
            told: false,
            before: None,
            all: Words::default(),
        });
        let collectives = setup.install::<Collectives>(fan_in);
        let results = Cells::new(shape.threads as usize * MOST, 0);
        Self { shape, rounds, collectives, step, results, over: Event::new("scan") }
    }
}

impl Scan {
    /// Reduces the numbers of this thread and of all threads before it to one number by the operation `by`, and returns it. Threads
    /// are ordered by node, then by index. Acts as a barrier too. A sum without the thread's own number is the result minus
    /// `value`.
    ///
    /// The order of reduction is fixed by the number of nodes and of threads on each, as in [`Collectives::all_reduce`].
    pub fn inclusive<T: Number>(&self, thread: &Thread<'_>, by: Reduction, value: T) -> T {
        let mut values = [value];
        self.inclusive_each(thread, by, &mut values);
        values[0]
    }

    /// Reduces the numbers of this thread and of all threads before it to one number, for each index of `values`, in rounds of up
    /// to 13 words. Every thread passes equally many values, and finds its results in `values` afterwards.
    pub fn inclusive_each<T: Number>(&self, thread: &Thread<'_>, by: Reduction, values: &mut [T]) {
        for values in values.chunks_mut(MOST) {
            let mut bits = [0; MOST];
            bits.iter_mut().zip(&*values).for_each(|(bits, value)| *bits = value.to_bits());
            self.join(thread, Operation::Reduce(by, Fold::of::<T>()), Words::of(&bits[..values.len()]));
            let first = thread.index() as usize * MOST;
            for (place, value) in (first..).zip(values) {
                *value = T::from_bits(self.results.get(thread, place));
            }
            self.collectives.barrier(thread);
        }
    }

    /// Contributes this thread's words, `mine`, and waits until the results of the node's threads are in `results`.
    fn join(&self, thread: &Thread<'_>, operation: Operation, mine: Words) {
        // This scan cannot end before this thread has arrived.
        let over = self.over.count(thread);
        thread.hold(self.step.key(KEY), |cx| {
            cx.with(&self.step, |step, cx| {
                let first = *step.operation.get_or_insert(operation);
                expect_alike(operation.code(), first.code());
                step.brought[thread.index() as usize] = mine;
                step.come += 1;
                if step.come == self.shape.threads {
                    step.all = step.own(cx);
                    step.advance(self, cx);
                }
            });
        });
        thread.wait(&self.over, over + 1);
    }
}

fn expect_alike(code: u64, first: u64) {
    assert!(
        code == first,
        "threads do different scans at once: {} and {}",
        Operation::name(code),
        Operation::name(first)
    );
}

impl Step {
    fn operation(&self) -> Operation {
        self.operation.expect("a thread of this node has come")
    }

    /// Combines `next` behind `all` by the operation of the scan.
    fn combined(&self, mut all: Words, next: &Words, cx: &mut Actions<'_>) -> Words {
        let operation = self.operation();
        assert!(
            all.as_slice().len() == next.as_slice().len(),
            "scans of different numbers of values at once"
        );
        operation.combine(&mut all, next);
        cx.charge(operation.step(next.as_slice().len()));
        all
    }

    /// Combines the contributions of this node's threads.
    fn own(&self, cx: &mut Actions<'_>) -> Words {
        self.brought[1..].iter().fold(self.brought[0], |all, next| self.combined(all, next, cx))
    }

    /// Goes through all rounds whose messages have arrived. Does nothing until all threads of this node have contributed.
    fn advance(&mut self, scan: &Scan, cx: &mut Actions<'_>) {
        if self.come < scan.shape.threads {
            return;
        }
        while self.round < self.heard.len() {
            if !self.told {
                self.told = true;
                self.tell(scan, cx);
            }
            if scan.rounds.source(self.round).is_some() {
                let Some((code, heard)) = self.heard[self.round].take() else { return };
                expect_alike(code.into(), self.operation().code());
                self.all = self.combined(heard, &self.all, cx);
                self.before = Some(match self.before.take() {
                    Some(before) => self.combined(heard, &before, cx),
                    None => heard,
                });
            }
            (self.round, self.told) = (self.round + 1, false);
        }
        self.finish(scan, cx);
    }

    fn tell(&self, scan: &Scan, cx: &mut Actions<'_>) {
        if let Some(to) = scan.rounds.target(self.round) {
            let come = Scan::come(self.round as u32, self.operation().code() as u32);
            cx.send_with(to, come, self.all.as_slice());
        }
    }

    /// Computes the results of this node's threads, wakes them, and resets for the next scan.
    fn finish(&mut self, scan: &Scan, cx: &mut Actions<'_>) {
        let mut running = self.before.take();
        for index in 0..self.brought.len() {
            let next = self.brought[index];
            let result = match running {
                Some(before) => self.combined(before, &next, cx),
                None => next,
            };
            for (place, word) in (index * MOST..).zip(result.as_slice()) {
                scan.results.set(cx, place, *word);
            }
            running = Some(result);
        }
        (self.operation, self.come, self.round) = (None, 0, 0);
        cx.signal(&scan.over, 1);
    }
}
