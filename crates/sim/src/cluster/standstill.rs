//! Whether a run stands still for ever, and who is stuck in it: threads that wait, that spin, or that another one leaves no processor.
//!
//! The argument is exact for threads that say that they wait ([`tempest::Thread::spin`], a send that insists): if nothing is under way and every
//! other thread waits or spins too, nothing can change what they wait for. Time that a thread charges is progress.
//!
//! This module must never know what a message means.

use hardware::Network;
use tempest::{Attempt, Blocked, Failure, NodeId, Spinning, ThreadId};

use super::Cluster;
use crate::agenda::Happening;
use crate::processor::core::Activity;
use crate::processor::threads::{Reason, ThreadState};
use crate::progress::Patience;

impl Cluster {
    /// Something has happened that may end a wait.
    pub(crate) fn note_progress(&mut self) {
        self.agenda.progress.note(self.agenda.now);
    }

    /// The thread on `core` spins once more. True if the run is over.
    pub(crate) fn spins_in_vain(&mut self, core: usize) -> bool {
        let polled = std::mem::take(&mut self.cores[core].polled);
        self.waits_in_vain(core, Attempt::Look, polled || self.poll_interval() == 0)
    }

    /// The thread on `core` tries to send once more. True if the run is over.
    pub(crate) fn sends_in_vain(&mut self, core: usize) -> bool {
        self.waits_in_vain(core, Attempt::Send, true)
    }

    /// The thread on `core` says that it waits, and tries once more; it has really looked, or only passed by. True if the run
    /// is over.
    fn waits_in_vain(&mut self, core: usize, attempt: Attempt, looked: bool) -> bool {
        let (thread, now, progress) = (self.thread_on(core) as usize, self.agenda.now, self.agenda.progress);
        let attempts = &mut self.nodes[self.cores[core].node].threads.all[thread].attempts;
        let patience = attempts.wait(attempt, looked, now, &progress);
        self.judge(patience)
    }

    /// The thread on `core`, which may be computing, looks for messages and finds none. True if the run is over.
    pub(crate) fn looks_in_vain(&mut self, core: usize) -> bool {
        let (thread, now, progress) = (self.thread_on(core) as usize, self.agenda.now, self.agenda.progress);
        let worked = self.cores[core].breakdown.compute;
        let attempts = &mut self.nodes[self.cores[core].node].threads.all[thread].attempts;
        let patience = attempts.look(worked, now, &progress);
        self.judge(patience)
    }

    /// Whether messages of this node are handled only when `core` looks for them, and its policy has it look at no
    /// back-edge.
    pub(crate) fn sees_messages_only_here(&self, core: usize) -> bool {
        let looks =
            self.setting.policy.notice == tempest::policy::Notice::Poll && self.serves(core).is_some();
        looks && self.poll_interval() == 0
    }

    fn judge(&mut self, patience: Patience) -> bool {
        let is_over = patience != Patience::Lasts && self.stands_still(patience == Patience::Ends);
        if is_over {
            let (spinning, blocked) = (self.spinning(), self.blocked());
            self.agenda.stopped = Some(Failure::Livelock { at: self.agenda.now, spinning, blocked });
        }
        is_over
    }

    /// Whether every thread that has not returned waits or spins, and nothing is under way; looks that nobody asked for
    /// count as being under way, unless they are `ignored`.
    fn stands_still(&self, ignored: bool) -> bool {
        if !(0..self.cores.len()).all(|core| self.is_stuck(core)) {
            return false;
        }
        // Processors change their roles after some time, and may then handle what no other has looked at.
        if self.setting.adapts && !ignored {
            return false;
        }
        let counts = |event: &Happening| match event {
            // Those that count belong to processors, of which none is at work.
            Happening::Continue { .. } => false,
            event => !(ignored && event.is_a_look()),
        };
        match (self.agenda.events.iter().filter(|event| counts(event)).count(), &self.link.network) {
            (0, _) => true,
            (events, Network::Routed(fabric)) => fabric.is_quiet(events),
            (_, Network::Constant(_)) => false,
        }
    }

    /// Whether a processor has nothing to do, or a thread that gets no further.
    fn is_stuck(&self, core: usize) -> bool {
        match self.cores[core].activity {
            Activity::Idle { .. } => true,
            Activity::Thread(thread) => {
                let thread = &self.nodes[self.cores[core].node].threads.all[thread as usize];
                self.cores[core].starved || thread.attempts.in_vain(&self.agenda.progress).is_some()
            }
            _ => false,
        }
    }

    /// Every thread that runs and gets no further.
    pub(crate) fn spinning(&self) -> Vec<Spinning> {
        let running = self.cores.iter().filter_map(|core| match core.activity {
            Activity::Thread(thread) => Some((core.node, thread)),
            _ => None,
        });
        let mut spinning: Vec<_> =
            running.filter_map(|(node, thread)| self.spinning_thread(node, thread)).collect();
        spinning.sort_by_key(|spinning| spinning.thread);
        spinning
    }

    fn spinning_thread(&self, node: usize, index: u32) -> Option<Spinning> {
        let place = &self.nodes[node];
        let (attempt, times, since) =
            place.threads.all[index as usize].attempts.in_vain(&self.agenda.progress)?;
        let thread = ThreadId { node: NodeId(node as u32), index };
        let unhandled =
            place.dispatch.queue.len() + place.dispatch.unseen.len() + place.dispatch.incoming.len();
        Some(Spinning { thread, attempt, times, since, phase: self.measure.phases.current(), unhandled })
    }

    /// Every thread that waits, and for what; or that is ready, while others keep all its processors.
    pub(crate) fn blocked(&self) -> Vec<Blocked> {
        let mut blocked = Vec::new();
        for (node, place) in self.nodes.iter().enumerate() {
            for (index, thread) in place.threads.all.iter().enumerate() {
                let wait = match &thread.state {
                    ThreadState::Blocked { reason, since } => Some((self.describe(reason), *since)),
                    ThreadState::Going if !self.runs(node, index as u32) => {
                        Some(("a processor".to_owned(), self.agenda.progress.at()))
                    }
                    ThreadState::Going
                        if thread.awaits_room && thread.attempts.in_vain(&self.agenda.progress).is_none() =>
                    {
                        Some(("room to send".to_owned(), self.agenda.progress.at()))
                    }
                    _ => None,
                };
                let thread = ThreadId { node: NodeId(node as u32), index: index as u32 };
                blocked.extend(wait.map(|(waits_for, since)| Blocked { thread, waits_for, since }));
            }
        }
        blocked
    }

    /// Whether a thread is at work on a processor, or put off there by handlers.
    fn runs(&self, node: usize, thread: u32) -> bool {
        let place = &self.nodes[node];
        self.cores[place.first_core..place.first_core + place.cores].iter().any(|core| {
            let put_off = core.interrupted.is_some_and(|(other, _)| other == thread);
            put_off || matches!(core.activity, Activity::Thread(other) if other == thread)
        })
    }

    fn describe(&self, reason: &Reason) -> String {
        match reason {
            Reason::Wait(wait) => wait.to_string(),
            Reason::Key(key) => format!("key {key}"),
            Reason::Phase { name } => {
                let threads: usize = self.nodes.iter().map(|node| node.threads.all.len()).sum();
                format!("phase `{name}`: {} of {threads} threads have come", self.phase_arrivals())
            }
        }
    }
}
