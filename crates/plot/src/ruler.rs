//! An axis that is fitted to its data: its range, its unit and its ticks. This module must never know where on a picture the axis
//! stands.

use super::data::{Axis, Scale};
use super::digits::number;
use super::letters::Font;
use super::multiple::Multiple;
use super::range::{Range, Tick};
use super::sound;

/// The values that stand along an axis.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Extent {
    low: f64,
    high: f64,
    /// Whether every value is a power of two.
    binary: bool,
    /// Whether every value is a whole number.
    whole: bool,
}

impl Extent {
    /// The extent of some values that can be drawn; `None` for no value.
    pub(super) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let one = |value: f64| Self {
            low: value,
            high: value,
            binary: value > 0.0 && value.log2().fract() == 0.0,
            whole: value.fract() == 0.0,
        };
        values.into_iter().map(one).reduce(Self::with)
    }

    /// The extent of the values of two.
    pub(super) fn with(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            binary: self.binary && other.binary,
            whole: self.whole && other.whole,
        }
    }
}

/// The direction of an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    /// From left to right, for the varied quantity.
    Across,
    /// Upwards or along bars, for the measured quantity. A linear scale holds zero, so that lengths can be compared.
    Measured,
}

/// An axis that is fitted to its data.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Ruler {
    /// The quantity with its unit.
    pub(super) title: String,
    /// The unit of the texts.
    pub(super) unit: String,
    /// The factor that turns a value into that unit.
    pub(super) factor: f64,
    range: Range,
    binary: bool,
    /// Whether a tick between whole numbers means nothing.
    whole: bool,
}

/// The room at the ends of an axis, as a share of its length.
const ROOM: f64 = 0.04;

/// The room between two texts below an axis.
const BETWEEN: f64 = 10.0;

/// The room for each text beside an upright axis.
const ROW: f64 = 34.0;

impl Ruler {
    /// The axis of values with this extent.
    pub(super) fn new(axis: &Axis, extent: Option<Extent>, direction: Direction) -> Self {
        let range = range(axis, extent, direction);
        let typical = match axis.scale {
            Scale::Linear => range.from.abs().max(range.to.abs()),
            Scale::Log => (range.from * range.to).sqrt(),
        };
        let Multiple { unit, factor } = Multiple::for_value(&axis.unit, typical);
        let named = [axis.label.as_str(), unit.as_str()].into_iter().filter(|part| !part.is_empty());
        Self {
            title: named.collect::<Vec<_>>().join(", ")
                + if axis.scale == Scale::Log { " (log scale)" } else { "" },
            unit,
            factor,
            range: Range { from: range.from * factor, to: range.to * factor, ..range },
            binary: factor == 1.0 && extent.is_some_and(|extent| extent.binary),
            whole: factor == 1.0
                && direction == Direction::Across
                && extent.is_some_and(|extent| extent.whole),
        }
    }

    /// The place of a value: 0 at the beginning, 1 at the end, and outside of that for a value outside. On a logarithmic axis, a
    /// value of 0 or less stands at the beginning.
    pub(super) fn place(&self, value: f64) -> f64 {
        let value = value * self.factor;
        if self.range.scale == Scale::Log && value <= 0.0 { 0.0 } else { self.range.place(value) }
    }

    /// The values at both ends.
    pub(super) fn ends(&self) -> (f64, f64) {
        (self.range.from / self.factor, self.range.to / self.factor)
    }

    /// A value with the unit of the axis.
    pub(super) fn told(&self, value: f64) -> String {
        let value = number(value * self.factor);
        if self.unit.is_empty() { value } else { format!("{value} {}", self.unit) }
    }

    /// Returns true if a value stands on the axis.
    pub(super) fn holds(&self, value: f64) -> bool {
        self.range.holds(value * self.factor)
    }

    /// The ticks below an axis of this length, as many as have room, each with its place from 0 to 1.
    pub(super) fn across(&self, length: f64, font: Font) -> Vec<(f64, Tick)> {
        let room = |pair: &[(f64, Tick)]| {
            let widths = font.width(&pair[0].1.text) + font.width(&pair[1].1.text);
            (pair[1].0 - pair[0].0) * length >= widths / 2.0 + BETWEEN
        };
        let fits = |ticks: &Vec<(f64, Tick)>| ticks.windows(2).all(room);
        let is_whole = |ticks: &Vec<(f64, Tick)>| {
            !self.whole || ticks.len() > 1 && ticks.iter().all(|(_, tick)| tick.value.fract() == 0.0)
        };
        let most = || (2..=12).rev().map(|most| self.placed(most)).filter(fits);
        let mut ticks = most().find(is_whole).or_else(|| most().next()).unwrap_or_else(|| self.placed(2));
        if !fits(&ticks) {
            ticks.truncate(1);
        }
        ticks
    }

    /// The ticks beside an upright axis of this length, each with its place from 0 to 1.
    pub(super) fn upright(&self, length: f64) -> Vec<(f64, Tick)> {
        self.placed((length / ROW) as usize)
    }

    fn placed(&self, most: usize) -> Vec<(f64, Tick)> {
        let ticks = self.range.ticks(most, self.binary);
        ticks.into_iter().map(|tick| (self.range.place(tick.value).clamp(0.0, 1.0), tick)).collect()
    }
}

/// The ends of an axis: the given ends, if they are a range, or else ends that leave room for every value.
fn range(axis: &Axis, extent: Option<Extent>, direction: Direction) -> Range {
    let given = |end: Option<f64>| end.and_then(|end| sound::value(end, axis.scale).ok());
    let (from, to) = (given(axis.from), given(axis.to));
    let empty = match axis.scale {
        Scale::Linear => (0.0, 1.0),
        Scale::Log => (1.0, 10.0),
    };
    let (mut low, mut high) = extent.map_or(empty, |extent| (extent.low, extent.high));
    let holds_zero = axis.scale == Scale::Linear && direction == Direction::Measured;
    if holds_zero {
        (low, high) = (low.min(0.0), high.max(0.0));
    }
    let (first, last) = (from.unwrap_or(low), to.unwrap_or(high));
    if first > last || (first == last && from.is_some() && to.is_some()) {
        return range(&Axis { from: None, to: None, ..axis.clone() }, extent, direction);
    }
    if holds_zero && first == 0.0 && last == 0.0 {
        return Range { scale: axis.scale, from: 0.0, to: 1.0 };
    }
    let fixed = |end: Option<f64>, value: f64| {
        if end.is_some() || (axis.scale == Scale::Linear && value == 0.0) { 0.0 } else { ROOM }
    };
    Range::of(axis.scale, first, last).padded(fixed(from, first), fixed(to, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ruler(axis: &Axis, values: &[f64], direction: Direction) -> Ruler {
        Ruler::new(axis, Extent::of(values.iter().copied()), direction)
    }

    #[test]
    fn what_is_measured_begins_at_zero_in_a_suitable_unit() {
        let axis = Axis::new("time", "ns", Scale::Linear);
        let time = ruler(&axis, &[2e6, 3e6], Direction::Measured);
        assert_eq!((time.place(0.0), time.title.as_str(), time.unit.as_str()), (0.0, "time, ms", "ms"));
        assert!(time.holds(3e6) && time.place(3e6) > 0.9);
        let nothing = ruler(&axis, &[0.0, 0.0], Direction::Measured);
        assert_eq!(nothing.place(0.0), 0.0);
    }

    #[test]
    fn ends_that_are_no_range_are_not_used() {
        let values = [1.0, 2.0];
        for (from, to) in [(5.0, 3.0), (4.0, 4.0), (f64::NAN, f64::INFINITY), (9.0, f64::NAN)] {
            let axis = Axis::new("x", "", Scale::Linear).between(from, to);
            let x = ruler(&axis, &values, Direction::Across);
            assert!(values.iter().all(|value| x.holds(*value)), "{from} {to}: {x:?}");
        }
        let x = ruler(&Axis::new("x", "", Scale::Linear).between(0.0, 1.5), &values, Direction::Across);
        assert!(x.holds(1.0) && !x.holds(2.0) && x.place(1.5) == 1.0);
    }

    #[test]
    fn between_whole_numbers_there_is_no_tick() {
        let processors =
            ruler(&Axis::new("processors", "", Scale::Linear), &[1.0, 2.0, 3.0, 4.0], Direction::Across);
        let ticks = processors.across(400.0, Font::plain(11.0));
        assert_eq!(ticks.into_iter().map(|(_, tick)| tick.text).collect::<Vec<_>>(), ["1", "2", "3", "4"]);
    }

    #[test]
    fn ticks_below_an_axis_do_not_touch() {
        let axis = Axis::new("block", "", Scale::Log);
        let blocks = ruler(&axis, &[16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0], Direction::Across);
        let font = Font::plain(11.0);
        let texts =
            |length| blocks.across(length, font).into_iter().map(|(_, tick)| tick.text).collect::<Vec<_>>();
        assert_eq!(texts(400.0), ["16", "32", "64", "128", "256", "512", "1024"]);
        assert_eq!(texts(120.0), ["16", "64", "256", "1024"]);
        assert!(texts(10.0).len() < 2);
    }
}
