//! The tables among a program's figures as a picture. This module must never know what a figure means.
//!
//! A table whose rows are numbers is drawn: its rows across, its columns up, those of one unit in one panel. A column `+-`, which
//! says how sure the one before it is, is left out.

use indexmap::IndexSet;
use lab::plot::{Axis, Curve, Panel, Picture, Scale};

use crate::document::Run;
use crate::figures::{Grid, Values, grids};

/// The factor between the least and the greatest value of a panel from which on equal factors are equally long.
const WIDE: f64 = 30.0;

/// Says how sure the column before is.
const SURE: &str = "+-";

/// The picture of a run; `None` if there is nothing to draw.
pub fn picture(run: &Run) -> Option<Picture> {
    let grids = grids(&run.measured.report);
    let panels: Vec<_> = grids.iter().flat_map(panels).collect();
    let inputs: Vec<_> = run.asked.input.iter().take(3).map(|(_, value)| value.as_str()).collect();
    let (program, with) = (&run.asked.program, &run.combination);
    let title = format!("{program} on {}, {} nodes: {}", with.machine, with.nodes, inputs.join(", "));
    (!panels.is_empty()).then_some(Picture { title, panels })
}

/// A panel for each unit of a table, if there are two rows and all are numbers.
fn panels(grid: &Grid<'_>) -> Vec<Panel> {
    let rows: Option<Vec<(&str, f64)>> =
        grid.rows.iter().map(|row| Some((*row, row.parse().ok()?))).collect();
    let Some(rows) = rows.filter(|rows| rows.len() > 1) else { return Vec::new() };
    let units: IndexSet<&str> = grid.columns.values().map(|values| values.unit).collect();
    units.into_iter().filter_map(|unit| panel(grid, &rows, unit)).collect()
}

fn panel(grid: &Grid<'_>, rows: &[(&str, f64)], unit: &str) -> Option<Panel> {
    let drawn = grid.columns.iter().filter(|(name, values)| values.unit == unit && **name != SURE);
    let points = |values: &Values<'_>| -> Vec<(f64, f64)> {
        rows.iter().filter_map(|(row, x)| Some((*x, values.of.get(row).copied().flatten()?))).collect()
    };
    let curves: Vec<_> =
        drawn.map(|(name, values)| Curve { label: (*name).to_owned(), points: points(values) }).collect();
    let values: Vec<f64> = curves.iter().flat_map(|curve| &curve.points).map(|point| point.1).collect();
    let label = |name: &str| if unit.is_empty() { name.to_owned() } else { format!("{name}, {unit}") };
    let title = curves.iter().map(|curve| curve.label.as_str()).collect::<Vec<_>>().join(", ");
    Some(Panel {
        title,
        x: axis(grid.name.to_owned(), rows.iter().map(|row| row.1), false)?,
        y: axis(label("").trim_start_matches(", ").to_owned(), values.iter().copied(), true)?,
        curves,
        levels: Vec::new(),
    })
}

/// An axis with room for all values; `None` if there is none above zero.
fn axis(label: String, values: impl Iterator<Item = f64> + Clone, may_be_wide: bool) -> Option<Axis> {
    let greatest = values.clone().fold(0.0, f64::max);
    let least = values.filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
    if greatest <= 0.0 {
        return None;
    }
    let (scale, from, to) = match may_be_wide && greatest > WIDE * least {
        true => (Scale::Log, 10_f64.powf(least.log10().floor()), 10_f64.powf(greatest.log10().ceil())),
        false => (Scale::Linear, 0.0, greatest),
    };
    Some(Axis { label, scale, from, to })
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
        let labels: Vec<Vec<&str>> = panels
            .iter()
            .map(|panel| panel.curves.iter().map(|curve| curve.label.as_str()).collect())
            .collect();
        assert_eq!(labels, [vec!["rate"], vec!["time", "p99"]]);
        assert_eq!((panels[0].y.scale, panels[1].y.scale), (Scale::Linear, Scale::Log));
        assert_eq!((panels[1].y.from, panels[1].y.to), (1.0, 1000.0));
        assert_eq!(panels[1].curves[1].points, [(0.1, 7.0), (0.5, 500.0)]);
    }
}
