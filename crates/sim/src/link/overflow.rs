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
use crate::processor::core::Activity;
use crate::processor::ledger::Bucket;

impl Cluster {
    /// A head is at the port in of `node` and was not let in: watches how long that lasts.
    pub(crate) fn watch_overflow(&mut self, node: usize) {
        let Some(after) = self.setting.machine.interface.overflow.as_ref().map(|overflow| overflow.after)
        else {
            return;
        };
        let Some(flight) = self.link.network.knocking(node as u32) else { return };
        // A network processor empties the interface whatever the computing one does.
        if self.nodes[node].dispatch.network().is_some() {
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
        match self.cores[core].activity() {
            Activity::Thread(thread) if self.cores[core].is_computing() => {
                let left = self.cores[core].clock.left(self.agenda.now);
                self.cores[core].put_thread_off(thread, left);
                self.spill(node, core);
            }
            // It is busy with handlers and takes messages out by itself, or must not be disturbed now.
            _ => self.watch_overflow(node),
        }
    }

    /// The processor moves what is in the interface into its memory.
    fn spill(&mut self, node: usize, core: usize) {
        let Some(inbox) = self.nodes[node].dispatch.inbox_mut() else { return };
        let flights = &self.link.flights;
        let bytes: u64 = inbox.in_interface().map(|message| flights[message.flight as usize].bytes()).sum();
        inbox.spill();
        let overflow = self
            .setting
            .machine
            .interface
            .overflow
            .as_ref()
            .expect("traps are watched for where there are any");
        let cost = overflow.trap + overflow.byte * bytes;
        let state = &mut self.cores[core];
        state.clock.put_off();
        state.begin(Activity::Trapped);
        state.ledger.count().interrupts += 1;
        state.ledger.book(Bucket::Overhead, cost);
        let processor = state.number();
        self.record(Traced::Interrupt { node: node as u32, processor });
        self.continue_at(core, self.agenda.now + cost);
    }

    /// The trap is over: the interface is empty, and the processor goes on with what it did.
    pub(crate) fn finish_trap(&mut self, core: usize) {
        let node = self.cores[core].node();
        self.admit_next(node);
        if !self.back_to_thread(core) {
            self.free(core);
        }
    }
}
