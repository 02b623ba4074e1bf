//! The tables among a program's figures as a picture; of a program without tables, the steps of its events. This module must never know what
//! a figure means.
//!
//! A table whose rows are numbers is drawn: its rows across, its columns up, those of one unit in one panel. A column `+-` says how
//! sure the one before it is: it becomes that one's intervals.

use indexmap::IndexSet;

use super::trip;
use crate::document::{Combination, Run};
use crate::figures::{Grid, Values, grids};
use plot::{Axis, Content, Interval, Lines, Panel, Picture, Point, Scale, Series, Shared};

/// The factor between the least and the greatest value of a panel from which on equal factors are equally long.
const WIDE: f64 = 30.0;

/// The name of a column that says by how much more or less than the one before it the truth may be.
const SURE: &str = "+-";

/// The picture of a run: its tables, or without any where the time of its events went. `None` if there is nothing to draw.
pub fn run(run: &Run) -> Option<Picture> {
    tables(run).or_else(|| events(run))
}

/// The picture of the steps of events in a run on a model.
fn events(run: &Run) -> Option<Picture> {
    let Combination { machine, mechanism, policy, .. } = &run.combination;
    let shape = run.combination.at_work();
    let of = format!("{} on {machine}, {shape}, {mechanism} {policy}", run.asked.program);
    trip::events(&of, &run.measured.anatomy)
}

/// The picture of the tables among a run's figures.
fn tables(run: &Run) -> Option<Picture> {
    let grids = grids(&run.measured.report);
    let panels: Vec<_> = grids.iter().flat_map(panels).collect();
    let inputs: Vec<_> = run.asked.input.iter().take(3).map(|(_, value)| value.as_str()).collect();
    let (program, with) = (&run.asked.program, &run.combination);
    let title = format!("{program} on {}, {} nodes: {}", with.machine, with.nodes, inputs.join(", "));
    let has_intervals = grids.iter().any(|grid| grid.columns.contains_key(SURE));
    let caption =
        if has_intervals { "Whiskers: the value, plus and minus what the column +- says." } else { "" };
    let shared = Shared { x: true, y: false };
    (!panels.is_empty()).then_some(Picture { title, caption: caption.to_owned(), panels, shared })
}

/// A panel for each unit of a table, if there are two rows and all are numbers.
fn panels(grid: &Grid<'_>) -> Vec<Panel> {
    let rows: Option<Vec<(&str, f64)>> =
        grid.rows.iter().map(|row| Some((*row, row.parse().ok()?))).collect();
    let Some(rows) = rows.filter(|rows| rows.len() > 1) else { return Vec::new() };
    let units: IndexSet<&str> = grid.columns.values().map(|values| values.unit).collect();
    units.into_iter().filter_map(|unit| panel(grid, &rows, unit)).collect()
}

/// The panel of one unit; `None` if no value is above zero.
fn panel(grid: &Grid<'_>, rows: &[(&str, f64)], unit: &str) -> Option<Panel> {
    let behind = grid.columns.iter().skip(1).map(Some).chain([None]);
    let drawn = grid.columns.iter().zip(behind);
    let drawn = drawn.filter(|((name, values), _)| values.unit == unit && **name != SURE);
    let series: Vec<_> = drawn
        .map(|((name, values), behind)| {
            let sure = behind.filter(|(behind, _)| **behind == SURE).map(|(_, sure)| sure);
            let point = |(row, x): &(&str, f64)| point(*x, values, sure, row);
            let points = rows.iter().filter_map(point).collect();
            Series { label: (*name).to_owned(), points, ..Series::default() }
        })
        .collect();
    let title = series.iter().map(|series| series.label.as_str()).collect::<Vec<_>>().join(", ");
    let values = series.iter().flat_map(|series| &series.points).filter_map(|point| point.y);
    let scale = scale(values)?;
    let lines = Lines {
        x: Axis::new(grid.name, "", Scale::Linear),
        y: Axis::new("", unit, scale),
        series,
        ..Lines::default()
    };
    Some(Panel { title, content: Content::Lines(lines) })
}

/// The point of a row; `None` if the column has no value there.
fn point(x: f64, values: &Values<'_>, sure: Option<&Values<'_>>, row: &str) -> Option<Point> {
    let value = |values: &Values<'_>| values.of.get(row).copied().flatten();
    let y = value(values)?;
    let interval = sure.and_then(value).map(|sure| Interval { low: y - sure, high: y + sure });
    Some(Point { x, y: Some(y), interval })
}

/// The scale on which all values can be told apart; `None` if there is none above zero.
fn scale(values: impl Iterator<Item = f64> + Clone) -> Option<Scale> {
    let greatest = values.clone().fold(0.0, f64::max);
    let least = values.filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
    (greatest > 0.0).then_some(if greatest > WIDE * least { Scale::Log } else { Scale::Linear })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::tests::report;

    #[test]
    fn columns_of_one_unit_share_a_panel() {
        let mut report = report(&[
            ("load[0.1].rate", 5.0),
            ("load[0.1].time", 5.0),
            ("load[0.1].+-", 1.0),
            ("load[0.1].p99", 7.0),
            ("load[0.5].rate", 9.0),
            ("load[0.5].time", 20.0),
            ("load[0.5].+-", 2.0),
            ("load[0.5].p99", 500.0),
        ]);
        report.units.insert("load[0.1].rate".to_owned(), "MB/s".to_owned());
        report.units.insert("load[0.5].rate".to_owned(), "MB/s".to_owned());
        let panels = panels(&grids(&report)[0]);
        let lines: Vec<&Lines> = panels
            .iter()
            .map(|panel| match &panel.content {
                Content::Lines(lines) => lines,
                _ => panic!("a table of a run is drawn as lines"),
            })
            .collect();
        let labels: Vec<Vec<&str>> = lines
            .iter()
            .map(|lines| lines.series.iter().map(|series| series.label.as_str()).collect())
            .collect();
        assert_eq!(labels, [vec!["rate"], vec!["time", "p99"]]);
        assert_eq!((lines[0].y.scale, lines[1].y.scale), (Scale::Linear, Scale::Log));
        let time = lines[1].series[0].points.iter().map(|point| point.interval.map(|it| (it.low, it.high)));
        assert_eq!(time.collect::<Vec<_>>(), [Some((4.0, 6.0)), Some((18.0, 22.0))]);
        assert_eq!(lines[1].series[1].points, [Point::new(0.1, 7.0), Point::new(0.5, 500.0)]);
    }
}
