//! The events of one node: the messages that wait for a processor, and the dispatch queue that serializes equal keys.
//!
//! This module must never know which processor takes an event, the content of a message, or any cost.

use std::collections::VecDeque;

use hardware::{Dispatched, EventQueue, Refill, Waits};
use machine::Class;
use tempest::world::{DispatchKey, Held, Name};
use units::Time;

use crate::processor::core::{Event, Job};

/// A message that has come to its node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Arrived {
    /// The time of its arrival.
    pub(crate) at: Time,
    /// The message's place among the flights.
    pub(crate) flight: u32,
    pub(crate) key: DispatchKey,
    /// The node that sent it.
    pub(crate) source: u32,
    pub(crate) class: Class,
}

impl Arrived {
    /// Whether both messages belong to one stream: equal source and equal key. Messages of a stream are handled in the order
    /// in which they were sent. Messages without a key belong to no stream.
    pub(crate) fn same_stream(&self, other: &Self) -> bool {
        self.key != DispatchKey::NoSync && self.key == other.key && self.source == other.source
    }
}

/// An event that a processor has found.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) job: Job,
    /// The time since which the dispatch queue fetches the event back from memory.
    pub(crate) refill: Refill,
}

/// The request of a thread for a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Request {
    pub(crate) at: Time,
    pub(crate) key: DispatchKey,
    /// The thread's index on the node.
    pub(crate) thread: u32,
}

/// The messages of a node that wait until a processor looks for them. To the program they have not arrived, and they hold no
/// key.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    waiting: VecDeque<Arrived>,
    /// The number of messages, the oldest, that an overflow trap has moved into memory.
    spilled: usize,
}

impl Inbox {
    /// Makes an empty queue with room for `messages` messages.
    pub(crate) fn with_capacity(messages: usize) -> Self {
        Self { waiting: VecDeque::with_capacity(messages), spilled: 0 }
    }

    /// Adds a message.
    pub(crate) fn push(&mut self, message: Arrived) {
        self.waiting.push_back(message);
    }

    /// Takes the oldest message out.
    pub(crate) fn pop(&mut self) -> Option<Arrived> {
        let message = self.waiting.pop_front()?;
        self.spilled = self.spilled.saturating_sub(1);
        Some(message)
    }

    /// Whether no message waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The number of messages that wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// The message that has waited longest.
    pub(crate) fn first(&self) -> Option<&Arrived> {
        self.waiting.front()
    }

    /// The messages that are still in the interface, oldest first.
    pub(crate) fn in_interface(&self) -> impl ExactSizeIterator<Item = &Arrived> {
        self.waiting.iter().skip(self.spilled)
    }

    /// Marks every message as moved into memory.
    pub(crate) fn spill(&mut self) {
        self.spilled = self.waiting.len();
    }
}

/// The dispatch queue of a node, and the handlers that come before all its events.
#[derive(Debug)]
pub(crate) struct Events {
    queue: EventQueue<Event, Name>,
    /// The handlers that continue because the right that they waited for has been taken away. Their keys are held.
    resumed: VecDeque<Job>,
}

impl Events {
    /// Prefetches the lists of the queue into the host's caches.
    pub(crate) fn prefetch(&self) {
        let (waiting, active) = self.queue.lists();
        fiber::prefetch_value(waiting);
        fiber::prefetch_value(active);
    }

    /// Makes an empty set of events. `queue` is empty.
    pub(crate) fn new(queue: EventQueue<Event, Name>) -> Self {
        Self { queue, resumed: VecDeque::new() }
    }

    /// Records that a message or a request has arrived, which may join the queue later.
    pub(crate) fn note_arrival(&mut self, now: Time) {
        self.queue.arrive(now);
    }

    /// Puts a message whose arrival has been noted into the queue.
    pub(crate) fn enqueue(&mut self, message: &Arrived) {
        self.queue.enqueue(message.at, message.key, Event::Message { flight: message.flight });
    }

    /// Puts the request of a thread for a key, whose arrival has been noted, into the queue.
    pub(crate) fn enqueue_request(&mut self, Request { at, key, thread }: Request) {
        self.queue.enqueue(at, key, Event::Grant { thread });
    }

    /// Holds a key at once, if no unfinished event conflicts with it.
    pub(crate) fn try_hold(&mut self, now: Time, key: DispatchKey) -> Option<Held> {
        self.queue.try_hold(now, key)
    }

    /// Forgets every event that waits, on a node with `servers` servers.
    pub(crate) fn forget(&mut self, now: Time, servers: usize) {
        while let Some(Found { job, .. }) =
            self.next_resumed().or_else(|| (0..servers).find_map(|server| self.dispatch(now, server)))
        {
            self.complete(now, job.held);
        }
    }

    /// Takes a key back.
    #[inline(always)]
    pub(crate) fn complete(&mut self, now: Time, held: Held) {
        self.queue.complete(now, held);
    }

    /// Takes a key back that was held when the run ended.
    pub(crate) fn abandon(&mut self, held: Held) {
        self.queue.abandon(held);
    }

    /// Adds a handler that continues, before every other event.
    pub(crate) fn resume(&mut self, job: Job) {
        self.resumed.push_back(job);
    }

    /// Whether a handler waits to continue.
    pub(crate) fn has_resumed(&self) -> bool {
        !self.resumed.is_empty()
    }

    /// Removes and returns the oldest handler that waits to continue.
    pub(crate) fn next_resumed(&mut self) -> Option<Found> {
        Some(Found { job: self.resumed.pop_front()?, refill: None })
    }

    /// Whether the queue has an event that `server` may take now.
    pub(crate) fn can_dispatch(&self, server: usize) -> bool {
        self.queue.can_dispatch(server)
    }

    /// Whether a handler continues, or the queue has an event that some server may take now.
    #[inline]
    pub(crate) fn may_start(&self) -> bool {
        self.has_resumed() || self.queue.can_dispatch_any()
    }

    /// Dispatches the oldest event that `server` may take now.
    #[inline]
    pub(crate) fn dispatch(&mut self, now: Time, server: usize) -> Option<Found> {
        if self.queue.is_empty() {
            return None;
        }
        let Dispatched { held, event, refill } = self.queue.dispatch(now, server)?;
        Some(Found { job: Job { held, event }, refill })
    }

    /// Lets a message whose arrival has been noted pass the queue, if no event waits there and the message's key is free.
    #[inline]
    pub(crate) fn pass(&mut self, now: Time, message: &Arrived) -> Option<Job> {
        let held = self.queue.pass((message.at, now), message.key)?;
        Some(Job { held, event: Event::Message { flight: message.flight } })
    }

    /// Whether no event is in the queue.
    pub(crate) fn queue_is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Whether a handler or a thread holds a key.
    pub(crate) fn is_held(&self) -> bool {
        self.queue.is_held()
    }

    /// The greatest number of events that wait in the queue for one server.
    pub(crate) fn longest(&self) -> usize {
        self.queue.longest()
    }

    /// The number of events that wait.
    pub(crate) fn waiting(&self) -> usize {
        self.queue.len() + self.resumed.len()
    }

    /// Whether an event waits.
    pub(crate) fn something_waits(&self) -> bool {
        !self.queue.is_empty() || !self.resumed.is_empty()
    }

    /// The total time that events have waited for dispatch, and their number.
    pub(crate) fn waits(&self) -> Waits {
        self.queue.waits()
    }

    /// The time, up to `now`, for which an event waited or a key was held.
    pub(crate) fn busy(&self, now: Time) -> Time {
        self.queue.busy(now)
    }

    /// The number of events that spilled to memory because the queue had no room.
    pub(crate) fn spilled(&self) -> u64 {
        self.queue.statistics().spilled
    }

    /// The number of events that have waited for their key.
    pub(crate) fn waited_on_key(&self) -> u64 {
        self.queue.statistics().waited_on_key
    }
}
