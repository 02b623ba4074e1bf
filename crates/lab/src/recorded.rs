//! Dated records of verdicts: the tables that `tradewind claims --out` writes. Their measured values can be counted anew
//! without a run. This module must never know a stated value.

use crate::laboratory::Metrics;
use crate::mistake::{Mistake, Mistakes, Place};
use crate::{Expression, Laboratory, Verdict};

/// A line of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The id of the claim.
    pub claim: String,
    /// The measured number; `None` for a flag, and for a claim that was not measured.
    pub number: Option<f64>,
    /// Whether the claim held, differed or was undecidable; `None` where the record decides nothing.
    pub verdict: Option<Verdict>,
}

/// The columns that are needed.
const COLUMNS: [&str; 3] = ["claim", "verdict", "measured"];

/// Reads a record. `file` is its name in messages.
///
/// # Errors
///
/// A missing column, and each line without all cells.
pub fn read(file: &str, text: &str) -> Result<Vec<Recorded>, Mistakes> {
    let mistake = |line: usize, expected: String| {
        let place = Place { line, column: 1 };
        Mistake { file: file.to_owned(), place, key: String::new(), value: None, expected }
    };
    let head: Vec<_> = text.lines().next().unwrap_or_default().split('\t').collect();
    let places = COLUMNS.map(|name| head.iter().position(|known| *known == name));
    let [Some(claim), Some(verdict), Some(measured)] = places else {
        let expected =
            format!("a record of `tradewind claims --out`, with the columns {}", COLUMNS.join(", "));
        return Err(vec![mistake(1, expected)]);
    };
    let (mut recorded, mut mistakes) = (Vec::new(), Mistakes::new());
    for (at, line) in text.lines().enumerate().skip(1) {
        let cells: Vec<_> = line.split('\t').collect();
        if cells.len() != head.len() {
            mistakes.push(mistake(
                at + 1,
                format!("{} cells, as the first line has; found {}", head.len(), cells.len()),
            ));
            continue;
        }
        let decided = [Verdict::Holds, Verdict::Differs, Verdict::Undecidable];
        recorded.push(Recorded {
            claim: cells[claim].to_owned(),
            number: cells[measured].parse().ok(),
            verdict: decided.into_iter().find(|it| it.name() == cells[verdict]),
        });
    }
    if mistakes.is_empty() { Ok(recorded) } else { Err(mistakes) }
}

impl Recorded {
    /// Whether the claim held; `None` if the record does not say.
    fn holds(&self) -> Option<bool> {
        match self.verdict? {
            Verdict::Holds => Some(true),
            Verdict::Differs => Some(false),
            _ => None,
        }
    }
}

impl Laboratory {
    /// The metrics of a record, with derived metrics and checks worked out anew. Numbers and outcomes of checks whose parts the
    /// record lacks are the record's own, and so are undecidable claims. Claims that no study decides any more are left out.
    pub fn metrics_recorded(&self, recorded: &[Recorded]) -> Metrics {
        let measured = recorded.iter().filter_map(|it| Some((it.claim.as_str(), it.number?)));
        let is_yielded = |name: &str| self.sources().any(|(_, source)| source.yields(name));
        let mut metrics = self.metrics_from(measured.clone().filter(|(name, _)| is_yielded(name)));
        // A count comes out even if its parts are missing, but then it is not that of the record's day.
        let is_whole = |names: Vec<&str>| {
            let leaves = self.closure([names]).into_iter();
            leaves
                .filter(|name| is_yielded(name))
                .all(|name| measured.clone().any(|(known, _)| known == name))
        };
        let derived = self.derived().filter(|(_, derived)| !is_whole(derived.value.names()));
        for (_, derived) in derived {
            if let Some((name, number)) = measured.clone().find(|(name, _)| *name == derived.metric) {
                metrics.add_number(name, number);
            }
        }
        for (_, check) in self.checks() {
            let names = check.holds.iter().flat_map(Expression::names).collect();
            let holds = recorded.iter().find(|it| it.claim == check.claim).and_then(Recorded::holds);
            if let (Some(holds), false) = (holds, is_whole(names)) {
                metrics.add_flag(&check.claim, holds);
            }
        }
        let undecidable = recorded.iter().filter(|it| it.verdict == Some(Verdict::Undecidable));
        metrics.add_undecidable(undecidable.map(|it| it.claim.clone()));
        metrics
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::{claim, study};

    const STUDY: &str = r#"
summary = "s"
[[run]]
program = "toy"
machine = "toy"
metrics = [{ figure = "cell", metric = "a.cell" }, { figure = "raw", metric = "raw" }]

[[derived]]
metric = "a.twice"
value = "2 * a.cell"
because = "twice"

[[derived]]
metric = "a.raw"
value = "raw / 2"
because = "the record has no `raw`"

[[check]]
claim = "a.counted"
holds = "count(raw, a.cell) == 2"
because = "a count"

[[check]]
claim = "a.order"
holds = "raw > a.cell"
because = "an order"
"#;

    fn laboratory() -> Laboratory {
        let claim = |id: &str, value: &str| {
            format!(
                "[[claim]]\nid = \"a.{id}\"\nwhere = \"t\"\nrole = \"result\"\nkind = \"value\"\nstatement = \"s\"\n\
                 confidence = \"exact\"\n{value}\n"
            )
        };
        let claims = ["cell", "twice", "raw", "gone"].map(|id| claim(id, "value = 3.0")).concat();
        let claims = claim::read("a.toml", &(claims + &claim("order", "") + &claim("counted", ""))).unwrap();
        let study = study::read("toy.toml", STUDY).unwrap();
        Laboratory::new(claims, vec![study], BTreeMap::new(), Vec::new()).unwrap()
    }

    #[test]
    fn a_record_is_counted_anew_without_a_run() {
        let text = "claim\tbasis\tverdict\tmeasured\na.cell\tset\tholds\t3\na.twice\t\tdiffers\t9\na.raw\t\tholds\t3\n\
                    a.gone\t\tholds\t3\na.order\t\tholds\ttrue\na.counted\t\tholds\ttrue\n";
        let laboratory = laboratory();
        let metrics = laboratory.metrics_recorded(&read("r.tsv", text).unwrap());
        let findings = laboratory.findings(&[], &metrics, &BTreeSet::new());
        let verdicts: Vec<_> = findings.iter().map(|it| (it.claim.id.as_str(), it.verdict.name())).collect();
        let expected = [
            ("a.cell", "holds"),
            // 6, as it follows from the cell.
            ("a.twice", "differs"),
            ("a.raw", "holds"),
            // No study asks it.
            ("a.gone", "not measured"),
            ("a.order", "holds"),
            // The record's own, as it lacks one of the two.
            ("a.counted", "holds"),
        ];
        assert_eq!(verdicts, expected);
        assert_eq!(metrics.number("a.twice"), Some(6.0));
    }

    #[test]
    fn a_file_that_is_no_record_is_refused_with_its_line() {
        let said = |text: &str| read("r.tsv", text).unwrap_err()[0].to_string();
        let head = "claim\tverdict\tmeasured\n";
        assert_eq!(
            said("claim\tmeasured\n"),
            "r.tsv:1:1: expected a record of `tradewind claims --out`, with the columns claim, verdict, measured"
        );
        assert_eq!(
            said(&format!("{head}a.cell\tholds\n")),
            "r.tsv:2:1: expected 3 cells, as the first line has; found 2"
        );
    }
}
