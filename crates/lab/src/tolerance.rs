//! Tolerances: the greatest distance of a metric from the number of its claim, by rules from one file. The first rule
//! that fits a claim holds. This module must never know measured values or machines.

use crate::Mistakes;
use crate::claim::{Claim, Kind, Relation};
use crate::toml::{self, Table};

/// Share to which a whole number is met exactly, for the rounding of double precision.
const ROUNDING: f64 = 1e-9;

/// A rule. A metric is near enough if any of its measures says so.
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerance {
    /// Beginnings of ids; empty: of every claim.
    claims: Vec<String>,
    /// An end of ids; empty: any.
    ending: String,
    kinds: Vec<Kind>,
    fit: Option<bool>,
    measures: Vec<Measure>,
    /// Reason for this tolerance.
    pub because: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Measure {
    /// Absolute distance, in the unit of the claim.
    Absolute(f64),
    /// By this share of the stated value.
    Relative(f64),
    /// By half a unit of the last digit written; a whole number is meant exactly.
    Written,
    /// By half a unit of the last digit that is no trailing zero: `3300.0` stands for 3250 to 3350.
    Significant,
    /// By half a unit of this decimal.
    Decimals(i32),
}

impl Tolerance {
    fn is_for(&self, claim: &Claim) -> bool {
        (self.claims.is_empty() || self.claims.iter().any(|prefix| claim.is_under(prefix)))
            && claim.id.ends_with(&self.ending)
            && (self.kinds.is_empty() || self.kinds.contains(&claim.kind))
            && self.fit.is_none_or(|fit| fit == claim.fit)
    }

    /// Greatest distance of a metric from a stated number, by the widest of the measures.
    fn most(&self, stated: f64, written: &str) -> f64 {
        let most = self.measures.iter().map(|measure| match *measure {
            Measure::Absolute(most) => most,
            Measure::Relative(share) => share * stated.abs(),
            Measure::Written => half_of_last_written(written),
            Measure::Significant => half_of_last_significant(written),
            Measure::Decimals(decimals) => half(-decimals),
        });
        most.fold(0.0, f64::max)
    }
}

/// Greatest distance of a metric from the number that a claim states, in the unit of the claim: by the claim itself,
/// else by the first rule for it. A limit without a tolerance has distance 0. `None` if the claim states no number or
/// no rule is for it.
pub fn most(rules: &[Tolerance], claim: &Claim) -> Option<f64> {
    let Some(crate::Stated::Number(stated, written)) = &claim.value else { return None };
    let rule = || rules.iter().find(|rule| rule.is_for(claim)).map(|rule| rule.most(*stated, written));
    match (claim.tolerance, claim.relation) {
        (Some(share), _) => Some(share * stated.abs()),
        (None, Relation::About) => rule(),
        (None, Relation::AtLeast | Relation::AtMost) => Some(0.0),
    }
}

/// Whether a metric is near enough to the number that a claim states, or on the right side of it; `None` if the claim states none or
/// no rule is for it.
pub fn allows(rules: &[Tolerance], claim: &Claim, measured: f64) -> Option<bool> {
    let stated = claim.number()?;
    let most = most(rules, claim)?.max(ROUNDING * stated.abs());
    let above = measured - stated;
    Some(match claim.relation {
        Relation::About => above.abs() <= most,
        Relation::AtLeast => -above <= most,
        Relation::AtMost => above <= most,
    })
}

/// Half of the unit of a digit: 0.5 for exponent 0, 0.05 for -1.
fn half(exponent: i32) -> f64 {
    // Slightly more, so that a number that rounds to the digit in decimal does not fail in binary.
    0.5 * 10_f64.powi(exponent) * (1.0 + ROUNDING)
}

fn half_of_last_written(written: &str) -> f64 {
    match written.split_once('.') {
        Some((_, decimals)) if decimals.chars().any(|digit| digit != '0') => half(-(decimals.len() as i32)),
        _ => 0.0,
    }
}

fn half_of_last_significant(written: &str) -> f64 {
    let whole = written.split('.').next().unwrap_or(written);
    match half_of_last_written(written) {
        0.0 => half(whole.chars().rev().take_while(|digit| *digit == '0').count() as i32),
        half => half,
    }
}

/// Reads a file of rules. `file` is its name in messages.
///
/// # Errors
///
/// All mistakes of the file.
pub fn read(file: &str, text: &str) -> Result<Vec<Tolerance>, Mistakes> {
    toml::read(file, text, |top| {
        let tables = top.tables("tolerance");
        if tables.is_empty() {
            top.refuse("tolerance", "at least one [[tolerance]]");
        }
        Some(tables.iter().filter_map(rule).collect())
    })
}

fn rule(table: &Table<'_>) -> Option<Tolerance> {
    let claims = table.texts("claims", "a list of beginnings of ids");
    let ending = table.optional_text("ending", "the end of ids").unwrap_or_default();
    let kinds = table.texts("kinds", "a list of kinds");
    let kinds: Option<Vec<_>> = kinds.iter().map(|kind| Kind::find(kind)).collect();
    if kinds.is_none() {
        table.refuse("kinds", "kinds of claims: \"value\", \"ratio\"");
    }
    let fit = table.item("fit").is_some().then(|| table.flag("fit"));
    let positive = |key| table.optional(key, "a number above 0", toml::positive);
    let mut measures = Vec::new();
    measures.extend(positive("absolute").map(Measure::Absolute));
    measures.extend(positive("relative").map(Measure::Relative));
    let decimals = table.optional("decimals", "a whole number from 0 to 9", |item| {
        item.as_integer().filter(|decimals| (0..10).contains(decimals))
    });
    measures.extend(decimals.map(|decimals| Measure::Decimals(decimals as i32)));
    let digits = "\"written\" or \"significant\"";
    measures.extend(table.optional("digits", digits, |item| match item.as_str()? {
        "written" => Some(Measure::Written),
        "significant" => Some(Measure::Significant),
        _ => None,
    }));
    let because = table.text("because", "one line that says why so much");
    table.finish();
    let is_written =
        ["absolute", "relative", "decimals", "digits"].iter().any(|key| table.item(key).is_some());
    if !is_written {
        table.refuse("relative", "one of absolute, relative, decimals, digits");
    }
    Some(Tolerance { claims, ending, kinds: kinds?, fit, measures, because: because? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_say_how_exactly_a_number_is_meant() {
        for (written, least) in [("1.0906", 0.00005), ("0.33", 0.005), ("4.0", 0.0), ("1000", 0.0)] {
            assert!((half_of_last_written(written) - least).abs() < 1e-8, "{written}");
        }
        for (written, least) in [("3300.0", 50.0), ("198.0", 0.5), ("5120.0", 5.0), ("3.1", 0.05)] {
            assert!((half_of_last_significant(written) - least).abs() < 1e-6, "{written}");
        }
    }

    #[test]
    fn a_measure_that_is_none_is_told_with_its_line() {
        let said = |rule: &str| {
            let text = format!("[[tolerance]]\nbecause = \"x\"\n{rule}\n");
            read("t.toml", &text).unwrap_err().iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(
            said("relative = -0.1")[0],
            "t.toml:3:12: tolerance.relative = -0.1: expected a number above 0"
        );
        assert_eq!(
            said("decimals = 1.5")[0],
            "t.toml:3:12: tolerance.decimals = 1.5: expected a whole number from 0 to 9"
        );
        let none = said("kinds = [\"value\"]");
        assert_eq!(
            none,
            [
                "t.toml:1:1: tolerance.relative is missing: expected one of absolute, relative, decimals, digits"
            ]
        );
    }

    #[test]
    fn the_first_rule_that_fits_decides() {
        let rules = "[[tolerance]]\nclaims = [\"a.x\"]\nrelative = 0.1\nabsolute = 1\nbecause = \"x\"\n\
             [[tolerance]]\nfit = true\nrelative = 0.5\nbecause = \"y\"\n\
             [[tolerance]]\nkinds = [\"value\"]\ndigits = \"written\"\nbecause = \"z\"\n";
        let rules = read("t.toml", rules).unwrap();
        let claim = |id: &str, fit: bool| {
            let text = format!(
                "[[claim]]\nid = \"{id}\"\nwhere = \"t\"\nrole = \"result\"\nkind = \"value\"\nstatement = \"s\"\n\
                 value = 2.5\nconfidence = \"exact\"\nfit = {fit}\n"
            );
            crate::claim::read("c.toml", &text).unwrap().remove(0)
        };
        // 2.5 ± 1 by the absolute measure, which is the wider.
        assert_eq!(allows(&rules, &claim("a.x", true), 3.5), Some(true));
        assert_eq!(allows(&rules, &claim("a.x", true), 3.51), Some(false));
        assert_eq!(allows(&rules, &claim("a.y", true), 3.75), Some(true));
        assert_eq!(allows(&rules, &claim("a.y", false), 2.54), Some(true));
        assert_eq!(allows(&rules, &claim("a.y", false), 2.56), Some(false));
    }
}
