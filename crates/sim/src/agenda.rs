//! The present time, and all events to come.
//!
//! Each node has a queue of its own. The nodes take turns, in the order of their next events. What a node does in its turn is
//! private to it up to the *bound* of the turn.
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
//! This module must never know what an event means to the part that it is for.

use std::collections::{BTreeMap, VecDeque};

use des::{DelayLines, Order, Timetable, Turn};
use tempest::Failure;
use units::Time;

use crate::happening::{Happening, Packed};
use crate::progress::Progress;
use crate::prospect::Prospect;

/// The present time and all events to come.
pub(crate) struct Agenda {
    now: Time,
    /// The place of the event that was taken last.
    last: Order,
    /// The time of the last event of any node that had an effect. Looks without one do not count.
    latest: Time,
    events: Timetable<Packed>,
    /// The events inside a network that come a fixed delay after the one before: most of them, where few messages wait. They keep
    /// global order with `events`.
    inside: DelayLines<hardware::Event>,
    /// The rank of each node among simultaneous events of several nodes.
    ranks: Box<[u32]>,
    turn: Acting,
    /// The least time of a message from one node to another; zero if all nodes keep global order.
    lookahead: Time,
    /// The nodes that keep global order for now.
    held: Box<[bool]>,
    /// Cores whose fibers go on at the present time, in order. They come before every queued event, and most continuations need
    /// no queue entry because of them.
    due: VecDeque<Due>,
    /// For each node whose fiber has [stepped back](Self::step_back), what is due after that fiber.
    parked: BTreeMap<usize, VecDeque<Due>>,
    /// The number of pushes so far.
    pushes: u64,
    /// Whether the next events are to be told.
    prospect: Prospect,
    /// The number of events so far.
    happened: u64,
    /// The longest time without progress before the run counts as stalled.
    stall_limit: Option<Time>,
    /// An instant up to which the run has not stalled. The run may have made progress since it was set.
    patient_until: Time,
    progress: Progress,
    /// The reason why the run ends early, once that is certain.
    stopped: Option<Failure>,
}

/// The bits of the number of a push. The rank of the node that pushes stands above them, and has room for 2^20 nodes: a run has no
/// more threads than that, and each node has one at least.
const PUSHES: u32 = 44;

/// The longest time from a push to its event, in femtoseconds, that orders simultaneous events. It is 17 ms, and as many bits as the
/// number of a push. Among events that were pushed earlier only the number counts.
const LONGEST_WAIT: u64 = (1 << PUSHES) - 1;

/// The events of one queue, after the next, that are told ahead of their times.
const EVENTS_AHEAD: [usize; 3] = [1, 4, 7];

/// The turns, after the present one, whose first events are told ahead of their times.
const TURNS_AHEAD: [usize; 3] = [0, 1, 2];

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
    /// The rank of the node whose event happens now, before the number of a push.
    by: u64,
    /// The end of the turn.
    bound: Turn,
    /// Whether the turn ends where the next event of another actor begins.
    in_order: bool,
}

impl Agenda {
    /// An agenda at time zero without events, for nodes of these ranks. A message from one node to another takes at least
    /// `lookahead`; if that is zero, all nodes keep global order. A run without progress for longer than `stall_limit` has stalled.
    pub(crate) fn new(ranks: Box<[u32]>, lookahead: Time, stall_limit: Option<Time>) -> Self {
        let nodes = ranks.len();
        Self {
            now: Time::ZERO,
            last: Order { at: Time::ZERO, major: 0, minor: 0 },
            latest: Time::ZERO,
            events: Timetable::new(if lookahead.is_zero() { [0].into() } else { ranks.clone() }),
            turn: Acting { actor: 0, by: 0, bound: Turn::NEVER, in_order: true },
            lookahead,
            held: vec![false; nodes].into(),
            ranks,
            inside: DelayLines::new(&[]),
            due: VecDeque::new(),
            parked: BTreeMap::new(),
            pushes: 0,
            prospect: Prospect::of(nodes, !lookahead.is_zero()),
            happened: 0,
            stall_limit,
            patient_until: stall_limit.unwrap_or(Time::MAX),
            progress: Progress::default(),
            stopped: None,
        }
    }

    /// The agenda for a network most of whose events come one of `delays` after the event that pushes them.
    pub(crate) fn with_delays(self, delays: &[Time]) -> Self {
        Self { inside: DelayLines::new(delays), ..self }
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
        self.events.len() + self.inside.len()
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
        let rank = self.ranks[node];
        let order = self.next_order(since, at, rank);
        self.insert(self.actor(node), order, rank, happening);
    }

    /// Adds an event inside the network at `at`. `rank` is that of the node that it concerns.
    #[inline]
    pub(crate) fn push_inside(&mut self, at: Time, rank: u32, event: hardware::Event) {
        let order = self.next_order(self.now, at, rank);
        if !self.inside.push(self.now, order, event) {
            self.insert(self.actor(0), order, rank, Happening::Network { event });
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
        self.next_order(self.now, at, self.ranks[node])
    }

    /// Whether an event at a place that was [kept](Self::keep_place) would have happened by now.
    #[inline]
    pub(crate) fn is_past(&self, place: Order) -> bool {
        place.at < self.now || place.at == self.now && (self.last.at < self.now || place <= self.last)
    }

    /// Adds an event of a node at a place that was [kept](Self::keep_place), and that has not passed.
    pub(crate) fn push_to(&mut self, place: Order, node: usize, happening: Happening) {
        self.insert(self.actor(node), place, self.ranks[node], happening);
    }

    /// The place of an event at `at` that is pushed at the instant `since`.
    #[inline]
    fn next_order(&mut self, since: Time, at: Time, rank: u32) -> Order {
        let number = self.pushes;
        self.pushes += 1;
        match self.lookahead.is_zero() {
            // Simultaneous events of several nodes come by rank. Among those of a node the event of the earlier push comes first:
            // it has been waited for longer.
            true => {
                let waits = (at - since).as_femtoseconds().min(LONGEST_WAIT);
                let major = u64::from(rank) << PUSHES | (LONGEST_WAIT - waits);
                Order { at, major, minor: number }
            }
            false => Order { at, major: since.as_femtoseconds(), minor: self.turn.by | number },
        }
    }

    #[inline]
    fn insert(&mut self, actor: usize, order: Order, rank: u32, happening: Happening) {
        self.events.push(actor, order, happening.into());
        let turn = &mut self.turn;
        if actor != turn.actor && turn.in_order {
            turn.bound = turn.bound.min(Turn { at: order.at, rank });
        }
    }

    /// Lets the fiber at work on a core go on at the present time, before every event.
    pub(crate) fn go_on_now(&mut self, node: usize, core: usize, epoch: u32) {
        self.due.push_back(Due { node: node as u32, core: core as u32, epoch });
    }

    /// The core whose fiber goes on next at the present time, with the epoch of its continuation; `None` if the run ends now.
    pub(crate) fn first_due(&self) -> Option<(usize, u32)> {
        self.due.front().filter(|_| !self.is_stopped()).map(|due| (due.core as usize, due.epoch))
    }

    /// Removes and returns the core whose fiber goes on next at the present time. Its node acts from now on.
    pub(crate) fn take_due(&mut self) -> Option<(usize, u32)> {
        let due = self.due.pop_front()?;
        let actor = self.actor(due.node as usize);
        if self.turn.actor != actor {
            // Several nodes go on at one instant when a timed region begins. All of them have come to that instant.
            self.events.give_turn(actor);
            self.begin_turn(actor, None);
        }
        self.latest = self.latest.max(self.now);
        Some((due.core as usize, due.epoch))
    }

    /// Removes the next event from the queue. The caller then [begins](Self::begin) it, or [ends](Self::end) the
    /// run.
    pub(crate) fn take_next(&mut self) -> Option<(Time, Happening)> {
        if self.turn.bound < Turn::NEVER {
            let own = self.own();
            if self.events.turn(self.turn.actor, own) >= self.turn.bound {
                self.next_turn()?;
            }
        }
        let (order, happening) = match self.comes_inside() {
            true => self.inside.pop().map(|(order, event)| (order, Happening::Network { event })),
            false => self.events.pop().map(|(order, event)| (order, event.into())),
        }?;
        self.turn.by = self.by();
        self.last = order;
        Some((order.at, happening))
    }

    /// Whether the next event is one of a fixed delay inside the network.
    #[inline]
    fn comes_inside(&self) -> bool {
        let first = self.inside.first();
        first.at < Time::MAX && self.events.next().is_none_or(|next| first < next)
    }

    /// The rank of the acting node, before the number of a push.
    #[inline]
    fn by(&self) -> u64 {
        u64::from(self.ranks[self.turn.actor]) << PUSHES
    }

    /// Gives the turn to the actor with the first event of all, if there is one.
    fn next_turn(&mut self) -> Option<()> {
        let (actor, first) = self.events.give_first_turn()?;
        self.begin_turn(actor, Some(first.at).filter(|_| !self.keeps_order(actor)));
        if let Some(due) = self.parked.remove(&actor) {
            self.due = due;
        }
        Some(())
    }

    fn keeps_order(&self, actor: usize) -> bool {
        self.lookahead.is_zero() || self.held[actor]
    }

    /// Begins the turn of an actor, in global order, or with lookahead from `start` on.
    fn begin_turn(&mut self, actor: usize, start: Option<Time>) {
        let others = self.events.first_of_others().unwrap_or(Turn::NEVER);
        let bound = match start {
            None => others,
            Some(start) => {
                let ahead = (others.at + self.lookahead).min(start + self.lookahead * 2);
                Turn::until(ahead.min(self.stalls_after()))
            }
        };
        self.prospect.renew();
        self.turn = Acting { actor, bound, in_order: start.is_none(), ..self.turn };
    }

    /// The time of the next event of the acting node, in this turn or later.
    #[inline]
    fn own(&self) -> Time {
        self.events.next().map_or(Time::MAX, |next| next.at).min(self.inside.first().at)
    }

    /// Whether the present instant is that of global order: no other actor has an earlier event.
    pub(crate) fn is_in_order(&self) -> bool {
        self.turn.in_order
    }

    /// Lets the fiber at work on a core of the acting node go on at the present time, once no other actor has an earlier event.
    /// What is due then follows it. The node keeps global order from then on.
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

    /// The events that probably come soon, if nodes are many and the events are to be told now. The soonest comes first.
    #[inline]
    pub(crate) fn soon(&mut self) -> Option<[Option<Happening>; 3]> {
        self.prospect.take().then(|| self.look_ahead())
    }

    fn look_ahead(&self) -> [Option<Happening>; 3] {
        if self.lookahead.is_zero() {
            return EVENTS_AHEAD.map(|ahead| self.events.after(ahead).map(Happening::from));
        }
        let [next, after, later] = TURNS_AHEAD.map(|ahead| self.events.first_of_turn(ahead));
        if let Some((actor, _)) = later {
            pdq::prefetch(self.events.place_of(actor));
        }
        if let Some((actor, _)) = after {
            self.events.things_of(actor).into_iter().for_each(pdq::prefetch);
        }
        [next, after, later].map(|event| event.map(|(_, event)| event.into()))
    }

    /// Moves the present time to an event that was taken from the queue.
    pub(crate) fn begin(&mut self, at: Time, happening: Happening) {
        if !happening.is_a_look() {
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

    /// Advances the present time by `ahead` if the node has no earlier event and its turn lasts so long. Otherwise returns the
    /// instant `ahead` from now, at which the caller [queues](Self::push) its continuation.
    #[inline]
    pub(crate) fn pass(&mut self, ahead: Time) -> Option<Time> {
        let target = self.now + ahead;
        let undisturbed = self.due.is_empty() && self.turn.bound.at > target && self.own() > target;
        if undisturbed && !self.is_stalled_at(target) {
            self.now = target;
            self.latest = self.latest.max(target);
            self.turn.by = self.by();
            return None;
        }
        Some(target)
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
        let counts = |&&event: &&Packed| match Happening::from(event) {
            Happening::Continue { .. } => false,
            event => !ignored || !event.is_a_look(),
        };
        self.events.iter().filter(counts).count() + self.inside.len()
    }

    /// Ends the run now, though there are events to come.
    pub(crate) fn stop(&mut self, why: Failure) {
        self.stopped = Some(why);
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

    /// The stall limit, if the run has gone on for longer than that without progress.
    #[inline]
    pub(crate) fn stalled(&mut self) -> Option<Time> {
        if self.is_stalled_at(self.now) { self.stall_limit } else { None }
    }

    #[inline]
    fn is_stalled_at(&mut self, at: Time) -> bool {
        at > self.patient_until && self.has_stalled_at(at)
    }

    #[cold]
    fn has_stalled_at(&mut self, at: Time) -> bool {
        self.patient_until = self.stall_limit.map_or(Time::MAX, |limit| self.progress.at() + limit);
        at > self.patient_until
    }

    /// The first instant at which the run counts as stalled, if it makes no progress before. A node that runs ahead waits there:
    /// another node may be about to make progress at an earlier instant.
    fn stalls_after(&self) -> Time {
        let next = Time::from_femtoseconds(1);
        self.stall_limit.map_or(Time::MAX, |limit| self.progress.at() + limit + next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(time: u64) -> Time {
        Time::from_nanoseconds(time)
    }

    /// An agenda without lookahead, of nodes with these ranks. Node 0 acts.
    fn agenda(ties: &[u32], stall_limit: Option<Time>) -> Agenda {
        let mut agenda = Agenda::new(ties.into(), Time::ZERO, stall_limit);
        agenda.go_on_now(0, 0, 0);
        agenda.take_due();
        agenda
    }

    /// Two nodes whose messages take 10 ns at least. Node 1 acts.
    fn running_ahead() -> Agenda {
        let mut agenda = Agenda::new([7, 3].into(), ns(10), None);
        deliver(&mut agenda, 1, 0, 99);
        assert_eq!(next(&mut agenda), Some((99, ns(0))));
        agenda
    }

    fn deliver(agenda: &mut Agenda, node: usize, at: u64, flight: u32) {
        agenda.push(node, ns(at), Happening::Deliver { flight });
    }

    /// Begins the next event. Returns its flight and its time.
    fn next(agenda: &mut Agenda) -> Option<(u32, Time)> {
        let (at, happening) = agenda.take_next()?;
        agenda.begin(at, happening);
        let Happening::Deliver { flight } = happening else { panic!("{happening:?}") };
        Some((flight, at))
    }

    #[test]
    fn time_passes_up_to_the_next_event_and_not_beyond() {
        let mut agenda = agenda(&[7], None);
        deliver(&mut agenda, 0, 10, 1);
        assert_eq!((agenda.pass(ns(9)), agenda.now()), (None, ns(9)));
        assert_eq!((agenda.pass(ns(1)), agenda.now()), (Some(ns(10)), ns(9)), "the event comes first");
        agenda.go_on_now(0, 3, 7);
        assert_eq!(agenda.pass(ns(0)), Some(ns(9)), "so does what is due");
        assert_eq!(
            (agenda.first_due(), agenda.take_due(), agenda.take_due()),
            (Some((3, 7)), Some((3, 7)), None)
        );
    }

    #[test]
    fn in_global_order_a_turn_ends_at_the_next_event_of_any_node() {
        let mut agenda = agenda(&[7, 3], None);
        deliver(&mut agenda, 0, 5, 0);
        deliver(&mut agenda, 1, 5, 1);
        deliver(&mut agenda, 1, 8, 2);
        // Of simultaneous events those of the lower rank come first.
        assert_eq!([next(&mut agenda), next(&mut agenda)], [Some((1, ns(5))), Some((0, ns(5)))]);
        assert_eq!(agenda.pass(ns(3)), Some(ns(8)));
        assert_eq!(agenda.pass(ns(2)), None);
        deliver(&mut agenda, 1, 7, 3);
        assert_eq!(agenda.pass(ns(0)), Some(ns(7)), "an event that comes up meanwhile counts");
    }

    #[test]
    fn an_event_that_is_pushed_late_comes_where_it_would_have_come() {
        let mut agenda = agenda(&[3, 7], None);
        let place = agenda.keep_place(1, ns(5));
        deliver(&mut agenda, 1, 5, 1);
        agenda.push_to(place, 1, Happening::Deliver { flight: 2 });
        assert_eq!([next(&mut agenda), next(&mut agenda)], [Some((2, ns(5))), Some((1, ns(5)))]);
    }

    #[test]
    fn a_place_is_past_when_an_event_there_would_have_happened() {
        let mut agenda = agenda(&[3], None);
        deliver(&mut agenda, 0, 5, 1);
        let place = agenda.keep_place(0, ns(5));
        deliver(&mut agenda, 0, 5, 2);
        let mut past = || next(&mut agenda).map(|(flight, _)| (flight, agenda.is_past(place)));
        assert_eq!([past(), past(), past()], [Some((1, false)), Some((2, true)), None]);
        let place = agenda.keep_place(0, ns(8));
        assert!(!agenda.is_past(place));
        assert_eq!(
            (agenda.pass(ns(3)), agenda.is_past(place)),
            (None, true),
            "nothing else comes at that instant"
        );
    }

    #[test]
    fn an_event_that_is_pushed_early_comes_where_it_would_have_come() {
        for mut agenda in [agenda(&[3, 7], None), Agenda::new([3, 7].into(), ns(10), None)] {
            // Pushed at 0 for a push at 6.
            agenda.push_since(ns(6), 0, ns(9), Happening::Deliver { flight: 1 });
            deliver(&mut agenda, 0, 5, 0);
            deliver(&mut agenda, 0, 7, 0);
            assert_eq!(next(&mut agenda), Some((0, ns(5))));
            deliver(&mut agenda, 0, 9, 2);
            assert_eq!(next(&mut agenda), Some((0, ns(7))));
            deliver(&mut agenda, 0, 9, 3);
            let last = [next(&mut agenda), next(&mut agenda), next(&mut agenda)];
            assert_eq!(last, [2, 1, 3].map(|flight| Some((flight, ns(9)))));
        }
    }

    #[test]
    fn with_lookahead_a_turn_ends_before_a_message_can_come() {
        let mut agenda = running_ahead();
        deliver(&mut agenda, 0, 105, 0);
        deliver(&mut agenda, 0, 116, 1);
        deliver(&mut agenda, 1, 107, 2);
        assert_eq!(next(&mut agenda), Some((0, ns(105))));
        // A message of the other node comes at 117 at the earliest.
        assert_eq!((agenda.pass(ns(10)), agenda.pass(ns(1))), (None, Some(ns(116))));
        assert_eq!(next(&mut agenda), Some((1, ns(116))), "the other node is behind");
        assert_eq!(agenda.pass(ns(1)), Some(ns(117)));
        deliver(&mut agenda, 0, 117, 3);
        deliver(&mut agenda, 1, 190, 4);
        assert_eq!([next(&mut agenda), next(&mut agenda)], [Some((2, ns(107))), Some((3, ns(117)))]);
        // The node may send, and be answered at 137.
        assert_eq!((agenda.pass(ns(19)), agenda.pass(ns(1))), (None, Some(ns(137))));
    }

    #[test]
    fn simultaneous_events_of_a_node_come_in_the_order_of_their_pushes_in_modelled_time() {
        let mut agenda = running_ahead();
        deliver(&mut agenda, 0, 104, 0);
        deliver(&mut agenda, 1, 105, 1);
        next(&mut agenda);
        assert_eq!(agenda.pass(ns(8)), None);
        deliver(&mut agenda, 0, 130, 2);
        assert_eq!(next(&mut agenda), Some((1, ns(105))), "earlier, and later for the host");
        deliver(&mut agenda, 0, 130, 3);
        assert_eq!([next(&mut agenda), next(&mut agenda)], [Some((3, ns(130))), Some((2, ns(130)))]);
    }

    #[test]
    fn a_fiber_that_steps_back_goes_on_in_global_order_before_what_was_due_then() {
        let mut agenda = running_ahead();
        deliver(&mut agenda, 0, 104, 0);
        deliver(&mut agenda, 1, 106, 1);
        next(&mut agenda);
        assert_eq!((agenda.is_in_order(), agenda.pass(ns(8))), (false, None));
        agenda.go_on_now(0, 5, 0);
        agenda.step_back(2, 9);
        assert_eq!((agenda.take_due(), next(&mut agenda)), (None, Some((1, ns(106)))));
        let (at, happening) = agenda.take_next().expect("the fiber goes on");
        assert!(matches!(happening, Happening::Continue { core: 2, epoch: 9 }));
        assert_eq!((at, agenda.is_in_order(), agenda.take_due()), (ns(112), true, Some((5, 0))));
    }

    #[test]
    fn looks_that_find_nothing_do_not_make_a_run_longer() {
        let mut agenda = agenda(&[7], None);
        let mut happens = |at, happening| {
            agenda.push(0, ns(at), happening);
            let (at, happening) = agenda.take_next().unwrap();
            agenda.begin(at, happening);
        };
        happens(5, Happening::Deliver { flight: 0 });
        happens(8, Happening::Look { node: 0 });
        happens(9, Happening::Post { node: 0 });
        assert_eq!(agenda.now(), ns(9));
        agenda.end();
        assert_eq!((agenda.now(), agenda.happened(), agenda.waiting()), (ns(5), 3, 0));
    }

    #[test]
    fn a_look_after_which_a_fiber_went_on_counts() {
        let mut agenda = agenda(&[7], None);
        agenda.begin(ns(8), Happening::Look { node: 0 });
        agenda.go_on_now(0, 0, 0);
        agenda.take_due();
        agenda.end();
        assert_eq!(agenda.now(), ns(8));
    }

    #[test]
    fn events_are_under_way_that_may_end_a_wait() {
        let mut agenda = agenda(&[7], None);
        agenda.push(0, ns(1), Happening::Continue { core: 0, epoch: 0 });
        agenda.push(0, ns(2), Happening::Look { node: 0 });
        assert_eq!((agenda.under_way(false), agenda.under_way(true)), (1, 0));
        agenda.push(0, ns(3), Happening::Arrive { flight: 0 });
        assert_eq!((agenda.under_way(false), agenda.under_way(true)), (2, 1));
        agenda.take_next();
        assert_eq!(agenda.under_way(false), 2);
    }

    #[test]
    fn a_run_stalls_when_nothing_happens_for_longer_than_the_limit() {
        let mut agenda = agenda(&[7], Some(ns(100)));
        agenda.begin(ns(100), Happening::Deliver { flight: 0 });
        assert_eq!(agenda.stalled(), None);
        assert_eq!(agenda.pass(ns(1)), Some(ns(101)), "a clock does not run past the limit");
        agenda.note_progress();
        assert_eq!((agenda.pass(ns(1)), agenda.stalled()), (None, None));
        agenda.begin(ns(201), Happening::Deliver { flight: 0 });
        assert_eq!(agenda.stalled(), Some(ns(100)));
    }

    #[test]
    fn a_node_that_runs_ahead_does_not_stall_before_another_has_made_progress() {
        let mut agenda = Agenda::new([3, 7].into(), ns(10), Some(ns(100)));
        deliver(&mut agenda, 1, 90, 0);
        deliver(&mut agenda, 1, 101, 2);
        deliver(&mut agenda, 0, 95, 1);
        assert_eq!([next(&mut agenda), next(&mut agenda)], [Some((0, ns(90))), Some((1, ns(95)))]);
        agenda.note_progress();
        assert_eq!((next(&mut agenda), agenda.stalled()), (Some((2, ns(101))), None));
    }
}
