//! A panel of bars, one below the other, over one axis that begins at zero. This module must never know which other panels there are.

use indexmap::IndexMap;

use super::canvas::{AXIS, Anchor, Canvas, Frame, GRID, Meaning, Stroke};
use super::data::{Axis, Bar, Bars, Palette, Scale};
use super::digits::{number, percent};
use super::letters::Font;
use super::lines::{TICKS, draw_ticks};
use super::looks::{FAINT_INK, INK, PAPER, look};
use super::ruler::{Direction, Extent, Ruler};
use super::sound::{Flaw, LeftOut, interval, value};

/// The font of labels and values.
const TEXT: Font = Font::plain(12.0);

/// The height of a bar, and the least height of its row.
const BAR: f64 = 13.0;
const ROW: f64 = 24.0;

/// The room between a text and the bars.
const GAP: f64 = 8.0;

/// The most lines of a label or note.
const LINES: usize = 3;

/// The most of a panel's width that labels and notes take.
const LABEL_SHARE: f64 = 0.3;
const NOTE_SHARE: f64 = 0.25;

/// The widths of the texts beside bars.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Sides {
    label: f64,
    value: f64,
    note: f64,
}

impl Sides {
    pub(super) fn left(self) -> f64 {
        self.label + GAP
    }

    pub(super) fn right(self) -> f64 {
        self.value + self.note + 2.0 * GAP
    }

    /// The widths of the wider texts of two panels.
    pub(super) fn with(self, other: Self) -> Self {
        Self {
            label: self.label.max(other.label),
            value: self.value.max(other.value),
            note: self.note.max(other.note),
        }
    }
}

/// The pieces of all bars of a picture.
#[derive(Default)]
pub(super) struct Pieces<'p> {
    /// Every name once, with whether the piece is seen.
    pub(super) names: IndexMap<&'p str, bool>,
    pub(super) palette: Palette,
}

/// A panel of bars whose values have been checked.
pub(super) struct Ranked<'p> {
    bars: &'p Bars,
    rows: Vec<Row<'p>>,
}

/// A bar that has been checked.
struct Row<'p> {
    bar: &'p Bar,
    from: f64,
    value: Option<f64>,
    interval: Option<(f64, f64)>,
    /// The end that a bar of the length for comparison would have.
    reference: Option<f64>,
    /// The lengths of the pieces with their labels.
    pieces: Vec<(&'p str, f64)>,
}

impl<'p> Row<'p> {
    fn new(bar: &'p Bar, left_out: &mut LeftOut) -> Self {
        let mut sound = |it: Result<f64, Flaw>| it.map_err(|flaw| left_out.add(flaw, &bar.label)).ok();
        let from = sound(value(bar.from, Scale::Linear)).unwrap_or(0.0);
        let mut length = |length: Option<f64>| length.and_then(|it| sound(value(it, Scale::Linear)));
        let (length, reference) = (length(bar.value), length(bar.reference).map(|it| from + it));
        let pieces = bar.pieces.iter().map(|piece| Some((piece.label.as_str(), share(piece.value)?)));
        let pieces: Option<Vec<_>> = pieces.collect();
        let pieces = pieces.filter(|pieces| pieces.iter().any(|(_, value)| *value > 0.0));
        if pieces.is_none() && !bar.pieces.is_empty() && length.is_some() {
            left_out.add(Flaw::Pieces, &bar.label);
        }
        let interval = bar.interval.and_then(|it| {
            interval(it).map_err(|flaw| left_out.add(flaw, &bar.label)).ok().map(|it| (it.low, it.high))
        });
        Self { bar, from, value: length, interval, reference, pieces: pieces.unwrap_or_default() }
    }

    /// The value at the end of the bar.
    fn end(&self) -> Option<f64> {
        Some(self.from + self.value?)
    }

    /// The bar in words, and its values.
    fn meaning(&self, ruler: &Ruler) -> Meaning {
        let mut data = vec![("bar", self.bar.label.clone())];
        let mut told = self.bar.label.clone();
        if let Some(value) = self.value {
            told = format!("{told}: {}", ruler.told(value));
            data.push(("value", value.to_string()));
        }
        let sum: f64 = self.pieces.iter().map(|(_, size)| size).sum();
        let pieces = self.pieces.iter().filter(|(_, size)| *size > 0.0);
        let shares: Vec<_> =
            pieces.clone().map(|(label, size)| format!("{label} {}", percent(size / sum))).collect();
        if !shares.is_empty() {
            told = format!("{told}; {}", shares.join(", "));
            let sizes: Vec<_> = pieces.map(|(label, size)| format!("{label}:{size}")).collect();
            data.push(("pieces", sizes.join(";")));
        }
        if let Some(compared) = self.compared(ruler) {
            told = format!("{told}; {compared}");
            data.extend(self.bar.reference.map(|reference| ("reference", reference.to_string())));
        }
        Meaning { class: "bar", title: told, data }
    }

    /// The length for comparison in words.
    fn compared(&self, ruler: &Ruler) -> Option<String> {
        Some(format!("for comparison {}", ruler.told(self.reference? - self.from)))
    }

    fn height(&self, sides: Sides) -> f64 {
        let lines = |text: &str, most: f64| TEXT.wrap_to(text, most, LINES).len() as f64 * TEXT.line() + 6.0;
        lines(&self.bar.label, sides.label).max(lines(&self.bar.note, sides.note)).max(ROW)
    }

    /// The value with its unit and three digits; empty without a value.
    fn value_text(&self, ruler: &Ruler, greatest: f64) -> String {
        let Some(value) = self.value.map(|value| value * ruler.factor) else { return String::new() };
        let (most, own) = (digits(greatest * ruler.factor), digits(value));
        // One decimal more than the greatest value needs, or two digits of a tiny value.
        let least = if value == 0.0 { 0 } else { 2 - own };
        let decimals = (DIGITS - own).min((DIGITS - most + 1).max(least)).clamp(0, MOST_DECIMALS);
        let shown = if most.max(own) > MOST_DIGITS {
            number(value)
        } else {
            format!("{value:.0$}", decimals as usize)
        };
        if ruler.unit.is_empty() { shown } else { format!("{shown} {}", ruler.unit) }
    }
}

/// The digits of the greatest value of a panel.
const DIGITS: i32 = 3;

/// The greatest numbers of digits before and after the point. A number with more before it is written as a power of ten.
const MOST_DIGITS: i32 = 9;
const MOST_DECIMALS: i32 = 9;

/// The number of digits in front of the point; 0 and less for numbers below 1.
fn digits(value: f64) -> i32 {
    if value == 0.0 { 1 } else { value.abs().log10().floor() as i32 + 1 }
}

/// The size of a piece if it can be drawn.
fn share(size: f64) -> Option<f64> {
    value(size, Scale::Linear).ok().filter(|size| *size >= 0.0)
}

impl<'p> Ranked<'p> {
    pub(super) fn new(bars: &'p Bars, left_out: &mut LeftOut) -> Self {
        Self { bars, rows: bars.bars.iter().map(|bar| Row::new(bar, left_out)).collect() }
    }

    /// The values that stand along the bars.
    pub(super) fn along(&self) -> Option<Extent> {
        let ends = self.rows.iter().filter_map(|row| row.interval).flat_map(|(low, high)| [low, high]);
        let begins = self.rows.iter().map(|row| row.from);
        let references = self.rows.iter().filter_map(|row| row.reference);
        Extent::of(self.rows.iter().filter_map(Row::end).chain(begins).chain(ends).chain(references))
    }

    /// Adds the lengths for comparison outside of the axis.
    pub(super) fn leave_out(&self, ruler: &Ruler, left_out: &mut LeftOut) {
        let is_outside = |row: &&Row<'_>| row.reference.is_some_and(|reference| !ruler.holds(reference));
        self.rows.iter().filter(is_outside).for_each(|row| left_out.add(Flaw::Outside, &row.bar.label));
    }

    /// The axis that suits the values.
    pub(super) fn ruler(&self, extent: Option<Extent>) -> Ruler {
        let axis = Axis::new(self.bars.label.as_str(), self.bars.unit.as_str(), Scale::Linear);
        let axis = Axis { to: self.bars.to, ..axis };
        Ruler::new(&axis, extent, Direction::Measured)
    }

    /// The labels of all pieces, each with whether the piece is seen.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (&'p str, bool)> {
        self.rows.iter().flat_map(|row| row.pieces.iter().map(|(label, size)| (*label, *size > 0.0)))
    }

    /// The room that texts take beside the bars of a panel which is so wide.
    pub(super) fn sides(&self, ruler: &Ruler, width: f64) -> Sides {
        let widest = |texts: &dyn Fn(&Row<'p>) -> String, most: f64| {
            let widths = self.rows.iter().map(|row| TEXT.widest(&TEXT.wrap_to(&texts(row), most, LINES)));
            widths.fold(0.0, f64::max)
        };
        Sides {
            label: widest(&|row| row.bar.label.clone(), width * LABEL_SHARE),
            value: self
                .rows
                .iter()
                .map(|row| TEXT.width(&row.value_text(ruler, self.greatest())))
                .fold(0.0, f64::max),
            note: widest(&|row| row.bar.note.clone(), width * NOTE_SHARE),
        }
    }

    /// Whether every label has room in two lines.
    pub(super) fn is_told(&self, sides: Sides) -> bool {
        self.rows.iter().all(|row| TEXT.wrap_to(&row.bar.label, sides.label, LINES).len() < LINES)
    }

    /// The greatest length of a bar to either side; bars that are cut off count as the axis' end.
    fn greatest(&self) -> f64 {
        let values = self.rows.iter().filter_map(|row| row.value).map(f64::abs);
        let greatest = values.fold(0.0, f64::max);
        self.bars.to.filter(|to| *to > 0.0).map_or(greatest, |to| greatest.min(to))
    }

    /// The height of all rows together.
    pub(super) fn height(&self, sides: Sides) -> f64 {
        self.rows.iter().map(|row| row.height(sides)).sum::<f64>().max(ROW)
    }

    /// Draws the panel into a frame with room for its texts beside it.
    pub(super) fn draw(
        &self,
        canvas: &mut Canvas,
        frame: Frame,
        ruler: &Ruler,
        sides: Sides,
        pieces: &Pieces<'_>,
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
            let height = row.height(sides);
            let middle = top + height / 2.0;
            let beside = |canvas: &mut Canvas, x: f64, anchor: Anchor, text: &str, most: f64| {
                let lines = TEXT.wrap_to(text, most, LINES);
                let first = middle - (lines.len() as f64 - 1.0) / 2.0 * TEXT.line() + 4.0;
                canvas.texts((x, first), anchor, TEXT, INK, &lines);
            };
            let value = row.value_text(ruler, self.greatest());
            let behind = frame.right() + GAP + sides.value;
            beside(canvas, frame.left - GAP, Anchor::End, &row.bar.label, sides.label);
            beside(canvas, behind, Anchor::End, &value, sides.value);
            beside(canvas, behind + GAP, Anchor::Start, &row.bar.note, sides.note);
            let place = |value: f64| frame.left + ruler.place(value) * frame.width;
            let ends = row.end().map(|end| [row.from, end].map(place));
            let tick = row.reference.filter(|reference| ruler.holds(*reference)).map(at);
            if ends.is_some() || tick.is_some() {
                canvas.group(row.meaning(ruler), |canvas| {
                    ends.iter().for_each(|ends| draw_bar(canvas, frame, *ends, middle, row, pieces));
                    tick.iter().for_each(|x| draw_tick(canvas, *x, middle));
                });
            }
            if let Some((low, high)) =
                row.interval.filter(|(low, high)| ruler.holds(*low) || ruler.holds(*high))
            {
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

    /// The bars' labels, each with its value and note.
    pub(super) fn texts(&self, ruler: &Ruler) -> impl Iterator<Item = (&'p str, String)> {
        self.rows.iter().map(|row| {
            let value = row.value_text(ruler, self.greatest());
            let parts = [value, row.compared(ruler).unwrap_or_default(), row.bar.note.clone()];
            let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            (row.bar.label.as_str(), parts.join(", "))
        })
    }
}

/// Draws a bar from zero to its value, in pieces if it has some. A bar that does not fit into the frame is cut off; its pieces keep
/// their shares of the visible length.
fn draw_bar(
    canvas: &mut Canvas,
    frame: Frame,
    [zero, end]: [f64; 2],
    middle: f64,
    row: &Row<'_>,
    pieces: &Pieces<'_>,
) {
    let is_cut = end > frame.right() + 1.0;
    let inside = |x: f64| x.clamp(frame.left, frame.right());
    let [zero, end] = [zero, end].map(inside);
    let bar = |from: f64, to: f64| {
        let (from, to) = (from.min(to), from.max(to));
        Frame { left: from, top: middle - BAR / 2.0, width: to - from, height: BAR }
    };
    if row.pieces.is_empty() {
        canvas.rectangle(bar(zero, end), look(0).colour);
    }
    let sum: f64 = row.pieces.iter().map(|(_, size)| size).sum();
    let mut before = 0.0;
    for (label, size) in row.pieces.iter().filter(|(_, size)| *size > 0.0) {
        let [from, to] = [before, before + size].map(|share| zero + share / sum * (end - zero));
        canvas.piece(bar(from, to), pieces.names.get_index_of(label).unwrap_or(0), pieces.palette);
        before += size;
    }
    if is_cut {
        let Frame { top, height, .. } = bar(zero, end);
        for x in [frame.right() - 16.0, frame.right() - 10.0] {
            canvas.line(&[(x, top + height), (x + 5.0, top)], CUT);
        }
    }
}

/// Draws the tick of a length for comparison, which is longer than the bar is high. It has no edge: that would hide the end of the bar.
fn draw_tick(canvas: &mut Canvas, x: f64, middle: f64) {
    const REACH: f64 = BAR / 2.0 + 4.0;
    let tick = Stroke { colour: INK, width: 2.2, dashes: "" };
    canvas.line(&[(x, middle - REACH), (x, middle + REACH)], tick);
}

/// The white strokes across a bar that is cut off.
const CUT: Stroke<'static> = Stroke { colour: PAPER, width: 2.5, dashes: "" };
