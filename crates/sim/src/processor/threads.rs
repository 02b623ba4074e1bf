//! The program threads of a node, and the ready ones among them.
//!
//! Must never know why a thread waits, beyond telling a wait for a block of shared memory from others.

use std::collections::VecDeque;

use tempest::world::{DispatchKey, Held, Wait};
use units::Time;

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
}

impl Thread {
    /// Whether it waits for a block of shared memory.
    pub(crate) fn waits_for_block(&self) -> bool {
        matches!(&self.state, ThreadState::Blocked { reason, .. } if reason.is_block())
    }
}

/// The program threads of a node.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    pub(crate) all: Vec<Thread>,
    /// Of those, the ones that are ready, where processors share them.
    pub(crate) ready: VecDeque<u32>,
}
