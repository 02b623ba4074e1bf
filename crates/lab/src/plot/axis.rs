//! An axis: where a value stands on it and which values are written beside it. Must never know how it is drawn.

/// An axis from one value to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What is measured along it, with its unit.
    pub label: String,
    /// How values are spread.
    pub scale: Scale,
    /// The least value; above 0 on a logarithmic scale.
    pub from: f64,
    /// The greatest value.
    pub to: f64,
}

/// How values are spread along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    /// Equal steps are equally long.
    Linear,
    /// Equal factors are equally long.
    Log,
}

/// About so many steps between ticks.
const STEPS: f64 = 6.0;

impl Axis {
    /// Where a value stands, from 0 at the beginning to 1 at the end; outside of that where it is outside.
    pub fn place(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.from) / (self.to - self.from),
            Scale::Log => (value / self.from).ln() / (self.to / self.from).ln(),
        }
    }

    /// Whether a value is on it.
    pub fn holds(&self, value: f64) -> bool {
        (self.from..=self.to).contains(&value)
    }

    /// The values to write beside it, with their texts.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        match self.scale {
            Scale::Linear => {
                let step = step((self.to - self.from) / STEPS);
                let decimals = (-step.log10().floor()).max(0.0) as usize;
                let first = (self.from / step - 1e-9).ceil() as i64;
                let last = (self.to / step + 1e-9).floor() as i64;
                let tick = |count| count as f64 * step;
                (first..=last).map(|count| (tick(count), format!("{:.decimals$}", tick(count)))).collect()
            }
            Scale::Log => {
                let first = (self.from.log10() - 1e-9).ceil() as i32;
                let last = (self.to.log10() + 1e-9).floor() as i32;
                (first..=last)
                    .map(|exponent| 10_f64.powi(exponent))
                    .map(|tick| (tick, tick.to_string()))
                    .collect()
            }
        }
    }
}

/// The least of 1, 2, 5 times a power of ten that is at least so much.
fn step(least: f64) -> f64 {
    let decade = 10_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0].map(|factor| factor * decade);
    steps.into_iter().find(|step| *step >= least * (1.0 - 1e-9)).unwrap_or(10.0 * decade)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(scale: Scale, from: f64, to: f64) -> Axis {
        Axis { label: String::new(), scale, from, to }
    }

    fn texts(axis: &Axis) -> Vec<String> {
        axis.ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(texts(&axis(Scale::Linear, 0.0, 1.0)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(texts(&axis(Scale::Linear, 0.0, 10.0)), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(texts(&axis(Scale::Log, 0.01, 100.0)), ["0.01", "0.1", "1", "10", "100"]);
    }

    #[test]
    fn places_follow_the_scale() {
        assert_eq!(axis(Scale::Linear, 1.0, 3.0).place(2.5), 0.75);
        assert!((axis(Scale::Log, 0.01, 100.0).place(1.0) - 0.5).abs() < 1e-12);
    }
}
