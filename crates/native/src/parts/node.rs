//! The state that the processors of a node share: its program, its dispatcher, the right to receive, its threads.
//!
//! Only one processor of the node at a time holds the right to receive (`right`) and drains the lanes, so messages enter the dispatch
//! queue in ring order. The `dispatcher` then decides which processor may run a handler, and with which proof.
//!
//! This module must never know which thread runs when.

use std::sync::atomic::{AtomicUsize, Ordering};

use tempest::policy::Split;
use tempest::world::{DispatchKey, Resident, Serial};
use tempest::{Failure, NodeId, Report};

use crate::apart::Alone;
use crate::fences::Fences;
use crate::lock::lock;
use crate::parts::adaptive::Adaptive;
use crate::parts::dispatcher::Dispatcher;
use crate::parts::floor::Floor;
use crate::parts::right::Right;
use crate::parts::set_aside::Lowerings;
use crate::parts::threads::{Inbox, ThreadSlot};
use crate::rings::backlog::Backlog;

/// A node.
pub(crate) struct Node {
    pub(crate) id: NodeId,
    pub(crate) resident: Resident,
    pub(crate) dispatcher: Dispatcher,
    /// `None` without shared memory.
    pub(crate) lowerings: Option<Box<Lowerings>>,
    /// `None` if the roles of its processors are fixed.
    pub(crate) adaptive: Option<Box<Adaptive>>,
    pub(crate) threads: Vec<ThreadSlot>,
    /// By processor: threads that other processors have woken.
    pub(crate) inboxes: Vec<Inbox>,
    /// Messages in the node's outboxes, and handled messages that have not been acknowledged.
    pub(crate) backlog: Backlog,
    pub(crate) right_to_receive: Right,
    /// Present if several processors compute and run handlers, each on a core of its own.
    pub(crate) floor: Option<Box<Floor>>,
    /// Number on the node of the processor whose next back-edge poll counts.
    poll_owner: Alone<AtomicUsize>,
}

impl Node {
    pub(crate) fn new(
        resident: Resident,
        dispatcher: Dispatcher,
        split: Split,
        adaptive: Option<Box<Adaptive>>,
        has_floor: bool,
        reserve: usize,
    ) -> Self {
        let threads = resident.node.shape().threads;
        let processors = split.computing + split.dedicated;
        let lowerings = resident.node.memory().map(|_| Box::new(Lowerings::new(split.computing as usize)));
        Self {
            id: resident.node.id(),
            resident,
            dispatcher,
            lowerings,
            adaptive,
            threads: (0..threads).map(|_| ThreadSlot::default()).collect(),
            inboxes: (0..processors).map(|_| Inbox::default()).collect(),
            backlog: Backlog::new(reserve),
            // The helper's number follows those of the processors.
            right_to_receive: Right::among(processors as usize + 1, Fences::asymmetric()),
            floor: has_floor.then(Box::default),
            poll_owner: Alone::default(),
        }
    }

    /// Takes the serial dispatcher of a node with one processor; the first call returns it.
    pub(crate) fn take_serial(&self) -> Option<Serial> {
        match &self.dispatcher {
            Dispatcher::Own(serial) => lock(serial).take(),
            Dispatcher::Serial(_) | Dispatcher::Keyed(_) => None,
        }
    }

    /// Puts back the dispatcher that [`take_serial`](Self::take_serial) returned, after its processor has stopped.
    pub(crate) fn return_serial(&self, returned: Serial) {
        if let Dispatcher::Own(serial) = &self.dispatcher {
            *lock(serial) = Some(returned);
        }
    }

    /// Makes the program's report of this node, after a successful run whose OS threads have been joined.
    ///
    /// # Errors
    /// If the program panics.
    ///
    /// # Panics
    /// If a key is held or an event waits, because then the run has not ended.
    pub(crate) fn report(&self) -> Result<Report, Failure> {
        match &self.dispatcher {
            Dispatcher::Own(serial) => {
                let mut serial = lock(serial);
                let serial = serial.as_mut().expect("its processor has returned it");
                self.resident.report(serial.hold(DispatchKey::Sequential))
            }
            Dispatcher::Serial(serial) => self.resident.report(lock(&serial.0).hold(DispatchKey::Sequential)),
            Dispatcher::Keyed(shared) => {
                let held = shared.queue.try_hold(DispatchKey::Sequential);
                self.resident.report(held.expect("nothing is unfinished at the end of a run").proof())
            }
        }
    }

    /// Whether this back-edge poll of processor `number` of `processors` has to look for events. If so, the next one is its successor's.
    pub(crate) fn owns_poll(&self, number: usize, processors: usize) -> bool {
        let owns = self.poll_owner.0.load(Ordering::Relaxed) == number;
        if owns {
            self.poll_owner.0.store((number + 1) % processors, Ordering::Relaxed);
        }
        owns
    }

    /// Whether a downgrade is set aside: under serial dispatch no other event is handled meanwhile.
    #[inline]
    pub(crate) fn has_set_aside(&self) -> bool {
        self.lowerings.as_ref().is_some_and(|lowerings| lowerings.has_set_aside())
    }
}
