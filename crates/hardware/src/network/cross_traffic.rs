//! Cross traffic: messages from sources outside the nodes, one source at each end of each row of a mesh. A message enters the
//! row at its source, crosses it on the links that nodes use too, and leaves at the other end. No node ever sees it.
//!
//! A source launches a message when the one before has begun to leave its port, and no sooner than its rate allows. Where a
//! launch takes long, small messages therefore cannot load the row.
//!
//! This module must never know the other traffic of the links.

use units::Time;

use super::wiring::Wiring;
use super::worm::Length;

/// The sources of a mesh. Source 2 r is at the first place of row r, source 2 r + 1 at its last.
#[derive(Clone, Debug)]
pub(super) struct CrossTraffic {
    pub(super) length: Length,
    launch: Time,
    period: Time,
    /// The time of the last launch of each source.
    launched: Vec<Time>,
    /// The first port of the sources. The ports follow in order: out of source 0, into the place beside source 0, out of source
    /// 1, and so on.
    ports: u32,
}

impl CrossTraffic {
    /// Idle sources whose ports are numbered from `ports`.
    pub(super) fn new(traffic: &machine::CrossTraffic, length: Length, rows: u32, ports: u32) -> Self {
        Self {
            length,
            launch: traffic.launch,
            period: traffic.rate.transfer_time(traffic.message),
            launched: vec![Time::ZERO; 2 * rows as usize],
            ports,
        }
    }

    /// The number of channels that the ports for `rows` rows are.
    pub(super) fn channels(rows: u32) -> u32 {
        4 * rows
    }

    /// Every source with the time of its first launch. The times are spread over a period, so that the sources are out of step.
    pub(super) fn starts(&self) -> impl Iterator<Item = (u32, Time)> + use<> {
        let (launch, count) = (self.launch, self.launched.len() as u64);
        let share = self.period.as_femtoseconds() / count;
        (0..count).map(move |source| (source as u32, launch + Time::from_femtoseconds(share * source)))
    }

    /// Records that a source launches a message at `now`.
    pub(super) fn launch(&mut self, now: Time, source: u32) {
        self.launched[source as usize] = now;
    }

    /// The time of a source's next launch, if its last message leaves the port at `leaves`.
    pub(super) fn next_launch(&self, source: u32, leaves: Time) -> Time {
        (self.launched[source as usize] + self.period).max(leaves + self.launch)
    }

    /// The port out of a source.
    pub(super) fn port_out(&self, source: u32) -> u32 {
        self.ports + 2 * source
    }

    /// The port in at the other end of a source's row.
    pub(super) fn port_in(&self, source: u32) -> u32 {
        self.ports + 2 * source + 1
    }

    /// The places at the beginning and at the end of a source's row.
    pub(super) fn ends(source: u32, wiring: &Wiring) -> (u32, u32) {
        let (first, last) = wiring.ends_of_row(source / 2);
        if source % 2 == 1 { (last, first) } else { (first, last) }
    }
}
