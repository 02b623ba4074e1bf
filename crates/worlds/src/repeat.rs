//! The number of runs of a combination on this host, and the rule to stop. This module must never look at which
//! combination is the faster: a rule that stops once a difference shows finds differences where there are none.

use std::ops::ControlFlow;
use std::time::Duration;

use compare::interval::{Interval, least_runs, level};
use compare::tie::MARGIN;
use units::Time;
use units::median::upper;

/// Number of runs of each combination on this host. A model gives the same result every time and runs once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Repeat {
    /// A fixed number of runs, at least one.
    Times(u32),
    /// Until the intervals of all combinations that run together are narrow ([`Repeat::PRECISION`]), or the time is up
    /// ([`Repeat::BUDGET`], [`Repeat::PATIENCE`]).
    #[default]
    Auto,
}

impl Repeat {
    /// The distance of an interval's ends from its median, as a share of the median, from which more runs are of no use: times
    /// that differ by more than the margin have intervals that part.
    pub const PRECISION: f64 = MARGIN / 2.0;

    /// The time after which combinations that run together get no more runs than an interval of their level asks for.
    pub const BUDGET: Duration = Duration::from_secs(5);

    /// The time after which combinations that run together get no more runs, though their intervals ask for more.
    pub const PATIENCE: Duration = Duration::from_secs(120);

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
            return self.patient(rounds, least, took);
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
        let needed = for_precision.min(within(Self::BUDGET, rounds, took)).min(f64::from(Self::MOST));
        ControlFlow::Continue((needed.ceil() as u32).max(rounds + 1))
    }

    /// Limits the number of runs to the requested one, or by the patience.
    fn patient(self, rounds: u32, least: u32, took: Duration) -> ControlFlow<(), u32> {
        match self {
            Self::Auto if took >= Self::PATIENCE => ControlFlow::Break(()),
            Self::Auto => {
                let most = within(Self::PATIENCE, rounds, took).ceil().min(f64::from(least));
                ControlFlow::Continue((most as u32).max(rounds + 1))
            }
            Self::Times(_) => ControlFlow::Continue(least),
        }
    }
}

/// Number of rounds that fit into `time`, if `rounds` of them took `took`.
fn within(time: Duration, rounds: u32, took: Duration) -> f64 {
    f64::from(rounds) * time.as_secs_f64() / took.as_secs_f64()
}

/// The distance of the farther end of the median's interval from the median, as a share of it.
fn uncertainty(samples: &[Time], level: f64) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    let interval = Interval::of_median(&sorted, level).zip(upper(&sorted));
    interval.map_or(0.0, |(interval, median)| interval.share_of(*median))
}

#[cfg(test)]
mod tests {
    use compare::finding;
    use compare::samples::{Noise, measured};

    use super::*;

    /// Times of `rows` equal rows, measured until the rule stops; a round takes `round`.
    fn measure(
        rows: usize,
        round: Duration,
        noise: &mut Noise,
        disturbed: fn(&mut Noise) -> f64,
    ) -> Vec<Vec<f64>> {
        let mut seconds = vec![Vec::new(); rows];
        let mut times = vec![Vec::new(); rows];
        for number in 1.. {
            for (seconds, times) in seconds.iter_mut().zip(&mut times) {
                let run = 1e-3 * (1.0 + disturbed(noise));
                seconds.push(run);
                times.push(Time::from_femtoseconds((run * 1e15) as u64));
            }
            let samples = times.iter().map(Vec::as_slice);
            if Repeat::Auto.is_enough(number, round * number, samples).is_break() {
                break;
            }
        }
        seconds
    }

    #[test]
    fn looking_again_and_again_makes_no_winner() {
        for disturbed in [Noise::skewed, Noise::shared] {
            let is_told = |seed: &u64| {
                let round = Duration::from_millis(20);
                let found = finding::of(&measured(&measure(3, round, &mut Noise::new(*seed), disturbed)));
                assert_eq!(found.too_few, None);
                found.contrast.is_some()
            };
            let winners = (0..100).filter(is_told).count();
            assert!(winners <= 2, "{winners} of 100");
        }
    }

    #[test]
    fn measuring_ends_with_the_precision_or_with_the_time() {
        let quiet = |_: &mut Noise| 0.0;
        let runs = |round, disturbed| measure(3, round, &mut Noise::new(1), disturbed)[0].len();
        assert_eq!(runs(Duration::from_millis(1), quiet), 7);
        // As many runs as an interval needs, where there is patience for them.
        assert_eq!(runs(Duration::from_secs(10), Noise::skewed), 7);
        assert_eq!(runs(Duration::from_secs(50), Noise::skewed), 3);
        assert_eq!(runs(Duration::from_millis(50), Noise::skewed), 100);
        assert_eq!(runs(Duration::from_millis(1), Noise::skewed), Repeat::MOST as usize);
    }

    #[test]
    fn what_is_asked_for_is_what_runs() {
        let none: [&[Time]; 1] = [&[]];
        let enough = |rounds| Repeat::Times(3).is_enough(rounds, Duration::ZERO, none.into_iter());
        assert_eq!(
            [enough(1), enough(2), enough(3)],
            [ControlFlow::Continue(3), ControlFlow::Continue(3), ControlFlow::Break(())]
        );
    }
}
