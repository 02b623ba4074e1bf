//! Pictures as SVG: small multiples of lines or bars. This module must never know what a picture shows.
//!
//! | module | contents |
//! |---|---|
//! | `data` | a picture as plain data |
//! | `sheet` | a whole picture: which panel stands where, titles, what is said below |
//! | `lines`, `bars`, `map`, `diagram` | one panel |
//! | `told` | a picture in words, for readers of the screen |
//! | `ruler` | an axis that is fitted to its data: its range, unit and ticks |
//! | `range` | where a value stands between two ends, and which round values lie between them |
//! | `sound` | which values can be drawn, and how many were left out for which reason |
//! | `multiple` | the multiple of a unit that suits a value |
//! | `spread` | labels at the ends of lines, moved until none covers another |
//! | `canvas` | the few elements of SVG that a picture is made of |
//! | `looks` | colours, dashes, markers and hatches |
//! | `legend` | which hatch is which piece of a bar |
//! | `letters` | how wide a text is, and where it is broken |
//!
//! Nothing is told by colour alone: each series has dashes and a marker of its own, each piece of a bar its hatch, and names stand
//! beside what they name. The colours are those of Okabe and Ito, which differ for every kind of sight.
//!
//! The crate `svg` writes the elements. What stands where is computed here, because the libraries that draw charts lack what these
//! pictures need: `plotters` rounds every place to a whole pixel, cuts dashes into separate paths, and has neither labels at the ends
//! of lines nor a description for readers of the screen.

mod bars;
mod canvas;
mod data;
mod diagram;
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
mod told;

pub use data::{
    Axis, Bar, Bars, Block, Content, Diagram, Field, Interval, Kind, Level, Lines, Map, MapRow, Panel,
    Picture, Piece, Point, Scale, Series, Shared,
};
pub use looks::DARK;
pub use sheet::svg;
