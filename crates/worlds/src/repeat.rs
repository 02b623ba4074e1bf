//! How often a combination runs on this host, and when it has run often enough. This module must never look at which
//! combination is the faster: a rule that stops once a difference shows finds differences where there are none.

use std::ops::ControlFlow;
use std::time::Duration;

use compare::interval::{Interval, least_runs, level};
use compare::tie::MARGIN;
use units::Time;

/// How often each combination runs on this host. A model gives the same result every time and runs once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Repeat {
    /// So many times, at least once.
    Times(u32),
    /// Until the intervals of all combinations that run together are narrow, or the time is up; see [`Repeat::PRECISION`]
    /// and [`Repeat::BUDGET`].
    #[default]
    Auto,
}

impl Repeat {
    /// The distance of an interval's ends from its median, as a share of the median, from which more runs are of no use: times
    /// that differ by more than the margin have intervals that part.
    pub const PRECISION: f64 = MARGIN / 2.0;

    /// The time after which combinations that run together get no more runs than an interval of their level asks for.
    pub const BUDGET: Duration = Duration::from_secs(5);

    /// The largest number of runs of a combination under [`Repeat::Auto`].
    pub const MOST: u32 = 1000;

    /// The number of runs to count on before the first of this many combinations that run together.
    pub(crate) fn at_first(self, together: usize) -> u32 {
        match self {
            Self::Times(times) => times.max(1),
            Self::Auto => least_runs(level(together)) as u32,
        }
    }

    /// Whether combinations that have run `rounds` times in this time have run often enough; if not, the number of runs that
    /// seems to be needed. `samples` holds the times of each.
    pub(crate) fn is_enough<'s>(
        self,
        rounds: u32,
        took: Duration,
        samples: impl ExactSizeIterator<Item = &'s [Time]>,
    ) -> ControlFlow<(), u32> {
        let least = self.at_first(samples.len());
        if rounds < least {
            return ControlFlow::Continue(least);
        }
        if matches!(self, Self::Times(_)) || took >= Self::BUDGET || rounds >= Self::MOST {
            return ControlFlow::Break(());
        }
        let level = level(samples.len());
        let widest = samples.map(|samples| uncertainty(samples, level)).fold(0.0, f64::max);
        if widest <= Self::PRECISION {
            return ControlFlow::Break(());
        }
        // An interval narrows with the root of the number of runs.
        let for_precision = f64::from(rounds) * (widest / Self::PRECISION).powi(2);
        let for_budget = f64::from(rounds) * Self::BUDGET.as_secs_f64() / took.as_secs_f64();
        let needed = for_precision.min(for_budget).ceil().min(f64::from(Self::MOST));
        ControlFlow::Continue((needed as u32).max(rounds + 1))
    }
}

/// The distance of the farther end of the median's interval from the median, as a share of it.
fn uncertainty(samples: &[Time], level: f64) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
    let interval = Interval::of_median(&sorted, level);
    interval.map_or(0.0, |interval| interval.share_of(median)).clamp(0.0, f64::MAX)
}
