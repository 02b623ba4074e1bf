//! The sensitivity of claims to a model's free values: each value is raised by a share while all others stay, the runs on its
//! machine are done again, and the claims' metrics that move are listed. This module must never run anything itself, nor know
//! the effect of a value.

use crate::laboratory::Metrics;
use crate::ledger::{Entry, Parameter};
use crate::{Claim, Specification, Value};

/// A free value of a machine and its raised text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raise {
    /// The machine's name.
    pub machine: String,
    /// The free value.
    pub parameter: Parameter,
    /// The raised value, as a machine file states it.
    pub to: String,
}

/// A claim whose metric moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// The claim's id.
    pub claim: String,
    /// The metric before the raise.
    pub from: Value,
    /// The metric after the raise.
    pub to: Value,
}

impl Moved {
    /// The change as a share of the metric before. `None` of a check, and of a metric that was 0.
    pub fn share(&self) -> Option<f64> {
        match (self.from, self.to) {
            (Value::Number(from), Value::Number(to)) if from != 0.0 => Some((to - from) / from.abs()),
            _ => None,
        }
    }
}

impl Raise {
    /// The run with the raised value in place. `None` if the run is on another machine, or sets the value itself.
    pub fn of_run(&self, run: &Specification) -> Option<Specification> {
        let sets = run.settings.iter().any(|(key, _)| *key == self.parameter.key);
        if run.machine != self.machine || sets {
            return None;
        }
        let mut raised = run.clone();
        raised.settings.push((self.parameter.key.clone(), self.to.clone()));
        Some(raised)
    }
}

/// The free values of a machine that can be raised by `share`, and the others: flags, names, lists, zeros.
pub fn raises(entry: &Entry, share: f64) -> (Vec<Raise>, Vec<Parameter>) {
    let (mut raises, mut fixed) = (Vec::new(), Vec::new());
    for parameter in &entry.parameters {
        match raised(&parameter.value, share) {
            Some(to) => {
                raises.push(Raise { machine: entry.machine.clone(), parameter: parameter.clone(), to });
            }
            None => fixed.push(parameter.clone()),
        }
    }
    (raises, fixed)
}

/// A value raised by a share: each number of a sum of quantities. A count rises by 1 at least, a size in bytes by 1 B. `None` if
/// the text has no number above zero to raise.
fn raised(text: &str, share: f64) -> Option<String> {
    if let Ok(count) = text.parse::<u64>() {
        let exact = count as f64 * (1.0 + share);
        return (count > 0).then(|| (exact.round() as u64).max(count + 1).to_string());
    }
    let term = |term: &str| {
        let (number, unit) = term.trim().split_once(' ')?;
        let number: f64 = number.parse().ok()?;
        Some((number, quantity(number * (1.0 + share), unit)))
    };
    let terms: Option<Vec<_>> = text.split('+').map(term).collect();
    let terms = terms.filter(|terms| terms.iter().any(|(number, _)| *number > 0.0))?;
    Some(terms.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(" + "))
}

/// A quantity as a machine file states it. Sizes are whole bytes, rounded up.
fn quantity(number: f64, unit: &str) -> String {
    let unit_bytes = match unit {
        "B" => 1.0,
        "KiB" => 1024.0,
        "MiB" => 1024.0 * 1024.0,
        _ => return format!("{} {unit}", decimal(number)),
    };
    format!("{} B", decimal((number * unit_bytes).ceil()))
}

/// A number with at most nine places after the point, and no zeros at the end.
fn decimal(number: f64) -> String {
    let text = format!("{number:.9}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The claims whose metric differs between two measurements by at least the share `least`, or whose check comes out
/// differently; the largest change first.
pub fn moved<'c>(
    claims: impl Iterator<Item = &'c Claim>,
    before: &Metrics,
    after: &Metrics,
    least: f64,
) -> Vec<Moved> {
    let change = |claim: &Claim| {
        let ((flag, number), (flag_after, number_after)) = (before.of(&claim.id), after.of(&claim.id));
        let numbers = number.zip(number_after).map(|(from, to)| (Value::Number(from), Value::Number(to)));
        let flags = flag.zip(flag_after).filter(|(from, to)| from != to);
        let flags = flags.map(|(from, to)| (Value::Flag(from), Value::Flag(to)));
        let (from, to) = flags.or(numbers)?;
        Some(Moved { claim: claim.id.clone(), from, to })
    };
    let is_large = |moved: &Moved| match (moved.from, moved.to) {
        (Value::Number(from), Value::Number(to)) => (to - from).abs() > least * from.abs() && to != from,
        _ => true,
    };
    let mut all: Vec<_> = claims.filter_map(change).filter(is_large).collect();
    let size = |moved: &Moved| moved.share().map_or(f64::INFINITY, f64::abs);
    all.sort_by(|one, other| size(other).total_cmp(&size(one)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_of_a_sum_rises_and_a_count_rises_by_one_at_least() {
        let to = |text: &str| raised(text, 0.05);
        assert_eq!(to("2 us").as_deref(), Some("2.1 us"));
        assert_eq!(to("60 cycles + 0.5 us").as_deref(), Some("63 cycles + 0.525 us"));
        assert_eq!(to("0 cycles + 1 us").as_deref(), Some("0 cycles + 1.05 us"));
        assert_eq!((to("8 B").as_deref(), to("2 KiB").as_deref()), (Some("9 B"), Some("2151 B")));
        assert_eq!((to("4").as_deref(), to("100").as_deref()), (Some("5"), Some("105")));
        for text in ["0", "0 us", "unlimited", "true", "[8, 4]", "invalidate + line", ""] {
            assert_eq!(to(text), None, "{text}");
        }
    }

    #[test]
    fn a_share_is_of_the_metric_before() {
        let moved = |from, to| Moved { claim: "a.b".to_owned(), from, to };
        assert_eq!(moved(Value::Number(4.0), Value::Number(3.0)).share(), Some(-0.25));
        assert_eq!(moved(Value::Number(0.0), Value::Number(3.0)).share(), None);
        assert_eq!(moved(Value::Flag(true), Value::Flag(false)).share(), None);
    }
}
