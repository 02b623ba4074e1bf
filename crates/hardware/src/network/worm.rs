//! A message inside the network, and the times at which its tail leaves channels. This module must never know channels'
//! queues or a topology.
//!
//! Byte n follows the head at the message's pace, and it cannot be further behind a blocked head than the buffers
//! between them have room for. A message of `bytes`, whose head enters the channels of its way at h₀ ≤ h₁ ≤ …, is off the
//! wire of channel i, its tail in the buffer at that channel's end, at
//!
//! > max over j ≥ i of hⱼ + passage × (bytes − (j − i) × buffer) / bytes
//!
//! for all j for which the bracket is above zero: that is `stretch` channels, which lie between tail and head when all
//! buffers between are full. With `slip` = passage × buffer / bytes, the passage time of a buffer, the end of a wire is
//! known as soon as the head has entered the channel `stretch` − 1 further on. A message that fits into one buffer is
//! off a wire a passage after its head entered.
//!
//! A message claims its bytes in the buffer at the end of each channel, all of the buffer if it is longer. It gives them back
//! when its head enters the channel `stretch` further on: from then on all that is left of it in the buffer leaves at full
//! pace, as fast as another message can come in. A buffer never holds bytes of two blocked messages beyond its size.
//!
//! A [`Worm`] holds the state that each step of a head needs. Most messages fit into one buffer, and consist of a worm
//! alone. A [`Body`] holds the channels behind the head of a longer message.

use units::Time;

use super::channel::NONE;
use super::run::Run;

/// The length of a message: all values that follow from its bytes alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Length {
    /// The time that it takes through the slowest of the ports and the links.
    pub(super) passage: Time,
    /// The time that a router's buffer of the message takes to pass.
    slip: Time,
    /// The number of routers' buffers that it fills; at least 1.
    stretch: usize,
    /// The bytes that it claims in a router's buffer.
    claim: u32,
}

impl Length {
    /// A message of `bytes` that pass in `passage`, where routers hold `buffer` bytes.
    pub(super) fn new(bytes: u64, passage: Time, buffer: u32) -> Self {
        let claim = bytes.min(buffer.into());
        let slip = Time::from_femtoseconds(passage.as_femtoseconds() / bytes.max(1)) * u64::from(buffer);
        Self { passage, slip, stretch: bytes.div_ceil(buffer.into()).max(1) as usize, claim: claim as u32 }
    }
}

/// The cause of a worm's next event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// The head reaches the entry of the channel that it wants.
    Comes,
    /// The head has waited at the entry, and the channel is free for it.
    Waits,
    /// The worm has the channel, and the wire that lanes share is free for it.
    Booked,
}

/// A message inside the network. It is one line of a host's cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Worm {
    /// The time at which the head reaches the end of the channel that it entered last.
    pub(super) reaches: Time,
    /// The time that the message takes to pass a channel.
    pub(super) passage: Time,
    /// The caller's number for the message. For cross traffic it is the number of the source.
    pub(super) cargo: u32,
    /// The caller's rank of this message's events among simultaneous ones.
    pub(super) tie: u32,
    /// The channel that the head wants next.
    pub(super) wants: u32,
    /// The channel that the head entered last; [`NONE`] before the port out.
    pub(super) holds: u32,
    /// The worm that came into that channel's buffer behind this one and waits until this one's tail has left it. A longer
    /// message has it in its [`Body`].
    pub(super) follower: u32,
    /// The next worm in the queue in which this one waits.
    pub(super) behind: u32,
    /// The bytes that the message claims in a router's buffer.
    claim: u32,
    /// The place at the end of the way inside the network.
    pub(super) goal: u32,
    /// The channels that follow the one that the head wants. The way may go on behind them.
    pub(super) run: Run,
    pub(super) stage: Stage,
    /// Whether the head wants the last channel of its way, the port in.
    pub(super) arrives: bool,
    /// Whether the message is cross traffic, which leaves the network by itself.
    pub(super) is_ambient: bool,
    /// Whether the message lies in several buffers.
    is_long: bool,
}

impl Worm {
    /// A message of a length whose head wants the port out `port`, then the channels of `run`, to end at place `goal`.
    pub(super) fn new((cargo, tie): (u32, u32), length: &Length, port: u32, (run, goal): (Run, u32)) -> Self {
        Self {
            reaches: Time::ZERO,
            passage: length.passage,
            cargo,
            tie,
            wants: port,
            holds: NONE,
            follower: NONE,
            behind: NONE,
            claim: length.claim,
            goal,
            run,
            stage: Stage::Comes,
            arrives: false,
            is_ambient: false,
            is_long: length.stretch > 1,
        }
    }

    /// Whether the message lies in several buffers.
    #[inline]
    pub(super) fn is_long(&self) -> bool {
        self.is_long
    }

    /// Whether the message belongs to a node, and lies in one buffer.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        !self.is_long && !self.is_ambient
    }

    /// Whether the head wants the first channel of the way, the port out.
    #[inline]
    pub(super) fn leaves(&self) -> bool {
        self.holds == NONE
    }

    /// The bytes that the message claims at the end of the channel that its head wants. It claims none at the port in, which
    /// has no buffer.
    #[inline]
    pub(super) fn claim(&self) -> u64 {
        if self.arrives { 0 } else { self.claim.into() }
    }

    /// Lets the head enter the channel that it wants. Returns the buffer that a message of one buffer leaves, if there is one.
    #[inline]
    pub(super) fn enter(&mut self) -> Option<Cleared> {
        let Self { holds, follower, claim, .. } = *self;
        (self.holds, self.follower) = (self.wants, NONE);
        (holds != NONE).then_some(Cleared { channel: holds, follower, bytes: claim.into() })
    }
}

/// The channels of a message that lies in several buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    slip: Time,
    stretch: usize,
    claim: u64,
    /// The time until which the message occupies the port out at least.
    spaced: Time,
    /// The channels that the head has entered.
    way: Vec<Stretch>,
    /// The place, on the way, of the first channel whose wire is not yet known to be free of the message.
    tail: usize,
}

/// A channel of a message's way.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    channel: u32,
    /// The worm that came into the channel's buffer behind this one and waits until this one's tail has left it.
    follower: u32,
    /// The time at which the tail will have passed the channel's wire, as far as is known.
    ends: Time,
}

impl Body {
    /// Makes the body of another message of it, whose head has entered no channel.
    pub(super) fn become_message(&mut self, length: &Length) {
        let Length { slip, stretch, claim, .. } = *length;
        // The way keeps its memory.
        self.way.clear();
        let way = std::mem::take(&mut self.way);
        *self = Self { slip, stretch, claim: claim.into(), spaced: Time::ZERO, way, tail: 0 };
    }

    /// The number of channels that the head has entered.
    pub(super) fn entered(&self) -> u32 {
        self.way.len() as u32
    }

    /// Lets the head enter `channel` at `at`. The message takes `passage` to pass, and begins to pass the port no sooner than
    /// `gap` after the one before.
    pub(super) fn enter(&mut self, channel: u32, at: Time, mut passage: Time, gap: Time) {
        if self.way.is_empty() {
            self.spaced = at + gap;
        }
        self.way.push(Stretch { channel, follower: NONE, ends: Time::ZERO });
        for stretch in self.way[self.tail..].iter_mut().rev() {
            stretch.ends = stretch.ends.max(at + passage);
            passage = passage.saturating_sub(self.slip);
        }
    }

    /// The next channel of the way whose wire the tail will have passed at a time that has become known. `whole` says whether
    /// the head has entered the port in.
    pub(super) fn release(&mut self, whole: bool) -> Option<Released> {
        let settled = whole || self.tail + self.stretch <= self.way.len();
        if !settled || self.tail == self.way.len() {
            return None;
        }
        let Stretch { channel, ends, .. } = self.way[self.tail];
        let is_port_in = whole && self.tail + 1 == self.way.len();
        let spaced = if self.tail == 0 { self.spaced } else { Time::ZERO };
        let cleared = self.tail.checked_sub(1).map(|before| {
            let Stretch { channel, follower, .. } = self.way[before];
            Cleared { channel, follower, bytes: self.claim }
        });
        self.tail += 1;
        Some(Released { channel, ends, is_port_in, spaced, cleared })
    }

    /// Records that another worm has entered the buffer of the channel at `place` behind this one.
    pub(super) fn is_followed(&mut self, place: u32, follower: u32) {
        self.way[place as usize].follower = follower;
    }
}

/// A wire that the tail of a message will have passed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Released {
    pub(super) channel: u32,
    pub(super) ends: Time,
    /// Whether the channel is the port in.
    pub(super) is_port_in: bool,
    /// The time until which the message occupies the channel at least.
    pub(super) spaced: Time,
    /// The buffer that the message's tail leaves at `ends` as well, if there is one.
    pub(super) cleared: Option<Cleared>,
}

/// A buffer that a message leaves without a pause from now on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cleared {
    pub(super) channel: u32,
    /// The worm behind it in the buffer.
    pub(super) follower: u32,
    /// The bytes that the leaving message had claimed.
    pub(super) bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_of_a_short_message_touches_one_line_of_a_cache() {
        assert_eq!((size_of::<Worm>(), align_of::<Worm>()), (64, 64));
    }
}
