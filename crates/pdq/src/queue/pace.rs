//! Hold-back: the pause of a worker before it comes back to its lanes.
//!
//! A worker that is faster than a producer catches up with it, comes back for every single item, and takes the cache
//! line that the producer writes away each time: both crawl. If it holds back a little, items gather, and both run.
//! But where each item is the answer to the one before, no items gather, and holding back is lost time. Only a trial
//! tells the two cases apart, so a worker tries, and goes by the result.
//!
//! This module must never know where items come from.

use super::tuning;
use crate::sync::{Instant, spin_loop};

#[derive(Debug, Default)]
pub(super) struct Pace {
    holds_back: bool,
    /// Number of small claims until the worker begins to pause before its searches.
    patience: usize,
    /// Whether the worker has paused since its last claim.
    held_back: bool,
    /// Number of claims after a pause since the pauses were last judged. The field `gathered` is the number of items of these
    /// claims.
    trials: usize,
    gathered: usize,
}

impl Pace {
    /// Notes a claim that has left many items behind: the worker is slower than its producer.
    #[inline]
    pub(super) fn lags(&mut self) {
        *self = Self { patience: tuning::CHASES, ..Self::default() };
    }

    /// Notes that the worker has items of its own to enqueue. Then it does not pause.
    #[inline]
    pub(super) fn produces(&mut self) {
        *self = Self { patience: tuning::NO_CHASE, ..Self::default() };
    }

    /// Notes a claim of `items` items that left few or none behind: the worker is not slower than its producer.
    #[inline]
    pub(super) fn catches_up(&mut self, items: usize) {
        if std::mem::take(&mut self.held_back) {
            self.judge(items);
        } else if items < tuning::FEW {
            self.holds_back = self.patience == 0;
            self.patience = self.patience.saturating_sub(1);
        }
    }

    fn judge(&mut self, items: usize) {
        self.trials += 1;
        self.gathered += items;
        if self.trials == tuning::TRIALS {
            if self.gathered < tuning::TRIALS * tuning::GATHERED {
                *self = Self { patience: tuning::NO_CHASE, ..Self::default() };
            }
            (self.trials, self.gathered) = (0, 0);
        }
    }

    /// Pauses the worker for `HOLD_BACK_NS` if it holds back now. The worker calls this before it looks for work.
    #[inline]
    pub(super) fn wait(&mut self) {
        if self.holds_back {
            self.held_back = true;
            let start = Instant::now();
            while !start.is_past(tuning::HOLD_BACK_NS) {
                spin_loop();
            }
        }
    }
}
