//! Things to come of many actors: a queue for each actor, and the actors in the order of their next things.
//!
//! A thing of one actor is pushed and popped in the actor's own queue, which is small and near however many actors there are.
//! The order of the actors changes only when another actor pushes something earlier, and once when an actor's turn is over. So a
//! turn of many things costs one step in that order.
//!
//! This module must never know what an actor or a thing is, nor how long a turn may be.

use std::cmp::Ordering;

use units::Time;

use crate::heap::Heap;

/// The place of a thing among the things of its actor. The fields count in the order in which they stand here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    /// The time at which the thing happens.
    pub at: Time,
    /// The first number that orders simultaneous things.
    pub major: u64,
    /// The second number that orders simultaneous things. No two things have all three alike.
    pub minor: u64,
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
}

/// The time of an actor's next thing, and the rank of the actor among actors. No two actors have the same rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Turn {
    /// The time of the thing.
    pub at: Time,
    /// The rank of its actor.
    pub rank: u32,
}

impl Turn {
    /// After everything.
    pub const NEVER: Self = Self { at: Time::MAX, rank: u32::MAX };

    /// Before everything that happens at `at` or later.
    pub const fn until(at: Time) -> Self {
        Self { at, rank: 0 }
    }
}

/// Things to come of many actors.
#[derive(Clone, Debug)]
pub struct Timetable<E> {
    queues: Vec<Heap<Order, E>>,
    ranks: Box<[u32]>,
    /// The actors that have things to come. The next thing of the actor whose turn it is may have changed since its turn began.
    actors: Actors,
    /// The actor whose turn it is.
    acting: usize,
}

impl<E: Copy> Timetable<E> {
    /// Nothing to come for any of the actors of these ranks. The first of them has its turn.
    pub fn new(ranks: Box<[u32]>) -> Self {
        let actors = ranks.len();
        Self { queues: vec![Heap::new(); actors], ranks, actors: Actors::new(actors), acting: 0 }
    }

    /// Adds a thing for an actor.
    #[inline]
    pub fn push(&mut self, actor: usize, order: Order, event: E) {
        self.queues[actor].push(order, event);
        if self.acting != actor {
            self.actors.note(actor, self.turn(actor, order.at));
        }
    }

    /// The place of the next thing of the actor whose turn it is.
    #[inline]
    pub fn next(&self) -> Option<Order> {
        self.queues[self.acting].first().map(|(order, _)| order)
    }

    /// Removes and returns the next thing of the actor whose turn it is.
    #[inline]
    pub fn pop(&mut self) -> Option<(Order, E)> {
        self.queues[self.acting].pop()
    }

    /// Gives the turn to an actor, after the turn of the one before.
    pub fn give_turn(&mut self, actor: usize) {
        self.end_turn();
        self.acting = actor;
    }

    /// Gives the turn to the actor with the first thing of all. Returns that actor and the place of the thing; `None` if nothing
    /// is to come.
    #[inline]
    pub fn give_first_turn(&mut self) -> Option<(usize, Turn)> {
        self.end_turn();
        let (turn, actor) = self.actors.first()?;
        self.acting = actor;
        Some((actor, turn))
    }

    /// The place of the first thing of all actors but the one whose turn it is.
    pub fn first_of_others(&self) -> Option<Turn> {
        self.actors.first_but(self.acting)
    }

    /// The next things of the two actors whose turns probably come next, with the actors. It is a guess, for a caller that
    /// prepares for them.
    pub fn soon(&self) -> [Option<(usize, E)>; 2] {
        let first = |actor: usize| Some((actor, *self.queues[actor].first()?.1));
        self.actors.soon(self.acting).map(|actor| actor.and_then(first))
    }

    #[inline]
    fn end_turn(&mut self) {
        self.actors.change(self.acting, self.next().map(|next| self.turn(self.acting, next.at)));
    }

    /// A turn of an actor.
    #[inline]
    pub fn turn(&self, actor: usize, at: Time) -> Turn {
        Turn { at, rank: self.ranks[actor] }
    }
}

/// Children of a node of the heap of actors.
const ARITY: usize = 4;

/// The place of an actor that is not in the heap.
const NONE: u32 = u32::MAX;

/// Actors in the order of their next things: a heap in which each actor knows its place.
#[derive(Clone, Debug)]
struct Actors {
    heap: Vec<(Turn, u32)>,
    places: Vec<u32>,
}

impl Actors {
    fn new(actors: usize) -> Self {
        Self { heap: Vec::new(), places: vec![NONE; actors] }
    }

    #[inline]
    fn first(&self) -> Option<(Turn, usize)> {
        self.heap.first().map(|&(turn, actor)| (turn, actor as usize))
    }

    /// Records a thing of an actor, which may be the actor's first.
    #[inline]
    fn note(&mut self, actor: usize, turn: Turn) {
        let place = match self.places[actor] {
            NONE => {
                self.heap.push((turn, actor as u32));
                self.heap.len() - 1
            }
            place if self.heap[place as usize].0 <= turn => return,
            place => place as usize,
        };
        self.rise(place, (turn, actor as u32));
    }

    /// The first thing of all actors but this.
    fn first_but(&self, actor: usize) -> Option<Turn> {
        match self.heap.first()?.1 as usize == actor {
            true => self.least_child(0).map(|child| self.heap[child].0),
            false => Some(self.heap[0].0),
        }
    }

    /// The two actors whose turns probably come next after that of `acting`.
    fn soon(&self, acting: usize) -> [Option<usize>; 2] {
        let actor = |place: usize| self.heap.get(place).map(|entry| entry.1 as usize);
        let Some(least) = self.least_child(0) else {
            return [actor(0).filter(|&first| first != acting), None];
        };
        if actor(0) != Some(acting) {
            return [actor(0), actor(least)];
        }
        let others = (1..=ARITY).filter(|&child| child != least && child < self.heap.len());
        let second = others.chain(self.least_child(least)).min_by_key(|&child| self.heap[child].0);
        [actor(least), second.and_then(actor)]
    }

    /// Changes the next thing of an actor, which may have none any more.
    fn change(&mut self, actor: usize, next: Option<Turn>) {
        let place = self.places[actor] as usize;
        match next {
            Some(turn) if self.places[actor] == NONE => self.note(actor, turn),
            Some(turn) => self.sink(place, (turn, actor as u32)),
            None if self.places[actor] == NONE => {}
            None => self.remove(place),
        }
    }

    fn remove(&mut self, place: usize) {
        let last = self.heap.pop().expect("an actor with a place is in the heap");
        let removed = self.heap.get(place).map_or(last.1, |entry| entry.1);
        self.places[removed as usize] = NONE;
        if place < self.heap.len() {
            self.sink(place, last);
        }
    }

    /// The child of `parent` with the first thing, if it has any.
    #[inline]
    fn least_child(&self, parent: usize) -> Option<usize> {
        let first = ARITY * parent + 1;
        let children = first..(first + ARITY).min(self.heap.len());
        children.min_by_key(|&child| self.heap[child].0)
    }

    fn rise(&mut self, mut hole: usize, entry: (Turn, u32)) {
        while hole > 0 {
            let parent = (hole - 1) / ARITY;
            if self.heap[parent].0 < entry.0 {
                break;
            }
            self.put(hole, self.heap[parent]);
            hole = parent;
        }
        self.put(hole, entry);
    }

    /// Moves an entry from a free place down, or up if it comes before its new parent.
    fn sink(&mut self, mut hole: usize, entry: (Turn, u32)) {
        while let Some(child) = self.least_child(hole) {
            if entry.0 < self.heap[child].0 {
                break;
            }
            self.put(hole, self.heap[child]);
            hole = child;
        }
        self.rise(hole, entry);
    }

    #[inline]
    fn put(&mut self, place: usize, entry: (Turn, u32)) {
        self.heap[place] = entry;
        self.places[entry.1 as usize] = place as u32;
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
    fn the_actors_that_come_soon_are_those_whose_turns_come_next() {
        let mut table = Timetable::new([0, 1, 2, 3].into());
        for (actor, at) in [(0, 4), (1, 7), (2, 5), (3, 6)] {
            table.push(actor, order(at, at), at);
        }
        assert_eq!(table.give_first_turn().map(|(actor, _)| actor), Some(0));
        assert_eq!(table.soon(), [Some((2, 5)), Some((3, 6))]);
        table.pop();
        assert_eq!(table.give_first_turn().map(|(actor, _)| actor), Some(2));
        assert_eq!(table.soon(), [Some((3, 6)), Some((1, 7))]);
        let alone = Timetable::<u64>::new([0].into());
        assert_eq!(alone.soon(), [None, None]);
    }

    proptest! {
        /// With the first of the others as bound, things come in the order of a list that is searched, whoever pushes them when.
        #[test]
        fn turns_up_to_the_others_next_things_are_the_order_of_one_queue(
            steps in proptest::collection::vec(proptest::option::of((0_usize..5, 0_u64..30)), 0..300)
        ) {
            let mut table = Timetable::new([3, 1, 4, 0, 2].into());
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
                    }
                }
            }
        }
    }
}
