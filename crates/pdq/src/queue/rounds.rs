//! The order in which a worker looks at lanes.
//!
//! It is *at home* in some of them: each lane is home to one server, so as long as all lanes have work the servers do
//! not meet. A worker stays with a lane for a few claims in a row, as its data is in the cache, and then goes on to
//! its next home. Away from home it takes items that other servers have left over. This module must never know the
//! content of a lane.

use super::tuning;

#[derive(Debug, Default)]
pub(super) struct Rounds {
    /// Indices of the lanes: first the worker's home lanes, then all others. The others begin at a different lane for each server.
    order: Box<[usize]>,
    homes: usize,
    /// Index in `order` at which the next look at home begins. The field `away` is the index for the next look away from home.
    home: usize,
    away: usize,
    /// Number of claims in a row from the home at index `home`.
    stayed: usize,
    turns: usize,
}

impl Rounds {
    /// Makes the order in which server `server` of `servers` goes through `lanes`. If `all`, all lanes are its homes.
    pub(super) fn new(lanes: std::ops::Range<usize>, server: usize, servers: usize, all: bool) -> Self {
        let is_home = |lane: &usize| all || lane % servers == server;
        let first = lanes.start;
        let turned = lanes.clone().map(|lane| first + (lane + server) % lanes.len());
        let away = turned.filter(|lane| !is_home(lane));
        let order: Box<[usize]> = lanes.clone().filter(is_home).chain(away).collect();
        let homes = lanes.filter(is_home).count();
        Self { order, homes, home: 0, away: homes, stayed: 0, turns: 0 }
    }

    /// Indices of all lanes that the worker takes items from.
    pub(super) fn lanes(&self) -> &[usize] {
        &self.order
    }

    /// Whether the claim of this turn is timed, as a sample.
    pub(super) fn is_sampled(&self) -> bool {
        self.turns.is_multiple_of(tuning::SAMPLE)
    }

    /// Leaves the current home lane, which is empty: the next turn begins with the next home.
    #[inline]
    pub(super) fn leave_home(&mut self) {
        self.stayed = tuning::STAY;
    }

    /// Returns the home lane that follows the current one; `None` if the worker has no other home.
    #[inline]
    pub(super) fn next_home(&self) -> Option<usize> {
        let next = if self.home + 1 < self.homes { self.home + 1 } else { 0 };
        (next != self.home).then(|| self.order[next])
    }

    /// Whether the next turn begins away from home.
    #[inline]
    pub(super) fn is_away_next(&self) -> bool {
        (self.turns + 1).is_multiple_of(tuning::AWAY)
    }

    /// Begins a turn (one search for work). Returns true if it begins away from home.
    #[inline]
    pub(super) fn turn(&mut self) -> bool {
        self.turns += 1;
        self.stayed += 1;
        if self.stayed > tuning::STAY {
            self.stayed = 1;
            self.home = if self.home + 1 < self.homes { self.home + 1 } else { 0 };
        }
        self.turns.is_multiple_of(tuning::AWAY)
    }

    /// Looks for work in the worker's home lanes: returns the first lane for which `take` returns work, and that work.
    #[inline]
    pub(super) fn at_home<W>(&mut self, mut take: impl FnMut(usize) -> Option<W>) -> Option<(usize, W)> {
        let mut at = self.home;
        for _ in 0..self.homes {
            let lane = self.order[at];
            if let Some(work) = take(lane) {
                if at != self.home {
                    (self.home, self.stayed) = (at, 1);
                }
                return Some((lane, work));
            }
            at = if at + 1 < self.homes { at + 1 } else { 0 };
        }
        None
    }

    /// Looks for work in the lanes that are not the worker's homes: returns the first lane for which `take` returns work, and that
    /// work. The next search begins behind this lane.
    pub(super) fn elsewhere<W>(&mut self, mut take: impl FnMut(usize) -> Option<W>) -> Option<(usize, W)> {
        for _ in self.homes..self.order.len() {
            let lane = self.order[self.away];
            self.away = if self.away + 1 < self.order.len() { self.away + 1 } else { self.homes };
            if let Some(work) = take(lane) {
                return Some((lane, work));
            }
        }
        None
    }
}
