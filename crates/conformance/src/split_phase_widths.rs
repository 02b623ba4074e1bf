//! The global address space holds words of 4 bytes as it holds words of 8: after any reads, writes, gets, puts and
//! stores, one by one or in blocks of any length from any word on, each word holds the last value put there, and no
//! neighbour is touched.

use std::sync::Arc;

use protocols::split_phase::{GlobalPtr, LocalPtr, Memory, Plan, SplitPhase};
use tempest::{FinalState, Mechanism, NodeId, Protocol, Report, Setup, Shape, Thread, handlers};

use crate::Setting;
use crate::mapped::number;
use crate::split_phase::Dice;

/// Words of a thread's area on each node: an odd number, so that areas begin at odd words too.
const AREA: usize = 61;

/// Steps of a random program.
const STEPS: usize = 60;

/// After any accesses of threads to words of 4 bytes, each holds the last value put there; by messages, transfers and
/// directly.
pub fn split_phase_holds_words_of_four_bytes(setting: &Setting<'_>) {
    for (blocks, direct) in
        [(Mechanism::Messages, false), (Mechanism::Bulk, false), (Mechanism::Messages, true)]
    {
        setting.verified::<Random>("split_phase_holds_words_of_four_bytes", (blocks, direct), 2);
    }
}

/// Threads with random programs, each on its own area of every node.
struct Random {
    shape: Shape,
    split: Arc<SplitPhase>,
    words: LocalPtr<i32>,
    /// Words of 8 bytes beside them, which stay unchanged.
    beside: LocalPtr<u64>,
    landings: LocalPtr<i32>,
}

impl Protocol for Random {
    type Config = (Mechanism, bool);

    fn install(&(blocks, direct): &(Mechanism, bool), setup: &mut Setup<'_>) -> Self {
        let shape = setup.shape();
        let threads = shape.nodes * shape.threads;
        let mut plan = Plan::new(shape.nodes).blocks_by(blocks).directly(direct);
        let words = plan.local(threads * AREA as u32);
        let beside = plan.local(1);
        let landings = plan.local(shape.threads * AREA as u32);
        Self { shape, split: setup.install::<SplitPhase>(&plan), words, beside, landings }
    }
}

impl Random {
    /// The first word of a thread's area of a node.
    fn area(&self, thread: &Thread<'_>, node: NodeId) -> GlobalPtr<i32> {
        let owner = number(self.shape, thread.node(), thread.index());
        self.words.on(node) + (owner * AREA) as i64
    }

    /// Makes a random step on an area, whose expected words are in `held`.
    fn step(
        &self,
        memory: Memory<'_>,
        dice: &mut Dice,
        area: GlobalPtr<i32>,
        (held, landing): (&mut [i32; AREA], LocalPtr<i32>),
    ) {
        let first = dice.below(AREA as u32) as usize;
        let len = 1 + dice.below((AREA - first) as u32) as usize;
        let (at, range) = (area + first as i64, first..first + len);
        let fresh: Vec<i32> = (0..len).map(|_| dice.below(u32::MAX) as i32).collect();
        let found = |len: usize| (0..len).map(|word| memory.load(landing + word as i64)).collect::<Vec<_>>();
        match dice.below(6) {
            0 => {
                memory.write(at, fresh[0]);
                held[first] = fresh[0];
            }
            1 => assert_eq!(memory.read(at), held[first], "word {first}"),
            2 => {
                memory.bulk_write(at, &fresh);
                held[range].copy_from_slice(&fresh);
            }
            3 => {
                memory.bulk_read(at, landing, len);
                assert_eq!(found(len), held[range], "words {first} and on");
            }
            4 => {
                memory.split_phase(|scope| {
                    (0..).zip(&fresh).for_each(|(word, value)| scope.put(at + word, *value));
                });
                held[range].copy_from_slice(&fresh);
            }
            _ => {
                memory.split_phase(|scope| {
                    scope.bulk_put(at, &fresh);
                    scope.sync();
                    (0..len as i64).for_each(|word| scope.get(at + word, landing + word));
                });
                held[range].copy_from_slice(&fresh);
                assert_eq!(found(len), fresh, "words {first} and on, one by one");
            }
        }
    }
}

#[handlers]
impl Random {
    fn main(&self, thread: &Thread<'_>) {
        let memory = self.split.on(thread);
        memory.set(self.beside, u64::MAX);
        memory.barrier();
        let landing = self.landings + (thread.index() as usize * AREA) as i64;
        let mut dice = Dice(number(self.shape, thread.node(), thread.index()) as u64);
        let mut held = vec![[0; AREA]; thread.nodes() as usize];
        for _ in 0..STEPS {
            let node = dice.below(thread.nodes());
            let area = self.area(thread, NodeId(node));
            self.step(memory, &mut dice, area, (&mut held[node as usize], landing));
        }
        memory.barrier();
        // Stores of one word and of blocks of even and odd length, all of which their targets count by bytes.
        for node in (0..thread.nodes()).map(NodeId) {
            let (area, held) = (self.area(thread, node), &mut held[node.0 as usize]);
            *held = std::array::from_fn(|word| word as i32 - 7);
            memory.store(area, held[0]);
            memory.bulk_store(area + 1, &held[1..17]);
            memory.bulk_store(area + 17, &held[17..]);
        }
        memory.all_store_sync();
        for node in (0..thread.nodes()).map(NodeId) {
            let area = self.area(thread, node);
            memory.bulk_read(area, landing, AREA);
            let found: Vec<_> = (0..AREA as i64).map(|word| memory.load(landing + word)).collect();
            assert_eq!(found, held[node.0 as usize], "what was stored at {node}");
            assert_eq!(memory.read(self.beside.on(node)), u64::MAX, "the word beside");
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let beside = self.split.load(end, self.beside);
        Report::checked(beside == u64::MAX, || format!("{beside:#x} beside words of 4 bytes"))
    }
}
