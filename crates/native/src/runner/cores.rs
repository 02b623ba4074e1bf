//! The cores that a world runs on, also for a world launched inside a run.
//!
//! An OS thread inherits the pinning of its parent. So a world launched on a pinned processor, from a thread or a handler, would get only
//! that one core. Therefore each processor remembers the cores of the launcher of its world, and a world that it launches itself gets
//! those.
//!
//! Other OS threads that a program spawns on a processor (a pool of them) inherit the pinning: no world can prevent that.
//!
//! This module must never know a processor's work.

use std::cell::RefCell;
use std::sync::Arc;
use std::thread::available_parallelism;

use core_affinity::CoreId;

thread_local! {
    /// On a processor: the cores of the launcher of its world.
    static LAUNCHED_ON: RefCell<Option<Cores>> = const { RefCell::new(None) };
}

/// The cores that a world may run on.
#[derive(Clone)]
pub(crate) struct Cores {
    ids: Arc<[CoreId]>,
    /// Number of cores that the process may use at a time; a quota may make it smaller.
    count: usize,
    /// Whether the OS thread that launches the world is a processor, which may be pinned to a single core.
    nested: bool,
}

impl Cores {
    /// The cores of a world that the calling OS thread launches.
    pub(crate) fn here() -> Self {
        LAUNCHED_ON.with_borrow(Clone::clone).unwrap_or_else(|| Self {
            ids: core_affinity::get_core_ids().unwrap_or_default().into(),
            count: available_parallelism().map_or(1, usize::from),
            nested: false,
        })
    }

    /// Number of cores.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Makes the calling OS thread a processor: pinned to core `number` if there is one, otherwise free to run on all. If the host forbids
    /// it, the processor runs where it may.
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

    /// Does nothing: on other systems a pinning is advice, and no OS thread inherits it.
    #[cfg(not(target_os = "linux"))]
    fn unpin(&self) {}
}
