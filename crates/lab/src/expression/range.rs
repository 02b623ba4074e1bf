//! The values that an expression can take, from the ranges of its metrics: interval arithmetic, in which each name counts
//! as a number of its own. A range may be wider than the values, and is never narrower. This module must never know a
//! metric's meaning.

use super::{Comparison, Expression, Function, Node, Operator};

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

/// The results that a comparison can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It holds for all metrics in their ranges.
    Always,
    /// It fails for all metrics in their ranges.
    Never,
    /// It depends on the metrics, as far as ranges tell.
    Open,
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

    fn sum(self, other: Self) -> Self {
        Self {
            low: self.low + other.low,
            high: self.high + other.high,
            is_above: self.is_above || other.is_above,
        }
    }

    fn product(self, other: Self) -> Self {
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
        match self.low >= 0.0 {
            true => Self { low: 1.0 / self.high, high: 1.0 / self.low, is_above: self.high == f64::INFINITY },
            false => Self::ALL,
        }
    }

    fn size(self) -> Self {
        let high = self.low.abs().max(self.high.abs());
        if self.low >= 0.0 { self } else { Self { low: 0.0, high, is_above: false } }
    }

    fn is_below(self, other: Self) -> bool {
        self.high < other.low || self.high == other.low && other.is_above
    }
}

impl Outcome {
    fn of(always: bool, never: bool) -> Self {
        match (always, never) {
            (true, _) => Self::Always,
            (_, true) => Self::Never,
            _ => Self::Open,
        }
    }

    fn not(self) -> Self {
        match self {
            Self::Always => Self::Never,
            Self::Never => Self::Always,
            Self::Open => Self::Open,
        }
    }

    fn or(self, other: Self) -> Self {
        let either = |outcome| self == outcome || other == outcome;
        Self::of(either(Self::Always), self == Self::Never && other == Self::Never)
    }

    fn and(self, other: Self) -> Self {
        self.not().or(other.not()).not()
    }
}

impl Expression {
    /// The numbers that the expression can be; every number for a flag.
    pub fn range(&self, look: &dyn Fn(&str) -> NumberRange) -> NumberRange {
        self.node.range(look)
    }

    /// The outcomes of everything that must hold for the expression to hold, in the order of the text: the parts of a
    /// conjunction, and of them each comparison of two neighbours. Empty for a number.
    pub fn outcomes(&self, look: &dyn Fn(&str) -> NumberRange) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        self.node.outcomes(look, &mut outcomes);
        outcomes
    }
}

impl Node {
    fn range(&self, look: &dyn Fn(&str) -> NumberRange) -> NumberRange {
        match self {
            Self::Number(number) => NumberRange::point(*number),
            Self::Name(name) => look(name),
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

    fn outcomes(&self, look: &dyn Fn(&str) -> NumberRange, outcomes: &mut Vec<Outcome>) {
        match self {
            Self::And(one, other) => {
                one.outcomes(look, outcomes);
                other.outcomes(look, outcomes);
            }
            Self::Chain(first, rest) => {
                let mut left = first.range(look);
                for (comparison, node) in rest {
                    let right = node.range(look);
                    outcomes.push(comparison.outcome(left, right));
                    left = right;
                }
            }
            Self::Or(one, other) => outcomes.push(one.outcome(look).or(other.outcome(look))),
            Self::Not(one) => outcomes.push(one.outcome(look).not()),
            Self::Call(Function::Near, nodes) => {
                let is_point = |node: &Self| {
                    let range = node.range(look);
                    range.low == range.high
                };
                let holds = self.flag(&|name| Some(look(name).low)).unwrap_or(false);
                let is_fixed = nodes.iter().all(is_point);
                outcomes.push(Outcome::of(is_fixed && holds, is_fixed && !holds));
            }
            _ => {}
        }
    }

    /// The outcome of a whole flag.
    fn outcome(&self, look: &dyn Fn(&str) -> NumberRange) -> Outcome {
        let mut outcomes = Vec::new();
        self.outcomes(look, &mut outcomes);
        outcomes.into_iter().fold(Outcome::Always, Outcome::and)
    }
}

impl Comparison {
    fn outcome(self, left: NumberRange, right: NumberRange) -> Outcome {
        let is_same = left == right && left.low == left.high;
        let is_above = |one: NumberRange, other: NumberRange| other.is_below(one);
        let at_most = |one: NumberRange, other: NumberRange| one.high <= other.low;
        match self {
            Self::Less => Outcome::of(left.is_below(right), at_most(right, left)),
            Self::LessOrEqual => Outcome::of(at_most(left, right), is_above(left, right)),
            Self::Greater => Outcome::of(right.is_below(left), at_most(left, right)),
            Self::GreaterOrEqual => Outcome::of(at_most(right, left), is_above(right, left)),
            Self::Equal => Outcome::of(is_same, left.is_below(right) || right.is_below(left)),
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
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::expression::Value;

    fn look(name: &str) -> NumberRange {
        match name {
            "time" | "other" => NumberRange::POSITIVE,
            "count" => NumberRange::COUNT,
            "share" => NumberRange::SHARE,
            "known" => NumberRange { low: 2.0, high: 8.0, is_above: false },
            _ => NumberRange::ALL,
        }
    }

    fn outcomes(text: &str) -> Vec<Outcome> {
        text.parse::<Expression>().unwrap().outcomes(&look)
    }

    #[test]
    fn a_comparison_that_every_value_meets_is_found() {
        use Outcome::{Always, Never, Open};
        for (text, expected) in [
            ("time > 0", Always),
            ("count > 0", Open),
            ("count >= 0", Always),
            ("time / other > 0", Always),
            ("time - other > 0", Open),
            ("share <= 1", Always),
            ("share < 1", Open),
            ("share > 1", Never),
            ("known < 32", Always),
            ("known < 5", Open),
            ("known * known > 64", Never),
            ("max(time, any) > 0", Always),
            ("min(time, any) > 0", Open),
            ("abs(any) >= 0", Always),
            ("any < 1", Open),
            ("near(time, other, 0.1)", Open),
            ("near(2, 2.1, 0.1)", Always),
            ("not time > 0", Never),
            ("count(time, other) == 2", Open),
            ("time < 1 or time > 0", Always),
        ] {
            assert_eq!(outcomes(text), [expected], "{text}");
        }
        assert_eq!(outcomes("0 < time < 5 and share < 0.5"), [Always, Open, Open]);
    }

    proptest! {
        /// No value of metrics in their ranges refutes an outcome.
        #[test]
        fn an_outcome_is_never_refuted(
            parts in prop::collection::vec((0_usize..4, 0_usize..5), 2..5),
            limit in 0_u32..20,
            values in prop::collection::vec(1_u32..100, 4),
        ) {
            let names = ["time", "count", "share", "known"];
            let text = parts.iter().map(|(name, sign)| format!("{} {}", ["+", "-", "*", "/", "+"][*sign], names[*name]));
            let text = format!("1 {} < {limit}", text.collect::<Vec<_>>().join(" "));
            let expression: Expression = text.parse().unwrap();
            let share = f64::from(values[2]) / 100.0;
            let value = |name: &str| Some(match name {
                "time" => f64::from(values[0]) / 10.0,
                "count" => f64::from(values[1] - 1),
                "share" => share,
                _ => 2.0 + 6.0 * f64::from(values[3]) / 100.0,
            });
            match (expression.outcomes(&look)[0], expression.evaluate(&value)) {
                (Outcome::Always, Some(value)) => prop_assert_eq!(value, Value::Flag(true), "{}", text),
                (Outcome::Never, Some(value)) => prop_assert_eq!(value, Value::Flag(false), "{}", text),
                _ => {}
            }
        }
    }
}
