//! A queue that mostly holds one entry, or none.
//!
//! The first entry stands in the queue itself, and only later entries in room of their own. This module must never know
//! the meaning of its entries.

use std::collections::VecDeque;

/// A queue that mostly holds one entry, or none.
#[derive(Debug)]
pub(crate) struct ShortQueue<T> {
    first: Option<T>,
    /// The entries behind the first. There are none if there is no first.
    behind: VecDeque<T>,
}

impl<T> Default for ShortQueue<T> {
    fn default() -> Self {
        Self { first: None, behind: VecDeque::new() }
    }
}

impl<T> ShortQueue<T> {
    /// Adds an entry at the end.
    #[inline]
    pub(crate) fn push(&mut self, entry: T) {
        if self.first.is_none() {
            self.first = Some(entry);
        } else {
            self.push_behind(entry);
        }
    }

    #[inline(never)]
    fn push_behind(&mut self, entry: T) {
        self.behind.push_back(entry);
    }

    /// Removes and returns the first entry.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<T> {
        // Nothing is written where there is nothing to take.
        self.first.as_ref()?;
        let first = self.first.take();
        if !self.behind.is_empty() {
            self.move_up();
        }
        first
    }

    #[inline(never)]
    fn move_up(&mut self) {
        self.first = self.behind.pop_front();
    }

    /// The first entry.
    #[inline]
    pub(crate) fn first(&self) -> Option<&T> {
        self.first.as_ref()
    }

    /// Whether the queue has no entry.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn entries_leave_in_the_order_in_which_they_came(steps in proptest::collection::vec(proptest::option::of(0..9), 0..40)) {
            let (mut queue, mut right) = (ShortQueue::default(), VecDeque::new());
            for step in steps {
                match step {
                    Some(entry) => {
                        queue.push(entry);
                        right.push_back(entry);
                    }
                    None => prop_assert_eq!(queue.pop(), right.pop_front()),
                }
                prop_assert_eq!((queue.first(), queue.is_empty()), (right.front(), right.is_empty()));
            }
        }
    }
}
