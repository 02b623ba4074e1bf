//! Serving: moving outboxes on, receiving from the lanes if nobody else does, running what may be run.
//!
//! A message is *in flight* from the moment its sender counts it until it is counted handled here, after its handler has
//! run. That is done once for a batch of a lane where it is handled there and then. `quiescence` needs no more: what
//! is handled is counted late, never early, so the sums agree only when nothing is in flight; and a processor counts its
//! batch before it can say that it is idle, so they do agree in the end. What a batch's handlers send is counted, as always,
//! before anybody can see it, and so before the batch is. A sender's credits come back once for a batch too: while a batch is
//! under way fewer are known than there are, which keeps the bound of the outboxes (`lane`).
//!
//! This module must never know when a processor serves.

use tempest::policy::Dispatch;
use tempest::world::{DispatchKey, Held, Lowering, Packet, Proof, Serial};
use tempest::{NodeId, ThreadId};
use trace::Event as Traced;

use crate::apart::bump;
use crate::dispatch::dispatcher::{Dispatcher, Kept, Shared};
use crate::dispatch::right::Turn;
use crate::link::lane::Lane;
use crate::link::ring::{BadLength, Origin, Received};
use crate::memory::set_aside::{Done, Pending};
use crate::processor::core::{Doing, Processor};

/// Messages taken from one lane before the next is looked at.
pub(crate) const BATCH: usize = 32;

/// One in so many batches is timed: two looks at the clock cost as much as a handler.
const SAMPLE: u32 = 16;

/// What has been dealt with of the messages that came from one lane, a batch at most, until it is counted: those handled in the low
/// half, and of these the messages of threads in the high half. One number is one register of the loop.
#[derive(Default)]
pub(crate) struct Tally(u64);

impl Tally {
    /// Its handler has run.
    #[inline]
    pub(crate) fn count(&mut self, message: &Received) {
        self.0 += 1 | u64::from(message.origin == Origin::Thread) << 32;
    }

    fn handled(&self) -> u64 {
        self.0 & 0xffff_ffff
    }

    fn by_threads(&self) -> u64 {
        self.0 >> 32
    }
}

impl Processor {
    /// Moves messages on and runs handlers; returns how many events it dealt with.
    pub(crate) fn serve(&self) -> usize {
        self.serve_if(Self::sees_events)
    }

    /// Moves messages on and runs handlers, but leaves messages that the node sent to itself to the processor
    /// that has the floor.
    pub(crate) fn serve_due(&self) -> usize {
        self.serve_if(Self::sees_events_due)
    }

    #[inline]
    fn serve_if(&self, sees_events: impl FnOnce(&Self) -> bool) -> usize {
        self.move_on();
        let is_sampled = self.batches.get() % SAMPLE == SAMPLE / 2;
        // A node of one processor skips this test: receiving is as cheap. A sampled batch makes it all the
        // same, so as not to read the clock for nothing.
        if (is_sampled || !self.is_alone() || self.node().has_set_aside()) && !sees_events(self) {
            return 0;
        }
        let timed = is_sampled.then(|| self.world.now_ns());
        let done = self.run_handlers(|| match &self.node().dispatcher {
            Dispatcher::Own(_) => self.receive_serial(),
            Dispatcher::Serial(_) => self.try_receive().map_or(0, |_right| self.receive_serial()),
            Dispatcher::Keyed(shared) => self.serve_by_key(shared),
        });
        self.tell_acknowledged();
        if done > 0 {
            self.batches.set(self.batches.get().wrapping_add(1));
            if let Some(start) = timed {
                let took = (self.world.now_ns() - start) * u64::from(SAMPLE);
                bump(&self.gauge().overhead_ns, took);
                bump(&self.gauge().serving_ns, took);
            }
        }
        done
    }

    /// Whether there may be something to receive or to run.
    #[inline]
    pub(crate) fn sees_events(&self) -> bool {
        self.sees_events_but(|_| true)
    }

    /// Whether events wait for this processor. Messages that the node sent to itself do not count while
    /// another processor has the floor.
    #[inline]
    pub(crate) fn sees_events_due(&self) -> bool {
        match self.floor() {
            None => self.sees_events(),
            Some(floor) => self.sees_events_but(|own| {
                floor.may_be_free_for(&self.speaker) && own.has_message() && floor.is_free_for(&self.speaker)
            }),
        }
    }

    /// Whether there may be something to receive or to run, where it depends whether the lane from the node to itself counts.
    #[inline]
    fn sees_events_but(&self, counts: impl Fn(&Lane) -> bool) -> bool {
        let node = self.node();
        let changed = match &node.dispatcher {
            Dispatcher::Keyed(shared) => self.sees_dispatchable(shared) || self.sees_change(),
            _ if node.has_set_aside() => return self.sees_change(),
            _ => false,
        };
        let mut lanes = self.world.lanes_into(node.id).zip(0..);
        changed || lanes.any(|(lane, source)| (source != node.id.0 || counts(lane)) && lane.has_message())
    }

    /// Moves what it can from the outboxes into the rings, and then publishes what could not be before. Whether anything moved.
    #[inline]
    pub(crate) fn move_on(&self) -> bool {
        self.node().backlog.is_left() && self.clear_backlog()
    }

    #[cold]
    fn clear_backlog(&self) -> bool {
        let node = self.node();
        let before = node.backlog.words();
        for (lane, to) in self.lanes.iter().zip(0..) {
            if lane.flush(&node.backlog) {
                self.wake_receiver(NodeId(to));
            }
        }
        if node.backlog.settles() {
            self.world.lanes_into(node.id).for_each(Lane::publish_acknowledged);
        }
        node.backlog.words() < before
    }

    /// Tells senders of what this processor has handled, or leaves that to the processor that empties the outboxes.
    #[inline]
    fn tell_acknowledged(&self) {
        if !self.owes_digest.replace(false) {
            return;
        }
        let node = self.node();
        if node.backlog.may_acknowledge() {
            self.world.lanes_into(node.id).for_each(Lane::publish_acknowledged);
        } else {
            node.backlog.owe();
            self.clear_backlog();
        }
    }

    /// The right to receive, if nobody has it; an only processor needs none.
    #[inline]
    pub(crate) fn try_receive(&self) -> Option<Turn<'_>> {
        self.node().right_to_receive.try_take(self.number)
    }

    /// Takes messages from the lanes into this node as long as `each` says, which counts what it has dealt with; returns
    /// how many. Needs the right to receive.
    pub(crate) fn receive(&self, mut each: impl FnMut(&Received, &mut Tally) -> bool) -> usize {
        self.bursts.begin();
        let mut received = 0;
        let mut message = Received::blank();
        let node = &self.node().resident.node;
        // What comes next is handled here, too, unless it goes to a queue.
        let looks_ahead = node.foresees() && !matches!(self.node().dispatcher, Dispatcher::Keyed(_));
        let floor = self.floor();
        for (lane, source) in self.world.lanes_into(self.node().id).zip(0..) {
            let (mut tally, mut goes_on) = (Tally::default(), true);
            let drained = lane.receive(BATCH, NodeId(source), &mut message, |message, is_good| {
                if let Some(floor) = floor {
                    floor.go_on(&self.speaker);
                }
                if looks_ahead {
                    lane.look_ahead(NodeId(source), |packet| node.prefetch(packet));
                }
                goes_on = match is_good {
                    Ok(()) => !self.unload(message) || each(message, &mut tally),
                    Err(length) => self.refuse(&length),
                };
                goes_on
            });
            self.count_dealt_with(lane, &tally);
            if drained.messages > 0 {
                self.bursts.note(drained.messages, drained.more);
                received += drained.messages;
            }
            if !goes_on {
                break;
            }
        }
        received
    }

    #[cold]
    fn refuse(&self, length: &BadLength) -> bool {
        self.fail(format!("a message claims {} words", length.0));
        true
    }

    /// Accounts for a batch of messages of a lane, once for all. Until then they are in flight, which is only the safe
    /// side: see `quiescence`.
    #[inline]
    fn count_dealt_with(&self, lane: &Lane, tally: &Tally) {
        if tally.handled() == 0 {
            return;
        }
        self.gauge().count_handlers(tally.handled());
        if tally.by_threads() > 0 {
            lane.count_handled(tally.by_threads());
            if self.node().backlog.may_acknowledge() {
                lane.publish_acknowledged();
            } else {
                self.owes_digest.set(true);
            }
        }
        self.gauge().count_handled(tally.handled());
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
        let before = self.doing.get();
        let node = &*self.node().resident.node;
        let received = self.serially(|serial| {
            self.receive(|message, tally| {
                self.trace_handler(message);
                let Some(lowering) = self.handle_next(node, serial, &message.packet) else {
                    self.trace(|node, processor| Traced::HandlerEnd { node, processor });
                    tally.count(message);
                    return true;
                };
                self.handle_lowering(lowering, serial, message, tally)
            })
        });
        self.doing.set(before);
        done + received
    }

    /// Handles a message that was received; returns the lowering that its handler ended with. One that no handler may see is dealt
    /// with by that: the run is over.
    #[inline]
    fn handle_next(
        &self,
        node: &tempest::world::Node,
        serial: &mut Serial,
        packet: &Packet,
    ) -> Option<Box<Lowering>> {
        self.doing.set(Doing::Handler(packet.id()));
        let mut lowering = None;
        if let Err(bad) = node.deliver_serially(packet, serial, self, &mut lowering) {
            self.fail(bad.to_string());
        }
        self.note_handled(packet);
        lowering
    }

    /// A handler has run: what it has left in outboxes, if anything, tells how many messages of its kind may come together.
    #[inline]
    fn note_handled(&self, packet: &Packet) {
        if self.outboxed.get() > 0 {
            self.note_fan_out(packet.id());
        }
    }

    /// A message's handler has ended with a lowering: takes the right away and handles what comes after it. False if that waits.
    #[cold]
    fn handle_lowering(
        &self,
        lowering: Box<Lowering>,
        serial: &mut Serial,
        message: &Received,
        tally: &mut Tally,
    ) -> bool {
        let key = self.node().resident.node.key(&message.packet).expect("its handler has run");
        let pending = self.take_away_all(lowering, &mut serial.hold(key));
        self.trace(|node, processor| Traced::HandlerEnd { node, processor });
        let Some(pending) = pending else {
            tally.count(message);
            return true;
        };
        self.gauge().count_handlers(1);
        self.set_aside(pending, *message, None);
        false
    }

    /// Runs the handler of an event of this node that no lane has brought, and what comes after it where it takes a right away, as far
    /// as that needs no waiting. The key is read with the message.
    pub(crate) fn handle_own(&self, packet: &Packet) -> Option<Pending> {
        let (before, node) = (self.doing.get(), &*self.node().resident.node);
        let pending = self.serially(|serial| {
            let lowering = self.handle_next(node, serial, packet)?;
            let key = node.key(packet).expect("its handler has run");
            self.take_away_all(lowering, &mut serial.hold(key))
        });
        self.gauge().count_handlers(1);
        self.trace(|node, processor| Traced::HandlerEnd { node, processor });
        self.doing.set(before);
        pending
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

    /// Handles a message, or what comes after a lowering that it began.
    pub(crate) fn handle_keyed(&self, shared: &Shared, message: &Received, packet: &Packet, held: Held) {
        let mut held = Kept::new(shared, held);
        if let Some(pending) = self.handle(packet, held.proof()) {
            return self.set_aside(pending, *message, Some(held.take()));
        }
        if held.complete() {
            shared.note_change();
        }
        self.finish(message);
    }

    /// Gives a key to the thread that asked for it.
    pub(crate) fn grant(&self, thread: u32, held: Held) {
        let node = self.node();
        node.threads[thread as usize].grant(held);
        self.make_ready(ThreadId { node: node.id, index: thread });
        self.gauge().count_handled(1);
    }

    pub(crate) fn key_of(&self, message: &Received) -> Option<DispatchKey> {
        self.node().resident.node.key(&message.packet).map_err(|bad| self.fail(bad.to_string())).ok()
    }

    /// Runs a handler, and what comes after it where it takes a right away, as far as that needs no waiting.
    pub(crate) fn handle(&self, packet: &Packet, proof: Proof<'_>) -> Option<Pending> {
        self.gauge().count_handlers(1);
        self.handle_uncounted(packet, proof)
    }

    /// Runs the handler of a message; the caller counts it as handled.
    pub(crate) fn handle_uncounted(&self, packet: &Packet, mut proof: Proof<'_>) -> Option<Pending> {
        let before = self.doing.get();
        let lowering = self.run_handler(packet, &mut proof);
        let pending = lowering.and_then(|lowering| self.take_away_all(lowering, &mut proof));
        self.trace(|node, processor| Traced::HandlerEnd { node, processor });
        self.doing.set(before);
        pending
    }

    /// Runs the handler of a message, which may end with a lowering. The caller restores what the processor does otherwise.
    #[inline]
    pub(crate) fn run_handler(&self, packet: &Packet, proof: &mut Proof<'_>) -> Option<Box<Lowering>> {
        self.doing.set(Doing::Handler(packet.id()));
        let node = &self.node().resident.node;
        let lowering = node.deliver(
            packet,
            &mut tempest::world::handler(node, packet.source(), proof.reborrow(), self, None),
        );
        self.note_handled(packet);
        lowering
    }

    /// Takes a right away and runs what comes after it, as far as that needs no waiting.
    fn take_away_all(&self, lowering: Box<Lowering>, proof: &mut Proof<'_>) -> Option<Pending> {
        let node = &self.node().resident.node;
        let mut next = Some(lowering);
        while let Some(lowering) = next {
            let pending = self.take_away(&lowering);
            if pending.is_some() {
                return pending;
            }
            let then = &lowering.then;
            next = node.deliver(
                then,
                &mut tempest::world::handler(node, then.source(), proof.reborrow(), self, None),
            );
        }
        None
    }

    /// Accounts for a message whose handler has run.
    pub(crate) fn finish(&self, message: &Received) {
        if message.origin == Origin::Thread {
            self.world.lane(message.packet.source(), self.node().id).count_handled(1);
            self.owes_digest.set(true);
        }
        self.gauge().count_handled(1);
    }

    /// Wakes servers of this node that sleep, as many as there are new events; where each key is bound to one of them,
    /// all.
    pub(crate) fn wake_servers(&self, events: usize) {
        self.world.fences.light();
        let node = self.node().id;
        if !self.world.someone_sleeps_on(node) {
            return;
        }
        let events = if self.world.policy.dispatch == Dispatch::Partitioned { usize::MAX } else { events };
        let woken = self.world.server_berths(node).iter().filter(|berth| berth.wake());
        if woken.take(events).count() < events {
            self.world.rouse_helper(node);
        }
    }

    /// Wakes the servers of this node that sleep although events wait: a key that was released may be theirs to take.
    pub(crate) fn wake_idle_servers(&self, shared: &Shared) {
        self.world.fences.light();
        let node = self.node().id;
        if self.world.someone_sleeps_on(node) && !shared.queue.is_empty() {
            self.wake_servers(usize::MAX);
        }
    }
}
