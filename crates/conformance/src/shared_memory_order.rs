//! Shared memory is sequentially consistent across nodes, and refuses impossible requests.
//!
//! The questions here are small enough for paper: a thread that sees the flag sees the data; of two nodes that each
//! store their own word and then read the other's, one sees the other's store. A program that uses a freed array, or an
//! element beyond an array, is told so.

use std::sync::Arc;

use protocols::stache::{Config, STACHE, Stache};
use protocols::sync::{BarrierRoom, SharedBarrier};
use tempest::entry::{Coherence, SharedMemory};
use tempest::memory::{AddressSpace, Frames};
use tempest::outcome::Failure;
use tempest::{
    Array, FinalState, Homes, Layout, Mechanism, NodeId, Protocol, Report, Setup, Shared, Thread, handlers,
};

use crate::Setting;
use crate::shared_memory::FAN_IN;

/// Number of times that each question is asked.
const ROUNDS: u64 = 40;

/// Words of data that are stored before the flag, in blocks of their own.
const DATA: usize = 3;

/// Words from one variable to the next: more than any block.
const STRIDE: usize = 16;

/// A store before a flag is seen by every thread that sees the flag.
pub fn shared_memory_passes_messages(setting: &Setting<'_>) {
    for frames in [Frames::All, Frames::AtMost(1)] {
        ask(setting, "shared_memory_passes_messages", Question::Message, &STACHE, frames);
    }
}

/// Under any coherence protocol, a store before a flag is seen by every thread that sees the flag.
pub fn memory_passes_messages(setting: &Setting<'_>, protocol: &'static Coherence) {
    ask(setting, "memory_passes_messages", Question::Message, protocol, Frames::All);
}

/// Under any coherence protocol, if two nodes each store a word and then read the other's, at least one reads the
/// other's store.
pub fn memory_stores_before_it_loads(setting: &Setting<'_>, protocol: &'static Coherence) {
    ask(setting, "memory_stores_before_it_loads", Question::Dekker, protocol, Frames::All);
}

/// If two nodes each store a word and then read the other's, at least one reads the other's store.
pub fn shared_memory_stores_before_it_loads(setting: &Setting<'_>) {
    ask(setting, "shared_memory_stores_before_it_loads", Question::Dekker, &STACHE, Frames::All);
}

/// An array that was given back is used no more, and an index that is not there never.
pub fn shared_memory_refuses_what_is_not_there(setting: &Setting<'_>) {
    let promise = "shared_memory_refuses_what_is_not_there";
    for (question, says) in [
        (Question::Freed, "shared array `other` is used after it has been freed"),
        (Question::Beyond, "index 1024 of shared array `other`, which has 1024"),
    ] {
        let plan = plan(setting, question, &STACHE, Frames::OnDemand);
        match setting.run_by::<LitmusProgram>(Mechanism::SharedMemory, plan, 2) {
            Err(Failure::Program(what)) if what.contains(says) => {}
            other => panic!("`{promise}` is broken ({setting}): expected `{says}`, got {other:?}"),
        }
    }
}

#[derive(Clone, Copy)]
enum Question {
    Message,
    Dekker,
    Freed,
    Beyond,
}

struct Plan {
    question: Question,
    memory: SharedMemory,
    barrier: BarrierRoom,
    words: Array<u64>,
    other: Array<u64>,
}

fn plan(setting: &Setting<'_>, question: Question, protocol: &'static Coherence, frames: Frames) -> Plan {
    let mut layout = Layout::new(setting.nodes, 64).expect("blocks of 64 bytes are permitted");
    let words = layout.array("words", 512, Homes::At(NodeId(0))).expect("it is small");
    let other = layout.array("other", 1024, Homes::RoundRobin).expect("it is small");
    let barrier = SharedBarrier::room(&mut layout).expect("it is small");
    let space = AddressSpace::new(layout, frames).expect("there is a frame");
    Plan { question, memory: SharedMemory { space, protocol }, barrier, words, other }
}

fn ask(
    setting: &Setting<'_>,
    promise: &str,
    question: Question,
    protocol: &'static Coherence,
    frames: Frames,
) {
    let plan = plan(setting, question, protocol, frames);
    setting.verified_by::<LitmusProgram>(Mechanism::SharedMemory, promise, plan, 1);
}

struct LitmusProgram {
    question: Question,
    /// The protocol that takes arrays back, where one is given back.
    stache: Option<Arc<Stache>>,
    barrier: SharedBarrier,
    words: Shared<u64>,
    other_array: Array<u64>,
    other: Shared<u64>,
}

impl Protocol for LitmusProgram {
    type Config = Plan;

    fn install(plan: &Plan, setup: &mut Setup<'_>) -> Self {
        let (stache, memory) = match plan.question {
            Question::Freed => {
                let stache = setup.install::<Stache>(&Config::new(plan.memory.space.clone()));
                let memory = Arc::clone(stache.memory());
                (Some(stache), memory)
            }
            _ => (None, plan.memory.install(setup)),
        };
        let barrier = SharedBarrier::new(setup, &memory, plan.barrier, FAN_IN);
        let (words, other) = (memory.bind(plan.words), memory.bind(plan.other));
        Self { question: plan.question, stache, barrier, words, other_array: plan.other, other }
    }
}

impl LitmusProgram {
    /// Node 0 stores data and then a flag; all others wait for the flag and then look at the data.
    fn pass_messages(&self, thread: &Thread<'_>) {
        let flag = DATA * STRIDE;
        if thread.index() > 0 {
            return;
        }
        if thread.node() == NodeId(0) {
            for round in 1..=ROUNDS {
                (0..DATA).for_each(|word| thread.write(&self.words, word * STRIDE, round));
                // The flag has another home.
                thread.write(&self.other, flag, round);
                thread.poll();
            }
            return;
        }
        let mut shown = 0;
        while shown < ROUNDS {
            shown = thread.read(&self.other, flag);
            for word in 0..DATA {
                let data = thread.read(&self.words, word * STRIDE);
                assert!(data >= shown, "the flag is {shown}, but word {word} is {data}");
            }
            thread.poll();
        }
    }

    /// Nodes 0 and 1 store their own word and read the other's, and leave the values read for each other.
    fn dekker(&self, thread: &Thread<'_>) {
        let me = thread.node().0 as usize;
        let plays = me < 2 && thread.index() == 0 && thread.nodes() > 1;
        for round in 1..=ROUNDS {
            if plays {
                thread.write(&self.words, me * STRIDE, round);
                let read = thread.read(&self.words, (1 - me) * STRIDE);
                thread.write(&self.other, me * STRIDE, read);
            }
            self.barrier.wait(thread);
            if plays {
                let [mine, others] = [me, 1 - me].map(|node| thread.read(&self.other, node * STRIDE));
                assert!(mine == round || others == round, "round {round}: read {mine} and {others}");
            }
            self.barrier.wait(thread);
        }
    }

    /// Every thread uses an array, every node gives it back, and the last node uses it again.
    fn use_freed(&self, thread: &Thread<'_>) {
        thread.fetch_add(&self.other, 0, 1);
        self.barrier.wait(thread);
        if thread.index() == 0 {
            self.stache.iter().for_each(|stache| stache.free(thread, self.other_array));
        }
        self.barrier.wait(thread);
        if thread.node().0 + 1 == thread.nodes() {
            thread.read(&self.other, 0);
        }
    }
}

#[handlers]
impl LitmusProgram {
    fn main(&self, thread: &Thread<'_>) {
        match self.question {
            Question::Message => self.pass_messages(thread),
            Question::Dekker => self.dekker(thread),
            Question::Freed => self.use_freed(thread),
            Question::Beyond => {
                thread.read(&self.other, self.other.len());
            }
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        // Every thread has asserted its values.
        Report { checks: 1, ..Report::default() }
    }
}
