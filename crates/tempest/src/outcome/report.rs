//! The report of a program: its own check of the result, and its figures.
//!
//! This module must never know how a program checks.

use crate::NodeId;

/// The rule that combines the nodes' values of a figure into one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Merge {
    /// The sum of the nodes' values.
    Sum,
    /// The largest of the nodes' values.
    Max,
}

/// A named number that a program reports.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Figure {
    /// The name of the figure, in the words of the program's documentation.
    pub name: &'static str,
    /// The value of the figure.
    pub value: f64,
    /// The unit of the value, such as `us` or `MB/s`; empty for a pure number.
    pub unit: &'static str,
    /// The rule that combines the nodes' values of this figure into one.
    pub merge: Merge,
}

/// The result of a program's own check, and its figures.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Report {
    /// The number of results that the program compared with its reference.
    pub checks: u64,
    /// The differences from the reference, one line each.
    pub failures: Vec<String>,
    /// The program's figures.
    pub figures: Vec<Figure>,
    /// Numbered values for the code that made the job, in order of nodes. No document shows them.
    pub observations: Vec<(u64, i64)>,
}

impl Report {
    /// Makes a report of one check, which succeeded if `right`. `wrong` returns the line that describes the fault, and
    /// is called only if the check failed.
    pub fn checked(right: bool, wrong: impl FnOnce() -> String) -> Self {
        let failures = if right { Vec::new() } else { vec![wrong()] };
        Self { checks: 1, failures, ..Self::default() }
    }

    /// Adds a figure without a unit to this report. `merge` says how the nodes' values are combined into one.
    #[must_use = "returns the report with the figure"]
    pub fn figure(self, name: &'static str, value: f64, merge: Merge) -> Self {
        self.measured(name, value, "", merge)
    }

    /// Adds a figure with a unit to this report. `merge` says how the nodes' values are combined into one.
    #[must_use = "returns the report with the figure"]
    pub fn measured(mut self, name: &'static str, value: f64, unit: &'static str, merge: Merge) -> Self {
        self.figures.push(Figure { name, value, unit, merge });
        self
    }

    /// Adds another node's report to this one: adds the numbers of checks, joins failures and observations, and combines figures of
    /// the same name by their [`Merge`] rule.
    pub fn merge(&mut self, other: Report) {
        self.checks += other.checks;
        self.failures.extend(other.failures);
        self.observations.extend(other.observations);
        for figure in other.figures {
            match self.figures.iter_mut().find(|known| known.name == figure.name) {
                None => self.figures.push(figure),
                Some(known) => {
                    known.value = match figure.merge {
                        Merge::Sum => known.value + figure.value,
                        Merge::Max => known.value.max(figure.value),
                    }
                }
            }
        }
    }

    /// Writes the name of `node` at the head of each failure that does not name this node yet.
    pub(crate) fn name(&mut self, node: NodeId) {
        let name = node.to_string();
        // The name of node 2 is the beginning of that of node 20.
        let goes_on = |rest: &str| rest.starts_with(|next: char| next.is_ascii_digit());
        let is_named = |failure: &str| failure.split(&name).skip(1).any(|rest| !goes_on(rest));
        let nameless = self.failures.iter_mut().filter(|failure| !is_named(failure));
        nameless.for_each(|failure| *failure = format!("{name}: {failure}"));
    }

    /// Whether at least one check was made and none failed.
    pub fn verified(&self) -> bool {
        self.checks > 0 && self.failures.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_its_node_once() {
        let mut report = Report::checked(false, || "61 counters are wrong".to_owned());
        report.merge(Report::checked(false, || "word 3 of node 2 is wrong".to_owned()));
        report.merge(Report::checked(false, || "no word from node 20".to_owned()));
        report.name(NodeId(2));
        let named =
            ["node 2: 61 counters are wrong", "word 3 of node 2 is wrong", "node 2: no word from node 20"];
        assert_eq!(report.failures, named);
    }
}
