//! A panel of lines: series of points over two axes, with their names at the ends of the lines. This module must never know which
//! other panels there are.

use indexmap::IndexSet;

use super::canvas::{AXIS, Anchor, Canvas, Frame, GRID, LEVEL, Meaning, Place, Stroke};
use super::data::{Level, Lines, Scale, Series};
use super::letters::Font;
use super::looks::{FAINT_INK, INK, Look, look};
use super::ruler::{Extent, Ruler};
use super::sound::{Flaw, LeftOut, Sound, points, value};
use super::spread::spread;

/// The fonts of texts beside axes and of names.
pub(super) const TICKS: Font = Font::plain(11.0);
const NAMES: Font = Font::plain(12.0);

/// From the plot's right edge to the sample of a line, the length of the sample, and from there to the name.
const LEADER: f64 = 12.0;
const SAMPLE: f64 = 24.0;
const GAP: f64 = 5.0;

/// The most lines of a name.
const NAME_LINES: usize = 3;

/// The room right of a plot without names.
const NO_NAMES: f64 = 16.0;

/// From this number of points on a series has markers at some of its points only, and intervals are a band.
const DENSE: usize = 30;

/// The approximate number of markers of a dense series.
const FEW_MARKERS: usize = 8;

/// A panel of lines whose points have been checked.
pub(super) struct Curves<'p> {
    lines: &'p Lines,
    /// The points of each series, with `None` where the line has a gap.
    points: Vec<Vec<Option<Sound>>>,
    /// The points for comparison of each series.
    references: Vec<Vec<Sound>>,
    levels: Vec<&'p Level>,
    multiples: Vec<&'p Level>,
}

/// The axes of a panel of lines.
pub(super) struct Axes {
    pub(super) x: Ruler,
    pub(super) y: Ruler,
}

/// A name beside the plot.
#[derive(Clone, Copy)]
struct Name<'p> {
    text: &'p str,
    /// `None` for a level.
    look: Option<Look>,
    /// The end of the line that the name belongs to.
    end: Place,
    /// The mean height of the line: of lines that end at one place, the higher line has the higher name.
    mean: f64,
}

impl<'p> Curves<'p> {
    pub(super) fn new(lines: &'p Lines, left_out: &mut LeftOut) -> Self {
        let mut sound = |series, all: &[_]| points(lines, series, all, left_out);
        let points = lines.series.iter().map(|series| sound(series, &series.points)).collect();
        let references = lines.series.iter();
        let references =
            references.map(|series| sound(series, &series.references).into_iter().flatten().collect());
        let references = references.collect();
        let mut levels = Vec::new();
        for level in &lines.levels {
            match value(level.value, lines.y.scale) {
                Ok(_) => levels.push(level),
                Err(flaw) => left_out.add(flaw, &level.label),
            }
        }
        let mut multiples = Vec::new();
        for multiple in &lines.multiples {
            match value(multiple.value, Scale::Log) {
                Ok(_) => multiples.push(multiple),
                Err(flaw) => left_out.add(flaw, &multiple.label),
            }
        }
        Self { lines, points, references, levels, multiples }
    }

    fn sound(&self) -> impl Iterator<Item = &Sound> {
        self.points.iter().flatten().flatten().chain(self.references.iter().flatten())
    }

    /// The values that stand along the axis across.
    pub(super) fn across(&self) -> Option<Extent> {
        Extent::of(self.sound().map(|point| point.x))
    }

    /// The values that stand along the upright axis.
    pub(super) fn upright(&self) -> Option<Extent> {
        let ends = self.sound().filter_map(|point| point.interval).flat_map(|it| [it.low, it.high]);
        let ends = ends.filter(|end| self.lines.y.scale == Scale::Linear || *end > 0.0);
        let levels = self.levels.iter().map(|level| level.value);
        Extent::of(self.sound().map(|point| point.y).chain(ends).chain(levels))
    }

    /// Adds the points outside of the axes.
    pub(super) fn leave_out(&self, axes: &Axes, left_out: &mut LeftOut) {
        for (series, points, references) in self.all() {
            let outside = points.iter().flatten().chain(references).filter(|point| !axes.hold(point));
            outside.for_each(|_| left_out.add(Flaw::Outside, &series.label));
        }
        let outside = self.levels.iter().filter(|level| !axes.y.holds(level.value));
        outside.for_each(|level| left_out.add(Flaw::Outside, &level.label));
    }

    /// Each series with its points and its points for comparison.
    fn all(&self) -> impl Iterator<Item = (&'p Series, &Vec<Option<Sound>>, &Vec<Sound>)> {
        let series = self.lines.series.iter().zip(&self.points).zip(&self.references);
        series.map(|((series, points), references)| (series, points, references))
    }

    /// The series that are seen, of which the points stand alone or are joined.
    fn seen(&self, alone: bool) -> impl Iterator<Item = &'p str> {
        let seen = self
            .all()
            .filter(|(_, points, references)| points.iter().any(Option::is_some) || !references.is_empty());
        let series = seen.map(|(series, ..)| series).filter(move |series| stands_alone(series) == alone);
        series.map(|series| series.label.as_str())
    }

    /// The names of the series whose points no line joins: they stand in the legend.
    pub(super) fn standing_alone(&self) -> impl Iterator<Item = &'p str> {
        self.seen(true)
    }

    /// Every text that stands beside the plot.
    fn names(&self) -> impl Iterator<Item = &'p str> {
        let series = self.seen(false);
        let levels = self.levels.iter().chain(&self.multiples).map(|level| level.label.as_str());
        series.chain(levels).filter(|name| !name.is_empty())
    }

    /// The width of the widest word of a name.
    pub(super) fn widest_word(&self) -> f64 {
        let words = self.names().flat_map(str::split_whitespace);
        words.map(|word| NAMES.width(word)).fold(0.0, f64::max)
    }

    /// The room right of the plot, for names of this width at most.
    pub(super) fn right(&self, most: f64) -> f64 {
        let widths = self.names().map(|name| NAMES.widest(&NAMES.wrap_to(name, most, NAME_LINES)));
        widths.reduce(f64::max).map_or(NO_NAMES, |widest| LEADER + SAMPLE + GAP + widest)
    }

    /// The least height of the plot in which all names of this width have room.
    pub(super) fn least_height(&self, most: f64) -> f64 {
        self.names().map(|name| height(&NAMES.wrap_to(name, most, NAME_LINES))).sum()
    }

    /// Draws the panel into a frame, whose room to the right is wide enough for names of this width.
    pub(super) fn draw(
        &self,
        canvas: &mut Canvas,
        frame: Frame,
        axes: &Axes,
        labels: &IndexSet<&str>,
        most: f64,
    ) {
        draw_axes(canvas, frame, axes);
        let mut names = Vec::new();
        for level in self.levels.iter().filter(|level| axes.y.holds(level.value)) {
            let y = axes.at(frame, 0.0, level.value).1;
            canvas.line(&[(frame.left, y), (frame.right(), y)], LEVEL);
            names.push(Name { text: &level.label, look: None, end: (frame.right(), y), mean: y });
        }
        names.extend(self.multiples.iter().filter_map(|multiple| {
            let (from, to) = axes.multiple(frame, multiple.value)?;
            canvas.line(&[from, to], LEVEL);
            Some(Name { text: &multiple.label, look: None, end: to, mean: to.1 })
        }));
        for (series, points, references) in self.all() {
            let number = labels.get_index_of(series.label.as_str()).unwrap_or(0);
            let drawn = Drawn { frame, axes, look: look(number), number, series };
            let draw = |canvas: &mut Canvas| {
                let end = drawn.draw(canvas, points);
                let compared = references.iter().filter_map(|point| drawn.reference(canvas, point));
                compared.chain(end).reduce(rightmost)
            };
            if let Some(end) = canvas.group(meaning(series, points, references), draw) {
                let all = || points.iter().flatten().chain(references);
                let heights = all().map(|point| axes.at(frame, point.x, point.y).1);
                let mean = heights.sum::<f64>() / all().count() as f64;
                if !stands_alone(series) {
                    names.push(Name { text: &series.label, look: Some(drawn.look), end, mean });
                }
            }
        }
        if self.sound().next().is_none() {
            let middle = (frame.left + frame.width / 2.0, frame.top + frame.height / 2.0);
            canvas.text(middle, Anchor::Middle, NAMES, FAINT_INK, "nothing to draw");
        }
        draw_names(canvas, frame, &names, most);
    }

    /// The series, with the points that can be drawn, and those for comparison.
    pub(super) fn series(&self) -> impl Iterator<Item = (&'p Series, Vec<Sound>, &Vec<Sound>)> {
        self.all().map(|(series, points, references)| {
            (series, points.iter().copied().flatten().collect(), references)
        })
    }
}

impl Axes {
    fn at(&self, frame: Frame, x: f64, y: f64) -> Place {
        let (across, up) = (self.x.place(x), self.y.place(y));
        (frame.left + across * frame.width, frame.bottom() - up * frame.height)
    }

    /// The line on which an upright value is this multiple of the value below it, inside of the frame: straight on two axes of one kind.
    fn multiple(&self, frame: Frame, times: f64) -> Option<(Place, Place)> {
        let (from, to) = self.x.ends();
        inside(frame, self.at(frame, from, from * times), self.at(frame, to, to * times))
    }

    fn hold(&self, point: &Sound) -> bool {
        self.x.holds(point.x) && self.y.holds(point.y)
    }
}

/// The name of a series and all its values that can be drawn.
fn meaning(series: &Series, points: &[Option<Sound>], references: &[Sound]) -> Meaning {
    let value = |point: &Sound| format!("{},{}", point.x, point.y);
    let values: Vec<_> = points.iter().flatten().map(value).collect();
    let compared: Vec<_> = references.iter().map(value).collect();
    let mut data = vec![("series", series.label.clone()), ("values", values.join(" "))];
    data.extend((!compared.is_empty()).then(|| ("references", compared.join(" "))));
    Meaning { class: "series", title: String::new(), data }
}

/// The place further right; the second where none is.
fn rightmost(end: Place, place: Place) -> Place {
    if place.0 >= end.0 { place } else { end }
}

/// Whether no line joins the points of a series.
fn stands_alone(series: &Series) -> bool {
    !series.names.is_empty()
}

fn height(lines: &[String]) -> f64 {
    lines.len() as f64 * NAMES.line() + 2.0
}

fn draw_axes(canvas: &mut Canvas, frame: Frame, axes: &Axes) {
    for (place, tick) in axes.y.upright(frame.height) {
        let y = frame.bottom() - place * frame.height;
        let is_zero = tick.value == 0.0 && place > 0.0;
        canvas.line(&[(frame.left, y), (frame.right(), y)], if is_zero { AXIS } else { GRID });
        canvas.text((frame.left - 7.0, y + 4.0), Anchor::End, TICKS, FAINT_INK, &tick.text);
    }
    draw_ticks(canvas, frame, &axes.x);
    canvas.line(&[(frame.left, frame.top), (frame.left, frame.bottom())], AXIS);
}

/// The axis at the bottom with its ticks.
pub(super) fn draw_ticks(canvas: &mut Canvas, frame: Frame, ruler: &Ruler) {
    for (place, tick) in ruler.across(frame.width, TICKS) {
        let x = frame.left + place * frame.width;
        canvas.line(&[(x, frame.bottom()), (x, frame.bottom() + 4.0)], AXIS);
        canvas.text((x, frame.bottom() + 16.0), Anchor::Middle, TICKS, FAINT_INK, &tick.text);
    }
    canvas.line(&[(frame.left, frame.bottom()), (frame.right(), frame.bottom())], AXIS);
}

/// Names at the ends of their lines, each behind a sample of its line, and led to where it had room.
fn draw_names(canvas: &mut Canvas, frame: Frame, names: &[Name<'_>], most: f64) {
    let mut names: Vec<Name<'_>> = names.iter().copied().filter(|name| !name.text.is_empty()).collect();
    names.sort_by(|one, other| one.mean.total_cmp(&other.mean));
    let texts: Vec<_> = names.iter().map(|name| NAMES.wrap_to(name.text, most, NAME_LINES)).collect();
    let wanted: Vec<_> = names.iter().zip(&texts).map(|(name, lines)| (name.end.1, height(lines))).collect();
    let middles = spread(&wanted, frame.top, frame.bottom());
    for ((name, lines), y) in names.iter().zip(&texts).zip(middles) {
        let sample = frame.right() + LEADER;
        let colour = name.look.map_or(LEVEL.colour, |look| look.colour);
        let leader = Stroke { colour, width: 0.7, dashes: "1 2" };
        canvas.line(&[name.end, (frame.right(), name.end.1), (sample - 2.0, y)], leader);
        let ends = [(sample, y), (sample + SAMPLE, y)];
        match name.look {
            Some(look) => {
                canvas.line(&ends, stroke(look));
                canvas.marker((sample + SAMPLE / 2.0, y), look);
            }
            None => canvas.line(&ends, LEVEL),
        }
        let first = y - (lines.len() as f64 - 1.0) / 2.0 * NAMES.line() + 4.0;
        canvas.texts((sample + SAMPLE + GAP, first), Anchor::Start, NAMES, INK, lines);
    }
}

fn stroke(look: Look) -> Stroke<'static> {
    Stroke { colour: look.colour, width: 1.8, dashes: look.dashes }
}

/// A series that is being drawn.
struct Drawn<'a> {
    frame: Frame,
    axes: &'a Axes,
    look: Look,
    number: usize,
    series: &'a Series,
}

impl Drawn<'_> {
    /// Draws a series, and answers its rightmost place, where its name belongs; `None` if nothing of it is seen.
    fn draw(&self, canvas: &mut Canvas, points: &[Option<Sound>]) -> Option<Place> {
        let mut seen: Vec<Place> = Vec::new();
        let stands_alone = stands_alone(self.series);
        let is_dense = points.len() > DENSE && !stands_alone;
        let every = if is_dense { points.len().div_ceil(FEW_MARKERS) } else { 1 };
        // Series that cover each other have their markers at different points.
        let mut index = self.number * every / FEW_MARKERS;
        let mut names = self.series.names.iter();
        for run in points.split_inclusive(Option::is_none) {
            let names: Vec<_> = names.by_ref().take(run.len()).collect();
            let run: Vec<Sound> = run.iter().copied().flatten().collect();
            if is_dense {
                self.band(canvas, &run);
            }
            let pieces = if stands_alone { Vec::new() } else { self.pieces(&run) };
            pieces.iter().for_each(|piece| canvas.line(piece, stroke(self.look)));
            seen.extend(pieces.into_iter().flatten());
            let held = run.iter().enumerate().filter(|(_, point)| self.axes.hold(point));
            for (at, point) in held {
                let place = self.frame.nearest(self.axes.at(self.frame, point.x, point.y));
                if !is_dense {
                    self.whisker(canvas, point);
                }
                if run.len() == 1 || index % every == every / 2 {
                    let name = names.get(at).map_or(self.series.label.as_str(), |name| name.as_str());
                    canvas.group(self.point(name, point), |canvas| canvas.marker(place, self.look));
                }
                seen.push(place);
                index += 1;
            }
        }
        seen.into_iter().reduce(rightmost)
    }

    /// Draws a point for comparison, and answers its place; `None` outside of the axes.
    fn reference(&self, canvas: &mut Canvas, point: &Sound) -> Option<Place> {
        let place = self.axes.hold(point).then(|| self.axes.at(self.frame, point.x, point.y))?;
        let place = self.frame.nearest(place);
        let name = format!("{}, for comparison", self.series.label);
        canvas.group(self.point(name.trim_start_matches(", "), point), |canvas| {
            canvas.hollow(place, self.look);
        });
        Some(place)
    }

    /// A point in words.
    fn point(&self, name: &str, point: &Sound) -> Meaning {
        let Axes { x, y } = self.axes;
        let told = format!("{} at {}", y.told(point.y), x.told(point.x));
        let title = if name.is_empty() { told } else { format!("{name}: {told}") };
        Meaning { class: "point", title, data: Vec::new() }
    }

    fn whisker(&self, canvas: &mut Canvas, point: &Sound) {
        let Some(interval) = point.interval else { return };
        let end = |y: f64| self.frame.nearest(self.axes.at(self.frame, point.x, y));
        canvas.whisker(end(interval.low), end(interval.high), self.look.colour);
    }

    /// The intervals of neighbouring points as an area.
    fn band(&self, canvas: &mut Canvas, run: &[Sound]) {
        for run in run.split(|point| point.interval.is_none() || !self.axes.x.holds(point.x)) {
            let edge = |end: fn(&Sound) -> f64| {
                run.iter().map(move |point| self.frame.nearest(self.axes.at(self.frame, point.x, end(point))))
            };
            let low = edge(|point| point.interval.map_or(point.y, |interval| interval.low));
            let high = edge(|point| point.interval.map_or(point.y, |interval| interval.high));
            let corners: Vec<_> = high.chain(low.rev()).collect();
            if corners.len() > 2 {
                canvas.area(&corners, self.look.colour);
            }
        }
    }

    /// The parts of a line that lie inside of the frame.
    fn pieces(&self, run: &[Sound]) -> Vec<Vec<Place>> {
        let mut pieces: Vec<Vec<Place>> = Vec::new();
        for pair in run.windows(2) {
            let [from, to] = [0, 1].map(|end| self.axes.at(self.frame, pair[end].x, pair[end].y));
            let Some((from, to)) = inside(self.frame, from, to) else { continue };
            match pieces.last_mut().filter(|piece| piece.last() == Some(&from)) {
                Some(piece) => piece.push(to),
                None => pieces.push(vec![from, to]),
            }
        }
        pieces
    }
}

/// The part of a segment that lies inside of a frame, by the algorithm of Liang and Barsky.
fn inside(frame: Frame, from: Place, to: Place) -> Option<(Place, Place)> {
    let (across, down) = (to.0 - from.0, to.1 - from.1);
    let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
    let edges = [
        (-across, from.0 - frame.left),
        (across, frame.right() - from.0),
        (-down, from.1 - frame.top),
        (down, frame.bottom() - from.1),
    ];
    for (step, room) in edges {
        if step == 0.0 && room < 0.0 {
            return None;
        }
        let crosses = room / step;
        if step < 0.0 {
            enters = enters.max(crosses);
        } else if step > 0.0 {
            leaves = leaves.min(crosses);
        }
    }
    let at = |share: f64| match share {
        0.0 => from,
        1.0 => to,
        share => (from.0 + share * across, from.1 + share * down),
    };
    (enters <= leaves).then(|| (frame.nearest(at(enters)), frame.nearest(at(leaves))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Frame = Frame { left: 10.0, top: 10.0, width: 100.0, height: 100.0 };

    #[test]
    fn a_segment_is_cut_at_the_edges() {
        let cut = |from, to| inside(FRAME, from, to);
        assert_eq!(cut((20.0, 20.0), (30.0, 30.0)), Some(((20.0, 20.0), (30.0, 30.0))));
        assert_eq!(cut((0.0, 60.0), (200.0, 60.0)), Some(((10.0, 60.0), (110.0, 60.0))));
        assert_eq!(cut((60.0, 60.0), (60.0, 1000.0)), Some(((60.0, 60.0), (60.0, 110.0))));
        assert_eq!(cut((0.0, 0.0), (5.0, 200.0)), None);
        assert_eq!(cut((0.0, 100.0), (0.0, 100.0)), None);
        let (from, to) = cut((60.0, 60.0), (1e200, 60.0)).unwrap();
        assert_eq!((from, to), ((60.0, 60.0), (110.0, 60.0)));
    }
}
