//! Steps that are visible to their own node alone, and their places among the node's events.
//!
//! Such a step needs no event. It has the [place](Order) that its event would have, and the node takes it before anything of the
//! node that has a later place. A step that follows another is as if pushed by it, at the time of the other.
//!
//! In global order a place counts the pushes of all nodes, in the order in which they happen. A step that is taken late could not
//! tell its place. There every step is an event.
//!
//! This module must never know the effect of a step.

use des::Order;
use units::Time;

use super::{Agenda, first_number};
use crate::happening::Happening;

/// The place before all others.
const FIRST: Order = Order { at: Time::ZERO, major: 0, minor: 0 };

impl Agenda {
    /// The node that acts now; `None` where the run keeps global order throughout, and every step is an event.
    #[inline]
    pub(crate) fn acting(&self) -> Option<usize> {
        (!self.lookahead.is_zero()).then_some(self.turn.actor)
    }

    /// The place up to which all events of a node have happened before the present instant. For a node other than the
    /// acting one it is the place of global order.
    #[inline]
    pub(crate) fn reached_by(&self, node: usize) -> Order {
        let (actor, place) = self.came;
        if node == actor { place } else { self.reached_by_other(node, actor) }
    }

    #[cold]
    fn reached_by_other(&self, node: usize, actor: usize) -> Order {
        let last = if self.ranks[node] < self.ranks[actor] { u64::MAX } else { 0 };
        Order { at: self.now, major: last, minor: last }
    }

    /// Whether an event of a node at a place would have happened by now.
    #[inline]
    pub(crate) fn is_past(&self, node: usize, place: Order) -> bool {
        let (actor, came) = &self.came;
        // In global order all nodes come to the place of the last event.
        if node == *actor || self.lookahead.is_zero() {
            place <= *came
        } else {
            place <= self.reached_by_other(node, *actor)
        }
    }

    /// The place of a step of a node at `at` that follows the node's step at `from`.
    #[inline]
    pub(crate) fn place_after(&mut self, node: usize, from: Time, at: Time) -> Order {
        if self.lookahead.is_zero() {
            return self.next_order(from, at, node);
        }
        let (major, rank) = (first_number(from), self.by(node));
        Order { at, major, minor: rank | self.next_number() }
    }

    /// A place before everything at `at` that has a place already. It is the node's alone.
    pub(crate) fn early_place(&mut self, at: Time) -> Order {
        Order { at, major: 0, minor: self.next_number() }
    }

    /// The first place at which an event may disturb the acting node. All steps of the node before that place may be
    /// taken now, though their time has not come. This includes a step at the present place.
    #[inline]
    pub(crate) fn undisturbed_until(&self) -> Order {
        let Order { at, major, minor } = if self.came.0 == self.turn.actor { self.came.1 } else { FIRST };
        let past_present = Order { at, major, minor: minor + 1 };
        if !self.due.is_empty() {
            return past_present;
        }
        let other = Order { at: self.until_end(self.turn.bound.at), ..FIRST };
        self.events.next().unwrap_or(Order::NEVER).min(self.usual.first()).min(other).max(past_present)
    }

    /// The instant up to which the present time may [pass](Self::pass), and which it may not reach.
    #[inline]
    pub(crate) fn quiet_until(&self) -> Time {
        if !self.due.is_empty() {
            return self.now;
        }
        self.until_end(self.turn.bound.at.min(self.own()))
    }

    /// Advances the present time by `ahead` if the node has no earlier event and its turn lasts until then. Otherwise
    /// returns the instant `ahead` from now, at which the caller [queues](Self::push) its continuation.
    #[inline]
    pub(crate) fn pass(&mut self, ahead: Time) -> Option<Time> {
        let target = self.now + ahead;
        if self.ends_at(target) { Some(target) } else { self.pass_by_others(ahead) }
    }

    /// Whether the run is known not to end `ahead` from now. If it is not known, [`pass`](Self::pass) finds out.
    #[inline]
    pub(crate) fn goes_on_for(&self, ahead: Time) -> bool {
        self.now + ahead < self.limits.not_before()
    }

    /// Advances the present time by `ahead`, where the run does not end then, if the node has no earlier event and its
    /// turn lasts until then. Otherwise returns the instant `ahead` from now.
    #[inline]
    pub(crate) fn pass_by_others(&mut self, ahead: Time) -> Option<Time> {
        let target = self.now + ahead;
        if self.due.is_empty() && self.turn.bound.at > target && self.own() > target {
            self.advance_to(target);
            return None;
        }
        Some(target)
    }

    /// The time until the acting node's next event, unless a processor goes on then; [`Time::MAX`] if it does, or there is none.
    pub(crate) fn until_next_of_machine(&self) -> Time {
        let next = self.events.after(0).filter(|next| !next.is_a_continuation());
        next.and(self.events.next()).map_or(Time::MAX, |next| next.at - self.now)
    }

    /// Whether the turn of a node that runs ahead lasts beyond `at`, and no fiber goes on at the present time.
    #[inline]
    pub(crate) fn acts_until(&self, at: Time) -> bool {
        !self.lookahead.is_zero() && self.turn.bound.at > at && self.due.is_empty()
    }

    /// The acting node's next event, if it comes before a place.
    #[inline]
    pub(crate) fn next_before(&self, place: Order) -> Option<Happening> {
        let is_before = self.events.next().is_some_and(|next| next < place);
        self.events.after(0).filter(|_| is_before).map(Happening::from)
    }

    /// Advances the present time to a place of the acting node in this turn, if the node has no earlier event. Returns whether it has.
    #[inline]
    pub(crate) fn come_to(&mut self, place: Order) -> bool {
        let is_next = self.events.next().is_none_or(|next| place < next);
        let comes = is_next && !self.ends_at(place.at);
        if comes {
            self.pass_to(place);
        }
        comes
    }

    /// Advances the present time to an instant before which the acting node is [quiet](Self::quiet_until), and at which nothing of it
    /// happens yet.
    #[inline]
    pub(crate) fn advance_to(&mut self, at: Time) {
        // In global order nothing is left to come at that instant.
        let major = if self.lookahead.is_zero() { u64::MAX } else { first_number(self.now) };
        let minor = self.turn.rank | self.pushes;
        self.pass_to(Order { at, major, minor });
    }

    /// Advances the present time to a step before all that may [disturb](Self::undisturbed_until) the acting node. All earlier steps
    /// of the node have been taken.
    #[inline]
    pub(crate) fn pass_to(&mut self, place: Order) {
        self.now = place.at;
        self.latest = self.latest.max(place.at);
        self.turn.by = self.turn.rank;
        self.came = (self.turn.actor, place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(time: u64) -> Time {
        Time::from_nanoseconds(time)
    }

    /// Three nodes whose messages take 100 ns at least. Node 1 acts, at 50 ns.
    fn agenda() -> Agenda {
        let mut agenda = Agenda::new([2, 1, 0].into(), ns(100), None);
        look(&mut agenda, 1, 50);
        let (at, event) = agenda.take_next().expect("it is to come");
        agenda.begin(at, event);
        agenda
    }

    fn look(agenda: &mut Agenda, node: usize, at: u64) {
        agenda.push(node, ns(at), Happening::Look { node: node as u32 });
    }

    #[test]
    fn steps_come_in_the_order_of_the_steps_before_them_whenever_they_are_taken() {
        let mut agenda = agenda();
        let late = agenda.place_after(1, ns(49), ns(70));
        let pushed = agenda.keep_place(1, ns(70));
        let later = agenda.place_after(1, ns(50), ns(70));
        let early = agenda.early_place(ns(70));
        assert!(early < late && late < pushed && pushed < later);
        assert!(early < agenda.place_after(1, ns(0), ns(70)) && agenda.early_place(ns(70)) > early);
    }

    #[test]
    fn an_early_place_comes_before_what_was_pushed_at_time_zero_by_the_first_of_all_nodes() {
        let mut agenda = Agenda::new([0].into(), ns(100), None);
        let pushed = agenda.keep_place(0, ns(70));
        let early = agenda.early_place(ns(70));
        let later = agenda.keep_place(0, ns(70));
        assert!(early < pushed && pushed < later);
    }

    #[test]
    fn in_global_order_places_count_pushes_and_no_step_is_without_an_event() {
        let mut agenda = Agenda::new([0].into(), Time::ZERO, None);
        let pushed = agenda.keep_place(0, ns(70));
        assert!(pushed < agenda.place_after(0, ns(0), ns(70)));
        assert_eq!(agenda.acting(), None);
    }

    #[test]
    fn steps_are_taken_up_to_the_next_event_the_end_of_the_turn_and_what_is_due() {
        let mut agenda = agenda();
        let reached = agenda.reached_by(1);
        assert_eq!(agenda.undisturbed_until().at, ns(250), "the node may be answered");
        look(&mut agenda, 1, 120);
        let until = agenda.undisturbed_until();
        assert_eq!(until.at, ns(120));
        agenda.pass_to(Order { at: ns(100), ..reached });
        assert_eq!(
            (agenda.now(), agenda.reached_by(1).at, agenda.undisturbed_until()),
            (ns(100), ns(100), until)
        );
        agenda.go_on_now(1, 0, 0);
        let present = agenda.reached_by(1);
        assert!(
            present < agenda.undisturbed_until()
                && agenda.undisturbed_until() < agenda.keep_place(1, ns(101))
        );
    }

    #[test]
    fn a_place_is_come_to_once_the_events_before_it_have_been_taken() {
        let mut agenda = agenda();
        look(&mut agenda, 1, 70);
        let place = agenda.keep_place(1, ns(70));
        look(&mut agenda, 1, 70);
        assert!(agenda.acts_until(ns(70)) && !agenda.acts_until(ns(250)), "the turn ends at 250 ns");
        assert_eq!(agenda.next_before(place), Some(Happening::Look { node: 1 }));
        assert!(!agenda.come_to(place) && agenda.now() == ns(50));
        agenda.take_next();
        assert_eq!(agenda.next_before(place), None, "the other event comes after it");
        assert!(agenda.come_to(place));
        assert_eq!((agenda.now(), agenda.reached_by(1)), (ns(70), place));
        agenda.go_on_now(1, 0, 0);
        assert!(!agenda.acts_until(ns(71)), "a fiber goes on first");
    }

    #[test]
    fn of_another_node_all_has_happened_that_global_order_puts_before() {
        let mut agenda = agenda();
        agenda.pass(ns(10));
        let step = agenda.place_after(0, ns(55), ns(60));
        assert!(agenda.reached_by(0) < step && step < agenda.reached_by(2), "lower ranks come first");
        assert!(agenda.reached_by(2) < agenda.place_after(2, ns(55), ns(61)));
        // A node that goes on at this instant has come as far.
        agenda.go_on_now(0, 0, 0);
        agenda.take_due();
        assert_eq!((agenda.acting(), agenda.reached_by(0) < step), (Some(0), true));
    }
}
