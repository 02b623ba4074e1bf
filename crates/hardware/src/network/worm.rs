//! One message inside the network, and when its tail leaves what it holds. Knows neither channels' queues nor topology.
//!
//! Byte n follows the head at the message's pace, and it cannot be further behind a blocked head than the buffers
//! between them have room for. So a message of `bytes`, whose head enters the channels of its way at h₀ ≤ h₁ ≤ …, gives
//! channel i back, with the buffer at its end, at
//!
//! > max over j ≥ i of hⱼ + passage × max(0, bytes − (j − i) × buffer) / bytes
//!
//! for j up to the first at which the bracket is zero: all of the message then has its place in the buffers further on,
//! and what is still in this one leaves it at full pace, so that the next message can follow at once. A buffer never holds
//! bytes of two blocked messages. With `slip` = passage × buffer / bytes, what a buffer takes to pass, and `reach` = how
//! many j count, the end of a channel is known as soon as the head has entered the one `reach` − 1 further on.
//!
//! Buffers hold at least what a link carries during two hops. So a message that is at least half a buffer long and never
//! blocked gives every channel back when its last byte has passed it, and links can be kept busy.

use units::Time;

use super::channel::NONE;

/// A channel of a worm's way, and when the worm's tail will have left it, as far as is known.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    channel: u32,
    ends: Time,
}

/// How long a message is: what follows from its bytes alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Length {
    /// What it takes through the slowest of the ports and the links.
    pub(super) passage: Time,
    /// What a router's buffer of it takes.
    pub(super) slip: Time,
    /// Routers' buffers that it fills, and one more.
    pub(super) reach: usize,
}

impl Length {
    /// Of a message of `bytes` that pass in `passage`, where routers hold `buffer` bytes.
    pub(super) fn new(bytes: u64, passage: Time, buffer: u64) -> Self {
        let reach = bytes.div_ceil(buffer) + 1;
        let slip = passage.as_femtoseconds() / bytes.max(1);
        Self { passage, slip: Time::from_femtoseconds(slip) * buffer, reach: reach as usize }
    }
}

/// A message inside the network.
#[derive(Clone, Debug)]
pub(super) struct Worm {
    /// The caller's name for it; of cross traffic, its source.
    pub(super) cargo: u32,
    /// The caller's order of simultaneous events.
    pub(super) tie: u32,
    /// Its destination; [`NONE`] for cross traffic, which leaves the network by itself.
    pub(super) to: u32,
    /// The one behind it in the queue it waits in.
    pub(super) behind: u32,
    /// It waits in a queue.
    pub(super) waits: bool,
    length: Length,
    way: Vec<Stretch>,
    /// The channel of its way that its head wants next.
    next: usize,
    /// The first channel of its way for which it is not yet known when the tail leaves it.
    tail: usize,
}

impl Worm {
    /// One that has no way yet.
    pub(super) fn new() -> Self {
        let length = Length { passage: Time::ZERO, slip: Time::ZERO, reach: 1 };
        Self {
            cargo: 0,
            tie: 0,
            to: NONE,
            behind: NONE,
            waits: false,
            length,
            way: Vec::new(),
            next: 0,
            tail: 0,
        }
    }

    /// Makes another message of it; its way is empty then.
    pub(super) fn become_message(&mut self, cargo: u32, tie: u32, to: u32, length: Length) {
        // The room of the old way is kept.
        self.way.clear();
        let way = std::mem::take(&mut self.way);
        *self = Self { cargo, tie, to, behind: NONE, waits: false, length, way, next: 0, tail: 0 };
    }

    /// Lengthens the way by a channel.
    pub(super) fn go_by(&mut self, channel: u32) {
        self.way.push(Stretch { channel, ends: Time::ZERO });
    }

    /// The channel that the head wants.
    pub(super) fn wants(&self) -> u32 {
        self.way[self.next].channel
    }

    /// Whether that is the first of the way, the port out.
    pub(super) fn leaves(&self) -> bool {
        self.next == 0
    }

    /// Whether that is the last of the way, the port in.
    pub(super) fn arrives(&self) -> bool {
        self.next + 1 == self.way.len()
    }

    /// What it takes to pass a channel.
    pub(super) fn passage(&self) -> Time {
        self.length.passage
    }

    /// The head enters the channel it wants at `at`.
    pub(super) fn enter(&mut self, at: Time) {
        let Length { mut passage, slip, .. } = self.length;
        for stretch in self.way[self.tail..=self.next].iter_mut().rev() {
            stretch.ends = stretch.ends.max(at + passage);
            passage = passage.saturating_sub(slip);
        }
        self.next += 1;
    }

    /// The next channel of the way for which it has become known when the tail will have left it, and when.
    pub(super) fn release(&mut self) -> Option<(u32, Time)> {
        let settled = self.next == self.way.len() || self.tail + self.length.reach <= self.next;
        if !settled || self.tail == self.next {
            return None;
        }
        let Stretch { channel, ends } = self.way[self.tail];
        self.tail += 1;
        Some((channel, ends))
    }
}
