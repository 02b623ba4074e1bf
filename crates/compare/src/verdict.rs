//! The answer of a whole comparison in short: on each machine, the best mechanism and the best policy, and by how much. This module
//! must never know how a verdict is worded.
//!
//! A mechanism stands for its fastest row, each mechanism at its best; it is slower than the winner only if no row of it is
//! [tied](crate::tie) with the winner. Policies are compared by the fastest mechanism. A choice that is tied with the winner is equally
//! good if their times are close for sure, and is not told apart from it if they may be far apart. Policies that share a row are
//! equally good.

use crate::agreement::Name;
use crate::combination::Way;
use crate::finding::{self, TooFew};
use crate::margin::Margin;
use crate::ranking::{Machine, MachineShape, Ranking, Row, disturbance};
use crate::tie::{is_tied, is_unclear};

/// The answer of one table of a comparison: of one machine in one shape.
#[derive(Clone, PartialEq, Debug)]
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
    /// The share of the time that the operating system took from rows that decide nothing because of it; `None` if it took little.
    pub busy: Option<f64>,
}

/// The choice that is faster than others, and by how much.
#[derive(Clone, PartialEq, Debug)]
pub struct Lead {
    /// The names of the best, the fastest first: the times of all of them are close for sure.
    pub best: Vec<String>,
    /// Names of choices that may or may not be as good: their times may differ from the fastest by more than a tenth.
    pub unclear: Vec<String>,
    /// The fastest of the slower choices; `None` if none is slower.
    pub next: Option<Behind>,
}

/// A choice that is slower than the best.
#[derive(Clone, PartialEq, Debug)]
pub struct Behind {
    /// The name of the choice.
    pub name: String,
    /// The margin of the fastest over the choice.
    pub margin: Margin,
}

impl Verdict {
    /// Whether this is an answer of that machine.
    pub fn is_of(&self, machine: &Machine) -> bool {
        self.on == Name::of(machine)
    }
}

/// The verdict of each table that has a right answer, in their order.
pub fn of(rankings: &[Ranking]) -> Vec<Verdict> {
    rankings.iter().filter_map(table).collect()
}

fn table(ranking: &Ranking) -> Option<Verdict> {
    let right = ranking.right_rows();
    let winner = *right.first()?;
    let mut mechanisms: Vec<Candidate<'_>> = Vec::new();
    for row in &right {
        match mechanisms.iter_mut().find(|known| known.rows[0].mechanism == row.mechanism) {
            Some(known) => known.rows.push(row),
            None => mechanisms.push(Candidate { names: vec![row.mechanism.to_string()], rows: vec![row] }),
        }
    }
    let by_winners = right.iter().filter(|row| row.mechanism == winner.mechanism);
    let policies = by_winners.map(|&row| Candidate { names: row.policies.clone(), rows: vec![row] });
    let mechanism = lead(winner, &mechanisms);
    let policy = lead(winner, &policies.collect::<Vec<_>>());
    Some(Verdict {
        on: Name::of(&ranking.machine),
        native: ranking.machine.native,
        shape: ranking.shape,
        way: winner.way(),
        mechanism,
        policy,
        too_few: finding::of(ranking).too_few,
        oversubscribed: winner.oversubscribed,
        busy: disturbance(&right),
    })
}

/// A choice: its names, and its rows, the fastest first.
struct Candidate<'r> {
    names: Vec<String>,
    rows: Vec<&'r Row>,
}

/// Comparison of a choice with the fastest.
enum Standing {
    /// The choice is as good as the fastest.
    Equal,
    /// The choice may or may not be as good.
    Unclear,
    Slower,
}

impl Candidate<'_> {
    fn against(&self, winner: &Row) -> Standing {
        let mut tied = self.rows.iter().filter(|row| is_tied(winner, row)).peekable();
        if tied.peek().is_none() {
            Standing::Slower
        } else if tied.any(|row| !is_unclear(&[winner, row])) {
            Standing::Equal
        } else {
            Standing::Unclear
        }
    }
}

/// The winner held against the choices, the first of which is its own; `None` if there is one name only.
fn lead(winner: &Row, choices: &[Candidate<'_>]) -> Option<Lead> {
    let (own, others) = choices.split_first()?;
    let mut lead = Lead { best: own.names.clone(), unclear: Vec::new(), next: None };
    for choice in others {
        match choice.against(winner) {
            Standing::Equal => lead.best.extend(choice.names.iter().cloned()),
            Standing::Unclear => lead.unclear.extend(choice.names.iter().cloned()),
            Standing::Slower => lead.next = lead.next.or_else(|| behind(winner, choice)),
        }
    }
    (lead.best.len() + lead.unclear.len() > 1 || lead.next.is_some()).then_some(lead)
}

fn behind(winner: &Row, choice: &Candidate<'_>) -> Option<Behind> {
    let name = choice.names.first()?.clone();
    Some(Behind { name, margin: Margin::of(winner, choice.rows[0])? })
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
        (lead.best.join(" "), lead.next.as_ref().map(|next| (&*next.name, next.margin.ratio)))
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
            let rows =
                rows(&[(Messages, "single", 1000), (Messages, "fixed:1", 1010), (Messages, "np", 9000)]);
            let policy = only(&rows.into_iter().map(|row| row.within(share)).collect::<Vec<_>>()).policy;
            let lead = policy.expect("a choice");
            (lead.best.join(" "), lead.unclear.join(" "), lead.next.expect("a slower one").name)
        };
        let names = |best: &str, unclear: &str| (best.to_owned(), unclear.to_owned(), "np".to_owned());
        assert_eq!(measured(0.02), names("single fixed:1", ""));
        assert_eq!(measured(0.2), names("single", "fixed:1"));
    }

    #[test]
    fn a_mechanism_with_a_row_that_may_be_as_fast_is_not_called_slower() {
        let wide = |policy, share| rows(&[(Messages, policy, 1500)]).remove(0).within(share);
        let mut found = rows(&[(Bulk, "single", 1000)]);
        found[0] = found[0].clone().within(0.01);
        found.extend([wide("single", 0.01), wide("floating", 0.9)]);
        let lead = only(&found).mechanism.expect("a choice");
        assert_eq!(
            (&lead.best[..], &lead.unclear[..]),
            (&["bulk".to_owned()][..], &["messages".to_owned()][..])
        );
        assert_eq!(lead.next, None);
        found.pop();
        assert_eq!(said(&only(&found).mechanism), ("bulk".to_owned(), Some(("messages", 1.5))));
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
