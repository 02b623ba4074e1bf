//! Loads and rates as a person states them. This module must never know which node sends to which.

use std::fmt;
use std::str::FromStr;

/// The most loads of one curve.
const MOST: usize = 64;

/// An example that every refusal of a load ends with.
const EXAMPLE: &str =
    "expected a share of the capacity such as 0.5, or a rate with a unit such as 20MB/s or 50k/s";

/// The units of rates: the name, whether bytes are counted, and the number of bytes or messages in a second.
const UNITS: [(&str, bool, f64); 8] = [
    ("GB/s", true, 1e9),
    ("MB/s", true, 1e6),
    ("kB/s", true, 1e3),
    ("B/s", true, 1.0),
    ("G/s", false, 1e9),
    ("M/s", false, 1e6),
    ("k/s", false, 1e3),
    ("/s", false, 1.0),
];

/// A rate of one sending node.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Rate {
    /// Rate in bytes per second.
    Bytes(f64),
    /// Rate in messages per second.
    Messages(f64),
}

impl Rate {
    /// The rate in messages of `size` bytes per second; `None` for bytes of messages that have none.
    pub(super) fn messages(self, size: u64) -> Option<f64> {
        match self {
            Self::Messages(rate) => Some(rate),
            Self::Bytes(_) if size == 0 => None,
            Self::Bytes(rate) => Some(rate / size as f64),
        }
    }
}

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (number, unit) = split(text);
        of_unit(number, unit, text)
    }
}

/// A load of one sending node.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Load {
    /// A share of the capacity, above 0 and at most 1.
    Share(f64),
    /// Load as a rate of a sender.
    Rate(Rate),
}

/// The loads of a curve, as they were stated and as they are.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Loads {
    text: String,
    pub(super) all: Vec<Load>,
}

impl FromStr for Loads {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        // A unit behind the last load is that of all loads that have none.
        let (_, shared) = split(parts.last().expect("a text has a part").rsplit("..").next().unwrap_or(""));
        let mut all = Vec::new();
        for part in parts {
            numbers(part, shared, &mut all)?;
        }
        Ok(Self { text: text.to_owned(), all })
    }
}

impl fmt::Display for Loads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// Adds the loads of one part of a list: a load, or `from..to..step`.
fn numbers(part: &str, shared: &str, all: &mut Vec<Load>) -> Result<(), String> {
    let ends: Vec<&str> = part.split("..").map(str::trim).collect();
    match ends[..] {
        [one] => all.push(load(one, shared)?),
        [from, to, step] => {
            let [from, to, step] =
                [from, to, step].map(|text| split(text).0.parse::<f64>().unwrap_or(f64::NAN));
            if !(from > 0.0 && to >= from && step > 0.0) {
                return Err(format!("`{part}`: expected from..to..step such as 0.1..0.9..0.2"));
            }
            let count = ((to - from) / step + 1e-9).floor();
            if count >= MOST as f64 {
                return Err(format!("`{part}`: more than {MOST} loads: expected a larger step"));
            }
            for index in 0..=count as u32 {
                // Nine decimals: 0.1 and twice 0.2 are 0.5.
                let number = format!("{:.9}", from + f64::from(index) * step);
                let number = number.trim_end_matches('0').trim_end_matches('.');
                all.push(load(number, shared)?);
            }
        }
        _ => return Err(format!("`{part}`: expected from..to..step such as 0.1..0.9..0.2")),
    }
    if all.len() > MOST { Err(format!("more than {MOST} loads: expected fewer")) } else { Ok(()) }
}

fn load(text: &str, shared: &str) -> Result<Load, String> {
    let (number, unit) = match split(text) {
        (number, "") => (number, shared),
        both => both,
    };
    let share = match unit {
        "" => plain(number),
        "%" => plain(number).map(|percent| percent / 100.0),
        _ => return of_unit(number, unit, text).map(Load::Rate),
    };
    match share {
        Some(share) if share > 0.0 && share <= 1.0 => Ok(Load::Share(share)),
        Some(share) if share > 1.0 => {
            Err(format!("`{text}` is more than the capacity, and a rate needs a unit: {EXAMPLE}"))
        }
        Some(_) => Err(format!("`{text}` is no load: {EXAMPLE}")),
        None => Err(format!("`{text}`: {EXAMPLE}")),
    }
}

/// The number and the unit of a text.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

/// A number of digits with at most one point among them: no sign, no exponent, no infinity.
fn plain(number: &str) -> Option<f64> {
    number.parse().ok().filter(|number: &f64| number.is_finite())
}

fn of_unit(number: &str, unit: &str, text: &str) -> Result<Rate, String> {
    let refuse = || format!("`{text}`: expected a rate with a unit such as 20MB/s or 50k/s");
    let &(_, bytes, scale) = UNITS.iter().find(|(name, ..)| *name == unit).ok_or_else(refuse)?;
    let rate = plain(number).filter(|number| *number > 0.0).ok_or_else(refuse)? * scale;
    Ok(if bytes { Rate::Bytes(rate) } else { Rate::Messages(rate) })
}

/// The capacity of a sending node: the rate of a load of 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Capacity {
    /// The rate at which the program itself finds that messages arrive when all senders send as fast as they can.
    Measured,
    /// Capacity stated as a rate of a sender.
    Given(Rate),
}

impl FromStr for Capacity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "measured" {
            return Ok(Self::Measured);
        }
        text.parse().map(Self::Given).map_err(|why| format!("{why}, or measured"))
    }
}

impl fmt::Display for Capacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Measured => f.pad("measured"),
            Self::Given(Rate::Bytes(rate)) => write!(f, "{} MB/s", rate / 1e6),
            Self::Given(Rate::Messages(rate)) => write!(f, "{} k/s", rate / 1e3),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn loads(text: &str) -> Result<Vec<Load>, String> {
        text.parse().map(|loads: Loads| loads.all)
    }

    fn shares<const N: usize>(shares: [f64; N]) -> Result<Vec<Load>, String> {
        Ok(shares.map(Load::Share).to_vec())
    }

    #[test]
    fn shares_and_rates_are_lists_and_ranges() {
        assert_eq!(loads("0.1,0.25, 1"), shares([0.1, 0.25, 1.0]));
        assert_eq!(loads("10%,50 %"), shares([0.1, 0.5]));
        assert_eq!(loads("0.1..0.5..0.2,0.9"), shares([0.1, 0.3, 0.5, 0.9]));
        let rate = |rate| Load::Rate(Rate::Bytes(rate));
        assert_eq!(loads("10,20 MB/s"), Ok(vec![rate(1e7), rate(2e7)]));
        assert_eq!(loads("10..30..10kB/s"), Ok(vec![rate(1e4), rate(2e4), rate(3e4)]));
        assert_eq!(loads("0.5M/s"), Ok(vec![Load::Rate(Rate::Messages(5e5))]));
    }

    #[test]
    fn a_load_above_one_and_a_rate_in_no_unit_are_refused_with_an_example() {
        for text in ["1.5", "20", "0.1,2", "0.5..1.5..0.5", "150%"] {
            let error = loads(text).unwrap_err();
            assert!(error.contains("more than the capacity") && error.ends_with(EXAMPLE), "{error}");
        }
        for text in [
            "",
            "0",
            "-1",
            "0.5,",
            "nan",
            "inf",
            "1e3",
            "20 MB",
            "20 mb/s",
            "0.1..0.9",
            "0.9..0.1..0.1",
            "0.1..0.9..0",
            "0.001..1..0.001",
            "..",
            "0 MB/s",
            "1.2.3",
            ".",
        ] {
            let error = loads(text).unwrap_err();
            assert!(
                error.contains("expected") && error.contains("such as") || error.contains("larger"),
                "{error}"
            );
        }
        assert_eq!(
            "20".parse::<Capacity>().unwrap_err(),
            "`20`: expected a rate with a unit such as 20MB/s or 50k/s, or measured"
        );
    }

    #[test]
    fn messages_without_bytes_have_no_rate_in_bytes() {
        assert_eq!(Rate::Bytes(2400.0).messages(24), Some(100.0));
        assert_eq!(Rate::Bytes(2400.0).messages(0), None);
        assert_eq!(Rate::Messages(5.0).messages(0), Some(5.0));
    }

    proptest! {
        /// For any input text, an accepted load is above zero, and a share at most 1.
        #[test]
        fn nothing_else_is_a_load(text in "[0-9.,%a-zA-Z/ -]{0,12}") {
            for load in loads(&text).unwrap_or_default() {
                let accepted = match load {
                    Load::Share(share) => share > 0.0 && share <= 1.0,
                    Load::Rate(Rate::Bytes(rate) | Rate::Messages(rate)) => rate > 0.0 && rate.is_finite(),
                };
                prop_assert!(accepted, "{:?}", load);
            }
        }
    }
}
