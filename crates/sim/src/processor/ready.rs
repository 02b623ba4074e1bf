//! Which processor takes which thread that is ready.
//!
//! Threads stay on their processors, or on those that they are [moved](crate::dispatch::roles) to, and wait there for their turn, or the processors of a node share one queue and each takes
//! the oldest. Must never know why a thread waited: one that waits for a block of shared memory is pointed out to it.

use machine::{Capability, Machine};
use tempest::Policy;
use units::Time;

use crate::cluster::Cluster;

/// Whether processors of a node share their threads.
pub(crate) fn shares_threads(machine: &Machine, policy: &Policy) -> bool {
    !policy.bound && machine.can.contains(&Capability::SharedReadyQueue)
}

impl Cluster {
    /// A thread waits for a processor from now on.
    pub(crate) fn queue_thread(&mut self, node: usize, thread: u32) {
        if self.setting.shares_threads {
            self.nodes[node].threads.ready.push_back(thread);
        } else {
            let core = self.nodes[node].threads.all[thread as usize].core;
            self.cores[core].ready.push_back(thread);
        }
    }

    /// The processor that takes a thread which has just become ready: one that has nothing to do and has been so for longest.
    pub(crate) fn taker(&self, node: usize, thread: u32) -> Option<usize> {
        let free = |core: &usize| self.cores[*core].is_idle();
        if !self.setting.shares_threads {
            return Some(self.nodes[node].threads.all[thread as usize].core).filter(free);
        }
        let place = &self.nodes[node];
        let all = place.first_core..place.first_core + place.cores;
        let computing = all.filter(|&core| !self.cores[core].dedicated && self.takes_threads(core));
        computing.filter_map(|core| Some((self.cores[core].idle_since()?, core))).min().map(|(_, core)| core)
    }

    /// A thread begins to wait for a block of shared memory, or has it: the processors that may run it, if they idle, wait for
    /// memory meanwhile.
    pub(crate) fn note_wait_for_block(&mut self, node: usize, thread: u32, begins: bool) {
        let now = self.agenda.now;
        if !self.setting.shares_threads {
            let core = self.nodes[node].threads.all[thread as usize].core;
            return self.cores[core].await_block(now, begins);
        }
        let place = &self.nodes[node];
        let all = &mut self.cores[place.first_core..place.first_core + place.cores];
        all.iter_mut().filter(|core| !core.dedicated).for_each(|core| core.await_block(now, begins));
    }

    /// Whether a thread is ready for `core`.
    pub(crate) fn has_ready(&self, core: usize) -> bool {
        let own = &self.cores[core];
        !own.ready.is_empty() || !own.dedicated && !self.nodes[own.node].threads.ready.is_empty()
    }

    /// The thread that `core` goes on with.
    pub(crate) fn next_thread(&mut self, core: usize) -> Option<u32> {
        let own = &mut self.cores[core];
        let queue = if self.setting.shares_threads {
            &mut self.nodes[own.node].threads.ready
        } else {
            &mut own.ready
        };
        if own.dedicated { None } else { queue.pop_front() }
    }

    /// What it takes `core` to let a thread go on after it has waited: it may be another than the last one there.
    pub(crate) fn switch_to(&mut self, core: usize, thread: u32) -> Time {
        let node = self.cores[core].node;
        if std::mem::take(&mut self.nodes[node].threads.all[thread as usize].moved) {
            self.cores[core].last_thread = Some(thread);
            return self.setting.machine.processor.thread_switch;
        }
        match self.cores[core].last_thread.replace(thread) {
            Some(last) if last != thread => self.setting.machine.processor.thread_switch,
            Some(_) => {
                let routine = self.setting.machine.software_dispatch.as_ref();
                routine.map_or(self.setting.machine.processor.wake, |routine| routine.wake)
            }
            None => Time::ZERO,
        }
    }

    /// The thread on whose stack a handler of `core` may run: the last one there, unless that may go on elsewhere meanwhile.
    pub(crate) fn host_of_handlers(&self, core: usize) -> Option<u32> {
        self.cores[core].last_thread.filter(|_| !self.setting.shares_threads && !self.setting.adapts)
    }
}
