//! The combination of contributions: an operation on words, in an order that is always the same.
//!
//! Rounding makes the sum of floating-point numbers depend on the order of the additions. That order is fixed by the shape of the
//! world and the tree alone, not by the order of arrival. This module must never know where words come from.

use tempest::data::Word;
use tempest::{MAX_WORDS, Operations, ThreadId};

/// Largest number of words of one contribution: a message's words, except the code of the operation.
pub(super) const MOST: usize = MAX_WORDS - 1;

/// Operation that reduces the numbers of all threads to one number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reduction {
    /// The sum.
    Sum,
    /// The least number.
    Min,
    /// The greatest number.
    Max,
}

/// A number that a reduction over all threads can combine.
pub trait Number: Word {
    /// Operations of a processor that reduce two numbers of this type to one.
    const STEP: Operations;

    /// Reduces two numbers by the operation `by`. `self` is the number of the threads that come first in the order of reduction.
    #[must_use]
    fn reduced(self, other: Self, by: Reduction) -> Self;
}

/// Sums wrap around.
impl Number for u64 {
    const STEP: Operations = Operations::NONE.integers(1);

    fn reduced(self, other: Self, by: Reduction) -> Self {
        match by {
            Reduction::Sum => self.wrapping_add(other),
            Reduction::Min => self.min(other),
            Reduction::Max => self.max(other),
        }
    }
}

/// Least and greatest are those of IEEE 754's total order ([`f64::total_cmp`]): −0 is less than +0 and a positive NaN greater
/// than all numbers, so that the answer is one value, to the bit.
impl Number for f64 {
    const STEP: Operations = Operations::NONE.flops(1);

    fn reduced(self, other: Self, by: Reduction) -> Self {
        let takes_other = match by {
            Reduction::Sum => return self + other,
            Reduction::Min => other.total_cmp(&self).is_lt(),
            Reduction::Max => other.total_cmp(&self).is_gt(),
        };
        if takes_other { other } else { self }
    }
}

/// A collective operation of all threads.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    /// Waits for all threads.
    Barrier,
    /// Copies the words of one thread to all.
    Broadcast(ThreadId),
    /// Reduces the numbers of all threads to one number, separately at each index of their contributions.
    Reduce(Reduction, Fold),
}

/// Function that reduces two numbers of one type, as bits, and its cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fold {
    apply: fn(u64, u64, Reduction) -> u64,
    step: Operations,
}

impl Fold {
    /// Makes the fold for numbers of type `T`.
    pub(super) fn of<T: Number>() -> Self {
        Self {
            apply: |left, right, by| T::from_bits(left).reduced(T::from_bits(right), by).to_bits(),
            step: T::STEP,
        }
    }

    /// Reduces each word of `next`, which follows in the order, into the word of `all` at the same index.
    pub(super) fn each(self, by: Reduction, all: &mut [u64], next: &[u64]) {
        all.iter_mut().zip(next).for_each(|(word, next)| *word = (self.apply)(*word, *next, by));
    }

    /// Cost of reducing two contributions of `places` numbers each.
    pub(super) fn cost(self, places: usize) -> Operations {
        self.step.and(Operations::NONE.loads(1)).times(places as u32)
    }
}

impl Operation {
    /// Returns the code of the operation, by which nodes detect threads that call different operations.
    pub(super) fn code(self) -> u64 {
        match self {
            Self::Barrier => 0,
            Self::Reduce(reduction, _) => 1 + reduction as u64,
            Self::Broadcast(from) => 1 << 63 | u64::from(from.node.0) << 32 | u64::from(from.index),
        }
    }

    /// Returns the name of the operation with this code, for error messages.
    pub(super) fn name(code: u64) -> &'static str {
        match code {
            0 => "a barrier",
            1 => "a sum",
            2 => "a minimum",
            3 => "a maximum",
            _ => "a broadcast",
        }
    }

    /// Combines the contribution `next`, which follows in the order, into `all`.
    pub(super) fn combine(self, all: &mut Words, next: &Words) {
        match self {
            Self::Barrier => {}
            // Exactly one contribution has words.
            Self::Broadcast(_) if next.len == 0 => {}
            Self::Broadcast(_) => *all = *next,
            Self::Reduce(by, fold) => fold.each(by, &mut all.words[..all.len], &next.words),
        }
    }

    /// Cost of combining two contributions of `words` words each.
    pub(super) fn step(self, words: usize) -> Operations {
        match self {
            Self::Barrier => Operations::NONE,
            Self::Broadcast(_) => Operations::NONE.integers(1),
            Self::Reduce(_, fold) => fold.cost(words),
        }
    }
}

/// Words of a contribution or result, up to [`MOST`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Words {
    len: usize,
    words: [u64; MOST],
}

impl Words {
    /// Copies `words`, at most [`MOST`] of them.
    pub(super) fn of(words: &[u64]) -> Self {
        let mut copy = Self { len: words.len(), ..Self::default() };
        copy.words[..words.len()].copy_from_slice(words);
        copy
    }

    pub(super) fn as_slice(&self) -> &[u64] {
        &self.words[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reduced<T: Number>(by: Reduction, values: [T; 3]) -> u64 {
        let operation = Operation::Reduce(by, Fold::of::<T>());
        let words = values.map(|value| Words::of(&[value.to_bits()]));
        let mut all = words[0];
        words[1..].iter().for_each(|next| operation.combine(&mut all, next));
        all.as_slice()[0]
    }

    #[test]
    fn numbers_become_one_from_left_to_right() {
        assert_eq!(reduced(Reduction::Sum, [u64::MAX, 3, 4]), 6, "sums wrap");
        assert_eq!(reduced(Reduction::Min, [5_u64, 3, 4]), 3);
        assert_eq!(reduced(Reduction::Max, [3_u64, 5, 4]), 5);
        // (1 + 2^53) rounds to 2^53; from the right it would be 1.
        let large = 2_f64.powi(53);
        assert_eq!(f64::from_bits(reduced(Reduction::Sum, [1.0, large, -large])), 0.0);
    }

    #[test]
    fn every_place_is_reduced_by_itself() {
        let operation = Operation::Reduce(Reduction::Sum, Fold::of::<u64>());
        let mut all = Words::of(&[1, 2, 3]);
        operation.combine(&mut all, &Words::of(&[10, 20, 30]));
        assert_eq!(all.as_slice(), [11, 22, 33]);
        assert_eq!(operation.step(3), operation.step(1).times(3));
    }

    #[test]
    fn least_and_greatest_have_one_answer() {
        assert_eq!(reduced(Reduction::Min, [0.0, -0.0, 0.0]), (-0.0_f64).to_bits());
        assert_eq!(reduced(Reduction::Max, [-0.0, 0.0, -0.0]), 0.0_f64.to_bits());
        assert!(f64::from_bits(reduced(Reduction::Max, [1.0, f64::NAN, 2.0])).is_nan());
        assert_eq!(f64::from_bits(reduced(Reduction::Min, [1.0, f64::NAN, 2.0])), 1.0);
    }

    #[test]
    fn a_broadcast_is_what_the_one_brings() {
        let operation = Operation::Broadcast(ThreadId { node: tempest::NodeId(1), index: 0 });
        let mut all = Words::default();
        for next in [Words::default(), Words::of(&[7, 8]), Words::default()] {
            operation.combine(&mut all, &next);
        }
        assert_eq!(all.as_slice(), [7, 8]);
    }

    #[test]
    fn what_differs_has_different_codes() {
        let thread = |node, index| ThreadId { node: tempest::NodeId(node), index };
        let (least, most) = (thread(0, 0), thread(0, 1));
        let operations = [
            Operation::Barrier,
            Operation::Reduce(Reduction::Sum, Fold::of::<u64>()),
            Operation::Reduce(Reduction::Min, Fold::of::<u64>()),
            Operation::Reduce(Reduction::Max, Fold::of::<u64>()),
            Operation::Broadcast(least),
            Operation::Broadcast(most),
            Operation::Broadcast(thread(1, 0)),
        ];
        let codes: std::collections::BTreeSet<u64> = operations.iter().map(|one| one.code()).collect();
        assert_eq!(codes.len(), operations.len());
        let names = operations[..5].iter().map(|one| Operation::name(one.code()));
        assert!(names.eq(["a barrier", "a sum", "a minimum", "a maximum", "a broadcast"]));
    }
}
