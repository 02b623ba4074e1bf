//! The present time, and all events to come.
//!
//! Each node has a queue of its own. The nodes take turns, in the order of their next events. The steps of a node in
//! its turn are private to it up to the *bound* of the turn.
//!
//! # How long a turn is
//!
//! In *global order* a turn ends where the next event of any other node begins. That order needs no argument. A run that keeps it
//! throughout has one queue for all nodes and the network.
//!
//! With *lookahead* no message takes less than a time L from one node to another. Other nodes have nothing to do before a time t.
//! So nothing of them reaches the node before t + L. They may also answer the node itself: a message that it sends in this turn,
//! which begins at s, is answered at s + 2 L at the earliest. The turn ends at the earlier of the two.
//!
//! The result is that of global order, to the bit. Events of one node are ordered by their time, then by the time at which they
//! were pushed, then by the rank of the node that pushed them. Nodes that push at one time would do so in the order of their ranks.
//! A thread that waits to enter a timed region may go on at any instant of another node, without a message. Its node keeps global
//! order until the region has begun.
//!
//! This module must never know the meaning of an event to the part that handles it.

mod ahead;
mod limits;
mod steps;

use std::collections::BTreeMap;

use des::{DelayLines, Order, Timetable, Turn};
use tempest::outcome::{Failure, RunProgress};
use units::Time;

use crate::happening::{Happening, Packed};
use crate::progress::Progress;
use crate::prospect::{FAR, MANY, Prospect};
use crate::short_queue::ShortQueue;
use limits::Limits;

/// The present time and all events to come.
pub(crate) struct Agenda {
    now: Time,
    /// The actor whose event happened last or whose fiber passed time last, and the place to which it has come by that.
    came: (usize, Order),
    /// The time of the last event of any node that had an effect. Looks without one do not count.
    latest: Time,
    events: Timetable<Packed>,
    /// Events that come a usual delay after they are pushed, in global order with `events`. There are none with lookahead.
    usual: DelayLines<Packed>,
    /// Whether all events may be in `usual`, and not only messages inside a routed network and at its ports: in global
    /// order, where the nodes are many. With few nodes the queue is as fast.
    all_usual: bool,
    /// Whether the present event is in `usual`.
    is_usual: bool,
    /// The rank of each node among simultaneous events of several nodes.
    ranks: Box<[u32]>,
    turn: Acting,
    /// The least time of a message from one node to another; zero if all nodes keep global order.
    lookahead: Time,
    /// The nodes that keep global order for now.
    held: Box<[bool]>,
    /// Cores whose fibers go on at the present time, in order. They come before every queued event, and most continuations need
    /// no queue entry because of them.
    due: ShortQueue<Due>,
    /// For each node whose fiber has [stepped back](Self::step_back), the cores that are due after that fiber.
    parked: BTreeMap<usize, ShortQueue<Due>>,
    /// The number of pushes since the start of the run.
    pushes: u64,
    /// Whether to prefetch for the next events.
    prospect: Prospect,
    /// The number of events since the start of the run.
    happened: u64,
    limits: Limits,
    progress: Progress,
    /// The reason why the run ends early, once that is certain.
    stopped: Option<Failure>,
    /// Whether the run was stopped by a fiber that a panic unwound; the panic is the better reason.
    abandoned: bool,
    /// Whether the run is over: no event happens any more.
    over: bool,
}

/// The bits of the number of a push. The rank of the node that pushes stands above them, and has room for 2^20 nodes: a run has no
/// more threads than that, and each node has one at least.
const PUSHES: u32 = 44;

/// The longest time from a push to its event, in femtoseconds, that orders simultaneous events. It is 17 ms, and as many bits as the
/// number of a push. Among events that were pushed earlier only the number counts.
const LONGEST_WAIT: u64 = (1 << PUSHES) - 1;

/// The number of pushes for other nodes in which the host's memory has time to fetch a node's queue, if the nodes are
/// very many.
const POSTS: usize = 3;

/// A core whose fiber goes on at the present time.
#[derive(Clone, Copy, Debug)]
struct Due {
    node: u32,
    core: u32,
    epoch: u32,
}

/// The turn of the node or network that acts now.
#[derive(Clone, Copy, Debug)]
struct Acting {
    /// The node. In global order there is one queue for all nodes and the network, and it has number 0.
    actor: usize,
    /// The rank of the actor, before the number of a push.
    rank: u64,
    /// The rank of the node whose event happens now, before the number of a push.
    by: u64,
    /// The end of the turn.
    bound: Turn,
    /// Whether the turn ends where the next event of another actor begins.
    in_order: bool,
}

/// The first number of a place that is given at the instant `since`, where nodes run ahead. Zero is left for
/// [early places](Agenda::early_place).
#[inline]
fn first_number(since: Time) -> u64 {
    since.as_femtoseconds() + 1
}

impl Agenda {
    /// An agenda at time zero without events, for nodes of these ranks. A message from one node to another takes at least
    /// `lookahead`; if that is zero, all nodes keep global order. A run without progress for longer than `stall_limit` has stalled.
    pub(crate) fn new(ranks: Box<[u32]>, lookahead: Time, stall_limit: Option<Time>) -> Self {
        let nodes = ranks.len();
        Self {
            now: Time::ZERO,
            came: (0, Order { at: Time::ZERO, major: 0, minor: 0 }),
            latest: Time::ZERO,
            events: Timetable::new(if lookahead.is_zero() { [0].into() } else { ranks.clone() })
                .with_posts(if nodes < FAR { 0 } else { POSTS }),
            turn: Acting {
                actor: 0,
                rank: u64::from(ranks[0]) << PUSHES,
                by: 0,
                bound: Turn::NEVER,
                in_order: true,
            },
            lookahead,
            held: vec![false; nodes].into(),
            ranks,
            usual: DelayLines::default(),
            all_usual: lookahead.is_zero() && nodes >= MANY,
            is_usual: false,
            due: ShortQueue::default(),
            parked: BTreeMap::new(),
            pushes: 0,
            prospect: Prospect::of(nodes, !lookahead.is_zero()),
            happened: 0,
            limits: Limits::new(stall_limit, RunProgress::default()),
            progress: Progress::default(),
            stopped: None,
            abandoned: false,
            over: false,
        }
    }

    /// Lets other threads of the host see in `progress` how far the run is.
    pub(crate) fn watched_in(self, progress: RunProgress) -> Self {
        Self { limits: Limits::new(self.limits.stall(), progress), ..self }
    }

    /// The limits of the run.
    #[inline]
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The present time.
    pub(crate) fn now(&self) -> Time {
        self.now
    }

    /// The number of events that have happened.
    pub(crate) fn happened(&self) -> u64 {
        self.happened
    }

    /// The number of events to come.
    pub(crate) fn waiting(&self) -> usize {
        self.events.len() + self.usual.len()
    }

    /// The rank of a node among simultaneous events of several nodes.
    pub(crate) fn rank(&self, node: usize) -> u32 {
        self.ranks[node]
    }

    /// Adds an event of a node at `at`.
    #[inline]
    pub(crate) fn push(&mut self, node: usize, at: Time, happening: Happening) {
        self.push_since(self.now, node, at, happening);
    }

    /// Adds an event of a node at `at`, in the place that a push at the later instant `since` would give it. The caller knows of
    /// the event before it would be pushed.
    #[inline]
    pub(crate) fn push_since(&mut self, since: Time, node: usize, at: Time, happening: Happening) {
        let order = self.next_order(since, at, node);
        self.insert(self.actor(node), order, happening.into());
    }

    /// Adds an event inside the network at `at`. `rank` is the rank of the node that it concerns.
    #[inline]
    pub(crate) fn push_inside(&mut self, at: Time, rank: u32, event: hardware::Event) {
        let order = self.next_global_order(self.now, at, rank);
        self.insert_passage(order, Happening::Network { event }.into());
    }

    /// Adds an event of a message at the port in of its node.
    #[inline]
    pub(crate) fn push_passage(&mut self, node: usize, at: Time, happening: Happening) {
        let order = self.next_order(self.now, at, node);
        match self.lookahead.is_zero() {
            true => self.insert_passage(order, happening.into()),
            false => self.insert(node, order, happening.into()),
        }
    }

    /// Adds an event of a message in global order.
    #[inline]
    fn insert_passage(&mut self, order: Order, event: Packed) {
        if order.at == Time::MAX {
            return self.limits.refuse(0, event);
        }
        if !self.usual.push(self.now, order, event) {
            self.events.push(0, order, event);
        }
    }

    /// The queue of a node.
    #[inline]
    fn actor(&self, node: usize) -> usize {
        if self.lookahead.is_zero() { 0 } else { node }
    }

    /// Keeps the place that an event of a node at `at` would get now, for an event that may have to be [pushed](Self::push_to)
    /// later.
    pub(crate) fn keep_place(&mut self, node: usize, at: Time) -> Order {
        self.next_order(self.now, at, node)
    }

    /// Adds an event of a node at a place that was [kept](Self::keep_place), and that has not passed.
    #[inline]
    pub(crate) fn push_to(&mut self, place: Order, node: usize, happening: Happening) {
        self.insert(self.actor(node), place, happening.into());
    }

    /// Moves an event of a node from the place `from` to a later one. Returns whether it is there now: mostly, if it is an event of the
    /// acting node.
    #[inline]
    pub(crate) fn postpone(&mut self, node: usize, from: Order, to: Order) -> bool {
        to.at < Time::MAX && self.events.postpone(self.actor(node), from, to)
    }

    /// The place of an event of a node at `at` that is pushed at the instant `since`.
    #[inline]
    fn next_order(&mut self, since: Time, at: Time, node: usize) -> Order {
        if self.lookahead.is_zero() {
            return self.next_global_order(since, at, self.ranks[node]);
        }
        Order { at, major: first_number(since), minor: self.turn.by | self.next_number() }
    }

    /// The place in global order of an event at `at` that is pushed at the instant `since`. Simultaneous events of
    /// several nodes come by `rank`. Among the events of a node the earlier push comes first: it has been waited for
    /// longer.
    #[inline]
    fn next_global_order(&mut self, since: Time, at: Time, rank: u32) -> Order {
        let waits = (at - since).as_femtoseconds().min(LONGEST_WAIT);
        let major = u64::from(rank) << PUSHES | (LONGEST_WAIT - waits);
        Order { at, major, minor: self.next_number() }
    }

    /// The number of the next push.
    #[inline]
    fn next_number(&mut self) -> u64 {
        self.pushes += 1;
        self.pushes - 1
    }

    /// Adds an event of an actor. The caller knows the event's kind at compile time, so that packing it is free.
    #[inline(never)]
    fn insert(&mut self, actor: usize, order: Order, event: Packed) {
        if order.at == Time::MAX {
            return self.limits.refuse(actor, event);
        }
        if self.all_usual && self.usual.push(self.now, order, event) {
            return;
        }
        if self.events.push(actor, order, event) {
            return;
        }
        if self.turn.in_order {
            self.turn.bound = self.turn.bound.min(Turn { at: order.at, rank: self.ranks[actor] });
        }
        if self.events.posts() {
            self.ask_for_posted();
        }
    }

    /// Lets the fiber at work on a core go on at the present time, before every event.
    pub(crate) fn go_on_now(&mut self, node: usize, core: usize, epoch: u32) {
        self.due.push(Due { node: node as u32, core: core as u32, epoch });
    }

    /// The core whose fiber goes on next at the present time, with the epoch of its continuation; `None` if the run ends now.
    pub(crate) fn first_due(&self) -> Option<(usize, u32)> {
        self.due.first().filter(|_| !self.is_stopped()).map(|due| (due.core as usize, due.epoch))
    }

    /// Removes and returns the core whose fiber goes on next at the present time. Its node acts from now on.
    #[inline]
    pub(crate) fn take_due(&mut self) -> Option<(usize, u32)> {
        let due = self.due.pop()?;
        let actor = self.actor(due.node as usize);
        if self.turn.actor != actor {
            self.go_over_to(actor);
        }
        self.latest = self.latest.max(self.now);
        Some((due.core as usize, due.epoch))
    }

    /// Gives the turn to another actor at the present time: several nodes go on at one instant when a timed region begins. All of
    /// them have come to that instant.
    #[cold]
    fn go_over_to(&mut self, actor: usize) {
        self.events.give_turn(actor);
        self.begin_turn(actor, self.ranks[actor], None);
    }

    /// Removes the next event from the queue. The caller then [begins](Self::begin) it, or [ends](Self::end) the
    /// run.
    // The loop that takes events is one function together with the queues that it takes them from.
    #[inline(always)]
    pub(crate) fn take_next(&mut self) -> Option<(Time, Packed)> {
        if self.lookahead.is_zero() {
            self.is_usual = self.usual_is_next();
            if self.is_usual {
                let (order, event) = self.usual.pop()?;
                return Some(self.take(order, event));
            }
        } else if self.events.comes_to(self.turn.bound) {
            self.next_turn()?;
        }
        self.take_own()
    }

    /// Removes the next event of the acting node, which comes in this turn. In global order it is the next event of all
    /// nodes.
    #[inline]
    pub(crate) fn take_own(&mut self) -> Option<(Time, Packed)> {
        let (order, event) = self.events.pop()?;
        Some(self.take(order, event))
    }

    /// Comes to the place of an event, which is taken.
    #[inline(always)]
    fn take(&mut self, order: Order, event: Packed) -> (Time, Packed) {
        self.came = (self.turn.actor, order);
        self.turn.by = self.turn.rank;
        (order.at, event)
    }

    /// Goes on to the next event and returns it, if it is in `usual` and inside the network, and no other part has an
    /// earlier event.
    #[inline]
    pub(crate) fn go_on_inside(&mut self) -> Option<hardware::Event> {
        let (order, next) = self.usual.next()?;
        let event = next.inside()?;
        let is_first = self.events.next().is_none_or(|other| order < other);
        if !is_first || order.at >= self.limits.not_before() || !self.due.is_empty() {
            return None;
        }
        self.usual.skip();
        self.is_usual = true;
        self.came = (self.turn.actor, order);
        (self.now, self.latest) = (order.at, self.latest.max(order.at));
        self.happened += 1;
        Some(event)
    }

    /// Whether the next event is in `usual`.
    #[inline]
    fn usual_is_next(&self) -> bool {
        let first = self.usual.first();
        first.at < Time::MAX && self.events.next().is_none_or(|next| first < next)
    }

    /// The rank of a node, before the number of a push.
    #[inline]
    fn by(&self, node: usize) -> u64 {
        u64::from(self.ranks[node]) << PUSHES
    }

    /// Gives the turn to the actor with the first event of all, if there is one, with lookahead.
    #[inline(always)]
    fn next_turn(&mut self) -> Option<()> {
        let (actor, first) = self.events.give_first_turn()?;
        self.begin_turn(actor, first.rank, Some(first.at).filter(|_| !self.held[actor]));
        if !self.parked.is_empty() {
            self.unpark(actor);
        }
        Some(())
    }

    /// Makes the cores due again that follow the fiber of an actor that has [stepped back](Self::step_back).
    #[cold]
    fn unpark(&mut self, actor: usize) {
        if let Some(due) = self.parked.remove(&actor) {
            self.due = due;
        }
    }

    /// Begins the turn of an actor of a rank, in global order, or with lookahead from `start` on.
    #[inline(always)]
    fn begin_turn(&mut self, actor: usize, rank: u32, start: Option<Time>) {
        let others = self.events.first_of_others().unwrap_or(Turn::NEVER);
        let bound = match start {
            None => others,
            Some(start) => {
                let ahead = (others.at + self.lookahead).min(start + self.lookahead + self.lookahead);
                Turn::until(self.until_end(ahead))
            }
        };
        self.prospect.renew();
        let rank = u64::from(rank) << PUSHES;
        self.turn = Acting { actor, rank, bound, in_order: start.is_none(), ..self.turn };
    }

    /// The time of the next event of the acting node, in this turn or later.
    #[inline]
    fn own(&self) -> Time {
        self.events.next().map_or(Time::MAX, |next| next.at).min(self.usual.first().at)
    }

    /// Whether the present instant is in global order: no other actor has an earlier event.
    pub(crate) fn is_in_order(&self) -> bool {
        self.turn.in_order
    }

    /// Lets the fiber at work on a core of the acting node go on at the present time, once no other actor has an
    /// earlier event. The cores that are due now then follow it. The node keeps global order from then on.
    pub(crate) fn step_back(&mut self, core: usize, epoch: u32) {
        let (actor, at) = (self.turn.actor, self.now);
        self.parked.insert(actor, std::mem::take(&mut self.due));
        // It comes before all that the node has queued for this instant.
        let order = Order { at, major: 0, minor: 0 };
        self.events.push(actor, order, Happening::Continue { core: core as u32, epoch }.into());
        self.hold(actor);
        self.turn.bound = Turn::until(Time::ZERO);
    }

    /// Lets a node keep global order from its next turn on.
    pub(crate) fn hold(&mut self, node: usize) {
        self.held[node] = true;
    }

    /// Lets all nodes run ahead again from their next turns on.
    pub(crate) fn release(&mut self) {
        self.held.fill(false);
    }

    /// Whether the present event came a usual delay after it was pushed.
    #[inline]
    pub(crate) fn is_usual(&self) -> bool {
        self.is_usual
    }

    /// Whether it is worth while now to prefetch for the next events: nodes are many, and this was not asked before in
    /// the present turn.
    #[inline]
    pub(crate) fn foresees(&mut self) -> bool {
        self.prospect.take()
    }

    /// Whether nodes take turns, and have queues of their own.
    pub(crate) fn takes_turns(&self) -> bool {
        !self.lookahead.is_zero()
    }

    /// Moves the present time to an event that was taken from the queue.
    #[inline]
    pub(crate) fn begin(&mut self, at: Time, event: Packed) {
        if !event.is_a_look() {
            self.latest = self.latest.max(at);
        }
        self.now = at;
        self.happened += 1;
    }

    /// Ends the run because no event that matters is left. The run's time excludes final looks that found
    /// nothing.
    pub(crate) fn end(&mut self) {
        self.now = self.latest;
    }

    /// Records an event that may end a wait.
    #[inline]
    pub(crate) fn note_progress(&mut self) {
        self.progress.note(self.now);
    }

    /// The last event that may end a wait.
    pub(crate) fn progress(&self) -> Progress {
        self.progress
    }

    /// The number of events to come that may end a wait. Looks count unless they are `ignored`. Continuations of
    /// processors do not count, because the processor itself shows that it is at work.
    pub(crate) fn under_way(&self, ignored: bool) -> usize {
        let counts = |event: &&Packed| !(event.is_a_continuation() || ignored && event.is_a_look());
        self.events.iter().chain(self.usual.iter()).filter(counts).count()
    }

    /// Ends the run now, though there are events to come.
    pub(crate) fn stop(&mut self, why: Failure) {
        self.stopped = Some(why);
    }

    /// Ends the run now because of a panic, unless it has ended before for a reason as good.
    pub(crate) fn stop_by_panic(&mut self, why: Failure) {
        if !self.over && (self.abandoned || !self.is_stopped()) {
            self.stop(why);
            self.abandoned = false;
        }
    }

    /// Ends the run now, if it has not ended before. The reason is no better than the panic that is under way.
    pub(crate) fn abandon(&mut self, why: Failure) {
        if !self.is_stopped() && !self.over {
            self.stop(why);
            self.abandoned = true;
        }
    }

    /// Removes and returns the reason why the run ends now, if it does and was not [abandoned](Self::abandon).
    pub(crate) fn take_reason(&mut self) -> Option<Failure> {
        self.stopped.take().filter(|_| !self.abandoned)
    }

    /// Ends the run for good: the remaining fibers are unwound.
    pub(crate) fn close(&mut self) {
        self.over = true;
    }

    /// Whether the run is over: no event happens any more.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    /// Whether the run ends now.
    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// Removes and returns the reason why the run ends now, if it does.
    #[cold]
    pub(crate) fn take_stop(&mut self) -> Option<Failure> {
        self.stopped.take()
    }

    /// Whether the run ends at the present time: it has gone on for longer than the stall limit without progress, or has come to the end
    /// of modelled time.
    #[inline]
    pub(crate) fn has_ended(&self) -> bool {
        self.ends_at(self.now)
    }

    #[inline]
    fn ends_at(&self, at: Time) -> bool {
        at >= self.limits.not_before() && at >= self.limits.find_end(self.progress.at(), self.now)
    }

    /// The instant `at`, or the first one at which the run ends, if it makes no progress before. A node that runs ahead waits there:
    /// another node may be about to make progress at an earlier instant.
    #[inline]
    fn until_end(&self, at: Time) -> Time {
        // Mostly `at` comes before any possible end of the run, which then need not be computed.
        if at <= self.limits.not_before() { at } else { at.min(self.limits.end(self.progress.at())) }
    }
}

#[cfg(test)]
mod tests;
