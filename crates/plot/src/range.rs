//! The place of a value between two ends, and the round values between them. This module must never know how an axis
//! is drawn.

use super::data::Scale;

/// The values from one to another, spread by a scale.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Range {
    pub(super) scale: Scale,
    /// The least value; above 0 on a logarithmic scale.
    pub(super) from: f64,
    /// The greatest value; above `from`.
    pub(super) to: f64,
}

/// A value that is written beside an axis.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Tick {
    pub(super) value: f64,
    pub(super) text: String,
}

/// The share of a value by which two values differ at least that are not drawn at one place.
const LEAST_DIFFERENCE: f64 = 1e-6;

impl Range {
    /// The range from the least to the greatest value of some data. Data of one value only get room on both sides.
    pub(super) fn of(scale: Scale, low: f64, high: f64) -> Self {
        let (from, to) = match scale {
            Scale::Log if high <= low * (1.0 + LEAST_DIFFERENCE) => (low / 2.0, high * 2.0),
            Scale::Linear if high - low <= LEAST_DIFFERENCE * low.abs().max(high.abs()) => {
                let room = if low == 0.0 { 0.5 } else { low.abs() / 2.0 };
                (low - room, high + room)
            }
            _ => (low, high),
        };
        Self { scale, from, to }
    }

    /// The range with room at its ends, as shares of its length.
    pub(super) fn padded(self, before: f64, behind: f64) -> Self {
        let at = |place: f64| match self.scale {
            Scale::Linear => self.from + (self.to - self.from) * place,
            Scale::Log => self.from * (self.to / self.from).powf(place),
        };
        Self { from: at(-before), to: at(1.0 + behind), ..self }
    }

    /// The place of a value: 0 at the beginning, 1 at the end, and outside of that for a value outside.
    pub(super) fn place(self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.from) / (self.to - self.from),
            Scale::Log => (value / self.from).ln() / (self.to / self.from).ln(),
        }
    }

    /// Returns true if a value is neither before the beginning nor behind the end.
    pub(super) fn holds(self, value: f64) -> bool {
        (-1e-9..=1.0 + 1e-9).contains(&self.place(value))
    }

    /// Round values, at most about as many as `most`, with their texts. On a logarithmic scale these are powers of ten, powers
    /// of two where the data are, or else 1, 2 and 5 times powers of ten.
    pub(super) fn ticks(self, most: usize, binary: bool) -> Vec<Tick> {
        let most = most.max(2);
        match self.scale {
            Scale::Linear => self.even(most),
            Scale::Log if binary => {
                let text = if self.to < LETTERED_POWER { plain_text } else { binary_text };
                self.powers(2.0, most, text)
            }
            Scale::Log => {
                let decades = self.powers(10.0, most, round_text);
                if decades.len() > 2 {
                    return decades;
                }
                let fine = self.one_two_five();
                match (fine.len(), decades.len()) {
                    (2.., _) if fine.len() <= most => fine,
                    (_, 2..) => decades,
                    _ => self.even(most),
                }
            }
        }
    }

    /// Equally distant values.
    fn even(self, most: usize) -> Vec<Tick> {
        let step = step((self.to - self.from) / most as f64);
        let first = (self.from / step - 1e-9).ceil() as i64;
        let last = (self.to / step + 1e-9).floor() as i64;
        let values = (first..=last).map(|count| count as f64 * step);
        let texts = Texts::for_steps(step, self.from.abs().max(self.to.abs()));
        values.map(|value| Tick { value, text: texts.of(value) }).collect()
    }

    /// Powers of a base, some of them left out where there are too many.
    fn powers(self, base: f64, most: usize, text: fn(f64) -> String) -> Vec<Tick> {
        let exponent = |value: f64| value.ln() / base.ln();
        let first = (exponent(self.from) - 1e-9).ceil() as i32;
        let last = (exponent(self.to) + 1e-9).floor() as i32;
        let all = usize::try_from(last - first + 1).unwrap_or(0);
        let every = i32::try_from(all.div_ceil(most)).unwrap_or(i32::MAX).max(1);
        let kept = (first..=last).filter(|exponent| (exponent - first) % every == 0);
        kept.map(|exponent| base.powi(exponent)).map(|value| Tick { value, text: text(value) }).collect()
    }

    fn one_two_five(self) -> Vec<Tick> {
        let decades = (self.from.log10().floor() as i32)..=(self.to.log10().ceil() as i32);
        let values = decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|factor| factor * 10_f64.powi(decade)));
        let inside = values.filter(|value| self.holds(*value));
        inside.map(|value| Tick { value, text: round_text(value) }).collect()
    }
}

/// The least of 1, 2 and 5 times powers of ten that is not less.
fn step(least: f64) -> f64 {
    let decade = 10_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0].map(|factor| factor * decade);
    steps.into_iter().find(|step| *step >= least * (1.0 - 1e-9)).unwrap_or(10.0 * decade)
}

/// The factors of SI that a number gets a letter for.
const FACTORS: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];

/// From this value on numbers have a letter for their factor.
const LETTERED: f64 = 1e4;

/// The values that are written without a power of ten.
const PLAIN: std::ops::Range<f64> = 1e-4..1e15;

/// The form of the values of one axis: all have one factor and equally many decimals.
struct Texts {
    factor: f64,
    letter: &'static str,
    decimals: usize,
    is_plain: bool,
}

impl Texts {
    fn for_steps(step: f64, greatest: f64) -> Self {
        let fits =
            |(factor, _): &&(f64, &str)| greatest >= LETTERED && greatest >= *factor && step >= factor / 1e3;
        let (factor, letter) = FACTORS.iter().find(fits).copied().unwrap_or((1.0, ""));
        let decimals = (-(step / factor).log10() - 1e-9).ceil().clamp(0.0, 12.0) as usize;
        Self { factor, letter, decimals, is_plain: PLAIN.contains(&greatest) }
    }

    fn of(&self, value: f64) -> String {
        let decimals = self.decimals;
        match value {
            0.0 => "0".to_owned(),
            _ if !self.is_plain => short(value),
            _ => format!("{:.decimals$}{}", value / self.factor, self.letter),
        }
    }
}

/// A round number by itself, with a letter for its factor.
fn round_text(value: f64) -> String {
    if !PLAIN.contains(&value) {
        return short(value);
    }
    let (factor, letter) = match FACTORS.iter().find(|(factor, _)| value >= *factor * (1.0 - 1e-9)) {
        Some((factor, letter)) => (*factor, *letter),
        None => (1.0, ""),
    };
    let decimals = (-(value / factor).log10() - 1e-9).ceil().max(0.0) as usize;
    format!("{:.decimals$}{letter}", value / factor)
}

/// From this value at the end of the axis on, powers of two have letters for powers of 1024.
const LETTERED_POWER: f64 = 100_000.0;

fn plain_text(value: f64) -> String {
    if PLAIN.contains(&value) { value.to_string() } else { short(value) }
}

/// A power of two, with a letter for powers of 1024.
fn binary_text(value: f64) -> String {
    const LETTERS: [(f64, &str); 4] =
        [(1_099_511_627_776.0, "Ti"), (1_073_741_824.0, "Gi"), (1_048_576.0, "Mi"), (1024.0, "Ki")];
    match LETTERS.iter().find(|(factor, _)| value >= *factor) {
        Some((factor, letter)) if PLAIN.contains(&value) => format!("{}{letter}", value / factor),
        _ => plain_text(value),
    }
}

/// A tiny or huge number.
fn short(value: f64) -> String {
    let text = format!("{value:.3e}");
    match text.split_once('e') {
        Some((digits, power)) => format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.')),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(scale: Scale, from: f64, to: f64) -> Vec<String> {
        Range { scale, from, to }.ticks(6, false).into_iter().map(|tick| tick.text).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(texts(Scale::Linear, 0.0, 1.0), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(texts(Scale::Linear, 0.0, 10.0), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(texts(Scale::Linear, 0.0, 50_000.0), ["0", "10k", "20k", "30k", "40k", "50k"]);
        assert_eq!(texts(Scale::Linear, -1.0, 1.5), ["-1.0", "-0.5", "0", "0.5", "1.0", "1.5"]);
        assert_eq!(texts(Scale::Linear, 0.0, 2e-9), ["0", "5e-10", "1e-9", "1.5e-9", "2e-9"]);
        assert_eq!(texts(Scale::Log, 0.01, 100.0), ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(texts(Scale::Log, 30.0, 2e6), ["100", "1k", "10k", "100k", "1M"]);
        assert_eq!(texts(Scale::Log, 3.0, 60.0), ["5", "10", "20", "50"]);
        assert_eq!(texts(Scale::Log, 0.15, 40.0), ["1", "10"]);
        assert_eq!(texts(Scale::Log, 2.1, 2.6), ["2.1", "2.2", "2.3", "2.4", "2.5", "2.6"]);
    }

    #[test]
    fn powers_of_two_are_ticks_where_the_data_are() {
        let range = Range { scale: Scale::Log, from: 32.0, to: 8192.0 };
        let texts: Vec<_> = range.ticks(9, true).into_iter().map(|tick| tick.text).collect();
        assert_eq!(texts, ["32", "64", "128", "256", "512", "1024", "2048", "4096", "8192"]);
        assert_eq!(range.ticks(5, true).len(), 5);
        let wide = Range { to: 1_048_576.0, ..range }.ticks(4, true);
        assert_eq!(
            wide.iter().map(|tick| tick.text.as_str()).collect::<Vec<_>>(),
            ["32", "512", "8Ki", "128Ki"]
        );
    }

    #[test]
    fn places_follow_the_scale() {
        assert_eq!(Range { scale: Scale::Linear, from: 1.0, to: 3.0 }.place(2.5), 0.75);
        assert!((Range { scale: Scale::Log, from: 0.01, to: 100.0 }.place(1.0) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn equal_values_stand_in_the_middle() {
        for (scale, value) in
            [(Scale::Linear, 0.0), (Scale::Linear, -3.0), (Scale::Linear, 1e9), (Scale::Log, 7.0)]
        {
            let range = Range::of(scale, value, value);
            assert!((range.place(value) - 0.5).abs() < 1e-9, "{value}");
            assert!(range.ticks(6, false).len() > 1, "{range:?}");
        }
    }
}
