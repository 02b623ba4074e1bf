//! One direction of a link, a lane of it, or a port: who uses its wire, what its buffer has room for, who waits.
//!
//! This module must never know a way or a topology.

use units::Time;

/// Stands for no worm, no node, no source.
pub(super) const NONE: u32 = u32::MAX;

/// A wire and the buffer at its end. The wire carries one worm at a time. The buffer is a queue: worms leave it in the order
/// in which they came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Channel {
    /// The time from which the wire is free; [`Time::MAX`] while it is not known when its worm's tail will be in the buffer.
    pub(super) free_at: Time,
    /// The time at which the tail of the newest worm leaves the buffer; [`Time::MAX`] while that is not known.
    pub(super) cleared_at: Time,
    /// The bytes for which there is room.
    pub(super) room: u64,
    /// The worms that wait for the channel, in order: the first and the last; each knows the one behind it.
    pub(super) first: u32,
    pub(super) last: u32,
    /// The worm that entered last, and the number of this channel on its way.
    pub(super) newest: u32,
    pub(super) place: u32,
    /// The time that messages have taken to pass so far, and the end of the last passage.
    carried: Time,
    carries_until: Time,
}

impl Channel {
    /// A channel that nobody uses, with room for so many bytes.
    pub(super) fn idle(room: u64) -> Self {
        Self {
            free_at: Time::ZERO,
            cleared_at: Time::ZERO,
            room,
            first: NONE,
            last: NONE,
            newest: NONE,
            place: 0,
            carried: Time::ZERO,
            carries_until: Time::ZERO,
        }
    }

    /// Counts a message whose head enters at `at` and whose bytes take `passage` to pass.
    pub(super) fn carry(&mut self, at: Time, passage: Time) {
        self.carried += passage;
        self.carries_until = at + passage;
    }

    /// The time up to `now` for which bytes have passed. A message that stands still further on passes no bytes here.
    pub(super) fn busy_at(&self, now: Time) -> Time {
        self.carried.saturating_sub(self.carries_until.saturating_sub(now))
    }

    /// Gives a worm the channel at `now` if the wire is free, `claim` bytes fit and nobody waits.
    pub(super) fn take(&mut self, now: Time, claim: u64) -> bool {
        let free = self.first == NONE && self.free_at <= now && self.room >= claim;
        if free {
            self.occupy(claim);
        }
        free
    }

    /// Gives a worm the channel, which has room for its `claim` bytes.
    pub(super) fn occupy(&mut self, claim: u64) {
        self.free_at = Time::MAX;
        self.room -= claim;
    }

    /// Whether a worm that claims so many bytes can enter as soon as the wire is free, and it is known when that is.
    pub(super) fn will_take(&self, claim: u64) -> bool {
        self.free_at != Time::MAX && self.room >= claim
    }
}
