//! A channel: one direction of a link, one lane of it, or a port. It has a wire, the room in its buffer, and the
//! messages that wait for it.
//!
//! This module must never know the way of a message, or a topology.

use units::Time;

/// Stands for "no worm", "no node" or "no source".
pub(super) const NONE: u32 = u32::MAX;

/// The last instant before [`Time::MAX`], which stands for a time that is not known.
const LAST: Time = Time::from_femtoseconds(u64::MAX - 1);

/// Caps a time at the end of modelled time: events after it have no time left to happen.
#[inline]
pub(super) fn known(at: Time) -> Time {
    at.min(LAST)
}

/// A wire and the buffer at its end. The wire carries one worm at a time. The buffer is a queue: worms leave it in the order of
/// their entry. A channel is one line of a host's cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Channel {
    /// The time from which the wire is free; [`Time::MAX`] while the time at which its worm's tail reaches the buffer is
    /// unknown.
    pub(super) free_at: Time,
    /// The time at which the tail of the newest worm leaves the buffer; [`Time::MAX`] while that is not known.
    pub(super) cleared_at: Time,
    /// The free bytes of the buffer.
    pub(super) room: u64,
    /// The first and the last worm that wait for the channel. Each waiting worm knows the one behind it.
    pub(super) first: u32,
    pub(super) last: u32,
    /// The worm that entered last, and the index of this channel in that worm's body, if it has one.
    pub(super) newest: u32,
    pub(super) place: u32,
    /// The total passage time of messages up to now, and the end of the last passage.
    carried: Time,
    carries_until: Time,
}

impl Channel {
    /// An idle channel whose buffer has `room` bytes.
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

    /// Counts a message whose head enters at `at` and whose bytes take `passage` to pass. Returns the end of that.
    #[inline]
    pub(super) fn carry(&mut self, at: Time, passage: Time) -> Time {
        self.carried += passage;
        self.carries_until = known(at + passage);
        self.carries_until
    }

    /// The time up to `now` for which bytes have passed. No bytes pass here while a message is blocked further on.
    pub(super) fn busy_at(&self, now: Time) -> Time {
        self.carried.saturating_sub(self.carries_until.saturating_sub(now))
    }

    /// Lets a worm enter at `now` if the wire is free, its `claim` bytes fit, and no other worm waits. Returns whether it
    /// entered.
    #[inline]
    pub(super) fn take(&mut self, now: Time, claim: u64) -> bool {
        let free = self.first == NONE && self.free_at <= now && self.room >= claim;
        if free {
            self.occupy(claim);
        }
        free
    }

    /// Lets a worm enter, whose `claim` bytes fit.
    #[inline]
    pub(super) fn occupy(&mut self, claim: u64) {
        self.free_at = Time::MAX;
        self.room -= claim;
    }

    /// Whether a worm that claims `claim` bytes can enter as soon as the wire is free, and the time of that is known.
    #[inline]
    pub(super) fn will_take(&self, claim: u64) -> bool {
        self.free_at != Time::MAX && self.room >= claim
    }
}
