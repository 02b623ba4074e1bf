//! Reads the figures of a study's file. This module must never know the runs of the study.

use toml_edit::Item;

use super::picture::{Coordinate, Figure, Level, Lines, Only, Scale, Series};
use crate::pattern::Pattern;
use crate::study::texts::Texts;
use crate::template;
use crate::toml::{Entry, Table};

/// A figure of the file.
pub(crate) fn figure(table: &Table<'_>, prefix: &str) -> Option<Figure> {
    let told = table.optional_text("name", NAME);
    let title = table.optional_text("title", "the text above the picture");
    let (x, y) = (coordinate(table, "x"), coordinate(table, "y"));
    let lines = lines(table, prefix);
    let only = table.table("only").map(|only| choices(&only)).unwrap_or_default();
    let levels = table.tables("levels").iter().filter_map(level).collect();
    table.finish();
    let (x, y) = (x?, y?);
    let name = told.clone().unwrap_or_else(|| plain(&format!("{}-by-{}", y.of, x.of)));
    if told.is_some_and(|told| told != plain(&told)) {
        table.refuse("name", NAME);
    }
    let named = table.place_of("name");
    Some(Figure { name, named, title, x, y, lines, only, levels })
}

/// The fields by which runs are chosen.
fn choices(table: &Table<'_>) -> Vec<Only> {
    let one = |(field, entry): (&str, Entry)| Only {
        field: field.to_owned(),
        values: entry.texts(),
        place: table.place_of(field),
    };
    table.entries().into_iter().map(one).collect()
}

const NAME: &str = "a name for a file, of small letters, digits, - and _, such as \"time-by-size\"";

/// A text with all characters replaced that a file's name should not have.
fn plain(text: &str) -> String {
    let replace = |it: char| match it.to_ascii_lowercase() {
        it if it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_' => it,
        _ => '-',
    };
    text.chars().map(replace).collect()
}

fn coordinate(table: &Table<'_>, key: &'static str) -> Option<Coordinate> {
    const EXPECTED: &str = "the name of an axis or a value of the runs, such as \"time\", or a table such as \
         { of = \"time\", unit = \"us\", factor = 0.001 }";
    let place = table.place_of(key);
    if table.item(key).is_some_and(Item::is_table_like) {
        let inner = table.table(key)?;
        let of = inner.optional_text("of", EXPECTED);
        let label = inner.optional_text("label", "the text on the axis");
        let unit = inner.optional("unit", "a text", |item| item.as_str().map(str::to_owned));
        let factor =
            inner.optional_factor("factor", "a number other than 0 that the numbers are multiplied by");
        let scale = inner.optional("scale", "\"linear\" or \"log\"", |item| match item.as_str()? {
            "linear" => Some(Scale::Linear),
            "log" => Some(Scale::Log),
            _ => None,
        });
        let ends = ends(&inner, scale);
        inner.finish();
        let of = of.or_else(|| label.clone());
        if of.is_none() {
            table.refuse(key, EXPECTED);
        }
        return Some(Coordinate { of: of?, label, unit, factor: factor.unwrap_or(1.0), scale, ends, place });
    }
    let of = table.text(key, EXPECTED)?;
    Some(Coordinate { of, label: None, unit: None, factor: 1.0, scale: None, ends: (None, None), place })
}

/// Beginning and end of an axis, if the study says so.
fn ends(table: &Table<'_>, scale: Option<Scale>) -> (Option<f64>, Option<f64>) {
    const FROM: &str = "a number at which the axis begins, above 0 with scale \"log\"";
    const TO: &str = "a number at which the axis ends, above the one at which it begins";
    let on_scale = |item: &Item| match scale {
        Some(Scale::Log) => crate::toml::positive(item),
        _ => crate::toml::number(item),
    };
    let (from, to) = (table.optional("from", FROM, on_scale), table.optional("to", TO, on_scale));
    if from.zip(to).is_some_and(|(from, to)| from >= to) {
        table.refuse("to", TO);
    }
    (from, to)
}

fn lines(table: &Table<'_>, prefix: &str) -> Lines {
    const SERIES: &str = "the name of an axis, a list of them, or tables with label and metric";
    let of_metrics = table.item("series").is_some_and(|item| {
        let has_tables = item.as_array().is_some_and(|array| array.iter().any(|it| it.is_inline_table()));
        item.is_array_of_tables() || has_tables
    });
    if of_metrics {
        return Lines::Metrics(
            table.tables("series").iter().flat_map(|table| series(table, prefix)).collect(),
        );
    }
    let axes = |key, expected| {
        let place = table.place_of(key);
        let names = table.entry(key, expected).map(Entry::texts).unwrap_or_default();
        names.into_iter().map(|name| (name, place)).collect()
    };
    Lines::Runs {
        series: axes("series", SERIES),
        panels: axes("panels", "the name of an axis, or a list of them"),
    }
}

/// The series of a table: one for each filling of its `each`.
fn series(table: &Table<'_>, prefix: &str) -> Vec<Series> {
    let one = |filling| {
        let texts = Texts { table, filling };
        let label = texts.text("label", "the name of the series");
        let panel = texts.optional("panel", "the title of its panel").unwrap_or_default();
        let metric = texts.optional_pattern("metric", prefix);
        let family = metric.filter(Pattern::is_family);
        if family.is_none() {
            table.refuse("metric", "a family of metrics whose * is the number across, such as \"gap.*\"");
        }
        Some(Series { label: label?, panel, metric: family?, place: table.place })
    };
    let all = template::each(table).into_iter().filter_map(one).collect();
    table.finish();
    all
}

fn level(table: &Table<'_>) -> Option<Level> {
    const AT: &str = "a number on the axis that goes up";
    let at = table.required("at", AT, crate::toml::number);
    let label = table.text("label", "what it means");
    table.finish();
    Some(Level { at: at?, label: label? })
}

/// Reads the labels of values and columns in pictures and tables.
pub(crate) fn labels(table: &Table<'_>) -> Vec<(String, String)> {
    let one = |(name, entry): (&str, Entry)| match entry {
        Entry::One(label) => Some((name.to_owned(), label)),
        Entry::Several(_) => {
            table.refuse(name, "a text");
            None
        }
    };
    table.entries().into_iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use crate::study::read;

    /// A study whose figure has these axes.
    fn study(x: &str, y: &str) -> String {
        format!(
            "name = \"toy\"\nsummary = \"s\"\n[[run]]\nprogram = \"toy\"\nmachine = [\"cm-5\", \"t3d\"]\n\
             inputs = {{ size = [2, 1] }}\nmetrics = [\"time\"]\n[[figure]]\nx = {x}\ny = {y}\nseries = \"machine\"\n"
        )
    }

    #[test]
    fn an_axis_has_the_ends_that_the_study_states() {
        let text =
            study("{ of = \"size\", scale = \"log\", from = 1, to = 8 }", "{ of = \"time\", from = -0.5 }");
        let figure = &read("toy.toml", &text).unwrap().figures[0];
        assert_eq!((figure.x.ends, figure.y.ends), ((Some(1.0), Some(8.0)), (Some(-0.5), None)));
    }

    #[test]
    fn ends_that_are_no_range_are_refused() {
        let text =
            study("{ of = \"size\", scale = \"log\", from = 0 }", "{ of = \"time\", from = 2, to = 2.0 }");
        let mistakes: Vec<_> = read("toy.toml", &text).unwrap_err().iter().map(ToString::to_string).collect();
        let told = mistakes.join("\n");
        assert!(told.contains("toy.toml:9:") && told.contains("above 0 with scale"), "{told}");
        assert!(told.contains("toy.toml:10:") && told.contains("above the one at which it begins"), "{told}");
    }
}
