//! The points of a study's figures. This module must never know how a picture looks, nor run anything.

use crate::results::{Number, Results, Row};
use crate::statements::Statements;
use crate::study::{Coordinate, Figure, Lines, Scale, Series, Study, quantity};

/// A figure with its points.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing<'s> {
    /// The figure, as the study states it.
    pub figure: &'s Figure,
    /// Heading of the figure.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// The panels, in the order in which the study comes to them; at least one.
    pub panels: Vec<Panel>,
}

/// An axis in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Label of the axis.
    pub label: String,
    /// The unit; empty if there is none.
    pub unit: String,
    /// Division of the axis; `None` leaves the choice to the drawing program.
    pub scale: Option<Scale>,
    /// The numbers at its beginning and at its end; `None` for ends that suit the numbers.
    pub ends: (Option<f64>, Option<f64>),
}

/// Series that are drawn over the same two axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Title that distinguishes the panel from the others; empty if it is the only one.
    pub title: String,
    /// Series of the panel, each label once.
    pub lines: Vec<Line>,
}

/// The points of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Label that distinguishes the series from the others; empty if it is the only one.
    pub label: String,
    /// Points: by number where a field goes across, else in the order of the study.
    pub points: Vec<Point>,
}

/// A point.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Horizontal coordinate.
    pub across: Across,
    /// Vertical coordinate, by each round; empty where nothing was measured.
    pub up: Vec<f64>,
    /// Vertical coordinate that a claim of the literature states; `None` where none does.
    pub stated: Option<f64>,
}

/// A place across.
#[derive(Clone, Debug, PartialEq)]
pub enum Across {
    /// A number on the axis.
    Number(f64),
    /// A name: the figure has bars.
    Name(String),
}

impl<'s> Results<'s> {
    /// Every figure of the study with its points.
    pub fn drawings(&self) -> Vec<Drawing<'s>> {
        let statements = Statements::new(self.laboratory);
        let drawing = |figure: &'s Figure| match &figure.lines {
            Lines::Runs { series, panels } => {
                let names =
                    |names: &[(String, _)]| names.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
                self.of_runs(&statements, figure, &names(series), &names(panels))
            }
            Lines::Metrics(series) => self.of_metrics(&statements, figure, series),
        };
        self.study.figures.iter().map(drawing).collect()
    }

    fn of_runs(
        &self,
        statements: &Statements<'_>,
        figure: &'s Figure,
        series: &[String],
        panels: &[String],
    ) -> Drawing<'s> {
        let (x, y) = (&figure.x, &figure.y);
        let has = |row: &&Row<'_>| {
            let field = |name: &String| row.source.field(name).is_some();
            figure.takes(|name| row.source.field(name)) && series.iter().chain(panels).all(field)
        };
        let label = |row: &Row<'_>, names: &[String]| {
            let values =
                names.iter().filter_map(|name| Some(told(self.study, name, row.source.field(name)?)));
            values.collect::<Vec<_>>().join(", ")
        };
        let (mut drawn, mut units) = (Vec::new(), (None, None));
        for row in self.rows.iter().filter(has) {
            let Some((across, unit)) = across(row, x) else { continue };
            let up = row.column(&y.of);
            if up.is_none() && !row.source.metrics.iter().any(|mapping| mapping.name.capture(&y.of).is_some())
            {
                continue;
            }
            units.0 = units.0.or(Some(unit));
            units.1 = units.1.or(up.map(|number| number.unit.clone()));
            let up = up.map(|number| scaled(number, y)).unwrap_or_default();
            let stated = metric(row, &y.of).and_then(|metric| statements.of(&metric));
            let point = Point { across, up, stated: stated.map(|number| number * y.factor) };
            add(&mut drawn, label(row, panels), label(row, series), point);
        }
        let study = self.study;
        let (x, y) = (axis(study, x, units.0), axis(study, y, units.1));
        drawing(figure, x, y, drawn)
    }

    fn of_metrics(&self, statements: &Statements<'_>, figure: &'s Figure, series: &[Series]) -> Drawing<'s> {
        let mut drawn = Vec::new();
        for one in series {
            let numbers = self.metrics.numbers().filter_map(|(name, value)| {
                let (across, _) = quantity(one.metric.capture(name)?)?;
                Some((name, across * figure.x.factor, value * figure.y.factor))
            });
            for (name, across, up) in numbers {
                let stated = statements.of(name).map(|number| number * figure.y.factor);
                let point = Point { across: Across::Number(across), up: vec![up], stated };
                add(&mut drawn, self.study.labelled(&one.panel), self.study.labelled(&one.label), point);
            }
        }
        let (x, y) = (axis(self.study, &figure.x, None), axis(self.study, &figure.y, None));
        drawing(figure, x, y, drawn)
    }
}

/// The metric that a column of a row is; `None` if the column is none.
fn metric(row: &Row<'_>, column: &str) -> Option<String> {
    let named = row.source.metrics.iter();
    named.filter_map(|it| Some(it.metric.as_ref()?.fill(it.name.capture(column)?))).next()
}

/// The name of a field's value in a drawing. A bare number has the field's name before it.
fn told(study: &Study, field: &str, value: &str) -> String {
    let label = study.label(value);
    match label == value && quantity(value).is_some() {
        true => format!("{} {value}", study.label(field.rsplit('.').next().unwrap_or(field))),
        false => label.to_owned(),
    }
}

/// Horizontal coordinate of a row, and its unit.
fn across(row: &Row<'_>, x: &Coordinate) -> Option<(Across, String)> {
    if let Some(text) = row.source.field(&x.of) {
        return Some(match quantity(text) {
            Some((number, unit)) => (Across::Number(number * x.factor), unit.to_owned()),
            None => (Across::Name(text.to_owned()), String::new()),
        });
    }
    let number = row.column(&x.of)?;
    Some((Across::Number(number.median() * x.factor), number.unit.clone()))
}

fn scaled(number: &Number, along: &Coordinate) -> Vec<f64> {
    number.samples.iter().map(|sample| sample * along.factor).collect()
}

/// Adds a point to the series of a panel.
fn add(panels: &mut Vec<Panel>, panel: String, label: String, point: Point) {
    let at = panels.iter().position(|known| known.title == panel).unwrap_or_else(|| {
        panels.push(Panel { title: panel, lines: Vec::new() });
        panels.len() - 1
    });
    let lines = &mut panels[at].lines;
    match lines.iter_mut().find(|line| line.label == label) {
        Some(line) => line.points.push(point),
        None => lines.push(Line { label, points: vec![point] }),
    }
}

/// A drawing whose points stand in their order.
fn drawing(figure: &Figure, x: Axis, y: Axis, mut panels: Vec<Panel>) -> Drawing<'_> {
    let number = |point: &Point| match point.across {
        Across::Number(number) => number,
        Across::Name(_) => 0.0,
    };
    for line in panels.iter_mut().flat_map(|panel| &mut panel.lines) {
        line.points.sort_by(|one, other| number(one).total_cmp(&number(other)));
    }
    let title = figure.title.clone().unwrap_or_else(|| format!("{} by {}", y.label, x.label));
    Drawing { figure, title, x, y, panels }
}

fn axis(study: &Study, along: &Coordinate, unit: Option<String>) -> Axis {
    let own = || if along.factor == 1.0 { unit.unwrap_or_default() } else { String::new() };
    let unit = along.unit.clone().unwrap_or_else(own);
    let label = along.label.clone().unwrap_or_else(|| study.label(&along.of).to_owned());
    Axis { label, unit, scale: along.scale, ends: along.ends }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Value, json};

    use super::*;
    use crate::results::Kept;
    use crate::{Laboratory, basis, claim, study};

    const STUDY: &str = r#"
summary = "s"
labels = { "cm-5" = "the CM-5", size = "words" }
[[run]]
program = "toy"
machine = ["cm-5", "native"]
policy = ["np", "proc"]
inputs = { size = [2, 1] }
repeat = 3
metrics = ["time", { figure = "rate", metric = "rate.{machine}.{policy}.{size}" }]

[[figure]]
x = "size"
y = { of = "time", unit = "us", factor = 0.001 }
series = "policy"
panels = "machine"

[[figure]]
x = "policy"
y = "rate"
series = "machine"
only = { size = 1 }

[[figure]]
name = "sizes"
x = "policy"
y = "time"
series = "size"
only = { machine = "cm-5" }

[[figure]]
name = "metrics"
x = "words"
y = { label = "rate", unit = "MB/s" }
series = [{ label = "get, {on}", metric = "rate.{on}.np.*", each = { on = ["cm-5", "native"] } }]
"#;

    fn answer(time: f64) -> Value {
        let report = json!({ "figures": { "rate": time * 2.0 }, "units": { "rate": "MB/s" } });
        json!({ "time_ns": time, "report": report })
    }

    type Points = Vec<(Across, Vec<f64>)>;

    fn lines(panel: &Panel) -> Vec<(&str, Points)> {
        let point = |it: &'_ Point| (it.across.clone(), it.up.clone());
        panel
            .lines
            .iter()
            .map(|line| (line.label.as_str(), line.points.iter().map(point).collect()))
            .collect()
    }

    #[test]
    fn a_figure_has_a_point_for_each_run_and_a_line_for_each_series() {
        let study = study::read("toy.toml", STUDY).unwrap();
        let laboratory = Laboratory::new(Vec::new(), vec![study], BTreeMap::new(), Vec::new()).unwrap();
        let study = &laboratory.studies()[0];
        let time = |place: usize| 1000.0 * (place + 1) as f64;
        let kept: Vec<Kept> = (0..8).map(|place| study.sources[place].kept(&answer(time(place)))).collect();
        let again = study.sources[4].kept(&answer(4000.0));
        // The last one yielded nothing.
        let mut rounds: Vec<Vec<&Kept>> = kept.iter().take(7).map(|kept| vec![kept]).collect();
        rounds[4].push(&again);
        let drawings = Results::new(&laboratory, study, &rounds).drawings();
        let [times, rates, sizes, metrics] = drawings.as_slice() else { panic!("four figures") };
        assert_eq!(
            (times.title.as_str(), times.x.label.as_str(), times.y.unit.as_str()),
            ("time by words", "words", "us")
        );
        let titles: Vec<_> = times.panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["the CM-5", "native"]);
        let number = Across::Number;
        assert_eq!(
            lines(&times.panels[0]),
            [
                ("np", vec![(number(1.0), vec![2.0]), (number(2.0), vec![1.0])]),
                ("proc", vec![(number(1.0), vec![4.0]), (number(2.0), vec![3.0])])
            ]
        );
        assert_eq!(
            lines(&times.panels[1]),
            [
                ("np", vec![(number(1.0), vec![6.0]), (number(2.0), vec![5.0, 4.0])]),
                ("proc", vec![(number(1.0), vec![]), (number(2.0), vec![7.0])])
            ]
        );
        let name = |name: &str| Across::Name(name.to_owned());
        assert_eq!(
            lines(&rates.panels[0])[0],
            ("the CM-5", vec![(name("np"), vec![4000.0]), (name("proc"), vec![8000.0])])
        );
        assert_eq!((rates.y.unit.as_str(), rates.panels.len()), ("MB/s", 1));
        let labels: Vec<_> = lines(&sizes.panels[0]).into_iter().map(|(label, _)| label).collect();
        assert_eq!(labels, ["words 2", "words 1"]);
        assert_eq!(
            lines(&metrics.panels[0]),
            [
                ("get, the CM-5", vec![(number(1.0), vec![4000.0]), (number(2.0), vec![2000.0])]),
                ("get, native", vec![(number(1.0), vec![12000.0]), (number(2.0), vec![10000.0])])
            ]
        );
    }

    /// A claim of a role, in the form of its file.
    fn a_claim(id: &str, role: &str, more: &str) -> String {
        format!(
            "[[claim]]\nid = \"{id}\"\nwhere = \"Table 1\"\nrole = \"{role}\"\nkind = \"value\"\nstatement = \"it takes\"\n\
             confidence = \"exact\"\n{more}\n"
        )
    }

    #[test]
    fn a_point_has_the_number_that_a_legible_result_states_of_its_metric() {
        let stated = |id: &str| a_claim(id, "result", "value = 7");
        let claims = [
            stated("rate.native.np.1"),
            stated("paper.peak"),
            stated("rate.cm-5.np.2"),
            a_claim("rate.cm-5.proc.1", "result", "held_out = true"),
            a_claim("rate.cm-5.proc.2", "input", "value = 7"),
        ];
        let derived =
            "\n[[derived]]\nmetric = \"paper.peak\"\nvalue = \"rate.cm-5.np.1\"\nbecause = \"it is\"\n";
        let halved = STUDY.replace("y = \"rate\"", "y = { of = \"rate\", factor = 0.5 }");
        let study = study::read("toy.toml", &(halved + derived)).unwrap();
        let claims = claim::read("a.toml", &claims.concat()).unwrap();
        let hole = "[[unreadable]]\nclaims = [\"rate.cm-5.np.2\"]\nbecause = \"a hole\"\n";
        let laboratory = Laboratory::new(claims, vec![study], BTreeMap::new(), Vec::new()).unwrap();
        let laboratory = laboratory.declaring(basis::read("b.toml", hole).unwrap());
        let study = &laboratory.studies()[0];
        let kept: Vec<Kept> = study.sources.iter().map(|source| source.kept(&answer(1.0))).collect();
        let rounds: Vec<Vec<&Kept>> = kept.iter().map(|kept| vec![kept]).collect();
        let drawings = Results::new(&laboratory, study, &rounds).drawings();
        let stated = |drawing: &Drawing<'_>| -> Vec<_> {
            let lines = drawing.panels.iter().flat_map(|panel| &panel.lines);
            lines.flat_map(|line| &line.points).map(|point| point.stated).collect()
        };
        let [times, rates, _, metrics] = drawings.as_slice() else { panic!("four figures") };
        assert_eq!(stated(times), [None; 8]);
        // np and proc of the CM-5 at one word, then of this host.
        assert_eq!(stated(rates), [Some(3.5), None, Some(3.5), None]);
        assert_eq!(stated(metrics), [Some(7.0), None, Some(7.0), None]);
    }
}
