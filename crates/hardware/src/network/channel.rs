//! What a worm holds while it passes, and who waits for it. Knows no way and no topology.

use units::Time;

/// No worm, no node, no source.
pub(super) const NONE: u32 = u32::MAX;

/// One direction of a link, a lane of it, or a port: held by one worm at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Channel {
    /// From when on it is free; [`Time::MAX`] while it is not known when its holder's tail will leave.
    pub(super) free_at: Time,
    /// The worms that wait, in order: the first and the last; each knows the one behind it.
    pub(super) first: u32,
    pub(super) last: u32,
    /// The time that messages have taken to pass so far, and the end of the last passage.
    carried: Time,
    carries_until: Time,
}

impl Channel {
    /// Free, and nobody waits.
    pub(super) const IDLE: Self =
        Self { free_at: Time::ZERO, first: NONE, last: NONE, carried: Time::ZERO, carries_until: Time::ZERO };

    /// Counts a message whose head enters at `at` and whose bytes take `passage` to pass.
    pub(super) fn carry(&mut self, at: Time, passage: Time) {
        self.carried += passage;
        self.carries_until = at + passage;
    }

    /// The time up to `now` for which bytes have passed. A message that stands still further on passes no bytes here.
    pub(super) fn busy_at(&self, now: Time) -> Time {
        self.carried.saturating_sub(self.carries_until.saturating_sub(now))
    }

    /// Takes it at `now`, if it is free and nobody waits for it.
    pub(super) fn take(&mut self, now: Time) -> bool {
        let free = self.first == NONE && self.free_at <= now;
        if free {
            self.free_at = Time::MAX;
        }
        free
    }
}
