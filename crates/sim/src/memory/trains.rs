//! The trains of a node that are under way, in the order of their next steps.
//!
//! Each processor may have two: that of its thread, and that of its handler. The handler runs while the thread is put off in the
//! middle of its train. Such a train stands still until the thread goes on.
//!
//! This module must never know what a step does, nor when a train may go on.

use des::Order;

use super::train::Train;
use crate::processor::core::{Activity, Core};

/// The trains of a node that are under way.
#[derive(Debug, Default)]
pub(crate) struct Trains {
    /// The train of each fiber, by [`Fiber`].
    trains: Vec<Option<Train>>,
    /// The next step of each train that does not stand still. The one that comes first is the last.
    steps: Vec<(Order, Fiber)>,
    /// The number of trains that stand still.
    still: usize,
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
    /// Whether no train has begun on the node, as on a node without a bus.
    #[inline]
    pub(crate) fn are_none(&self) -> bool {
        self.trains.is_empty()
    }

    /// Whether a fiber has a train.
    #[inline]
    pub(crate) fn has(&self, fiber: Fiber) -> bool {
        matches!(self.trains.get(fiber.0 as usize), Some(Some(_)))
    }

    /// Whether the train of a fiber stands still.
    #[inline]
    pub(crate) fn stands_still(&self, fiber: Fiber) -> bool {
        self.still > 0 && self.next_of(fiber).is_none()
    }

    /// The train of a fiber.
    ///
    /// # Panics
    /// If the fiber has none.
    #[inline]
    pub(crate) fn of(&mut self, fiber: Fiber) -> &mut Train {
        self.trains[fiber.0 as usize].as_mut().expect("the fiber has a train")
    }

    /// Adds the train of a fiber. It stands still.
    #[inline]
    pub(crate) fn begin(&mut self, fiber: Fiber, train: Train) {
        let place = fiber.0 as usize;
        if self.trains.len() <= place {
            self.trains.resize_with(place + 1, Default::default);
        }
        self.trains[place] = Some(train);
        self.still += 1;
    }

    /// Removes the train of a fiber, which stands still.
    #[inline]
    pub(crate) fn end(&mut self, fiber: Fiber) {
        self.trains[fiber.0 as usize] = None;
        self.still -= 1;
    }

    /// The place of the step that comes first, and its fiber; `None` if all trains stand still.
    #[inline]
    pub(crate) fn next(&self) -> Option<(Order, Fiber)> {
        self.steps.last().copied()
    }

    /// The step that comes first, if its place is before another.
    #[inline]
    pub(crate) fn next_before(&self, until: Order) -> Option<(Order, Fiber)> {
        let &(place, fiber) = self.steps.last()?;
        (place < until).then_some((place, fiber))
    }

    /// The place of the next step of a fiber's train; `None` if that stands still.
    #[inline]
    pub(crate) fn next_of(&self, fiber: Fiber) -> Option<Order> {
        self.steps.iter().find(|(_, of)| *of == fiber).map(|&(place, _)| place)
    }

    /// Lets the train of a fiber go on, with its next step at a place.
    #[inline]
    pub(crate) fn go_on(&mut self, fiber: Fiber, place: Order) {
        self.still -= 1;
        self.steps.push((place, fiber));
        self.move_first(fiber, place);
    }

    /// Sets the next step of a fiber's train, whose step came first.
    #[inline]
    pub(crate) fn move_first(&mut self, fiber: Fiber, place: Order) {
        let mut free = self.steps.len() - 1;
        // There are few.
        while free > 0 && self.steps[free - 1].0 < place {
            self.steps[free] = self.steps[free - 1];
            free -= 1;
        }
        self.steps[free] = (place, fiber);
    }

    /// Removes the train whose step came first.
    #[inline]
    pub(crate) fn end_first(&mut self) {
        if let Some((_, fiber)) = self.steps.pop() {
            self.trains[fiber.0 as usize] = None;
        }
    }

    /// Lets the train of a fiber stand still, if it has one.
    pub(crate) fn stop(&mut self, fiber: Fiber) {
        let before = self.steps.len();
        self.steps.retain(|&(_, of)| of != fiber);
        self.still += before - self.steps.len();
    }
}

#[cfg(test)]
mod tests {
    use machine::{Primitives, Transaction, Transactions};
    use units::Time;

    use super::*;
    use crate::memory::Memory;
    use crate::memory::testing::Bench;
    use crate::processor::clock::Pending;
    use crate::testing::ns;

    fn train() -> Train {
        let made = Transactions::one(Transaction::Read);
        Train::of_transactions(Pending { made, alone: ns(1), step: None })
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
        trains.begin(thread, train());
        assert!(trains.has(thread) && !trains.has(Fiber::at_work(&other)) && !trains.are_none());
        core.begin(Activity::Handler);
        let handler = Fiber::at_work(&core);
        assert!(!trains.has(handler) && Fiber::thread_of(&core) == thread);
        trains.begin(handler, train());
        assert_eq!((handler.processor(), Fiber::at_work(&other).processor()), (0, 1));
        trains.end(handler);
        assert!(trains.has(thread) && !trains.has(handler));
    }

    #[test]
    fn the_step_of_the_first_place_comes_first_and_a_train_that_stands_still_has_none() {
        let mut trains = Trains::default();
        let fibers = [0, 1, 2, 3].map(Fiber);
        for (fiber, at) in fibers.into_iter().zip([30, 10, 20, 10]) {
            trains.begin(fiber, train());
            trains.go_on(fiber, place(at, u64::from(fiber.0)));
        }
        assert_eq!(trains.next(), Some((place(10, 1), fibers[1])));
        trains.move_first(fibers[1], place(25, 9));
        assert_eq!(trains.next(), Some((place(10, 3), fibers[3])));
        assert_eq!(trains.next_before(place(10, 3)), None);
        assert_eq!(trains.next_before(place(10, 4)), trains.next());
        trains.end_first();
        trains.stop(fibers[2]);
        assert_eq!((trains.next_of(fibers[2]), trains.next_of(fibers[0])), (None, Some(place(30, 0))));
        assert_eq!(trains.next(), Some((place(25, 9), fibers[1])));
        assert!(!trains.has(fibers[3]) && trains.has(fibers[2]));
        trains.end_first();
        assert!(trains.stands_still(fibers[2]) && !trains.stands_still(fibers[0]));
        assert_eq!(trains.next(), Some((place(30, 0), fibers[0])));
    }
}
