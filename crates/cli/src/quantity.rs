//! Numbers as people read them: few digits, a unit. Must never know what they measure.

use units::Time;

/// Four significant digits and a unit.
pub(crate) fn time(time: Time) -> String {
    if time == Time::ZERO {
        return "0 s".to_owned();
    }
    let text = format!("{time:.3}");
    match text.split_once(' ') {
        Some((number, unit)) => format!("{} {unit}", number.get(..5).unwrap_or(number).trim_end_matches('.')),
        None => text,
    }
}

/// The same of a number of seconds, with two digits.
pub(crate) fn seconds(seconds: f64) -> String {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")];
    let fits = units.iter().find(|(unit, _)| seconds.abs() >= *unit * 0.9995);
    let (unit, name) = fits.copied().unwrap_or((1e-9, "ns"));
    let value = seconds / unit;
    let decimals = if value.abs() < 9.95 { 1 } else { 0 };
    format!("{value:.decimals$} {name}")
}

/// A number of seconds with four significant digits, and no zeros behind the last of them: what adds up to a whole.
pub(crate) fn duration(seconds: f64) -> String {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")];
    let fits = units.iter().find(|(unit, _)| seconds.abs() >= *unit * 0.99995);
    let (unit, name) = fits.copied().unwrap_or((1e-9, "ns"));
    let value = seconds / unit;
    let decimals = match value.abs() {
        few if few < 9.9995 => 3,
        tens if tens < 99.995 => 2,
        hundreds if hundreds < 999.95 => 1,
        _ => 0,
    };
    let text = format!("{value:.decimals$}");
    let digits = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{digits} {name}")
}

/// Bytes with a unit.
pub(crate) fn bytes(count: u64) -> String {
    match count {
        0..10_000 => format!("{count} B"),
        10_000..10_000_000 => format!("{:.1} kB", count as f64 / 1e3),
        _ => format!("{:.1} MB", count as f64 / 1e6),
    }
}

/// A count in at most six characters.
pub(crate) fn count(count: u64) -> String {
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

/// A share as a percentage. What is neither nothing nor everything does not look like it.
pub(crate) fn percent(share: f64) -> String {
    match share * 100.0 {
        little if little > 0.0 && little < 0.5 => "<1 %".to_owned(),
        percent => format!("{percent:.0} %"),
    }
}

/// A number with five digits, or all of a whole one; a power of ten where it is tiny or huge.
pub(crate) fn number(value: f64) -> String {
    if value != 0.0 && !(1e-5..1e15).contains(&value.abs()) {
        return format!("{value:.3e}");
    }
    let digits = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 + 1 };
    let decimals = (5 - digits).clamp(0, 9) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A number of things and their name, in the plural where there are several.
pub(crate) fn several(number: u32, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_have_their_unit() {
        assert_eq!(time(Time::from_nanoseconds(3_035_250)), "3.035 ms");
        assert_eq!(time(Time::ZERO), "0 s");
        assert_eq!(
            [0.001_23, 0.000_045_6, 2.5e-9, 0.0].map(seconds),
            ["1.2 ms", "46 us", "2.5 ns", "0.0 ns"]
        );
        assert_eq!(
            [1.5, 0.999_999e-3, 152.5e-9, 40e-9, 1_500e-9, 7.5e-9].map(duration),
            ["1.5 s", "1 ms", "152.5 ns", "40 ns", "1.5 us", "7.5 ns"]
        );
        assert_eq!([9_999, 10_000, 12_345_678].map(bytes), ["9999 B", "10.0 kB", "12.3 MB"]);
        assert_eq!([0.0, 0.001, 0.84, 1.0].map(percent), ["0 %", "<1 %", "84 %", "100 %"]);
        assert_eq!([several(1, "node", "nodes"), several(2, "node", "nodes")], ["1 node", "2 nodes"]);
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
