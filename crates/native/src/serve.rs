//! Serving: moving outboxes on, receiving from the lanes if nobody else does, running what may be run.
//!
//! A message is *in flight* from the moment its sender counts it until [`Processor::finish`] counts it handled here,
//! after its handler has run and its key is free again. This module must never know when a processor serves.

use std::sync::atomic::{Ordering, fence};

use pdq::{Held, Key, Proof};
use tempest::policy::Dispatch;
use tempest::{Handler, NodeId, Packet, ThreadId};
use trace::Event as Traced;

use crate::gauge::bump;
use crate::idle::Berth;
use crate::lane::Lane;
use crate::lowering::{Done, Pending};
use crate::node::{Dispatcher, Event, Shared};
use crate::processor::{Doing, Processor};
use crate::ring::{Origin, Received};

/// Messages taken from one lane before the next is looked at.
const BATCH: usize = 32;

/// One in so many batches is timed: two looks at the clock cost as much as a handler.
const SAMPLE: u32 = 16;

impl Processor {
    /// Moves messages on and runs handlers; returns how many events it dealt with.
    pub(crate) fn serve(&self) -> usize {
        self.move_on();
        if !self.sees_events() {
            return 0;
        }
        let timed = (self.batches.get() % SAMPLE == SAMPLE / 2).then(|| self.world.now_ns());
        let done = match &self.node().dispatcher {
            Dispatcher::Own(_) => self.receive_serial(),
            Dispatcher::Serial(_) => self.node().try_receive().map_or(0, |_right| self.receive_serial()),
            Dispatcher::Keyed(shared) => self.serve_keyed(shared),
        };
        self.tell_digested();
        if done > 0 {
            self.batches.set(self.batches.get().wrapping_add(1));
            if let Some(start) = timed {
                bump(&self.gauge().overhead_ns, (self.world.now_ns() - start) * u64::from(SAMPLE));
            }
        }
        done
    }

    /// Whether there may be something to receive or to run.
    #[inline]
    pub(crate) fn sees_events(&self) -> bool {
        let node = self.node();
        let changed = match &node.dispatcher {
            Dispatcher::Keyed(shared) => shared.changes() != self.searched.get() || self.sees_change(),
            _ if node.has_set_aside() => return self.sees_change(),
            _ => false,
        };
        changed || self.world.lanes_into(node.id).any(Lane::has_message)
    }

    /// Moves what it can from the outboxes into the rings, and then publishes what could not be before.
    #[inline]
    pub(crate) fn move_on(&self) {
        if self.node().has_arrears() {
            self.clear_arrears();
        }
    }

    #[cold]
    fn clear_arrears(&self) {
        let node = self.node();
        for (lane, to) in self.world.lanes_from(node.id).iter().zip(0..) {
            if lane.flush(&node.outboxed) {
                self.wake_receiver(NodeId(to));
            }
        }
        fence(Ordering::SeqCst);
        if node.settles_digest() {
            self.world.lanes_into(node.id).for_each(Lane::publish_digested);
        }
    }

    /// Tells senders of what this processor has handled, or leaves that to who empties the outboxes.
    #[inline]
    fn tell_digested(&self) {
        if !self.owes_digest.replace(false) {
            return;
        }
        let node = self.node();
        if node.outboxes_are_empty() {
            self.world.lanes_into(node.id).for_each(Lane::publish_digested);
        } else {
            node.owe_digest();
            self.clear_arrears();
        }
    }

    /// Takes messages from the lanes into this node as long as `each` says; returns how many. Needs the right to receive.
    fn receive(&self, mut each: impl FnMut(&Received) -> bool) -> usize {
        let mut received = 0;
        for lane in self.world.lanes_into(self.node().id) {
            for _ in 0..BATCH {
                let goes_on = match lane.receive() {
                    None => break,
                    Some(Ok(mut message)) => !self.unload(&mut message) || each(&message),
                    Some(Err(length)) => {
                        self.fail(format!("a message claims {} words", length.0));
                        true
                    }
                };
                received += 1;
                if !goes_on {
                    return received;
                }
            }
        }
        received
    }

    /// Handles what has arrived, in order of arrival. Needs the right to receive, as what follows does.
    fn receive_serial(&self) -> usize {
        let mut done = 0;
        while self.node().has_set_aside() {
            if !self.continue_serial() {
                return done;
            }
            done += 1;
        }
        if done > 0 {
            // Others had nothing to do while the lowering waited, whatever has arrived since.
            self.wake_servers(1);
        }
        done + self.receive(|message| {
            let Some(key) = self.key_of(message) else { return true };
            self.trace_handler(message);
            self.handle_serial(key, message)
        })
    }

    /// Handles a message; false if a lowering was set aside.
    pub(crate) fn handle_serial(&self, key: Key, message: &Received) -> bool {
        self.serially(|serial| {
            let pending = self.handle(&message.packet, serial.hold(key));
            self.settle(message, pending)
        })
    }

    /// Handles what comes after a lowering that was set aside and is done now; false if none is.
    fn continue_serial(&self) -> bool {
        self.serially(|serial| {
            let Some(Done { message, then, .. }) = self.take_done() else { return false };
            let Some(key) = self.key_of(&message) else { return true };
            self.trace_own(&then);
            let pending = self.handle(&then, serial.hold(key));
            self.settle(&message, pending);
            true
        })
    }

    /// A message has been dealt with, or waits for a lowering. False if so.
    fn settle(&self, message: &Received, pending: Option<Pending>) -> bool {
        match pending {
            None => {
                self.finish(message);
                true
            }
            Some(pending) => {
                self.set_aside(pending, *message, None);
                false
            }
        }
    }

    fn serve_keyed(&self, shared: &Shared) -> usize {
        self.continue_keyed(shared);
        let received = self.node().try_receive().map_or(0, |_right| {
            self.receive(|message| {
                if let Some(key) = self.key_of(message) {
                    shared.enqueue(key, Event::Message(*message));
                }
                true
            })
        });
        if received > 0 {
            shared.note_change();
            // One of them it can take itself.
            self.wake_servers(received - 1);
        }
        let mut done = 0;
        while done < BATCH && self.runs_one(shared) {
            done += 1;
        }
        if done > 0 {
            self.wake_idle_servers(shared);
        }
        received + done
    }

    /// Runs the oldest event that this processor may run. False if there is none.
    fn runs_one(&self, shared: &Shared) -> bool {
        let changes = shared.changes();
        let Some(dispatch) = shared.queue.dequeue(self.server()) else {
            self.searched.set(changes);
            return false;
        };
        let (event, held) = dispatch.into_parts();
        match event {
            Event::Message(message) => {
                self.trace_handler(&message);
                self.handle_keyed(shared, &message, &message.packet, held);
            }
            Event::Then(continued) => {
                let (message, then) = *continued;
                self.trace_own(&then);
                self.handle_keyed(shared, &message, &then, held);
            }
            Event::Grant(thread) => self.grant(thread, held),
        }
        true
    }

    /// Handles a message, or what comes after a lowering that it began.
    pub(crate) fn handle_keyed(&self, shared: &Shared, message: &Received, packet: &Packet, mut held: Held) {
        if let Some(pending) = self.handle(packet, held.proof()) {
            return self.set_aside(pending, *message, Some(held));
        }
        shared.queue.complete(held);
        shared.note_change();
        self.finish(message);
    }

    /// Gives a key to the thread that asked for it.
    fn grant(&self, thread: u32, held: Held) {
        let node = self.node();
        node.threads[thread as usize].grant(held);
        self.make_ready(ThreadId { node: node.id, index: thread });
        self.gauge().count_handled(1);
    }

    pub(crate) fn key_of(&self, message: &Received) -> Option<Key> {
        self.node().resident.node.key(&message.packet).map_err(|bad| self.fail(bad.to_string())).ok()
    }

    /// Runs a handler, and what comes after it where it takes a right away, as far as that needs no waiting.
    fn handle(&self, packet: &Packet, mut proof: Proof<'_>) -> Option<Pending> {
        let node = &self.node().resident.node;
        let before = self.doing.replace(Doing::Handler(packet.id()));
        let mut lowering =
            node.deliver(packet, &mut Handler::new(node, packet.source(), proof.reborrow(), self));
        let mut pending = None;
        while let Some(lower) = lowering.take() {
            pending = self.take_away(&lower);
            if pending.is_some() {
                break;
            }
            let then = &lower.then;
            lowering = node.deliver(then, &mut Handler::new(node, then.source(), proof.reborrow(), self));
        }
        self.trace(|node, processor| Traced::HandlerEnd { node, processor });
        self.doing.set(before);
        self.gauge().count_handler();
        pending
    }

    /// Accounts for a message whose handler has run.
    fn finish(&self, message: &Received) {
        if message.origin == Origin::Thread {
            self.world.lane(message.packet.source(), self.node().id).count_handled();
            self.owes_digest.set(true);
        }
        self.gauge().count_handled(1);
    }

    /// Wakes servers of this node that sleep, as many as there are new events; where each key is bound to one of them,
    /// all.
    pub(crate) fn wake_servers(&self, events: usize) {
        fence(Ordering::SeqCst);
        let events = if self.world.policy.dispatch == Dispatch::Partitioned { usize::MAX } else { events };
        let berths = self.world.server_berths(self.node().id).iter();
        let woken = berths.filter(|berth| berth.wake());
        woken.take(events).for_each(drop);
    }

    /// Wakes the servers of this node that sleep although events wait: a key that was released may be theirs to take.
    pub(crate) fn wake_idle_servers(&self, shared: &Shared) {
        fence(Ordering::SeqCst);
        let someone_sleeps = self.world.server_berths(self.node().id).iter().any(Berth::is_taken);
        if someone_sleeps && !shared.queue.is_empty() {
            self.wake_servers(usize::MAX);
        }
    }
}
