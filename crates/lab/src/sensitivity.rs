//! Sensitivity: by how much the cells of a study move when one free number of a machine is a little larger. Must never run
//! anything, nor know what a number does.

use crate::claim::Claim;
use crate::laboratory::Metrics;
use crate::ledger::Parameter;

/// The least movement of a cell that counts, as a share of the cell.
pub const LEAST: f64 = 0.001;

/// What came of changing one free number.
#[derive(Clone, Debug, PartialEq)]
pub struct Nudge {
    /// The number.
    pub parameter: Parameter,
    /// What became of it.
    pub outcome: Result<Changed, String>,
}

/// A number that was changed, and the cells that moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// The number as it was set.
    pub to: String,
    /// The cells that moved, the farthest first.
    pub moves: Vec<Move>,
}

/// A cell that moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// The id of the claim that states the cell.
    pub claim: String,
    /// The metric before.
    pub from: f64,
    /// The metric after.
    pub to: f64,
}

impl Move {
    /// The movement as a share of the metric before; where that is 0, the movement itself.
    pub fn share(&self) -> f64 {
        let moved = self.to - self.from;
        if self.from == 0.0 { moved } else { moved / self.from.abs() }
    }
}

/// The text of a value of a machine file with every number in it larger by this share, such as `10.5 cycles` for `10 cycles` and
/// 0.05. A whole number without a unit, and one of bytes, goes to the next whole number at least. `None` if the text has no number.
pub fn nudged(text: &str, by: f64) -> Option<String> {
    let mut nudged = String::new();
    let (mut rest, mut found, mut word) = (text, false, false);
    while let Some(first) = rest.chars().next() {
        if first.is_ascii_digit() && !word {
            let end = rest.find(|it: char| !(it.is_ascii_digit() || it == '.')).unwrap_or(rest.len());
            let (number, behind) = rest.split_at(end);
            nudged.push_str(&larger(number, behind, by)?);
            (rest, found) = (behind, true);
        } else {
            word = first.is_alphanumeric() || first == '_' || first == '-';
            nudged.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    found.then_some(nudged)
}

/// A number larger by a share; `behind` is the text that follows it.
fn larger(number: &str, behind: &str, by: f64) -> Option<String> {
    let value: f64 = number.parse().ok()?;
    let unit = behind.trim_start().split([' ', '"', ',', '}']).next().unwrap_or_default();
    let is_count = unit.is_empty() || unit == "B";
    if is_count && value.fract() == 0.0 {
        let moved = (value * (1.0 + by)).round();
        let least = value + by.signum();
        return Some(format!("{}", if by > 0.0 { moved.max(least) } else { moved.min(least) }));
    }
    let text = format!("{:.6}", value * (1.0 + by));
    Some(text.trim_end_matches('0').trim_end_matches('.').to_owned())
}

/// The cells among these claims that moved from one measurement to another by [`LEAST`] or more, the farthest first.
pub fn moves<'a>(claims: impl Iterator<Item = &'a Claim>, before: &Metrics, after: &Metrics) -> Vec<Move> {
    let moved = |claim: &Claim| {
        let (from, to) = (before.number(&claim.id)?, after.number(&claim.id)?);
        let moved = Move { claim: claim.id.clone(), from, to };
        (moved.share().abs() >= LEAST).then_some(moved)
    };
    let mut moves: Vec<_> = claims.filter_map(moved).collect();
    moves.sort_by(|one, other| other.share().abs().total_cmp(&one.share().abs()));
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_a_value_is_larger() {
        for (text, larger) in [
            ("10 cycles", "10.5 cycles"),
            ("0.79 us", "0.8295 us"),
            ("13.2 cycles + 0.4 us", "13.86 cycles + 0.42 us"),
            ("144 MB/s", "151.2 MB/s"),
            ("16", "17"),
            ("200", "210"),
            ("8 B", "9 B"),
        ] {
            assert_eq!(nudged(text, 0.05).as_deref(), Some(larger), "{text}");
        }
        assert_eq!(nudged("16", -0.05).as_deref(), Some("15"));
        for text in ["unlimited", "true", "mesh", "cm-5"] {
            assert_eq!(nudged(text, 0.05), None, "{text}");
        }
    }

    #[test]
    fn a_cell_of_nothing_moves_by_what_it_becomes() {
        let moved = |from, to| Move { claim: String::new(), from, to }.share();
        assert_eq!((moved(0.0, 2.0), moved(4.0, 3.0), moved(-4.0, -3.0)), (2.0, -0.25, 0.25));
    }
}
