//! Values of an input, as a person types them: the ends of a range, or a list. This module must never know the input.
//!
//! ```
//! use tradewind_units::Values;
//!
//! assert_eq!("10..100".parse(), Ok(Values::Range("10".to_owned(), "100".to_owned())));
//! assert_eq!("row,column".parse(), Ok(Values::Listed(vec!["row".to_owned(), "column".to_owned()])));
//! assert_eq!("10..".parse::<Values>().unwrap_err(), "`10..` has one end: expected two, such as 10..100");
//! ```

use std::str::FromStr;

/// Text between the ends of a range.
const TO: &str = "..";

/// Two values of an input or more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Values {
    /// All numbers between two ends, the lower first.
    Range(String, String),
    /// Each of a list of two values or more, of which no two are the same text.
    Listed(Vec<String>),
}

impl FromStr for Values {
    type Err = String;

    /// Reads `LOW..HIGH` or `A,B`.
    fn from_str(text: &str) -> Result<Self, String> {
        let all: Vec<_> = text.split(',').map(str::trim).collect();
        if let ([range], Some((low, high))) = (&all[..], text.split_once(TO)) {
            return Self::range(range, low.trim(), high.trim());
        }
        if let Some((_, twice)) = all.iter().enumerate().find(|(index, value)| all[..*index].contains(value))
        {
            return Err(format!("the value `{twice}` stands there twice: expected each value once"));
        }
        if let Some(range) = all.iter().find(|value| value.contains(TO)) {
            return Err(format!(
                "`{range}` is a range in a list: expected LOW{TO}HIGH alone, or values with commas between them"
            ));
        }
        if all.len() < 2 || all.contains(&"") {
            return Err(format!("expected two values or more, as LOW{TO}HIGH or A,B"));
        }
        Ok(Self::Listed(all.into_iter().map(str::to_owned).collect()))
    }
}

impl Values {
    fn range(text: &str, low: &str, high: &str) -> Result<Self, String> {
        if low.is_empty() || high.is_empty() {
            return Err(format!("`{text}` has one end: expected two, such as 10{TO}100"));
        }
        match number(low).zip(number(high)) {
            Some((least, greatest)) if least < greatest => Ok(Self::Range(low.to_owned(), high.to_owned())),
            _ => Err(format!(
                "`{text}` is no range: expected two numbers, the lower first, or values with commas between them"
            )),
        }
    }

    /// Two values of the list that are the same number, such as 10 and 10.0.
    pub fn same_number(&self) -> Option<[&str; 2]> {
        let Self::Listed(values) = self else { return None };
        let earlier = |(at, value): (usize, &String)| {
            let number_here = Some(number(value)?);
            let same = values[..at].iter().find(|other| number(other) == number_here);
            same.map(|other| (other, at))
        };
        let (one, at) = values.iter().enumerate().find_map(earlier)?;
        Some([one, &values[at]])
    }
}

/// A finite number.
pub fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_without_an_end_a_second_value_or_an_order_are_refused() {
        for (text, says) in [
            ("10..", "`10..` has one end"),
            ("..10", "`..10` has one end"),
            ("100..10", "`100..10` is no range: expected two numbers, the lower first"),
            ("10..10.0", "`10..10.0` is no range"),
            ("0..inf", "`0..inf` is no range"),
            ("row..column", "`row..column` is no range"),
            ("10", "expected two values or more, as LOW..HIGH or A,B"),
            ("10,", "expected two values or more"),
            ("10, 10", "the value `10` stands there twice"),
            ("10..100,order", "`10..100` is a range in a list"),
        ] {
            let error = text.parse::<Values>().unwrap_err();
            assert!(error.starts_with(says), "{text}: {error}");
        }
    }

    #[test]
    fn numbers_are_compared_by_their_value() {
        let same = |text: &str| {
            let values: Values = text.parse().unwrap();
            values.same_number().map(|same| same.map(str::to_owned))
        };
        assert_eq!(same("5,10,10.0"), Some(["10", "10.0"].map(str::to_owned)));
        assert_eq!(same("10,010"), Some(["10", "010"].map(str::to_owned)));
        assert_eq!((same("10,100"), same("row,column"), same("10..100")), (None, None, None));
    }
}
