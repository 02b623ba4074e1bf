//! All claims and studies together, as a store. This module must never know a metric's value, nor whether they agree.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::declared::{Declarations, Declared};
use crate::pattern::ByPattern;
use crate::study::{Band, Check, Derived, Source};
use crate::survey::Survey;
use crate::tolerance::Tolerance;
use crate::{Claim, Study};

/// Everything that was read, checked together.
#[derive(Debug)]
pub struct Laboratory {
    pub(crate) claims: Vec<Claim>,
    pub(crate) studies: Vec<Study>,
    pub(crate) surveys: BTreeMap<String, Survey>,
    pub(crate) tolerances: Vec<Tolerance>,
    pub(crate) declared: Declarations,
    pub(crate) causes: Vec<Declared>,
    /// The input files that are not there.
    pub(crate) absent: BTreeSet<String>,
}

impl Laboratory {
    /// The reason of the declaration about a claim, if it has any: that it follows from typed numbers, that other
    /// programs answer for its own, or that it is illegible.
    pub fn declared(&self, claim: &str) -> Option<&str> {
        self.declared.because(self.claims.iter().find(|known| known.id == claim)?)
    }

    /// Whether no declaration calls a claim illegible.
    pub(crate) fn is_legible(&self, claim: &Claim) -> bool {
        !self.declared.is_unreadable(claim)
    }

    /// The ids of the claims that a study decides: by a metric of its runs, models and surveys, a derived metric, or a
    /// check.
    pub fn decided_by<'a>(&'a self, study: &'a Study) -> BTreeSet<&'a str> {
        let yielded = study.sources.iter().flat_map(|source| &source.metrics);
        let yielded: ByPattern<'_, ()> =
            yielded.filter_map(|mapping| Some((mapping.metric.as_ref()?, ()))).collect();
        let derived = study.derived.iter().map(|derived| derived.metric.as_str());
        let worked_out: HashSet<_> =
            derived.chain(study.checks.iter().map(|check| check.claim.as_str())).collect();
        let is_decided = |id: &str| worked_out.contains(id) || yielded.get(id).is_some();
        self.claims.iter().map(|claim| claim.id.as_str()).filter(|id| is_decided(id)).collect()
    }

    /// All claims, in the order of their files; bounds of studies are the last.
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// All studies.
    pub fn studies(&self) -> &[Study] {
        &self.studies
    }

    pub(crate) fn derived(&self) -> impl Iterator<Item = (&Study, &Derived)> {
        self.studies.iter().flat_map(|study| study.derived.iter().map(move |derived| (study, derived)))
    }

    pub(crate) fn checks(&self) -> impl Iterator<Item = (&Study, &Check)> {
        self.studies.iter().flat_map(|study| study.checks.iter().map(move |check| (study, check)))
    }

    pub(crate) fn sources(&self) -> impl Iterator<Item = (&Study, &Source)> {
        self.studies.iter().flat_map(|study| study.sources.iter().map(move |source| (study, source)))
    }

    /// All metrics at further values of open inputs.
    pub(crate) fn bands(&self) -> impl Iterator<Item = (&Study, &Band)> {
        self.studies.iter().flat_map(|study| study.bands.iter().map(move |band| (study, band)))
    }

    pub(crate) fn has_survey(&self, file: &str) -> bool {
        self.surveys.contains_key(file)
    }
}
