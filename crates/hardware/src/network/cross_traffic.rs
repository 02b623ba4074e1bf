//! Sources of messages from outside: one at each end of each row of a mesh. What they send enters the row there,
//! crosses it on the same links as everything else, and leaves at the other end; no node ever sees it.
//!
//! A source begins a launch when the one before has begun to leave its port, and no sooner than its rate allows: where
//! launching takes long, small messages cannot load the row.
//!
//! Must never know what the links carry besides.

use units::Time;

use super::wiring::Wiring;
use super::worm::Length;

/// The sources of a mesh. Source 2 r is at the first place of row r, source 2 r + 1 at its last.
#[derive(Clone, Debug)]
pub(super) struct CrossTraffic {
    pub(super) length: Length,
    launch: Time,
    period: Time,
    /// Of each source: when it launched last.
    launched: Vec<Time>,
    /// The first of its ports: out of source 0, into the place beside source 0, out of source 1, and so on.
    ports: u32,
}

impl CrossTraffic {
    /// Idle; its ports are numbered from `ports`.
    pub(super) fn new(traffic: &machine::CrossTraffic, length: Length, rows: u32, ports: u32) -> Self {
        Self {
            length,
            launch: traffic.launch,
            period: traffic.rate.transfer_time(traffic.message),
            launched: vec![Time::ZERO; 2 * rows as usize],
            ports,
        }
    }

    /// How many channels the ports of so many rows are.
    pub(super) fn channels(rows: u32) -> u32 {
        4 * rows
    }

    /// Every source with the time of its first launch: spread over a period, so that they do not march in step.
    pub(super) fn starts(&self) -> impl Iterator<Item = (u32, Time)> + use<> {
        let (launch, count) = (self.launch, self.launched.len() as u64);
        let share = self.period.as_femtoseconds() / count;
        (0..count).map(move |source| (source as u32, launch + Time::from_femtoseconds(share * source)))
    }

    /// A source launches a message now.
    pub(super) fn launch(&mut self, now: Time, source: u32) {
        self.launched[source as usize] = now;
    }

    /// When a source launches its next message, if the last one leaves its port at `leaves`.
    pub(super) fn next_launch(&self, source: u32, leaves: Time) -> Time {
        (self.launched[source as usize] + self.period).max(leaves + self.launch)
    }

    /// Names the channels that the messages of a source need.
    pub(super) fn way(&self, source: u32, wiring: &Wiring, mut by: impl FnMut(u32)) {
        by(self.ports + 2 * source);
        wiring.row(source / 2, source % 2 == 1, &mut by);
        by(self.ports + 2 * source + 1);
    }
}
