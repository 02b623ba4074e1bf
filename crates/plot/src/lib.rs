//! Charts as SVG: small multiples of lines, bars, maps and diagrams. This crate must never know the subject of a picture.
//!
//! | module | contents |
//! |---|---|
//! | `data` | a picture as plain data |
//! | `sheet` | a whole picture: the places of panels, titles, caption |
//! | `lines`, `bars`, `map`, `diagram` | one panel |
//! | `describe` | a picture in words, for screen readers |
//! | `digits` | numbers with few digits |
//! | `ruler` | an axis that is fitted to its data: its range, unit and ticks |
//! | `range` | the place of a value between two ends, and the round values between them |
//! | `sound` | the values that can be drawn, and the numbers of omitted values by reason |
//! | `multiple` | the multiple of a unit that suits a value |
//! | `spread` | labels at the ends of lines, moved until none covers another |
//! | `canvas` | the few elements of SVG that a picture is made of |
//! | `looks` | colours, dashes, markers and hatches |
//! | `legend` | hatches of pieces of bars, markers of series |
//! | `letters` | the width of a text, and its breaks into lines |
//!
//! Nothing is told by colour alone: each series has dashes and a marker of its own, each piece of a bar its hatch, and names stand
//! beside the marks. The colours of Okabe and Ito differ for every kind of sight.
//!
//! The crate `svg` writes the elements. Places are computed here, because charting libraries lack features of these pictures:
//! `plotters` rounds every place to a whole pixel, cuts dashes into separate paths, and has neither labels at the ends of lines nor
//! a description for screen readers.

#![forbid(unsafe_code)]

mod bars;
mod canvas;
mod data;
mod describe;
mod diagram;
mod digits;
mod legend;
mod letters;
mod lines;
mod looks;
mod map;
mod multiple;
mod range;
mod ruler;
mod sheet;
mod sound;
mod spread;

pub use data::{
    Axis, Bar, Bars, Block, BlockKind, Content, Diagram, Field, Interval, Level, Lines, Map, MapRow, Palette,
    Panel, Picture, Piece, Point, Scale, Series, Shared,
};
pub use looks::DARK;
pub use sheet::svg;
