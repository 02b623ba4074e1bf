//! The times at which a source makes its messages, drawn beforehand. This module must never know where messages go.

use std::fmt;
use std::str::FromStr;

use rand::RngExt;
use rand_pcg::Pcg64;

/// The largest accepted burst, in messages.
const MOST: u32 = 100_000;

/// The process by which messages are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arrivals {
    /// Open loop: the times between messages are independent, and exponentially distributed.
    Poisson,
    /// Open loop: the times between messages are equal.
    Periodic,
    /// Open loop: this number of messages at once, and equal times between the bursts.
    Bursts(u32),
    /// Closed loop: a thread makes a message when its window of messages under way is not full.
    Closed,
}

impl Arrivals {
    /// The number of messages that are made at once.
    pub(crate) fn at_once(self) -> u32 {
        match self {
            Self::Bursts(burst) => burst,
            _ => 1,
        }
    }
}

impl FromStr for Arrivals {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let burst = || text.strip_prefix("bursts:")?.parse().ok().filter(|burst| (1..=MOST).contains(burst));
        match text {
            "poisson" => Ok(Self::Poisson),
            "periodic" => Ok(Self::Periodic),
            "closed" => Ok(Self::Closed),
            _ => burst().map(Self::Bursts).ok_or_else(|| {
                format!("`{text}`: expected one of poisson, periodic, bursts:8 (at most {MOST}) or closed")
            }),
        }
    }
}

impl fmt::Display for Arrivals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Poisson => f.pad("poisson"),
            Self::Periodic => f.pad("periodic"),
            Self::Bursts(burst) => write!(f, "bursts:{burst}"),
            Self::Closed => f.pad("closed"),
        }
    }
}

/// The times at which one open-loop source makes its messages, ascending, without an end.
///
/// The mean time between two messages is the same in each process. Sources of equal times differ in the time of their first
/// message, which is drawn from the first period.
#[derive(Debug)]
pub(crate) struct Times {
    arrivals: Arrivals,
    /// The mean time between two messages.
    apart: f64,
    next: f64,
    /// The number of messages of this burst that are still to come.
    left: u32,
}

impl Times {
    /// The times of a source whose messages are `apart` from each other on average, from time 0 on.
    pub(crate) fn new(arrivals: Arrivals, apart: f64, random: &mut Pcg64) -> Self {
        let burst = arrivals.at_once();
        let mut times = Self { arrivals, apart, next: 0.0, left: burst };
        times.next = match arrivals {
            Arrivals::Poisson => times.gap(random),
            _ => random.random_range(0.0..1.0) * apart * f64::from(burst),
        };
        times
    }

    /// The time of the next message.
    pub(crate) fn next(&mut self, random: &mut Pcg64) -> f64 {
        let time = self.next;
        self.left -= 1;
        if self.left == 0 {
            self.left = self.arrivals.at_once();
            self.next += self.gap(random);
        }
        time
    }

    /// The time from one burst to the next.
    fn gap(&self, random: &mut Pcg64) -> f64 {
        match self.arrivals {
            Arrivals::Poisson => -f64::ln(1.0 - random.random_range(0.0..1.0)) * self.apart,
            other => self.apart * f64::from(other.at_once()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;

    use super::*;

    fn times(arrivals: Arrivals, apart: f64, seed: u64, count: usize) -> Vec<f64> {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut times = Times::new(arrivals, apart, &mut random);
        (0..count).map(|_| times.next(&mut random)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// Mean and standard deviation of the times between messages are both `apart`, and the number of messages in a time
        /// is as variable as its mean is large.
        #[test]
        fn a_poisson_process_has_its_mean_and_variance(seed: u64, apart in 1.0..1e9_f64) {
            const COUNT: usize = 40_000;
            let times = times(Arrivals::Poisson, apart, seed, COUNT);
            let gaps: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]) / apart).collect();
            let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
            let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
            // Five standard errors: 1/sqrt(n) of the mean, sqrt(8/n) of the variance.
            prop_assert!((mean - 1.0).abs() < 0.025 && (variance - 1.0).abs() < 0.071, "{} {}", mean, variance);
            let mut counts = vec![0_f64; COUNT / 16];
            for time in times {
                if let Some(count) = counts.get_mut((time / apart / 16.0) as usize) {
                    *count += 1.0;
                }
            }
            let whole = (COUNT as f64 * 0.9 / 16.0) as usize;
            let counts = &counts[..whole];
            let mean = counts.iter().sum::<f64>() / whole as f64;
            let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / whole as f64;
            prop_assert!((mean / 16.0 - 1.0).abs() < 0.027, "{}", mean);
            prop_assert!((variance / 16.0 - 1.0).abs() < 0.16, "{}", variance);
        }

        #[test]
        fn equal_times_are_equal(seed: u64, apart in 1.0..1e9_f64, burst in 1..20_u32) {
            for arrivals in [Arrivals::Periodic, Arrivals::Bursts(burst)] {
                let times = times(arrivals, apart, seed, 200);
                let at_once = arrivals.at_once() as usize;
                let period = apart * at_once as f64;
                prop_assert!(times[0] >= 0.0 && times[0] < period);
                for (index, time) in times.iter().enumerate() {
                    let due = times[0] + (index / at_once) as f64 * period;
                    prop_assert!((time - due).abs() < 1e-9 * due, "{} {}", time, due);
                }
            }
        }
    }

    #[test]
    fn a_seed_is_a_stream() {
        let of = |seed| times(Arrivals::Poisson, 1.0, seed, 8);
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }

    #[test]
    fn processes_read_what_they_print() {
        for arrivals in [Arrivals::Poisson, Arrivals::Periodic, Arrivals::Bursts(8), Arrivals::Closed] {
            assert_eq!(arrivals.to_string().parse(), Ok(arrivals));
        }
        for text in ["bursts:0", "bursts:", "bursts", "Poisson", ""] {
            assert!(
                text.parse::<Arrivals>().unwrap_err().starts_with(&format!("`{text}`: expected one of "))
            );
        }
    }
}
