//! All claims and studies together: the needed metrics, the runs that yield them, and the derived metrics. This module
//! must never run anything itself.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::absent::Absent;
pub use crate::assembly::Laboratory;
use crate::basis::Bases;
use crate::declared::{Declarations, Declared};
use crate::expression::{Expression, Value};
use crate::study::{Band, Derived, Origin, Source};
use crate::survey::Survey;
use crate::tolerance::Tolerance;
use crate::verdict::{Elsewhere, Finding, Verdict};
use crate::{Claim, Mistakes, Specification, Study, consistency, fallible, lineage, model, verdict};

/// Measured and derived metrics.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    numbers: BTreeMap<String, f64>,
    flags: BTreeMap<String, bool>,
    machines: BTreeMap<String, String>,
    /// Claims that a record has as undecidable.
    undecidable: BTreeSet<String>,
}

/// A run that is needed, and the study that asks for it.
#[derive(Clone, Copy, Debug)]
pub struct Needed<'a> {
    /// The study's name.
    pub study: &'a str,
    /// The run.
    pub run: &'a Specification,
    source: &'a Source,
}

impl Metrics {
    /// A number that was measured or derived.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.numbers.get(name).copied()
    }

    /// All numbers by name, measured and derived.
    pub fn numbers(&self) -> impl Iterator<Item = (&str, f64)> {
        self.numbers.iter().map(|(name, number)| (name.as_str(), *number))
    }

    /// Result of a claim: whether its check holds, and its number.
    pub fn of(&self, claim: &str) -> (Option<bool>, Option<f64>) {
        (self.flags.get(claim).copied(), self.number(claim))
    }

    /// The machine on which a metric was measured; `None` if it was not measured but follows from others.
    pub fn machine(&self, name: &str) -> Option<&str> {
        self.machines.get(name).map(String::as_str)
    }

    pub(crate) fn add_number(&mut self, name: &str, number: f64) {
        self.numbers.insert(name.to_owned(), number);
    }

    pub(crate) fn add_flag(&mut self, claim: &str, holds: bool) {
        self.flags.insert(claim.to_owned(), holds);
    }

    pub(crate) fn add_undecidable(&mut self, claims: impl Iterator<Item = String>) {
        self.undecidable.extend(claims);
    }

    fn add(&mut self, source: &Source, figures: &[(String, f64)]) {
        for (figure, value) in figures {
            let named = source.metrics.iter().filter_map(|mapping| mapping.apply(figure, *value));
            for (name, value) in named.filter(|(_, value)| value.is_finite()) {
                if let Origin::Run(run) = &source.origin {
                    self.machines.insert(name.clone(), run.machine.clone());
                }
                self.numbers.insert(name, value);
            }
        }
    }
}

impl Laboratory {
    /// Puts together claims, studies, surveys and rules; the bounds of the studies come after the claims.
    ///
    /// # Errors
    ///
    /// Mistakes that only show when everything is seen at once: two claims of one id, a claim decided twice, a metric
    /// that two sources yield, a metric derived twice or from itself, a metric without a source, an unknown survey, a
    /// model's setting that does not exist, a check that no run can fail.
    pub fn new(
        mut claims: Vec<Claim>,
        studies: Vec<Study>,
        surveys: BTreeMap<String, Survey>,
        tolerances: Vec<Tolerance>,
    ) -> Result<Self, Mistakes> {
        claims.extend(studies.iter().flat_map(|study| &study.bounds).cloned());
        let laboratory = Self {
            claims,
            studies,
            surveys,
            tolerances,
            declared: Declarations::default(),
            causes: Vec::new(),
            absent: BTreeSet::new(),
        };
        let mut mistakes = consistency::mistakes(&laboratory);
        if mistakes.is_empty() {
            mistakes = fallible::mistakes(&laboratory);
        }
        if mistakes.is_empty() { Ok(laboratory) } else { Err(mistakes) }
    }

    /// The laboratory without these input files: runs that read them are not [needed](Self::needed), and claims that
    /// need such runs name the [files](Finding::needs).
    #[must_use]
    pub fn without(self, absent: BTreeSet<String>) -> Self {
        Self { absent, ..self }
    }

    /// The laboratory with declarations about claims that no expression shows.
    #[must_use]
    pub fn declaring(self, declared: Declarations) -> Self {
        Self { declared, ..self }
    }

    /// The laboratory with the known causes of claims that differ.
    #[must_use]
    pub fn explaining(self, causes: Vec<Declared>) -> Self {
        Self { causes, ..self }
    }

    /// Why a claim that differs does so, if it is known.
    pub fn cause(&self, finding: &Finding<'_>) -> Option<&str> {
        let is_known = |it: &&Declared| finding.verdict == Verdict::Differs && it.is_of(finding.claim);
        self.causes.iter().find(is_known).map(|it| it.because.as_str())
    }

    /// Ids that a study decides and no claim has. They are no mistakes if the claims are not the study's own.
    pub fn strays(&self) -> Vec<&str> {
        let is_claim = |id: &str| self.claims.iter().any(|claim| claim.id == id);
        let decided = self.checks().map(|(_, check)| check.claim.as_str());
        decided.filter(|id| !is_claim(id)).collect()
    }

    /// The reason why the deciding expression says the same as the claim, if an expression decides it.
    pub fn because(&self, claim: &str) -> Option<&str> {
        let check = self.checks().find(|(_, check)| check.claim == claim);
        let derived = || self.derived().find(|(_, derived)| derived.metric == claim);
        let because = check.map(|(_, check)| &check.because);
        because.or_else(|| derived().map(|(_, derived)| &derived.because)).map(String::as_str)
    }

    /// Everything that these metrics follow from, themselves included.
    pub(crate) fn closure<'a>(&'a self, names: impl IntoIterator<Item = Vec<&'a str>>) -> BTreeSet<&'a str> {
        let derived: HashMap<_, _> = self.derived().map(|(_, it)| (it.metric.as_str(), it)).collect();
        lineage::closure(names.into_iter().flatten().collect(), |name| derived.get(name).copied())
    }

    /// The runs without which the claims under these prefixes cannot be held against anything, in the order of the
    /// studies. No prefix: every claim. A claim that needs files which are not there needs no runs.
    pub fn needed(&self, prefixes: &[String]) -> Vec<Needed<'_>> {
        let absent = Absent::of(self, &self.absent);
        let can_be = |claim: &&Claim| is_under(claim, prefixes) && self.lacks(claim, &absent).is_empty();
        let asked: BTreeSet<_> = self.claims.iter().filter(can_be).map(|claim| claim.id.as_str()).collect();
        let is_asked = |id: &str| asked.contains(id);
        let ids = asked.iter().copied();
        let checks = self.checks().filter(|(_, check)| is_asked(&check.claim));
        let names = checks.flat_map(|(_, check)| check.holds.iter().map(Expression::names));
        let names: Vec<_> = names.chain([ids.collect()]).collect();
        let mut closure = self.closure(names);
        let elsewhere = self.bands().filter(|(_, band)| closure.contains(band.metric.as_str()));
        let elsewhere: Vec<_> = elsewhere.map(|(_, band)| vec![band.by.as_str()]).collect();
        closure.extend(self.closure(elsewhere));
        let yields = |source: &Source| closure.iter().any(|name| source.yields(name));
        let needed = self.sources().filter_map(|(study, source)| match &source.origin {
            Origin::Run(run) if yields(source) => Some(Needed { study: &study.name, run, source }),
            _ => None,
        });
        needed.collect()
    }

    /// The files that are not there and without which a claim cannot be held against anything.
    fn lacks<'a>(&'a self, claim: &Claim, absent: &Absent<'a>) -> BTreeSet<&'a str> {
        let checks = self.checks().filter(|(_, check)| check.claim == claim.id);
        let checked = checks.flat_map(|(_, check)| &check.holds).flat_map(|it| absent.needs_of(it));
        checked.chain(absent.needs(&claim.id)).collect()
    }

    /// Every run of a study, with the place of its source in [`Study::sources`].
    pub(crate) fn runs_of<'a>(&'a self, study: &'a Study) -> Vec<(usize, Needed<'a>)> {
        let run = |(place, source): (usize, &'a Source)| match &source.origin {
            Origin::Run(run) => Some((place, Needed { study: &study.name, run, source })),
            _ => None,
        };
        study.sources.iter().enumerate().filter_map(run).collect()
    }

    /// The metrics, from the [numbers](crate::specification::numbers) of runs that went well, with the metrics of
    /// models and surveys, and all derived ones.
    pub fn metrics(&self, runs: &[(Needed<'_>, Vec<(String, f64)>)]) -> Metrics {
        let mut metrics = Metrics::default();
        for (needed, figures) in runs {
            metrics.add(needed.source, figures);
        }
        self.complete(metrics)
    }

    /// The metrics, from the metrics that studies of this laboratory have yielded already, with the metrics of models
    /// and surveys, and all derived ones.
    pub fn metrics_of<'m>(&self, found: impl IntoIterator<Item = (&'m Study, &'m str, f64)>) -> Metrics {
        let mut metrics = Metrics::default();
        for (study, name, number) in found {
            let source = study.sources.iter().find(|source| source.yields(name));
            if let Some(Origin::Run(run)) = source.map(|source| &source.origin) {
                metrics.machines.insert(name.to_owned(), run.machine.clone());
            }
            // Metrics derived from those of several studies are added below.
            if source.is_some() {
                metrics.numbers.insert(name.to_owned(), number);
            }
        }
        self.complete(metrics)
    }

    /// The metrics, from numbers of metrics that sources yield.
    pub(crate) fn metrics_from<'m>(&self, numbers: impl Iterator<Item = (&'m str, f64)>) -> Metrics {
        let numbers = numbers.map(|(name, number)| (name.to_owned(), number)).collect();
        self.complete(Metrics { numbers, ..Metrics::default() })
    }

    /// Adds the metrics of models and surveys, and all derived ones.
    fn complete(&self, mut metrics: Metrics) -> Metrics {
        for (_, source) in self.sources() {
            metrics.add(source, &self.evaluated(source));
        }
        self.follow(&mut metrics);
        metrics
    }

    /// The figures of a model or a survey; none of a run.
    pub(crate) fn evaluated(&self, source: &Source) -> Vec<(String, f64)> {
        match &source.origin {
            Origin::Run(_) => Vec::new(),
            Origin::Model { name, settings } => {
                let figures = model::figures(name, settings).unwrap_or_default();
                figures.into_iter().filter_map(|it| Some((it.name.to_owned(), it.value?))).collect()
            }
            Origin::Survey { file } => self.surveys.get(file).map(Survey::figures).unwrap_or_default(),
        }
    }

    /// Adds derived metrics until no more can be derived.
    fn follow(&self, metrics: &mut Metrics) {
        let mut todo: Vec<&Derived> = self.derived().map(|(_, derived)| derived).collect();
        loop {
            let before = todo.len();
            todo.retain(|derived| match derived.value.evaluate(&|name| metrics.number(name)) {
                Some(Value::Number(number)) => {
                    metrics.numbers.insert(derived.metric.clone(), number);
                    false
                }
                _ => true,
            });
            if todo.len() == before {
                break;
            }
        }
        for (_, check) in self.checks() {
            let flag = |expression: &Expression| match expression.evaluate(&|name| metrics.number(name)) {
                Some(Value::Flag(flag)) => Some(flag),
                _ => None,
            };
            let flags: Option<Vec<_>> = check.holds.iter().map(flag).collect();
            if let Some(flags) = flags {
                metrics.flags.insert(check.claim.clone(), flags.into_iter().all(|flag| flag));
            }
        }
    }

    /// Compares each bound of a study with its metric.
    pub(crate) fn bounds<'s>(&self, study: &'s Study, metrics: &Metrics) -> Vec<Finding<'s>> {
        let bounds = study.bounds.iter();
        bounds.map(|bound| verdict::hold(bound, metrics.of(&bound.id), &self.tolerances)).collect()
    }

    /// Compares each claim under these prefixes with its metric, in the order of the files. No prefix: every claim.
    /// Claims that a study says it was fitted to fix something, and so do the claims in `fixing`, which machines
    /// [name](crate::ledger::fixing).
    pub fn findings(
        &self,
        prefixes: &[String],
        metrics: &Metrics,
        fixing: &BTreeSet<String>,
    ) -> Vec<Finding<'_>> {
        // An id stands for one claim, and the beginning of ids for all of them.
        let is_id = |listed: &str| self.claims.iter().any(|claim| claim.id == listed);
        let names =
            |listed: &String, claim: &Claim| *listed == claim.id || claim.is_under(listed) && !is_id(listed);
        let listed = |claim: &Claim, study: &Study| study.fits.iter().any(|listed| names(listed, claim));
        let fits = |claim: &Claim| {
            fixing.contains(&claim.id) || self.studies.iter().any(|study| listed(claim, study))
        };
        let fixes = self.claims.iter().filter(|claim| claim.fit || fits(claim));
        let fixed: BTreeSet<_> = fixes.map(|claim| claim.id.as_str()).collect();
        let bases = Bases::new(self, &self.declared, &fixed).all();
        let points = self.points(metrics);
        let asked = self.claims.iter().filter(|claim| is_under(claim, prefixes));
        let absent = Absent::of(self, &self.absent);
        let findings = asked.map(|claim| {
            let mut finding = verdict::hold(claim, metrics.of(&claim.id), &self.tolerances);
            let needs = match finding.verdict {
                Verdict::NotMeasured => self.lacks(claim, &absent).into_iter().map(str::to_owned).collect(),
                _ => Vec::new(),
            };
            if !self.is_legible(claim) && finding.verdict == Verdict::NotMeasured {
                finding.verdict = Verdict::Unreadable;
            }
            let band = self.elsewhere(claim, &points);
            let basis = bases.get(claim.id.as_str()).copied();
            let fixes = fixed.contains(claim.id.as_str());
            let finding = Finding { fixes, basis, needs, ..finding }.across(band);
            finding.recorded(metrics.undecidable.contains(&claim.id))
        });
        findings.collect()
    }

    /// The metrics at each further value of an open input.
    fn points(&self, metrics: &Metrics) -> Vec<OpenPoint<'_>> {
        let mut points: Vec<OpenPoint<'_>> = Vec::new();
        for (_, band) in self.bands() {
            match points.iter_mut().find(|it| it.open == band.open && it.at == band.at) {
                Some(point) => point.bands.push(band),
                None => points.push(OpenPoint {
                    open: &band.open,
                    at: &band.at,
                    bands: vec![band],
                    missing: Vec::new(),
                    metrics: Metrics::default(),
                }),
            }
        }
        for point in &mut points {
            let missing = point.bands.iter().filter(|band| metrics.number(&band.by).is_none());
            point.missing = missing.map(|band| band.metric.as_str()).collect();
            point.metrics = self.metrics_at(&point.bands, metrics);
        }
        points
    }

    /// The metrics where these have their values at a further value of an open input.
    fn metrics_at(&self, bands: &[&Band], metrics: &Metrics) -> Metrics {
        let derived: BTreeSet<_> = self.derived().map(|(_, derived)| derived.metric.as_str()).collect();
        let measured = metrics.numbers().filter(|(name, _)| !derived.contains(name));
        let mut numbers: BTreeMap<_, _> = measured.map(|(name, it)| (name.to_owned(), it)).collect();
        for band in bands {
            match metrics.number(&band.by) {
                Some(number) => drop(numbers.insert(band.metric.clone(), number)),
                // The value there is not known.
                None => drop(numbers.remove(&band.metric)),
            }
        }
        let mut metrics = Metrics { numbers, ..Metrics::default() };
        self.follow(&mut metrics);
        metrics
    }

    /// The results of a claim at the further values of the open inputs that it depends on.
    fn elsewhere<'a>(&'a self, claim: &'a Claim, points: &[OpenPoint<'a>]) -> Vec<Elsewhere<'a>> {
        if points.is_empty() {
            return Vec::new();
        }
        let checks = self.checks().filter(|(_, check)| check.claim == claim.id);
        let names = checks.flat_map(|(_, check)| check.holds.iter().map(Expression::names));
        let closure = self.closure(names.chain([vec![claim.id.as_str()]]));
        let is_moved =
            |point: &&OpenPoint<'_>| point.bands.iter().any(|band| closure.contains(band.metric.as_str()));
        let at = |point: &OpenPoint<'a>| {
            let is_known = point.missing.iter().all(|name| !closure.contains(name));
            let metrics = if is_known { point.metrics.of(&claim.id) } else { (None, None) };
            let there = verdict::hold(claim, metrics, &self.tolerances);
            Elsewhere { open: point.open, at: point.at, measured: there.measured, verdict: there.verdict }
        };
        points.iter().filter(is_moved).map(at).collect()
    }
}

/// A further value of an open input, and the metrics there.
struct OpenPoint<'a> {
    open: &'a str,
    at: &'a str,
    bands: Vec<&'a Band>,
    /// Metrics that were not measured there.
    missing: Vec<&'a str>,
    metrics: Metrics,
}

fn is_under(claim: &Claim, prefixes: &[String]) -> bool {
    prefixes.is_empty() || prefixes.iter().any(|prefix| claim.is_under(prefix))
}
