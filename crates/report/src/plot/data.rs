//! A picture as plain data: panels of lines or of bars, with their axes. This module must never know how a picture is drawn,
//! nor what it shows.
//!
//! Any numbers may stand in it. What cannot be drawn, such as a value that is not finite, is left out of the drawing, and the
//! drawing says so.

use serde::{Deserialize, Serialize};

/// A picture: small multiples below one title.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Picture {
    /// What the picture shows, in one line.
    pub title: String,
    /// What was run and what the marks mean, in sentences; empty for nothing to add.
    pub caption: String,
    /// The panels, in the order of reading.
    pub panels: Vec<Panel>,
    /// Which axes of equal label, unit and scale have one range in all panels.
    pub shared: Shared,
}

/// Which axes have one range in all panels, so that panels can be compared by eye.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Shared {
    /// The axes across.
    pub x: bool,
    /// The upright axes; those along the bars, for panels of bars.
    pub y: bool,
}

/// One part of a picture, with axes of its own.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Panel {
    /// What tells this panel from the others; empty for a picture of one panel.
    pub title: String,
    /// What is drawn.
    pub content: Content,
}

/// What is drawn in a panel.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Series of points, joined by lines.
    Lines(Lines),
    /// Bars from left to right, one below the other.
    Bars(Bars),
    /// A field for each value of two choices.
    Map(Map),
    /// Boxes joined by wires.
    Diagram(Diagram),
}

/// Series of points over two axes.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Lines {
    /// The axis across.
    pub x: Axis,
    /// The upright axis.
    pub y: Axis,
    /// The series. Those of one label look alike in all panels.
    pub series: Vec<Series>,
    /// Values of the upright axis that mean something by themselves.
    pub levels: Vec<Level>,
    /// Multiples of the axis across that mean something by themselves: lines on which an upright value is so many times the value
    /// below it.
    pub multiples: Vec<Level>,
}

/// An axis.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Axis {
    /// What is measured along it.
    pub label: String,
    /// The unit of the values; empty for pure numbers. Values in a unit of time or of bandwidth are shown in the multiple of
    /// that unit that suits them.
    pub unit: String,
    /// How values are spread.
    pub scale: Scale,
    /// The value at the beginning; `None` for one that suits the data.
    pub from: Option<f64>,
    /// The value at the end; `None` for one that suits the data.
    pub to: Option<f64>,
}

/// How values are spread along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Equal steps are equally long.
    #[default]
    Linear,
    /// Equal factors are equally long.
    Log,
}

/// Points that belong together. They are joined in the order of the list.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Series {
    /// Its name, written at the end of its line.
    pub label: String,
    /// The points.
    pub points: Vec<Point>,
    /// The names of the points, in their order. Points with names stand alone: no line joins them.
    pub names: Vec<String>,
}

/// A point of a series.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Point {
    /// Where it stands across.
    pub x: f64,
    /// Where it stands upright; `None` where there is no value: the line has a gap there.
    pub y: Option<f64>,
    /// Between which values of the upright axis the truth lies; `None` where nothing is known of that, or where runs do not
    /// differ.
    pub interval: Option<Interval>,
}

/// The values between which the truth lies.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Interval {
    /// The least.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

/// A value of an axis that means something by itself: a line across the panel.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Level {
    /// The value.
    pub value: f64,
    /// What it means.
    pub label: String,
}

/// Bars over one axis, which begins at zero.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Bars {
    /// What is measured along the bars.
    pub label: String,
    /// The unit of the values; empty for pure numbers.
    pub unit: String,
    /// The bars, the first at the top.
    pub bars: Vec<Bar>,
    /// The value at the end of the axis, where longer bars are cut off and marked; `None` for one that suits the longest.
    pub to: Option<f64>,
}

/// A bar.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Bar {
    /// What is measured, written left of the bar.
    pub label: String,
    /// Where the bar begins: 0, or the end of what came before it.
    pub from: f64,
    /// The length; `None` where there is no value, and only the label and the note are written.
    pub value: Option<f64>,
    /// What the length is made of, from zero on. Without pieces it is one. Pieces of one label look alike in all
    /// bars.
    pub pieces: Vec<Piece>,
    /// Between which values the truth lies.
    pub interval: Option<Interval>,
    /// What else there is to say, written behind the value; empty for nothing.
    pub note: String,
}

/// A piece of a bar.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Piece {
    /// What the piece is.
    pub label: String,
    /// Its share of the bar's length, of all parts' sum.
    pub value: f64,
}

/// A field for each pair of a row and a column.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Map {
    /// What the columns are, written above them.
    pub across: String,
    /// What the colour of a field says, from its lightest to its darkest.
    pub scale: [String; 2],
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, the first at the top.
    pub rows: Vec<MapRow>,
}

/// A row of fields.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct MapRow {
    /// The name of the row.
    pub label: String,
    /// A field for each column; `None` where there is nothing.
    pub fields: Vec<Option<Field>>,
}

/// A field of a map.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Field {
    /// The value that the field stands for.
    pub value: f64,
    /// How dark the field is, from 0 to 1.
    pub shade: f64,
    /// What is written in the field.
    pub text: String,
    /// What else there is to say of the field; empty for nothing.
    pub note: String,
}

/// Boxes joined by wires, on a grid that is as wide as the panel.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Diagram {
    /// The width and the height of the grid, in units.
    pub size: (f64, f64),
    /// The boxes; a later one lies over an earlier one.
    pub boxes: Vec<Block>,
    /// The wires, each a chain of places of the grid.
    pub wires: Vec<Vec<(f64, f64)>>,
}

/// A box of a diagram.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Block {
    /// From the left and from the top, then width and height, in units of the grid.
    pub place: (f64, f64, f64, f64),
    /// What the box is: its first line, which is bold.
    pub title: String,
    /// What else is written in the box, line by line.
    pub lines: Vec<String>,
    /// The kind of the box: boxes of one kind look alike.
    pub kind: Kind,
}

/// What a box stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Something that has other boxes inside.
    #[default]
    Frame,
    /// Something that computes.
    Processor,
    /// Something that keeps data.
    Memory,
    /// Something that moves data.
    Wire,
}

impl Point {
    /// A point with a value of which nothing else is known.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y: Some(y), interval: None }
    }
}

impl Axis {
    /// An axis from the least to the greatest value that stands along it.
    pub fn new(label: impl Into<String>, unit: impl Into<String>, scale: Scale) -> Self {
        Self { label: label.into(), unit: unit.into(), scale, from: None, to: None }
    }

    /// The axis with both ends fixed.
    #[must_use]
    pub fn between(self, from: f64, to: f64) -> Self {
        Self { from: Some(from), to: Some(to), ..self }
    }
}
