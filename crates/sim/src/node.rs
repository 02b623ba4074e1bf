//! One modelled node: its resident program, dispatch queue, interface and threads.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use hardware::memory::NodeMemory;
use hardware::{EventQueue, Interface, Lock};
use tempest::world::{DispatchKey, Held, Name, Node as Waist, Wait};
use units::Time;

use crate::cargo::HandedOver;
use crate::core::{Event, Job};
use crate::lowering::PutOff;
use crate::network_processor::Loop;
use crate::progress::Attempts;
use crate::roles::Roles;
use crate::routine::Routine;
use crate::staging::Stager;

/// What a thread is doing.
#[derive(Debug)]
pub(crate) enum ThreadState {
    /// In the ready queue of its processor, or running, or put off by a handler.
    Going,
    /// Waits until resumed.
    Blocked {
        /// For what.
        reason: Reason,
        /// Since when.
        since: Time,
    },
    /// Has returned.
    Finished,
}

/// What a blocked thread waits for.
#[derive(Debug)]
pub(crate) enum Reason {
    Wait(Wait),
    Key(DispatchKey),
    Phase { name: &'static str },
}

impl Reason {
    /// Whether it is a block of shared memory.
    pub(crate) fn is_block(&self) -> bool {
        matches!(self, Reason::Wait(Wait::Block))
    }

    /// For what, in the program's words where it has any.
    pub(crate) fn what(&self) -> &'static str {
        match self {
            Reason::Wait(wait) => wait.what(),
            Reason::Key(_) => "key",
            Reason::Phase { name } => name,
        }
    }
}

/// A program thread.
#[derive(Debug)]
pub(crate) struct Thread {
    /// The processor it is bound to.
    pub(crate) core: usize,
    /// The one it is bound to while that computes.
    pub(crate) home: usize,
    /// It has not run since it was bound to another.
    pub(crate) moved: bool,
    pub(crate) state: ThreadState,
    /// Which of its waits the next one is.
    pub(crate) generation: u32,
    /// The wait that the waiter it took last is for.
    pub(crate) awaited: u32,
    /// Its last send found no room, and it waits for some.
    pub(crate) awaits_room: bool,
    /// What ended its last wait was a deposit: it has to notice that by itself.
    pub(crate) noticing: bool,
    /// A key it asked for and was given.
    pub(crate) granted: Option<Held>,
    /// What it has tried in vain.
    pub(crate) attempts: Attempts,
}

impl Thread {
    /// Whether it waits for a block of shared memory.
    pub(crate) fn waits_for_block(&self) -> bool {
        matches!(&self.state, ThreadState::Blocked { reason, .. } if reason.is_block())
    }
}

/// A message that arrived and has not been looked at.
pub(crate) struct Arrived {
    pub(crate) at: Time,
    pub(crate) flight: u32,
}

/// One node.
pub(crate) struct Node {
    pub(crate) waist: Arc<Waist>,
    /// Its processors are `first_core..first_core + cores` of the machine.
    pub(crate) first_core: usize,
    pub(crate) cores: usize,
    pub(crate) queue: EventQueue<Event, Name>,
    /// Where one processor runs all handlers between its threads, messages wait here until it looks: to the program
    /// they have not arrived yet, and `hold` is free.
    pub(crate) unseen: VecDeque<Arrived>,
    /// How many of those, the oldest, are in memory because the interface was full.
    pub(crate) spilled: usize,
    pub(crate) interface: Interface,
    /// Where two processors drive the interface.
    pub(crate) lock: Option<Lock>,
    /// Where a network processor looks at the interface: the messages that have arrived there.
    pub(crate) incoming: VecDeque<Arrived>,
    /// Of the messages that have arrived there, those with a key that have neither got it nor a place in the dispatch
    /// queue, in order: some processor is about to take them in, or to hand them over.
    pub(crate) line: Vec<u32>,
    /// The network processor.
    pub(crate) network: Option<Loop>,
    /// Caches, bus and memory, where the machine says what they are.
    pub(crate) memory: Option<Box<NodeMemory>>,
    /// Which processor, by its number, had each directory entry last, by key; empty where one runs all handlers.
    pub(crate) entries: HashMap<Name, u16>,
    /// Rights that wait to be taken away, each with the key that is held for it.
    pub(crate) lowerings: Vec<PutOff>,
    /// Lines that have been placed here and that its device has not asked to write yet.
    pub(crate) posted: u64,
    /// Handlers that go on, as the right has been taken away that they waited for: before all others.
    pub(crate) resumed: VecDeque<Job>,
    /// What sends and receives through the staging buffer that is part of that.
    pub(crate) stager: Stager,
    /// Messages that wait for a protocol processor to inject them, in order.
    pub(crate) handed_over: VecDeque<HandedOver>,
    /// Processors whose threads wait for one of them to be taken, in order.
    pub(crate) starved: VecDeque<usize>,
    /// One of them is on its way into the interface: the next waits, so that they stay in order.
    pub(crate) injecting: bool,
    /// How much is on its way through the port in, before the event that says so.
    pub(crate) passing: u32,
    /// Messages, deposits and events of its own that it has sent so far.
    pub(crate) sent: u64,
    pub(crate) threads: Vec<Thread>,
    /// Of those, the ones that are ready, where processors share them.
    pub(crate) ready: VecDeque<u32>,
    /// Where software dispatches: its routine.
    pub(crate) routine: Routine,
    /// Under floating: the core, by its number, whose back-edge polls count.
    pub(crate) poll_owner: usize,
    /// Who is dedicated to handlers, where that changes.
    pub(crate) roles: Option<Box<Roles>>,
    /// The core, by its number, that is interrupted next.
    pub(crate) next_interrupt: usize,
    /// Order in which nodes' simultaneous events come: drawn from the seed.
    pub(crate) tie: u32,
}
