//! Pictures of curves, as SVG: panels side by side, each with its axes, and one legend below for all. Must never know
//! what the curves are.
//!
//! Curves of the same label look alike in every panel. Nothing is told by colour alone: every curve has its own dashes.

mod axis;
mod svg;

pub use axis::{Axis, Scale};
use svg::{Anchor, Svg};

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Above everything.
    pub title: String,
    /// From left to right.
    pub panels: Vec<Panel>,
}

/// One pair of axes with its curves.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Above it.
    pub title: String,
    /// Across.
    pub x: Axis,
    /// Up.
    pub y: Axis,
    /// Drawn in this order.
    pub curves: Vec<Curve>,
    /// Lines across at a value of the upright axis, each with what it means.
    pub levels: Vec<(f64, String)>,
}

/// Points joined by lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// In the legend.
    pub label: String,
    /// Across and up; those outside of the axes are left out.
    pub points: Vec<(f64, f64)>,
}

/// Of a panel, in units of the picture.
const PANEL: (f64, f64) = (300.0, 260.0);

/// Left of each panel for the numbers of its axis, and between panels.
const LEFT: f64 = 58.0;

/// Above the panels and below them.
const MARGINS: (f64, f64) = (64.0, 52.0);

/// Right of the last panel.
const RIGHT: f64 = 18.0;

/// Height of a row of the legend, and width of an entry.
const ENTRY: (f64, f64) = (20.0, 140.0);

/// Colours that differ for every kind of sight (Okabe and Ito), with dashes for those who see none.
const LOOKS: [(&str, &str); 7] = [
    ("#0072b2", ""),
    ("#d55e00", "7 3"),
    ("#009e73", "2 2"),
    ("#cc79a7", "9 3 2 3"),
    ("#e69f00", "4 4"),
    ("#000000", "1 3"),
    ("#56b4e9", "12 3"),
];

impl Picture {
    /// The picture as a text of SVG, whole and without anything outside of it.
    pub fn svg(&self) -> String {
        let labels = self.labels();
        let width = self.panels.len() as f64 * (LEFT + PANEL.0) + RIGHT;
        let columns = ((width / ENTRY.1) as usize).clamp(1, labels.len().max(1));
        let rows = labels.len().div_ceil(columns);
        let top = MARGINS.0;
        let below = top + PANEL.1 + MARGINS.1;
        let mut svg = Svg::new(width, below + rows as f64 * ENTRY.0 + 10.0, &self.title);
        svg.text((width / 2.0, 24.0), Anchor::Middle, 16.0, &self.title);
        for (index, panel) in self.panels.iter().enumerate() {
            let left = LEFT + index as f64 * (LEFT + PANEL.0);
            panel.draw(&mut svg, (left, top), index, &labels);
        }
        for (index, label) in labels.iter().enumerate() {
            let x = LEFT + (index % columns) as f64 * ENTRY.1;
            let y = below + (index / columns) as f64 * ENTRY.0;
            svg.path(&[(x, y), (x + 32.0, y)], look(index), 2.0);
            svg.text((x + 40.0, y + 4.0), Anchor::Start, 12.0, label);
        }
        svg.finish()
    }

    /// Every label once, in the order in which they come.
    fn labels(&self) -> Vec<&str> {
        let mut labels = Vec::new();
        for curve in self.panels.iter().flat_map(|panel| &panel.curves) {
            if !labels.contains(&curve.label.as_str()) {
                labels.push(&curve.label);
            }
        }
        labels
    }
}

fn look(index: usize) -> (&'static str, &'static str) {
    LOOKS[index % LOOKS.len()]
}

impl Panel {
    fn draw(&self, svg: &mut Svg, (left, top): (f64, f64), index: usize, labels: &[&str]) {
        let (width, height) = PANEL;
        let across = |x: f64| left + self.x.place(x) * width;
        let up = |y: f64| top + height - self.y.place(y) * height;
        svg.text((left + width / 2.0, top - 12.0), Anchor::Middle, 13.0, &self.title);
        for (value, label) in self.x.ticks() {
            let x = across(value);
            svg.path(&[(x, top), (x, top + height)], GRID, 0.6);
            svg.text((x, top + height + 16.0), Anchor::Middle, 11.0, &label);
        }
        for (value, label) in self.y.ticks() {
            let y = up(value);
            svg.path(&[(left, y), (left + width, y)], GRID, 0.6);
            svg.text((left - 6.0, y + 4.0), Anchor::End, 11.0, &label);
        }
        svg.text((left + width / 2.0, top + height + 34.0), Anchor::Middle, 12.0, &self.x.label);
        svg.upright((left - 40.0, top + height / 2.0), 12.0, &self.y.label);
        svg.clip(index, (left, top), PANEL);
        for (value, _) in &self.levels {
            let y = up(*value);
            svg.path(&[(left, y), (left + width, y)], LEVEL, 1.2);
        }
        for curve in &self.curves {
            let points: Vec<_> = curve.points.iter().filter(|(x, _)| self.x.holds(*x)).collect();
            let points: Vec<_> = points.into_iter().map(|(x, y)| (across(*x), up(*y))).collect();
            let index = labels.iter().position(|label| *label == curve.label).unwrap_or(0);
            svg.path(&points, look(index), 2.0);
        }
        // Above the curves, which would cross them out.
        for (value, label) in &self.levels {
            svg.label((left + width - 4.0, up(*value) - 4.0), 10.0, label);
        }
        svg.end_clip();
        svg.frame((left, top), PANEL);
    }
}

/// Colour and dashes of the grid and of levels.
const GRID: (&str, &str) = ("#d0d0d0", "");
const LEVEL: (&str, &str) = ("#606060", "5 3");

#[cfg(test)]
mod tests {
    use super::*;

    fn picture() -> Picture {
        let axis = |label: &str, scale, to| Axis { label: label.to_owned(), scale, from: 1.0, to };
        let panel = Panel {
            title: "left <1>".to_owned(),
            x: axis("across", Scale::Log, 100.0),
            y: axis("up", Scale::Linear, 3.0),
            curves: vec![Curve {
                label: "k = 1".to_owned(),
                points: vec![(1.0, 1.0), (10.0, 2.0), (1e9, 3.0)],
            }],
            levels: vec![(2.0, "twice".to_owned())],
        };
        Picture { title: "a & b".to_owned(), panels: vec![panel.clone(), panel] }
    }

    #[test]
    fn a_point_stands_where_the_axes_say() {
        let svg = picture().svg();
        // x: the middle of two decades; y: the middle of 1 to 3.
        let (x, y) = (LEFT + PANEL.0 / 2.0, MARGINS.0 + PANEL.1 / 2.0);
        assert!(svg.contains(&format!("M{LEFT:.1} {:.1} L{x:.1} {y:.1}\"", MARGINS.0 + PANEL.1)), "{svg}");
    }

    #[test]
    fn a_label_is_in_the_legend_once_and_texts_are_escaped() {
        let svg = picture().svg();
        assert_eq!(svg.matches("k = 1").count(), 1);
        assert_eq!(svg.matches("left &lt;1&gt;").count(), 2);
        assert!(svg.contains("a &amp; b") && svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
    }
}
