//! The condition of a test on its final states: `exists (0:x5=1 /\ [x]=2)`, and the places that it names.
//!
//! It must never know which final states there are.

/// Condition of a test on its final states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    /// Number of final states for which the formula is to hold.
    pub quantifier: Quantifier,
    /// The formula.
    pub formula: Formula,
}

/// Number of final states for which a formula is to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// `exists`: of at least one.
    Exists,
    /// `~exists`: of none.
    NotExists,
    /// `forall`: of all.
    ForAll,
}

impl Quantifier {
    /// Spelling in files.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Exists => "exists",
            Self::NotExists => "~exists",
            Self::ForAll => "forall",
        }
    }
}

/// Something that holds of a final state, or does not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    /// Always true, or always false.
    Constant(bool),
    /// A place has this value.
    Equal(Place, i64),
    /// All formulas hold.
    And(Vec<Formula>),
    /// At least one formula holds.
    Or(Vec<Formula>),
    /// The formula does not hold.
    Not(Box<Formula>),
}

/// Place with a value in a final state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Place {
    /// A register: index of its thread, and among that thread's registers.
    Register(usize, usize),
    /// A shared variable, by its index.
    Location(usize),
}

impl Formula {
    /// Whether it holds where places have these values.
    pub fn holds(&self, value: &impl Fn(Place) -> i64) -> bool {
        match self {
            Self::Constant(holds) => *holds,
            Self::Equal(place, expected) => value(*place) == *expected,
            Self::And(all) => all.iter().all(|one| one.holds(value)),
            Self::Or(any) => any.iter().any(|one| one.holds(value)),
            Self::Not(one) => !one.holds(value),
        }
    }

    /// Adds the places that it names.
    pub(super) fn places(&self, places: &mut Vec<Place>) {
        match self {
            Self::Constant(_) => {}
            Self::Equal(place, _) => places.push(*place),
            Self::And(several) | Self::Or(several) => several.iter().for_each(|one| one.places(places)),
            Self::Not(one) => one.places(places),
        }
    }
}
