//! The ledger of a model's free parameters: the values of a machine file that nobody published, the claims or choices
//! that fixed each of them, and the results of the claims that fixed none. This module must never know the effect of a
//! value.
//!
//! A machine file says where each value comes from. Three words in that make a value free: `fit: ID, ID…` names the
//! claims that fixed it, `assumption` says that we chose it, and `split` that a sum was published and we divided it.

use machine::Machine;

use crate::claim::{DERIVED, Kind};
use crate::laboratory::Metrics;
use crate::verdict::{Finding, Verdict};

/// The words by which sources say how a number was chosen, each with its meaning where the head of a machine file does
/// not give one.
pub const WORDS: [(&str, &str); 5] = [
    (
        "fit",
        "nobody published the number; it was chosen so that the claims named behind it come out of a run, so these prove nothing",
    ),
    ("split", "only a sum was published; how it is divided among these values is ours, and the sum is kept"),
    ("assumption", "nothing was published; the number is ours"),
    ("held", "an assumption that the fits took as given"),
    ("definition", "nothing to be measured: the number says what this machine is"),
];

/// Word before the ids of the claims that fixed a value.
const FIT: &str = "fit:";

/// Words for a value that was chosen, or a published sum that we divided.
const CHOSEN: [&str; 2] = ["assumption", "split"];

/// A value that no source gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Dotted key in the machine file.
    pub key: String,
    /// Value as written there.
    pub value: String,
    /// Line in the file, from 1; `None` if the command line gave the value.
    pub line: Option<usize>,
    /// Origin of the value.
    pub fixed_by: FixedBy,
}

/// Origin of a parameter's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FixedBy {
    /// Claims fixed the value.
    Claims(Vec<String>),
    /// A choice of ours; the comment of the file on it.
    Choice(String),
}

/// Numbers of claims that were measured and state a value, by their verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Number of claims that hold or differ.
    pub of: usize,
    /// Number of claims that hold.
    pub holds: usize,
    /// Number of further claims, which an open input decides.
    pub undecidable: usize,
}

/// A machine of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The machine's name.
    pub machine: String,
    /// Free values, in the order of the file.
    pub parameters: Vec<Parameter>,
    /// Score of the values claimed of the machine that [fixed](Finding::fixes) something, or that may (`fit` in the
    /// claims). Orders, shapes and numbers computed from measured values are left out: they would count twice.
    pub fixing: Score,
    /// Score of all other values claimed of the machine.
    pub free: Score,
}

impl Score {
    fn add(&mut self, verdict: Verdict) {
        self.of += usize::from(matches!(verdict, Verdict::Holds | Verdict::Differs));
        self.holds += usize::from(verdict == Verdict::Holds);
        self.undecidable += usize::from(verdict == Verdict::Undecidable);
    }
}

impl Entry {
    /// Number of parameters that claims fixed, and number that we chose.
    pub fn counts(&self) -> (usize, usize) {
        let fixed = |parameter: &&Parameter| matches!(parameter.fixed_by, FixedBy::Claims(_));
        let fixed = self.parameters.iter().filter(fixed).count();
        (fixed, self.parameters.len() - fixed)
    }
}

/// Makes the entry of a machine. `name` is its name in studies.
pub fn entry(name: &str, machine: &Machine, findings: &[Finding<'_>], metrics: &Metrics) -> Entry {
    let values = machine.values().iter();
    let parameters: Vec<_> = values
        .filter_map(|value| {
            let fixed_by = fixed_by(value.source.as_deref()?)?;
            Some(Parameter { key: value.key.clone(), value: value.text.clone(), line: value.line, fixed_by })
        })
        .collect();
    let mut entry =
        Entry { machine: name.to_owned(), parameters, fixing: Score::default(), free: Score::default() };
    let is_cell = |finding: &&Finding<'_>| {
        let claim = finding.claim;
        claim.kind == Kind::Value && claim.confidence != DERIVED && metrics.machine(&claim.id) == Some(name)
    };
    for finding in findings.iter().filter(is_cell) {
        let score = if finding.fixes { &mut entry.fixing } else { &mut entry.free };
        score.add(finding.verdict);
    }
    entry
}

/// The claims that fixed a value of a machine, by their ids.
pub fn fixing(machine: &Machine) -> impl Iterator<Item = String> {
    let sources = machine.values().iter().filter_map(|value| value.source.as_deref());
    sources.filter_map(fixed_by).flat_map(|fixed_by| match fixed_by {
        FixedBy::Claims(ids) => ids,
        FixedBy::Choice(_) => Vec::new(),
    })
}

/// Origin of a value by its source; `None` if it was published or follows from published values.
fn fixed_by(source: &str) -> Option<FixedBy> {
    if let Some((_, ids)) = source.split_once(FIT) {
        let is_id = |word: &&str| word.contains('.') && word.chars().all(is_of_id);
        let words = ids.split([',', ' ', ';', ')']).map(|word| word.trim_end_matches('.'));
        // The list ends where words of another kind begin.
        let ids = words.filter(|word| !word.is_empty()).take_while(is_id).map(str::to_owned);
        return Some(FixedBy::Claims(ids.collect()));
    }
    let is_chosen = CHOSEN.iter().any(|word| source.contains(word));
    is_chosen.then(|| FixedBy::Choice(source.to_owned()))
}

fn is_of_id(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '.' | '-' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_says_what_fixed_its_value() {
        let claims = |ids: &[&str]| Some(FixedBy::Claims(ids.iter().map(|id| (*id).to_owned()).collect()));
        assert_eq!(fixed_by("[1] Table 1"), None);
        assert_eq!(
            fixed_by("NP gap put; fit: split-c.a.b-c, split-c.d. The rest is wire"),
            claims(&["split-c.a.b-c", "split-c.d"])
        );
        for chosen in
            ["assumption: two of its bus cycles", "[1] Table 1, request: get fault state, send; split"]
        {
            assert_eq!(fixed_by(chosen), Some(FixedBy::Choice(chosen.to_owned())));
        }
    }

    #[test]
    fn a_score_counts_what_states_something() {
        let mut score = Score::default();
        use Verdict::{Differs, HeldOut, Holds, NotMeasured, Undecidable};
        for verdict in [Holds, Differs, Undecidable, HeldOut, NotMeasured] {
            score.add(verdict);
        }
        assert_eq!(score, Score { of: 2, holds: 1, undecidable: 1 });
    }
}
