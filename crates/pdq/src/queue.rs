//! The concurrent queue: many threads enqueue, dispatch and complete at once.
//!
//! # Structure
//!
//! ```text
//!                      lanes (all items of one key pass through the same)          servers
//!             hash    ┌ inbox ▮▮▮▮▮▮▮ ─── in place, a run at a time ──────────────▶ home: takes claims
//!  enqueue ─────────▶ ├ inbox ▮▮▮ ─────── index: strands ─ ready ─────────────────▶ others: take what is ready
//!                     └ inbox ▮▮▮▮▮
//!  sequential ──────▶   ╎ gate: a position in every inbox
//! ```
//!
//! * `lane`: an `inbox`, read in place by one server at a time, or by `index` when several servers share it.
//! * `gate`: the barrier of the sequential key. `seizure`: a holder of that key, who runs items of any key, until
//!   another server breaks in. `steps`: the protocol of a seizure's items and the servers that break in.
//! * `worker`: a server's claims, batches and buffers.
//! * `idle`: sleep and wake-up of servers. `room`: the limit.
//!
//! This module is the door. It must never know the meaning of items, nor spawn a thread.

mod closing;
mod dispatch;
mod gate;
mod handling;
mod idle;
#[allow(unsafe_code)]
mod inbox;
mod index;
mod inside;
mod lane;
#[allow(unsafe_code)]
mod latch;
mod outbox;
mod pace;
#[allow(unsafe_code)]
mod padded;
mod paused;
mod producer;
mod room;
mod rounds;
#[allow(unsafe_code)]
mod seat;
#[allow(unsafe_code)]
mod seizure;
#[cfg_attr(not(feature = "low-level"), allow(dead_code, unreachable_pub, reason = "the feature exports it"))]
mod steps;
mod tuning;
mod worker;

use std::error::Error;
use std::fmt;

pub use self::dispatch::Dispatch;
use self::gate::{AT_GATE, Gate};
pub use self::handling::Handling;
use self::idle::Idle;
use self::lane::{After, Lane};
use self::padded::Padded;
pub use self::paused::Paused;
pub use self::producer::Producer;
use self::room::Room;
use self::seat::Seat;
pub use self::seizure::Seizure;
#[cfg(feature = "low-level")]
pub use self::steps::Steps;
pub use self::worker::Worker;
use crate::sync::{AtomicBool, AtomicU64, AtomicUsize, Fences, Ordering};
use crate::{DispatcherId, Held, Identity, Key, Statistics, UserKey};

/// Parameters of a [`Queue`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// Number of servers, which are numbered from 0.
    pub servers: usize,
    /// Number of static partitions of the keys. 1: any server takes any item. More: server `s` takes only the items whose
    /// [`Key::partition`] is `s`, and servers with a number of `partitions` or more take none.
    pub partitions: usize,
    /// Number of waiting items at which [`Queue::try_enqueue`] refuses an item and [`Queue::enqueue_when_room`] waits; `None`: no
    /// limit. [`Queue::enqueue`] exceeds it. A limit costs a shared counter, which all producers and servers write.
    pub limit: Option<usize>,
    /// Whether other workers may take items that a [`Worker`] has claimed in a batch and not begun, if an earlier item of the batch
    /// takes long. If false, the claimed items wait for the long item. Sharing costs a locked instruction for each item of a batch.
    pub shares_claims: bool,
}

impl Config {
    /// Parameters of a queue in which any of `servers` servers takes any item, without a limit; claims are not shared.
    pub fn servers(servers: usize) -> Self {
        Self { servers, partitions: 1, limit: None, shares_claims: false }
    }
}

/// A parallel dispatch queue that threads share. See the [crate] for its guarantees.
///
/// ```
/// use tradewind_pdq::{DispatcherId, Key, Queue, queue};
///
/// let queue = Queue::new(DispatcherId::fresh(), queue::Config::servers(2));
/// queue.enqueue(Key::User(1), "a");
/// queue.enqueue(Key::User(1), "b");
/// let first = queue.dequeue(0).expect("an item waits and nothing is held");
/// assert_eq!(*first, "a");
/// assert!(queue.dequeue(1).is_none(), "its key is held");
/// drop(first);
/// assert_eq!(queue.dequeue(1).as_deref(), Some(&"b"));
/// ```
///
/// Each server can be run as a [`Worker`], which is faster: it takes runs of items and buffers its handlers' new
/// items.
#[derive(Debug)]
pub struct Queue<T, K: UserKey = u64> {
    identity: Identity,
    config: Config,
    lanes: Box<[Lane<T, K>]>,
    gate: Gate<T>,
    seat: Padded<Seat<K>>,
    /// Memory fences between the holder of a seizure and a server that breaks into the seizure.
    fences: Fences,
    room: Room,
    idle: Idle,
    servers: Box<[Padded<Server>]>,
    /// Whether the queue refuses new items from outside.
    closed: AtomicBool,
    /// Whether the queue was aborted, so that workers need not wait for work. (Lanes and gate have flags of their own that stop
    /// dispatching.)
    aborted: AtomicBool,
    panicked: AtomicU64,
    /// Counter that spreads items without a key over the lanes.
    nosync: Padded<AtomicUsize>,
}

/// State of a server that is changed through the shared queue.
#[derive(Debug, Default)]
struct Server {
    /// Number of items that [`Queue::dequeue`] has taken for this server. It selects the lane in which the next search begins:
    /// after each `TURN` items, the next of the server's own lanes.
    turn: AtomicUsize,
    /// Whether a [`Worker`] exists for this server.
    employed: AtomicBool,
}

impl<T> Queue<T> {
    /// Makes an empty queue of items whose keys are numbers.
    ///
    /// # Panics
    ///
    /// Unless `config.partitions` is from 1 to `config.servers`: the items of a partition without a server would never run.
    pub fn new(identity: Identity, config: Config) -> Self {
        Self::with_keys(identity, config)
    }
}

impl<T, K: UserKey> Queue<T, K> {
    /// Makes an empty queue of items whose keys have type `K`.
    ///
    /// # Panics
    ///
    /// Unless `config.partitions` is from 1 to `config.servers`: the items of a partition without a server would never run.
    pub fn with_keys(identity: Identity, config: Config) -> Self {
        assert!(
            (1..=config.servers).contains(&config.partitions),
            "{} partitions cannot be served by {} servers, one each",
            config.partitions,
            config.servers
        );
        let lanes = match config.partitions {
            // A single server shares its lane with no other.
            1 if config.servers == 1 => 1,
            1 => tuning::MOST_LANES.min(tuning::LANES_PER_SERVER * config.servers),
            partitions => partitions,
        };
        Self {
            identity,
            config,
            lanes: std::iter::repeat_with(|| Lane::new(config.shares_claims)).take(lanes).collect(),
            gate: Gate::new(),
            seat: Padded::default(),
            fences: Fences::symmetric(),
            room: Room::new(config.limit),
            idle: Idle::new(config.partitions > 1),
            servers: std::iter::repeat_with(Padded::default).take(config.servers).collect(),
            closed: AtomicBool::new(false),
            aborted: AtomicBool::new(false),
            panicked: AtomicU64::new(0),
            nosync: Padded::default(),
        }
    }

    /// Sets the memory fences for [seizures](Self::seize) of this queue. The holder of a seizure passes the light fence after
    /// every item; a server that [breaks in](Self::break_in) passes the heavy fence. A new queue has symmetric fences.
    #[cfg(feature = "low-level")]
    #[must_use]
    pub fn with_fences(mut self, fences: Fences) -> Self {
        self.fences = fences;
        self
    }

    /// Returns this queue's identifier, with which [`Keyed`](crate::Keyed) tables are made.
    pub fn id(&self) -> DispatcherId {
        self.identity.id()
    }

    /// Number of servers, as configured.
    pub fn servers(&self) -> usize {
        self.config.servers
    }

    /// Appends an item at the tail. Never fails and never waits for room, so handlers may call it, also for their own key or
    /// [`Key::Sequential`]: the item then runs after them. An item beyond the limit counts as *spilled*.
    ///
    /// When this returns, the item has its place: every item that any thread enqueues afterwards is younger.
    #[inline]
    pub fn enqueue(&self, key: Key<K>, item: T) {
        self.room.spill(1);
        self.place(key, item);
    }

    /// Appends an item at the tail unless the limit is reached or the queue is closed: for producers that are not
    /// handlers.
    ///
    /// # Errors
    ///
    /// [`Refused`] hands the item back: the queue is full or closed.
    pub fn try_enqueue(&self, key: Key<K>, item: T) -> Result<(), Refused<T>> {
        if self.is_closed() {
            return Err(Refused::Closed(item));
        }
        if !self.room.try_enter() {
            return Err(Refused::Full(item));
        }
        self.place_unless_closed(key, item)
    }

    /// Appends an item at the tail after waiting for room: for producers that are not handlers.
    ///
    /// # Errors
    ///
    /// [`Refused::Closed`] hands the item back if the queue is closed, before the call or while it waits.
    ///
    /// # Panics
    ///
    /// In debug builds, inside a handler that a [`Worker`] of this queue runs: the handler might wait for itself.
    pub fn enqueue_when_room(&self, key: Key<K>, item: T) -> Result<(), Refused<T>> {
        inside::assert_outside_handlers(self.id());
        if !self.room.enter(|| self.is_closed()) {
            return Err(Refused::Closed(item));
        }
        self.place_unless_closed(key, item)
    }

    /// Takes an item for server `server`: the oldest item that can run of the first lane that has any. A lane has the items of some
    /// of the keys. The item's key is held until the returned guard is dropped. `None` if no item can run.
    ///
    /// # Panics
    ///
    /// If the queue has no server with this number.
    pub fn dequeue(&self, server: usize) -> Option<Dispatch<'_, T, K>> {
        let (key, item, place) = self.take(server)?;
        self.room.leave(1);
        Some(Dispatch::new(self, Held::new(key, self.id(), place), item))
    }

    /// Makes the [`Worker`] through which the calling thread runs server `server`.
    ///
    /// # Panics
    ///
    /// If the queue has no server with this number, or if the server has a worker already.
    pub fn worker(&self, server: usize) -> Worker<'_, T, K> {
        self.employ(server);
        Worker::new(self, server)
    }

    fn employ(&self, server: usize) {
        let employed = self.servers[server].employed.swap(true, Ordering::Acquire);
        assert!(!employed, "server {server} has a worker already");
    }

    /// Makes a handle through which a thread enqueues many items at a time.
    pub fn producer(&self) -> Producer<'_, T, K> {
        Producer::new(self)
    }

    /// Holds `key` without an item: until the returned token goes to [`complete`](Self::complete), no item that conflicts with
    /// `key` runs. `None` if any unfinished item conflicts with `key`, waiting items included, or if the queue has been aborted.
    #[inline]
    pub fn try_hold(&self, key: Key<K>) -> Option<Held<K>> {
        let place = self.try_hold_somewhere(&key)?;
        Some(Held::new(key, self.id(), place))
    }

    /// Holds `key` if it is free. Returns the index of the key's lane, or `AT_GATE` for the sequential key. Reads the key in place:
    /// the caller has mostly just written it, and a copy, in larger pieces than the writes, would wait for the writes to leave the
    /// store buffer.
    #[inline(never)]
    fn try_hold_somewhere(&self, key: &Key<K>) -> Option<u64> {
        match *key {
            Key::Sequential => self.gate.try_hold(&self.lanes).then_some(AT_GATE),
            key => self.try_hold_in_lane(key),
        }
    }

    fn try_hold_in_lane(&self, key: Key<K>) -> Option<u64> {
        let at = self.lane_of(key);
        let lane = &self.lanes[at];
        // While writers are kept out, no sequential item and no item of the key arrives.
        let _writing = lane.write();
        let held = !self.gate.is_shut() && lane.serve().hold(key);
        held.then_some(at as u64)
    }

    /// Ends the item, or the hold without an item, to which the token `held` belongs. The key is free again. Returns true if this
    /// has made an item ready that an earlier search could not take, so that another search is worth while. (The result tells
    /// nothing about items enqueued since the last search.)
    ///
    /// # Panics
    ///
    /// If another dispatcher made the token.
    pub fn complete(&self, held: Held<K>) -> bool {
        let key = held.key();
        match held.redeem(self.id()) {
            AT_GATE => self.open_gate(),
            place => {
                let mut serving = self.lanes[place as usize].serve();
                serving.complete(key);
                let after = serving.leave();
                self.settle(after);
                after.ready || after.drained
            }
        }
    }

    /// Ends a handler and keeps its key held: `continuation` takes over the item's place in the order, so it runs ahead of all
    /// other items, of any key, and is dispatchable at once. (An endless chain of continuations therefore delays other items.)
    ///
    /// # Panics
    ///
    /// If another dispatcher made the token.
    pub fn complete_with(&self, held: Held<K>, continuation: T) {
        let key = held.key();
        let place = held.redeem(self.id());
        self.room.re_enter(1);
        match place {
            AT_GATE => self.gate.continue_with(continuation),
            place => self.lanes[place as usize].serve().continue_with(key, continuation),
        }
        self.idle.tell();
    }

    /// Number of waiting items, continuations included. It is a sum over the parts of the queue: while other threads use the
    /// queue, each part is counted at some time during the call, and not all at one time.
    pub fn len(&self) -> usize {
        let lanes: u64 = self.lanes.iter().map(|lane| lane.serve().waiting()).sum();
        self.gate.waiting() + lanes as usize
    }

    /// Whether no item waits; keys may still be held. Inexact while other threads use the queue, as [`Queue::len`] is.
    pub fn is_empty(&self) -> bool {
        !self.shows_work() && self.len() == 0
    }

    /// Number of items that run and of keys held without an item. Inexact while other threads use the queue, as [`Queue::len`] is.
    pub fn held(&self) -> usize {
        let in_lanes: u64 = self.lanes.iter().map(|lane| lane.serve().running()).sum();
        self.gate.running() + in_lanes as usize
    }

    /// Counts of items and waits since the queue was made.
    pub fn statistics(&self) -> Statistics {
        let gate = self.gate.counts();
        let mut sum = Statistics {
            enqueued: gate.arrived,
            dispatched: gate.dispatched,
            continued: gate.continued,
            waited_on_sequential: gate.waited,
            panicked: self.panicked.load(Ordering::Relaxed),
            spilled: self.room.spilled(),
            ..Statistics::default()
        };
        for lane in &self.lanes {
            let counts = lane.serve().counts();
            sum.enqueued += lane.pushed() + counts.holds;
            sum.dispatched += counts.dispatched;
            sum.continued += counts.continued;
            sum.waited_on_key += counts.waited_on_key;
            sum.stolen += counts.stolen;
        }
        sum
    }

    /// Whether server `server` may find an item to run, also among items that another server has claimed. Takes no lock, so it may
    /// miss items that are enqueued meanwhile. It sees every item that the caller knows to be in the queue and that no server has
    /// begun.
    pub fn shows(&self, server: usize) -> bool {
        let gate = self.gate.shows_work() && self.passes_gate(server);
        gate || self.lanes_of(server).any(|at| self.lanes[at].shows_more())
    }

    /// Whether there is an item that server `server` may take. Takes the queue's locks, so it is ordered with every change that
    /// makes an item ready. Takes no item, but frees items that wait behind a long item in a batch that another worker has claimed.
    /// For a thread that serves the queue without [`Worker::run`] and is about to sleep.
    pub fn search(&self, server: usize) -> bool {
        let gate = self.gate.search() && self.passes_gate(server);
        gate || self.lanes_of(server).any(|at| {
            let lane = &self.lanes[at];
            drop(lane.write());
            let (found, back) = lane.serve().search();
            self.room.re_enter(back);
            found
        })
    }

    fn count_panic(&self) {
        self.panicked.fetch_add(1, Ordering::Relaxed);
    }

    /// Puts an item, which `room` has counted, into its lane, or at the gate if its key is sequential.
    #[inline]
    fn place(&self, key: Key<K>, item: T) {
        match key {
            Key::Sequential => {
                self.gate
                    .arrive(&self.lanes, item, || false)
                    .unwrap_or_else(|_| unreachable!("always let in"));
            }
            _ => {
                let lane = &self.lanes[self.lane_of(key)];
                lane.push(&mut lane.write(), key, item);
            }
        }
        self.idle.tell();
    }

    /// Puts an item from outside, which `room` has counted, into its lane or at the gate. Returns it as refused if the queue is
    /// closed. Checks that under the latch of the lane, because `close` passes through the latches of all lanes.
    fn place_unless_closed(&self, key: Key<K>, item: T) -> Result<(), Refused<T>> {
        let placed = match key {
            Key::Sequential => self.gate.arrive(&self.lanes, item, || self.is_closed()),
            _ => {
                let lane = &self.lanes[self.lane_of(key)];
                let mut tail = lane.write();
                if self.is_closed() {
                    Err(item)
                } else {
                    lane.push(&mut tail, key, item);
                    Ok(())
                }
            }
        };
        match placed {
            Ok(()) => self.idle.tell(),
            Err(_) => self.room.leave(1),
        }
        placed.map_err(Refused::Closed)
    }

    /// Returns the index of the lane for `key`. All items of a user key use one lane; the items of a partition use the
    /// partition's lane.
    #[inline]
    fn lane_of(&self, key: Key<K>) -> usize {
        match key {
            Key::User(_) => key.partition(self.lanes.len()),
            Key::NoSync if self.config.partitions == 1 => {
                self.nosync.fetch_add(1, Ordering::Relaxed) % self.lanes.len()
            }
            Key::NoSync | Key::Sequential => 0,
        }
    }

    /// Returns the indices of the lanes that server `server` may take items from.
    fn lanes_of(&self, server: usize) -> std::ops::Range<usize> {
        match self.config.partitions {
            1 => 0..self.lanes.len(),
            partitions if server < partitions => server..server + 1,
            _ => 0..0,
        }
    }

    /// Whether server `server` may take sequential items, which belong to the first partition.
    fn passes_gate(&self, server: usize) -> bool {
        self.config.partitions == 1 || server == 0
    }

    /// Takes one item for server `server`; returns its key, the item, and the index of its lane or `AT_GATE`.
    fn take(&self, server: usize) -> Option<(Key<K>, T, u64)> {
        assert!(server < self.config.servers, "server {server} of {}", self.config.servers);
        if self.passes_gate(server)
            && let Some(item) = self.gate.take()
        {
            return Some((Key::Sequential, item, AT_GATE));
        }
        let lanes = self.lanes_of(server);
        let turn = self.servers[server].turn.load(Ordering::Relaxed);
        // Servers begin in lanes of their own, so that they seldom meet; regularly elsewhere, so that no lane depends
        // on one.
        let start = match turn % tuning::AWAY {
            0 => turn / tuning::AWAY,
            _ => server + turn / tuning::TURN * self.config.servers,
        };
        for step in 0..lanes.len() {
            let at = lanes.start + (start + step) % lanes.len();
            let lane = &self.lanes[at];
            if lane.shows_work()
                && let Some((key, item)) = lane.serve().take()
            {
                self.servers[server].turn.store(turn.wrapping_add(1), Ordering::Relaxed);
                return Some((key, item, at as u64));
            }
        }
        None
    }

    /// Whether the queue may have an item to run, as far as is visible without latches.
    fn shows_work(&self) -> bool {
        self.gate.shows_work() || self.lanes.iter().any(Lane::shows_work)
    }

    /// Passes on the effects `after` of a completion in a lane: tells the gate that the lane has drained, and wakes sleeping
    /// servers.
    #[inline]
    fn settle(&self, after: After) {
        if after.drained {
            self.gate.drained();
        }
        if after.ready || after.drained {
            self.idle.tell();
        }
        self.tell_if_drained();
    }
}

/// Error: the queue refused an item from outside. It contains the item, to be tried again or dropped.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Refused<T> {
    /// The number of waiting items has reached the queue's limit.
    Full(T),
    /// The queue is closed, for ever.
    Closed(T),
}

impl<T> Refused<T> {
    /// Returns the refused item.
    pub fn into_item(self) -> T {
        match self {
            Self::Full(item) | Self::Closed(item) => item,
        }
    }
}

// By hand, so that an item need not be printable for its refusal to be an `Error`.
impl<T> fmt::Debug for Refused<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "Full(..)",
            Self::Closed(_) => "Closed(..)",
        })
    }
}

impl<T> fmt::Display for Refused<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "the dispatch queue is full",
            Self::Closed(_) => "the dispatch queue is closed",
        })
    }
}

impl<T> Error for Refused<T> {}
