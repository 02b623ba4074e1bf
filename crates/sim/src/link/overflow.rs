//! What happens when nobody takes messages out of an interface whose queue is full: after a while the processor is
//! trapped, and moves them into its memory, so that the network can go on.
//!
//! Without it a machine whose processors all wait for room could stand still for ever; with it that is only slow. The
//! messages stay in order, and are handled as if they still were in the interface.
//!
//! This module must never know what a message means.

use trace::Event as Traced;

use crate::agenda::Happening;
use crate::cluster::Cluster;
use crate::processor::core::{Activity, Bucket};

impl Cluster {
    /// A head is at the port in of `node` and was not let in: watches how long that lasts.
    pub(crate) fn watch_overflow(&mut self, node: usize) {
        let Some(after) = self.setting.machine.interface.overflow.as_ref().map(|overflow| overflow.after)
        else {
            return;
        };
        let Some(flight) = self.link.network.knocking(node as u32) else { return };
        // A network processor empties the interface whatever the computing one does.
        if self.nodes[node].dispatch.network.is_some() {
            return;
        }
        let (at, tie) = (self.agenda.now + after, self.nodes[node].tie);
        let uses = self.link.flights[flight as usize].uses;
        self.agenda.events.push(at, tie, Happening::Overflow { flight, uses });
    }

    /// If the same message, the one whose place had so many uses before, still waits at the port in: traps the processor, or waits until it can be
    /// trapped.
    pub(crate) fn overflow(&mut self, flight: u32, uses: u32) {
        let waiting = &self.link.flights[flight as usize];
        let (node, same) = (waiting.to(), waiting.uses == uses);
        if !same || self.link.network.knocking(node as u32) != Some(flight) || self.admits(node) {
            return;
        }
        let core = self.nodes[node].first_core;
        match self.cores[core].activity {
            Activity::Thread(thread) if self.cores[core].is_computing() => {
                let left = self.cores[core].until - self.agenda.now;
                self.cores[core].interrupted = Some((thread, left));
                self.spill(node, core);
            }
            // It is busy with handlers and takes messages out by itself, or must not be disturbed now.
            _ => self.watch_overflow(node),
        }
    }

    /// The processor moves what is in the interface into its memory.
    fn spill(&mut self, node: usize, core: usize) {
        let in_interface = self.nodes[node].dispatch.unseen.iter().skip(self.nodes[node].dispatch.spilled);
        let bytes: u64 = in_interface.map(|arrived| self.link.flights[arrived.flight as usize].bytes()).sum();
        let overflow = self
            .setting
            .machine
            .interface
            .overflow
            .as_ref()
            .expect("traps are watched for where there are any");
        let cost = overflow.trap + overflow.byte * bytes;
        self.nodes[node].dispatch.spilled = self.nodes[node].dispatch.unseen.len();
        let state = &mut self.cores[core];
        state.epoch = state.epoch.wrapping_add(1);
        state.activity = Activity::Trapped;
        state.counters.interrupts += 1;
        state.book(Bucket::Overhead, cost);
        let processor = state.number;
        self.record(Traced::Interrupt { node: node as u32, processor });
        self.continue_at(core, self.agenda.now + cost);
    }

    /// The trap is over: the interface is empty, and the processor goes on with what it did.
    pub(crate) fn finish_trap(&mut self, core: usize) {
        let node = self.cores[core].node;
        self.admit_next(node);
        if !self.back_to_thread(core) {
            self.free(core);
        }
    }

    /// How many messages of a node that wait to be looked at are still in its interface.
    pub(crate) fn in_interface(&self, node: usize) -> usize {
        self.nodes[node].dispatch.unseen.len() - self.nodes[node].dispatch.spilled
    }
}
