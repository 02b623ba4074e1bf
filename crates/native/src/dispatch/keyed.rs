//! Serving by key: received messages go into the node's dispatch queue, and every server takes the events out of it that their keys allow.
//!
//! # Two ways
//!
//! A handler of at most [`BRIEF_NS`] is over before another processor could have taken it. As long as handlers are brief, the receiving
//! processor holds the key of each message, if it is free, and handles the message in place: it touches only the key's lane of the queue.
//! A message goes into the queue if its key is held or another event waits for that key.
//!
//! On nodes whose processors compute and run handlers in turn (`contention`), a batch of several messages seizes the whole queue instead of
//! one key after the other, if no event in it is unfinished: passing through a lane twice costs more than most brief handlers. Holds of
//! other threads then wait for the end of the batch, no longer than a receiver waits for another. If there is shared memory, keys are
//! held one by one, because a downgrade may have to keep its key held.
//!
//! If handlers take longer, or each key is bound to one processor, all received messages go into the queue, and the processor acts as a
//! [`pdq::Worker`] while it serves: it appends a batch of messages at once and claims a batch of events. Between two services the worker
//! is paused and keeps its state.
//!
//! In both ways every message has its place before the receive lock is given up, so messages of a key are handled in ring order,
//! whichever processor takes them out.
//!
//! # Long handlers
//!
//! A long handler is not known beforehand, so each handler is run as if it were long:
//!
//! * The receive lock is offered meanwhile (`receive_lock`): the key is held, so the message has its place. A processor that sees waiting
//!   messages, and the same handler run for some microseconds, takes the lock over. If the batch has seized the whole queue, that
//!   processor also breaks into the seizure ([`pdq::Seizure`]): only the handler's own key stays held.
//! * Before a handler runs, the other servers are told of all events that the batch has queued or made ready.
//! * If a sender may rely on an awake processor to look, the processor is *engaged* (`parker`) as long as it serves: a sender wakes a
//!   sleeping server if all awake servers of the node are engaged. Only the engaged processor may know of messages sent just before it
//!   engaged itself, so it looks behind the first message, and wakes a server for the messages that it sees.
//!
//! # The end of searching
//!
//! After a fruitless search a processor need not search again before the queue changes: before an event is appended, a claim is
//! completed, or a key is released for which an event waits. The release of any other key is no change: two processors that told each
//! other of every hold would search all the time.
//!
//! There is one exception: events may wait behind a claim of another processor whose handler takes long. A worker breaks into such a
//! claim after it has watched it for some microseconds. So a processor that goes on looking searches again at a few of its looks, and then
//! stops, because it would otherwise never sleep. Before it sleeps it searches thoroughly: it breaks into all claims and takes the events
//! that have not been begun. It does not sleep while the whole queue is seized and an event waits in it.
//!
//! This module must never know when a processor serves.

use pdq::{Handling, Seizure, Worker};
use tempest::policy::Dispatch;
use tempest::world::{DispatchKey, Name};
use trace::Event as Traced;

use crate::dispatch::receive::Tally;
use crate::dispatch::tuning::{BATCH, REFUSALS_PER_LOOK, ROUNDS_PER_SEIZURE, SHARED_REFUSALS_PER_LOOK};
use crate::dispatch::{handle, looks, receive};
use crate::link::wake;
use crate::memory::downgrades;
use crate::parts::core::Processor;
use crate::parts::dispatcher::{Event, Kept, Shared};
use crate::parts::endpoint::Endpoint;
use crate::parts::queue_state::Late;
use crate::parts::receive_lock::ReceiveGuard;
use crate::parts::tuning::{BRIEF_NS, FEWEST_HANDLERS, PATIENCE_NS, SHARED_PATIENCE_NS};
use crate::rings::message::Received;
use crate::rings::receiver::Receiver;

/// A batch of messages handled in place, one after the other.
struct Batch<'a> {
    shared: &'a Shared,
    guard: ReceiveGuard<'a>,
    /// Start time, in nanoseconds.
    start_ns: u64,
    /// Number of handled messages at which the whole queue is seized: a seizure takes a latch or two of each lane, about as much as that
    /// many holds.
    seizes_at: u64,
    /// Number of messages handled in place.
    handled: u64,
    /// Number of messages put into the queue.
    queued: usize,
    /// Number of queued messages that other servers have not been told of.
    untold: usize,
    /// Whether an event that waited can be taken and other servers have not been told.
    freed: bool,
    /// Whether it has told other servers of events.
    left: bool,
    /// The seizure of the whole queue, while it lasts.
    all: Option<Seizure<'a, Event, Name>>,
}

impl Batch<'_> {
    /// Whether messages may be handled in place now. Seizes the whole queue when it is time, and releases it when handlers are not brief,
    /// so that other servers can take events.
    fn may_handle(&mut self) -> bool {
        if !self.shared.is_brief() {
            self.release();
            return false;
        }
        // Not if one of its own messages waits in the queue: the seizure would fail again and again, and keep others out.
        if self.handled == self.seizes_at && self.queued == 0 {
            self.all = self.shared.queue.seize();
        }
        true
    }

    /// Releases the seizure of the queue, if there is one.
    fn release(&mut self) {
        if let Some(all) = self.all.take() {
            self.freed |= all.give_back();
        }
    }

    /// Marks the receive lock as lost if another processor has broken into the seizure: that processor has inherited it.
    fn lose_if_broken(&self) {
        if self.all.as_ref().is_some_and(Seizure::is_broken) {
            self.guard.lose();
        }
    }
}

impl Drop for Batch<'_> {
    /// Runs also after a handler that has panicked and may have been broken into before. The guard releases the receive lock unless it is
    /// lost.
    fn drop(&mut self) {
        self.lose_if_broken();
    }
}

/// Receives, if no other processor does, and runs events. Returns the number of messages and events.
pub(crate) fn serve_by_key(processor: &Processor, shared: &Shared) -> usize {
    downgrades::continue_keyed(&processor.endpoint, &processor.service, shared);
    if !shared.is_brief() || processor.world().policy.dispatch == Dispatch::Partitioned {
        return serve_as_worker(processor, shared, true);
    }
    let received = receive_in_place(processor, shared);
    if !looks::sees_dispatchable(&processor.service.queue, shared) {
        return received;
    }
    received + serve_as_worker(processor, shared, false)
}

/// Handles received messages in place, as far as their keys are free and handlers are brief. Returns the number of messages.
fn receive_in_place(processor: &Processor, shared: &Shared) -> usize {
    let Some(guard) = lock_to_receive(processor, shared) else { return 0 };
    let mut looks_behind = engage(&processor.endpoint);
    let mut batch = begin_batch(&processor.endpoint, shared, guard);
    let (mut received, before) = (0, processor.endpoint.threads.occupation.now());
    for _ in 0..ROUNDS_PER_SEIZURE {
        let round = receive::receive(&processor.endpoint, &processor.service, |message, tally| {
            if looks_behind {
                looks_behind = false;
                leave_messages(&processor.endpoint);
            }
            match &processor.node().resident.node.key(&message.packet) {
                Ok(key) => handle_or_queue(processor, key, message, &mut batch, tally),
                Err(bad) => processor.endpoint.fail(bad.to_string()),
            }
            batch.guard.is_kept()
        });
        received += round;
        // Another processor may have taken over at the last message of a full batch.
        if round < BATCH || batch.all.is_none() || !batch.guard.is_kept() {
            break;
        }
    }
    processor.endpoint.threads.occupation.go_back_to(before);
    batch.release();
    tell(&processor.endpoint, &mut batch);
    drop(batch);
    disengage(&processor.endpoint);
    received
}

/// Takes the receive lock if it is free, or from a processor that is in one handler for long. Does not use a free lock if the queue
/// has no room; but always uses a lock that was taken over, because its former holder has lost more than the lock.
fn lock_to_receive<'a>(processor: &'a Processor, shared: &Shared) -> Option<ReceiveGuard<'a>> {
    let guard = receive::try_receive(&processor.endpoint);
    let once_in = if processor.world().oversubscribed { SHARED_REFUSALS_PER_LOOK } else { REFUSALS_PER_LOOK };
    if guard.is_none()
        && (processor.service.queue.counts_refusal(once_in)
            || processor.world().seating.is_helper(processor.endpoint.index()))
    {
        return take_over(processor, shared);
    }
    guard.filter(|_| shared.has_room())
}

/// Takes over the receive lock, and breaks into a seizure of the queue, from a processor that is in one handler for long.
#[cold]
fn take_over<'a>(processor: &'a Processor, shared: &Shared) -> Option<ReceiveGuard<'a>> {
    let (lock, now) = (&processor.node().receive_lock, processor.world().now_ns());
    let patience = if processor.world().oversubscribed { SHARED_PATIENCE_NS } else { PATIENCE_NS };
    let is_late = |handler| processor.service.queue.is_late(handler, now, patience);
    if let Some(offer) = lock.offered() {
        return if is_late(Late::Offered(offer)) {
            lock.take_over(offer, processor.endpoint.number())
        } else {
            None
        };
    }
    let item = shared.queue.seized_for()?;
    if !is_late(Late::Seized(item)) || !shared.queue.break_in(item) {
        return None;
    }
    shared.note_change();
    wake::idle_servers(&processor.endpoint, shared);
    Some(lock.inherit(processor.endpoint.number()))
}

/// Marks this processor as engaged: later senders wake another one for their messages. Returns true if a server sleeps that may have to
/// be woken for messages sent before.
fn engage(endpoint: &Endpoint) -> bool {
    if !is_relied_on(endpoint) {
        return false;
    }
    let (world, node) = (&endpoint.world(), endpoint.node().id);
    let others = world.server_parkers(node).iter().chain(world.helper_parker(node));
    endpoint.parker().engage_beside(others)
}

fn disengage(endpoint: &Endpoint) {
    if is_relied_on(endpoint) {
        endpoint.parker().engage(false);
    }
}

/// Whether senders rely on this processor to look as long as it is awake. On other nodes a sender wakes any sleeping server and reads
/// every parker for that, so a parker that changed with every batch would be fetched from another cache each time.
fn is_relied_on(endpoint: &Endpoint) -> bool {
    let world = &endpoint.world();
    world.split.dedicated > 0 || world.helper_parker(endpoint.node().id).is_some()
}

/// Wakes a server if messages wait, because this processor will not receive them soon.
#[cold]
fn leave_messages(endpoint: &Endpoint) {
    if endpoint.node().links.incoming().iter().any(Receiver::has_message) {
        wake::servers(endpoint, 1);
    }
}

/// Tells other servers of the events that a batch has left to them so far, because its next handler may take long. Wakes one server for
/// each event.
#[inline]
fn tell_soon(endpoint: &Endpoint, batch: &mut Batch<'_>) {
    if batch.untold > 0 || batch.freed {
        batch.shared.note_change();
        wake::servers(endpoint, batch.untold + usize::from(batch.freed));
        (batch.untold, batch.freed, batch.left) = (0, false, true);
    }
}

/// Tells other servers of all events that a batch has left to them.
fn tell(endpoint: &Endpoint, batch: &mut Batch<'_>) {
    tell_soon(endpoint, batch);
    if batch.left {
        wake::idle_servers(endpoint, batch.shared);
    }
}

fn begin_batch<'a>(endpoint: &Endpoint, shared: &'a Shared, guard: ReceiveGuard<'a>) -> Batch<'a> {
    // A helper has no core of its own: a seizure would make all keys wait for it, not one.
    let is_helper = endpoint.world().seating.is_helper(endpoint.index());
    let seizes = endpoint.hint().is_some() && endpoint.downgrades().is_none() && !is_helper;
    Batch {
        shared,
        guard,
        start_ns: endpoint.world().now_ns(),
        seizes_at: if seizes { shared.queue.servers() as u64 } else { u64::MAX },
        handled: 0,
        queued: 0,
        untold: 0,
        freed: false,
        left: false,
        all: None,
    }
}

/// Handles a message in place, or appends it to the queue.
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
    if is_time && processor.world().now_ns() - batch.start_ns > batch.handled.max(FEWEST_HANDLERS) * BRIEF_NS
    {
        batch.shared.note_brief(false);
    }
}

/// Handles a message in place if its key is free. Returns false if it is not.
#[inline]
fn handle_in_place(
    processor: &Processor,
    key: &DispatchKey,
    message: &Received,
    batch: &mut Batch<'_>,
    tally: &mut Tally,
) -> bool {
    if let Some(all) = &mut batch.all {
        processor.endpoint.tracer.handler_starts(message);
        let lowering = all.run(*key, |mut proof| handle::run_handler(processor, &message.packet, &mut proof));
        debug_assert!(lowering.is_none(), "there is no shared memory to lower a right to");
        processor.endpoint.tracer.trace(|node, processor| Traced::HandlerEnd { node, processor });
        tally.count(message);
        if all.is_broken() {
            batch.guard.lose();
        }
        return true;
    }
    let Some(held) = batch.shared.queue.try_hold(*key) else { return false };
    let mut held = Kept::new(batch.shared, held);
    tell_soon(&processor.endpoint, batch);
    processor.endpoint.tracer.handler_starts(message);
    match batch.guard.offer(|| handle::handle_uncounted(processor, &message.packet, held.proof())) {
        Some(pending) => {
            processor.gauge().count_handlers(1);
            downgrades::set_aside(&processor.endpoint, pending, *message, Some(held.take()));
        }
        None => {
            batch.freed |= held.complete();
            tally.count(message);
        }
    }
    true
}

fn serve_as_worker(processor: &Processor, shared: &Shared, receives: bool) -> usize {
    let mut worker = match processor.service.queue.take_worker() {
        Some(paused) => shared.queue.resume(paused),
        None => shared.queue.worker(processor.endpoint.server()),
    };
    let looks_behind = engage(&processor.endpoint);
    let received = if receives { receive_into_queue(processor, shared, &mut worker) } else { 0 };
    if received > 0 {
        shared.note_change();
        // This processor can take one of them itself.
        wake::servers(&processor.endpoint, received - 1);
    }
    if looks_behind {
        leave_messages(&processor.endpoint);
    }
    let start = processor.world().now_ns();
    let done = run_claims(processor, shared, &mut worker);
    disengage(&processor.endpoint);
    if done > 0 {
        shared.note_brief(processor.world().now_ns() - start < (done as u64).max(FEWEST_HANDLERS) * BRIEF_NS);
    }
    if received > 0 && done == 0 {
        // They are behind a claim of another server, and this one may have other work before it breaks into the claim.
        wake::servers(&processor.endpoint, received);
    }
    processor.service.queue.keep_worker(worker.pause());
    received + done
}

fn receive_into_queue(processor: &Processor, shared: &Shared, worker: &mut Worker<'_, Event, Name>) -> usize {
    let Some(_turn) = lock_to_receive(processor, shared) else { return 0 };
    let received = receive::receive(&processor.endpoint, &processor.service, |message, _| {
        if let Some(key) = handle::key_of(processor, message) {
            worker.enqueue(key, Event::Message(*message));
        }
        true
    });
    worker.flush();
    received
}

/// Runs about a batch of events. Returns their number.
fn run_claims(processor: &Processor, shared: &Shared, worker: &mut Worker<'_, Event, Name>) -> usize {
    let mut done = 0;
    while done < BATCH {
        let serve = || worker.serve(|event, handling| run_event(processor, event, handling));
        let events = processor.service.queue.search(&shared.changes, serve);
        if events == 0 {
            break;
        }
        done += events;
        // Keys are free again.
        shared.note_change();
        wake::idle_servers(&processor.endpoint, shared);
    }
    done
}

fn run_event(processor: &Processor, event: Event, mut handling: Handling<'_, '_, Event, Name>) {
    let (message, then) = match event {
        Event::Message(message) => {
            processor.endpoint.tracer.handler_starts(&message);
            (message, None)
        }
        Event::Then(continued) => {
            processor.endpoint.tracer.own(&continued.1);
            (continued.0, Some(continued.1))
        }
        Event::Grant(thread) => return handle::grant(&processor.endpoint, thread, handling.keep()),
    };
    let packet = then.as_ref().unwrap_or(&message.packet);
    match handle::handle(processor, packet, handling.proof()) {
        Some(pending) => downgrades::set_aside(&processor.endpoint, pending, message, Some(handling.keep())),
        None => handle::finish(processor, &message),
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

    use pdq::DispatcherId;
    use tempest::Policy;

    use super::*;
    use crate::fences::Fences;
    use crate::parts::dispatcher::Dispatcher;
    use crate::parts::receive_lock::ReceiveLock;

    /// The queue of a node whose two processors compute and handle messages in turn.
    fn shared() -> Box<Shared> {
        let policy: Policy = "floating+keyed".parse().unwrap();
        let split = policy.split(2).unwrap();
        let Dispatcher::Keyed(shared) = Dispatcher::new(&policy, split, DispatcherId::fresh()) else {
            panic!("the policy dispatches by key");
        };
        shared
    }

    #[test]
    fn a_batch_whose_broken_handler_panics_leaves_the_receive_lock_to_whoever_broke_in() {
        let (shared, lock) = (shared(), ReceiveLock::among(2, Fences::asymmetric()));
        let mut inherited = None;
        let panics = || {
            let mut batch = Batch {
                shared: &shared,
                guard: lock.try_take(0).unwrap(),
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
                inherited = Some(lock.inherit(1));
                resume_unwind(Box::new("a panic on purpose"));
            });
        };
        assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        assert!(lock.try_take(0).is_none(), "one has it at a time");
        drop(inherited);
        assert!(lock.try_take(0).is_some() && shared.queue.seize().is_some());
    }
}
