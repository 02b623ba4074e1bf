//! A resource that serves one user at a time, in the order they come.
//!
//! This module must never know the modelled resource: a port, a bank, a bus, a link are all this.

use units::Time;

/// A first-come, first-served resource with occupancy.
///
/// It holds no queue: each user learns on arrival when its turn starts, which is all a queue would decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Server {
    free_at: Time,
    busy: Time,
}

impl Server {
    /// Serves a user that comes at `now` and holds the resource for `hold`; returns when its turn starts. Users are
    /// served in the order of calls, so call in the order of time.
    #[inline]
    pub fn acquire(&mut self, now: Time, hold: Time) -> Time {
        let start = self.free_at.max(now);
        self.free_at = start + hold;
        self.busy += hold;
        start
    }

    /// Time at which the last user leaves.
    pub fn free_at(&self) -> Time {
        self.free_at
    }

    /// Total time held, up to the last user's leaving: its utilization times the run's length.
    pub fn busy(&self) -> Time {
        self.busy
    }

    /// The time for which it has been held up to `now`. Bookings beyond `now` do not count, as if there were no gaps
    /// between the bookings that are left.
    pub fn busy_at(&self, now: Time) -> Time {
        self.busy.saturating_sub(self.free_at.saturating_sub(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(n: u64) -> Time {
        Time::from_nanoseconds(n)
    }

    #[test]
    fn users_follow_one_another_and_gaps_stay_idle() {
        let mut server = Server::default();
        // Held 0-10, then 10-30; idle until 50; held 50-55: busy 35 of 55.
        assert_eq!(server.acquire(ns(0), ns(10)), ns(0));
        assert_eq!(server.acquire(ns(4), ns(20)), ns(10));
        assert_eq!(server.acquire(ns(50), ns(5)), ns(50));
        assert_eq!((server.free_at(), server.busy()), (ns(55), ns(35)));
    }

    #[test]
    fn what_is_booked_beyond_now_has_not_been_busy_yet() {
        let mut server = Server::default();
        server.acquire(ns(0), ns(10));
        server.acquire(ns(20), ns(10));
        let busy = [0, 4, 10, 20, 26, 99].map(|at| server.busy_at(ns(at)));
        // Seen from before the second user came, the gap from 10 to 20 is not known.
        assert_eq!(busy, [0, 0, 0, 10, 16, 20].map(ns));
    }

    #[test]
    fn overload_grows_the_wait_of_each_user_by_the_excess() {
        let mut server = Server::default();
        // One user every 2 ns, each for 3 ns: the i-th starts at 3 i and has waited i.
        for i in 0..10 {
            assert_eq!(server.acquire(ns(2 * i), ns(3)), ns(3 * i));
        }
        assert_eq!(server.free_at(), ns(30));
    }

    #[test]
    fn a_user_that_holds_for_no_time_waits_all_the_same() {
        let mut server = Server::default();
        server.acquire(ns(0), ns(7));
        assert_eq!(server.acquire(ns(3), Time::ZERO), ns(7));
        assert_eq!(server.acquire(ns(7), Time::ZERO), ns(7));
    }
}
