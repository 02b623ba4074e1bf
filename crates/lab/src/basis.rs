//! The basis of a claim says how much a model is worth if the claim holds: nothing if the claim set a parameter,
//! nothing new if it follows from typed numbers or from other claims or repeats one, something if it was predicted. This
//! module must never know a measured value.
//!
//! Most bases show in the expressions: a claim follows if each of its metrics was typed in, is computed by a model's
//! equations or from a survey's table, or is a claim of its own. A claim repeats another if a run gives its number two
//! names, or if both state nearly the same number of one version of a program. Other cases, such as a sum that the
//! machine forms of two typed prices, are declared in a file, each with its reason.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::assembly::Laboratory;
use crate::claim::{Claim, Role};
pub use crate::declared::Declarations;
use crate::declared::{self, Declared};
use crate::lineage::{Lineage, Version};
use crate::study::Origin;
use crate::toml;
use crate::{Mistakes, Stated};

/// The reason for which a claim may hold, and so the worth of a model if it does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Basis {
    /// The claim set a parameter, or may have.
    Set,
    /// The claim follows from numbers that were typed in, or from other claims.
    Follows,
    /// The claim is one with another that is counted already.
    Repeated,
    /// The claim is about programs that do not exist here, and others answer for them.
    Substitute,
    /// The claim was predicted, with its stated value in view.
    Predicted,
    /// The claim was predicted while its stated value is kept apart.
    Blind,
    /// The stated value is not known, so that no metric can be compared with it.
    Unknown,
}

impl Basis {
    /// Every basis, the least informative first.
    pub const ALL: [Self; 7] = [
        Self::Set,
        Self::Follows,
        Self::Repeated,
        Self::Substitute,
        Self::Predicted,
        Self::Blind,
        Self::Unknown,
    ];

    /// Name for people and for scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::Follows => "follows",
            Self::Repeated => "repeated",
            Self::Substitute => "substitute",
            Self::Predicted => "predicted",
            Self::Blind => "blind",
            Self::Unknown => "unknown",
        }
    }
}

/// Reads a file of declarations. `file` is its name in messages.
///
/// # Errors
///
/// All mistakes of the file.
pub fn read(file: &str, text: &str) -> Result<Declarations, Mistakes> {
    toml::read(file, text, |top| {
        Some(Declarations {
            follows: declared::tables(top, "follows"),
            substitutes: declared::tables(top, "substitute"),
            unreadable: declared::tables(top, "unreadable"),
        })
    })
}

/// Distance, as a share, up to which two stated numbers of one version count as one.
const SAME: f64 = 0.005;

/// Sources from which the basis of a claim is determined.
pub(crate) struct Bases<'a> {
    laboratory: &'a Laboratory,
    declared: &'a Declarations,
    /// The ids of claims that set a parameter.
    fixed: &'a BTreeSet<&'a str>,
    lineage: Lineage<'a>,
    /// Every claim with its place among all.
    claims: HashMap<&'a str, (usize, &'a Claim)>,
}

/// The numbers that are counted already, by unit and by the versions that measure them.
type Counted<'a> = HashMap<(BTreeSet<Version>, &'a str), Vec<f64>>;

impl<'a> Bases<'a> {
    pub(crate) fn new(
        laboratory: &'a Laboratory,
        declared: &'a Declarations,
        fixed: &'a BTreeSet<&'a str>,
    ) -> Self {
        let claims = laboratory.claims().iter().enumerate();
        let claims = claims.map(|(place, claim)| (claim.id.as_str(), (place, claim))).collect();
        Self { laboratory, declared, fixed, lineage: Lineage::new(laboratory), claims }
    }

    /// The bases of all claims by their ids. Inputs, bounds, which no paper states as a result, and unreadable claims
    /// have none.
    pub(crate) fn all(&self) -> BTreeMap<&'a str, Basis> {
        let claims = self.laboratory.claims().iter();
        let alone = claims.filter_map(|claim| Some((claim, self.alone(claim)?, self.cell(claim))));
        let alone: Vec<_> = alone.collect();
        let mut counted = Counted::new();
        for (_, _, cell) in alone.iter().filter(|(_, basis, _)| *basis == Basis::Set) {
            cell.iter().cloned().for_each(|(key, number)| counted.entry(key).or_default().push(number));
        }
        let mut bases = BTreeMap::new();
        for (claim, basis, cell) in alone {
            let basis = match (basis, cell) {
                (Basis::Predicted, Some((key, number))) => {
                    let numbers = counted.entry(key).or_default();
                    let is_same = |other: &f64| (number - other).abs() <= SAME * other.abs();
                    let is_counted = numbers.iter().any(is_same);
                    // A repeated number is not compared with: near numbers would form a chain.
                    if is_counted {
                        Basis::Repeated
                    } else {
                        numbers.push(number);
                        basis
                    }
                }
                _ => basis,
            };
            bases.insert(claim.id.as_str(), basis);
        }
        bases
    }

    /// The basis of a claim, other claims' numbers aside.
    fn alone(&self, claim: &'a Claim) -> Option<Basis> {
        let is_in = |declared: &[Declared]| declared.iter().any(|it| it.is_of(claim));
        match claim.role {
            Role::Input | Role::Bound => None,
            _ if self.declared.is_unreadable(claim) => None,
            _ if self.follows(&claim.id) || is_in(&self.declared.follows) => Some(Basis::Follows),
            _ if self.fixed.contains(claim.id.as_str()) => Some(Basis::Set),
            _ if is_in(&self.declared.substitutes) => Some(Basis::Substitute),
            _ if self.is_renamed(&claim.id) => Some(Basis::Repeated),
            _ if claim.held_out && (self.has_set_part(&claim.id) || self.is_open(&claim.id)) => {
                Some(Basis::Predicted)
            }
            _ if claim.held_out => Some(Basis::Blind),
            _ if !is_number(claim) && !self.lineage.is_checked(&claim.id) && self.is_measured(&claim.id) => {
                Some(Basis::Unknown)
            }
            _ => Some(Basis::Predicted),
        }
    }

    /// The number that a claim states, with its unit and the versions whose runs measure it; `None` if a check decides
    /// the claim, or something else than runs.
    fn cell(&self, claim: &'a Claim) -> Option<((BTreeSet<Version>, &'a str), f64)> {
        let number = claim.number().filter(|_| !self.lineage.is_checked(&claim.id))?;
        Some(((self.lineage.versions(&claim.id)?, claim.unit.as_str()), number))
    }

    /// Whether expressions show that a claim is made of typed numbers and other claims alone.
    fn follows(&self, id: &'a str) -> bool {
        let leaves = self.leaves(id);
        match leaves.is_empty() {
            // Numbers alone.
            true => self.lineage.is_worked_out(id),
            false => leaves.iter().all(|leaf| self.is_computed(leaf) || *leaf != id && self.is_known(leaf)),
        }
    }

    /// The metrics that a claim is made of, down to other claims.
    fn leaves(&self, id: &'a str) -> BTreeSet<&'a str> {
        self.lineage.leaves(id, |name| self.is_claim(name))
    }

    /// Whether a metric is computed without a run.
    fn is_computed(&self, name: &str) -> bool {
        let source = self.lineage.yielded(name).map(|yielded| &yielded.source.origin);
        matches!(source, Some(Origin::Model { .. } | Origin::Survey { .. }))
    }

    /// Whether a metric, by any of its names, is a claim that states a number, or keeps it apart.
    fn is_known(&self, name: &str) -> bool {
        self.is_claim(name) || self.lineage.namesakes(name).iter().any(|other| self.is_claim(other))
    }

    fn is_claim(&self, name: &str) -> bool {
        let is_stated = |claim: &Claim| claim.role == Role::Input || claim.held_out || is_number(claim);
        self.fixed.contains(name) || self.claims.get(name).is_some_and(|(_, claim)| is_stated(claim))
    }

    /// Whether a run gives the number of a claim to another that set something or is an input, or to an earlier claim.
    fn is_renamed(&self, id: &str) -> bool {
        let place = |id: &str| self.claims.get(id).map(|(place, _)| *place);
        self.twins(id)
            .iter()
            .filter(|other| self.is_claim(other))
            .any(|other| self.is_given(other) || place(other) < place(id) && !self.is_substitute(other))
    }

    /// The other names that a run gives to the number of a claim.
    fn twins(&self, id: &str) -> Vec<String> {
        if self.lineage.is_worked_out(id) { Vec::new() } else { self.lineage.namesakes(id) }
    }

    /// Whether a claim set something or is an input.
    fn is_given(&self, id: &str) -> bool {
        self.fixed.contains(id) || self.claims.get(id).is_some_and(|(_, claim)| claim.role == Role::Input)
    }

    /// Whether other programs answer for the programs of a claim.
    fn is_substitute(&self, id: &str) -> bool {
        let is_of = |claim: &Claim| self.declared.substitutes.iter().any(|it| it.is_of(claim));
        self.claims.get(id).is_some_and(|(_, claim)| is_of(claim))
    }

    /// Whether another claim states the number of a claim that keeps it apart.
    fn is_open(&self, id: &str) -> bool {
        let states = |other: &String| self.claims.get(other.as_str()).is_some_and(|(_, it)| is_number(it));
        self.twins(id).iter().any(states)
    }

    /// Whether a claim that set something is a part of this one, under any of its names.
    fn has_set_part(&self, id: &'a str) -> bool {
        let is_set = |part: &str| {
            self.fixed.contains(part)
                || self.lineage.namesakes(part).iter().any(|it| self.fixed.contains(it.as_str()))
        };
        self.lineage.parts(id).into_iter().any(|part| part != id && is_set(part))
    }

    fn is_measured(&self, id: &str) -> bool {
        self.lineage.yielded(id).is_some() || self.lineage.derived(id).is_some()
    }
}

/// Whether a claim states a number.
fn is_number(claim: &Claim) -> bool {
    matches!(claim.value, Some(Stated::Number(..)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::laboratory::Metrics;
    use crate::{claim, study};

    const STUDY: &str = r#"
summary = "s"
fits = ["a.set", "a.late-set"]

[[run]]
program = "toy"
machine = "toy"
metrics = [
    { figure = "set", metric = "a.set" },
    { figure = "free", metric = "a.free" },
    { figure = "blind", metric = "a.blind" },
    { figure = "unknown", metric = "a.unknown" },
    { figure = "typed", metric = "a.typed" },
    { figure = "free", metric = "a.renamed", factor = 0.5 },
    { figure = "same", metric = "a.same" },
    { figure = "like-set", metric = "a.like-set" },
    { figure = "beyond", metric = "a.beyond" },
    { figure = "near", metric = "a.near" },
    { figure = "late-set", metric = "a.before-set" },
    { figure = "late-set", metric = "a.late-set" },
    { figure = "stand-in", metric = "a.stand-in-cell" },
    { figure = "stand-in", metric = "a.own" },
    { figure = "input", metric = "a.like-input" },
    { figure = "input", metric = "a.input" },
    { figure = "withheld", metric = "a.withheld" },
    { figure = "withheld", metric = "a.stated" },
    { figure = "elsewhere", metric = "a.elsewhere" },
    { figure = "raw", metric = "raw" },
]

# Another version of the program.
[[run]]
program = "toy"
machine = "toy"
policy = "other"
metrics = [{ figure = "free", metric = "a.other" }]

# The first run again, in another study's words.
[[run]]
program = "toy"
machine = "toy"
metrics = [{ figure = "set", metric = "again.set" }, { figure = "blind", metric = "again.blind" }]

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
holds = "a.twice > 2 * a.set"
because = "the order"

[[derived]]
metric = "a.ratio"
value = "a.blind / a.set"
because = "a ratio of two cells"

[[derived]]
metric = "a.part-set"
value = "raw / a.set"
because = "a ratio with a set part"

[[derived]]
metric = "a.part-again"
value = "raw / again.set"
because = "a ratio with a set part under another name"

[[derived]]
metric = "a.part-twice"
value = "raw / a.twice"
because = "a ratio with a part that is made of a set one"

[[derived]]
metric = "a.numbers"
value = "75 / 2"
because = "arithmetic"

[[check]]
claim = "a.again"
holds = "again.set < again.blind"
because = "cells under other names"

[[model]]
name = "fixed-floating"
metrics = [{ figure = "k", metric = "a.model" }]
"#;

    fn claims() -> Vec<Claim> {
        let claim = |(id, rest): (&str, &str)| {
            let role = if id == "input" { id } else { "result" };
            format!(
                "[[claim]]\nid = \"a.{id}\"\nwhere = \"t\"\nrole = \"{role}\"\nkind = \"value\"\nstatement = \"s\"\n\
                 confidence = \"exact\"\n{rest}\n"
            )
        };
        let value = "value = 1.0";
        let all = [
            ("set", value),
            ("free", "value = 2.0"),
            ("blind", "held_out = true"),
            ("unknown", ""),
            ("typed", value),
            ("twice", value),
            ("sum", value),
            ("order", ""),
            ("model", value),
            ("renamed", value),
            ("same", "value = 2.009"),
            ("like-set", "value = 0.996"),
            ("beyond", "value = 2.018"),
            ("near", "value = 2.04"),
            ("other", "value = 2.0"),
            ("elsewhere", "value = 2.0\nunit = \"us\""),
            ("ratio", "held_out = true"),
            ("part-set", "held_out = true"),
            ("part-again", "held_out = true"),
            ("part-twice", "held_out = true"),
            ("numbers", "value = 37.5"),
            ("again", ""),
            ("stand-in", value),
            ("before-set", "value = 7.0"),
            ("late-set", "value = 7.0"),
            ("like-input", "value = 3.0"),
            ("input", "value = 3.0"),
            ("stand-in-cell", "value = 8.0"),
            ("own", "value = 8.0"),
            ("withheld", "held_out = true"),
            ("stated", "value = 9.0"),
            ("illegible", ""),
        ];
        claim::read("a.toml", &all.map(claim).concat()).unwrap()
    }

    #[test]
    fn a_claim_says_as_much_as_what_it_is_made_of() {
        let study = study::read("toy.toml", STUDY).unwrap();
        let table =
            |key: &str, id: &str, why: &str| format!("[[{key}]]\nclaims = [\"{id}\"]\nbecause = \"{why}\"\n");
        let declared = [
            table("follows", "a.typed", "a price"),
            table("substitute", "a.stand-in", "another program"),
            table("substitute", "a.stand-in-cell", "another program"),
            table("unreadable", "a.illegible", "a hole in the paper"),
        ];
        let declared = read("b.toml", &declared.concat()).unwrap();
        let laboratory = Laboratory::new(claims(), vec![study], BTreeMap::new(), Vec::new()).unwrap();
        let laboratory = laboratory.declaring(declared);
        let findings = laboratory.findings(&[], &Metrics::default(), &BTreeSet::new());
        let name = |it: &crate::Finding<'_>| it.basis.map_or("none", Basis::name);
        let bases: Vec<_> =
            findings.iter().map(|it| (it.claim.id.trim_start_matches("a."), name(it))).collect();
        let expected = [
            ("set", "set"),
            ("free", "predicted"),
            ("blind", "blind"),
            ("unknown", "unknown"),
            ("typed", "follows"),
            ("twice", "follows"),
            ("sum", "follows"),
            ("order", "follows"),
            ("model", "follows"),
            // One run gives both names to one number.
            ("renamed", "repeated"),
            // Within half a percent of a predicted cell, and of a set one; farther off; of another version; in another unit.
            ("same", "repeated"),
            ("like-set", "repeated"),
            // Near a repeated cell alone.
            ("beyond", "predicted"),
            ("near", "predicted"),
            ("other", "predicted"),
            ("elsewhere", "predicted"),
            ("ratio", "follows"),
            ("part-set", "predicted"),
            ("part-again", "predicted"),
            ("part-twice", "predicted"),
            ("numbers", "follows"),
            ("again", "follows"),
            ("stand-in", "substitute"),
            // The set claim comes later, and so does the input.
            ("before-set", "repeated"),
            ("late-set", "set"),
            ("like-input", "repeated"),
            ("input", "none"),
            ("stand-in-cell", "substitute"),
            ("own", "predicted"),
            // The next claim states its number.
            ("withheld", "predicted"),
            ("stated", "repeated"),
            ("illegible", "none"),
        ];
        assert_eq!(bases, expected);
        assert_eq!(laboratory.declared("a.typed"), Some("a price"));
        assert_eq!(laboratory.declared("a.type"), None);
        assert_eq!(findings.last().map(|it| it.verdict), Some(crate::Verdict::Unreadable));
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
