//! The judgement of a run by its progress: whether it may have ended, and whether it has stalled.
//!
//! This module must never know how progress is measured.

use std::time::Duration;

use units::Time;

use crate::parts::world::host_time;

/// Interval of the looks: so long that an idle run takes no core for them.
const LONGEST: Duration = Duration::from_millis(200);

/// Minimum interval of the looks, and the first one: each is twice as long as the one before.
const SHORTEST: Duration = Duration::from_millis(1);

/// Looks per stall limit, if the minimum interval allows.
const LOOKS_PER_LIMIT: u32 = 10;

/// The progress of a run at the last look.
pub(crate) struct Stillness {
    limit: Option<Time>,
    pause: Duration,
    last: u64,
    since: Duration,
}

/// The judgement of a look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Judgement {
    /// There has been progress since the last look.
    Moves,
    /// There has been none: the run may have ended, or be deadlocked.
    Still,
    /// There has been none for longer than the limit.
    Stalled { limit: Time, since: Duration },
}

impl Stillness {
    /// A run with this progress at its start, which stalls after `limit` without any.
    pub(crate) fn new(progress: u64, limit: Option<Time>) -> Self {
        Self { limit, pause: SHORTEST, last: progress, since: Duration::ZERO }
    }

    /// The time from the last look to the next.
    pub(crate) fn pause(&self) -> Duration {
        self.pause
    }

    /// Looks at the progress after a [pause](Self::pause). Time is counted in pauses: a process that is stopped for a while has not stalled.
    pub(crate) fn look(&mut self, progress: u64) -> Judgement {
        let moves = progress != self.last;
        self.since = if moves { Duration::ZERO } else { self.since + self.pause };
        self.last = progress;
        let patience = self.limit.map(host_time);
        let longest =
            patience.map_or(LONGEST, |patience| (patience / LOOKS_PER_LIMIT).clamp(SHORTEST, LONGEST));
        self.pause = (2 * self.pause).min(longest);
        match (self.limit, patience) {
            _ if moves => Judgement::Moves,
            (Some(limit), Some(patience)) if self.since > patience => {
                Judgement::Stalled { limit, since: self.since }
            }
            _ => Judgement::Still,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_stalls_after_its_limit_without_progress() {
        let limit = Time::from_microseconds(10_000);
        let mut stillness = Stillness::new(0, Some(limit));
        assert_eq!(stillness.look(1), Judgement::Moves);
        let mut still = 0;
        let since = loop {
            match stillness.look(1) {
                Judgement::Still => still += 1,
                Judgement::Stalled { since, .. } => break since,
                Judgement::Moves => unreachable!("the progress is constant"),
            }
        };
        assert!(still > 1 && since > host_time(limit) && since < 2 * host_time(limit), "{still} {since:?}");
        assert_eq!(stillness.look(2), Judgement::Moves);
    }

    #[test]
    fn a_run_without_a_limit_never_stalls() {
        let mut stillness = Stillness::new(0, None);
        assert!((0..100).all(|_| stillness.look(0) == Judgement::Still));
        assert_eq!(stillness.pause(), LONGEST);
    }
}
