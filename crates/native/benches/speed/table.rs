//! One table: what is measured, ours, the bound that this host sets, their ratio, what we aim at.

use crate::common::median;

/// Rounds of which the median is taken.
const ROUNDS: usize = 5;

/// What a figure counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Less is better.
    Nanoseconds,
    /// Less is better.
    Microseconds,
    /// Millions a second: more is better.
    Millions,
    /// Gigabytes a second: more is better.
    Gigabytes,
}

/// What we aim at and the floor, in that order.
#[derive(Clone, Copy)]
pub(crate) enum Aim {
    /// Of ours by the bound.
    Ratio(f64, f64),
    /// Of ours.
    Value(f64, f64),
}

/// Medians over the rounds.
#[derive(Clone, Copy)]
pub(crate) struct Figures {
    pub(crate) ours: f64,
    pub(crate) bound: f64,
    /// Of the ratios within the rounds.
    pub(crate) ratio: f64,
}

/// A line of the table.
pub(crate) struct Row {
    what: String,
    unit: Unit,
    figures: Figures,
    bound: &'static str,
    aim: Aim,
}

/// Measures ours and the bound in turn in each round; the ratio is taken within the round.
pub(crate) fn paired(ours: impl Fn() -> f64, bound: impl Fn() -> f64) -> Figures {
    let (mut all_ours, mut all_bounds, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (ours, bound) = (ours(), bound());
        all_ours.push(ours);
        all_bounds.push(bound);
        ratios.push(ours / bound);
    }
    Figures { ours: median(all_ours), bound: median(all_bounds), ratio: median(ratios) }
}

impl Row {
    /// A line; `bound` says what the bound is.
    pub(crate) fn new(
        what: impl Into<String>,
        unit: Unit,
        figures: Figures,
        bound: &'static str,
        aim: Aim,
    ) -> Self {
        Self { what: what.into(), unit, figures, bound, aim }
    }

    fn verdict(&self) -> &'static str {
        let more_is_better = matches!(self.unit, Unit::Millions | Unit::Gigabytes);
        let reaches =
            |value: f64, wanted: f64| if more_is_better { value >= wanted } else { value <= wanted };
        let (value, aim, floor) = match self.aim {
            Aim::Ratio(aim, floor) => (self.figures.ratio, aim, floor),
            Aim::Value(aim, floor) => (self.figures.ours, aim, floor),
        };
        match (reaches(value, aim), reaches(value, floor)) {
            (true, _) => "aim",
            (false, true) => "floor",
            (false, false) => "missed",
        }
    }

    fn aim(&self) -> String {
        match self.aim {
            Aim::Ratio(aim, floor) => format!("{aim}x ({floor}x)"),
            Aim::Value(aim, floor) => format!("{aim} ({floor})"),
        }
    }
}

/// Prints the head of the table.
pub(crate) fn head() {
    println!(
        "{:<52} {:>6} {:>9} {:>9} {:>6}  {:<27} {:<14} reached",
        "what", "unit", "ours", "bound", "ratio", "bound is", "aim (floor)"
    );
}

/// Prints a line.
pub(crate) fn print(row: &Row) {
    let unit = match row.unit {
        Unit::Nanoseconds => "ns",
        Unit::Microseconds => "us",
        Unit::Millions => "M/s",
        Unit::Gigabytes => "GB/s",
    };
    let Figures { ours, bound, ratio } = row.figures;
    println!(
        "{:<52} {unit:>6} {ours:>9.2} {bound:>9.2} {ratio:>6.2}  {:<27} {:<14} {}",
        row.what,
        row.bound,
        row.aim(),
        row.verdict()
    );
}
