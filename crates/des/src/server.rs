//! A resource that serves one user at a time, in the order they come.

use units::Time;

/// A first-come, first-served resource with occupancy: a port, a bank, a bus.
#[derive(Clone, Copy, Debug, Default)]
pub struct Server {
    free_at: Time,
    busy: Time,
}

impl Server {
    /// A user comes at `now` and will hold the resource for `hold`; returns when its turn starts. Users come in the
    /// order of time.
    pub fn acquire(&mut self, now: Time, hold: Time) -> Time {
        let start = self.free_at.max(now);
        self.free_at = start + hold;
        self.busy += hold;
        start
    }

    /// When the last user so far leaves.
    pub fn free_at(&self) -> Time {
        self.free_at
    }

    /// How long it has been held, or will have been when the last user leaves: its utilization times the run's length.
    pub fn busy(&self) -> Time {
        self.busy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_follow_one_another_and_gaps_stay_idle() {
        let ns = Time::from_nanoseconds;
        let mut server = Server::default();
        // Held 0-10, then 10-30; idle until 50; held 50-55: busy 35 of 55.
        assert_eq!(server.acquire(ns(0), ns(10)), ns(0));
        assert_eq!(server.acquire(ns(4), ns(20)), ns(10));
        assert_eq!(server.acquire(ns(50), ns(5)), ns(50));
        assert_eq!((server.free_at(), server.busy()), (ns(55), ns(35)));
    }
}
