//! Serving by key: what is received goes into the node's dispatch queue, and what its keys allow is taken out of it, by every
//! processor that serves.
//!
//! # Two ways
//!
//! Handlers of [`BRIEF_NS`] are over before another processor could have taken them. As long as they are like that, whoever
//! receives a message holds its key, if it is free, and handles it there and then: nothing but the key's lane of the queue is
//! touched. What finds its key held, or waited for, goes into the queue.
//!
//! Where processors compute and run handlers in turn (`floor`), a batch of several takes the whole queue instead of one key
//! after the other, if nothing in it is unfinished: to pass through a lane twice costs more than most brief handlers. What
//! comes for a key meanwhile waits for the end of the batch, no longer than a receiver waits for another's. Where rights to
//! shared memory are taken away keys are held one by one, because they may have to stay held.
//!
//! Where handlers take longer, or each key is bound to one processor, all that is received goes into the queue, and the
//! processor is a [`pdq::Worker`] while it serves: it appends a batch of messages at once, and claims a batch of events. Between
//! two services the worker is paused, with what it has learnt.
//!
//! Either way what is received has its place before the right to receive is given away, so messages of a key are handled in
//! ring order, whoever takes them out.
//!
//! # Long handlers
//!
//! No processor knows beforehand that a handler takes long, so each one is run as if it did:
//!
//! * The right to receive is offered meanwhile (`right`): the key is held, so the message has its place. A processor that sees
//!   messages wait, and the same handler run for some microseconds, takes the right over. Where the batch has taken the whole
//!   queue, it also breaks into that ([`pdq::Seizure`]): only the handler's own key stays held.
//! * Before it runs, all that the batch has put into the queue or made ready is told to the others.
//! * Where a sender may rely on a processor because that is awake, the processor is *engaged* (`berth`) as long as it serves:
//!   whoever sends to a node whose awake servers are all engaged wakes one that sleeps. What was sent just before it engaged
//!   itself it may be the only one to know of, so it looks behind the first message, and wakes a server for what it sees there.
//!
//! # When it stops to look
//!
//! Who has searched in vain need not search again before the queue changes: before something is appended, a claim is done, or a
//! key is released that something waits for. A key that nobody has come for meanwhile is no news: two processors that told each
//! other of every hold would search all the time.
//!
//! But for one case: what waits may be behind events that another processor has claimed, and one of those takes long. A worker
//! breaks into such a claim when it has watched it for some microseconds. So whoever goes on looking searches again at a few of
//! its looks, and then no more: who never stopped would never sleep. Before it sleeps it searches thoroughly: that breaks into
//! all claims, and takes from them what has not been begun. Where the whole queue is seized and something waits in it, it does
//! not sleep.
//!
//! This module must never know when a processor serves.

use pdq::{Handling, Seizure, Worker};
use tempest::policy::Dispatch;
use tempest::world::{DispatchKey, Name};
use trace::Event as Traced;

use crate::dispatch::dispatcher::{Event, Kept, Shared};
use crate::dispatch::duty::{BRIEF_NS, FEW, Late};
use crate::dispatch::receive::{BATCH, Tally};
use crate::dispatch::right::{PATIENCE_NS, SHARED_PATIENCE_NS, Turn};
use crate::dispatch::{handle, looks, receive};
use crate::link::lane::Lane;
use crate::link::ring::Received;
use crate::link::wake;
use crate::memory::lowering;
use crate::processor::core::Processor;

/// Rounds through the lanes for which the whole queue stays taken, as long as each brings a full batch: what it costs to take
/// it, and the way of what the node's processors share from one to another, then hardly count.
const ROUNDS: usize = 4;

/// Refusals of the right to receive, some microseconds of a processor that looks for work, between two looks at who has it: the holder
/// stores to the line of each look with every handler, and fetches it again after each.
const REFUSALS: u32 = 128;

/// Refusals between two looks where processors share cores: each may take until its processor has a core again.
const SHARED_REFUSALS: u32 = 16;

/// Messages that are handled in place, one after the other.
struct Batch<'a> {
    shared: &'a Shared,
    turn: Turn<'a>,
    /// When it began.
    start_ns: u64,
    /// So many handled are worth the whole queue: taking it costs about as much, a latch or two of each lane.
    seizes_at: u64,
    /// Messages that have been handled.
    handled: u64,
    /// Messages that went into the queue.
    queued: usize,
    /// Of those, messages that nobody has been told of.
    untold: usize,
    /// Something that waited in the queue can be taken, and nobody has been told.
    freed: bool,
    /// It has left something to others, and told so.
    left: bool,
    /// The whole queue, while it is taken.
    all: Option<Seizure<'a, Event, Name>>,
}

impl Batch<'_> {
    /// Whether messages may be handled in place now. Takes the whole queue when it is time, and gives it back when handlers are
    /// not brief: others have something to do then.
    fn may_handle(&mut self) -> bool {
        if !self.shared.is_brief() {
            self.release();
            return false;
        }
        // Not behind one of its own that waits in it: that would be tried in vain, again and again, while others are kept out.
        if self.handled == self.seizes_at && self.queued == 0 {
            self.all = self.shared.queue.seize();
        }
        true
    }

    /// Gives the queue back, if it has been taken.
    fn release(&mut self) {
        if let Some(all) = self.all.take() {
            self.freed |= all.give_back();
        }
    }

    /// Loses the right to receive if another processor has broken into the queue: that has inherited it.
    fn lose_if_broken(&self) {
        if self.all.as_ref().is_some_and(Seizure::is_broken) {
            self.turn.lose();
        }
    }
}

impl Drop for Batch<'_> {
    /// Also after a handler that has panicked, which may have been broken into before: the turn gives back what it has not lost.
    fn drop(&mut self) {
        self.lose_if_broken();
    }
}

/// Receives, if nobody else does, and runs events; returns how many messages and events that were.
pub(crate) fn serve_by_key(processor: &Processor, shared: &Shared) -> usize {
    lowering::continue_keyed(processor, shared);
    if !shared.is_brief() || processor.world().policy.dispatch == Dispatch::Partitioned {
        return serve_as_worker(processor, shared, true);
    }
    let received = receive_in_place(processor, shared);
    if !looks::sees_dispatchable(processor, shared) {
        return received;
    }
    received + serve_as_worker(processor, shared, false)
}

/// Handles what is received there and then, as far as its keys are free and handlers are brief.
fn receive_in_place(processor: &Processor, shared: &Shared) -> usize {
    let Some(turn) = turn_to_receive(processor, shared) else { return 0 };
    let mut looks_behind = engage(processor);
    let mut batch = begin_batch(processor, shared, turn);
    let (mut received, before) = (0, processor.occupation.now());
    for _ in 0..ROUNDS {
        let round = receive::receive(processor, |message, tally| {
            if looks_behind {
                looks_behind = false;
                leave_messages(processor);
            }
            match &processor.node().resident.node.key(&message.packet) {
                Ok(key) => handle_or_queue(processor, key, message, &mut batch, tally),
                Err(bad) => processor.fail(bad.to_string()),
            }
            batch.turn.is_kept()
        });
        received += round;
        // Another processor may have taken over at the last message of a full batch.
        if round < BATCH || batch.all.is_none() || !batch.turn.is_kept() {
            break;
        }
    }
    processor.occupation.go_back_to(before);
    batch.release();
    tell(processor, &mut batch);
    drop(batch);
    disengage(processor);
    received
}

/// The right to receive, from nobody or from a processor that is at one handler for long. Nobody receives what the queue has
/// no room for; a right that has been taken over is used in any case, because the former holder has lost more than that.
fn turn_to_receive<'a>(processor: &'a Processor, shared: &Shared) -> Option<Turn<'a>> {
    let turn = receive::try_receive(processor);
    let once_in = if processor.world().oversubscribed { SHARED_REFUSALS } else { REFUSALS };
    if turn.is_none()
        && (processor.duty.counts_refusal(once_in) || processor.world().is_helper(processor.index()))
    {
        return take_over(processor, shared);
    }
    turn.filter(|_| shared.has_room())
}

/// The right to receive, and all keys but one where they are seized, from a processor that is at one handler for long.
#[cold]
fn take_over<'a>(processor: &'a Processor, shared: &Shared) -> Option<Turn<'a>> {
    let (right, now) = (&processor.node().right_to_receive, processor.world().now_ns());
    let patience = if processor.world().oversubscribed { SHARED_PATIENCE_NS } else { PATIENCE_NS };
    let is_late = |handler| processor.duty.is_late(handler, now, patience);
    if let Some(offer) = right.offered() {
        return if is_late(Late::Offered(offer)) { right.take_over(offer, processor.number()) } else { None };
    }
    let item = shared.queue.seized_for()?;
    if !is_late(Late::Seized(item)) || !shared.queue.break_in(item) {
        return None;
    }
    shared.note_change();
    wake::idle_servers(processor, shared);
    Some(right.inherit(processor.number()))
}

/// May be long at what it does from now on: whoever sends after this wakes somebody else for it. True if one sleeps who is
/// to be woken for what was sent before.
fn engage(processor: &Processor) -> bool {
    if !is_relied_on(processor) {
        return false;
    }
    let (world, node) = (&processor.world(), processor.node().id);
    let others = world.server_berths(node).iter().chain(world.helper_berth(node));
    world.berths[processor.index()].engage_beside(others)
}

fn disengage(processor: &Processor) {
    if is_relied_on(processor) {
        processor.world().berths[processor.index()].engage(false);
    }
}

/// Whether a sender may leave a message to this processor because that is awake. Elsewhere whoever sends wakes whoever sleeps,
/// and looks at every berth for that: one that changed with every batch would have to come from another cache each time.
fn is_relied_on(processor: &Processor) -> bool {
    let world = &processor.world();
    world.split.dedicated > 0 || world.helper_berth(processor.node().id).is_some()
}

/// Messages wait that this processor is not going to receive soon.
#[cold]
fn leave_messages(processor: &Processor) {
    if processor.world().lanes_into(processor.node().id).any(Lane::has_message) {
        wake::servers(processor, 1);
    }
}

/// Tells the others what a batch has left to them so far: its next handler may take long. One server is woken for each event.
#[inline]
fn tell_soon(processor: &Processor, batch: &mut Batch<'_>) {
    if batch.untold > 0 || batch.freed {
        batch.shared.note_change();
        wake::servers(processor, batch.untold + usize::from(batch.freed));
        (batch.untold, batch.freed, batch.left) = (0, false, true);
    }
}

/// Tells the others what a batch has left to them.
fn tell(processor: &Processor, batch: &mut Batch<'_>) {
    tell_soon(processor, batch);
    if batch.left {
        wake::idle_servers(processor, batch.shared);
    }
}

fn begin_batch<'a>(processor: &Processor, shared: &'a Shared, turn: Turn<'a>) -> Batch<'a> {
    // A helper has no core of its own: everything would wait for it, not one key.
    let is_helper = processor.world().is_helper(processor.index());
    let seizes = processor.floor().is_some() && processor.lowerings().is_none() && !is_helper;
    Batch {
        shared,
        turn,
        start_ns: processor.world().now_ns(),
        seizes_at: if seizes { shared.queue.servers() as u64 } else { u64::MAX },
        handled: 0,
        queued: 0,
        untold: 0,
        freed: false,
        left: false,
        all: None,
    }
}

/// Handles a message there and then, or gives it its place in the queue, behind those before it.
#[inline]
fn handle_or_queue(
    processor: &Processor,
    key: &DispatchKey,
    message: &Received,
    batch: &mut Batch<'_>,
    tally: &mut Tally,
) {
    if !batch.may_handle() || !handle_in_place(processor, key, message, batch, tally) {
        batch.shared.queue.enqueue(*key, Event::Message(*message));
        batch.queued += 1;
        batch.untold += 1;
        return;
    }
    batch.handled += 1;
    let is_time = batch.handled.is_power_of_two();
    if is_time && processor.world().now_ns() - batch.start_ns > batch.handled.max(FEW) * BRIEF_NS {
        batch.shared.note_brief(false);
    }
}

/// Handles a message, if its key is free; else false.
#[inline]
fn handle_in_place(
    processor: &Processor,
    key: &DispatchKey,
    message: &Received,
    batch: &mut Batch<'_>,
    tally: &mut Tally,
) -> bool {
    if let Some(all) = &mut batch.all {
        processor.tracer.handler_starts(message);
        let lowering = all.run(*key, |mut proof| handle::run_handler(processor, &message.packet, &mut proof));
        debug_assert!(lowering.is_none(), "there is no shared memory to lower a right to");
        processor.tracer.trace(|node, processor| Traced::HandlerEnd { node, processor });
        tally.count(message);
        if all.is_broken() {
            batch.turn.lose();
        }
        return true;
    }
    let Some(held) = batch.shared.queue.try_hold(*key) else { return false };
    let mut held = Kept::new(batch.shared, held);
    tell_soon(processor, batch);
    processor.tracer.handler_starts(message);
    match batch.turn.offer(|| handle::handle_uncounted(processor, &message.packet, held.proof())) {
        Some(pending) => {
            processor.gauge().count_handlers(1);
            lowering::set_aside(processor, pending, *message, Some(held.take()));
        }
        None => {
            batch.freed |= held.complete();
            tally.count(message);
        }
    }
    true
}

fn serve_as_worker(processor: &Processor, shared: &Shared, receives: bool) -> usize {
    let mut worker = match processor.duty.take_worker() {
        Some(paused) => shared.queue.resume(paused),
        None => shared.queue.worker(processor.server()),
    };
    let looks_behind = engage(processor);
    let received = if receives { receive_into_queue(processor, shared, &mut worker) } else { 0 };
    if received > 0 {
        shared.note_change();
        // One of them it can take itself.
        wake::servers(processor, received - 1);
    }
    if looks_behind {
        leave_messages(processor);
    }
    let start = processor.world().now_ns();
    let done = run_claims(processor, shared, &mut worker);
    disengage(processor);
    if done > 0 {
        shared.note_brief(processor.world().now_ns() - start < (done as u64).max(FEW) * BRIEF_NS);
    }
    processor.duty.keep_worker(worker.pause());
    received + done
}

fn receive_into_queue(processor: &Processor, shared: &Shared, worker: &mut Worker<'_, Event, Name>) -> usize {
    let Some(_turn) = turn_to_receive(processor, shared) else { return 0 };
    let received = receive::receive(processor, |message, _| {
        if let Some(key) = handle::key_of(processor, message) {
            worker.enqueue(key, Event::Message(*message));
        }
        true
    });
    worker.flush();
    received
}

/// Runs about a batch of events; returns how many.
fn run_claims(processor: &Processor, shared: &Shared, worker: &mut Worker<'_, Event, Name>) -> usize {
    let mut done = 0;
    while done < BATCH {
        let serve = || worker.serve(|event, handling| run_event(processor, event, handling));
        let events = processor.duty.search(&shared.changes, serve);
        if events == 0 {
            break;
        }
        done += events;
        // Keys are free again.
        shared.note_change();
        wake::idle_servers(processor, shared);
    }
    done
}

fn run_event(processor: &Processor, event: Event, mut handling: Handling<'_, '_, Event, Name>) {
    let (message, then) = match event {
        Event::Message(message) => {
            processor.tracer.handler_starts(&message);
            (message, None)
        }
        Event::Then(continued) => {
            processor.tracer.own(&continued.1);
            (continued.0, Some(continued.1))
        }
        Event::Grant(thread) => return handle::grant(processor, thread, handling.keep()),
    };
    let packet = then.as_ref().unwrap_or(&message.packet);
    match handle::handle(processor, packet, handling.proof()) {
        Some(pending) => lowering::set_aside(processor, pending, message, Some(handling.keep())),
        None => handle::finish(processor, &message),
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

    use pdq::DispatcherId;
    use tempest::Policy;

    use super::*;
    use crate::dispatch::dispatcher::Dispatcher;
    use crate::dispatch::right::Right;
    use crate::fences::Fences;

    /// A node's queue under a policy by which its two processors compute and handle messages in turn.
    fn shared() -> Box<Shared> {
        let policy: Policy = "floating+keyed".parse().unwrap();
        let split = policy.split(2).unwrap();
        let Dispatcher::Keyed(shared) = Dispatcher::new(&policy, split, DispatcherId::fresh()) else {
            panic!("the policy dispatches by key");
        };
        shared
    }

    #[test]
    fn a_batch_whose_broken_handler_panics_leaves_the_right_to_receive_to_whoever_broke_in() {
        let (shared, right) = (shared(), Right::among(2, Fences::asymmetric()));
        let mut inherited = None;
        let panics = || {
            let mut batch = Batch {
                shared: &shared,
                turn: right.try_take(0).unwrap(),
                start_ns: 0,
                seizes_at: 0,
                handled: 0,
                queued: 0,
                untold: 0,
                freed: false,
                left: false,
                all: None,
            };
            assert!(batch.may_handle());
            batch.all.as_mut().unwrap().run(DispatchKey::NoSync, |_| {
                assert!(shared.queue.break_in(shared.queue.seized_for().unwrap()));
                inherited = Some(right.inherit(1));
                resume_unwind(Box::new("a panic on purpose"));
            });
        };
        assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        assert!(right.try_take(0).is_none(), "one has it at a time");
        drop(inherited);
        assert!(right.try_take(0).is_some() && shared.queue.seize().is_some());
    }
}
