//! The tables among a program's figures as a picture. This module must never know what a figure means.
//!
//! A table whose rows are numbers is drawn: its rows across, its columns up, those of one unit in one panel. A column `+-`, which
//! says how sure the one before it is, is left out.

use indexmap::IndexSet;

use crate::document::Run;
use crate::figures::{Grid, Values, grids};
use crate::plot::{Axis, Content, Lines, Panel, Picture, Point, Scale, Series, Shared};

/// The factor between the least and the greatest value of a panel from which on equal factors are equally long.
const WIDE: f64 = 30.0;

/// Says how sure the column before is.
const SURE: &str = "+-";

/// The picture of a run; `None` if there is nothing to draw.
pub fn run(run: &Run) -> Option<Picture> {
    let grids = grids(&run.measured.report);
    let panels: Vec<_> = grids.iter().flat_map(panels).collect();
    let inputs: Vec<_> = run.asked.input.iter().take(3).map(|(_, value)| value.as_str()).collect();
    let (program, with) = (&run.asked.program, &run.combination);
    let title = format!("{program} on {}, {} nodes: {}", with.machine, with.nodes, inputs.join(", "));
    let shared = Shared { x: true, y: false };
    (!panels.is_empty()).then_some(Picture { title, caption: String::new(), panels, shared })
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
    let drawn = grid.columns.iter().filter(|(name, values)| values.unit == unit && **name != SURE);
    let points = |values: &Values<'_>| -> Vec<Point> {
        let point = |(row, x): &(&str, f64)| Some(Point::new(*x, values.of.get(row).copied().flatten()?));
        rows.iter().filter_map(point).collect()
    };
    let series: Vec<_> =
        drawn.map(|(name, values)| Series { label: (*name).to_owned(), points: points(values) }).collect();
    let title = series.iter().map(|series| series.label.as_str()).collect::<Vec<_>>().join(", ");
    let values = series.iter().flat_map(|series| &series.points).filter_map(|point| point.y);
    let scale = scale(values)?;
    let lines = Lines {
        x: Axis::new(grid.name, "", Scale::Linear),
        y: Axis::new("", unit, scale),
        series,
        levels: Vec::new(),
    };
    Some(Panel { title, content: Content::Lines(lines) })
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
            ("load[0.5].p99", 500.0),
        ]);
        report.units.insert("load[0.1].rate".to_owned(), "MB/s".to_owned());
        report.units.insert("load[0.5].rate".to_owned(), "MB/s".to_owned());
        let panels = panels(&grids(&report)[0]);
        let lines: Vec<&Lines> = panels
            .iter()
            .map(|panel| match &panel.content {
                Content::Lines(lines) => lines,
                Content::Bars(_) => panic!("a table of a run is drawn as lines"),
            })
            .collect();
        let labels: Vec<Vec<&str>> = lines
            .iter()
            .map(|lines| lines.series.iter().map(|series| series.label.as_str()).collect())
            .collect();
        assert_eq!(labels, [vec!["rate"], vec!["time", "p99"]]);
        assert_eq!((lines[0].y.scale, lines[1].y.scale), (Scale::Linear, Scale::Log));
        assert_eq!(lines[1].series[1].points, [Point::new(0.1, 7.0), Point::new(0.5, 500.0)]);
    }
}
