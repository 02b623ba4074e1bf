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

thread_local! {
    /// On a processor: the cores of the launcher of its world.
    static LAUNCHED_ON: RefCell<Option<Cores>> = const { RefCell::new(None) };
}

/// The cores that a world may run on.
#[derive(Clone)]
pub(crate) struct Cores {
    /// Numbers of the cores; none where processors are not pinned.
    ids: Arc<[usize]>,
    /// Number of cores that the process may use at a time; a quota may make it smaller.
    count: usize,
    /// Whether the OS thread that launches the world is a processor, which may be pinned to a single core.
    nested: bool,
}

impl Cores {
    /// The cores of a world that the calling OS thread launches.
    pub(crate) fn here() -> Self {
        LAUNCHED_ON.with_borrow(Clone::clone).unwrap_or_else(|| Self {
            ids: host::cores().into(),
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
            Some(core) => host::run_on(&[*core]),
            None if self.nested => host::run_on(&self.ids),
            None => {}
        }
    }
}

/// Pinning of OS threads by Linux.
#[cfg(target_os = "linux")]
mod host {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// Numbers of the cores that the calling OS thread may run on, ascending; none if the host does not say.
    pub(super) fn cores() -> Vec<usize> {
        sched_getaffinity(None).map_or_else(
            |_| Vec::new(),
            |set| (0..CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).collect(),
        )
    }

    /// Lets the calling OS thread run on these cores alone, unless the host forbids it.
    pub(super) fn run_on(cores: &[usize]) {
        let mut set = CpuSet::new();
        cores.iter().for_each(|core| set.set(*core));
        let _runs_where_it_may = sched_setaffinity(None, &set);
    }
}

/// Other systems: OS threads run where the system places them.
#[cfg(not(target_os = "linux"))]
mod host {
    pub(super) fn cores() -> Vec<usize> {
        Vec::new()
    }

    pub(super) fn run_on(_: &[usize]) {}
}
