//! Uses of a source's number: a column of the study's table, and perhaps a metric. This module must never know the
//! meaning of a number.

use crate::mistake::Place;
use crate::pattern::Pattern;
use crate::specification::FIGURES;

/// Numbers that become columns and metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapping {
    /// Names of the numbers in the source; in a run, their [way through its answer](crate::specification::numbers).
    pub figure: Pattern,
    /// Name of the numbers in the study: that of a column, for figures to refer to. Its `*` is that of the number.
    pub name: Pattern,
    /// The metric that they become, a name that is used in all studies; its `*` is that of the number.
    pub metric: Option<Pattern>,
    /// The number that they are multiplied by.
    pub factor: f64,
    /// The unit of the product; `None` for that which the program states.
    pub unit: Option<String>,
    /// Place in the file; `None` for the default uses of a source.
    pub place: Option<Place>,
}

/// The name of the time that counts, and its way through the answer of a run.
pub const TIME: (&str, &str) = ("time", "time_ns");

/// The end of ways whose numbers are nanoseconds.
const NANOSECONDS: &str = "_ns";

impl Mapping {
    /// Default uses of a source's numbers: of a run the time that counts and all figures of the program, else all
    /// figures.
    pub(super) fn usual(is_run: bool) -> Vec<Self> {
        let all = Pattern::new("*").map(|all| Self::figure(all, is_run));
        let time = Pattern::new(TIME.0).filter(|_| is_run).map(|time| Self::named(time, is_run));
        time.into_iter().chain(all).collect()
    }

    /// The number of a name: of a run the time that counts, or a figure of the program.
    pub(super) fn named(name: Pattern, is_run: bool) -> Self {
        match Pattern::new(TIME.1).filter(|_| is_run && name.text() == TIME.0) {
            Some(time) => Self { name, ..Self::answer(time) },
            None => Self::figure(name, is_run),
        }
    }

    /// Use of a figure; in a run, of a figure that the program reports.
    pub(super) fn figure(name: Pattern, is_run: bool) -> Self {
        let figure = if is_run { name.behind(FIGURES) } else { name.clone() };
        Self { figure, name, metric: None, factor: 1.0, unit: None, place: None }
    }

    /// A number by its way through the answer of a run.
    pub(super) fn answer(way: Pattern) -> Self {
        let unit = if way.text().ends_with(NANOSECONDS) { "ns" } else { "" };
        Self {
            figure: way.clone(),
            name: way,
            metric: None,
            factor: 1.0,
            unit: Some(unit.to_owned()),
            place: None,
        }
    }

    /// The metric that a number becomes, if it becomes one by this.
    pub fn apply(&self, figure: &str, value: f64) -> Option<(String, f64)> {
        Some((self.metric.as_ref()?.fill(self.figure.capture(figure)?), value * self.factor))
    }

    /// The name that the study has for a number, and the number there, if it has one by this.
    pub fn column(&self, figure: &str, value: f64) -> Option<(String, f64)> {
        Some((self.name.fill(self.figure.capture(figure)?), value * self.factor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_says_nothing_has_its_time_and_its_figures() {
        let usual = Mapping::usual(true);
        let column = |figure: &str| usual.iter().find_map(|mapping| mapping.column(figure, 2.0));
        assert_eq!(column("time_ns"), Some(("time".to_owned(), 2.0)));
        assert_eq!(column("report.figures.gap.get"), Some(("gap.get".to_owned(), 2.0)));
        assert_eq!((column("whole_run_ns"), column("counters.messages")), (None, None));
        assert_eq!(usual[0].unit.as_deref(), Some("ns"));
        assert_eq!(usual[1].unit, None);
        let model = Mapping::usual(false);
        assert_eq!((model.len(), model[0].column("k", 1.0)), (1, Some(("k".to_owned(), 1.0))));
    }
}
