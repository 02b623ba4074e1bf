//! The difference of two numbers as a fraction of polynomials, in which a metric that stands in both cancels. This module
//! must never know a metric's meaning.

use std::collections::BTreeMap;

use super::range::{Lookup, NumberRange};
use super::{Operator, Tree};

/// The greatest number of products of a polynomial, and of parts of both numbers. Longer ones have no difference.
const MOST: usize = 256;

/// The sum of two factors, as a share of the greater, up to which it is taken for 0: double precision rounds.
const ROUNDING: f64 = 1e-12;

/// The range of a number that has the sign of `left - right`, and the range of its opposite. `None` if the sign of a divisor is
/// not known, and for long expressions.
pub(super) fn difference(left: &Tree, right: &Tree, look: &dyn Lookup) -> Option<[NumberRange; 2]> {
    let mut atoms = Atoms { look, ranges: BTreeMap::new(), parts: 0 };
    let (left, right) = (atoms.fraction(left)?, atoms.fraction(right)?);
    let Fraction { over, under } = left.plus(&right.times(-1.0))?;
    let divisor = atoms.range(&under);
    let sign = match divisor {
        _ if divisor.low >= 0.0 => 1.0,
        _ if divisor.high <= 0.0 => -1.0,
        _ => return None,
    };
    Some([sign, -sign].map(|sign| atoms.range(&over.times(sign))))
}

/// Metrics, and calls of functions, which stay whole.
struct Atoms<'l> {
    look: &'l dyn Lookup,
    ranges: BTreeMap<String, NumberRange>,
    /// The number of nodes that became fractions.
    parts: usize,
}

impl Atoms<'_> {
    fn atom(&mut self, name: String, range: NumberRange) -> Fraction {
        let product = BTreeMap::from([(vec![name.clone()], 1.0)]);
        self.ranges.insert(name, range);
        Fraction { over: Polynomial(product), under: Polynomial::number(1.0) }
    }

    fn fraction(&mut self, node: &Tree) -> Option<Fraction> {
        self.parts += 1;
        if self.parts > MOST {
            return None;
        }
        match node {
            Tree::Number(number) => {
                Some(Fraction { over: Polynomial::number(*number), under: Polynomial::number(1.0) })
            }
            Tree::Name(name) => match self.look.derived(name) {
                Some(derived) => self.fraction(&derived.node),
                None => Some(self.atom(name.clone(), self.look.range(name))),
            },
            Tree::Negative(one) => Some(self.fraction(one)?.times(-1.0)),
            Tree::Arithmetic(operator, one, other) => {
                let (one, other) = (self.fraction(one)?, self.fraction(other)?);
                match operator {
                    Operator::Plus => one.plus(&other),
                    Operator::Minus => one.plus(&other.times(-1.0)),
                    Operator::Times => one.product(&other),
                    Operator::Over => one.product(&other.inverse()?),
                }
            }
            Tree::Call(..) => Some(self.atom(format!("{node:?}"), node.range(self.look))),
            Tree::Not(_) | Tree::And(..) | Tree::Or(..) | Tree::Chain(..) => None,
        }
    }

    fn range(&self, polynomial: &Polynomial) -> NumberRange {
        let range = |name: &String| self.ranges.get(name).copied().unwrap_or(NumberRange::ALL);
        let products = polynomial.0.iter().map(|(names, factor)| {
            let product = names.iter().map(range).fold(NumberRange::point(1.0), NumberRange::product);
            product.times(*factor)
        });
        products.fold(NumberRange::point(0.0), NumberRange::sum)
    }
}

/// A polynomial over another, which is not 0.
struct Fraction {
    over: Polynomial,
    under: Polynomial,
}

impl Fraction {
    fn times(&self, factor: f64) -> Self {
        Self { over: self.over.times(factor), under: self.under.clone() }
    }

    fn plus(&self, other: &Self) -> Option<Self> {
        if self.under == other.under {
            return Some(Self { over: self.over.plus(&other.over)?, under: self.under.clone() });
        }
        let (one, two) = (self.over.product(&other.under)?, other.over.product(&self.under)?);
        Some(Self { over: one.plus(&two)?, under: self.under.product(&other.under)? })
    }

    fn product(&self, other: &Self) -> Option<Self> {
        Some(Self { over: self.over.product(&other.over)?, under: self.under.product(&other.under)? })
    }

    /// `None` of 0.
    fn inverse(self) -> Option<Self> {
        (!self.over.0.is_empty()).then_some(Self { over: self.under, under: self.over })
    }
}

/// A sum of products: the factor of each, by the names of its atoms in alphabetical order. No factor is 0.
#[derive(Clone, PartialEq)]
struct Polynomial(BTreeMap<Vec<String>, f64>);

impl Polynomial {
    fn number(number: f64) -> Self {
        let mut sum = Self(BTreeMap::new());
        sum.add(Vec::new(), number);
        sum
    }

    fn add(&mut self, product: Vec<String>, factor: f64) {
        let before = self.0.remove(&product).unwrap_or(0.0);
        let sum = before + factor;
        let is_zero = sum.abs() <= ROUNDING * before.abs().max(factor.abs());
        if !is_zero {
            self.0.insert(product, sum);
        }
    }

    fn times(&self, factor: f64) -> Self {
        Self(self.0.iter().map(|(product, by)| (product.clone(), by * factor)).collect())
    }

    /// `None` if it is long.
    fn plus(&self, other: &Self) -> Option<Self> {
        let mut sum = self.clone();
        other.0.iter().for_each(|(product, factor)| sum.add(product.clone(), *factor));
        (sum.0.len() <= MOST).then_some(sum)
    }

    /// `None` if it is long.
    fn product(&self, other: &Self) -> Option<Self> {
        if self.0.len() * other.0.len() > MOST {
            return None;
        }
        let mut sum = Self(BTreeMap::new());
        for (one, by) in &self.0 {
            for (two, times) in &other.0 {
                let mut product = [one.as_slice(), two].concat();
                product.sort();
                sum.add(product, by * times);
            }
        }
        Some(sum)
    }
}
