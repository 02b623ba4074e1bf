//! A handler has the stack that it was promised, wherever it runs and however deep the thread is that runs meanwhile.
//!
//! Threads go deep, and there poll, send until there is no room, hold a key, wait and fault, while handlers use nearly
//! all of their guaranteed stack. A world that breaks a promise here does not panic: its process dies.

use std::hint::black_box;
use std::ptr;
use std::sync::Arc;

use tempest::memory::Fault;
use tempest::{
    Array, Block, Event, FinalState, Handler, Homes, Key, Layout, Memory, NodeId, Protocol, Report, Right,
    Setup, Tag, Thread, handlers,
};

use crate::Setting;

/// Bytes of its stack that a thread leaves for the calls that it makes at its deepest.
const LEFT_BY_THREADS: usize = 32 * 1024;

/// Bytes of its guaranteed stack that a handler leaves for the calls that it makes at its deepest.
const LEFT_BY_HANDLERS: usize = 8 * 1024;

/// The depths that threads go to: none, all, and some between them, where a world may first find too little left for a handler.
const DEPTHS: [usize; 6] = {
    let all = Thread::STACK_BYTES - LEFT_BY_THREADS;
    let half = Thread::STACK_BYTES - Handler::STACK_BYTES;
    [0, all, half, half - 8 * 1024, half - 16 * 1024, half - 24 * 1024]
};

/// Messages of each thread to the next node in each depth.
const ROUNDS: u64 = 16;

/// The node whose copy of shared memory gives every right from the beginning.
const HOME: NodeId = NodeId(0);

/// Handlers have their stack on idle processors and on top of threads that poll, send and hold, the deepest among them.
pub fn handlers_have_their_stack(setting: &Setting<'_>) {
    setting.verified::<Depths>("handlers_have_their_stack", Does::Messages, 2);
}

/// Handlers that bring a right have their stack, too, however deep the thread is that waits for the right.
pub fn rights_come_to_threads_however_deep(setting: &Setting<'_>) {
    setting.verified::<Depths>("rights_come_to_threads_however_deep", Does::Faults, 2);
}

/// Calls `then` when `bytes` bytes of the stack are in use from here on.
fn below(bytes: usize, then: &mut dyn FnMut()) {
    let top = 0_u8;
    descend(ptr::from_ref(&top).addr(), bytes, then);
}

#[inline(never)]
fn descend(top: usize, bytes: usize, then: &mut dyn FnMut()) {
    let frame = [0_u8; 512];
    let here = ptr::from_ref(black_box(&frame)).addr();
    if top.abs_diff(here) < bytes {
        descend(top, bytes, then);
    } else {
        then();
    }
    // Not a tail call: the frame is in use until here.
    black_box(&frame);
}

/// Work of threads at their deepest.
#[derive(Clone, Copy)]
enum Does {
    Messages,
    Faults,
}

struct Depths {
    does: Does,
    arrived: Event,
    shared: Option<(Arc<Memory>, Array<u64>)>,
}

impl From<Fault> for Want {
    fn from(fault: Fault) -> Self {
        Depths::want(fault.block.0)
    }
}

impl Protocol for Depths {
    type Config = Does;

    fn install(&does: &Does, setup: &mut Setup<'_>) -> Self {
        let shared = matches!(does, Does::Faults).then(|| {
            let mut layout = Layout::new(setup.shape().nodes, 64).expect("blocks of 64 bytes are permitted");
            let words = layout.block_words() * DEPTHS.len() * setup.shape().threads as usize;
            let array = layout.array("conformance.depths", words, Homes::At(HOME)).expect("it is small");
            (setup.memory::<Want>(&layout, true), array)
        });
        Self { does, arrived: Event::new("conformance.arrived"), shared }
    }
}

#[handlers]
impl Depths {
    #[message(key = number % 3)]
    fn dig(&self, number: u64, cx: &mut Handler<'_>) {
        below(Handler::STACK_BYTES - LEFT_BY_HANDLERS, &mut || cx.signal(&self.arrived, 1));
    }

    /// Gives this node every right to a block: there is nothing in it that others know of.
    #[message(key = Block(block))]
    fn want(&self, block: u32, cx: &mut Handler<'_>) {
        let (memory, _) = self.shared.as_ref().expect("somebody has faulted");
        below(Handler::STACK_BYTES - LEFT_BY_HANDLERS, &mut || {
            cx.raise(memory, Block(block), Tag::Writable);
            cx.resume_block(memory, Block(block), Right::Write);
        });
    }

    fn main(&self, thread: &Thread<'_>) {
        for turn in 0..DEPTHS.len() {
            // Threads of a processor are in different depths at a time.
            let depth = DEPTHS[(turn + thread.index() as usize) % DEPTHS.len()];
            below(depth, &mut || match self.does {
                Does::Messages => self.talk(thread, turn as u64 + 1),
                Does::Faults => self.fault(thread, turn),
            });
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let arrived = self.arrived.count(end);
        Report::checked(arrived > 0 || matches!(self.does, Does::Faults), || "no message arrived".to_owned())
    }
}

impl Depths {
    fn talk(&self, thread: &Thread<'_>, turns: u64) {
        for round in 0..ROUNDS {
            thread.send(thread.next_node(), Self::dig(round));
            if round % 4 == 0 {
                thread.poll();
            }
            if round % 8 == 0 {
                thread.hold(Key::User(round % 3), |_| ());
            }
        }
        // As many as one thread has sent until now.
        thread.wait(&self.arrived, turns * ROUNDS);
    }

    fn fault(&self, thread: &Thread<'_>, turn: usize) {
        let (memory, array) = self.shared.as_ref().expect("it was made for that");
        let words = memory.bind(*array);
        let block = words.len() / (thread.threads() as usize * DEPTHS.len());
        let word = block * (DEPTHS.len() * thread.index() as usize + turn);
        thread.write(&words, word, 1);
        assert_eq!(thread.read(&words, word), 1, "a word of the thread's own");
    }
}
