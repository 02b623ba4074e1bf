//! A ring buffer: items are added at the end and taken at the beginning.
//!
//! A `VecDeque` wraps by a comparison. The room here is a power of two, so that an index wraps by a mask; items are
//! `Copy` and need no drop.
//!
//! This module must never know the meaning of an item.

/// The room of a ring when it gets its first item.
const FIRST_ROOM: usize = 4;

/// Items in a row.
#[derive(Clone, Debug)]
pub(crate) struct Ring<T> {
    /// Places, a power of two or none. Places outside the row hold earlier items.
    room: Vec<T>,
    /// The number of items that were taken at the beginning, of which the lowest bits are the place of the first item.
    head: usize,
    len: usize,
}

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Self { room: Vec::new(), head: 0, len: 0 }
    }
}

impl<T: Copy> Ring<T> {
    /// The number of items.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no item.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether another item has room without more memory.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.len < self.room.len()
    }

    /// The place in the room of the item at `number`.
    #[inline]
    fn place(&self, number: usize) -> usize {
        self.head.wrapping_add(number) & self.room.len().wrapping_sub(1)
    }

    /// The item behind `number` others, if there are that many.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> Option<&T> {
        if number < self.len { self.room.get(self.place(number)) } else { None }
    }

    /// The first item.
    #[inline]
    pub(crate) fn front(&self) -> Option<&T> {
        self.get(0)
    }

    /// The last item.
    #[inline]
    pub(crate) fn back(&self) -> Option<&T> {
        self.get(self.len.wrapping_sub(1))
    }

    /// Adds an item at the end, where there [is room](Self::has_room) for it.
    #[inline(always)]
    pub(crate) fn push_back(&mut self, thing: T) {
        debug_assert!(self.has_room(), "the caller makes room first");
        let end = self.place(self.len);
        if let Some(place) = self.room.get_mut(end) {
            *place = thing;
            self.len += 1;
        }
    }

    /// Doubles the room. Places that hold no item yet hold `blank`.
    #[cold]
    #[inline(never)]
    pub(crate) fn make_room(&mut self, blank: T) {
        let room = (2 * self.room.len()).max(FIRST_ROOM);
        let first = self.place(0);
        self.room.rotate_left(first);
        self.room.resize(room, blank);
        self.head = 0;
    }

    /// Removes the first item, if there is one.
    #[inline]
    pub(crate) fn drop_front(&mut self) {
        if self.len > 0 {
            self.head = self.head.wrapping_add(1);
            self.len -= 1;
        }
    }

    /// Adds an item before the last `behind` ones, of which there are enough.
    pub(crate) fn insert_before_last(&mut self, behind: usize, thing: T) {
        if !self.has_room() {
            self.make_room(thing);
        }
        self.push_back(thing);
        for number in (self.len - behind..self.len).rev() {
            let (from, to) = (self.place(number - 1), self.place(number));
            self.room[to] = self.room[from];
        }
        let place = self.place(self.len - 1 - behind);
        self.room[place] = thing;
    }

    /// All items, in order.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        (0..self.len).map(|number| &self.room[self.place(number)])
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A step adds an item before some others, or takes the first one.
        #[test]
        fn things_stand_as_in_a_row_of_the_standard_library(
            steps in proptest::collection::vec(proptest::option::of(0_usize..6), 0..300)
        ) {
            let (mut ring, mut plain) = (Ring::default(), VecDeque::new());
            for (number, step) in steps.into_iter().enumerate() {
                match step {
                    Some(0) => {
                        if !ring.has_room() {
                            ring.make_room(number);
                        }
                        ring.push_back(number);
                        plain.push_back(number);
                    }
                    Some(behind) => {
                        let behind = behind.min(plain.len());
                        ring.insert_before_last(behind, number);
                        plain.insert(plain.len() - behind, number);
                    }
                    None => {
                        ring.drop_front();
                        plain.pop_front();
                    }
                }
                prop_assert_eq!((ring.front(), ring.back()), (plain.front(), plain.back()));
                prop_assert_eq!((ring.len(), ring.is_empty()), (plain.len(), plain.is_empty()));
                prop_assert!(ring.iter().eq(&plain) && (0..9).all(|number| ring.get(number) == plain.get(number)));
            }
        }
    }
}
