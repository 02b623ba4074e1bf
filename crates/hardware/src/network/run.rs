//! A straight part of a message's way: channels that follow each other, by their numbers. This module must never know a topology
//! or a time.

/// Channels in a row on a message's way. Their numbers are equally far apart.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Run {
    /// The first of the remaining channels, if any remain.
    pub(super) first: u32,
    /// The number of remaining channels.
    pub(super) left: u32,
    /// The difference between the numbers of two neighbours, modulo 2^32.
    pub(super) step: u32,
}

impl Run {
    /// The run where all channels have numbers higher by `first`.
    pub(super) fn numbered_from(self, first: u32) -> Self {
        Self { first: self.first.wrapping_add(first), ..self }
    }
}

impl Iterator for Run {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        let next = self.first.wrapping_add(self.step);
        Some(std::mem::replace(&mut self.first, next))
    }
}
