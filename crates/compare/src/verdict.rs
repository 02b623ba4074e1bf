//! The answer of a whole comparison in short: on each machine, the best mechanism and the best policy, and by how much. This module
//! must never know how a verdict is worded.
//!
//! A mechanism stands for its fastest row, each mechanism at its best. Policies are compared by the fastest mechanism. Rows that
//! [`tie`](crate::tie) does not tell apart count as equally good; so do policies that share a row.

use serde::{Deserialize, Serialize};
use tempest::Mechanism;

use crate::agreement::Name;
use crate::combination::Way;
use crate::finding::{self, TooFew};
use crate::ranking::{MachineShape, Ranking, Row, ratio};
use crate::tie::{is_tied, is_unclear};

/// The answer of one table of a comparison: of one machine in one shape.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Verdict {
    /// The machine.
    pub on: Name,
    /// Whether it is this host.
    pub native: bool,
    /// The nodes and processors of the machine.
    pub shape: MachineShape,
    /// The best mechanism; `None` if all rows are of one mechanism.
    pub mechanism: Option<Lead>,
    /// The best policy by the best mechanism; `None` if there is one only.
    pub policy: Option<Lead>,
    /// The fastest mechanism and policy.
    pub way: Way,
    /// The runs that are missing to tell rows of the table apart; `None` if none is.
    pub too_few: Option<TooFew>,
    /// Whether processors of the fastest row took turns on too few cores, so that times mean little.
    pub oversubscribed: bool,
}

/// The choice that is faster than others, and by how much.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Lead {
    /// The names of the best, the fastest first: nothing tells them apart.
    pub best: Vec<String>,
    /// Whether these may differ by more than a tenth, for all that is known.
    pub unclear: bool,
    /// The fastest of those that are slower; `None` if nothing is.
    pub next: Option<Behind>,
}

/// A choice that is slower than the best.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Behind {
    /// The name of the choice.
    pub name: String,
    /// Its time divided by that of the fastest: above 1.
    pub ratio: f64,
}

/// The verdict of each table that has a right answer, in their order.
pub fn of(rankings: &[Ranking]) -> Vec<Verdict> {
    rankings.iter().filter_map(table).collect()
}

fn table(ranking: &Ranking) -> Option<Verdict> {
    let right: Vec<_> = ranking.rows().into_iter().filter(|row| row.verified).collect();
    let winner = *right.first()?;
    let by_winners: Vec<_> = right.iter().copied().filter(|row| row.mechanism == winner.mechanism).collect();
    let mechanism = lead(&bests(&right), |row| vec![row.mechanism.to_string()]);
    let policy = lead(&by_winners, |row| row.policies.clone());
    Some(Verdict {
        on: Name::of(&ranking.machine),
        native: ranking.machine.native,
        shape: ranking.shape,
        way: winner.way(),
        mechanism,
        policy,
        too_few: finding::of(ranking).too_few,
        oversubscribed: winner.oversubscribed,
    })
}

/// The fastest row of each mechanism, the fastest first.
fn bests<'r>(rows: &[&'r Row]) -> Vec<&'r Row> {
    let mut seen: Vec<Mechanism> = Vec::new();
    let is_first = |row: &&&Row| {
        let first = !seen.contains(&row.mechanism);
        if first {
            seen.push(row.mechanism);
        }
        first
    };
    rows.iter().filter(is_first).copied().collect()
}

/// The first of these rows held against the others; `None` if there is one name only. `names` says what a row stands for.
fn lead(rows: &[&Row], names: impl Fn(&Row) -> Vec<String>) -> Option<Lead> {
    let winner = *rows.first()?;
    let (tied, slower): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| is_tied(winner, row));
    let unclear = is_unclear(&tied);
    let best: Vec<_> = tied.into_iter().flat_map(&names).collect();
    let next = slower
        .first()
        .and_then(|row| Some(Behind { name: names(row).into_iter().next()?, ratio: ratio(winner, row)? }));
    (best.len() > 1 || next.is_some()).then_some(Lead { best, unclear, next })
}

#[cfg(test)]
mod tests {
    use tempest::Mechanism::{Bulk, Deposit, Messages};

    use super::*;
    use crate::samples::{ranking, rows};

    fn only(rows: &[Row]) -> Verdict {
        of(&[ranking("toy", rows)]).remove(0)
    }

    fn said(lead: &Option<Lead>) -> (String, Option<(&str, f64)>) {
        let lead = lead.as_ref().expect("a choice");
        (lead.best.join(" "), lead.next.as_ref().map(|next| (&*next.name, next.ratio)))
    }

    #[test]
    fn each_mechanism_stands_for_its_fastest_row() {
        let found = only(&rows(&[
            (Bulk, "fixed:1", 1000),
            (Bulk, "single", 1001),
            (Messages, "single", 1500),
            (Messages, "fixed:1", 1600),
            (Bulk, "floating", 4000),
            (Deposit, "single", 9000),
        ]));
        assert_eq!(said(&found.mechanism), ("bulk".to_owned(), Some(("messages", 1.5))));
        assert_eq!(said(&found.policy), ("fixed:1 single".to_owned(), Some(("floating", 4.0))));
    }

    #[test]
    fn where_nothing_is_slower_all_are_the_best() {
        let found = only(&rows(&[(Bulk, "single", 1000), (Messages, "single", 1001)]));
        assert_eq!(said(&found.mechanism), ("bulk messages".to_owned(), None));
        assert_eq!(found.policy, None);
    }

    #[test]
    fn runs_that_differ_much_leave_it_unclear_which_is_the_best() {
        let measured = |share: f64| {
            let rows = rows(&[(Messages, "single", 1000), (Messages, "fixed:1", 1010)]);
            only(&rows.into_iter().map(|row| row.within(share)).collect::<Vec<_>>())
        };
        let unclear = |share| measured(share).policy.expect("a choice").unclear;
        assert!(!unclear(0.02) && unclear(0.2));
    }

    #[test]
    fn policies_that_share_a_row_are_equally_good() {
        let mut rows = rows(&[(Messages, "single", 1000), (Messages, "np", 2000)]);
        rows[0].policies.push("proc".to_owned());
        assert_eq!(said(&only(&rows).policy), ("single proc".to_owned(), Some(("np", 2.0))));
    }

    #[test]
    fn one_combination_is_no_choice_and_a_wrong_answer_none() {
        let mut rows = rows(&[(Messages, "np", 1000), (Messages, "single", 2000)]);
        rows[0].verified = false;
        let alone = only(&rows[1..]);
        assert_eq!((alone.mechanism, alone.policy, &*alone.way.policy), (None, None, "single"));
        assert_eq!(only(&rows).way.policy, "single");
        assert!(of(&[ranking("toy", &rows[..1])]).is_empty());
    }
}
