//! The basis of a claim says how much a model is worth if the claim holds: nothing if the claim set a parameter,
//! nothing new if it follows from typed numbers or from other claims, something if it was predicted. This module must
//! never know a measured value.
//!
//! Most bases show in the expressions: a claim follows if each of its metrics was typed in, is computed by a model's
//! equations or from a survey's table, or is a claim of its own that states a number. Other cases, such as a sum that
//! the machine forms of two typed prices, are declared in a file, each with its reason.

use std::collections::BTreeSet;

use crate::claim::{Claim, Role};
use crate::declared::{self, Declared};
use crate::expression::Expression;
use crate::laboratory::Laboratory;
use crate::study::{Origin, Source};
use crate::{Mistakes, Stated};

/// The reason for which a claim may hold, and so the worth of a model if it does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Basis {
    /// The claim set a parameter, or may have.
    Set,
    /// The claim follows from numbers that were typed in, or from other claims.
    Follows,
    /// The claim was predicted, with its stated value in view.
    Predicted,
    /// The claim was predicted while its stated value is kept apart.
    Blind,
    /// The stated value is not known, so that no metric can be compared with it.
    Unknown,
}

impl Basis {
    /// Every basis, the least informative first.
    pub const ALL: [Self; 5] = [Self::Set, Self::Follows, Self::Predicted, Self::Blind, Self::Unknown];

    /// Name for people and for scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::Follows => "follows",
            Self::Predicted => "predicted",
            Self::Blind => "blind",
            Self::Unknown => "unknown",
        }
    }
}

/// Reads a file that declares claims which follow from others or from typed numbers, though no expression shows it.
/// `file` is its name in messages.
///
/// # Errors
///
/// All mistakes of the file.
pub fn read(file: &str, text: &str) -> Result<Vec<Declared>, Mistakes> {
    declared::read("follows", file, text)
}

/// Sources from which the basis of a claim is determined.
pub(crate) struct Bases<'a> {
    laboratory: &'a Laboratory,
    declared: &'a [Declared],
    /// The ids of claims that set a parameter.
    fixed: &'a BTreeSet<&'a str>,
}

impl<'a> Bases<'a> {
    pub(crate) fn new(
        laboratory: &'a Laboratory,
        declared: &'a [Declared],
        fixed: &'a BTreeSet<&'a str>,
    ) -> Self {
        Self { laboratory, declared, fixed }
    }

    /// The basis of a claim; `None` of an input and of a bound, which no paper states as a result.
    pub(crate) fn of(&self, claim: &Claim) -> Option<Basis> {
        let is_value = matches!(claim.value, Some(Stated::Number(..)));
        let is_decided = || self.laboratory.checks().any(|(_, check)| check.claim == claim.id);
        match claim.role {
            Role::Input | Role::Bound => None,
            _ if claim.held_out => Some(Basis::Blind),
            _ if self.follows(&claim.id) || self.is_declared(claim) => Some(Basis::Follows),
            _ if self.fixed.contains(claim.id.as_str()) => Some(Basis::Set),
            _ if !is_value && !is_decided() && self.is_measured(&claim.id) => Some(Basis::Unknown),
            _ => Some(Basis::Predicted),
        }
    }

    fn is_declared(&self, claim: &Claim) -> bool {
        self.declared.iter().any(|it| it.is_of(claim))
    }

    /// Whether expressions show that a claim is made of typed numbers and other claims alone.
    fn follows(&self, id: &str) -> bool {
        let check = self.laboratory.checks().find(|(_, check)| check.claim == id);
        let names: Vec<_> = match check {
            Some((_, check)) => check.holds.iter().map(Expression::names).collect(),
            None => vec![vec![id]],
        };
        let closure = self.laboratory.closure(names);
        let is_derived = |name: &str| self.laboratory.derived().any(|(_, derived)| derived.metric == name);
        let mut leaves = closure.iter().filter(|name| !is_derived(name)).peekable();
        leaves.peek().is_some() && leaves.all(|leaf| self.is_known(leaf, *leaf != id))
    }

    /// Whether a metric that follows from no other is computed without a run; for claims that are made of it (`others`), whether it is a
    /// typed number or states one.
    fn is_known(&self, leaf: &str, others: bool) -> bool {
        let is_run = |source: &Source| matches!(source.origin, Origin::Run(_));
        let is_computed =
            || self.laboratory.sources().any(|(_, source)| !is_run(source) && source.yields(leaf));
        let is_stated =
            |claim: &Claim| claim.role == Role::Input || matches!(claim.value, Some(Stated::Number(..)));
        let is_claim = || self.laboratory.claims().iter().any(|claim| claim.id == leaf && is_stated(claim));
        is_computed() || others && (self.fixed.contains(leaf) || is_claim())
    }

    fn is_measured(&self, id: &str) -> bool {
        self.laboratory.sources().any(|(_, source)| source.yields(id))
            || self.laboratory.derived().any(|(_, derived)| derived.metric == id)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::laboratory::Metrics;
    use crate::{claim, study};

    const STUDY: &str = r#"
summary = "s"
fits = ["a.set"]

[[run]]
program = "toy"
machine = "toy"
metrics = [
    { figure = "set", metric = "a.set" },
    { figure = "free", metric = "a.free" },
    { figure = "blind", metric = "a.blind" },
    { figure = "unknown", metric = "a.unknown" },
    { figure = "typed", metric = "a.typed" },
]

[[derived]]
metric = "a.twice"
value = "a.free + a.set"
because = "twice"

[[derived]]
metric = "a.sum"
value = "a.set + a.blind"
because = "both"

[[check]]
claim = "a.order"
holds = "a.twice > a.set"
because = "the order"

[[model]]
name = "fixed-floating"
metrics = [{ figure = "k", metric = "a.model" }]
"#;

    fn claims() -> Vec<Claim> {
        let claim = |(id, rest): (&str, &str)| {
            format!(
                "[[claim]]\nid = \"a.{id}\"\nwhere = \"t\"\nrole = \"result\"\nkind = \"value\"\nstatement = \"s\"\n\
                 confidence = \"exact\"\n{rest}\n"
            )
        };
        let value = "value = 1.0";
        let all = [
            ("set", value),
            ("free", value),
            ("blind", "held_out = true"),
            ("unknown", ""),
            ("typed", value),
            ("twice", value),
            ("sum", value),
            ("order", ""),
            ("model", value),
        ];
        claim::read("a.toml", &all.map(claim).concat()).unwrap()
    }

    #[test]
    fn a_claim_says_as_much_as_what_it_is_made_of() {
        let study = study::read("toy.toml", STUDY).unwrap();
        let declared =
            read("b.toml", "[[follows]]\nclaims = [\"a.typed\"]\nbecause = \"a price\"\n").unwrap();
        let laboratory = Laboratory::new(claims(), vec![study], BTreeMap::new(), Vec::new()).unwrap();
        let laboratory = laboratory.declaring(declared);
        let findings = laboratory.findings(&[], &Metrics::default(), &BTreeSet::new());
        let bases: Vec<_> =
            findings.iter().map(|it| (it.claim.id.as_str(), it.basis.map(Basis::name).unwrap())).collect();
        let expected = [
            ("a.set", "set"),
            ("a.free", "predicted"),
            ("a.blind", "blind"),
            ("a.unknown", "unknown"),
            ("a.typed", "follows"),
            ("a.twice", "follows"),
            ("a.sum", "predicted"),
            ("a.order", "follows"),
            ("a.model", "follows"),
        ];
        assert_eq!(bases, expected);
        assert_eq!(laboratory.declared("a.typed"), Some("a price"));
        assert_eq!(laboratory.declared("a.type"), None);
    }

    #[test]
    fn a_declaration_names_claims_and_says_why() {
        let said = read("b.toml", "[[follows]]\n").unwrap_err();
        let said: Vec<_> = said.iter().map(ToString::to_string).collect();
        assert!(
            said.iter().any(|line| line.contains("follows.claims") && line.contains("at least one id")),
            "{said:?}"
        );
        assert!(said.iter().any(|line| line.contains("follows.because is missing")), "{said:?}");
    }
}
