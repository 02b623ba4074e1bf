//! The credits of links into shallow buffers, on their way back from the buffer to the router before it.
//!
//! This module must never know a time or a message.

use std::collections::VecDeque;
use std::ops::Range;

/// The credits on their way back. All take one time, so the credits of a channel return in the order in which they
/// left.
#[derive(Clone, Debug)]
pub(super) struct Credits {
    /// The first channel that sends by credits. All channels behind it do too.
    first: u32,
    /// The bytes of each credit under way, by channel.
    under_way: Vec<VecDeque<u64>>,
}

impl Credits {
    /// Credits of the links `channels`, none of which is under way.
    pub(super) fn new(channels: Range<u32>) -> Self {
        Self { first: channels.start, under_way: channels.map(|_| VecDeque::new()).collect() }
    }

    /// Sends a credit of `bytes` to a channel. Returns whether the channel sends by credits.
    pub(super) fn leave(&mut self, channel: u32, bytes: u64) -> bool {
        let to = channel.checked_sub(self.first).and_then(|place| self.under_way.get_mut(place as usize));
        to.map(|credits| credits.push_back(bytes)).is_some()
    }

    /// The bytes of the next credit that reaches a channel.
    pub(super) fn arrive(&mut self, channel: u32) -> u64 {
        self.under_way[(channel - self.first) as usize].pop_front().expect("a credit is under way")
    }
}
