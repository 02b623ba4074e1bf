//! The few elements of SVG that a picture is made of. This module must never know the subject of a picture.

use svg::Document;
use svg::node::element::{Circle, Description, Group, Path, Polygon, Rectangle, Text, Title};

use super::data::Palette;
use super::letters::{Font, clean};
use super::looks::{FAINT_INK, Fill, Hatch, LINE, Look, Marker, PAPER, fill};

/// A place on the picture: from its left, and from its top.
pub(super) type Place = (f64, f64);

/// A rectangle on the picture.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Frame {
    pub(super) fn right(self) -> f64 {
        self.left + self.width
    }

    pub(super) fn bottom(self) -> f64 {
        self.top + self.height
    }

    /// The nearest place inside.
    pub(super) fn nearest(self, (x, y): Place) -> Place {
        (x.clamp(self.left, self.right()), y.clamp(self.top, self.bottom()))
    }
}

/// On which side of its place a text stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A line's colour, width and dashes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Stroke<'s> {
    pub(super) colour: &'s str,
    pub(super) width: f64,
    pub(super) dashes: &'s str,
}

/// The strokes of axes, of the grid and of levels.
pub(super) const AXIS: Stroke<'static> = Stroke { colour: FAINT_INK, width: 1.0, dashes: "" };
pub(super) const GRID: Stroke<'static> = Stroke { colour: LINE, width: 0.8, dashes: "" };
pub(super) const LEVEL: Stroke<'static> = Stroke { colour: "#6b6b6b", width: 1.2, dashes: "6 4" };

/// From the middle of a marker to its edge, and from that of a hollow one.
const MARKER: f64 = 3.6;
const HOLLOW: f64 = 6.0;

/// A picture that is being drawn.
pub(super) struct Canvas {
    document: Document,
    area: Frame,
    /// The groups that are open, the innermost last.
    groups: Vec<Group>,
}

/// The meaning of a group of marks: a tooltip, and values for programs.
pub(super) struct Meaning {
    /// The kind of the group.
    pub(super) class: &'static str,
    /// The text that appears.
    pub(super) title: String,
    /// Names and values.
    pub(super) data: Vec<(&'static str, String)>,
}

/// A coordinate with one decimal.
fn short(value: f64) -> f64 {
    (value * 10.0).round() / 10.0 + 0.0
}

fn path_data(points: &[Place]) -> String {
    let places: Vec<_> = points.iter().map(|(x, y)| format!("{} {}", short(*x), short(*y))).collect();
    format!("M{}", places.join(" L"))
}

impl Canvas {
    /// An empty white picture of this size, with a title and a description that are read aloud.
    pub(super) fn new(width: f64, height: f64, title: &str, description: &str) -> Self {
        let (width, height) = (width.ceil(), height.ceil());
        let white = Rectangle::new().set("width", width).set("height", height).set("fill", PAPER);
        let document = Document::new()
            .set("viewBox", (0, 0, width, height))
            .set("width", width)
            .set("height", height)
            .set("font-family", "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif")
            .set("role", "img")
            .add(Title::new(clean(title)))
            .add(Description::new().add(svg::node::Text::new(clean(description))))
            .add(white);
        let area = Frame { left: 0.0, top: 0.0, width, height };
        Self { document, area, groups: Vec::new() }
    }

    fn add(&mut self, element: impl Into<Box<dyn svg::Node>>) {
        match self.groups.last_mut() {
            Some(group) => svg::Node::append(group, element),
            None => svg::Node::append(&mut self.document, element),
        }
    }

    /// Draws marks that stand for one thing.
    pub(super) fn group<T>(&mut self, meaning: Meaning, draw: impl FnOnce(&mut Self) -> T) -> T {
        let mut group = Group::new().set("class", meaning.class);
        for (name, value) in meaning.data {
            group = group.set(format!("data-{name}"), clean(&value));
        }
        if !meaning.title.is_empty() {
            group = group.add(Title::new(clean(&meaning.title)));
        }
        self.groups.push(group);
        let drawn = draw(self);
        let group = self.groups.pop().expect("the group that was opened");
        self.add(group);
        drawn
    }

    /// A text whose first line's feet stand at this height. A text that would leave the picture is moved into it.
    pub(super) fn text(&mut self, (x, y): Place, anchor: Anchor, font: Font, colour: &str, text: &str) {
        let width = font.width(text);
        let (name, before) = match anchor {
            Anchor::Start => ("start", 0.0),
            Anchor::Middle => ("middle", width / 2.0),
            Anchor::End => ("end", width),
        };
        let left = (x - before).min(self.area.right() - width).max(0.0);
        let mut element = Text::new(clean(text))
            .set("x", short(left + before))
            .set("y", short(y))
            .set("font-size", font.size)
            .set("fill", colour);
        if anchor != Anchor::Start {
            element = element.set("text-anchor", name);
        }
        if font.bold {
            element = element.set("font-weight", "bold");
        }
        self.add(element);
    }

    /// Lines of text, one below the other.
    pub(super) fn texts(
        &mut self,
        (x, y): Place,
        anchor: Anchor,
        font: Font,
        colour: &str,
        lines: &[String],
    ) {
        for (index, line) in lines.iter().enumerate() {
            self.text((x, y + index as f64 * font.line()), anchor, font, colour, line);
        }
    }

    /// Points joined by lines; nothing for fewer than two.
    pub(super) fn line(&mut self, points: &[Place], stroke: Stroke<'_>) {
        if points.len() < 2 {
            return;
        }
        let mut path = Path::new()
            .set("d", path_data(points))
            .set("fill", "none")
            .set("stroke", stroke.colour)
            .set("stroke-width", stroke.width)
            .set("stroke-linejoin", "round");
        if !stroke.dashes.is_empty() {
            path = path.set("stroke-dasharray", stroke.dashes);
        }
        self.add(path);
    }

    /// An area of a faint colour.
    pub(super) fn area(&mut self, corners: &[Place], colour: &str) {
        let places: Vec<_> = corners.iter().map(|(x, y)| format!("{},{}", short(*x), short(*y))).collect();
        let area =
            Polygon::new().set("points", places.join(" ")).set("fill", colour).set("fill-opacity", 0.2);
        self.add(area);
    }

    /// The marker of a look at a place.
    pub(super) fn marker(&mut self, place: Place, look: Look) {
        match look.marker {
            Marker::OpenCircle | Marker::OpenSquare => self.shape(place, look, MARKER, Some((PAPER, 1.5))),
            _ => self.shape(place, look, MARKER, None),
        }
    }

    /// The marker of a look as an outline, around the marker of a value that it is near to.
    pub(super) fn hollow(&mut self, place: Place, look: Look) {
        self.shape(place, look, HOLLOW, Some(("none", 1.6)));
    }

    /// The shape of a look's marker with this reach from its middle: full, or with a ground and an edge of this width.
    fn shape(&mut self, (x, y): Place, look: Look, reach: f64, edge: Option<(&str, f64)>) {
        const CIRCLE: f64 = 0.89;
        let corners: &[(f64, f64)] = match look.marker {
            Marker::Circle | Marker::OpenCircle => &[],
            Marker::Square | Marker::OpenSquare => {
                &[(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)]
            }
            Marker::Triangle => &[(0.0, -1.1), (1.05, 0.8), (-1.05, 0.8)],
            Marker::Tip => &[(0.0, 1.1), (1.05, -0.8), (-1.05, -0.8)],
            Marker::Diamond => &[(0.0, -1.15), (1.15, 0.0), (0.0, 1.15), (-1.15, 0.0)],
        };
        let mut attributes = vec![("stroke", look.colour.to_owned())];
        attributes.push(("fill", edge.map_or(look.colour, |(ground, _)| ground).to_owned()));
        attributes.extend(edge.map(|(_, width)| ("stroke-width", width.to_string())));
        if corners.is_empty() {
            let circle =
                Circle::new().set("cx", short(x)).set("cy", short(y)).set("r", short(CIRCLE * reach));
            return self
                .add(attributes.into_iter().fold(circle, |circle, (name, value)| circle.set(name, value)));
        }
        let places = corners
            .iter()
            .map(|(across, down)| format!("{},{}", short(x + across * reach), short(y + down * reach)));
        let polygon = Polygon::new().set("points", places.collect::<Vec<_>>().join(" "));
        self.add(attributes.into_iter().fold(polygon, |polygon, (name, value)| polygon.set(name, value)));
    }

    /// A line along an interval, with a bar across at both of its ends.
    pub(super) fn whisker(&mut self, from: Place, to: Place, colour: &str) {
        let stroke = Stroke { colour, width: 1.2, dashes: "" };
        let (across, down) = if from.0 == to.0 { (3.5, 0.0) } else { (0.0, 3.5) };
        self.line(&[from, to], stroke);
        for (x, y) in [from, to] {
            self.line(&[(x - across, y - down), (x + across, y + down)], stroke);
        }
    }

    /// A rectangle with the fill of a piece: its colour, and lines of its hatch from one end to the other.
    pub(super) fn piece(&mut self, frame: Frame, piece: usize, palette: Palette) {
        let Fill { colour, hatch } = fill(piece, palette);
        self.rectangle(frame, colour);
        for &Hatch { at, width, dashes } in hatch {
            let y = frame.top + at * frame.height;
            let stroke = Stroke { colour: PAPER, width: short(width * frame.height), dashes };
            self.line(&[(frame.left, y), (frame.right(), y)], stroke);
        }
    }

    /// A rectangle with round corners, a colour and an edge.
    pub(super) fn block(&mut self, frame: Frame, fill: &str, stroke: Stroke<'_>) {
        let block = Rectangle::new()
            .set("x", short(frame.left))
            .set("y", short(frame.top))
            .set("width", short(frame.width))
            .set("height", short(frame.height))
            .set("rx", 5)
            .set("fill", fill)
            .set("stroke", stroke.colour)
            .set("stroke-width", stroke.width);
        self.add(block);
    }

    /// A rectangle of a colour.
    pub(super) fn rectangle(&mut self, frame: Frame, fill: &str) {
        let rectangle = Rectangle::new()
            .set("x", short(frame.left))
            .set("y", short(frame.top))
            .set("width", short(frame.width))
            .set("height", short(frame.height))
            .set("fill", fill);
        self.add(rectangle);
    }

    /// The picture as text.
    pub(super) fn finish(self) -> String {
        format!("{}\n", self.document)
    }
}
