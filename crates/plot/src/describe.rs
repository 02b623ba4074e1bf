//! A picture in words, for screen readers. This module must never know where anything stands.

use super::bars::Ranked;
use super::data::{Block, Diagram, Lines, Map, MapRow, Panel};
use super::digits::number;
use super::lines::{Axes, Curves};
use super::ruler::Ruler;
use super::sound::Sound;

/// From this number of points on only some values of a series are told.
const MANY: usize = 12;

/// A panel of lines.
pub(super) fn curves(panel: &Panel, lines: &Lines, curves: &Curves<'_>, axes: &Axes) -> String {
    let axis =
        |ruler: &Ruler, label: &str| if label.is_empty() { "values".to_owned() } else { ruler.title.clone() };
    let (up, across) = (axis(&axes.y, &lines.y.label), axis(&axes.x, &lines.x.label));
    let head = format!("{}{up} against {across}.", title(panel));
    let series = curves.series().map(|(series, points, references)| {
        let label = if series.label.is_empty() { "Series" } else { &series.label };
        let compared = match references.is_empty() {
            true => String::new(),
            false => format!("; for comparison {}", series_in_words(references, axes)),
        };
        format!("{label}: {}{compared}.", series_in_words(&points, axes))
    });
    let levels = lines
        .levels
        .iter()
        .map(|level| format!("Level {}: {}.", number(level.value * axes.y.factor), level.label));
    let multiples =
        lines.multiples.iter().map(|it| format!("Line of {} times: {}.", number(it.value), it.label));
    [head].into_iter().chain(series).chain(levels).chain(multiples).collect::<Vec<_>>().join(" ")
}

/// A panel of bars.
pub(super) fn ranked(panel: &Panel, bars: &Ranked<'_>, ruler: &Ruler) -> String {
    let bars = bars.texts(ruler).map(|(label, text)| format!("{label}: {text}."));
    let head = format!("{}bars of {}.", title(panel), ruler.title);
    [head].into_iter().chain(bars).collect::<Vec<_>>().join(" ")
}

/// A panel with a field for each pair of a row and a column.
pub(super) fn mapped(panel: &Panel, map: &Map) -> String {
    let row = |row: &MapRow| {
        let fields = map.columns.iter().zip(&row.fields);
        let told = fields.filter_map(|(column, field)| Some(format!("{column} {}", field.as_ref()?.text)));
        format!("{}: {}.", row.label, told.collect::<Vec<_>>().join(", "))
    };
    let head = format!("{}fields by {}.", title(panel), map.across);
    [head].into_iter().chain(map.rows.iter().map(row)).collect::<Vec<_>>().join(" ")
}

/// A panel of boxes.
pub(super) fn drawn(panel: &Panel, diagram: &Diagram) -> String {
    let block = |block: &Block| {
        let texts = [&block.title].into_iter().chain(&block.lines).filter(|text| !text.is_empty());
        texts.map(String::as_str).collect::<Vec<_>>().join(", ")
    };
    let boxes: Vec<_> = diagram.boxes.iter().map(block).filter(|text| !text.is_empty()).collect();
    format!("{}{}.", title(panel), boxes.join("; "))
}

fn title(panel: &Panel) -> String {
    if panel.title.is_empty() { String::new() } else { format!("{}: ", panel.title) }
}

fn series_in_words(points: &[Sound], axes: &Axes) -> String {
    let told =
        |point: &Sound| format!("{} at {}", number(point.y * axes.y.factor), number(point.x * axes.x.factor));
    let by_height = |one: &&Sound, other: &&Sound| one.y.total_cmp(&other.y);
    let ends =
        (points.first(), points.last(), points.iter().min_by(by_height), points.iter().max_by(by_height));
    match ends {
        (Some(first), Some(last), Some(least), Some(greatest)) if points.len() > MANY => format!(
            "{} points from {} to {}, least {}, greatest {}",
            points.len(),
            told(first),
            told(last),
            told(least),
            told(greatest)
        ),
        (Some(_), ..) => points.iter().map(told).collect::<Vec<_>>().join(", "),
        _ => "no point".to_owned(),
    }
}
