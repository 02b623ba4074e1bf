//! The sentence under a picture: it states the largest difference between two bars or points.
//!
//! This module must never know the subject of a picture.

use plot::{Bars, Content, Lines, Panel, Series};

use crate::quantity::{number, times};

/// The relative difference that two values must exceed for a picture to show them beside each other.
pub(super) const LEAST_DIFFERENCE: f64 = 0.03;

/// A ratio between two values of a panel, and the sentence on it.
type Difference = (f64, String);

/// A sentence on the largest difference in these panels; `None` if there is none to be seen.
pub(super) fn insight(panels: &[Panel]) -> Option<String> {
    let of = |panel: &Panel| {
        let (ratio, said) = match &panel.content {
            Content::Bars(bars) => of_bars(bars),
            Content::Lines(lines) => of_lines(lines),
            Content::Map(_) | Content::Diagram(_) => None,
        }?;
        let title = if panel.title.is_empty() { String::new() } else { format!("{}: ", panel.title) };
        Some((ratio, format!("To see: {title}{said}.")))
    };
    largest(panels.iter().filter_map(of)).map(|(_, said)| said)
}

fn largest(all: impl Iterator<Item = Difference>) -> Option<Difference> {
    all.filter(|(ratio, _)| *ratio > 1.0 + LEAST_DIFFERENCE).max_by(|one, other| one.0.total_cmp(&other.0))
}

/// The least and the greatest of some positive values with their names.
fn extremes<'n>(values: impl Iterator<Item = (&'n str, f64)> + Clone) -> Option<[(&'n str, f64); 2]> {
    let values = values.filter(|(_, value)| *value > 0.0 && value.is_finite());
    let least = values.clone().min_by(|one, other| one.1.total_cmp(&other.1))?;
    Some([least, values.max_by(|one, other| one.1.total_cmp(&other.1))?])
}

fn of_bars(bars: &Bars) -> Option<Difference> {
    let values = bars.bars.iter().filter_map(|bar| Some((bar.label.as_str(), bar.value?)));
    let [(shortest, least), (longest, greatest)] = extremes(values)?;
    let ratio = greatest / least;
    Some((ratio, format!("the {} of {longest} is {} times that of {shortest}", bars.label, times(ratio))))
}

fn of_lines(lines: &Lines) -> Option<Difference> {
    let named: Vec<&Series> = lines.series.iter().filter(|series| series.names.is_empty()).collect();
    let across = |x: f64| {
        let label = if lines.x.label.is_empty() { "x" } else { &lines.x.label };
        format!("where {label} is {} {}", number(x), lines.x.unit).trim_end().to_owned()
    };
    if let [series] = &named[..] {
        let points =
            || series.points.iter().filter_map(|point| Some((point.x, point.y?))).filter(|(_, y)| *y > 0.0);
        let by_height = |one: &(f64, f64), other: &(f64, f64)| one.1.total_cmp(&other.1);
        let (least, greatest) = (points().min_by(by_height)?, points().max_by(by_height)?);
        let ratio = greatest.1 / least.1;
        return Some((
            ratio,
            format!("{}, it is {} times as much as {}", across(greatest.0), times(ratio), across(least.0)),
        ));
    }
    let values = |x: f64| {
        let at = move |series: &&'_ Series| {
            series.points.iter().find(|point| point.x == x).and_then(|point| point.y)
        };
        named.iter().filter_map(move |series| Some((series.label.as_str(), at(series)?)))
    };
    let difference = |x: f64| {
        let [(lowest, least), (highest, greatest)] = extremes(values(x))?;
        let ratio = greatest / least;
        Some((ratio, format!("{}, {highest} is {} times {lowest}", across(x), times(ratio))))
    };
    largest(named.first()?.points.iter().filter_map(|point| difference(point.x)))
}

#[cfg(test)]
mod tests {
    use plot::{Axis, Bar, Point, Scale};

    use super::*;

    fn panel(title: &str, content: Content) -> Panel {
        Panel { title: title.to_owned(), content }
    }

    fn bars(values: &[(&str, f64)]) -> Content {
        let bar = |(label, value): &(&str, f64)| Bar {
            label: (*label).to_owned(),
            value: Some(*value),
            ..Bar::default()
        };
        Content::Bars(Bars {
            label: "time".to_owned(),
            bars: values.iter().map(bar).collect(),
            ..Bars::default()
        })
    }

    #[test]
    fn the_largest_difference_of_all_panels_is_told() {
        let panels = [
            panel("t3d", bars(&[("np", 2.0), ("single", 2.5)])),
            panel("paragon", bars(&[("np", 20.0), ("single", 90.0), ("none", 0.0)])),
        ];
        assert_eq!(
            insight(&panels).unwrap(),
            "To see: paragon: the time of single is 4.50 times that of np."
        );
        assert_eq!(insight(&[panel("", bars(&[("np", 1.0), ("single", 1.02)]))]), None);
    }

    #[test]
    fn lines_are_compared_at_one_place() {
        let series = |label: &str, values: [f64; 2]| {
            let points = vec![Point::new(8.0, values[0]), Point::new(64.0, values[1])];
            Series { label: label.to_owned(), points, ..Series::default() }
        };
        let lines = |series| {
            let x = Axis::new("size", "B", Scale::Log);
            panel("", Content::Lines(Lines { x, series, ..Lines::default() }))
        };
        let two = [lines(vec![series("np", [1.0, 3.0]), series("single", [1.5, 12.0])])];
        assert_eq!(insight(&two).unwrap(), "To see: where size is 64 B, single is 4.00 times np.");
        let one = [lines(vec![series("", [1.0, 3.0])])];
        assert_eq!(
            insight(&one).unwrap(),
            "To see: where size is 64 B, it is 3.00 times as much as where size is 8 B."
        );
    }
}
