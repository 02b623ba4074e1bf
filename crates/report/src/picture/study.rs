//! The figures of a study, as pictures. This module must never know the subject of a figure.

use indexmap::IndexSet;
use units::plural::several;

use super::insight::insight;
use crate::document::{Bounds, Figure, FigureAxis, FigurePanel, FigurePoint, Scalar, Study, StudyNumber};
use plot::{Axis, Bar, Bars, Content, Interval, Level, Lines, Panel, Picture, Point, Scale, Series, Shared};

/// The picture of a figure of a study.
pub fn study(figure: &Figure, study: &Study) -> Picture {
    let names = figure.panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.points);
    let is_bars = names.into_iter().any(|point| matches!(point.x, Scalar::Text(_)));
    let content = |panel: &FigurePanel| match is_bars {
        true => Content::Bars(bars(figure, panel)),
        false => Content::Lines(lines(figure, panel)),
    };
    let panel = |panel: &FigurePanel| Panel { title: panel.title.clone(), content: content(panel) };
    let panels: Vec<_> = figure.panels.iter().map(panel).collect();
    let insight = insight(&panels);
    Picture {
        title: figure.title.clone(),
        caption: std::iter::once(caption(figure, study, is_bars))
            .chain(insight)
            .collect::<Vec<_>>()
            .join(" "),
        panels,
        shared: Shared { x: true, y: true },
    }
}

/// The study that a picture is of, as its caption begins: on a page below the study's name this is nothing new.
pub(crate) fn source(study: &Study) -> String {
    format!("Study {}: {}.", study.study, study.summary)
}

/// The study, its missing runs, and the meaning of marks.
fn caption(figure: &Figure, study: &Study, is_bars: bool) -> String {
    let series = figure.panels.iter().flat_map(|panel| &panel.series);
    let points = || series.clone().flat_map(|series| &series.points);
    let mark = if is_bars { "Tick across a bar" } else { "Hollow" };
    let is_stated = points().any(|point| point.stated.is_some());
    let numbers = points().filter_map(|point| point.y.as_ref());
    let level = numbers.filter_map(|number| number.interval).map(|it| it.level).reduce(f64::min);
    let said = [
        Some(source(study)),
        study.partial.as_ref().map(|partial| format!("Partial: {partial}.")),
        match study.failed_runs.len() as u64 {
            0 => None,
            failed => Some(format!("{} failed and yielded nothing.", several(failed, "run"))),
        },
        is_stated.then(|| format!("{mark}: as the source states.")),
        level.map(|level| {
            let least = (level * 1000.0).floor() / 10.0;
            format!(
                "Whiskers: intervals in which the true median lies with a confidence of at least {least} %."
            )
        }),
    ];
    said.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn lines(figure: &Figure, panel: &FigurePanel) -> Lines {
    let point = |point: &FigurePoint| {
        let Scalar::Number(x) = point.x else { return None };
        let y = point.y.as_ref().map(|number| number.median);
        Some(Point { x, y, interval: point.y.as_ref().and_then(interval) })
    };
    let reference = |point: &FigurePoint| match point.x {
        Scalar::Number(x) => Some(Point::new(x, point.stated?)),
        _ => None,
    };
    let series = panel.series.iter().map(|series| Series {
        label: series.label.clone(),
        points: series.points.iter().filter_map(point).collect(),
        references: series.points.iter().filter_map(reference).collect(),
        ..Series::default()
    });
    let level = |it: &crate::document::FigureLevel| Level { value: it.at, label: it.label.clone() };
    Lines {
        x: axis(&figure.x),
        y: axis(&figure.y),
        series: series.collect(),
        levels: figure.levels.iter().map(level).collect(),
        ..Lines::default()
    }
}

fn axis(axis: &FigureAxis) -> Axis {
    let scale = if axis.scale == "log" { Scale::Log } else { Scale::Linear };
    let (from, to) = (axis.from, axis.to);
    Axis { label: axis.label.clone(), unit: axis.unit.clone(), scale, from, to }
}

fn interval(number: &StudyNumber) -> Option<Interval> {
    number.interval.map(|Bounds { low, high, .. }| Interval { low, high })
}

/// A bar for each name, those of one name together.
fn bars(figure: &Figure, panel: &FigurePanel) -> Bars {
    let points = panel.series.iter().flat_map(|series| &series.points);
    let names: IndexSet<String> = points.map(|point| point.x.to_string()).collect();
    let bar = |at: &String| -> Vec<Bar> {
        let of_name = panel.series.iter().filter_map(|series| {
            let point = series.points.iter().find(|point| point.x.to_string() == *at)?;
            let label = if series.label.is_empty() { at.clone() } else { format!("{at}, {}", series.label) };
            let value = point.y.as_ref().map(|number| number.median);
            let interval = point.y.as_ref().and_then(interval);
            Some(Bar { label, value, interval, reference: point.stated, ..Bar::default() })
        });
        of_name.collect()
    };
    let (label, unit) = (figure.y.label.clone(), figure.y.unit.clone());
    Bars { label, unit, bars: names.iter().flat_map(bar).collect(), ..Bars::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{FailedRun, FigureSeries, samples};

    fn figure(x: Scalar) -> Figure {
        let samples = vec![1.0, 2.0, 3.0];
        let interval = Some(Bounds { low: 1.0, high: 3.0, level: 0.75 });
        let number = StudyNumber { median: 2.0, interval, samples };
        let point = |y, stated| FigurePoint { x: x.clone(), y, stated };
        let axis = |label: &str, scale: &str| FigureAxis {
            label: label.to_owned(),
            unit: "us".to_owned(),
            scale: scale.to_owned(),
            from: Some(0.5),
            ..FigureAxis::default()
        };
        let series = FigureSeries {
            label: "np".to_owned(),
            points: vec![point(Some(number), Some(2.5)), point(None, None)],
        };
        Figure {
            name: "f".to_owned(),
            title: "a figure".to_owned(),
            x: axis("size", "log"),
            y: axis("time", "linear"),
            panels: vec![FigurePanel { title: String::new(), series: vec![series] }],
            levels: Vec::new(),
        }
    }

    fn found() -> Study {
        Study { failed_runs: vec![FailedRun::default()], ..samples::study() }
    }

    #[test]
    fn numbers_across_make_lines_with_intervals_and_names_make_bars() {
        let picture = study(&figure(Scalar::Number(8.0)), &found());
        assert_eq!(
            picture.caption,
            "Study toy: what a toy does. 1 run failed and yielded nothing. Hollow: as the source states. Whiskers: intervals in \
             which the true median lies with a confidence of at least 75 %."
        );
        let Content::Lines(lines) = &picture.panels[0].content else { panic!("lines") };
        assert_eq!((lines.x.scale, lines.y.scale, lines.y.unit.as_str()), (Scale::Log, Scale::Linear, "us"));
        let points = &lines.series[0].points;
        assert_eq!((points[0].y, points[0].interval), (Some(2.0), Some(Interval { low: 1.0, high: 3.0 })));
        assert_eq!((lines.y.from, lines.y.to), (Some(0.5), None));
        assert_eq!((points[1].x, points[1].y), (8.0, None));
        assert_eq!(lines.series[0].references, [Point::new(8.0, 2.5)]);
        let picture = study(&figure(Scalar::Text("paragon".to_owned())), &found());
        assert!(picture.caption.contains("Tick across a bar: as the source states."), "{}", picture.caption);
        let Content::Bars(bars) = &picture.panels[0].content else { panic!("bars") };
        assert_eq!(bars.bars[0].reference, Some(2.5));
        assert_eq!(
            (bars.bars.len(), bars.bars[0].label.as_str(), bars.bars[0].value),
            (1, "paragon, np", Some(2.0))
        );
    }
}
