//! Whether the figures of a study can be drawn from its runs, as far as names tell. Must never know a measured number.

use std::collections::BTreeMap;

use units::names::did_you_mean;

use super::{Coordinate, Figure, Lines, Series, quantity};
use crate::mistake::Place;
use crate::study::{Source, Study};
use crate::toml::Table;

/// Reports everything by which the figures of a study cannot be drawn.
pub(in crate::study) fn check(study: &Study, top: &Table<'_>) {
    for (index, figure) in study.figures.iter().enumerate() {
        if study.figures[..index].iter().any(|other| other.name == figure.name) {
            let expected = "a name that no other figure of the study has";
            top.report(figure.place, "figure.name", Some(format!("{:?}", figure.name)), expected.to_owned());
        }
        let checked = Checked { study, figure, top };
        match &figure.lines {
            Lines::Runs { series, panels } => checked.runs(series, panels),
            Lines::Metrics(series) => checked.metrics(series),
        }
    }
}

/// A figure that is being checked.
struct Checked<'a> {
    study: &'a Study,
    figure: &'a Figure,
    top: &'a Table<'a>,
}

impl Checked<'_> {
    fn refuse(&self, place: Place, key: &str, value: &str, expected: String) {
        self.top.report(place, &format!("figure.{key}"), Some(format!("{value:?}")), expected);
    }

    fn metrics(&self, series: &[Series]) {
        for (index, one) in series.iter().enumerate() {
            let is_same = |other: &&Series| other.label == one.label && other.panel == one.panel;
            if series[..index].iter().any(|other| is_same(&other)) {
                let expected = "a name that no other series of the panel has".to_owned();
                self.refuse(one.place, "series.label", &one.label, expected);
            }
            if let Err(expected) = self.is_yielded(one) {
                self.refuse(one.place, "series.metric", one.metric.text(), expected);
            }
        }
        if !self.figure.only.is_empty() {
            let expected = "no choice of runs where series are made of metrics".to_owned();
            self.top.report(self.figure.place, "figure.only", Some("[…]".to_owned()), expected);
        }
    }

    /// Whether the study yields metrics of a series, and what stands for the `*` is a number as far as one can tell.
    fn is_yielded(&self, series: &Series) -> Result<(), String> {
        let mapped = self.study.sources.iter().flat_map(|source| &source.metrics);
        let mapped = mapped.filter_map(|mapping| mapping.metric.as_ref());
        let derived = self.study.derived.iter().map(|derived| derived.metric.as_str());
        let (families, names): (Vec<_>, Vec<_>) = mapped.partition(|metric| metric.is_family());
        let names = names.into_iter().map(|metric| metric.text()).chain(derived);
        let across: Vec<_> = names.filter_map(|name| series.metric.capture(name)).collect();
        if let Some(text) = across.iter().find(|text| quantity(text).is_none()) {
            return Err(format!("a * that stands for numbers alone; `{text}` is none"));
        }
        let is_met = !across.is_empty() || families.iter().any(|family| family.overlaps(&series.metric));
        let expected = || "metrics that a run, a model or [[derived]] of this study yields".to_owned();
        if is_met { Ok(()) } else { Err(expected()) }
    }

    fn runs(&self, series: &[(String, Place)], panels: &[(String, Place)]) {
        let known = self.names(series, "series") & self.names(panels, "panels") & self.only();
        let known = known & self.across() & self.up();
        if !known {
            return;
        }
        let drawn = self.drawn(series, panels);
        if drawn.is_empty() {
            let expected = "runs that have all that the figure names; no run has".to_owned();
            self.refuse(self.figure.place, "name", &self.figure.name, expected);
        }
        self.numbers(&drawn);
        self.points(&drawn, series, panels);
        self.labels(&drawn, series);
    }

    /// Whether names are those of fields.
    fn names(&self, names: &[(String, Place)], key: &str) -> bool {
        let unknown: Vec<_> = names.iter().filter(|(name, _)| !self.is_field(name)).collect();
        for (name, place) in &unknown {
            self.refuse(*place, key, name, self.expected("an axis of the runs", name, self.fields()));
        }
        unknown.is_empty()
    }

    fn only(&self) -> bool {
        let place = self.figure.place;
        let mut well = true;
        for (name, values) in &self.figure.only {
            let found: Vec<_> = self.study.sources.iter().filter_map(|source| source.field(name)).collect();
            let unknown = values.iter().filter(|value| !found.contains(&value.as_str()));
            for value in unknown.clone() {
                let expected = match found.is_empty() {
                    true => self.expected("an axis of the runs", name, self.fields()),
                    false => self.expected("a value of the runs", value, found.clone()),
                };
                self.refuse(place, &format!("only.{name}"), value, expected);
            }
            well &= unknown.count() == 0;
        }
        well
    }

    fn across(&self) -> bool {
        let x = &self.figure.x;
        let well = self.is_field(&x.of) || self.is_column(&x.of);
        if !well {
            let names = [self.fields(), self.columns()].concat();
            self.refuse(x.place, "x", &x.of, self.expected("an axis or a value of the runs", &x.of, names));
        }
        well
    }

    fn up(&self) -> bool {
        let Coordinate { of, place, .. } = &self.figure.y;
        let well = self.is_column(of);
        if !well {
            let what = "`time`, or a number that stands in `metrics` of the runs";
            self.refuse(*place, "y", of, self.expected(what, of, self.columns()));
        }
        well
    }

    fn expected(&self, what: &str, name: &str, mut names: Vec<&str>) -> String {
        names.sort_unstable();
        names.dedup();
        let nearest = did_you_mean(name, names.iter().copied());
        format!("{what}:{nearest} one of {}", names.join(", "))
    }

    fn is_field(&self, name: &str) -> bool {
        self.study.sources.iter().any(|source| source.field(name).is_some())
    }

    fn is_column(&self, name: &str) -> bool {
        self.study.sources.iter().any(|source| has_column(source, name))
    }

    fn fields(&self) -> Vec<&str> {
        let fields = self.study.sources.iter().flat_map(|source| &source.fields);
        fields.map(|(name, _)| name.as_str()).collect()
    }

    fn columns(&self) -> Vec<&str> {
        let mappings = self.study.sources.iter().flat_map(|source| &source.metrics);
        mappings.map(|mapping| mapping.name.text()).filter(|name| *name != ANY).collect()
    }

    /// The sources that the figure draws.
    fn drawn(&self, series: &[(String, Place)], panels: &[(String, Place)]) -> Vec<&Source> {
        let has = |source: &Source| {
            let x = &self.figure.x.of;
            let mut names = series.iter().chain(panels);
            (source.field(x).is_some() || has_column(source, x))
                && has_column(source, &self.figure.y.of)
                && names.all(|(name, _)| source.field(name).is_some())
                && self.figure.takes(|name| source.field(name))
        };
        self.study.sources.iter().filter(|source| has(source)).collect()
    }

    /// Whether what goes across is a number everywhere, or nowhere.
    fn numbers(&self, drawn: &[&Source]) {
        let x = &self.figure.x;
        let texts: Vec<_> = drawn.iter().filter_map(|source| source.field(&x.of)).collect();
        let numbers: Vec<_> = texts.iter().filter_map(|text| quantity(text)).collect();
        let odd = texts.iter().find(|text| quantity(text).is_none());
        if let Some(odd) = odd.filter(|_| !numbers.is_empty()) {
            self.refuse(x.place, "x", &x.of, format!("numbers in all runs, or in none; `{odd}` is none"));
        }
        let y = &self.figure.y;
        if odd.is_some() && y.ends != (None, None) {
            self.refuse(
                y.place,
                "y",
                &y.of,
                "neither from nor to: names across make bars, which begin at 0".to_owned(),
            );
        }
        if let Some((first, other)) =
            numbers.iter().find_map(|it| Some(numbers[0]).filter(|one| one.1 != it.1).zip(Some(*it)))
        {
            let expected = format!("one unit in all runs, found `{}` and `{}`", first.1, other.1);
            self.refuse(x.place, "x", &x.of, expected);
        }
    }

    /// No two runs are drawn in one place.
    fn points(&self, drawn: &[&Source], series: &[(String, Place)], panels: &[(String, Place)]) {
        let x = &self.figure.x.of;
        let names: Vec<&str> =
            series.iter().chain(panels).map(|(name, _)| name.as_str()).chain([x.as_str()]).collect();
        let mut seen: BTreeMap<Vec<Option<&str>>, &Source> = BTreeMap::new();
        for source in drawn.iter().filter(|source| source.field(x).is_some()) {
            let point = names.iter().map(|name| source.field(name)).collect();
            let Some(other) = seen.insert(point, source) else { continue };
            let differing = source.fields.iter().filter(|(name, value)| other.field(name) != Some(value));
            let differing: Vec<_> = differing.map(|(name, _)| format!("`{name}`")).collect();
            let expected = match differing.is_empty() {
                true => "runs that differ; two are the same".to_owned(),
                false => format!(
                    "one run for each point; some differ in {} alone: name it in series or panels, or choose with \
                     only = {{ … }}",
                    differing.join(", ")
                ),
            };
            return self.refuse(self.figure.place, "name", &self.figure.name, expected);
        }
    }

    /// No two series have one name.
    fn labels(&self, drawn: &[&Source], series: &[(String, Place)]) {
        let mut seen: BTreeMap<Vec<&str>, Vec<&str>> = BTreeMap::new();
        for source in drawn {
            let values: Vec<_> = series.iter().filter_map(|(name, _)| source.field(name)).collect();
            let labels = values.iter().map(|value| self.study.label(value)).collect();
            let other = seen.insert(labels, values.clone());
            if let (Some(other), Some((name, place))) =
                (other.filter(|other| *other != values), series.first())
            {
                let expected = format!(
                    "a label of its own for each series; {} and {} have one",
                    other.join(", "),
                    values.join(", ")
                );
                return self.refuse(*place, "series", name, expected);
            }
        }
    }
}

/// The family of all names, which tells nothing about any of them.
const ANY: &str = "*";

/// Whether a source may yield a number of this name, as far as its file tells.
fn has_column(source: &Source, name: &str) -> bool {
    let names = source.metrics.iter().map(|mapping| &mapping.name).filter(|name| name.text() != ANY);
    names.into_iter().any(|known| known.capture(name).is_some())
}
