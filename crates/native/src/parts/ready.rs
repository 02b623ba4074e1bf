//! The ready queue of a processor: its ready threads, in the order in which they became ready.
//!
//! A thread stands here at most once: a thread that is made ready again before it has run tests its condition once, and finds all events
//! that have come true. So the queue is a list through one link per thread, never grows, and needs no memory of its own. Only its
//! processor accesses it. This module must never know why a thread is ready.

use std::cell::Cell;

/// The link of a thread that is not in the queue.
const ABSENT: u32 = u32::MAX;

/// The link of the last thread in the queue.
const LAST: u32 = u32::MAX - 1;

/// A queue of threads, by their number among those of the processor.
pub(crate) struct Ready {
    /// By thread: the next thread in the queue.
    links: Box<[Cell<u32>]>,
    /// Meaningful only if the queue is not empty.
    first: Cell<u32>,
    last: Cell<u32>,
    len: Cell<u32>,
}

impl Ready {
    /// An empty queue for `threads` threads.
    pub(crate) fn new(threads: u32) -> Self {
        let links = (0..threads).map(|_| Cell::new(ABSENT)).collect();
        Self { links, first: Cell::new(LAST), last: Cell::new(LAST), len: Cell::new(0) }
    }

    /// Number of ready threads.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.len.get()
    }

    /// Appends a thread, unless it is in the queue.
    #[inline]
    pub(crate) fn push(&self, thread: u32) {
        let link = &self.links[thread as usize];
        if link.get() != ABSENT {
            return;
        }
        link.set(LAST);
        if self.len.get() == 0 {
            self.first.set(thread);
        } else {
            self.links[self.last.get() as usize].set(thread);
        }
        self.last.set(thread);
        self.len.set(self.len.get() + 1);
    }

    /// Takes out the first thread.
    #[inline]
    pub(crate) fn pop(&self) -> Option<u32> {
        let left = self.len.get().checked_sub(1)?;
        self.len.set(left);
        let thread = self.first.get();
        self.first.set(self.links[thread as usize].replace(ABSENT));
        Some(thread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_come_out_in_the_order_they_went_in_and_once() {
        let ready = Ready::new(4);
        assert_eq!(ready.pop(), None);
        [2, 0, 2, 3].into_iter().for_each(|thread| ready.push(thread));
        assert_eq!((ready.len(), ready.pop(), ready.pop()), (3, Some(2), Some(0)));
        // A thread that has come out may go in again, behind the others.
        [0, 1].into_iter().for_each(|thread| ready.push(thread));
        let rest: Vec<u32> = std::iter::from_fn(|| ready.pop()).collect();
        assert_eq!((rest, ready.len()), (vec![3, 0, 1], 0));
        ready.push(0);
        assert_eq!((ready.pop(), ready.pop()), (Some(0), None));
    }
}
