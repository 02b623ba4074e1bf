//! A straight part of a message's way: channels that follow each other, by their numbers. This module must never know a topology
//! or a time.

/// Channels in a row on a message's way. Their numbers are equally far apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// The first of the remaining channels, if any remain.
    first: u32,
    /// Twice the number of remaining channels, and 1 more if the way is known to end behind them.
    left: u32,
    /// The difference between the numbers of two neighbours, modulo 2^32.
    step: u32,
}

impl Run {
    /// The end of a way: no channel follows.
    pub(super) const END: Self = Self { first: 0, left: 1, step: 0 };

    /// The run of `count` channels from `first` on, `step` apart. The way `ends` behind them, or may go on.
    pub(super) fn new(first: u32, count: u32, step: u32, ends: bool) -> Self {
        Self { first, left: 2 * count + u32::from(ends), step }
    }

    /// The run where all channels have numbers higher by `first`.
    pub(super) fn numbered_from(self, first: u32) -> Self {
        Self { first: self.first.wrapping_add(first), ..self }
    }

    /// Whether no channel remains, and the way may go on behind the run.
    #[inline]
    pub(super) fn is_passed(&self) -> bool {
        self.left == 0
    }
}

impl Iterator for Run {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        self.left = self.left.checked_sub(2)?;
        let next = self.first.wrapping_add(self.step);
        Some(std::mem::replace(&mut self.first, next))
    }
}
