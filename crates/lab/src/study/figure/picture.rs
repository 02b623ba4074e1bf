//! A picture of a study, as its file states it. This module must never know a run, nor how a picture looks.

use crate::mistake::Place;
use crate::pattern::Pattern;

/// A picture: panels side by side, in each of them series of points over common axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Name in the study, and of the picture's file.
    pub name: String,
    /// The place of its name in the file; of the figure where the file does not say it.
    pub named: Place,
    /// Heading of the figure; `None` if the study does not say.
    pub title: Option<String>,
    /// Horizontal coordinate.
    pub x: Coordinate,
    /// Vertical coordinate.
    pub y: Coordinate,
    /// Source of the points.
    pub lines: Lines,
    /// Filter of the drawn runs: a run needs a value of each.
    pub only: Vec<Only>,
    /// Lines across, for comparison.
    pub levels: Vec<Level>,
}

/// A coordinate of the points.
#[derive(Clone, Debug, PartialEq)]
pub struct Coordinate {
    /// For points from runs, the name of a field or a column. For points from metrics, the label.
    pub of: String,
    /// Label of the axis; `None` for the study's label of `of`.
    pub label: Option<String>,
    /// The unit behind the label; `None` for that of the numbers.
    pub unit: Option<String>,
    /// The number that the numbers are multiplied by.
    pub factor: f64,
    /// Division of the axis; `None` leaves the choice to the drawing program.
    pub scale: Option<Scale>,
    /// The numbers at its beginning and at its end, in its unit; `None` for ends that suit the numbers.
    pub ends: (Option<f64>, Option<f64>),
    /// Place in the file.
    pub place: Place,
}

/// A field with the values of which runs must have one to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Only {
    /// The field.
    pub field: String,
    /// The values.
    pub values: Vec<String>,
    /// Place in the file.
    pub place: Place,
}

/// Division of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally long.
    Linear,
    /// Equal factors are equally long.
    Log,
}

/// Source of the points of a figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Lines {
    /// A point for each run.
    Runs {
        /// Fields by whose values runs belong to one series.
        series: Vec<(String, Place)>,
        /// Fields by whose values runs belong to one panel.
        panels: Vec<(String, Place)>,
    },
    /// A point for each metric.
    Metrics(Vec<Series>),
}

/// A series of metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Label of the series.
    pub label: String,
    /// The title of its panel; empty if there is one panel alone.
    pub panel: String,
    /// Pattern of the metrics; the `*` is the horizontal coordinate.
    pub metric: Pattern,
    /// Place in the file.
    pub place: Place,
}

/// A line across at a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// The number on the axis that goes up.
    pub at: f64,
    /// Meaning of the level.
    pub label: String,
}

impl Figure {
    /// Whether a run with such fields is drawn.
    pub fn takes<'a>(&self, field: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.only.iter().all(|only| {
            field(&only.field).is_some_and(|value| only.values.iter().any(|wanted| wanted == value))
        })
    }
}

/// A number with its unit, which is empty if there is none: `64`, `1.5 us`. `None` if the text is something else.
pub(crate) fn quantity(text: &str) -> Option<(f64, &str)> {
    let (number, unit) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let number: f64 = number.parse().ok()?;
    number.is_finite().then_some((number, unit.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_may_have_a_unit() {
        assert_eq!(quantity("64"), Some((64.0, "")));
        assert_eq!(quantity("1.5 us"), Some((1.5, "us")));
        assert_eq!((quantity("np"), quantity("nan"), quantity("")), (None, None, None));
    }
}
