//! The processes of a world as the launcher knows them: how far each has come, its progress, and its silence.
//!
//! A process that has been silent for longer than the *timeout* is lost. Time is counted in looks of the launcher: a launcher that did not run
//! itself for a while, as when the whole job is stopped, begins to count anew.
//!
//! This module must never know how a message of a process arrives.

use std::time::Duration;

/// The point of a run that a process has come to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Milestone {
    Started,
    Settled,
    Arrived,
    Left,
}

/// The launcher's knowledge of a process.
#[derive(Clone, Debug)]
struct Peer {
    milestone: Milestone,
    progress: u64,
    silent: Duration,
}

/// All processes of a world, by number.
#[derive(Debug)]
pub(crate) struct Peers {
    all: Vec<Peer>,
    timeout: Duration,
}

impl Peers {
    /// `processes` processes that have been started. A process that is silent for longer than `timeout` is lost.
    pub(crate) fn new(processes: usize, timeout: Duration) -> Self {
        let peer = Peer { milestone: Milestone::Started, progress: 0, silent: Duration::ZERO };
        Self { all: vec![peer; processes], timeout }
    }

    /// The time from one beat of a process to the next, and from one look of the launcher to the next.
    pub(crate) fn beat(timeout: Duration) -> Duration {
        (timeout / 10).clamp(Duration::from_millis(5), Duration::from_millis(100))
    }

    /// Notes a message of a process.
    pub(crate) fn hear(&mut self, process: usize) {
        self.all[process].silent = Duration::ZERO;
    }

    /// Notes the progress of a process.
    pub(crate) fn note_progress(&mut self, process: usize, progress: u64) {
        self.all[process].progress = progress;
    }

    /// Notes that a process has come to a milestone. Returns whether all have.
    pub(crate) fn reach(&mut self, process: usize, milestone: Milestone) -> bool {
        self.all[process].milestone = milestone;
        self.all.iter().all(|peer| peer.milestone >= milestone)
    }

    /// Whether a process has come to a milestone and to no later one.
    pub(crate) fn has_only(&self, process: usize, milestone: Milestone) -> bool {
        self.all[process].milestone == milestone
    }

    /// Whether all processes have left.
    pub(crate) fn have_left(&self) -> bool {
        self.all.iter().all(|peer| peer.milestone == Milestone::Left)
    }

    /// A measure of the progress of all: it is constant only while nothing happens.
    pub(crate) fn progress(&self) -> u64 {
        self.all.iter().map(|peer| peer.progress).fold(0, u64::wrapping_add)
    }

    /// Counts the time since the last look to the silence of each process that has not left. Returns the first that is lost.
    pub(crate) fn look(&mut self, passed: Duration) -> Option<usize> {
        // The launcher itself did not run: it cannot tell whether the processes did.
        if passed > self.timeout / 2 {
            self.all.iter_mut().for_each(|peer| peer.silent = Duration::ZERO);
            return None;
        }
        let timeout = self.timeout;
        self.all.iter_mut().position(|peer| {
            peer.silent += passed;
            peer.milestone != Milestone::Left && peer.silent > timeout
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_process_is_lost_after_its_silence() {
        let mut peers = Peers::new(2, 5 * SECOND);
        for _ in 0..5 {
            assert_eq!(peers.look(SECOND), None);
            peers.hear(0);
        }
        assert_eq!(peers.look(SECOND), Some(1));
    }

    #[test]
    fn a_launcher_that_did_not_run_counts_anew() {
        let mut peers = Peers::new(1, 5 * SECOND);
        assert_eq!([peers.look(2 * SECOND), peers.look(2 * SECOND), peers.look(20 * SECOND)], [None; 3]);
        assert_eq!([peers.look(2 * SECOND), peers.look(2 * SECOND)], [None; 2]);
        assert_eq!(peers.look(2 * SECOND), Some(0));
    }

    #[test]
    fn a_process_that_has_left_may_be_silent() {
        let mut peers = Peers::new(2, SECOND);
        assert!(!peers.reach(0, Milestone::Left) && !peers.have_left() && peers.reach(1, Milestone::Left));
        assert_eq!([peers.look(SECOND / 2), peers.look(SECOND / 2), peers.look(SECOND / 2)], [None; 3]);
    }
}
