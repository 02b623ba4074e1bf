//! The trains of a node that are under way, and their requests to come in the order in which they are made.
//!
//! Each processor may have two trains: that of its thread, and that of its handler. The handler runs while the thread
//! is put off before the end of its train. Requests already made take their course. A request to come stands still, and
//! is made when the thread goes on.
//!
//! This module must never know the effect of a request, nor when a train may go on.

use des::Order;

use super::train::{Lines, Train};
use crate::processor::clock::Pending;
use crate::processor::core::{Activity, Core};

/// The trains of a node that are under way.
#[derive(Debug, Default)]
pub(crate) struct Trains {
    /// The train of each fiber, by [`Fiber`].
    trains: Vec<Option<State>>,
    /// The next request of each train that is neither finished nor stopped, in descending order: the earliest is the
    /// last.
    next: Vec<(Order, Fiber)>,
    /// The room of a train of lines that is over, for the next one.
    room: Option<Box<Lines>>,
}

/// A train that is under way.
#[derive(Debug)]
enum State {
    /// Requests are to come. The fiber looks at a place whether they are over.
    Asks { train: Train, looks: Order },
    /// All requests are made, and the train ends at this place.
    Ends(Order),
}

/// A fiber of a node that may have a train: a processor's thread or handler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fiber(u32);

impl Fiber {
    /// The fiber at work on a processor.
    #[inline]
    pub(crate) fn at_work(core: &Core) -> Self {
        Self(u32::from(core.number()) * 2 + u32::from(core.activity() == Activity::Handler))
    }

    /// The thread at work on a processor, or put off there.
    pub(crate) fn thread_of(core: &Core) -> Self {
        Self(u32::from(core.number()) * 2)
    }

    /// The number of the fiber's processor on the node.
    #[inline]
    pub(crate) fn processor(self) -> usize {
        self.0 as usize / 2
    }
}

impl Trains {
    /// Whether a fiber has a train.
    #[inline]
    pub(crate) fn has(&self, fiber: Fiber) -> bool {
        matches!(self.trains.get(fiber.0 as usize), Some(Some(_)))
    }

    /// The place at which the train of a fiber ends, if all its requests are made.
    #[inline]
    pub(crate) fn end_of(&self, fiber: Fiber) -> Option<Order> {
        match self.trains.get(fiber.0 as usize) {
            Some(&Some(State::Ends(place))) => Some(place),
            _ => None,
        }
    }

    /// The train of a fiber, if requests of it are to come.
    #[inline]
    pub(crate) fn asking(&mut self, fiber: Fiber) -> Option<&mut Train> {
        match self.trains.get_mut(fiber.0 as usize) {
            Some(Some(State::Asks { train, .. })) => Some(train),
            _ => None,
        }
    }

    /// Removes and returns the train of a fiber, if its next request stands still.
    #[inline]
    pub(crate) fn take_still(&mut self, fiber: Fiber) -> Option<Train> {
        if self.next_of(fiber).is_some() {
            return None;
        }
        let state = self.trains.get_mut(fiber.0 as usize)?;
        match state.take() {
            Some(State::Asks { train, .. }) => Some(train),
            other => {
                *state = other;
                None
            }
        }
    }

    /// Removes and returns the transactions of the fiber whose request comes first, and the place at which the fiber looks; `None` if
    /// the fiber asks for lines one by one.
    #[inline(always)]
    pub(crate) fn take_plain(&mut self, fiber: Fiber) -> Option<(Pending, Order)> {
        let state = self.trains.get_mut(fiber.0 as usize)?;
        let Some(State::Asks { train: Train::Plain(pending), looks }) = state else { return None };
        let taken = (*pending, *looks);
        *state = None;
        self.next.pop();
        Some(taken)
    }

    /// Adds the train of a fiber, with its next request at a place. The fiber looks at the place `looks` whether all are over.
    #[inline(always)]
    pub(crate) fn begin(&mut self, fiber: Fiber, train: Train, place: Order, looks: Order) {
        *self.state(fiber) = Some(State::Asks { train, looks });
        let comes_first = self.next.last().is_none_or(|&(first, _)| place < first);
        self.next.push((place, fiber));
        if !comes_first {
            self.move_first(fiber, place);
        }
    }

    /// Records the place at which a fiber whose requests are to come looks whether they are over.
    #[inline]
    pub(crate) fn look_at(&mut self, fiber: Fiber, place: Order) {
        if let Some(Some(State::Asks { looks, .. })) = self.trains.get_mut(fiber.0 as usize) {
            *looks = place;
        }
    }

    /// Lets the train of a fiber, whose requests are all made, end at a place. Its last request was not to come.
    #[inline]
    pub(crate) fn await_end(&mut self, fiber: Fiber, place: Order) {
        *self.state(fiber) = Some(State::Ends(place));
    }

    #[inline]
    fn state(&mut self, fiber: Fiber) -> &mut Option<State> {
        let place = fiber.0 as usize;
        if self.trains.len() <= place {
            self.trains.resize_with(place + 1, Default::default);
        }
        &mut self.trains[place]
    }

    /// Removes the train of a fiber, which has come to its end.
    #[inline]
    pub(crate) fn end(&mut self, fiber: Fiber) {
        self.trains[fiber.0 as usize] = None;
    }

    /// The request that comes first, if its place is before another.
    #[inline]
    pub(crate) fn next_before(&self, until: Order) -> Option<(Order, Fiber)> {
        let &(place, fiber) = self.next.last()?;
        (place < until).then_some((place, fiber))
    }

    /// The place of the request that comes first.
    #[inline]
    pub(crate) fn next(&self) -> Option<Order> {
        self.next.last().map(|&(place, _)| place)
    }

    /// The place of the next request of a fiber's train; `None` if that stands still, or has none.
    #[inline]
    pub(crate) fn next_of(&self, fiber: Fiber) -> Option<Order> {
        self.next.iter().find(|(_, of)| *of == fiber).map(|&(place, _)| place)
    }

    /// Sets the next request of a fiber's train, whose request came first.
    #[inline(never)]
    pub(crate) fn move_first(&mut self, fiber: Fiber, place: Order) {
        let mut free = self.next.len() - 1;
        // There are few.
        while free > 0 && self.next[free - 1].0 < place {
            self.next[free] = self.next[free - 1];
            free -= 1;
        }
        self.next[free] = (place, fiber);
    }

    /// Lets the train whose request came first end at a place: that was its last. Returns the place at which its fiber looks.
    #[inline]
    pub(crate) fn end_first(&mut self, place: Order) -> Option<Order> {
        let (_, fiber) = self.next.pop()?;
        match self.trains[fiber.0 as usize].replace(State::Ends(place)) {
            Some(State::Asks { looks, train }) => {
                self.keep_room(train);
                Some(looks)
            }
            _ => None,
        }
    }

    /// Removes and returns the room of a train that is over, if there is one.
    pub(crate) fn take_room(&mut self) -> Option<Box<Lines>> {
        self.room.take()
    }

    /// Keeps the room of a train that is over.
    pub(crate) fn keep_room(&mut self, train: Train) {
        if let Train::Lines(room) = train {
            self.room = Some(room);
        }
    }

    /// Lets the next request of a fiber's train stand still. A train whose requests are all made is forgotten: the
    /// caller keeps the time to its end.
    pub(crate) fn stop(&mut self, fiber: Fiber) {
        if self.end_of(fiber).is_some() {
            self.end(fiber);
        }
        self.next.retain(|&(_, of)| of != fiber);
    }
}

#[cfg(test)]
mod tests {
    use machine::{Primitives, Transaction, Transactions};
    use units::Time;

    use super::*;
    use crate::memory::Memory;
    use crate::memory::blocks::BlockWork;
    use crate::memory::testing::Bench;
    use crate::testing::ns;

    fn train() -> Train {
        let made = Transactions::one(Transaction::Read);
        Train::Plain(Pending { made, alone: ns(1), step: None })
    }

    fn place(at: u64, minor: u64) -> Order {
        Order { at: ns(at), major: 0, minor }
    }

    #[test]
    fn a_fibers_train_is_known_by_its_processor_and_its_activity() {
        let [mut core, other] = Bench::new(Memory::plain(Time::ZERO), Primitives::default()).cores;
        let mut trains = Trains::default();
        core.begin(Activity::Thread(0));
        let thread = Fiber::at_work(&core);
        trains.begin(thread, train(), place(30, 1), Order::NEVER);
        assert!(trains.has(thread) && !trains.has(Fiber::at_work(&other)));
        core.begin(Activity::Handler);
        let handler = Fiber::at_work(&core);
        assert!(!trains.has(handler) && Fiber::thread_of(&core) == thread);
        trains.await_end(handler, place(20, 2));
        assert_eq!((handler.processor(), Fiber::at_work(&other).processor()), (0, 1));
        assert_eq!((trains.end_of(handler), trains.end_of(thread)), (Some(place(20, 2)), None));
        trains.end(handler);
        assert!(trains.has(thread) && !trains.has(handler));
    }

    #[test]
    fn the_request_of_the_first_place_comes_first_and_the_last_of_a_train_leaves_its_end() {
        let mut trains = Trains::default();
        let fibers = [0, 1, 2, 3].map(Fiber);
        for (fiber, at) in fibers.into_iter().zip([30, 10, 20, 10]) {
            trains.begin(fiber, train(), place(at, u64::from(fiber.0)), Order::NEVER);
        }
        assert_eq!(trains.next(), Some(place(10, 1)));
        trains.move_first(fibers[1], place(25, 9));
        trains.look_at(fibers[3], place(12, 8));
        assert_eq!(trains.next(), Some(place(10, 3)));
        assert_eq!(trains.next_before(place(10, 3)), None);
        assert_eq!(trains.next_before(place(10, 4)), Some((place(10, 3), fibers[3])));
        assert_eq!(trains.end_first(place(15, 7)), Some(place(12, 8)));
        assert!(trains.asking(fibers[3]).is_none() && trains.asking(fibers[1]).is_some());
        assert_eq!((trains.end_of(fibers[3]), trains.next_of(fibers[3])), (Some(place(15, 7)), None));
        assert_eq!((trains.next(), trains.next_of(fibers[0])), (Some(place(20, 2)), Some(place(30, 0))));
    }

    #[test]
    fn a_train_that_is_stopped_keeps_its_request_and_forgets_its_end() {
        let mut trains = Trains::default();
        let fibers = [0, 1].map(Fiber);
        let begin =
            |&fiber: &Fiber| trains.begin(fiber, train(), place(10, u64::from(fiber.0)), Order::NEVER);
        fibers.iter().for_each(begin);
        trains.end_first(place(15, 7));
        assert!(trains.take_still(fibers[0]).is_none() && trains.take_still(fibers[1]).is_none());
        fibers.iter().for_each(|&fiber| trains.stop(fiber));
        assert_eq!(fibers.map(|fiber| trains.has(fiber)), [false, true]);
        assert_eq!((trains.next(), trains.next_of(fibers[1])), (None, None));
        assert!(trains.take_still(fibers[1]).is_some() && !trains.has(fibers[1]));
    }

    #[test]
    fn transactions_leave_with_their_request_and_lines_leave_their_room_behind() {
        let work = BlockWork::of_lines(0..2);
        let mut trains = Trains::default();
        let fibers = [0, 1].map(Fiber);
        trains.begin(fibers[0], train(), place(10, 1), place(12, 8));
        trains.begin(fibers[1], Train::of_lines(&work, ns(1), None).0, place(20, 2), Order::NEVER);
        let taken = trains.take_plain(fibers[0]).map(|(pending, looks)| (pending.alone, looks));
        assert_eq!(
            (taken, trains.has(fibers[0]), trains.next()),
            (Some((ns(1), place(12, 8))), false, Some(place(20, 2)))
        );
        assert!(trains.take_plain(fibers[1]).is_none() && trains.room.is_none());
        trains.end_first(place(30, 3));
        assert!(trains.room.is_some() && trains.end_of(fibers[1]) == Some(place(30, 3)));
    }
}
