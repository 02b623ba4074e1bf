//! The state that the processors of a node share: its program, its dispatcher, its links, the receive lock, its
//! threads.
//!
//! Only one processor of the node at a time holds the receive lock (`receive_lock`) and drains the lanes, so messages enter the dispatch
//! queue in ring order. The `dispatcher` then decides which processor may run a handler, and with which proof.
//!
//! This module must never know which thread runs when.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use tempest::outcome::Failure;
use tempest::policy::Split;
use tempest::world::{DispatchKey, Resident, Serial};
use tempest::{NodeId, Report};

use crate::fences::Fences;
use crate::lock::lock;
use crate::padding::CachePadded;
use crate::parts::adaptive::Adaptive;
use crate::parts::contention::ContentionHint;
use crate::parts::dispatcher::Dispatcher;
use crate::parts::links::Links;
use crate::parts::phases::Regions;
use crate::parts::receive_lock::ReceiveLock;
use crate::parts::set_aside::Downgrades;
use crate::parts::threads::{Inbox, ThreadSlot};
use crate::rings::backlog::Backlog;

/// A node.
pub(crate) struct Node {
    pub(crate) id: NodeId,
    pub(crate) resident: Resident,
    pub(crate) dispatcher: Dispatcher,
    pub(crate) links: Links,
    /// `None` without shared memory.
    pub(crate) downgrades: Option<Box<Downgrades>>,
    /// `None` if the roles of its processors are fixed.
    pub(crate) adaptive: Option<Box<Adaptive>>,
    pub(crate) threads: Vec<ThreadSlot>,
    /// Number of threads that have not returned.
    live: AtomicUsize,
    /// The timed regions, and the threads that wait to enter one.
    pub(crate) regions: Regions,
    /// The wave of the search for the end to which the node has not replied yet; 0 if there is none.
    asked: AtomicU64,
    /// By processor: threads that other processors have woken.
    pub(crate) inboxes: Vec<Inbox>,
    /// Messages in the node's outboxes, and handled messages that have not been acknowledged.
    pub(crate) backlog: Backlog,
    pub(crate) receive_lock: ReceiveLock,
    /// Present if several processors compute and run handlers, each on a core of its own.
    pub(crate) hint: Option<Box<ContentionHint>>,
    /// Number on the node of the processor whose next back-edge poll counts.
    poll_owner: CachePadded<AtomicUsize>,
}

impl Node {
    pub(crate) fn new(
        resident: Resident,
        dispatcher: Dispatcher,
        links: Links,
        split: Split,
        adaptive: Option<Box<Adaptive>>,
        has_hint: bool,
        reserve: usize,
    ) -> Self {
        let threads = resident.node.shape().threads;
        let processors = split.computing + split.dedicated;
        let downgrades = resident.node.memory().map(|_| Box::new(Downgrades::new(split.computing as usize)));
        Self {
            id: resident.node.id(),
            resident,
            dispatcher,
            links,
            downgrades,
            adaptive,
            threads: (0..threads).map(|_| ThreadSlot::default()).collect(),
            live: AtomicUsize::new(threads as usize),
            regions: Regions::new(threads as usize),
            asked: AtomicU64::new(0),
            inboxes: (0..processors).map(|_| Inbox::default()).collect(),
            backlog: Backlog::new(reserve),
            // The helper's number follows those of the processors.
            receive_lock: ReceiveLock::among(processors as usize + 1, Fences::asymmetric()),
            hint: has_hint.then(Box::default),
            poll_owner: CachePadded::default(),
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

    /// Counts a thread that has returned. Returns whether it is the last.
    pub(crate) fn note_return(&self) -> bool {
        self.live.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Asks for a reply in a wave of the search for the end.
    pub(crate) fn ask(&self, wave: u64) {
        self.asked.store(wave, Ordering::SeqCst);
    }

    /// The wave to which the node has not replied yet.
    pub(crate) fn asked(&self) -> Option<u64> {
        Some(self.asked.load(Ordering::SeqCst)).filter(|wave| *wave > 0)
    }

    /// Whether the caller replies in a wave; false if another processor does.
    pub(crate) fn answers(&self, wave: u64) -> bool {
        self.asked.compare_exchange(wave, 0, Ordering::SeqCst, Ordering::Relaxed).is_ok()
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
        self.downgrades.as_ref().is_some_and(|downgrades| downgrades.has_set_aside())
    }
}
