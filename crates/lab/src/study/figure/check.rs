//! Whether the figures of a study can be drawn from its runs, as far as names tell. This module must never know a measured number.

use std::collections::BTreeMap;

use units::names::did_you_mean;

use super::picture::{Coordinate, Figure, Lines, Only, Scale, Series, quantity};
use crate::mistake::Place;
use crate::study::contents::{Source, Study};
use crate::toml::Table;

/// Reports all reasons for which the figures of a study cannot be drawn. Unless all sources of figures could be read
/// (`are_read`), names are not checked: they may stand in the unread part.
pub(crate) fn check(study: &Study, are_read: bool, top: &Table<'_>) {
    for (index, figure) in study.figures.iter().enumerate() {
        if study.figures[..index].iter().any(|other| other.name == figure.name) {
            let expected = "a name that no other figure of the study has";
            top.report(figure.named, "figure.name", Some(format!("{:?}", figure.name)), expected.to_owned());
        }
        let checked = Checked { study, figure, top };
        match &figure.lines {
            Lines::Runs { series, panels } => {
                let are_apart = checked.apart(series, panels);
                if are_read && are_apart {
                    checked.runs(series, panels);
                }
            }
            Lines::Metrics(series) => {
                checked.distinct(series);
                if are_read {
                    series.iter().for_each(|one| checked.yielded(one));
                }
            }
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

    /// No two series of a panel have one name, and none is chosen.
    fn distinct(&self, series: &[Series]) {
        for (index, one) in series.iter().enumerate() {
            let told = |series: &Series| [&series.label, &series.panel].map(|it| self.study.labelled(it));
            if series[..index].iter().any(|other| told(other) == told(one)) {
                let expected = "a name that no other series of the panel has".to_owned();
                self.refuse(one.place, "series.label", &one.label, expected);
            }
        }
        if let Some(Only { field, values, place }) = self.figure.only.first() {
            let expected = "no choice of runs where series are made of metrics".to_owned();
            self.refuse(*place, &format!("only.{field}"), &values.join(", "), expected);
        }
    }

    fn yielded(&self, series: &Series) {
        if let Err(expected) = self.is_yielded(series) {
            self.refuse(series.place, "series.metric", series.metric.text(), expected);
        }
    }

    /// Whether the study yields metrics of a series, and the text for the `*` is a number that the axis can show, as
    /// far as it is known.
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
        if let Some(text) = across.iter().find(|text| !self.has_place(text)) {
            return Err(format!(
                "a * that stands for numbers above 0, for scale = \"log\"; `{text}` is none"
            ));
        }
        let is_met = !across.is_empty() || families.iter().any(|family| family.overlaps(&series.metric));
        let expected = || "metrics that a run, a model or [[derived]] of this study yields".to_owned();
        if is_met { Ok(()) } else { Err(expected()) }
    }

    /// Whether `x`, `series` and `panels` name each field once: a second use distinguishes nothing.
    fn apart(&self, series: &[(String, Place)], panels: &[(String, Place)]) -> bool {
        let mut seen = vec![("x", self.figure.x.of.as_str())];
        let mut well = true;
        for (key, names) in [("series", series), ("panels", panels)] {
            for (name, place) in names {
                if let Some((other, _)) = seen.iter().find(|(_, known)| known == name) {
                    let expected = format!("an axis that {other} does not name");
                    let expected = if *other == key { "every axis once".to_owned() } else { expected };
                    self.refuse(*place, key, name, expected);
                    well = false;
                }
                seen.push((key, name));
            }
        }
        well
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
            self.refuse(self.figure.named, "name", &self.figure.name, expected);
        }
        self.numbers(&drawn);
        self.points(&drawn, series, panels);
        self.labels(&drawn, series);
    }

    /// Whether all names are names of fields.
    fn names(&self, names: &[(String, Place)], key: &str) -> bool {
        let unknown: Vec<_> = names.iter().filter(|(name, _)| !self.is_field(name)).collect();
        for (name, place) in &unknown {
            self.refuse(*place, key, name, self.expected("an axis of the runs", name, self.fields()));
        }
        unknown.is_empty()
    }

    fn only(&self) -> bool {
        let mut well = true;
        for Only { field: name, values, place } in &self.figure.only {
            let found: Vec<_> = self.study.sources.iter().filter_map(|source| source.field(name)).collect();
            let unknown = values.iter().filter(|value| !found.contains(&value.as_str()));
            for value in unknown.clone() {
                let expected = match found.is_empty() {
                    true => self.expected("an axis of the runs", name, self.fields()),
                    false => self.expected("a value of the runs", value, found.clone()),
                };
                self.refuse(*place, &format!("only.{name}"), value, expected);
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

    /// Checks that the horizontal coordinates are all numbers, or all texts.
    fn numbers(&self, drawn: &[&Source]) {
        let x = &self.figure.x;
        let texts: Vec<_> = drawn.iter().filter_map(|source| source.field(&x.of)).collect();
        let numbers: Vec<_> = texts.iter().filter_map(|text| quantity(text)).collect();
        let odd = texts.iter().find(|text| quantity(text).is_none());
        if let Some(odd) = odd.filter(|_| !numbers.is_empty()) {
            self.refuse(x.place, "x", &x.of, format!("numbers in all runs, or in none; `{odd}` is none"));
        }
        if let Some(text) = texts.iter().find(|text| !self.has_place(text)) {
            let expected = format!("numbers above 0 in all runs, for scale = \"log\"; `{text}` is none");
            self.refuse(x.place, "x", &x.of, expected);
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

    /// Whether the horizontal axis has a place for a number: a logarithmic axis has none for 0 and for lower ones. True
    /// for a text that is no number, which is reported elsewhere.
    fn has_place(&self, text: &str) -> bool {
        let x = &self.figure.x;
        x.scale != Some(Scale::Log) || quantity(text).is_none_or(|(number, _)| number * x.factor > 0.0)
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
            return self.refuse(self.figure.named, "name", &self.figure.name, expected);
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

/// The pattern of all names, which says nothing about any of them.
const ANY: &str = "*";

/// Whether a source may yield a number of this name, as far as its file tells.
fn has_column(source: &Source, name: &str) -> bool {
    let names = source.metrics.iter().map(|mapping| &mapping.name).filter(|name| name.text() != ANY);
    names.into_iter().any(|known| known.capture(name).is_some())
}

#[cfg(test)]
mod tests {
    use crate::study::read;

    const STUDY: &str = r#"
summary = "s"
[[run]]
program = "toy"
machine = ["cm-5", "t3d"]
policy = ["np", "proc"]
inputs = { size = [0, 1, 2] }
metrics = ["time", { figure = "gap", metric = "a.{machine}.{size}" }]

[[figure]]
name = "sizes"
x = "size"
y = "time"
series = "policy"
panels = "machine"
"#;

    fn said(text: &str) -> Vec<String> {
        let mistakes = read("toy.toml", text).map_or_else(|mistakes| mistakes, |_| Vec::new());
        mistakes.iter().map(ToString::to_string).collect()
    }

    /// Mistakes of the study with some texts replaced.
    fn with(changes: &[(&str, &str)]) -> Vec<String> {
        said(&changes.iter().fold(STUDY.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        }))
    }

    #[test]
    fn a_run_with_a_mistake_makes_no_mistakes_in_figures() {
        let of_machine = |list: &str| with(&[("[\"cm-5\", \"t3d\"]", list)]);
        let twice = "toy.toml:5:11: run.machine = [\"t3d\", \"t3d\"]: expected every value once; `t3d` stands there twice";
        assert_eq!(of_machine("[\"t3d\", \"t3d\"]"), [twice]);
        let empty = "expected a list of texts or numbers that is not empty";
        assert_eq!(of_machine("[]"), [format!("toy.toml:5:11: run.machine = []: {empty}")]);
        let program = with(&[("\"toy\"", "[]")]);
        assert_eq!(program, [format!("toy.toml:4:11: run.program = []: {empty}")]);
        let each = with(&[
            ("machine = [\"cm-5\", \"t3d\"]", "machine = \"{m}\"\neach = { m = [] }"),
            ("a.{machine}", "a.{m}"),
        ]);
        assert_eq!(each, [format!("toy.toml:6:14: run.each.m = []: {empty}")]);
        let input = with(&[("[0, 1, 2]", "[]")]);
        assert_eq!(input, [format!("toy.toml:7:19: run.inputs.size = []: {empty}")]);
        // Mistakes that do not depend on runs are reported all the same.
        let both = with(&[("[\"cm-5\", \"t3d\"]", "[]"), ("panels = \"machine\"", "panels = \"policy\"")]);
        assert_eq!(both.len(), 2, "{both:?}");
        let runs = said("summary = \"s\"\n[[figure]]\nx = \"size\"\ny = \"time\"\n");
        assert!(runs[0].contains("run is missing: expected at least one [[run]]"), "{runs:?}");
    }

    #[test]
    fn a_figure_names_an_axis_once() {
        let panels = with(&[
            ("panels = \"machine\"", "panels = \"policy\""),
            ("\"policy\"\npan", "[\"policy\", \"policy\"]\npan"),
        ]);
        assert_eq!(
            panels,
            [
                "toy.toml:14:10: figure.series = \"policy\": expected every axis once",
                "toy.toml:15:10: figure.panels = \"policy\": expected an axis that series does not name"
            ]
        );
        let x = with(&[("\"policy\"\npan", "\"size\"\npan")]);
        assert_eq!(x, ["toy.toml:14:10: figure.series = \"size\": expected an axis that x does not name"]);
    }

    #[test]
    fn a_factor_of_nothing_is_refused() {
        let figure = with(&[("y = \"time\"", "y = { of = \"time\", factor = 0 }")]);
        let expected =
            "figure.y.factor = 0: expected a number other than 0 that the numbers are multiplied by";
        assert_eq!(figure, [format!("toy.toml:13:29: {expected}")]);
        let number = with(&[("figure = \"gap\",", "figure = \"gap\", factor = 0.0,")]);
        assert!(number[0].contains("run.metrics.factor = 0.0: expected a number other than 0"), "{number:?}");
    }

    #[test]
    fn an_axis_by_factors_goes_through_numbers_above_zero() {
        let log = ("x = \"size\"", "x = { of = \"size\", scale = \"log\" }");
        let zero = "expected numbers above 0 in all runs, for scale = \"log\"; `0` is none";
        assert_eq!(with(&[log]), [format!("toy.toml:12:5: figure.x = \"size\": {zero}")]);
        assert_eq!(with(&[log, ("[0, 1, 2]", "[1, 2]")]), [""; 0]);
        assert_eq!(with(&[log, ("panels", "only = { size = [\"1\", \"2\"] }\npanels")]), [""; 0]);
        let metrics = "x = { label = \"size\", scale = \"log\" }\ny = \"gap\"\n[[figure.series]]\nlabel = \"a\"\nmetric = \"a.t3d.*\"\n";
        let (study, _) = STUDY.split_once("x = ").unwrap();
        let told = said(&format!("{study}{metrics}"));
        assert!(
            told[0].contains("expected a * that stands for numbers above 0, for scale = \"log\"; `0`"),
            "{told:?}"
        );
    }

    #[test]
    fn a_mistake_in_a_figure_stands_where_it_was_written() {
        let only = with(&[("panels", "only = { policy = \"no\", nope = \"1\" }\npanels")]);
        assert!(only[0].starts_with("toy.toml:15:19: figure.only.policy = \"no\""), "{only:?}");
        assert!(only[1].starts_with("toy.toml:15:32: figure.only.nope = \"1\""), "{only:?}");
        let (_, figure) = STUDY.split_once("\n\n").unwrap();
        let again = said(&format!("{STUDY}{figure}"));
        assert!(
            again[0].starts_with("toy.toml:17:8: figure.name = \"sizes\": expected a name that no other"),
            "{again:?}"
        );
        let points = with(&[("panels = \"machine\"", "")]);
        assert!(
            points[0].starts_with("toy.toml:11:8: figure.name = \"sizes\": expected one run for each"),
            "{points:?}"
        );
    }
}
