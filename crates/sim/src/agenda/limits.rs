//! The end of modelled time, the stall limit, and the questions of an observer of the run: everything that one
//! comparison at each step of time covers.
//!
//! [`Time::MAX`] stands for *never*, and sums of times that are too large equal it. So no event has that time, and no
//! step comes to it. A run with an event beyond that has come to the end of modelled time.
//!
//! This module must never know which events there are.

use tempest::outcome::RunProgress;
use units::Time;

use crate::happening::{Happening, Packed};

/// The limits of a run.
#[derive(Debug)]
pub(crate) struct Limits {
    /// The longest time without progress before the run counts as stalled.
    stall: Option<Time>,
    /// The instant from which on it has to be [found out](Self::end_at) whether the run goes on. A thread of the host that
    /// watches the run makes it zero at any time, to ask how far the run is.
    progress: RunProgress,
    /// The first event that was to happen beyond the end of modelled time, and its actor.
    beyond: Option<(usize, Packed)>,
}

impl Limits {
    /// The limits of a run that makes no progress for `stall` at most. Others see in `progress` how far it is.
    pub(crate) fn new(stall: Option<Time>, progress: RunProgress) -> Self {
        let limits = Self { stall, progress, beyond: None };
        limits.progress.look_from(limits.end(Time::ZERO));
        limits
    }

    /// The stall limit.
    pub(crate) fn stall(&self) -> Option<Time> {
        self.stall
    }

    /// The place where the run tells other threads of the host how far it is.
    #[inline]
    pub(crate) fn progress(&self) -> &RunProgress {
        &self.progress
    }

    /// Notes an event that would happen beyond the end of modelled time. The run ends at its next step.
    #[cold]
    pub(crate) fn refuse(&mut self, actor: usize, event: Packed) {
        self.beyond.get_or_insert((actor, event));
        self.progress.look_from(Time::ZERO);
    }

    /// The first event that was to happen beyond the end of modelled time, and its actor.
    pub(crate) fn beyond(&self) -> Option<(usize, Happening)> {
        self.beyond.map(|(actor, event)| (actor, event.into()))
    }

    /// An instant before which the run does not end. The run may have made progress since it was set.
    #[inline]
    pub(crate) fn not_before(&self) -> Time {
        self.progress.looks_from()
    }

    /// The first instant at which the run ends if its last progress was at `progress`: the instant at which it stalls,
    /// or the end of modelled time.
    pub(crate) fn end(&self, progress: Time) -> Time {
        match (self.beyond, self.stall) {
            (Some(_), _) => Time::ZERO,
            (None, Some(limit)) => progress + limit + Time::from_femtoseconds(1),
            (None, None) => Time::MAX,
        }
    }

    /// Finds the first instant at which the run, which has come to `now`, ends, and tells others how far it has come.
    #[cold]
    pub(crate) fn find_end(&self, progress: Time, now: Time) -> Time {
        let end = self.end(progress);
        self.progress.look_from(end);
        self.progress.note(now);
        end
    }
}
