//! The conclusion of a comparison about one machine: the winner, the row it is compared with, the margin, and the
//! cause. This module must never know how a finding is worded, and never claim more than the counters show.
//!
//! The rules, in order:
//!
//! 1. Only rows whose every answer was right take part. The fastest wins.
//! 2. [`tie`](crate::tie) says which rows are tied with the winner.
//! 3. There are two **contrasts**: with the fastest row of the winner's mechanism that is not tied (they differ in the
//!    policy), and with the best row of another mechanism of which no row is tied (they differ in the mechanism, each
//!    at its best). The larger is the finding's; the other is told in passing.
//! 4. Where winner and loser compute on different numbers of **processors** of each node, or the winner has more processors at work
//!    beside them, the finding says so. If the loser computes on fewer, no other cause is named: the extra time of each
//!    of its processors may be no more than its share of the others' work.
//! 5. Else the loser is slower **because of** the part of the time in which its processors exceed the winner's most, if
//!    that part makes up between [`MOST`] of the difference and [`OUTWEIGHED`] times as much. If the part is more than
//!    that, the part in which the loser spent less is named with it, if that one makes up [`MOST`] of the excess.
//!    Otherwise no part is named.
//! 6. [`counter`](crate::counter) says which counter explains the part. Polls that found nothing are told of the first
//!    row that loses by them, whichever the contrast is.
//! 7. [`bottleneck`] says which part of the machine limits the winner and which the loser.
//! 8. Where processors took turns on too few cores, neither part nor counter is named: waiting for events cannot be
//!    distinguished from waiting for a core.

use crate::bottleneck::{self, Bottleneck};
use crate::combination::Way;
use crate::counter::{Counter, Evidence, evidence};
use crate::interval::{self, least_runs};
use crate::margin::{Margin, Processors};
use crate::parts::{Part, region, shares};
use crate::ranking::{Ranking, Row, disturbance};
use crate::tie::{is_tied, is_unclear, room};

/// The share of a difference from which a part is not its cause but is outweighed by another.
const OUTWEIGHED: f64 = 1.5;
/// The least share of a difference that one part of the time must make up to be named.
const MOST: f64 = 0.5;

/// The conclusion that a comparison draws about one machine: the fastest combination, the one it is compared with, and
/// the cause of the difference.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Finding {
    /// Whether anything ran.
    pub ran: bool,
    /// Whether runs never differ, as on a model.
    pub repeatable: bool,
    /// The fastest row with right answers only.
    pub winner: Option<Way>,
    /// The part of the machine that limits the winner, if one does.
    pub bottleneck: Option<Bottleneck>,
    /// Rows that times do not tell from the winner.
    pub tied: Vec<Way>,
    /// The relative difference that the intervals of the winner and of the tied rows leave room for; `None` on a model, and if
    /// no row is tied.
    pub room: Option<f64>,
    /// Whether the tied rows may differ by more than a tenth, for all that is known.
    pub unclear: bool,
    /// The share of the time that the operating system took from rows that decide nothing because of it; `None` if it took little.
    pub busy: Option<f64>,
    /// The larger of the two contrasts.
    pub contrast: Option<Contrast>,
    /// The smaller of the two contrasts.
    pub other: Option<Contrast>,
    /// The fastest of the slower rows of the winner's mechanism that loses by polls which found nothing.
    pub empty_polls: Option<EmptyPolls>,
    /// Whether the rows with right answers are of several mechanisms.
    pub several_mechanisms: bool,
    /// Whether processors of the winner or the loser took turns, so that times mean little.
    pub oversubscribed: bool,
    /// Whether runs are so short on this host that a large part of the measured time is their beginning and end.
    pub brief: bool,
    /// The number of runs that tell rows of this table apart, where there were fewer of a row: then every row is tied.
    pub too_few: Option<TooFew>,
}

/// A row that is slower because its processors looked for messages too often.
#[derive(Clone, PartialEq, Debug)]
pub struct EmptyPolls {
    /// The row.
    pub loser: Way,
    /// The number of its polls that found nothing.
    pub polls: f64,
}

/// A table of too few runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooFew {
    /// The fewest runs of a row.
    pub runs: usize,
    /// The least number of runs of each row from which rows can be told apart.
    pub needed: usize,
}

/// The respect in which winner and loser differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Differs {
    /// Winner and loser differ in the policy.
    Policy,
    /// Winner and loser differ in the mechanism, each at its best.
    Mechanism,
}

/// A slower row, how much slower, and why.
#[derive(Clone, PartialEq, Debug)]
pub struct Contrast {
    /// The slower row.
    pub loser: Way,
    /// The respect in which the loser differs from the winner.
    pub differs: Differs,
    /// The margin of the winner over the loser.
    pub margin: Margin,
    /// The number of computing processors, where winner and loser differ in it.
    pub processors: Option<Processors>,
    /// The reason why the loser is slower.
    pub cause: Cause,
    /// The part of the machine that limits the loser, if one does.
    pub bottleneck: Option<Bottleneck>,
}

/// Why a loser is slower, or why no cause is named.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Cause {
    /// Processors took turns on too few cores.
    Crowded,
    /// The loser computes on fewer processors.
    FewerProcessors,
    /// No part of the time accounts for the difference alone.
    ManyParts,
    /// A single part of the time makes the difference.
    Part(Because),
}

/// The part of the time that makes the difference.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Because {
    /// The part.
    pub part: Part,
    /// Seconds that each of the loser's computing processors spent more on the part.
    pub seconds: f64,
    /// The excess as a share of the whole difference: above 1 where other parts are shorter.
    pub share: f64,
    /// The part in which the loser's processors spent less, where that makes up for most of the excess.
    pub made_up: Option<MadeUp>,
    /// The counter that explains the part.
    pub evidence: Option<Evidence>,
}

/// A part of the time in which a loser's processors spent less than the winner's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MadeUp {
    /// The part.
    pub part: Part,
    /// Seconds that each of the loser's computing processors spent less on the part.
    pub seconds: f64,
}

/// Draws the conclusion from the rows of one machine's ranking.
pub fn of(ranking: &Ranking) -> Finding {
    find(&ranking.rows(), !ranking.machine.native)
}

/// Draws the conclusion from `rows` of one machine. `repeatable` says that runs of one combination never differ.
pub(crate) fn find(rows: &[&Row], repeatable: bool) -> Finding {
    let mut right: Vec<_> = rows.iter().copied().filter(|row| row.verified).collect();
    right.sort_by_key(|row| row.outcome.timed());
    let Some((&winner, others)) = right.split_first() else {
        return Finding { ran: !rows.is_empty(), repeatable, ..Finding::default() };
    };
    let (tied, slower): (Vec<&Row>, Vec<&Row>) = others.iter().partition(|row| is_tied(winner, row));
    let (larger, smaller) = contrasts(winner, others, &slower);
    let equal: Vec<_> = std::iter::once(winner).chain(tied.iter().copied()).collect();
    Finding {
        ran: true,
        repeatable,
        winner: Some(winner.way()),
        bottleneck: bottleneck::of(winner),
        oversubscribed: winner.oversubscribed
            || larger.as_ref().is_some_and(|larger| larger.cause == Cause::Crowded),
        brief: winner.is_brief(),
        too_few: too_few(rows, &right),
        empty_polls: slower.iter().find_map(|row| empty_polls(winner, row)),
        several_mechanisms: others.iter().any(|row| row.mechanism != winner.mechanism),
        room: room(&equal),
        unclear: is_unclear(&equal),
        busy: disturbance(&right),
        tied: tied.into_iter().map(Row::way).collect(),
        contrast: larger,
        other: smaller,
    }
}

/// The number of runs that are missing, if a row with right answers has an interval of too few. `all` are the rows of the
/// table.
fn too_few(all: &[&Row], right: &[&Row]) -> Option<TooFew> {
    let few = right.iter().filter(|row| row.interval.is_some_and(|interval| !interval.is_enough));
    let runs = few.map(|row| row.runs()).min()?;
    Some(TooFew { runs, needed: least_runs(interval::level(all.len())) })
}

/// The larger contrast and the smaller (rule 3). `others` are all rows but the winner, `slower` the untied ones, both
/// the fastest first.
fn contrasts(winner: &Row, others: &[&Row], slower: &[&Row]) -> (Option<Contrast>, Option<Contrast>) {
    let is_untied = |row: &&&Row| {
        let of_its = |rows: &[&Row]| rows.iter().filter(|other| other.mechanism == row.mechanism).count();
        of_its(others) == of_its(slower)
    };
    let by_policy = slower.iter().find(|row| row.mechanism == winner.mechanism);
    let by_mechanism = slower.iter().filter(|row| row.mechanism != winner.mechanism).find(is_untied);
    let by_policy = by_policy.and_then(|row| contrast(winner, row, Differs::Policy));
    let by_mechanism = by_mechanism.and_then(|row| contrast(winner, row, Differs::Mechanism));
    let is_larger = |one: &Contrast, other: &Contrast| one.margin.ratio > other.margin.ratio;
    match (by_policy, by_mechanism) {
        (Some(policy), Some(mechanism)) if is_larger(&policy, &mechanism) => (Some(policy), Some(mechanism)),
        (policy, Some(mechanism)) => (Some(mechanism), policy),
        (policy, None) => (policy, None),
    }
}

/// The contrast to a loser; `None` if its time cannot be divided by the winner's.
fn contrast(winner: &Row, loser: &Row, differs: Differs) -> Option<Contrast> {
    let processors = Processors { winner: winner.split.computing, loser: loser.split.computing };
    Some(Contrast {
        loser: loser.way(),
        differs,
        margin: Margin::of(winner, loser)?,
        processors: (processors.winner != processors.loser).then_some(processors),
        cause: cause(winner, loser),
        bottleneck: bottleneck::of(loser),
    })
}

/// Rule 6, of polls that found nothing: whether they are why `loser` is slower.
fn empty_polls(winner: &Row, loser: &Row) -> Option<EmptyPolls> {
    let Cause::Part(Because { evidence: Some(evidence), .. }) = cause(winner, loser) else { return None };
    let decide = winner.mechanism == loser.mechanism && evidence.counter == Counter::EmptyPolls;
    decide.then(|| EmptyPolls { loser: loser.way(), polls: evidence.loser })
}

/// Rules 4, 5 and 8.
fn cause(winner: &Row, loser: &Row) -> Cause {
    if winner.oversubscribed || loser.oversubscribed {
        Cause::Crowded
    } else if loser.split.computing < winner.split.computing {
        Cause::FewerProcessors
    } else if let Some(because) = because(winner, loser) {
        Cause::Part(because)
    } else {
        Cause::ManyParts
    }
}

/// The part of the time that explains the loser's, by rule 5.
fn because(winner: &Row, loser: &Row) -> Option<Because> {
    let [less, more] =
        [winner, loser].map(|row| shares(&region(&row.outcome).breakdown).map(|share| share * row.seconds()));
    let difference = loser.seconds() - winner.seconds();
    let excess = Part::ALL.into_iter().zip(more.iter().zip(less).map(|(more, less)| more - less));
    let (part, seconds) = excess.clone().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let (opposite, negative) = excess.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let share = seconds / difference;
    let is_outweighed = share > OUTWEIGHED;
    let made_up = (is_outweighed && -negative >= (seconds - difference) * MOST)
        .then_some(MadeUp { part: opposite, seconds: -negative });
    let is_cause = share >= MOST && !is_outweighed;
    (difference > 0.0 && (is_cause || made_up.is_some())).then(|| Because {
        part,
        seconds,
        share,
        made_up,
        evidence: evidence(part, winner, loser),
    })
}

#[cfg(test)]
mod tests {
    use tempest::Mechanism::{Bulk, Deposit, Messages};

    use super::*;
    use crate::interval::Interval;
    use crate::samples::row;

    fn contrast(rows: &[Row]) -> Contrast {
        find(&rows.iter().collect::<Vec<_>>(), true).contrast.expect("a contrast")
    }

    fn policies(ways: &[Way]) -> Vec<&str> {
        ways.iter().map(|way| way.policy.as_str()).collect()
    }

    #[test]
    fn the_part_with_the_largest_excess_is_the_cause() {
        let rows = [row(Messages, "fixed:1", [40, 0, 10, 50]), row(Messages, "floating", [40, 0, 12, 60])];
        let found = contrast(&rows);
        assert_eq!((found.differs, found.loser.policy.as_str()), (Differs::Policy, "floating"));
        assert!((found.margin.ratio - 1.12).abs() < 1e-9);
        let Cause::Part(because) = found.cause else { panic!("{found:?}") };
        assert_eq!(because.part, Part::Synchronization);
        assert!((because.share - 10.0 / 12.0).abs() < 1e-9 && (because.seconds - 10e-6).abs() < 1e-12);
    }

    #[test]
    fn a_winner_with_more_processors_beside_those_that_compute_is_told_to_have_them() {
        let mut rows =
            [row(Messages, "hurricane-1:2", [40, 0, 10, 10]), row(Messages, "single", [40, 0, 10, 60])];
        assert_eq!(contrast(&rows).margin.at_work, None);
        rows[0].split.dedicated = 2;
        let found = contrast(&rows);
        assert_eq!(
            (found.processors, found.margin.at_work),
            (None, Some(Processors { winner: 4, loser: 2 }))
        );
        rows[1].split.computing = 5;
        assert_eq!(contrast(&rows).margin.at_work, None, "the winner has fewer");
    }

    #[test]
    fn the_first_row_that_loses_by_polls_in_vain_is_named_whichever_the_contrast_is() {
        let polls = |row: Row, polls| row.counting(|counters| counters.empty_polls = Some(polls));
        let rows = [
            polls(row(Messages, "single+every=16", [400, 0, 50, 10]), 500),
            row(Messages, "single+interrupt", [400, 0, 60, 30]),
            polls(row(Messages, "single", [400, 0, 150, 10]), 9000),
        ];
        let found = find(&rows.iter().collect::<Vec<_>>(), true);
        assert_eq!(found.contrast.expect("a contrast").loser.policy, "single+interrupt");
        let vain = found.empty_polls.expect("a row that looks in vain");
        assert_eq!((vain.loser.policy.as_str(), vain.polls), ("single", 9000.0));
        assert_eq!(find(&[&rows[0], &rows[1]], true).empty_polls, None);
    }

    #[test]
    fn a_loser_with_fewer_computing_processors_has_no_other_cause() {
        let mut rows = [row(Messages, "floating", [40, 0, 10, 10]), row(Messages, "single", [40, 0, 80, 10])];
        rows[1].split.computing = 1;
        let found = contrast(&rows);
        assert_eq!(found.processors, Some(Processors { winner: 2, loser: 1 }));
        assert_eq!(found.cause, Cause::FewerProcessors);
        assert_eq!(found.margin.at_work, Some(Processors { winner: 2, loser: 1 }));
        // A winner with fewer won in spite of that.
        (rows[0].split.computing, rows[1].split.computing) = (1, 2);
        let found = contrast(&rows);
        assert_eq!(found.processors, Some(Processors { winner: 1, loser: 2 }));
        assert!(matches!(found.cause, Cause::Part(Because { part: Part::Overhead, .. })));
    }

    #[test]
    fn a_part_that_another_makes_up_for_is_no_cause() {
        let best = row(Messages, "fixed:1", [1000, 0, 100, 1500]);
        let slow = row(Messages, "single", [1000, 0, 1400, 364]);
        let Cause::Part(because) = contrast(&[best, slow]).cause else { panic!("a cause") };
        let made_up = because.made_up.unwrap();
        assert!(because.part == Part::Overhead && because.share > 7.0);
        assert!(made_up.part == Part::Synchronization && (made_up.seconds - 1136e-6).abs() < 1e-12);
        // Many parts that are a little shorter do not make up for it one by one.
        let slow = row(Messages, "single", [700, 0, 1100, 1000]);
        let best = row(Messages, "fixed:1", [1000, 300, 0, 1300]);
        assert_eq!(contrast(&[best, slow]).cause, Cause::ManyParts);
    }

    #[test]
    fn a_difference_of_many_parts_has_no_cause() {
        let rows = [row(Messages, "best", [40; 4]), row(Messages, "slow", [50; 4])];
        assert_eq!(contrast(&rows).cause, Cause::ManyParts);
    }

    #[test]
    fn the_larger_contrast_is_told_and_each_mechanism_at_its_best() {
        let rows = [
            row(Bulk, "fixed:1", [100, 0, 0, 0]),
            row(Bulk, "single", [110, 0, 0, 0]),
            row(Messages, "single", [150, 0, 0, 0]),
            row(Messages, "fixed:1", [300, 0, 0, 0]),
        ];
        let rows: Vec<_> = rows.iter().collect();
        let finding = find(&rows, true);
        let larger = finding.contrast.unwrap();
        assert_eq!((larger.differs, larger.loser.mechanism), (Differs::Mechanism, Messages));
        assert_eq!(larger.loser.policy, "single");
        let other = finding.other.unwrap();
        assert_eq!((other.differs, other.margin.ratio), (Differs::Policy, 1.1));
        let larger = find(&rows[..2], true).contrast.unwrap();
        assert_eq!((larger.differs, larger.margin.ratio), (Differs::Policy, 1.1));
    }

    #[test]
    fn a_mechanism_of_which_a_row_is_tied_is_no_contrast() {
        let rows = [
            row(Bulk, "fixed:1", [1000, 0, 0, 0]),
            row(Deposit, "single", [1001, 0, 0, 0]),
            row(Bulk, "single", [1100, 0, 0, 0]),
            row(Deposit, "fixed:1", [4000, 0, 0, 0]),
        ];
        let finding = find(&rows.iter().collect::<Vec<_>>(), true);
        assert_eq!(policies(&finding.tied), ["single"]);
        let contrast = finding.contrast.unwrap();
        assert_eq!((contrast.differs, contrast.loser.mechanism), (Differs::Policy, Bulk));
    }

    #[test]
    fn rows_whose_intervals_meet_the_winners_are_tied() {
        let rows = [
            row(Messages, "single", [100, 0, 0, 0]).within(0.1),
            row(Messages, "floating", [109, 0, 0, 0]).within(0.1),
            row(Messages, "fixed:1", [200, 0, 0, 0]).within(0.4),
        ];
        let rows: Vec<_> = rows.iter().collect();
        let finding = find(&rows, false);
        assert_eq!(policies(&finding.tied), ["floating"]);
        let contrast = finding.contrast.unwrap();
        assert_eq!(contrast.loser.policy, "fixed:1");
        let finding = find(&rows[..2], false);
        assert!(finding.contrast.is_none() && finding.tied.len() == 1 && finding.too_few.is_none());
    }

    #[test]
    fn of_one_run_of_this_host_nothing_can_be_told() {
        let rows = [("single", 100), ("floating", 200)].map(|(policy, time)| {
            let row = row(Messages, policy, [time, 0, 0, 0]);
            Row { interval: Interval::of_median(&row.samples, interval::level(2)), ..row }
        });
        let finding = find(&rows.iter().collect::<Vec<_>>(), false);
        assert_eq!(finding.too_few, Some(TooFew { runs: 1, needed: 7 }));
        assert!(finding.contrast.is_none() && finding.tied.len() == 1);
    }

    #[test]
    fn a_wrong_answer_never_wins_and_never_loses() {
        let wrong = Row { verified: false, ..row(Messages, "floating", [1, 0, 0, 0]) };
        let right = row(Messages, "single", [100, 0, 0, 0]);
        let finding = find(&[&wrong, &right], true);
        assert_eq!(finding.winner.unwrap().policy, "single");
        assert!(finding.contrast.is_none() && finding.tied.is_empty());
        let finding = find(&[&wrong], true);
        assert!(finding.winner.is_none() && finding.ran);
    }

    #[test]
    fn processors_that_took_turns_have_times_and_no_causes() {
        let best = row(Messages, "single", [40, 0, 10, 0]);
        let mut crowded = row(Messages, "floating", [40, 0, 10, 60]);
        crowded.oversubscribed = true;
        let finding = find(&[&best, &crowded], false);
        assert!(finding.oversubscribed && finding.contrast.unwrap().cause == Cause::Crowded);
    }
}
