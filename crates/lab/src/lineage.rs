//! The lineage of a claim: the measured numbers that it is made of, and the runs that measure them. Two names that one run
//! gives to one number are the same number. This module must never know a measured value.

use std::collections::{BTreeSet, HashMap};

use crate::Specification;
use crate::assembly::Laboratory;
use crate::expression::Expression;
use crate::pattern::ByPattern;
use crate::study::{Check, Derived, Mapping, Origin, Source};

/// The names of a laboratory, with the tables of the studies behind them.
pub(crate) struct Lineage<'a> {
    derived: HashMap<&'a str, &'a Derived>,
    checks: HashMap<&'a str, &'a Check>,
    /// Sources by the metrics that they yield.
    yields: ByPattern<'a, Yield<'a>>,
    /// The uses of the numbers of each run, by its command line.
    uses: HashMap<Vec<String>, Vec<&'a Mapping>>,
}

/// The source of a metric, and the use of its number there.
#[derive(Clone, Copy)]
pub(crate) struct Yield<'a> {
    pub(crate) source: &'a Source,
    pub(crate) mapping: &'a Mapping,
}

/// The version of a program that measures a number: all that tells runs apart, but inputs and seeds.
pub(crate) type Version = String;

/// All metrics that these follow from, themselves included, where `derived` looks derived metrics up.
pub(crate) fn closure<'n>(
    mut names: Vec<&'n str>,
    derived: impl Fn(&str) -> Option<&'n Derived>,
) -> BTreeSet<&'n str> {
    let mut closure = BTreeSet::new();
    while let Some(name) = names.pop() {
        if closure.insert(name) {
            names.extend(derived(name).into_iter().flat_map(|derived| derived.value.names()));
        }
    }
    closure
}

impl<'a> Lineage<'a> {
    pub(crate) fn new(laboratory: &'a Laboratory) -> Self {
        let mut uses: HashMap<_, Vec<_>> = HashMap::new();
        for (_, source) in laboratory.sources() {
            if let Origin::Run(run) = &source.origin {
                uses.entry(run.arguments()).or_default().extend(&source.metrics);
            }
        }
        let mappings = laboratory
            .sources()
            .flat_map(|(_, source)| source.metrics.iter().map(move |mapping| (source, mapping)));
        let yields = mappings
            .filter_map(|(source, mapping)| Some((mapping.metric.as_ref()?, Yield { source, mapping })));
        Self {
            derived: laboratory.derived().map(|(_, it)| (it.metric.as_str(), it)).collect(),
            checks: laboratory.checks().map(|(_, it)| (it.claim.as_str(), it)).collect(),
            yields: yields.collect(),
            uses,
        }
    }

    /// Whether a check or a derived metric decides a claim.
    pub(crate) fn is_worked_out(&self, id: &str) -> bool {
        self.checks.contains_key(id) || self.derived.contains_key(id)
    }

    /// Whether a check decides a claim.
    pub(crate) fn is_checked(&self, id: &str) -> bool {
        self.checks.contains_key(id)
    }

    /// The derived metric of a name.
    pub(crate) fn derived(&self, name: &str) -> Option<&'a Derived> {
        self.derived.get(name).copied()
    }

    /// The metric that a name stands for: the end of derivations that only rename.
    pub(crate) fn root<'n>(&self, name: &'n str) -> &'n str
    where
        'a: 'n,
    {
        let renamed = self.derived(name).and_then(|derived| derived.value.metric());
        renamed.map_or(name, |other| self.root(other))
    }

    /// The source that yields a metric.
    pub(crate) fn yielded(&self, name: &str) -> Option<Yield<'a>> {
        self.yields.get(name).copied()
    }

    /// The run that measures a metric; `None` if something else yields it.
    pub(crate) fn run(&self, name: &str) -> Option<&'a Specification> {
        match &self.yielded(name)?.source.origin {
            Origin::Run(run) => Some(run),
            Origin::Model { .. } | Origin::Survey { .. } => None,
        }
    }

    /// The metrics in the check of a claim; without a check, the claim's own.
    fn first(&self, id: &'a str) -> Vec<&'a str> {
        match self.checks.get(id) {
            Some(check) => check.holds.iter().flat_map(Expression::names).collect(),
            None => vec![id],
        }
    }

    /// All metrics that these follow from, themselves included.
    pub(crate) fn closure<'n>(&self, names: Vec<&'n str>) -> BTreeSet<&'n str>
    where
        'a: 'n,
    {
        closure(names, |name| self.derived(name))
    }

    /// The metrics that a claim is made of, with the metrics that these are made of.
    pub(crate) fn parts(&self, id: &'a str) -> BTreeSet<&'a str> {
        self.closure(self.first(id))
    }

    /// The metrics that a claim is made of. A metric for which `ends` holds is not taken apart.
    pub(crate) fn leaves(&self, id: &'a str, ends: impl Fn(&str) -> bool) -> BTreeSet<&'a str> {
        let mut todo = self.first(id);
        let (mut seen, mut leaves) = (BTreeSet::new(), BTreeSet::new());
        while let Some(name) = todo.pop() {
            if !seen.insert(name) {
                continue;
            }
            match self.derived.get(name) {
                Some(derived) if name == id || !ends(name) => todo.extend(derived.value.names()),
                _ => drop(leaves.insert(name)),
            }
        }
        leaves
    }

    /// The other names of the number that a metric is.
    pub(crate) fn namesakes(&self, name: &str) -> Vec<String> {
        let named = || {
            let Yield { source, mapping } = self.yielded(name)?;
            let Origin::Run(run) = &source.origin else { return None };
            let figure = mapping.figure.fill(mapping.metric.as_ref()?.capture(name)?);
            let uses = self.uses.get(&run.arguments())?.iter();
            let names = uses.filter_map(|it| Some(it.metric.as_ref()?.fill(it.figure.capture(&figure)?)));
            Some(names.filter(|other| other != name).collect())
        };
        named().unwrap_or_default()
    }

    /// The versions whose runs measure a claim; `None` if something else than a run yields a part of it.
    pub(crate) fn versions(&self, id: &'a str) -> Option<BTreeSet<Version>> {
        let leaves = self.leaves(id, |_| false);
        leaves.iter().map(|leaf| self.run(leaf).map(version)).collect()
    }
}

/// The version of a run.
fn version(run: &Specification) -> Version {
    let alike = Specification { inputs: Vec::new(), seed: 0, round: 0, folder: None, ..run.clone() };
    alike.arguments().join(" ")
}
