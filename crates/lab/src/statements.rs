//! The numbers that claims of the literature state of metrics. This module must never know a measured value.

use std::collections::HashMap;

use crate::claim::Role;
use crate::laboratory::Laboratory;
use crate::lineage::Lineage;

/// Numbers that legible results state and do not hold out, by metric.
pub(crate) struct Statements<'a> {
    lineage: Lineage<'a>,
    numbers: HashMap<&'a str, f64>,
}

impl<'a> Statements<'a> {
    pub(crate) fn new(laboratory: &'a Laboratory) -> Self {
        let lineage = Lineage::new(laboratory);
        let results = laboratory.claims().iter().filter(|claim| {
            let is_open = claim.role == Role::Result && !claim.held_out;
            is_open && !lineage.is_checked(&claim.id) && laboratory.is_legible(claim)
        });
        let mut numbers = HashMap::new();
        for (id, number) in results.filter_map(|claim| Some((claim.id.as_str(), claim.number()?))) {
            // Of two claims about one metric the first is told.
            numbers.entry(lineage.root(id)).or_insert(number);
        }
        Self { lineage, numbers }
    }

    /// The number that a claim states of a metric, under this name or another for the same number.
    pub(crate) fn of(&self, metric: &str) -> Option<f64> {
        self.numbers.get(self.lineage.root(metric)).copied()
    }
}
