//! Numbers as people read them: few digits, a unit. This module must never know what they measure.

use std::time::Duration;

use units::Time;

/// A time of so many nanoseconds with four significant digits and a unit.
pub fn time(nanoseconds: f64) -> String {
    let time = Time::from_femtoseconds((nanoseconds * 1e6).round() as u64);
    if time == Time::ZERO {
        return "0 s".to_owned();
    }
    let text = format!("{time:.3}");
    match text.split_once(' ') {
        Some((number, unit)) => format!("{} {unit}", number.get(..5).unwrap_or(number).trim_end_matches('.')),
        None => text,
    }
}

/// A number of nanoseconds with three significant digits and a unit, as pictures have it.
#[cfg(feature = "command")]
pub(crate) fn brief(nanoseconds: f64) -> String {
    let (value, unit) = in_unit(nanoseconds * 1e-9, 0.9995);
    format!("{} {unit}", without_zeros(&digits(value, 3)))
}

/// A number with three significant digits; a number of 1000 or more with all digits before the point.
#[cfg(feature = "command")]
pub(crate) fn three_digits(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return number(value);
    }
    let digits = value.abs().log10().floor() as i32 + 1;
    let factor = 10_f64.powi((3 - digits).max(0));
    number((value * factor).round() / factor)
}

/// A ratio with three digits or more.
#[cfg(feature = "command")]
pub(crate) fn times(ratio: f64) -> String {
    digits(ratio, 3)
}

/// The largest unit of time in which so many seconds, rounded up by `slack`, are at least 1; and the number of them.
fn in_unit(seconds: f64, slack: f64) -> (f64, &'static str) {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")];
    let fits = units.iter().find(|(unit, _)| seconds.abs() >= *unit * slack);
    let (unit, name) = fits.copied().unwrap_or((1e-9, "ns"));
    (seconds / unit, name)
}

/// A number of 1 or more with this number of significant digits, or with all before the point if those are more.
fn digits(value: f64, significant: i32) -> String {
    // Rounding must not make one digit more.
    let fits =
        |decimals: &i32| value.abs() < 10_f64.powi(significant - decimals) - 0.5 * 10_f64.powi(-decimals);
    let decimals = (0..significant).rev().find(fits).unwrap_or(0) as usize;
    format!("{value:.decimals$}")
}

/// A number of seconds with two significant digits and a unit.
pub fn seconds(seconds: f64) -> String {
    let (value, unit) = in_unit(seconds, 0.9995);
    format!("{} {unit}", digits(value, 2))
}

/// A number of seconds with four significant digits and a unit, without zeros behind the last digit.
pub fn duration(seconds: f64) -> String {
    let (value, unit) = in_unit(seconds, 0.99995);
    format!("{} {unit}", without_zeros(&digits(value, 4)))
}

/// A time that a person waits, in whole seconds, then minutes, then hours: an estimate has no more digits.
pub fn roughly(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        few if few < 99.5 => format!("{few:.0} s"),
        some if some < 99.5 * 60.0 => format!("{:.0} min", some / 60.0),
        many => format!("{:.0} h", many / 3600.0),
    }
}

/// A number of bytes and a unit.
pub fn bytes(count: u64) -> String {
    match count {
        0..10_000 => format!("{count} B"),
        10_000..10_000_000 => format!("{:.1} kB", count as f64 / 1e3),
        _ => format!("{:.1} MB", count as f64 / 1e6),
    }
}

/// A count in at most six characters.
pub fn count(count: u64) -> String {
    let scaled = |unit: f64| count as f64 / unit;
    match count {
        0..100_000 => count.to_string(),
        100_000..1_000_000 => format!("{:.0}k", scaled(1e3)),
        1_000_000..100_000_000 => format!("{:.2}M", scaled(1e6)),
        100_000_000..1_000_000_000 => format!("{:.0}M", scaled(1e6)),
        1_000_000_000..100_000_000_000 => format!("{:.2}G", scaled(1e9)),
        _ => format!("{:.0}G", scaled(1e9)),
    }
}

/// A share as a percentage. A share that is neither nothing nor everything does not look like nothing.
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        little if little > 0.0 && little < 0.5 => "<1 %".to_owned(),
        percent => format!("{percent:.0} %"),
    }
}

/// A share in percent with its sign, if it has one that is seen.
pub fn signed(share: f64) -> String {
    match format!("{:+.0}", share * 100.0).as_str() {
        "+0" | "-0" => "0 %".to_owned(),
        percent => format!("{percent} %"),
    }
}

/// A number with five significant digits, a whole one with all of its digits; a power of ten where it is tiny or huge.
pub fn number(value: f64) -> String {
    if value != 0.0 && !(1e-5..1e15).contains(&value.abs()) {
        return format!("{value:.3e}");
    }
    let digits = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 + 1 };
    let decimals = (5 - digits).clamp(0, 9) as usize;
    without_zeros(&format!("{value:.decimals$}")).to_owned()
}

fn without_zeros(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

/// Names as people list them: `a, b and c`.
pub fn list(names: &[String]) -> String {
    listed(names, "and")
}

/// Names as people list them, with this word before the last.
pub(crate) fn listed(names: &[String], between: &str) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} {between} {last}", first.join(", ")),
        names => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_have_their_unit() {
        assert_eq!(time(3_035_250.0), "3.035 ms");
        assert_eq!(time(0.0), "0 s");
        assert_eq!(
            [0.001_23, 0.000_045_6, 2.5e-9, 0.0].map(seconds),
            ["1.2 ms", "46 us", "2.5 ns", "0.0 ns"]
        );
        assert_eq!(
            [1.5, 0.999_999e-3, 152.5e-9, 40e-9, 1_500e-9, 7.5e-9].map(duration),
            ["1.5 s", "1 ms", "152.5 ns", "40 ns", "1.5 us", "7.5 ns"]
        );
        assert_eq!([0.0, 22.418, 16_824.0, 2.5e9].map(brief), ["0 ns", "22.4 ns", "16.8 us", "2.5 s"]);
        assert_eq!([0.012_345, 9.2317, 43_284.4].map(three_digits), ["0.0123", "9.23", "43284"]);
        assert_eq!([9_999, 10_000, 12_345_678].map(bytes), ["9999 B", "10.0 kB", "12.3 MB"]);
        assert_eq!([0.0, 0.001, 0.84, 1.0].map(percent), ["0 %", "<1 %", "84 %", "100 %"]);
        assert_eq!([-0.004, 0.0, 0.006, -0.25].map(signed), ["0 %", "0 %", "+1 %", "-25 %"]);
        let waits = [0.6, 60.0, 99.6, 600.0, 7200.0].map(Duration::from_secs_f64);
        assert_eq!(waits.map(roughly), ["1 s", "60 s", "2 min", "10 min", "2 h"]);
    }

    #[test]
    fn a_number_has_the_digits_that_matter() {
        let numbers = [(14.0, "14"), (1.2123893805, "1.2124"), (0.1464466, "0.14645"), (4328.4, "4328.4")];
        let others =
            [(123_456.7, "123457"), (0.0, "0"), (-2.5, "-2.5"), (1e-9, "1.000e-9"), (6.02e23, "6.020e23")];
        for (value, text) in numbers.into_iter().chain(others) {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn counts_take_six_characters_at_most() {
        assert_eq!([99_999, 123_456, 1_234_567, 123_456_789].map(count), ["99999", "123k", "1.23M", "123M"]);
        for power in 0..14 {
            assert!(count(9 * 10_u64.pow(power)).len() <= 6);
        }
    }
}
