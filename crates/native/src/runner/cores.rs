//! The cores that a world runs on, and what a world inside a world sees of them.
//!
//! An OS thread inherits the cores that its parent is pinned to. A processor that is pinned to one core would so give every world that
//! is launched on it, from a thread or a handler, that one core. So each processor remembers the cores of who launched its world, and
//! a world that it launches itself has those.
//!
//! What else a program spawns on a processor (OS threads, a pool of them) inherits the pinning: no world sees it happen.
//!
//! This module must never know what a processor does.

use std::cell::RefCell;
use std::sync::Arc;
use std::thread::available_parallelism;

use core_affinity::CoreId;

thread_local! {
    /// On a processor: the cores of who launched its world.
    static LAUNCHED_ON: RefCell<Option<Cores>> = const { RefCell::new(None) };
}

/// The cores that a world may run on.
#[derive(Clone)]
pub(crate) struct Cores {
    ids: Arc<[CoreId]>,
    /// How many of them the process may use at a time, which a quota may make fewer.
    count: usize,
    /// Whether the OS thread that launches the world is a processor, which may be pinned to one of them.
    nested: bool,
}

impl Cores {
    /// Those of a world that the calling OS thread launches.
    pub(crate) fn here() -> Self {
        LAUNCHED_ON.with_borrow(Clone::clone).unwrap_or_else(|| Self {
            ids: core_affinity::get_core_ids().unwrap_or_default().into(),
            count: available_parallelism().map_or(1, usize::from),
            nested: false,
        })
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Makes the calling OS thread a processor: pinned to the core of that number, if there is one, else free to run on all. Where
    /// the host forbids it, the processor runs where it may.
    pub(crate) fn seat(&self, number: Option<usize>) {
        LAUNCHED_ON.set(Some(Self { nested: true, ..self.clone() }));
        match number.and_then(|number| self.ids.get(number)) {
            Some(core) => {
                core_affinity::set_for_current(*core);
            }
            None if self.nested => self.unpin(),
            None => {}
        }
    }

    #[cfg(target_os = "linux")]
    fn unpin(&self) {
        use rustix::thread::{CpuSet, sched_setaffinity};

        let mut all = CpuSet::new();
        self.ids.iter().filter(|core| core.id < CpuSet::MAX_CPU).for_each(|core| all.set(core.id));
        let _runs_where_it_may = sched_setaffinity(None, &all);
    }

    /// Elsewhere a pinning is advice, and no OS thread inherits it.
    #[cfg(not(target_os = "linux"))]
    fn unpin(&self) {}
}
