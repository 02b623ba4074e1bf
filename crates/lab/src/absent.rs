//! Claims that cannot be measured because input files of a person are not there. This module must never look for a file.

use std::collections::{BTreeMap, BTreeSet};

use crate::Expression;
use crate::assembly::Laboratory;
use crate::pattern::Pattern;
use crate::study::Origin;

/// The names of files.
type Files<'a> = BTreeSet<&'a str>;

/// The metrics that cannot be measured, and the files that each needs.
#[derive(Debug, Default)]
pub(crate) struct Absent<'a> {
    /// Metrics that runs would yield.
    yielded: Vec<(&'a Pattern, Files<'a>)>,
    /// Metrics that would follow from these.
    derived: BTreeMap<&'a str, Files<'a>>,
}

impl<'a> Absent<'a> {
    /// The metrics of a laboratory that cannot be measured without these files.
    pub(crate) fn of(laboratory: &'a Laboratory, absent: &BTreeSet<String>) -> Self {
        let mut found = Self { yielded: yielded(laboratory, absent), derived: BTreeMap::new() };
        if found.yielded.is_empty() {
            return found;
        }
        let mut known = usize::MAX;
        while known != found.derived.len() {
            known = found.derived.len();
            for (_, derived) in laboratory.derived() {
                let needs = found.needs_of(&derived.value);
                if !needs.is_empty() {
                    found.derived.insert(&derived.metric, needs);
                }
            }
        }
        found
    }

    /// The files that a metric needs.
    pub(crate) fn needs(&self, metric: &str) -> Files<'a> {
        let yielded = self.yielded.iter().filter(|(pattern, _)| pattern.capture(metric).is_some());
        let yielded = yielded.flat_map(|(_, files)| files);
        yielded.chain(self.derived.get(metric).into_iter().flatten()).copied().collect()
    }

    /// The files that an expression needs.
    pub(crate) fn needs_of(&self, expression: &Expression) -> Files<'a> {
        expression.names().into_iter().flat_map(|name| self.needs(name)).collect()
    }
}

/// The metrics of the runs that read files which are not there.
fn yielded<'a>(laboratory: &'a Laboratory, absent: &BTreeSet<String>) -> Vec<(&'a Pattern, Files<'a>)> {
    let of_source = |(study, source): (&'a crate::Study, &'a crate::study::Source)| {
        let Origin::Run(run) = &source.origin else { return Vec::new() };
        let files = study.files.iter().filter(|file| absent.contains(&file.name) && file.is_read_by(run));
        let files: Files<'a> = files.map(|file| file.name.as_str()).collect();
        let metrics = source.metrics.iter().filter_map(|mapping| mapping.metric.as_ref());
        metrics.filter(|_| !files.is_empty()).map(|metric| (metric, files.clone())).collect::<Vec<_>>()
    };
    laboratory.sources().flat_map(of_source).collect()
}
