//! Expressions over metrics: the expression of a derived metric yields a number, that of an order or a shape a flag.
//! This module must never know the meaning of a metric or its measurement.
//!
//! ```text
//! flag        a and b, a or b, not a, (a)
//! comparison  x < y, x <= y < z, x == y           chained: every neighbouring pair
//! number      x + y, x - y, x * y, x / y, -x, (x), 2.5, min(x, …), max(x, …), abs(x), round(x), sqrt(x)
//! near(x, y, share)                               x and y differ by at most this share of y
//! count(x, …)                                     how many of them were measured
//! ```
//!
//! A name may contain letters, digits, dots, underscores and hyphens: `split-c.table1.gap.get.cm5.proc`. So a minus sign
//! needs a space before it. A metric that was not measured makes everything that needs it unmeasured, except a count; so
//! does a number that is not finite.
//!
//! ```
//! use tradewind_lab::expression::{Expression, Value};
//!
//! let order: Expression = "a.receive < a.inject < a.np".parse().unwrap();
//! let look = |name: &str| Some(if name == "a.np" { 3.0 } else { 1.0 });
//! assert_eq!(order.evaluate(&look), Some(Value::Flag(false)));
//! ```

mod lexer;
pub mod outcome;
mod parser;
mod polynomial;
pub mod range;

use std::fmt::{self, Display, Formatter};

/// Something that can be worked out from metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    node: Tree,
    kind: Kind,
}

/// Result of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A finite number.
    Number(f64),
    /// A truth value.
    Flag(bool),
}

/// Kind of an expression's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Kind of a number.
    Number,
    /// Kind of a truth value.
    Flag,
}

/// A syntax error in the text of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The character, from 0, at which something else was expected.
    pub at: usize,
    /// The expected and the found text.
    pub expected: String,
}

/// The tree of an expression.
#[derive(Clone, Debug, PartialEq)]
enum Tree {
    Number(f64),
    Name(String),
    Negative(Box<Tree>),
    Not(Box<Tree>),
    Arithmetic(Operator, Box<Tree>, Box<Tree>),
    And(Box<Tree>, Box<Tree>),
    Or(Box<Tree>, Box<Tree>),
    /// `first`, and the comparisons with its followers.
    Chain(Box<Tree>, Vec<(Comparison, Tree)>),
    Call(Function, Vec<Tree>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Plus,
    Minus,
    Times,
    Over,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Min,
    Max,
    Abs,
    Round,
    Sqrt,
    Near,
    Count,
}

impl Expression {
    /// Kind of the result.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Names of the metrics that it needs, in the order of the text; some twice.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.node.names(&mut names);
        names
    }

    /// The metric whose number the expression is; `None` if it computes anything.
    pub fn metric(&self) -> Option<&str> {
        match &self.node {
            Tree::Name(name) => Some(name),
            _ => None,
        }
    }

    /// Value of the expression, with the metrics that `look` returns; `None` if one is missing or a number is not
    /// finite.
    pub fn evaluate(&self, look: &dyn Fn(&str) -> Option<f64>) -> Option<Value> {
        match self.kind {
            Kind::Number => self.node.number(look).map(Value::Number),
            Kind::Flag => self.node.flag(look).map(Value::Flag),
        }
    }
}

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Tree {
    fn names<'n>(&'n self, names: &mut Vec<&'n str>) {
        match self {
            Self::Number(_) => {}
            Self::Name(name) => names.push(name),
            Self::Negative(one) | Self::Not(one) => one.names(names),
            Self::Arithmetic(_, one, other) | Self::And(one, other) | Self::Or(one, other) => {
                one.names(names);
                other.names(names);
            }
            Self::Chain(first, rest) => {
                first.names(names);
                rest.iter().for_each(|(_, node)| node.names(names));
            }
            Self::Call(_, nodes) => nodes.iter().for_each(|node| node.names(names)),
        }
    }

    fn number(&self, look: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        let number = match self {
            Self::Number(number) => *number,
            Self::Name(name) => look(name)?,
            Self::Negative(one) => -one.number(look)?,
            Self::Arithmetic(operator, one, other) => {
                let (one, other) = (one.number(look)?, other.number(look)?);
                match operator {
                    Operator::Plus => one + other,
                    Operator::Minus => one - other,
                    Operator::Times => one * other,
                    Operator::Over => one / other,
                }
            }
            Self::Call(Function::Count, nodes) => {
                nodes.iter().filter(|node| node.number(look).is_some()).count() as f64
            }
            Self::Call(function, nodes) => {
                let numbers: Option<Vec<_>> = nodes.iter().map(|node| node.number(look)).collect();
                function.number(&numbers?)?
            }
            _ => return None,
        };
        number.is_finite().then_some(number)
    }

    /// Evaluates a flag. Every part is evaluated, so that a missing metric is never hidden by the other side.
    fn flag(&self, look: &dyn Fn(&str) -> Option<f64>) -> Option<bool> {
        match self {
            Self::Not(one) => Some(!one.flag(look)?),
            Self::And(one, other) => {
                let (one, other) = (one.flag(look)?, other.flag(look)?);
                Some(one && other)
            }
            Self::Or(one, other) => {
                let (one, other) = (one.flag(look)?, other.flag(look)?);
                Some(one || other)
            }
            Self::Chain(first, rest) => {
                let (mut left, mut holds) = (first.number(look)?, true);
                for (comparison, node) in rest {
                    let right = node.number(look)?;
                    holds &= comparison.holds(left, right);
                    left = right;
                }
                Some(holds)
            }
            Self::Call(Function::Near, nodes) => {
                let numbers: Option<Vec<_>> = nodes.iter().map(|node| node.number(look)).collect();
                let [one, other, share] = numbers?.try_into().ok()?;
                Some((one - other).abs() <= share * other.abs())
            }
            _ => None,
        }
    }
}

impl Comparison {
    fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterOrEqual => left >= right,
            Self::Equal => left == right,
        }
    }
}

impl Function {
    fn find(name: &str) -> Option<Self> {
        match name {
            "min" => Some(Self::Min),
            "max" => Some(Self::Max),
            "abs" => Some(Self::Abs),
            "round" => Some(Self::Round),
            "sqrt" => Some(Self::Sqrt),
            "near" => Some(Self::Near),
            "count" => Some(Self::Count),
            _ => None,
        }
    }

    /// Least and greatest number of arguments.
    fn arity(self) -> (usize, usize) {
        match self {
            Self::Min | Self::Max | Self::Count => (1, usize::MAX),
            Self::Abs | Self::Round | Self::Sqrt => (1, 1),
            Self::Near => (3, 3),
        }
    }

    fn kind(self) -> Kind {
        if self == Self::Near { Kind::Flag } else { Kind::Number }
    }

    fn number(self, numbers: &[f64]) -> Option<f64> {
        match self {
            Self::Min => numbers.iter().copied().reduce(f64::min),
            Self::Max => numbers.iter().copied().reduce(f64::max),
            Self::Abs => numbers.first().map(|number| number.abs()),
            Self::Round => numbers.first().map(|number| number.round()),
            Self::Sqrt => numbers.first().map(|number| number.sqrt()),
            Self::Near | Self::Count => None,
        }
    }
}

impl Display for Kind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Number => "a number",
            Self::Flag => "a comparison",
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn look(name: &str) -> Option<f64> {
        match name {
            "a" => Some(1.0),
            "b.b" => Some(2.0),
            "c-c" => Some(3.0),
            "zero" => Some(0.0),
            _ => None,
        }
    }

    fn value(text: &str) -> Option<Value> {
        text.parse::<Expression>().unwrap_or_else(|error| panic!("{text}: {error:?}")).evaluate(&look)
    }

    fn number(text: &str) -> f64 {
        match value(text) {
            Some(Value::Number(number)) => number,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn arithmetic_is_that_of_school() {
        assert_eq!(number("a + b.b * c-c"), 7.0);
        assert_eq!(number("(a + b.b) * c-c"), 9.0);
        assert_eq!(number("12 / 2 / 3 - -1"), 3.0);
        assert_eq!(number("max(a, c-c, b.b) - min(a, 0.5e1)"), 2.0);
        assert_eq!(number("abs(a -c-c) + round(2.6) + sqrt(c-c * c-c)"), 8.0);
        assert_eq!(number("count(a, missing, b.b)"), 2.0);
    }

    #[test]
    fn comparisons_are_chained() {
        assert_eq!(value("a < b.b < c-c"), Some(Value::Flag(true)));
        assert_eq!(value("a < c-c < b.b"), Some(Value::Flag(false)));
        assert_eq!(value("a == 1 and not (b.b > c-c) or a > 5"), Some(Value::Flag(true)));
        assert_eq!(value("near(1.04, a, 0.05) and not near(1.06, a, 0.05)"), Some(Value::Flag(true)));
    }

    #[test]
    fn what_is_missing_spreads() {
        for text in [
            "a < missing",
            "a > 0 or missing > 0",
            "missing + 1",
            "a / zero",
            "sqrt(0 - a)",
            "near(a, missing, 1)",
        ] {
            assert_eq!(value(text), None, "{text}");
        }
        let names: Expression = "max(a, b.b) < c-c and a > 0".parse().unwrap();
        assert_eq!(names.names(), ["a", "b.b", "c-c", "a"]);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_stumble(text in "[a-z0-9.<>=()+*/, -]{0,40}") {
            let _ = text.parse::<Expression>();
        }

        /// A sum of products, written out, has the value of the numbers.
        #[test]
        fn a_sum_of_products_is_worth_its_numbers(terms in prop::collection::vec((0_u32..100, 1_u32..100), 1..8)) {
            let text: Vec<_> = terms.iter().map(|(x, y)| format!("{x} * {y}")).collect();
            let sum: u32 = terms.iter().map(|(x, y)| x * y).sum();
            prop_assert_eq!(number(&text.join(" + ")), f64::from(sum));
        }

        /// A chain holds exactly if the numbers ascend.
        #[test]
        fn a_chain_holds_if_the_numbers_ascend(numbers in prop::collection::vec(0_u32..9, 2..6)) {
            let text: Vec<_> = numbers.iter().map(u32::to_string).collect();
            let ascend = numbers.windows(2).all(|pair| pair[0] <= pair[1]);
            prop_assert_eq!(value(&text.join(" <= ")), Some(Value::Flag(ascend)));
        }
    }
}
