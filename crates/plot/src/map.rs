//! A panel with a field for each pair of a row and a column: darker where its value is greater. This module must never know the
//! meaning of a field.

use super::canvas::{Anchor, Canvas, Frame, Meaning, Stroke};
use super::data::{Field, Map, MapRow};
use super::letters::Font;
use super::looks::{FAINT_INK, INK, PAPER, SHADES, shade};

const TEXT: Font = Font::plain(12.0);

/// The height of a field, and the widest that one is.
const FIELD: f64 = 30.0;
const WIDEST: f64 = 132.0;

/// The most of the panel's width that the names of rows take, and the room behind them.
const NAMES_SHARE: f64 = 0.28;
const GAP: f64 = 10.0;

/// The most lines of a name, and the height of the legend with the room above it.
const LINES: usize = 3;
const LEGEND: f64 = 34.0;

/// The sizes of the parts of a panel.
struct Places {
    /// The width of the names of rows.
    names: f64,
    /// The width of a field.
    field: f64,
    /// The height of the names of columns.
    head: f64,
}

impl Places {
    fn new(map: &Map, width: f64) -> Self {
        let names = map.rows.iter().map(|row| TEXT.width(&row.label)).fold(0.0, f64::max);
        let names = names.min(width * NAMES_SHARE) + GAP;
        let columns = map.columns.len().max(1) as f64;
        let field = ((width - names) / columns).min(WIDEST);
        let heads = map.columns.iter().map(|name| lines(name, field).len());
        Self { names, field, head: heads.max().unwrap_or(0) as f64 * TEXT.line() + 6.0 }
    }
}

fn lines(name: &str, field: f64) -> Vec<String> {
    TEXT.wrap_to(name, (field - 6.0).max(1.0), LINES)
}

/// The height of a panel of this width.
pub(super) fn height(map: &Map, width: f64) -> f64 {
    Places::new(map, width).head + map.rows.len().max(1) as f64 * FIELD + LEGEND
}

/// Draws the panel into a frame of its height.
pub(super) fn draw(canvas: &mut Canvas, frame: Frame, map: &Map) {
    let places = Places::new(map, frame.width);
    for (at, name) in map.columns.iter().enumerate() {
        let middle = frame.left + places.names + (at as f64 + 0.5) * places.field;
        let lines = lines(name, places.field);
        let first = frame.top + places.head - 8.0 - (lines.len().max(1) - 1) as f64 * TEXT.line();
        canvas.texts((middle, first), Anchor::Middle, TEXT, INK, &lines);
    }
    for (at, row) in map.rows.iter().enumerate() {
        let top = frame.top + places.head + at as f64 * FIELD;
        let name = TEXT.wrap_to(&row.label, places.names - GAP, 2);
        let first = top + FIELD / 2.0 + 4.0 - (name.len().max(1) - 1) as f64 * TEXT.line() / 2.0;
        canvas.texts((frame.left + places.names - GAP, first), Anchor::End, TEXT, INK, &name);
        let fields = map.columns.iter().zip(&row.fields).enumerate();
        for (column, (name, field)) in fields {
            let left = frame.left + places.names + column as f64 * places.field;
            let place = Frame { left, top, width: places.field, height: FIELD };
            draw_field(canvas, place, row, name, field.as_ref());
        }
    }
    if map.rows.is_empty() || map.columns.is_empty() {
        let middle = (frame.left + frame.width / 2.0, frame.top + FIELD);
        canvas.text(middle, Anchor::Middle, TEXT, FAINT_INK, "nothing to draw");
        return;
    }
    let left = frame.left + places.names;
    draw_legend(canvas, Frame { left, top: frame.bottom() - LEGEND + 16.0, ..frame }, map);
}

/// The edge of a field: the colour of the page, so that fields stand apart.
const EDGE: Stroke<'static> = Stroke { colour: PAPER, width: 2.0, dashes: "" };

fn draw_field(canvas: &mut Canvas, place: Frame, row: &MapRow, column: &str, field: Option<&Field>) {
    let middle = (place.left + place.width / 2.0, place.top + FIELD / 2.0 + 4.0);
    let Some(field) = field else {
        return canvas.text(middle, Anchor::Middle, TEXT, FAINT_INK, "–");
    };
    let (ground, ink) = shade(field.shade);
    let told = [field.text.as_str(), field.note.as_str()].into_iter().filter(|text| !text.is_empty());
    let title = format!("{}, {column}: {}", row.label, told.collect::<Vec<_>>().join("; "));
    let data =
        vec![("row", row.label.clone()), ("column", column.to_owned()), ("value", field.value.to_string())];
    canvas.group(Meaning { class: "field", title, data }, |canvas| {
        canvas.block(place, ground, EDGE);
        if field.outlined {
            let inner = Frame {
                left: place.left + 3.0,
                top: place.top + 3.0,
                width: place.width - 6.0,
                height: place.height - 6.0,
            };
            canvas.block(inner, "none", Stroke { colour: ink, width: 1.6, dashes: "" });
        }
        let text = TEXT.wrap_to(&field.text, place.width - 6.0, 1).concat();
        canvas.text(middle, Anchor::Middle, TEXT, ink, &text);
    });
}

/// Draws the meanings of light and dark.
fn draw_legend(canvas: &mut Canvas, place: Frame, map: &Map) {
    const STEP: f64 = 12.0;
    let [least, most] = &map.scale;
    let from = place.left + TEXT.width(least) + 6.0;
    if from + SHADES as f64 * STEP + 6.0 + TEXT.width(most) > place.left + place.width {
        return;
    }
    let feet = place.top + 10.0;
    canvas.text((place.left, feet), Anchor::Start, TEXT, FAINT_INK, least);
    for step in 0..SHADES {
        let left = from + step as f64 * STEP;
        let (ground, _) = shade(step as f64 / (SHADES - 1) as f64);
        canvas.rectangle(Frame { left, top: place.top, width: STEP, height: 12.0 }, ground);
    }
    canvas.text((from + SHADES as f64 * STEP + 6.0, feet), Anchor::Start, TEXT, FAINT_INK, most);
}
