//! The values that an expression can take, from the ranges of its metrics: interval arithmetic, in which each name counts
//! as a number of its own. A range may be wider than the values, and is never narrower. This module must never know a
//! metric's meaning.

use super::{Expression, Function, Operator, Tree};

/// Facts about the metrics in an expression.
pub trait Lookup {
    /// The numbers that a metric can be.
    fn range(&self, name: &str) -> NumberRange;

    /// The expression of a derived metric; `None` of others. No metric follows from itself.
    fn derived(&self, name: &str) -> Option<&Expression>;
}

/// The numbers from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberRange {
    /// The least number.
    pub low: f64,
    /// The greatest number.
    pub high: f64,
    /// Whether every number is above `low`.
    pub is_above: bool,
}

impl NumberRange {
    /// Every number.
    pub const ALL: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY, is_above: false };
    /// Numbers above 0, such as a time.
    pub const POSITIVE: Self = Self { low: 0.0, high: f64::INFINITY, is_above: true };
    /// Numbers from 0, such as a count.
    pub const COUNT: Self = Self { low: 0.0, high: f64::INFINITY, is_above: false };
    /// Shares of a whole.
    pub const SHARE: Self = Self { low: 0.0, high: 1.0, is_above: false };

    /// A number alone.
    pub const fn point(number: f64) -> Self {
        Self { low: number, high: number, is_above: false }
    }

    /// The numbers that are in both ranges. Ranges without a common number are taken for the second.
    #[must_use]
    pub fn within(self, other: Self) -> Self {
        let low = self.low.max(other.low);
        let is_above = self.is_above && self.low == low || other.is_above && other.low == low;
        let both = Self { low, high: self.high.min(other.high), is_above };
        if both.low <= both.high { both } else { other }
    }

    /// The range times a number.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        self.product(Self::point(factor))
    }

    fn negative(self) -> Self {
        Self { low: -self.high, high: -self.low, is_above: false }
    }

    pub(super) fn sum(self, other: Self) -> Self {
        Self {
            low: self.low + other.low,
            high: self.high + other.high,
            is_above: self.is_above || other.is_above,
        }
    }

    pub(super) fn product(self, other: Self) -> Self {
        if self.low >= 0.0 && other.low >= 0.0 {
            let is_positive = |range: Self| range.low > 0.0 || range.is_above;
            let is_above = self.is_above && is_positive(other) || other.is_above && is_positive(self);
            let high = if self.high == 0.0 || other.high == 0.0 { 0.0 } else { self.high * other.high };
            return Self { low: self.low * other.low, high, is_above };
        }
        let ends =
            [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        match ends.iter().any(|end| end.is_nan()) {
            true => Self::ALL,
            false => Self {
                low: ends.into_iter().fold(f64::INFINITY, f64::min),
                high: ends.into_iter().fold(f64::NEG_INFINITY, f64::max),
                is_above: false,
            },
        }
    }

    /// The numbers that one over a number of the range can be: over 0 there is none.
    fn inverse(self) -> Self {
        match self.low >= 0.0 && self.high > 0.0 {
            // Over -0.0 would be below every number.
            true => {
                let high = 1.0 / self.low.abs();
                Self { low: 1.0 / self.high, high, is_above: self.high == f64::INFINITY }
            }
            false => Self::ALL,
        }
    }

    fn size(self) -> Self {
        let high = self.low.abs().max(self.high.abs());
        if self.low >= 0.0 { self } else { Self { low: 0.0, high, is_above: false } }
    }

    pub(super) fn is_below(self, other: Self) -> bool {
        self.high < other.low || self.high == other.low && other.is_above
    }
}

impl Expression {
    /// The numbers that the expression can be; every number for a flag.
    pub fn range(&self, look: &dyn Lookup) -> NumberRange {
        self.node.range(look)
    }
}

impl Tree {
    pub(super) fn range(&self, look: &dyn Lookup) -> NumberRange {
        match self {
            Self::Number(number) => NumberRange::point(*number),
            Self::Name(name) => look.range(name),
            Self::Negative(one) => one.range(look).negative(),
            Self::Arithmetic(operator, one, other) => {
                let (one, other) = (one.range(look), other.range(look));
                match operator {
                    Operator::Plus => one.sum(other),
                    Operator::Minus => one.sum(other.negative()),
                    Operator::Times => one.product(other),
                    Operator::Over => one.product(other.inverse()),
                }
            }
            Self::Call(Function::Count, nodes) => {
                NumberRange { low: 0.0, high: nodes.len() as f64, is_above: false }
            }
            Self::Call(function, nodes) => {
                let ranges: Vec<_> = nodes.iter().map(|node| node.range(look)).collect();
                function.range(&ranges)
            }
            Self::Not(_) | Self::And(..) | Self::Or(..) | Self::Chain(..) => NumberRange::ALL,
        }
    }
}

impl Function {
    fn range(self, ranges: &[NumberRange]) -> NumberRange {
        let [first, ..] = *ranges else { return NumberRange::ALL };
        let lowest = |one: NumberRange, other: NumberRange| {
            let (low, high) = (one.low.min(other.low), one.high.min(other.high));
            let is_above = (one.low > low || one.is_above) && (other.low > low || other.is_above);
            NumberRange { low, high, is_above }
        };
        let highest = |one: NumberRange, other: NumberRange| {
            let (low, high) = (one.low.max(other.low), one.high.max(other.high));
            let is_above = one.low == low && one.is_above || other.low == low && other.is_above;
            NumberRange { low, high, is_above }
        };
        match self {
            Self::Min => ranges.iter().copied().reduce(lowest).unwrap_or(first),
            Self::Max => ranges.iter().copied().reduce(highest).unwrap_or(first),
            Self::Abs => first.size(),
            Self::Round => NumberRange { low: first.low.round(), high: first.high.round(), is_above: false },
            Self::Sqrt => NumberRange {
                low: first.low.max(0.0).sqrt(),
                high: first.high.max(0.0).sqrt(),
                is_above: false,
            },
            Self::Near | Self::Count => NumberRange::ALL,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::expression::Value;

    /// Derived metrics over metrics of every kind of range.
    pub(in crate::expression) struct Known(Vec<(&'static str, Expression)>);

    pub(in crate::expression) const NAMES: [&str; 6] = ["time", "other", "count", "share", "known", "any"];

    impl Known {
        pub(in crate::expression) fn new() -> Self {
            let derived = [("half", "time / 2"), ("least", "min(time, other)"), ("rate", "count / time")];
            Self(derived.map(|(name, text)| (name, text.parse().unwrap())).to_vec())
        }

        /// The value of a metric where [`NAMES`] have these.
        pub(in crate::expression) fn value(&self, name: &str, values: &[f64]) -> Option<f64> {
            if let Some(place) = NAMES.iter().position(|known| *known == name) {
                return Some(values[place]);
            }
            match self.derived(name)?.evaluate(&|name| self.value(name, values))? {
                Value::Number(number) => Some(number),
                Value::Flag(_) => None,
            }
        }
    }

    impl Lookup for Known {
        fn range(&self, name: &str) -> NumberRange {
            match name {
                "time" | "other" => NumberRange::POSITIVE,
                "count" => NumberRange::COUNT,
                "share" => NumberRange::SHARE,
                "known" => NumberRange { low: 2.0, high: 8.0, is_above: false },
                _ => self.derived(name).map_or(NumberRange::ALL, |derived| derived.range(self)),
            }
        }

        fn derived(&self, name: &str) -> Option<&Expression> {
            self.0.iter().find(|(known, _)| *known == name).map(|(_, derived)| derived)
        }
    }

    /// The text of a number made of metrics and few numbers.
    pub(in crate::expression) fn number() -> impl Strategy<Value = String> {
        let name = (0..NAMES.len()).prop_map(|place| NAMES[place].to_owned());
        let derived = (0_usize..3).prop_map(|place| ["half", "least", "rate"][place].to_owned());
        let leaf =
            prop_oneof![4 => name, 1 => derived, 2 => (-2_i32..4).prop_map(|number| number.to_string())];
        leaf.prop_recursive(3, 12, 2, |inner| {
            let pair = (inner.clone(), inner.clone());
            prop_oneof![
                8 => (pair.clone(), 0_usize..4).prop_map(|((one, other), sign)| {
                    format!("({one} {} {other})", ["+", "-", "*", "/"][sign])
                }),
                2 => (pair, 0_usize..2).prop_map(|((one, other), which)| {
                    format!("{}({one}, {other})", ["min", "max"][which])
                }),
                1 => (inner, 0_usize..4).prop_map(|(one, which)| {
                    format!("{}({one})", ["abs", "round", "sqrt", "-"][which])
                }),
            ]
        })
    }

    /// Values of [`NAMES`] at the ends of their ranges and within.
    pub(in crate::expression) fn values() -> impl Strategy<Value = Vec<f64>> {
        let times = prop::sample::select(vec![0.25, 1.0, 3.0, 64.0]);
        let counts = prop::sample::select(vec![0.0, 1.0, 2.0, 1000.0]);
        let shares = prop::sample::select(vec![0.0, 0.1, 0.5, 1.0]);
        let known = prop::sample::select(vec![2.0, 3.0, 8.0]);
        let any = prop::sample::select(vec![-1000.0, -1.0, 0.0, 0.5, 7.0]);
        (times.clone(), times, counts, shares, known, any)
            .prop_map(|(a, b, c, d, e, f)| vec![a, b, c, d, e, f])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]

        /// Ranges contain each value of an expression, but for rounding.
        #[test]
        fn a_range_contains_every_value(text in number(), values in values()) {
            let (expression, known): (Expression, _) = (text.parse().unwrap(), Known::new());
            let range = expression.range(&known);
            if let Some(Value::Number(number)) = expression.evaluate(&|name| known.value(name, &values)) {
                let most = values.iter().fold(number.abs(), |most, it| most.max(it.abs()));
                let is_in = range.low - 1e-9 * most <= number && number <= range.high + 1e-9 * most;
                prop_assert!(is_in && !(range.is_above && number == range.low), "{text}: {number} in {range:?}");
            }
        }
    }
}
