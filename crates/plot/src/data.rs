//! A picture as plain data: panels of lines or of bars, with their axes. This module must never know how a picture is drawn,
//! nor its subject.
//!
//! Any numbers may stand in it. A value that cannot be drawn, such as an infinite one, is left out, and the drawing
//! says so.

/// A picture: small multiples below one title.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Picture {
    /// The subject, in one line.
    pub title: String,
    /// The conditions of the data and the meaning of marks, in sentences; may be empty.
    pub caption: String,
    /// The panels, in the order of reading.
    pub panels: Vec<Panel>,
    /// The axes of equal label, unit and scale that have one range in all panels.
    pub shared: Shared,
}

/// The axes that have one range in all panels, so that panels can be compared by eye.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Shared {
    /// The axes across.
    pub x: bool,
    /// The upright axes; those along the bars, for panels of bars.
    pub y: bool,
}

/// A part of a picture, with axes of its own.
#[derive(Clone, PartialEq, Debug)]
pub struct Panel {
    /// The panel's title; empty for a picture of one panel.
    pub title: String,
    /// The lines, bars, fields or boxes.
    pub content: Content,
}

/// The content of a panel.
#[derive(Clone, PartialEq, Debug)]
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
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Lines {
    /// The axis across.
    pub x: Axis,
    /// The upright axis.
    pub y: Axis,
    /// The series. Series of one label look alike in all panels.
    pub series: Vec<Series>,
    /// Values of the upright axis that have a meaning of their own.
    pub levels: Vec<Level>,
    /// Ratios of an upright value to the value below it that have a meaning of their own, each drawn as a line.
    pub multiples: Vec<Level>,
}

/// An axis.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Axis {
    /// The quantity along it.
    pub label: String,
    /// The unit of the values; empty for pure numbers. Values in a unit of time or of bandwidth are shown in a multiple of
    /// it that needs few digits.
    pub unit: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// The value at the beginning; `None` lets the data choose.
    pub from: Option<f64>,
    /// The value at the end; `None` lets the data choose.
    pub to: Option<f64>,
}

/// The spread of values along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scale {
    /// Equal steps are equally long.
    #[default]
    Linear,
    /// Equal factors are equally long.
    Log,
}

/// Points that belong together. They are joined in the order of the list.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Series {
    /// The name, written at the end of the line.
    pub label: String,
    /// The points.
    pub points: Vec<Point>,
    /// The names of the points, in their order. Points with names stand alone: no line joins them.
    pub names: Vec<String>,
    /// Points for comparison, each drawn as a hollow marker of the series that no line joins.
    pub references: Vec<Point>,
}

/// A point of a series.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// The value across.
    pub x: f64,
    /// The upright value; `None` makes a gap in the line.
    pub y: Option<f64>,
    /// The confidence interval of `y`; `None` where it is unknown or empty.
    pub interval: Option<Interval>,
}

/// A confidence interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// The least.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

/// A value of an axis with a meaning of its own, drawn as a line across the panel.
#[derive(Clone, PartialEq, Debug)]
pub struct Level {
    /// The value.
    pub value: f64,
    /// The meaning.
    pub label: String,
}

/// Bars over one axis, which begins at zero.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Bars {
    /// The quantity along the bars.
    pub label: String,
    /// The unit of the values; empty for pure numbers.
    pub unit: String,
    /// The bars, the first at the top.
    pub bars: Vec<Bar>,
    /// The value at the end of the axis, where longer bars are cut off and marked; `None` for the longest bar.
    pub to: Option<f64>,
    /// The colours of pieces. The first panel of a picture decides for all panels.
    pub palette: Palette,
}

/// The colours of pieces of bars. Pictures of unlike quantities on one page have unlike palettes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Palette {
    /// Blue, vermilion, green and others.
    #[default]
    First,
    /// Indigo, teal, sand and others.
    Second,
}

/// A bar.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Bar {
    /// The name, written left of the bar.
    pub label: String,
    /// The value at the bar's beginning: 0, or the end of the step before.
    pub from: f64,
    /// The length; `None` where there is no value, and only the label and the note are written.
    pub value: Option<f64>,
    /// The pieces of the length, from zero on; may be empty. Pieces of one label look alike in all bars.
    pub pieces: Vec<Piece>,
    /// The confidence interval of the bar's end.
    pub interval: Option<Interval>,
    /// A value for comparison, drawn as a tick across the bar.
    pub reference: Option<f64>,
    /// A note behind the value; may be empty.
    pub note: String,
}

/// A piece of a bar.
#[derive(Clone, PartialEq, Debug)]
pub struct Piece {
    /// The name of the piece.
    pub label: String,
    /// The size, whose share of the sum of all pieces is the piece's share of the bar.
    pub value: f64,
}

/// A field for each pair of a row and a column.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Map {
    /// The title of the columns, written above them.
    pub across: String,
    /// The meanings of the lightest and of the darkest field.
    pub scale: [String; 2],
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, the first at the top.
    pub rows: Vec<MapRow>,
}

/// A row of fields.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MapRow {
    /// The name of the row.
    pub label: String,
    /// A field for each column; `None` where there is nothing.
    pub fields: Vec<Option<Field>>,
}

/// A field of a map.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Field {
    /// The value that the field stands for.
    pub value: f64,
    /// The darkness, from 0 to 1.
    pub shade: f64,
    /// The text in the field.
    pub text: String,
    /// A note for the tooltip; may be empty.
    pub note: String,
    /// Whether the field has an outline.
    pub outlined: bool,
}

/// Boxes joined by wires, on a grid that is as wide as the panel.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Diagram {
    /// The width and the height of the grid, in units.
    pub size: (f64, f64),
    /// The boxes; a later one lies over an earlier one.
    pub boxes: Vec<Block>,
    /// The wires, each a chain of places of the grid.
    pub wires: Vec<Vec<(f64, f64)>>,
}

/// A box of a diagram.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Block {
    /// From the left and from the top, then width and height, in units of the grid.
    pub place: (f64, f64, f64, f64),
    /// The name: the first line, which is bold.
    pub title: String,
    /// The lines below the name.
    pub lines: Vec<String>,
    /// The kind of the box: boxes of one kind look alike.
    pub kind: BlockKind,
}

/// The kind of a part in a diagram.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BlockKind {
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
