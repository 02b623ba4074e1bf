//! A table with the columns subject, ours, bound of this host, their ratio, and aim. The benchmarks of both worlds print it.

#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]

use crate::median;

/// Number of rounds of a median.
const ROUNDS: usize = 5;

/// The unit of a figure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Less is better.
    Nanoseconds,
    /// Less is better.
    Microseconds,
    /// Less is better.
    Seconds,
    /// Less is better.
    Megabytes,
    /// Less is better.
    Instructions,
    /// Less is better.
    Lines,
    /// Millions a second: more is better.
    Millions,
    /// Gigabytes a second: more is better.
    Gigabytes,
    /// Speed-up: more is better.
    Times,
}

/// The aim and the floor, in that order.
#[derive(Clone, Copy)]
pub enum Aim {
    /// For the ratio of ours to the bound.
    Ratio(f64, f64),
    /// For our value.
    Value(f64, f64),
    /// No aim: the figure stands beside another that has one.
    Nothing,
}

/// Medians over the rounds.
#[derive(Clone, Copy)]
pub struct Figures {
    /// Our value, in the unit of the row.
    pub ours: f64,
    /// The bound, in the same unit; NaN if there is none.
    pub bound: f64,
    /// Median of the ratios within the rounds.
    pub ratio: f64,
}

/// A line of the table.
pub struct TableRow {
    what: String,
    unit: Unit,
    figures: Figures,
    bound: &'static str,
    aim: Aim,
}

/// Measures ours and the bound in turn in each round; the ratio is taken within the round.
pub fn paired(ours: impl Fn() -> f64, bound: impl Fn() -> f64) -> Figures {
    let (mut all_ours, mut all_bounds, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (ours, bound) = (ours(), bound());
        all_ours.push(ours);
        all_bounds.push(bound);
        ratios.push(ours / bound);
    }
    Figures { ours: median(&all_ours), bound: median(&all_bounds), ratio: median(&ratios) }
}

impl TableRow {
    /// Makes a line; `is` describes the bound.
    pub fn new(what: impl Into<String>, unit: Unit, figures: Figures, bound: &'static str, aim: Aim) -> Self {
        Self { what: what.into(), unit, figures, bound, aim }
    }

    fn verdict(&self) -> &'static str {
        let more_is_better = matches!(self.unit, Unit::Millions | Unit::Gigabytes | Unit::Times);
        let reaches =
            |value: f64, wanted: f64| if more_is_better { value >= wanted } else { value <= wanted };
        let (value, aim, floor) = match self.aim {
            Aim::Ratio(aim, floor) => (self.figures.ratio, aim, floor),
            Aim::Value(aim, floor) => (self.figures.ours, aim, floor),
            Aim::Nothing => return "",
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
            Aim::Nothing => String::new(),
        }
    }
}

/// Prints the head of the table.
pub fn head() {
    println!(
        "{:<52} {:>6} {:>9} {:>9} {:>6}  {:<27} {:<14} reached",
        "what", "unit", "ours", "bound", "ratio", "bound is", "aim (floor)"
    );
}

/// Prints a line.
pub fn print(row: &TableRow) {
    let unit = match row.unit {
        Unit::Nanoseconds => "ns",
        Unit::Microseconds => "us",
        Unit::Seconds => "s",
        Unit::Megabytes => "MB",
        Unit::Instructions => "instr",
        Unit::Lines => "lines",
        Unit::Millions => "M/s",
        Unit::Gigabytes => "GB/s",
        Unit::Times => "x",
    };
    let Figures { ours, bound, ratio } = row.figures;
    // A figure without a bound stands alone.
    let number = |number: f64| if number.is_nan() { String::new() } else { format!("{number:.2}") };
    println!(
        "{:<52} {unit:>6} {ours:>9.2} {:>9} {:>6}  {:<27} {:<14} {}",
        row.what,
        number(bound),
        number(ratio),
        row.bound,
        row.aim(),
        row.verdict()
    );
}
