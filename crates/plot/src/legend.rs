//! The legend: the hatches of pieces of bars, and the markers of series of points that stand alone. This module must never know the
//! length of a piece, nor the place of a point.

use super::bars::Pieces;
use super::canvas::{Anchor, Canvas, Frame, Place};
use super::data::Palette;
use super::letters::Font;
use super::looks::{INK, Look};

const FONT: Font = Font::plain(12.0);

/// The width and height of a sample, and the room behind it and behind a name.
const SAMPLE: (f64, f64) = (16.0, 12.0);
const GAP: f64 = 5.0;
const BEHIND: f64 = 16.0;

/// Names behind samples.
pub(super) struct Legend {
    /// The sample, the name in short, and where both stand in the legend.
    entries: Vec<(Sample, String, Place)>,
    pub(super) height: f64,
}

/// The sample beside a name.
#[derive(Clone, Copy)]
enum Sample {
    /// The hatch of the piece of this number.
    Piece(usize, Palette),
    Marker(Look),
}

impl Legend {
    /// The legend of the pieces that are seen and of series that stand alone, in rows of this width.
    pub(super) fn new(all: &Pieces<'_>, series: &[(&str, Look)], width: f64) -> Self {
        let (mut x, mut y) = (0.0, 0.0);
        let mut entries = Vec::new();
        let pieces = all.names.iter().enumerate().filter(|(_, (_, is_seen))| **is_seen);
        let pieces = pieces.map(|(number, (name, _))| (*name, Sample::Piece(number, all.palette)));
        let series = series.iter().map(|(name, look)| (*name, Sample::Marker(*look)));
        for (name, sample) in pieces.chain(series) {
            let name = FONT.wrap_to(name, width - SAMPLE.0 - GAP, 1).concat();
            let own = SAMPLE.0 + GAP + FONT.width(&name);
            if x > 0.0 && x + own > width {
                (x, y) = (0.0, y + FONT.line() + 2.0);
            }
            entries.push((sample, name, (x, y)));
            x += own + BEHIND;
        }
        let height = if entries.is_empty() { 0.0 } else { y + FONT.line() + 10.0 };
        Self { entries, height }
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, (left, top): Place) {
        for (sample, name, (x, y)) in &self.entries {
            let place = Frame { left: left + x, top: top + y + 2.0, width: SAMPLE.0, height: SAMPLE.1 };
            match sample {
                Sample::Piece(number, palette) => canvas.piece(place, *number, *palette),
                Sample::Marker(look) => {
                    canvas.marker((place.left + SAMPLE.0 / 2.0, place.top + SAMPLE.1 / 2.0), *look)
                }
            }
            canvas.text((place.right() + GAP, place.bottom()), Anchor::Start, FONT, INK, name);
        }
    }
}
