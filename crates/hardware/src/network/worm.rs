//! One message inside the network, and the times at which its tail leaves channels. This module must never know channels'
//! queues or a topology.
//!
//! Byte n follows the head at the message's pace, and it cannot be further behind a blocked head than the buffers
//! between them have room for. A message of `bytes`, whose head enters the channels of its way at h₀ ≤ h₁ ≤ …, is off the
//! wire of channel i, its tail in the buffer at that channel's end, at
//!
//! > max over j ≥ i of hⱼ + passage × (bytes − (j − i) × buffer) / bytes
//!
//! for all j for which the bracket is above zero: so many channels, `stretch` of them, lie between tail and head when all
//! buffers between are full. With `slip` = passage × buffer / bytes, what a buffer takes to pass, the end of a wire is known
//! as soon as the head has entered the channel `stretch` − 1 further on. A message that fits into one buffer is off a wire a
//! passage after its head entered.
//!
//! A message claims its bytes in the buffer at the end of each channel, all of the buffer if it is longer. It gives them back
//! when its head enters the channel `stretch` further on: from then on all that is left of it in the buffer leaves at full
//! pace, as fast as another message can come in. A buffer never holds bytes of two blocked messages beyond its size.

use units::Time;

use super::channel::NONE;

/// A channel of a worm's way.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    channel: u32,
    /// The worm that came into the channel's buffer behind this one and waits until this one's tail has left it.
    follower: u32,
    /// The time at which the worm's tail will have passed the channel's wire, as far as is known.
    ends: Time,
}

/// The length of a message: everything that follows from its bytes alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Length {
    /// The time that it takes through the slowest of the ports and the links.
    pub(super) passage: Time,
    /// The time that a router's buffer of it takes.
    slip: Time,
    /// The number of routers' buffers that it fills; at least 1.
    stretch: usize,
    /// The bytes that it claims in a router's buffer.
    claim: u64,
}

impl Length {
    /// A message of `bytes` that pass in `passage`, where routers hold `buffer` bytes.
    pub(super) fn new(bytes: u64, passage: Time, buffer: u64) -> Self {
        let slip = Time::from_femtoseconds(passage.as_femtoseconds() / bytes.max(1)) * buffer;
        Self { passage, slip, stretch: bytes.div_ceil(buffer).max(1) as usize, claim: bytes.min(buffer) }
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

/// A message inside the network.
#[derive(Clone, Debug)]
pub(super) struct Worm {
    /// The caller's number for the message. For cross traffic it is the number of the source.
    pub(super) cargo: u32,
    /// The caller's rank of this message's events among simultaneous ones.
    pub(super) tie: u32,
    /// The destination; [`NONE`] for cross traffic, which leaves the network by itself.
    pub(super) to: u32,
    /// The next worm in the queue in which this one waits.
    pub(super) behind: u32,
    pub(super) stage: Stage,
    /// The time at which the head reaches the end of the channel that it entered last.
    pub(super) reaches: Time,
    /// The time until which the worm occupies the port out at least.
    pub(super) spaced: Time,
    length: Length,
    way: Vec<Stretch>,
    /// The place, on the way, of the channel that the head wants next.
    next: usize,
    /// The place, on the way, of the first channel whose wire is not yet known to be free of the worm.
    tail: usize,
}

impl Worm {
    /// A worm that has no way yet.
    pub(super) fn new() -> Self {
        Self::on(Vec::new(), (0, NONE, 0), Length::new(0, Time::ZERO, 1))
    }

    fn on(way: Vec<Stretch>, (cargo, to, tie): (u32, u32, u32), length: Length) -> Self {
        let (reaches, spaced) = (Time::ZERO, Time::ZERO);
        Self {
            cargo,
            tie,
            to,
            behind: NONE,
            stage: Stage::Comes,
            reaches,
            spaced,
            length,
            way,
            next: 0,
            tail: 0,
        }
    }

    /// Makes another message of the worm, with an empty way.
    pub(super) fn become_message(&mut self, cargo: u32, tie: u32, to: u32, length: Length) {
        // The way keeps its memory.
        self.way.clear();
        *self = Self::on(std::mem::take(&mut self.way), (cargo, to, tie), length);
    }

    /// Lengthens the way by a channel.
    pub(super) fn go_by(&mut self, channel: u32) {
        self.way.push(Stretch { channel, follower: NONE, ends: Time::ZERO });
    }

    /// The channel that the head wants next.
    pub(super) fn wants(&self) -> u32 {
        self.way[self.next].channel
    }

    /// Whether the head wants the first channel of the way, the port out.
    pub(super) fn leaves(&self) -> bool {
        self.next == 0
    }

    /// Whether the head wants the last channel of the way, the port in.
    pub(super) fn arrives(&self) -> bool {
        self.next + 1 == self.way.len()
    }

    /// The time that the message takes to pass a channel.
    pub(super) fn passage(&self) -> Time {
        self.length.passage
    }

    /// The bytes that the message claims at the end of the channel that its head wants. It claims none at the port in, which
    /// has no buffer.
    pub(super) fn claim(&self) -> u64 {
        if self.arrives() { 0 } else { self.length.claim }
    }

    /// The place, on the way, of the channel that the head wants next.
    pub(super) fn place(&self) -> u32 {
        self.next as u32
    }

    /// Lets the head enter, at `at`, the channel that it wants.
    pub(super) fn enter(&mut self, at: Time) {
        let Length { mut passage, slip, stretch, .. } = self.length;
        self.next += 1;
        if stretch == 1 {
            self.way[self.next - 1].ends = at + passage;
            return;
        }
        for stretch in self.way[self.tail..self.next].iter_mut().rev() {
            stretch.ends = stretch.ends.max(at + passage);
            passage = passage.saturating_sub(slip);
        }
    }

    /// The next channel of the way whose wire the tail will have passed at a time that has become known.
    pub(super) fn release(&mut self) -> Option<Released> {
        let settled = self.next == self.way.len() || self.tail + self.length.stretch <= self.next;
        if !settled || self.tail == self.next {
            return None;
        }
        let Stretch { channel, ends, .. } = self.way[self.tail];
        let port = self.tail == 0 || self.tail + 1 == self.way.len();
        let cleared = self.tail.checked_sub(1).map(|before| {
            let Stretch { channel, follower, .. } = self.way[before];
            Cleared { channel, follower, bytes: self.length.claim }
        });
        self.tail += 1;
        Some(Released { channel, port, ends, cleared })
    }

    /// Records that another worm has entered the buffer of the channel at `place` behind this one.
    pub(super) fn is_followed(&mut self, place: u32, follower: u32) {
        self.way[place as usize].follower = follower;
    }
}

/// A wire that the tail of a worm will have passed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Released {
    pub(super) channel: u32,
    /// Whether the channel is the port out or the port in.
    pub(super) port: bool,
    pub(super) ends: Time,
    /// The buffer that the worm's tail leaves at `ends` as well, if there is one.
    pub(super) cleared: Option<Cleared>,
}

/// A buffer that a worm leaves without a pause from now on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cleared {
    pub(super) channel: u32,
    /// The worm behind it in the buffer.
    pub(super) follower: u32,
    /// The bytes that the leaving worm had claimed.
    pub(super) bytes: u64,
}
