//! The document of a study, made from the laboratory's results. This module must never measure anything.

use compare::interval;
use indexmap::{IndexMap, IndexSet};
use lab::Expression;
use lab::drawing::{Across, Axis, Drawing, Line, Panel, Point};
use lab::results::{Number, Results, Row};
use lab::study::{Level, Origin, Scale, Source};
use tempest::policy::Split;

use super::circumstances::Circumstances;
use super::claims::{Claim, FailedRun, Scalar};
use super::documented::{Documented, documented};
use super::partial::Partial;
use super::study::{
    Bounds, Check, CheckPart, Figure, FigureAxis, FigureLevel, FigurePanel, FigurePoint, FigureSeries, Study,
    StudyColumn, StudyDerived, StudyFree, StudyNumber, StudyRow, StudyTable,
};

/// The factor between the least and the greatest value along an axis from which on equal factors are equally long, unless the
/// study says otherwise.
const WIDE: f64 = 30.0;

/// The factor between neighbours on an axis from which on they are taken for steps by factors.
const FACTOR: f64 = 2.0;

/// What is stated of every run, and tells nothing where it is the same in all of them.
const USUAL: (&str, &str) = ("seed", "1");

/// The field of the processors of each node that were at work. A run without a result does not have it.
pub(super) const PROCESSORS: &str = "procs";

impl Study {
    /// Makes the document of a study's results. `failed_runs` are the runs without one.
    pub fn new(results: &Results<'_>, failed_runs: Vec<FailedRun>, partial: Option<Partial>) -> Self {
        let study = results.study;
        let look = |name: &str| results.metrics.number(name);
        let check = |check: &lab::study::Check| Check {
            claim: check.claim.clone(),
            holds: results.metrics.of(&check.claim).0,
            because: check.because.clone(),
            parts: check.holds.iter().map(|it| CheckPart::new(it, &look)).collect(),
        };
        let derived = |derived: &lab::study::Derived| StudyDerived {
            metric: derived.metric.clone(),
            expression: derived.value.to_string(),
            value: look(&derived.metric),
            because: derived.because.clone(),
        };
        Self {
            version: super::VERSION,
            partial,
            circumstances: results.rows.iter().find_map(|row| Circumstances::read(&row.circumstances)),
            study: study.name.clone(),
            summary: study.summary.clone(),
            file: study.file.clone(),
            runs: study.runs() as usize,
            failed_runs,
            tables: tables(&results.rows),
            metrics: results.metrics.numbers().map(|(name, number)| (name.to_owned(), number)).collect(),
            derived: study.derived.iter().map(derived).collect(),
            checks: study.checks.iter().map(check).collect(),
            bounds: results.bounds.iter().map(Claim::bound).collect(),
            figures: results.drawings().iter().map(Figure::from).collect(),
            leaves_out: study.leaves_out.clone(),
        }
    }
}

impl StudyTable {
    /// The names of fields that differ between the rows, and of those that do not.
    pub(crate) fn axes(&self) -> (Vec<&String>, Vec<&String>) {
        let values =
            |name: &String| self.rows.iter().map(|row| row.fields.get(name)).collect::<IndexSet<_>>();
        self.fields.iter().partition(|name| values(name).len() > 1)
    }
}

impl CheckPart {
    /// An expression, where `look` says what a metric is.
    fn new(expression: &Expression, look: &dyn Fn(&str) -> Option<f64>) -> Self {
        let holds = match expression.evaluate(look) {
            Some(lab::Value::Flag(flag)) => Some(flag),
            _ => None,
        };
        let metrics = expression.names().into_iter().map(|name| (name.to_owned(), look(name)));
        Self { expression: expression.to_string(), holds, metrics: metrics.collect() }
    }
}

/// The table of the file that a source is made from.
fn table_of(source: &Source) -> (u8, usize) {
    let kind = match source.origin {
        Origin::Run(_) => 0,
        Origin::Model { .. } => 1,
        Origin::Survey { .. } => 2,
    };
    (kind, source.table)
}

fn tables(rows: &[Row<'_>]) -> Vec<StudyTable> {
    let same = |one: &Row<'_>, other: &Row<'_>| table_of(one.source) == table_of(other.source);
    rows.chunk_by(same).map(table).collect()
}

fn table(rows: &[Row<'_>]) -> StudyTable {
    let stated = rows.iter().flat_map(|row| &row.source.fields).map(|(name, _)| name.as_str());
    let at_work = rows.iter().any(|row| row.split.is_some()).then_some(PROCESSORS);
    let named: IndexSet<&str> = stated.chain(at_work).collect();
    let values = |name: &str| {
        let of_rows = rows.iter().map(|row| field(row, name));
        of_rows.filter(|value| value.is_some() || name != PROCESSORS).collect::<IndexSet<_>>()
    };
    let usual = Some(USUAL.1.to_owned());
    let named = named.into_iter().filter(|name| !(*name == USUAL.0 && values(name).iter().eq([&usual])));
    let (axes, rest): (Vec<_>, Vec<_>) = named.partition(|name| values(name).len() > 1);
    let fields: Vec<String> = axes.into_iter().chain(rest).map(str::to_owned).collect();
    let mut columns: IndexMap<&str, &str> = IndexMap::new();
    for (name, number) in rows.iter().flat_map(|row| &row.columns) {
        columns.entry(name).or_insert(&number.unit);
    }
    let row = |row: &Row<'_>| StudyRow {
        fields: fields.iter().filter_map(|name| Some((name.clone(), field(row, name)?))).collect(),
        rounds: row.rounds,
        world: row.world.clone(),
        oversubscribed: row.is_oversubscribed,
        numbers: columns
            .keys()
            .map(|name| ((*name).to_owned(), row.column(name).and_then(StudyNumber::of)))
            .collect(),
        time_ns: row.spent.as_ref().and_then(|spent| spent.length),
        breakdown_ns: row.spent.as_ref().and_then(|spent| serde_json::from_value(spent.time.clone()).ok()),
        volume_bytes: row.spent.as_ref().and_then(|spent| serde_json::from_value(spent.volume.clone()).ok()),
    };
    let column =
        |(name, unit): (&&str, &&str)| StudyColumn { name: (*name).to_owned(), unit: (*unit).to_owned() };
    let rows_of: Vec<_> = rows.iter().map(row).collect();
    let columns: Vec<_> = columns.iter().map(column).collect();
    let free = rows.first().map(|row| row.source.free.as_slice()).unwrap_or_default();
    let free = (!free.is_empty()).then(|| StudyFree::of(free, &fields, &columns, &rows_of));
    StudyTable { rows: rows_of, columns, fields, free }
}

/// The value of a field of a run: what is stated of it, or the processors of each node that were at work.
fn field(row: &Row<'_>, name: &str) -> Option<String> {
    let split = row.split.filter(|_| name == PROCESSORS);
    let split = split.map(|(computing, dedicated)| Split { computing, dedicated }.to_string());
    row.source.field(name).map(str::to_owned).or(split)
}

impl StudyNumber {
    /// A number as often as it was measured; `None` if it never was.
    fn of(number: &Number) -> Option<Self> {
        (!number.samples.is_empty()).then(|| Self {
            median: number.median(),
            interval: Bounds::of(&number.samples),
            samples: number.samples.clone(),
        })
    }
}

impl Bounds {
    /// The interval of the median of these numbers; `None` of one, where nothing is known of that.
    fn of(samples: &[f64]) -> Option<Self> {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (cut, level) = interval::cut(sorted.len(), interval::level(1));
        let ends = (sorted.get(cut)?, sorted.get(sorted.len() - 1 - cut)?);
        (sorted.len() > 1).then_some(Self { low: *ends.0, high: *ends.1, level })
    }
}

impl From<&Drawing<'_>> for Figure {
    fn from(drawing: &Drawing<'_>) -> Self {
        let points = || drawing.panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| &line.points);
        let across: Vec<f64> = points().filter_map(|point| number(&point.across)).collect();
        let up: Vec<f64> = points().flat_map(|point| point.up.iter().chain(&point.stated)).copied().collect();
        Self {
            name: drawing.figure.name.clone(),
            title: drawing.title.clone(),
            x: axis(&drawing.x, &across, is_geometric(&across)),
            y: axis(&drawing.y, &up, false),
            panels: drawing.panels.documented(),
            levels: drawing.figure.levels.documented(),
        }
    }
}

fn number(across: &Across) -> Option<f64> {
    match across {
        Across::Number(number) => Some(*number),
        Across::Name(_) => None,
    }
}

/// Whether numbers grow by factors: a sweep that was meant to be.
fn is_geometric(along: &[f64]) -> bool {
    let mut sorted = along.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    sorted.len() > 2 && sorted[0] > 0.0 && sorted.windows(2).all(|pair| pair[1] >= FACTOR * pair[0])
}

/// An axis in words, and its scale: that of the study, else one of equal factors if `by_factors` or the numbers span a wide range.
fn axis(axis: &Axis, along: &[f64], by_factors: bool) -> FigureAxis {
    let least = along.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = along.iter().copied().fold(0.0, f64::max);
    let is_log = match axis.scale {
        Some(scale) => scale == Scale::Log,
        None => by_factors || least > 0.0 && greatest > WIDE * least,
    };
    let scale = if is_log { "log" } else { "linear" };
    let (from, to) = axis.ends;
    FigureAxis { label: axis.label.clone(), unit: axis.unit.clone(), scale: scale.to_owned(), from, to }
}

documented!(|it: Level| FigureLevel { at, label });

documented!(|it: Panel| FigurePanel { title, series: it.lines.documented() });

documented!(|it: Line| FigureSeries { label, points });

documented!(|it: Point| FigurePoint {
    x: match &it.across {
        Across::Number(number) => Scalar::Number(*number),
        Across::Name(name) => Scalar::Text(name.clone()),
    },
    y: StudyNumber::of(&Number { samples: it.up.clone(), unit: String::new() }),
    stated: it.stated,
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_over_a_wide_range_is_divided_by_factors() {
        let words =
            |scale| Axis { label: "size".to_owned(), unit: "B".to_owned(), scale, ends: (None, None) };
        let scale = |told, along: &[f64]| axis(&words(told), along, is_geometric(along)).scale;
        assert_eq!(scale(None, &[4.0, 2.0, 1.0, 2.0]), "log");
        assert_eq!(scale(None, &[1.0, 2.0, 3.0]), "linear");
        assert_eq!(scale(None, &[1.0, 31.0]), "log");
        assert_eq!(scale(None, &[1.0, 29.0]), "linear");
        assert_eq!(scale(None, &[0.0, 1000.0]), "linear");
        assert_eq!(scale(Some(Scale::Linear), &[1.0, 1000.0]), "linear");
    }

    #[test]
    fn nine_rounds_have_an_interval_from_the_second_to_the_eighth_and_one_has_none() {
        let nine: Vec<f64> = (1..=9).rev().map(f64::from).collect();
        let bounds = Bounds::of(&nine).unwrap();
        assert_eq!((bounds.low, bounds.high), (2.0, 8.0));
        assert!(bounds.level > 0.95);
        assert!(Bounds::of(&[3.0, 1.0]).is_some_and(|it| (it.low, it.high) == (1.0, 3.0) && it.level < 0.95));
        assert_eq!((Bounds::of(&[1.0]), Bounds::of(&[])), (None, None));
    }
}
