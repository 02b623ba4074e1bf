//! A panel of boxes joined by wires. This module must never know the meaning of a box.

use super::canvas::{AXIS, Anchor, Canvas, Frame, Meaning, Place, Stroke};
use super::data::Scale;
use super::data::{Block, BlockKind, Diagram};
use super::letters::Font;
use super::looks::{FAINT_INK, GROUNDS, INK};
use super::sound;

const TITLE: Font = Font::bold(12.0);
const TEXT: Font = Font::plain(11.0);

/// The room between the edge of a box and its texts.
const PADDING: f64 = 8.0;

/// The least and the most height of a panel as a share of its width.
const LEAST: f64 = 0.05;
const MOST: f64 = 2.0;

/// The wires, which lie below the boxes.
const WIRE: Stroke<'static> = Stroke { width: 1.6, ..AXIS };

/// The height of a panel of this width.
pub(super) fn height(diagram: &Diagram, width: f64) -> f64 {
    let share = diagram.size.1 / diagram.size.0;
    width * if share.is_finite() { share.clamp(LEAST, MOST) } else { LEAST }
}

/// Draws the panel into a frame of its height. A place outside of the grid is moved to its edge.
pub(super) fn draw(canvas: &mut Canvas, frame: Frame, diagram: &Diagram) {
    let unit = frame.width / diagram.size.0;
    let at = |(x, y): Place| {
        let sound = |value: f64| sound::value(value * unit, Scale::Linear).unwrap_or(0.0);
        frame.nearest((frame.left + sound(x), frame.top + sound(y)))
    };
    // Frames lie below the wires, and wires below all else.
    let (frames, boxes): (Vec<_>, Vec<_>) =
        diagram.boxes.iter().partition(|block| block.kind == BlockKind::Frame);
    let draw_one = |canvas: &mut Canvas, block: &Block| {
        let (left, top, width, height) = block.place;
        let ((left, top), (right, bottom)) = (at((left, top)), at((left + width, top + height)));
        let place = Frame { left, top, width: (right - left).max(0.0), height: (bottom - top).max(0.0) };
        draw_block(canvas, place, block);
    };
    frames.into_iter().for_each(|block| draw_one(canvas, block));
    for wire in &diagram.wires {
        canvas.line(&wire.iter().map(|place| at(*place)).collect::<Vec<_>>(), WIRE);
    }
    boxes.into_iter().for_each(|block| draw_one(canvas, block));
}

fn draw_block(canvas: &mut Canvas, place: Frame, block: &Block) {
    let ground = GROUNDS[block.kind as usize % GROUNDS.len()];
    let title =
        [&block.title].into_iter().chain(&block.lines).map(String::as_str).collect::<Vec<_>>().join(", ");
    let data = vec![("box", block.title.clone())];
    canvas.group(Meaning { class: "box", title, data }, |canvas| {
        canvas.block(place, ground, AXIS);
        let inner = (place.width - 2.0 * PADDING).max(0.0);
        let texts = [(&block.title, TITLE, INK)].into_iter();
        let texts = texts.chain(block.lines.iter().map(|line| (line, TEXT, FAINT_INK)));
        let mut feet = place.top + PADDING + TITLE.size - 2.0;
        for (text, font, ink) in texts {
            for line in font.wrap_to(text, inner, 2) {
                if feet <= place.bottom() - 3.0 {
                    canvas.text((place.left + PADDING, feet), Anchor::Start, font, ink, &line);
                }
                feet += font.line();
            }
        }
    });
}
