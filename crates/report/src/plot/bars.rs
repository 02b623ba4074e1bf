//! A panel of bars, one below the other, over one axis that begins at zero. This module must never know which other panels there are.

use super::canvas::{AXIS, Anchor, Canvas, FAINT_INK, Frame, GRID, INK};
use super::data::{Axis, Bar, Bars, Scale};
use super::letters::Font;
use super::lines::{TICKS, draw_ticks};
use super::looks::look;
use super::ruler::{Direction, Extent, Ruler};
use super::sound::{Flaw, LeftOut, interval, value};
use crate::quantity::number;

/// The font of labels and values.
const TEXT: Font = Font::plain(12.0);

/// The height of a bar, and the least height of its row.
const BAR: f64 = 13.0;
const ROW: f64 = 24.0;

/// The room between a text and the bars.
const GAP: f64 = 8.0;

/// The most lines of a label.
const LABEL_LINES: usize = 3;

/// A panel of bars whose values have been checked.
pub(super) struct Ranked<'p> {
    bars: &'p Bars,
    rows: Vec<Row<'p>>,
}

/// A bar that has been checked.
struct Row<'p> {
    bar: &'p Bar,
    value: Option<f64>,
    interval: Option<(f64, f64)>,
    /// The lengths of the pieces with their labels.
    pieces: Vec<(&'p str, f64)>,
}

impl<'p> Row<'p> {
    fn new(bar: &'p Bar, left_out: &mut LeftOut) -> Self {
        let mut sound = |it: Result<f64, Flaw>| it.map_err(|flaw| left_out.add(flaw, &bar.label)).ok();
        let length = bar.value.and_then(|length| sound(value(length, Scale::Linear)));
        let pieces = bar.pieces.iter().map(|piece| Some((piece.label.as_str(), share(piece.value)?)));
        let pieces: Option<Vec<_>> = pieces.collect();
        let pieces = pieces.filter(|pieces| pieces.iter().any(|(_, value)| *value > 0.0));
        if pieces.is_none() && !bar.pieces.is_empty() && length.is_some() {
            left_out.add(Flaw::Pieces, &bar.label);
        }
        let interval = bar.interval.and_then(|it| {
            interval(it).map_err(|flaw| left_out.add(flaw, &bar.label)).ok().map(|it| (it.low, it.high))
        });
        Self { bar, value: length, interval, pieces: pieces.unwrap_or_default() }
    }

    /// The value with its unit, and what else there is to say.
    fn text(&self, ruler: &Ruler) -> String {
        let value = self.value.map(|value| {
            let shown = number(rounded(value * ruler.factor));
            if ruler.unit.is_empty() { shown } else { format!("{shown} {}", ruler.unit) }
        });
        let parts = value.iter().map(String::as_str).chain([self.bar.note.as_str()]);
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
    }
}

/// The size of a piece if it can be drawn.
fn share(size: f64) -> Option<f64> {
    value(size, Scale::Linear).ok().filter(|size| *size >= 0.0)
}

/// A number with four significant digits.
fn rounded(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}

impl<'p> Ranked<'p> {
    pub(super) fn new(bars: &'p Bars, left_out: &mut LeftOut) -> Self {
        Self { bars, rows: bars.bars.iter().map(|bar| Row::new(bar, left_out)).collect() }
    }

    /// The values that stand along the bars.
    pub(super) fn along(&self) -> Option<Extent> {
        let ends = self.rows.iter().filter_map(|row| row.interval).flat_map(|(low, high)| [low, high]);
        Extent::of(self.rows.iter().filter_map(|row| row.value).chain(ends))
    }

    /// The axis that suits the values.
    pub(super) fn ruler(&self, extent: Option<Extent>) -> Ruler {
        let axis = Axis::new(self.bars.label.as_str(), self.bars.unit.as_str(), Scale::Linear);
        Ruler::new(&axis, extent, Direction::Measured)
    }

    /// The labels of all pieces.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &'p str> {
        self.rows.iter().flat_map(|row| row.pieces.iter().map(|(label, _)| *label))
    }

    /// The room left of the bars, for labels of this width at most.
    pub(super) fn left(&self, most: f64) -> f64 {
        let labels =
            self.rows.iter().map(|row| TEXT.widest(&TEXT.wrap_to(&row.bar.label, most, LABEL_LINES)));
        labels.fold(0.0, f64::max) + GAP
    }

    /// The room right of the bars, for texts of this width at most.
    pub(super) fn right(&self, ruler: &Ruler, most: f64) -> f64 {
        let texts =
            self.rows.iter().map(|row| TEXT.widest(&TEXT.wrap_to(&row.text(ruler), most, LABEL_LINES)));
        texts.fold(0.0, f64::max) + GAP
    }

    /// The height of all rows together, for texts of these widths at most.
    pub(super) fn height(&self, ruler: &Ruler, labels: f64, texts: f64) -> f64 {
        self.rows.iter().map(|row| row_height(row, ruler, labels, texts)).sum::<f64>().max(ROW)
    }

    /// Draws the panel into a frame with room for labels and texts of these widths beside it.
    pub(super) fn draw(
        &self,
        canvas: &mut Canvas,
        frame: Frame,
        ruler: &Ruler,
        pieces: &[&str],
        [labels, texts]: [f64; 2],
    ) {
        let at =
            |value: f64| (frame.left + ruler.place(value) * frame.width).clamp(frame.left, frame.right());
        for (place, _) in ruler.across(frame.width, TICKS) {
            let x = frame.left + place * frame.width;
            canvas.line(&[(x, frame.top), (x, frame.bottom())], GRID);
        }
        draw_ticks(canvas, frame, ruler);
        let mut top = frame.top;
        for row in &self.rows {
            let height = row_height(row, ruler, labels, texts);
            let middle = top + height / 2.0;
            let beside = |canvas: &mut Canvas, x: f64, anchor: Anchor, text: &str, most: f64| {
                let lines = TEXT.wrap_to(text, most, LABEL_LINES);
                let first = middle - (lines.len() as f64 - 1.0) / 2.0 * TEXT.line() + 4.0;
                canvas.texts((x, first), anchor, TEXT, INK, &lines);
            };
            beside(canvas, frame.left - GAP, Anchor::End, &row.bar.label, labels);
            beside(canvas, frame.right() + GAP, Anchor::Start, &row.text(ruler), texts);
            if let Some(value) = row.value {
                draw_bar(canvas, [at(0.0), at(value)], middle, row, pieces);
            }
            if let Some((low, high)) = row.interval {
                canvas.whisker((at(low), middle), (at(high), middle), "#000000");
            }
            top += height;
        }
        let zero = at(0.0);
        canvas.line(&[(zero, frame.top), (zero, frame.bottom())], AXIS);
        if self.rows.is_empty() {
            let middle = (frame.left + frame.width / 2.0, frame.top + frame.height / 2.0);
            canvas.text(middle, Anchor::Middle, TEXT, FAINT_INK, "nothing to draw");
        }
    }

    /// The bars with what is written beside each.
    pub(super) fn texts(&self, ruler: &Ruler) -> impl Iterator<Item = (&'p str, String)> {
        self.rows.iter().map(|row| (row.bar.label.as_str(), row.text(ruler)))
    }
}

fn row_height(row: &Row<'_>, ruler: &Ruler, labels: f64, texts: f64) -> f64 {
    let lines =
        |text: &str, most: f64| TEXT.wrap_to(text, most, LABEL_LINES).len() as f64 * TEXT.line() + 6.0;
    lines(&row.bar.label, labels).max(lines(&row.text(ruler), texts)).max(ROW)
}

/// A bar from zero to its value, in pieces if it has some.
fn draw_bar(canvas: &mut Canvas, [zero, end]: [f64; 2], middle: f64, row: &Row<'_>, pieces: &[&str]) {
    let bar = |from: f64, to: f64| Frame {
        left: from.min(to),
        top: middle - BAR / 2.0,
        width: (to - from).abs(),
        height: BAR,
    };
    if row.pieces.is_empty() {
        return canvas.rectangle(bar(zero, end), look(0).colour);
    }
    let sum: f64 = row.pieces.iter().map(|(_, size)| size).sum();
    let mut before = 0.0;
    for (label, size) in &row.pieces {
        let [from, to] = [before, before + size].map(|share| zero + share / sum * (end - zero));
        let number = pieces.iter().position(|piece| piece == label).unwrap_or(0);
        canvas.piece(bar(from, to), number);
        before += size;
    }
}
