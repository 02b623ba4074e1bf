//! Which hatch is which piece of a bar. This module must never know how long a piece is.

use indexmap::IndexMap;

use super::canvas::{Anchor, Canvas, Frame, Place};
use super::letters::Font;
use super::looks::INK;

const FONT: Font = Font::plain(12.0);

/// The width and height of a sample, and the room behind it and behind a name.
const SAMPLE: (f64, f64) = (16.0, 12.0);
const GAP: f64 = 5.0;
const BEHIND: f64 = 16.0;

/// Names of pieces behind samples of their hatches.
pub(super) struct Legend {
    /// The number of the piece, its name in short, and where it stands in the legend.
    entries: Vec<(usize, String, Place)>,
    pub(super) height: f64,
}

impl Legend {
    /// The legend of the pieces that are seen, in rows of this width.
    pub(super) fn new(pieces: &IndexMap<&str, bool>, width: f64) -> Self {
        let (mut x, mut y) = (0.0, 0.0);
        let mut entries = Vec::new();
        for (number, (name, _)) in pieces.iter().enumerate().filter(|(_, (_, is_seen))| **is_seen) {
            let name = FONT.wrap_to(name, width - SAMPLE.0 - GAP, 1).concat();
            let own = SAMPLE.0 + GAP + FONT.width(&name);
            if x > 0.0 && x + own > width {
                (x, y) = (0.0, y + FONT.line() + 2.0);
            }
            entries.push((number, name, (x, y)));
            x += own + BEHIND;
        }
        let height = if entries.is_empty() { 0.0 } else { y + FONT.line() + 10.0 };
        Self { entries, height }
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, (left, top): Place) {
        for (number, name, (x, y)) in &self.entries {
            let sample = Frame { left: left + x, top: top + y + 2.0, width: SAMPLE.0, height: SAMPLE.1 };
            canvas.piece(sample, *number);
            canvas.text((sample.right() + GAP, sample.bottom()), Anchor::Start, FONT, INK, name);
        }
    }
}
