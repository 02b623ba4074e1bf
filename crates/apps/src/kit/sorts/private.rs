//! Sorted keys of a thread in its private memory, which a model finds or misses in its caches: the sort by digits, and merges.
//!
//! Each pass goes from one array to another, and back in the next pass. The keys are computed on plain vectors; a model is then
//! charged for going through the arrays strip by strip, with the work of a strip in between. A pass of the sort stores keys as if they
//! came in the order of their places: a cache with room for a line of each value of a digit misses as often.
//!
//! This module must never know where other threads' keys come from.

use std::ops::Range;

use tempest::{Private, Thread};

use super::local::{self, DIGIT_BITS, VALUES};
use super::merging::{Half, Merge};
use super::work::{COUNT, MERGE, MOVE, SUM};
use crate::kit::sorts::Digit;

/// The keys of a strip: a quarter of the smallest first-level cache, as a merge goes through three arrays.
const STRIP: usize = 1024;

/// The keys of a thread, in the first or the second of two arrays.
pub(crate) struct PrivateKeys {
    names: [&'static str; 2],
    /// The array in which the keys are.
    place: usize,
    keys: Vec<u32>,
}

impl PrivateKeys {
    /// Puts keys into the first of two private arrays of these names.
    pub(crate) fn new(names: [&'static str; 2], keys: Vec<u32>) -> Self {
        Self { names, place: 0, keys }
    }

    /// The keys. A model charges nothing.
    pub(crate) fn keys(&self) -> &[u32] {
        &self.keys
    }

    /// Sorts keys of `bits` bits.
    pub(crate) fn sort(&mut self, thread: &Thread<'_>, bits: u32) {
        for digit in Digit::all(bits, DIGIT_BITS) {
            let sorted = local::by_digit(&self.keys, digit);
            let [from, mut to] = self.arrays(thread, sorted);
            for strip in strips(thread, from.len()) {
                thread.charge(COUNT.times(from.view(thread, strip).len() as u32));
            }
            thread.charge(SUM.times(VALUES as u32));
            for strip in strips(thread, from.len()) {
                thread.charge(MOVE.times(from.view(thread, strip.clone()).len() as u32));
                to.view_mut(thread, strip);
            }
            self.keys = to.into_vec();
        }
    }

    /// Keeps a half of the keys and of as many others, which have come into a private array of the name `place`. Both are sorted.
    pub(crate) fn merge(
        &mut self,
        thread: &Thread<'_>,
        half: Half,
        (place, others): (&'static str, Vec<u32>),
    ) {
        let mut merge = Merge::new(half, &self.keys);
        merge.take(&others);
        let own = merge.kept_of_own();
        let kept = merge.finish();
        let count = kept.len();
        let [from, mut to] = self.arrays(thread, kept);
        let others = thread.private_of(place, others);
        for strip in strips(thread, count) {
            // The thread goes through both at an even pace, and begins with the least keys or the greatest.
            let of_own = part(&strip, own, count);
            let of_others = strip.start - of_own.start..strip.end - of_own.end;
            from.view(thread, from_side(half, of_own, count));
            others.view(thread, from_side(half, of_others, count));
            thread.charge(MERGE.times(strip.len() as u32));
            to.view_mut(thread, from_side(half, strip, count));
        }
        self.keys = to.into_vec();
    }

    /// The array with the keys, and the other one with the keys `next`, which takes their place.
    fn arrays(&mut self, thread: &Thread<'_>, next: Vec<u32>) -> [Private<u32>; 2] {
        let from = thread.private_of(self.names[self.place], std::mem::take(&mut self.keys));
        self.place = 1 - self.place;
        [from, thread.private_of(self.names[self.place], next)]
    }
}

/// The strips of an array of `len` keys.
fn strips(thread: &Thread<'_>, len: usize) -> impl Iterator<Item = Range<usize>> + use<> {
    let strip = thread.strip(STRIP).min(len.max(1));
    (0..len).step_by(strip).map(move |first| first..len.min(first + strip))
}

/// The part of `of` that is due in a range of `len`.
fn part(range: &Range<usize>, of: usize, len: usize) -> Range<usize> {
    let due = |at: usize| (at as u64 * of as u64 / len.max(1) as u64) as usize;
    due(range.start)..due(range.end)
}

/// A range that is counted from the front for the lower half, and from the back for the upper one.
fn from_side(half: Half, Range { start, end }: Range<usize>, len: usize) -> Range<usize> {
    match half {
        Half::Lower => start..end,
        Half::Upper => len - end..len - start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_all_and_no_more() {
        let parts: Vec<_> =
            (0..10).step_by(3).map(|first| part(&(first..10.min(first + 3)), 7, 10)).collect();
        assert_eq!(parts, [0..2, 2..4, 4..6, 6..7]);
        assert_eq!([Half::Lower, Half::Upper].map(|half| from_side(half, 0..3, 10)), [0..3, 7..10]);
    }
}
