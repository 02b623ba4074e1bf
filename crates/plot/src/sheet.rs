//! A whole picture: the places of panels, titles, and the caption. This module must never know the subject of a picture.

use indexmap::IndexSet;

use super::bars::{Pieces, Ranked, Sides};
use super::canvas::{Anchor, Canvas, Frame};
use super::data::{Axis, Bars, Content, Diagram, Lines, Map, Panel, Picture, Scale};
use super::describe;
use super::diagram;
use super::legend::Legend;
use super::letters::Font;
use super::lines::{Axes, Curves, TICKS};
use super::looks::{FAINT_INK, INK, Look, look};
use super::map;
use super::ruler::{Direction, Extent, Ruler};
use super::sound::LeftOut;

/// The width of a picture: its texts can be read where it is shown this wide.
const WIDTH: f64 = 800.0;

/// Around everything, and between panels.
const MARGIN: f64 = 16.0;
const GUTTER: f64 = 20.0;

/// The most panels in a row.
const COLUMNS: usize = 3;

/// The least widths of a plot of lines and of a plot of bars beside others.
const LEAST_LINES: f64 = 120.0;
const LEAST_BARS: f64 = 180.0;

/// The height of a plot by the number of columns.
const HEIGHTS: [f64; COLUMNS] = [300.0, 230.0, 200.0];

/// The most of a panel's width that names at the ends of lines take, unless one word takes more, and the most that one word takes.
const NAMES_SHARE: f64 = 0.22;
const WORD_SHARE: f64 = 0.4;

/// From the plot's lower edge to the feet of the axis' title, if that has one line.
const BELOW: f64 = 34.0;

const TITLE: Font = Font::bold(16.0);
const PANEL: Font = Font::bold(13.0);
const AXES: Font = Font::plain(12.0);
const CAPTION: Font = Font::plain(12.0);

/// A picture as a text of SVG, whole and without anything outside of it. Any numbers and texts give a well-formed picture; the
/// caption names the values that cannot be drawn.
pub fn svg(picture: &Picture) -> String {
    Sheet::new(picture).draw()
}

/// A panel that is ready to be drawn.
struct Ready<'p> {
    panel: &'p Panel,
    kind: Kind<'p>,
}

enum Kind<'p> {
    Curves { lines: &'p Lines, curves: Curves<'p>, axes: Axes },
    Ranked { bars: Ranked<'p>, ruler: Ruler },
    Map(&'p Map),
    Diagram(&'p Diagram),
}

/// A picture whose parts have their sizes.
struct Sheet<'p> {
    picture: &'p Picture,
    panels: Vec<Ready<'p>>,
    /// Every name of a series once, in the order in which they come.
    labels: IndexSet<&'p str>,
    pieces: Pieces<'p>,
    left_out: LeftOut,
}

/// The arrangement of the panels.
#[derive(Clone, Copy)]
struct Grid {
    columns: usize,
    /// The width of a panel, names included.
    cell: f64,
    /// The most that names at the ends of lines may take.
    names: f64,
    /// The room left and right of each plot of lines.
    left: f64,
    right: f64,
    /// The room for texts beside each plot of bars.
    sides: Sides,
}

impl Grid {
    fn lines(self) -> f64 {
        self.cell - self.left - self.right
    }

    fn bars(self) -> f64 {
        self.cell - self.sides.left() - self.sides.right()
    }
}

impl<'p> Sheet<'p> {
    fn new(picture: &'p Picture) -> Self {
        let mut left_out = LeftOut::default();
        let panels = ready(picture, &mut left_out);
        let (mut labels, mut pieces) = (IndexSet::new(), Pieces::default());
        let palette = panels.iter().find_map(|panel| match &panel.panel.content {
            Content::Bars(bars) => Some(bars.palette),
            _ => None,
        });
        pieces.palette = palette.unwrap_or_default();
        for panel in &panels {
            match &panel.kind {
                Kind::Curves { lines, .. } => labels.extend(lines.series.iter().map(|it| it.label.as_str())),
                Kind::Ranked { bars, .. } => {
                    bars.pieces()
                        .for_each(|(piece, is_seen)| *pieces.names.entry(piece).or_default() |= is_seen);
                }
                Kind::Map(_) | Kind::Diagram(_) => {}
            }
        }
        Self { picture, panels, labels, pieces, left_out }
    }

    fn draw(&self) -> String {
        let (grid, inner) = (self.grid(), WIDTH - 2.0 * MARGIN);
        let title = TITLE.wrap(&self.picture.title, inner);
        let legend = Legend::new(&self.pieces, &self.standing_alone(), inner);
        let below: Vec<String> = [Some(self.picture.caption.clone()), self.left_out.words()]
            .into_iter()
            .flatten()
            .flat_map(|text| CAPTION.wrap(&text, inner))
            .collect();
        let rows: Vec<Row<'_>> =
            self.panels.chunks(grid.columns).map(|panels| Row::new(panels, grid)).collect();
        let top = MARGIN + title.len() as f64 * TITLE.line() + 6.0;
        let head = top + legend.height;
        let body: f64 = rows.iter().map(Row::height).sum();
        let height = head + body + below.len() as f64 * CAPTION.line() + MARGIN;

        let mut canvas = Canvas::new(WIDTH, height, &self.picture.title, &self.description());
        canvas.texts((MARGIN, MARGIN + TITLE.size), Anchor::Start, TITLE, INK, &title);
        legend.draw(&mut canvas, (MARGIN, top));
        let mut y = head;
        for row in &rows {
            row.draw(&mut canvas, y, grid, self);
            y += row.height();
        }
        canvas.texts((MARGIN, y + CAPTION.size), Anchor::Start, CAPTION, FAINT_INK, &below);
        canvas.finish()
    }

    /// The names of the series whose points no line joins, with their looks.
    fn standing_alone(&self) -> Vec<(&'p str, Look)> {
        let series = self.panels.iter().flat_map(|panel| match &panel.kind {
            Kind::Curves { curves, .. } => curves.standing_alone().collect(),
            _ => Vec::new(),
        });
        let names: IndexSet<&str> = series.collect();
        let number = |name: &str| self.labels.get_index_of(name).unwrap_or(0);
        names.into_iter().filter(|name| !name.is_empty()).map(|name| (name, look(number(name)))).collect()
    }

    /// As many columns as leave each plot wide enough; panels of bars, whose height depends on their width, in as many as make the
    /// picture least high.
    fn grid(&self) -> Grid {
        let panels = self.panels.len().max(1);
        let rows = panels.div_ceil(COLUMNS);
        let wide = self.panels.iter().any(|ready| matches!(ready.kind, Kind::Map(_) | Kind::Diagram(_)));
        let most = if wide { 1 } else { panels.div_ceil(rows) };
        let is_wide = |grid: &Grid| {
            let is_told = grid.columns == 1 || self.bars().all(|bars| bars.is_told(grid.sides));
            grid.lines() >= LEAST_LINES && grid.bars() >= LEAST_BARS && is_told
        };
        let mut grids = (1..=most).rev().map(|columns| self.grid_of(columns)).filter(is_wide);
        let grid = match self.panels.iter().all(|ready| matches!(ready.kind, Kind::Ranked { .. })) {
            true => grids.min_by(|one, other| self.body(*one).total_cmp(&self.body(*other))),
            false => grids.next(),
        };
        grid.unwrap_or_else(|| self.grid_of(1))
    }

    fn bars(&self) -> impl Iterator<Item = &Ranked<'p>> {
        self.panels.iter().filter_map(|panel| match &panel.kind {
            Kind::Ranked { bars, .. } => Some(bars),
            _ => None,
        })
    }

    /// The height of all panels together.
    fn body(&self, grid: Grid) -> f64 {
        self.panels.chunks(grid.columns).map(|panels| Row::new(panels, grid).height()).sum()
    }

    fn grid_of(&self, columns: usize) -> Grid {
        let many = columns as f64;
        let cell = (WIDTH - 2.0 * MARGIN - (many - 1.0) * GUTTER) / many;
        let words = self.panels.iter().map(|panel| match &panel.kind {
            Kind::Curves { curves, .. } => curves.widest_word(),
            _ => 0.0,
        });
        let names = words.fold(cell * NAMES_SHARE, f64::max).min(cell * WORD_SHARE);
        let (mut left, mut right, mut sides) = (0.0_f64, 0.0_f64, Sides::default());
        for panel in &self.panels {
            match &panel.kind {
                Kind::Curves { curves, axes, .. } => {
                    let ticks = axes.y.upright(HEIGHTS[columns - 1]);
                    let widths = ticks.iter().map(|(_, tick)| TICKS.width(&tick.text) + 8.0);
                    left = widths.fold(left, f64::max);
                    right = right.max(curves.right(names));
                }
                Kind::Ranked { bars, ruler } => sides = sides.with(bars.sides(ruler, cell)),
                Kind::Map(_) | Kind::Diagram(_) => {}
            }
        }
        Grid { columns, cell, names, left, right, sides }
    }

    /// The picture in words.
    fn description(&self) -> String {
        let panel = |ready: &Ready<'_>| match &ready.kind {
            Kind::Curves { lines, curves, axes } => describe::curves(ready.panel, lines, curves, axes),
            Kind::Ranked { bars, ruler } => describe::ranked(ready.panel, bars, ruler),
            Kind::Map(map) => describe::mapped(ready.panel, map),
            Kind::Diagram(diagram) => describe::drawn(ready.panel, diagram),
        };
        let panels = self.panels.iter().map(panel);
        let below = [Some(self.picture.caption.clone()), self.left_out.words()].into_iter().flatten();
        panels.chain(below).filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// Panels beside each other.
struct Row<'s> {
    panels: &'s [Ready<'s>],
    /// The heights of the titles, of the titles of axes above the plots, of the plots, and of the texts below them.
    titles: f64,
    above: f64,
    plots: f64,
    below: f64,
}

impl<'s> Row<'s> {
    fn new(panels: &'s [Ready<'s>], grid: Grid) -> Self {
        let most = |height: &dyn Fn(&Ready<'_>) -> f64| panels.iter().map(height).fold(0.0, f64::max);
        let lines = |font: Font, text: &str| font.wrap(text, grid.cell).len() as f64 * font.line();
        Self {
            panels,
            titles: most(&|ready| lines(PANEL, &ready.panel.title)),
            above: most(&|ready| lines(AXES, ready.above()) + 6.0),
            plots: most(&|ready| ready.plot_height(grid)),
            below: most(&|ready| match ready.kind {
                Kind::Map(_) | Kind::Diagram(_) => 12.0,
                _ => BELOW + lines(AXES, ready.below()),
            }),
        }
    }

    fn height(&self) -> f64 {
        self.titles + self.above + self.plots + self.below
    }

    fn draw(&self, canvas: &mut Canvas, top: f64, grid: Grid, sheet: &Sheet<'_>) {
        for (index, ready) in self.panels.iter().enumerate() {
            let left = MARGIN + index as f64 * (grid.cell + GUTTER);
            let lines = |font: Font, text: &str| font.wrap(text, grid.cell);
            canvas.texts(
                (left, top + PANEL.size),
                Anchor::Start,
                PANEL,
                INK,
                &lines(PANEL, &ready.panel.title),
            );
            let above = top + self.titles + AXES.size;
            canvas.texts((left, above), Anchor::Start, AXES, FAINT_INK, &lines(AXES, ready.above()));
            let (indent, width) = match ready.kind {
                Kind::Curves { .. } => (grid.left, grid.lines()),
                Kind::Ranked { .. } => (grid.sides.left(), grid.bars()),
                Kind::Map(_) | Kind::Diagram(_) => (0.0, grid.cell),
            };
            let frame = Frame {
                left: left + indent,
                top: top + self.titles + self.above,
                width,
                height: ready.plot_height(grid),
            };
            match &ready.kind {
                Kind::Curves { curves, axes, .. } => {
                    curves.draw(canvas, frame, axes, &sheet.labels, grid.names)
                }
                Kind::Ranked { bars, ruler } => {
                    bars.draw(canvas, frame, ruler, grid.sides, &sheet.pieces);
                }
                Kind::Map(map) => map::draw(canvas, frame, map),
                Kind::Diagram(diagram) => diagram::draw(canvas, frame, diagram),
            }
            let middle = frame.left + frame.width / 2.0;
            let below = (middle, frame.bottom() + BELOW);
            canvas.texts(below, Anchor::Middle, AXES, FAINT_INK, &lines(AXES, ready.below()));
        }
    }
}

impl Ready<'_> {
    /// The title of the upright axis, which stands above the plot so that it reads from left to right.
    fn above(&self) -> &str {
        match &self.kind {
            Kind::Curves { axes, .. } => &axes.y.title,
            Kind::Map(map) => &map.across,
            Kind::Ranked { .. } | Kind::Diagram(_) => "",
        }
    }

    /// The title of the axis below the plot.
    fn below(&self) -> &str {
        match &self.kind {
            Kind::Curves { axes, .. } => &axes.x.title,
            Kind::Ranked { ruler, .. } => &ruler.title,
            Kind::Map(_) | Kind::Diagram(_) => "",
        }
    }

    fn plot_height(&self, grid: Grid) -> f64 {
        match &self.kind {
            Kind::Curves { curves, .. } => HEIGHTS[grid.columns - 1].max(curves.least_height(grid.names)),
            Kind::Ranked { bars, .. } => bars.height(grid.sides),
            Kind::Map(map) => map::height(map, grid.cell),
            Kind::Diagram(diagram) => diagram::height(diagram, grid.cell),
        }
    }
}

/// The label, unit and scale of an axis, and the values along it. Axes with the first three in common can share their range.
type Along<'p> = ((&'p str, &'p str, Scale), Option<Extent>);

/// The values along an axis, and along the axes that share its range.
fn shared(of: Along<'_>, all: &[Along<'_>], is_shared: bool) -> Option<Extent> {
    let alike = all.iter().filter(|(axis, _)| is_shared && *axis == of.0);
    alike.filter_map(|(_, extent)| *extent).chain(of.1).reduce(Extent::with)
}

fn along(axis: &Axis, extent: Option<Extent>) -> Along<'_> {
    ((&axis.label, &axis.unit, axis.scale), extent)
}

/// The content of a panel whose values have been checked.
enum Checked<'p> {
    Curves(&'p Lines, Curves<'p>),
    Ranked(&'p Bars, Ranked<'p>),
    Map(&'p Map),
    Diagram(&'p Diagram),
}

impl<'p> Checked<'p> {
    fn new(panel: &'p Panel, left_out: &mut LeftOut) -> Self {
        match &panel.content {
            Content::Lines(lines) => Self::Curves(lines, Curves::new(lines, left_out)),
            Content::Bars(bars) => Self::Ranked(bars, Ranked::new(bars, left_out)),
            Content::Map(map) => Self::Map(map),
            Content::Diagram(diagram) => Self::Diagram(diagram),
        }
    }

    /// The values along the axis across; a panel of bars has none.
    fn across(&self) -> Option<Along<'p>> {
        match self {
            Self::Curves(lines, curves) => Some(along(&lines.x, curves.across())),
            _ => None,
        }
    }

    /// The values along the axis of the measured quantity; a map or a diagram has none.
    fn measured(&self) -> Along<'p> {
        match self {
            Self::Curves(lines, curves) => along(&lines.y, curves.upright()),
            Self::Ranked(bars, ranked) => ((&bars.label, &bars.unit, Scale::Linear), ranked.along()),
            Self::Map(_) | Self::Diagram(_) => (("", "", Scale::Linear), None),
        }
    }
}

/// All panels, with axes that are fitted to the sound values.
fn ready<'p>(picture: &'p Picture, left_out: &mut LeftOut) -> Vec<Ready<'p>> {
    let checked: Vec<_> = picture.panels.iter().map(|panel| Checked::new(panel, left_out)).collect();
    let across: Vec<_> = checked.iter().filter_map(Checked::across).collect();
    let measured: Vec<_> = checked.iter().map(Checked::measured).collect();
    let mut kind = |checked: Checked<'p>| {
        let values = shared(checked.measured(), &measured, picture.shared.y);
        let varied = checked.across().and_then(|of| shared(of, &across, picture.shared.x));
        match checked {
            Checked::Curves(lines, curves) => {
                let x = Ruler::new(&lines.x, varied, Direction::Across);
                let axes = Axes { x, y: Ruler::new(&lines.y, values, Direction::Measured) };
                curves.leave_out(&axes, left_out);
                Kind::Curves { lines, curves, axes }
            }
            Checked::Ranked(_, bars) => {
                let ruler = bars.ruler(values);
                bars.leave_out(&ruler, left_out);
                Kind::Ranked { ruler, bars }
            }
            Checked::Map(map) => Kind::Map(map),
            Checked::Diagram(diagram) => Kind::Diagram(diagram),
        }
    };
    let kinds: Vec<_> = checked.into_iter().map(&mut kind).collect();
    picture.panels.iter().zip(kinds).map(|(panel, kind)| Ready { panel, kind }).collect()
}
