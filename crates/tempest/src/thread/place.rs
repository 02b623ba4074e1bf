//! The place of a thread in the world: its node, its index, and its share of the work that all threads of a node do
//! together.
//!
//! This module must never know how a thread communicates.

use std::iter::StepBy;
use std::ops::Range;

use crate::{NodeId, Thread, ThreadId};

impl Thread<'_> {
    /// The node on which the thread runs.
    pub fn node(&self) -> NodeId {
        self.node.id()
    }

    /// The node after this one: after the last node comes the first.
    pub fn next_node(&self) -> NodeId {
        NodeId((self.node().0 + 1) % self.nodes())
    }

    /// The number of nodes.
    pub fn nodes(&self) -> u32 {
        self.node.shape().nodes
    }

    /// The thread's index among the [`threads`](Self::threads) of its node, from 0.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// The number of program threads on each node.
    pub fn threads(&self) -> u32 {
        self.node.shape().threads
    }

    /// The thread's node and index.
    pub fn id(&self) -> ThreadId {
        ThreadId { node: self.node(), index: self.index }
    }

    /// The thread's share of the range `numbers`, which the threads of its node divide among them round robin: of
    /// `0..10`, thread 1 of 3 has 1, 4 and 7.
    ///
    /// # Panics
    /// If a bound of the range is negative.
    pub fn share(&self, numbers: Range<impl Number>) -> StepBy<Range<u64>> {
        let (first, end) = (numbers.start.number(), numbers.end.number());
        (first.saturating_add(self.index.into())..end).step_by(self.threads() as usize)
    }
}

/// An integer type whose ranges [`Thread::share`] divides among threads, among them the `i32` of a literal.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no number that threads share",
    label = "expected a `u64`",
    note = "`share` deals out a range of `u8`, `u16`, `u32`, `u64`, `usize` or `i32`, such as `0..self.values`"
)]
pub trait Number {
    /// Converts the integer to a `u64`.
    ///
    /// # Panics
    /// If the integer is negative.
    fn number(self) -> u64;
}

macro_rules! numbers {
    ($($of:ty)*) => {$(
        impl Number for $of {
            #[inline]
            fn number(self) -> u64 {
                self.into()
            }
        }
    )*};
}

numbers!(u8 u16 u32 u64);

impl Number for usize {
    #[inline]
    fn number(self) -> u64 {
        self as u64
    }
}

impl Number for i32 {
    #[inline]
    fn number(self) -> u64 {
        u64::try_from(self).unwrap_or_else(|_| panic!("threads share numbers from 0 up: {self} is negative"))
    }
}
