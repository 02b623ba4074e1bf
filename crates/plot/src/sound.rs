//! The values that can be drawn, and the numbers of omitted values by reason. This module must never know where a value is drawn.

use std::collections::BTreeMap;

use super::data::{Interval, Lines, Point, Scale, Series};

/// The absolute values other than 0 that can be drawn. Differences and ratios of such values are finite.
const DRAWABLE: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// Why something is left out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Flaw {
    /// There is no value.
    Missing,
    /// The value is infinite or not a number.
    NotFinite,
    /// The value is finite, but so large or so small that it cannot be placed.
    Extreme,
    /// The value is 0 or less on a logarithmic scale.
    NotPositive,
    /// The value lies outside of the ends that an axis was given.
    Outside,
    /// The ends of an interval are not finite, or the first is above the second.
    Interval,
    /// A piece of a bar is negative or not finite, or all are 0.
    Pieces,
}

impl Flaw {
    fn words(self) -> &'static str {
        match self {
            Self::Missing => "without a value",
            Self::NotFinite => "not finite",
            Self::Extreme => "too large or too small to place",
            Self::NotPositive => "0 or below on a log axis",
            Self::Outside => "outside of the axes",
            Self::Interval => "without two finite ends in order",
            Self::Pieces => "into pieces that are negative, not finite or all 0",
        }
    }

    fn thing(self) -> &'static str {
        match self {
            Self::Missing => "point",
            Self::Interval => "interval",
            Self::Pieces => "division",
            _ => "value",
        }
    }
}

/// The values that were left out of a picture: by reason their number, and the names of their series or bars.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct LeftOut(BTreeMap<Flaw, (u64, Vec<String>)>);

impl LeftOut {
    pub(super) fn add(&mut self, flaw: Flaw, name: &str) {
        let (number, names) = self.0.entry(flaw).or_default();
        *number += 1;
        if !name.is_empty() && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }

    /// A sentence on the omitted values; `None` if there is none.
    pub(super) fn words(&self) -> Option<String> {
        let phrase = |(flaw, (number, names)): (&Flaw, &(u64, Vec<String>))| {
            let of = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
            let plural = if *number == 1 { "" } else { "s" };
            format!("{number} {}{plural} {}{of}", flaw.thing(), flaw.words())
        };
        let phrases: Vec<String> = self.0.iter().map(phrase).collect();
        (!phrases.is_empty()).then(|| format!("Not drawn: {}.", phrases.join("; ")))
    }
}

/// The value itself if it can be drawn on such an axis.
pub(super) fn value(value: f64, scale: Scale) -> Result<f64, Flaw> {
    match value {
        value if !value.is_finite() => Err(Flaw::NotFinite),
        value if value != 0.0 && !DRAWABLE.contains(&value.abs()) => Err(Flaw::Extreme),
        value if value <= 0.0 && scale == Scale::Log => Err(Flaw::NotPositive),
        value => Ok(value),
    }
}

/// An interval whose ends are finite and in order. Its ends may be 0 or less on a logarithmic axis, where it reaches to the
/// axis' beginning.
pub(super) fn interval(interval: Interval) -> Result<Interval, Flaw> {
    let sound = |end: f64| value(end, Scale::Linear).is_ok();
    let is_sound = sound(interval.low) && sound(interval.high) && interval.low <= interval.high;
    if is_sound { Ok(interval) } else { Err(Flaw::Interval) }
}

/// A point that can be drawn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Sound {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) interval: Option<Interval>,
}

/// The points of a series that can be drawn on axes of a panel, with `None` where the line has a gap.
pub(super) fn points(
    lines: &Lines,
    series: &Series,
    points: &[Point],
    left_out: &mut LeftOut,
) -> Vec<Option<Sound>> {
    let mut check = |point: &Point| -> Result<Sound, Flaw> {
        let x = value(point.x, lines.x.scale)?;
        let y = value(point.y.ok_or(Flaw::Missing)?, lines.y.scale)?;
        let interval = match point.interval.map(interval) {
            Some(Err(flaw)) => {
                left_out.add(flaw, &series.label);
                None
            }
            Some(Ok(interval)) => Some(interval),
            None => None,
        };
        Ok(Sound { x, y, interval })
    };
    let mut flaws = Vec::new();
    let points = points.iter().map(|point| check(point).map_err(|flaw| flaws.push(flaw)).ok()).collect();
    flaws.into_iter().for_each(|flaw| left_out.add(flaw, &series.label));
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Axis;

    #[test]
    fn what_cannot_be_drawn_is_left_out_and_told() {
        let axis = Axis { scale: Scale::Log, ..Axis::default() };
        let lines = Lines { y: axis, ..Lines::default() };
        let values = [1.0, 0.0, f64::NAN, f64::INFINITY, 1e300];
        let mut points: Vec<_> = (0..5).map(|x| Point::new(f64::from(x), values[x as usize])).collect();
        points.push(Point { x: 5.0, y: None, interval: None });
        points[0].interval = Some(Interval { low: 2.0, high: 1.0 });
        let series = Series { label: "single".to_owned(), points, ..Series::default() };
        let mut left_out = LeftOut::default();
        let sound = super::points(&lines, &series, &series.points, &mut left_out);
        assert_eq!(sound.iter().flatten().count(), 1);
        assert_eq!(
            left_out.words().unwrap(),
            "Not drawn: 1 point without a value (single); 2 values not finite (single); 1 value too large or too small to \
             place (single); 1 value 0 or below on a log axis (single); 1 interval without two finite ends in order (single)."
        );
        assert_eq!(LeftOut::default().words(), None);
    }
}
