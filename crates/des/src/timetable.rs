//! Future events of many actors: a queue for each actor, and the actors in the order of their next events.
//!
//! An event of one actor is pushed and popped in the actor's own queue, which is small and near however many actors there are.
//! The order of the actors changes only when another actor pushes something earlier, and when a turn begins or ends. So a turn of
//! many events costs few steps in that order.
//!
//! This module must never know the meaning of an actor or an event, nor how long a turn may be.

use std::cmp::Ordering;
use std::collections::VecDeque;

use units::Time;

use crate::queue::Queue;

/// The place of an event among the events of its actor. The fields count in the order in which they stand here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    /// The time at which the event happens.
    pub at: Time,
    /// The first number that orders simultaneous events.
    pub major: u64,
    /// The second number that orders simultaneous events. No two events have all three alike.
    pub minor: u64,
}

impl Order {
    /// The place after all others.
    pub const NEVER: Self = Self { at: Time::MAX, major: u64::MAX, minor: u64::MAX };
}

impl Ord for Order {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        // Mostly the time decides.
        match self.at.cmp(&other.at) {
            Ordering::Equal => (self.major, self.minor).cmp(&(other.major, other.minor)),
            decided => decided,
        }
    }
}

impl PartialOrd for Order {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    #[inline]
    fn lt(&self, other: &Self) -> bool {
        if self.at != other.at { self.at < other.at } else { self.cmp(other) == Ordering::Less }
    }

    #[inline]
    fn le(&self, other: &Self) -> bool {
        if self.at != other.at { self.at < other.at } else { self.cmp(other) != Ordering::Greater }
    }
}

/// The time of an actor's next event, and the rank of the actor among actors. No two actors have the same rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    /// The time of the event.
    pub at: Time,
    /// The rank of its actor.
    pub rank: u32,
}

impl Turn {
    /// The turn after all others.
    pub const NEVER: Self = Self { at: Time::MAX, rank: u32::MAX };

    /// The turn before all turns at `at` or later.
    pub const fn until(at: Time) -> Self {
        Self { at, rank: 0 }
    }

    /// The turn as a number of the same order. Two numbers are compared without a branch.
    #[inline]
    fn number(self) -> u128 {
        u128::from(self.at.as_femtoseconds()) << u64::BITS | u128::from(self.rank)
    }
}

impl Ord for Turn {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.number().cmp(&other.number())
    }
}

impl PartialOrd for Turn {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    #[inline]
    fn lt(&self, other: &Self) -> bool {
        self.number() < other.number()
    }

    #[inline]
    fn ge(&self, other: &Self) -> bool {
        self.number() >= other.number()
    }
}

/// Events to come of many actors.
#[derive(Clone, Debug)]
pub struct Timetable<E> {
    queues: Vec<Queue<Order, E>>,
    ranks: Box<[u32]>,
    /// The time of the first event of each actor except the acting one; [`Time::MAX`] for an actor without events. It
    /// is apart from the queues so that it stays in a near cache for many actors.
    next: Box<[Time]>,
    /// The next events of actors, with the actors. Each actor with events to come, but not the one whose turn it is, has an entry
    /// for the time of the first of them. Other entries are out of date, and dropped when they come to the front.
    turns: Queue<Turn, (u32, E)>,
    /// The actor whose turn it is.
    acting: usize,
    /// The events that were pushed last for actors whose turn it is not, with the actors. They are not in the queues yet.
    posted: VecDeque<(u32, Order, E)>,
    /// The most events that are `posted`.
    posts: usize,
}

impl<E: Copy> Timetable<E> {
    /// A timetable without events for actors of these ranks. The first of them has its turn.
    pub fn new(ranks: Box<[u32]>) -> Self {
        let (queues, next) = (vec![Queue::new(); ranks.len()], vec![Time::MAX; ranks.len()].into());
        Self { queues, next, ranks, turns: Queue::new(), acting: 0, posted: VecDeque::new(), posts: 0 }
    }

    /// Keeps the last `posts` events that are pushed for actors whose turn it is not out of those actors' queues, which
    /// they join later. A caller can [prefetch](Self::posted_to) these queues meanwhile. Most of very many queues lie
    /// in no near cache.
    pub fn with_posts(self, posts: usize) -> Self {
        Self { posts, ..self }
    }

    /// Adds an event for an actor. Returns whether it is the actor's turn.
    #[inline(always)]
    pub fn push(&mut self, actor: usize, order: Order, event: E) -> bool {
        let acts = self.acting == actor;
        if acts {
            self.queues[actor].push(order, event);
        } else {
            self.push_for_other(actor, order, event);
        }
        acts
    }

    /// Adds an event for an actor whose turn it is not.
    #[inline(never)]
    fn push_for_other(&mut self, actor: usize, order: Order, event: E) {
        if order.at < self.next[actor] {
            self.next[actor] = order.at;
            self.turns.push(self.turn(actor, order.at), (actor as u32, event));
        }
        if self.posts > 0 {
            self.post(actor, order, event);
        } else {
            self.queues[actor].push(order, event);
        }
    }

    /// Keeps an event out of its actor's queue for a while. The event that has waited longest joins its queue, if they are too many.
    #[inline(never)]
    fn post(&mut self, actor: usize, order: Order, event: E) {
        self.posted.push_back((actor as u32, order, event));
        if self.posted.len() > self.posts
            && let Some((actor, order, event)) = self.posted.pop_front()
        {
            self.queues[actor as usize].push(order, event);
        }
    }

    /// Begins the turn of an actor. All its events are in its queue then.
    #[inline]
    fn begin_turn(&mut self, actor: usize) {
        self.acting = actor;
        if !self.posted.is_empty() {
            self.join(actor);
        }
    }

    /// Lets the events that are out of their queues join them, if there is an event for the actor among them.
    #[inline(never)]
    fn join(&mut self, actor: usize) {
        if self.posted.iter().any(|&(to, ..)| to as usize == actor) {
            let posted = self.posted.drain(..);
            posted.for_each(|(to, order, event)| self.queues[to as usize].push(order, event));
        }
    }

    /// Whether events are kept out of the queues of actors whose turn it is not.
    #[inline]
    pub fn posts(&self) -> bool {
        self.posts > 0
    }

    /// The actor of the event that has not joined its queue and after which `ago` others were pushed. `None` if there
    /// is no such event.
    #[inline]
    pub fn posted_to(&self, ago: usize) -> Option<usize> {
        let newest = self.posted.len().checked_sub(ago + 1)?;
        self.posted.get(newest).map(|&(actor, ..)| actor as usize)
    }

    /// The number of events to come.
    pub fn len(&self) -> usize {
        self.queues.iter().map(Queue::len).sum::<usize>() + self.posted.len()
    }

    /// Whether there is no event to come.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All events to come, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        let posted = self.posted.iter().map(|(_, _, event)| event);
        self.queues.iter().flat_map(Queue::iter).chain(posted)
    }

    /// The place of the next event of the actor whose turn it is.
    #[inline]
    pub fn next(&self) -> Option<Order> {
        self.queues[self.acting].first().map(|(order, _)| order)
    }

    /// Whether the next event of the actor whose turn it is comes at a turn or after it. It does if nothing is to come.
    #[inline]
    pub fn comes_to(&self, bound: Turn) -> bool {
        let next = self.next().map_or(Time::MAX, |next| next.at);
        // Mostly the time decides.
        if next != bound.at { next > bound.at } else { self.turn(self.acting, next) >= bound }
    }

    /// Removes and returns the next event of the actor whose turn it is.
    #[inline]
    pub fn pop(&mut self) -> Option<(Order, E)> {
        self.queues[self.acting].pop()
    }

    /// Moves an event of an actor from its place to a later one. Returns whether it is there now: not if it is not the actor's turn, or
    /// the event comes after many others.
    #[inline]
    pub fn postpone(&mut self, actor: usize, from: Order, to: Order) -> bool {
        self.acting == actor && self.queues[actor].postpone(from, to)
    }

    /// Gives the turn to an actor, after the turn of the one before.
    pub fn give_turn(&mut self, actor: usize) {
        self.end_turn();
        self.begin_turn(actor);
    }

    /// Gives the turn to the actor with the first event of all. Returns that actor and the place of the event; `None` if nothing
    /// is to come.
    #[inline]
    pub fn give_first_turn(&mut self) -> Option<(usize, Turn)> {
        self.end_turn();
        loop {
            let (turn, (actor, _)) = self.turns.pop()?;
            if self.is_next(turn, actor as usize) {
                self.begin_turn(actor as usize);
                return Some((actor as usize, turn));
            }
        }
    }

    /// The place of the first event of all actors but the one whose turn it is.
    #[inline]
    pub fn first_of_others(&mut self) -> Option<Turn> {
        loop {
            let (turn, &(actor, _)) = self.turns.first()?;
            if actor as usize != self.acting && self.is_next(turn, actor as usize) {
                return Some(turn);
            }
            self.turns.pop();
        }
    }

    /// Whether an actor's first event is that of this turn.
    #[inline]
    fn is_next(&self, turn: Turn, actor: usize) -> bool {
        self.next[actor] == turn.at
    }

    /// The actor whose turn probably comes after `ahead` others and the present one, with its first event. It is a
    /// guess, for a caller that prefetches. `None` if nothing is known.
    pub fn first_of_turn(&self, ahead: usize) -> Option<(usize, E)> {
        self.turns.nth(ahead).map(|(_, &(actor, thing))| (actor as usize, thing))
    }

    /// Address of an actor's queue in the memory of the host, for a caller that prefetches it.
    pub fn place_of(&self, actor: usize) -> &impl Sized {
        &self.queues[actor]
    }

    /// Address of an actor's next events in the memory of the host, for a caller that prefetches them. `None` if
    /// nothing is to come.
    pub fn things_of(&self, actor: usize) -> Option<&impl Sized> {
        self.queues[actor].front()
    }

    /// Address of an actor's last events in the memory of the host, for a caller that prefetches them before a push.
    /// `None` if nothing is to come.
    pub fn end_of(&self, actor: usize) -> Option<&impl Sized> {
        self.queues[actor].back()
    }

    /// The event that comes after `ahead` others of the actor whose turn it is, if nothing is pushed before. `None` if nothing is known.
    #[inline]
    pub fn after(&self, ahead: usize) -> Option<E> {
        self.after_of(self.acting, ahead)
    }

    /// The event that comes after `ahead` others of an actor, if nothing is pushed before. `None` if nothing is known.
    #[inline]
    pub fn after_of(&self, actor: usize, ahead: usize) -> Option<E> {
        self.queues[actor].nth(ahead).map(|(_, &thing)| thing)
    }

    #[inline(always)]
    fn end_turn(&mut self) {
        let first = self.queues[self.acting].first();
        self.next[self.acting] = first.map_or(Time::MAX, |(order, _)| order.at);
        if let Some((order, &event)) = first {
            self.turns.push(self.turn(self.acting, order.at), (self.acting as u32, event));
        }
    }

    /// A turn of an actor.
    #[inline]
    pub fn turn(&self, actor: usize, at: Time) -> Turn {
        Turn { at, rank: self.ranks[actor] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn order(at: u64, minor: u64) -> Order {
        Order { at: Time::from_femtoseconds(at), major: 0, minor }
    }

    #[test]
    fn the_turn_goes_to_the_actor_with_the_first_thing() {
        let mut table = Timetable::new([0, 1, 2].into());
        for (actor, at) in [(0, 5), (0, 7), (1, 6), (0, 9)] {
            table.push(actor, order(at, at), at);
        }
        let turn = |at, rank| Some(Turn { at: Time::from_femtoseconds(at), rank });
        assert_eq!(table.give_first_turn(), turn(5, 0).map(|turn| (0, turn)));
        assert_eq!(
            [table.pop(), table.pop()].map(|popped| popped.map(|(_, event)| event)),
            [Some(5), Some(7)]
        );
        assert_eq!(table.first_of_others(), turn(6, 1));
        assert_eq!(table.give_first_turn(), turn(6, 1).map(|turn| (1, turn)));
        assert_eq!((table.first_of_others(), table.next()), (turn(9, 0), Some(order(6, 6))));
    }

    #[test]
    fn the_next_thing_comes_to_a_bound_that_is_not_behind_its_turn() {
        let mut table = Timetable::new([1, 0].into());
        table.push(0, order(5, 0), 5);
        let bound = |at, rank| Turn { at: Time::from_femtoseconds(at), rank };
        assert!(!table.comes_to(bound(6, 0)) && table.comes_to(bound(4, 9)), "the time decides");
        assert!(!table.comes_to(bound(5, 2)) && [1, 0].iter().all(|&rank| table.comes_to(bound(5, rank))));
        table.pop();
        assert!(table.comes_to(bound(6, 0)) && !table.comes_to(Turn::NEVER), "nothing is to come");
    }

    #[test]
    fn what_comes_soon_is_the_next_of_the_actor_and_the_first_of_the_next_turns() {
        let mut table = Timetable::new([0, 1, 2, 3].into());
        for (actor, at) in [(0, 4), (1, 7), (2, 5), (3, 6), (0, 9)] {
            table.push(actor, order(at, at), at);
        }
        assert_eq!(table.give_first_turn().map(|(actor, _)| actor), Some(0));
        assert_eq!([0, 1, 2].map(|ahead| table.after(ahead)), [Some(4), Some(9), None]);
        let soon = [Some((2, 5)), Some((3, 6)), Some((1, 7)), None];
        assert_eq!([0, 1, 2, 3].map(|ahead| table.first_of_turn(ahead)), soon);
    }

    #[test]
    fn what_is_posted_joins_its_queue_when_others_are_posted_or_the_turn_begins() {
        let mut table = Timetable::new([0, 1, 2].into()).with_posts(2);
        for (actor, at) in [(1, 4), (2, 5), (1, 3), (0, 9)] {
            table.push(actor, order(at, at), at);
        }
        assert_eq!([0, 1, 2].map(|ago| table.posted_to(ago)), [Some(1), Some(2), None]);
        assert_eq!([1, 2].map(|actor| table.after_of(actor, 0)), [Some(4), None]);
        assert_eq!(table.give_first_turn().map(|(actor, _)| actor), Some(1));
        assert_eq!(([0, 1].map(|ahead| table.after(ahead)), table.posted_to(0)), ([Some(3), Some(4)], None));
    }

    proptest! {
        /// With the first event of the others as bound, events come in the order of a searched list, for any pushes by
        /// any actor.
        #[test]
        fn turns_up_to_the_others_next_things_are_the_order_of_one_queue(
            steps in proptest::collection::vec(proptest::option::of((0_usize..5, 0_u64..30)), 0..300), posts in 0_usize..4,
        ) {
            let mut table = Timetable::new([3, 1, 4, 0, 2].into()).with_posts(posts);
            let mut list: Vec<(Turn, Order, usize)> = Vec::new();
            for (number, step) in steps.into_iter().chain(std::iter::repeat_n(None, 300)).enumerate() {
                match step {
                    Some((actor, at)) => {
                        let order = order(at, number as u64);
                        table.push(actor, order, actor);
                        list.push((table.turn(actor, order.at), order, actor));
                    }
                    None => {
                        let first = list.iter().copied().min();
                        list.retain(|&one| Some(one) != first);
                        let others = table.first_of_others().unwrap_or(Turn::NEVER);
                        if table.next().is_none_or(|next| table.turn(table.acting, next.at) > others) {
                            table.give_first_turn();
                        }
                        prop_assert_eq!(table.pop(), first.map(|(_, order, actor)| (order, actor)));
                        prop_assert_eq!((table.len(), table.iter().count()), (list.len(), list.len()));
                    }
                }
            }
        }
    }
}
