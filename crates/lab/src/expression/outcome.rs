//! The outcome of a comparison, as far as it shows without a measured value: from the ranges of both sides, and from their
//! difference, in which a metric that stands on both cancels. This module must never know a metric's meaning.

use super::polynomial::difference;
use super::range::{Lookup, NumberRange};
use super::{Comparison, Expression, Function, Operator, Tree};

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

/// The outcomes of everything that must hold for an expression to hold, in the order of the text: the parts of a
/// conjunction, and of them each comparison of two neighbours. Empty for a number.
pub fn outcomes(expression: &Expression, look: &dyn Lookup) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    expression.node.outcomes(look, &mut outcomes);
    outcomes
}

impl Tree {
    fn outcomes(&self, look: &dyn Lookup, outcomes: &mut Vec<Outcome>) {
        match self {
            Self::And(one, other) => {
                one.outcomes(look, outcomes);
                other.outcomes(look, outcomes);
            }
            Self::Chain(first, rest) => {
                let mut left: &Self = first;
                for (comparison, right) in rest {
                    outcomes.push(comparison.outcome(left, right, look));
                    left = right;
                }
            }
            Self::Or(one, other) => outcomes.push(one.outcome(look).or(other.outcome(look))),
            Self::Not(one) => outcomes.push(one.outcome(look).not()),
            Self::Call(Function::Near, nodes) => {
                if let [one, other, share] = nodes.as_slice() {
                    outcomes.push(near(one, other, share, look));
                }
            }
            _ => {}
        }
    }

    /// The outcome of a whole flag.
    fn outcome(&self, look: &dyn Lookup) -> Outcome {
        let mut outcomes = Vec::new();
        self.outcomes(look, &mut outcomes);
        outcomes.into_iter().fold(Outcome::Always, Outcome::and)
    }

    /// The expression of a derived metric in place of its name.
    fn written_out<'n>(&'n self, look: &'n dyn Lookup) -> &'n Self {
        match self {
            Self::Name(name) => look.derived(name).map_or(self, |derived| derived.node.written_out(look)),
            _ => self,
        }
    }
}

/// The outcome of `near(one, other, share)`: `one` lies between the two numbers that differ from `other` by its share.
fn near(one: &Tree, other: &Tree, share: &Tree, look: &dyn Lookup) -> Outcome {
    let node =
        |operator, one: Tree, other: &Tree| Tree::Arithmetic(operator, one.into(), other.clone().into());
    let end = |operator| node(Operator::Times, node(operator, Tree::Number(1.0), share), other);
    let (nearer, farther) = (end(Operator::Minus), end(Operator::Plus));
    let range = other.range(look);
    let (low, high) = match range {
        _ if range.low >= 0.0 => (nearer, farther),
        _ if range.high <= 0.0 => (farther, nearer),
        _ => return Outcome::Open,
    };
    let is_high_enough = Comparison::GreaterOrEqual.outcome(one, &low, look);
    is_high_enough.and(Comparison::LessOrEqual.outcome(one, &high, look))
}

impl Comparison {
    fn outcome(self, left: &Tree, right: &Tree, look: &dyn Lookup) -> Outcome {
        let open = |outcome: &Outcome| *outcome != Outcome::Open;
        let by_ranges = Some(self.of(left.range(look), right.range(look)));
        let (left, right) = (left.written_out(look), right.written_out(look));
        let by_parts = || self.of_parts(left, right, look);
        let by_difference = || {
            let [difference, opposite] = difference(left, right, look)?;
            let zero = NumberRange::point(0.0);
            Some(self.of(difference, zero)).filter(open).or_else(|| Some(self.of(zero, opposite)))
        };
        let found = by_ranges.filter(open).or_else(|| by_parts().filter(open)).or_else(by_difference);
        found.unwrap_or(Outcome::Open)
    }

    /// The outcome where a side is the least or the greatest of several: that of all of them, or of any. `None` of other sides.
    fn of_parts(self, left: &Tree, right: &Tree, look: &dyn Lookup) -> Option<Outcome> {
        let is_less = match self {
            Self::Less | Self::LessOrEqual => true,
            Self::Greater | Self::GreaterOrEqual => false,
            Self::Equal => return None,
        };
        let all = |outcomes: Vec<Outcome>, must_all: bool| match must_all {
            true => outcomes.into_iter().fold(Outcome::Always, Outcome::and),
            false => outcomes.into_iter().fold(Outcome::Never, Outcome::or),
        };
        match (left, right) {
            (Tree::Call(function @ (Function::Min | Function::Max), parts), _) => {
                let outcomes = parts.iter().map(|part| self.outcome(part, right, look)).collect();
                Some(all(outcomes, (*function == Function::Max) == is_less))
            }
            (_, Tree::Call(function @ (Function::Min | Function::Max), parts)) => {
                let outcomes = parts.iter().map(|part| self.outcome(left, part, look)).collect();
                Some(all(outcomes, (*function == Function::Min) == is_less))
            }
            _ => None,
        }
    }

    /// The outcome for all numbers of two ranges.
    fn of(self, left: NumberRange, right: NumberRange) -> Outcome {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::expression::Value;
    use crate::expression::range::tests::{Known, number, values};

    fn found(text: &str) -> Vec<Outcome> {
        outcomes(&text.parse().unwrap(), &Known::new())
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
            ("near(-2, -2.1, 0.01)", Never),
            ("near(share, 2, 0.4)", Never),
            ("near(share, 0.9, 0.2)", Open),
            ("not time > 0", Never),
            ("count(time, other) == 2", Open),
            ("time < 1 or time > 0", Always),
        ] {
            assert_eq!(found(text), [expected], "{text}");
        }
        assert_eq!(found("0 < time < 5 and share < 0.5"), [Always, Open, Open]);
    }

    #[test]
    fn a_metric_on_both_sides_cancels() {
        use Outcome::{Always, Never, Open};
        for (text, expected) in [
            ("time < 2 * time", Always),
            ("count < 2 * count", Open),
            ("count <= 2 * count", Always),
            ("any < 2 * any", Open),
            ("time / time == 1", Always),
            ("time / other == 1", Open),
            ("time > time", Never),
            ("time - other < time", Always),
            ("(time - other) / known > time / known", Never),
            ("time / (time + other) < 1", Always),
            ("time / (0 - known) < time", Always),
            ("time / (time - other) > 1", Open),
            ("time * other < time * other + known", Always),
            ("near(2 * time, time, 0.1)", Never),
            ("near(1.05 * time, time, 0.1)", Always),
            ("near(time, 1.05 * other, 0.1)", Open),
            // Through derived metrics, and the least and greatest of several.
            ("half < time", Always),
            ("rate * time == count", Always),
            ("rate * other == count", Open),
            ("least <= time", Always),
            ("least < time", Open),
            ("time < min(time, other) / 2", Open),
            ("2 * time > max(time, half)", Always),
            ("max(time, other) >= other", Always),
            ("min(time, other) > 2 * time", Never),
            ("2 * sqrt(time) == 3 * sqrt(time)", Open),
            ("sqrt(any) <= sqrt(any) + time", Always),
        ] {
            assert_eq!(found(text), [expected], "{text}");
        }
    }

    #[test]
    fn nothing_is_divided_by_zero() {
        use Outcome::{Never, Open};
        // The numbers of the divisor are -0.0 and 1.
        assert_eq!(found("1 / round(share - 0.3) < 0"), [Never]);
        assert_eq!(found("1 / (share * 0) > 1"), [Open]);
        assert_eq!(found("time / (other - other) > 1"), [Open]);
    }

    #[test]
    fn a_very_long_comparison_is_left_open() {
        let sum = ["(time + other)"; 9].join(" * ");
        assert_eq!(found(&format!("{sum} < any + {sum}")), [Outcome::Open]);
        let sum = ["time"; 300].join(" + ");
        assert_eq!(found(&format!("{sum} < 2 * ({sum})")), [Outcome::Open]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]

        /// No values of metrics in their ranges refute an outcome, but for the rounding of sides that are equal.
        #[test]
        fn an_outcome_is_never_refuted(
            (left, right) in (number(), number()),
            sign in 0_usize..6,
            values in values(),
        ) {
            let text = match ["<", "<=", ">", ">=", "=="].get(sign) {
                Some(sign) => format!("{left} {sign} {right}"),
                None => format!("near({left}, {right}, 0.1)"),
            };
            let known = Known::new();
            let side = |text: &str| {
                text.parse::<Expression>().unwrap().evaluate(&|name| known.value(name, &values))
            };
            let (Some(Value::Number(one)), Some(Value::Number(other))) = (side(&left), side(&right)) else {
                return Ok(());
            };
            let ends = if sign < 5 { vec![other] } else { vec![0.9 * other, 1.1 * other] };
            let greatest = values.iter().fold(1.0, |most: f64, it| most.max(it.abs()));
            let is_rounded = |end: f64| (one - end).abs() <= 1e-9 * one.abs().max(end.abs()).max(greatest);
            if ends.into_iter().any(is_rounded) {
                return Ok(());
            }
            match (found(&text)[0], side(&text)) {
                (Outcome::Always, value) => prop_assert_eq!(value, Some(Value::Flag(true)), "{}", text),
                (Outcome::Never, value) => prop_assert_eq!(value, Some(Value::Flag(false)), "{}", text),
                _ => {}
            }
        }
    }

    #[test]
    fn outcomes_of_parts_make_that_of_the_whole() {
        use Outcome::{Always, Never, Open};
        for (one, other, both, either) in [
            (Always, Always, Always, Always),
            (Always, Never, Never, Always),
            (Always, Open, Open, Always),
            (Never, Never, Never, Never),
            (Never, Open, Never, Open),
            (Open, Open, Open, Open),
        ] {
            assert_eq!((one.and(other), one.or(other)), (both, either));
            assert_eq!((other.and(one), other.or(one)), (both, either));
        }
        assert_eq!([Always, Never, Open].map(Outcome::not), [Never, Always, Open]);
    }
}
