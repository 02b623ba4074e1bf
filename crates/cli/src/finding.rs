//! What a comparison shows about one machine: who won, against whom, by how much, and because of what. Must never
//! know how a finding is worded or drawn, and never say more than the counters do.
//!
//! The rules, in order:
//!
//! 1. Only rows whose every answer was right take part. The fastest wins.
//! 2. A row is **tied** with the winner, where runs differ, if the median of each lies within the other's fastest and
//!    slowest run and they are less than [`FAR`] apart; on a model, where runs do not differ, if it took less than
//!    [`EQUAL`] longer.
//! 3. Two **contrasts** are looked at: with the fastest row of the winner's mechanism that is not tied (they differ in
//!    the policy), and with the best row of another mechanism of which no row is tied (they differ in the mechanism, each
//!    at its best). The larger is the finding's; the other is told in passing.
//! 4. Where the two compute on different numbers of **processors** of each node, that is told first. If it is the loser
//!    that has fewer, nothing else is: what each of its processors spent more may be no more than its share of the others'
//!    work.
//! 5. Else the loser is slower **because of** the part of the time in which its processors spent most more than the
//!    winner's, if that part makes up between [`MOST`] of the difference and [`OUTWEIGHED`] times as much, and the
//!    difference is at least [`WORTHY`]. If it is more than that, the part in which the loser spent less is told with it,
//!    if that makes up [`MOST`] of what is between them. Otherwise no part is named.
//! 6. A **counter** is named beside the part only if it can explain that part and is clearly worse than the winner's; the
//!    first that is, in this order:
//!    - memory and NI wait: sends that found no room ([`Counter::Refused`]); bytes sent ([`Counter::Bytes`]); where the
//!      loser's threads wait for blocks of shared memory, which handlers bring, what explains synchronization;
//!    - message overhead: interrupts ([`Counter::Interrupts`]); messages and deposits sent ([`Counter::Sent`]);
//!      handlers that the winner leaves to others ([`Counter::OwnHandlers`]);
//!    - synchronization: busy protocol processors ([`Counter::Protocol`]); a busy dispatch queue
//!      ([`Counter::Queue`]); events waiting for a busy key ([`Counter::Keys`]); how often threads waited
//!      ([`Counter::Waits`]); events waiting for dispatch ([`Counter::Wait`]).
//!
//!    A share is clearly worse from [`BUSY`] on and [`CLEARLY`] above the winner's, a count if it is [`MORE`] times the
//!    winner's (waits of threads: [`LONGER`] times) and, of what happens to messages, [`NOTABLE`] of them; a wait if it is
//!    [`LONGER`] times as long and all events together waited for [`WEIGHTY`] of the run.
//! 7. Where processors took turns on too few cores, neither part nor counter is named: what they waited for cannot be
//!    told from waiting for a core.

use tempest::{Counters, Mechanism};

use crate::measure::region;
use crate::parts::{self, Part};
use crate::ranking::{Row, ratio};

/// On a model, times are as good as equal below this difference.
pub(crate) const EQUAL: f64 = 0.005;
/// Where runs differ, times this far apart are not tied, however wide the spread.
const FAR: f64 = 1.25;
/// A smaller difference has no cause worth a name.
pub(crate) const WORTHY: f64 = 0.03;
/// From this share of a difference on, a part is not its cause but is outweighed by another.
const OUTWEIGHED: f64 = 1.5;
/// The least share of a difference that one part of the time must make up to be named.
const MOST: f64 = 0.5;
/// A queue or processor is busy from here on.
const BUSY: f64 = 0.7;
/// How far one share must lie above another.
const CLEARLY: f64 = 0.1;
/// How many times one count must be another.
const MORE: f64 = 1.2;
/// The least share of messages worth naming.
const NOTABLE: f64 = 0.01;
/// How many times one mean wait must be another.
const LONGER: f64 = 2.0;
/// How much of the loser's time all waits together must come to.
const WEIGHTY: f64 = 0.1;

/// What is to be said about one machine.
#[derive(Debug, Default)]
pub(crate) struct Finding<'r> {
    /// Whether anything ran.
    pub(crate) ran: bool,
    /// The fastest right row.
    pub(crate) winner: Option<&'r Row>,
    /// Whom the times do not tell from the winner.
    pub(crate) tied: Vec<&'r Row>,
    pub(crate) contrast: Option<Contrast<'r>>,
    /// The smaller of the two contrasts.
    pub(crate) other: Option<Contrast<'r>>,
    /// Whether the right rows are of several mechanisms.
    pub(crate) several_mechanisms: bool,
    /// Whether times mean little because processors took turns.
    pub(crate) oversubscribed: bool,
    /// Whether there was one run only where runs differ, so that nobody knows what is tied.
    pub(crate) unrepeated: bool,
}

/// In what winner and loser differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Differs {
    Policy,
    Mechanism,
}

/// A loser and why.
#[derive(Debug)]
pub(crate) struct Contrast<'r> {
    pub(crate) loser: &'r Row,
    pub(crate) differs: Differs,
    /// The loser's time divided by the winner's.
    pub(crate) ratio: f64,
    /// How many processors of each node compute for the winner and for the loser, where that differs.
    pub(crate) processors: Option<(u32, u32)>,
    /// Whether the ranges of their runs overlap.
    pub(crate) overlaps: bool,
    pub(crate) because: Option<Because>,
}

/// The part of the time that makes the difference.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Because {
    pub(crate) part: Part,
    /// How many seconds more each of the loser's computing processors spent on it.
    pub(crate) seconds: f64,
    /// That, as a share of the whole difference: above 1 where other parts are shorter.
    pub(crate) share: f64,
    /// In what the loser's processors spent how many seconds less, where that makes up for most of it.
    pub(crate) made_up: Option<(Part, f64)>,
    pub(crate) evidence: Option<Evidence>,
}

/// A counter that explains a part, with both values; `None` where the winner has no such thing.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Evidence {
    pub(crate) counter: Counter,
    pub(crate) winner: Option<f64>,
    pub(crate) loser: f64,
}

/// What can explain a part of the time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Counter {
    /// Share of sends that found no room at first.
    Refused,
    /// Bytes sent.
    Bytes,
    /// Interrupts taken.
    Interrupts,
    /// Messages and deposits sent.
    Sent,
    /// Handlers that the computing processors ran; the winner has other processors for them.
    OwnHandlers,
    /// Share of the protocol processors' time spent on events.
    Protocol,
    /// Share of the time in which the dispatch queue was in use.
    Queue,
    /// Share of events that waited for a busy key.
    Keys,
    /// Mean nanoseconds from an event's arrival to its handler.
    Wait,
    /// How often threads waited.
    Waits,
}

/// What `rows` of one machine show, the fastest first; `repeatable` where runs never differ.
pub(crate) fn find<'r>(rows: &[&'r Row], repeatable: bool) -> Finding<'r> {
    let mut right: Vec<_> = rows.iter().copied().filter(|row| row.verified).collect();
    right.sort_by_key(|row| row.outcome.timed());
    let Some((&winner, others)) = right.split_first() else {
        return Finding { ran: !rows.is_empty(), ..Finding::default() };
    };
    let (tied, slower): (Vec<_>, Vec<_>) = others.iter().partition(|row| is_tied(winner, row));
    let (contrast, other) = contrasts(winner, others, &slower);
    let loser = contrast.as_ref().map(|contrast| contrast.loser);
    Finding {
        ran: true,
        winner: Some(winner),
        oversubscribed: winner.oversubscribed || loser.is_some_and(|loser| loser.oversubscribed),
        unrepeated: !repeatable && right.iter().any(|row| row.runs == 1),
        several_mechanisms: others.iter().any(|row| row.mechanism != winner.mechanism),
        tied,
        contrast,
        other,
    }
}

/// Rule 2.
pub(crate) fn is_tied(winner: &Row, row: &Row) -> bool {
    match (winner.spread, row.spread) {
        (Some(of_winner), Some(of_row)) => {
            let is_within =
                |row: &Row, (fastest, slowest)| (fastest..=slowest).contains(&row.outcome.timed());
            let is_near = row.seconds() < winner.seconds() * FAR;
            is_near && is_within(row, of_winner) && is_within(winner, of_row)
        }
        _ => row.seconds() <= winner.seconds() * (1.0 + EQUAL),
    }
}

/// Rule 3: the larger contrast and the smaller. `others` are all but the winner, `slower` those that are not tied, both
/// the fastest first.
fn contrasts<'r>(
    winner: &'r Row,
    others: &[&'r Row],
    slower: &[&'r Row],
) -> (Option<Contrast<'r>>, Option<Contrast<'r>>) {
    let is_untied = |row: &&&Row| {
        let of_its = |rows: &[&Row]| rows.iter().filter(|other| other.mechanism == row.mechanism).count();
        of_its(others) == of_its(slower)
    };
    let by_policy = slower.iter().find(|row| row.mechanism == winner.mechanism);
    let by_mechanism = slower.iter().filter(|row| row.mechanism != winner.mechanism).find(is_untied);
    let policy = by_policy.and_then(|loser| Contrast::of(winner, loser, Differs::Policy));
    let mechanism = by_mechanism.and_then(|loser| Contrast::of(winner, loser, Differs::Mechanism));
    match (policy, mechanism) {
        (Some(policy), Some(mechanism)) if mechanism.ratio < policy.ratio => (Some(policy), Some(mechanism)),
        (policy, Some(mechanism)) => (Some(mechanism), policy),
        (policy, None) => (policy, None),
    }
}

impl<'r> Contrast<'r> {
    fn of(winner: &Row, loser: &'r Row, differs: Differs) -> Option<Self> {
        let ratio = ratio(winner, loser)?;
        let processors = (winner.split.computing, loser.split.computing);
        let overlaps = match (winner.spread, loser.spread) {
            (Some((_, slowest)), Some((fastest, _))) => fastest <= slowest,
            _ => false,
        };
        // Rules 7 and 4.
        let is_fair = !winner.oversubscribed && !loser.oversubscribed && processors.1 >= processors.0;
        let because = if is_fair { because(winner, loser) } else { None };
        let processors = (processors.0 != processors.1).then_some(processors);
        Some(Self { loser, differs, ratio, processors, overlaps, because })
    }
}

/// Rule 5.
fn because(winner: &Row, loser: &Row) -> Option<Because> {
    let [less, more] =
        [winner, loser].map(|row| parts::shares(&row.outcome).map(|share| share * row.seconds()));
    let difference = loser.seconds() - winner.seconds();
    let excess = Part::ALL.into_iter().zip(more.iter().zip(less).map(|(more, less)| more - less));
    let (part, seconds) = excess.clone().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let (opposite, negative) = excess.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let share = seconds / difference;
    let is_outweighed = share > OUTWEIGHED;
    let made_up =
        (is_outweighed && -negative >= (seconds - difference) * MOST).then_some((opposite, -negative));
    let is_cause = difference >= winner.seconds() * WORTHY && share >= MOST && !is_outweighed;
    (difference > 0.0 && (is_cause || made_up.is_some())).then(|| Because {
        part,
        seconds,
        share,
        made_up,
        evidence: evidence(part, winner, loser),
    })
}

/// Rule 6.
fn evidence(part: Part, winner: &Row, loser: &Row) -> Option<Evidence> {
    const OF_WAITS: &[Counter] =
        &[Counter::Protocol, Counter::Queue, Counter::Keys, Counter::Waits, Counter::Wait];
    let (own, of_waits): (&[Counter], &[Counter]) = match part {
        Part::Compute => (&[], &[]),
        // A block of shared memory comes by the handlers of messages.
        Part::Memory if loser.mechanism == Mechanism::SharedMemory => {
            (&[Counter::Refused, Counter::Bytes], OF_WAITS)
        }
        Part::Memory => (&[Counter::Refused, Counter::Bytes], &[]),
        Part::Overhead => (&[Counter::Interrupts, Counter::Sent, Counter::OwnHandlers], &[]),
        Part::Synchronization => (&[], OF_WAITS),
    };
    own.iter().chain(of_waits).find_map(|counter| counter.explains(winner, loser))
}

impl Counter {
    /// As `--json` calls it.
    pub(crate) const fn key(self) -> &'static str {
        match self {
            Self::Refused => "refused_share",
            Self::Bytes => "volume_bytes",
            Self::Interrupts => "interrupts",
            Self::Sent => "sent",
            Self::OwnHandlers => "own_handlers",
            Self::Protocol => "protocol_busy",
            Self::Queue => "dispatching_busy",
            Self::Keys => "waited_on_key_share",
            Self::Wait => "mean_wait_ns",
            Self::Waits => "waits",
        }
    }

    /// Its value, where the row has one.
    fn of(self, row: &Row) -> Option<f64> {
        let counted = region(&row.outcome).counters;
        let Counters { messages, deposits, handlers, interrupts, refused, blocks, volume, .. } = counted;
        let dispatching = row.outcome.dispatching;
        let share = |of: u64, all: u64| (all > 0).then(|| of as f64 / all as f64);
        match self {
            Self::Refused => share(refused, messages + deposits),
            Self::Bytes => Some(volume.total() as f64),
            Self::Interrupts => Some(interrupts as f64),
            Self::Sent => Some((messages + deposits) as f64),
            Self::OwnHandlers => row.outcome.utilization.protocol.is_none().then_some(handlers as f64),
            Self::Protocol => row.outcome.utilization.protocol,
            Self::Queue => dispatching.busy,
            Self::Keys => share(dispatching.waited_on_key, row.outcome.counters.handlers),
            Self::Wait => dispatching.mean_wait.map(units::Time::as_nanoseconds),
            Self::Waits => Some(blocks as f64),
        }
    }

    /// The two values, if the loser's is clearly worse.
    fn explains(self, winner: &Row, loser: &Row) -> Option<Evidence> {
        let (best, worst) = (self.of(winner), self.of(loser)?);
        let times = |factor: f64| best.is_some_and(|best| worst >= best * factor);
        let is_worse = match self {
            Self::Bytes | Self::Sent => times(MORE) && worst > 0.0,
            Self::Waits => times(LONGER) && worst > 0.0,
            Self::Interrupts => times(MORE) && worst >= NOTABLE * Self::Sent.of(loser)? && worst > 0.0,
            Self::Refused | Self::Keys => worst >= NOTABLE && best.is_none_or(|best| worst >= best * MORE),
            Self::OwnHandlers => best.is_none() && worst > 0.0,
            Self::Protocol | Self::Queue => worst >= BUSY && best.is_none_or(|best| worst >= best + CLEARLY),
            Self::Wait => {
                let together = worst * 1e-9 * loser.outcome.counters.handlers as f64;
                times(LONGER) && worst > 0.0 && together >= loser.seconds() * WEIGHTY
            }
        };
        is_worse.then_some(Evidence { counter: self, winner: best, loser: worst })
    }
}

#[cfg(test)]
mod tests {
    use tempest::Mechanism::{Bulk, Deposit, Messages, SharedMemory};
    use units::Time;

    use super::*;
    use crate::ranking::samples::row;

    fn evidence_of(finding: &Finding<'_>) -> Option<(Counter, Option<f64>, f64)> {
        let because = finding.contrast.as_ref().expect("a contrast").because.expect("a cause");
        because.evidence.map(|evidence| (evidence.counter, evidence.winner, evidence.loser))
    }

    fn names(rows: &[&Row]) -> Vec<String> {
        rows.iter().map(|row| row.policies[0].clone()).collect()
    }

    #[test]
    fn a_busy_dispatch_queue_explains_synchronization() {
        let fixed = row(Messages, "fixed:1", [40, 0, 10, 50]).with(|outcome| {
            outcome.dispatching.busy = Some(0.4);
        });
        let floating = row(Messages, "floating", [40, 0, 12, 60]).with(|outcome| {
            outcome.dispatching.busy = Some(0.84);
        });
        let rows = [&fixed, &floating];
        let finding = find(&rows, true);
        assert_eq!(finding.winner.unwrap().policies, ["fixed:1"]);
        let contrast = finding.contrast.as_ref().unwrap();
        assert_eq!(contrast.differs, Differs::Policy);
        assert!((contrast.ratio - 1.12).abs() < 1e-9);
        let because = contrast.because.unwrap();
        assert_eq!(because.part, Part::Synchronization);
        assert!((because.share - 10.0 / 12.0).abs() < 1e-9 && (because.seconds - 10e-6).abs() < 1e-12);
        assert_eq!(evidence_of(&finding), Some((Counter::Queue, Some(0.4), 0.84)));
    }

    #[test]
    fn busy_protocol_processors_come_before_the_queue_they_serve() {
        let best = row(Messages, "single", [40, 0, 10, 0]);
        let busy = row(Messages, "fixed:1", [40, 0, 0, 60]).with(|outcome| {
            outcome.dispatching.busy = Some(0.99);
            outcome.utilization.protocol = Some(0.98);
        });
        assert_eq!(evidence_of(&find(&[&best, &busy], true)), Some((Counter::Protocol, None, 0.98)));
    }

    #[test]
    fn what_holds_up_handlers_explains_waits_for_memory_only_where_they_bring_it() {
        let found = |mechanism| {
            let best = row(mechanism, "fixed:2", [40, 10, 10, 0]);
            let busy = row(mechanism, "fixed:1", [40, 70, 10, 0]).with(|outcome| {
                outcome.utilization.protocol = Some(0.98);
            });
            evidence_of(&find(&[&best, &busy], true))
        };
        assert_eq!(found(SharedMemory), Some((Counter::Protocol, None, 0.98)));
        assert_eq!(found(Messages), None);
    }

    #[test]
    fn what_is_no_worse_than_the_winners_explains_nothing() {
        let busy = |row: Row| row.with(|outcome| outcome.dispatching.busy = Some(0.9));
        let best = busy(row(Messages, "single", [40, 0, 10, 0]));
        let worst = busy(row(Messages, "floating", [40, 0, 10, 60]));
        assert_eq!(evidence_of(&find(&[&best, &worst], true)), None);
    }

    #[test]
    fn each_part_is_explained_by_its_own_counters() {
        let best = row(Messages, "best", [40, 10, 10, 10]);
        let slower = |parts| row(Messages, "slow", parts);
        let found = |loser: Row| evidence_of(&find(&[&best, &loser], true)).map(|(counter, ..)| counter);

        assert_eq!(found(slower([80, 10, 10, 10])), None);

        assert_eq!(found(slower([40, 50, 10, 10])), None);
        let refused = slower([40, 50, 10, 10]).counting(|counters| counters.refused = 200);
        assert_eq!(found(refused), Some(Counter::Refused));
        let large = slower([40, 50, 10, 10]).counting(|counters| counters.volume.data = 1 << 20);
        assert_eq!(found(large), Some(Counter::Bytes));

        assert_eq!(found(slower([40, 10, 50, 10])), None);
        let interrupted = slower([40, 10, 50, 10]).counting(|counters| counters.interrupts = 300);
        assert_eq!(found(interrupted), Some(Counter::Interrupts));
        let few = slower([40, 10, 50, 10]).counting(|counters| counters.interrupts = 3);
        assert_eq!(found(few), None, "three interrupts in a thousand messages explain nothing");
        let talkative = slower([40, 10, 50, 10]).counting(|counters| counters.messages = 1500);
        assert_eq!(found(talkative), Some(Counter::Sent));

        let keys = slower([40, 10, 10, 50]).with(|outcome| outcome.dispatching.waited_on_key = 400);
        assert_eq!(found(keys), Some(Counter::Keys));
    }

    #[test]
    fn a_loser_with_fewer_computing_processors_has_no_other_cause() {
        let best = row(Messages, "floating", [40, 0, 10, 10]);
        let mut fewer = row(Messages, "single", [40, 0, 80, 10]);
        fewer.split.computing = 1;
        let rows = [&best, &fewer];
        let contrast = find(&rows, true).contrast.unwrap();
        assert_eq!((contrast.processors, contrast.because), (Some((2, 1)), None));
        // A winner with fewer won in spite of that.
        let mut best = best;
        best.split.computing = 1;
        let slow = row(Messages, "floating", [40, 0, 80, 10]);
        let rows = [&best, &slow];
        let contrast = find(&rows, true).contrast.unwrap();
        assert_eq!(contrast.processors, Some((1, 2)));
        assert_eq!(contrast.because.unwrap().part, Part::Overhead);
    }

    #[test]
    fn a_part_that_another_makes_up_for_is_no_cause() {
        let best = row(Messages, "fixed:1", [1000, 0, 100, 1500]);
        let slow = row(Messages, "single", [1000, 0, 1400, 264]);
        let rows = [&best, &slow];
        let because = find(&rows, true).contrast.unwrap().because.unwrap();
        let (part, seconds) = because.made_up.unwrap();
        assert!(because.part == Part::Overhead && part == Part::Synchronization && because.share > 10.0);
        assert!((seconds - 1236e-6).abs() < 1e-12);
        // Many parts that are a little shorter do not make up for it one by one.
        let slow = row(Messages, "single", [700, 0, 1100, 1000]);
        let best = row(Messages, "fixed:1", [1000, 300, 0, 1300]);
        assert_eq!(find(&[&best, &slow], true).contrast.unwrap().because, None);
    }

    #[test]
    fn a_small_difference_has_no_cause() {
        let best = row(Messages, "a", [1000, 0, 0, 0]);
        let slow = row(Messages, "b", [1000, 0, 20, 0]);
        assert_eq!(find(&[&best, &slow], true).contrast.unwrap().because, None);
    }

    #[test]
    fn one_lucky_run_ties_nobody() {
        let best = row(Messages, "floating", [100, 0, 0, 0]).spread_by(0.1);
        let mut lucky = row(Messages, "single", [500, 0, 0, 0]).spread_by(0.1);
        lucky.spread = lucky.spread.map(|(_, slowest)| (best.outcome.timed(), slowest));
        assert!(!is_tied(&best, &lucky));
        let rows = [&best, &lucky];
        assert!(find(&rows, false).contrast.unwrap().overlaps);
        // However wide the spread, what is far apart is not tied.
        let wild = |time| row(Messages, "wild", [time, 0, 0, 0]).spread_by(0.9);
        assert!(is_tied(&wild(100), &wild(120)) && !is_tied(&wild(100), &wild(130)));
        // The median of each must lie in the range of the other.
        let steady = row(Messages, "steady", [90, 0, 0, 0]).spread_by(0.01);
        assert!(!is_tied(&steady, &wild(100)));
    }

    #[test]
    fn handlers_that_the_winner_leaves_to_others_explain_overhead() {
        let best = row(Messages, "fixed:1", [40, 0, 10, 10]).with(|outcome| {
            outcome.utilization.protocol = Some(0.5);
        });
        let own = row(Messages, "single", [40, 0, 50, 0]);
        assert_eq!(evidence_of(&find(&[&best, &own], true)), Some((Counter::OwnHandlers, None, 1000.0)));
    }

    #[test]
    fn a_wait_must_be_long_and_weigh_something() {
        let wait = |row: Row, nanoseconds| {
            row.with(|outcome| outcome.dispatching.mean_wait = Some(Time::from_nanoseconds(nanoseconds)))
        };
        let best = wait(row(Messages, "single", [40, 0, 10, 0]), 10);
        let found = |nanoseconds| {
            let worst = wait(row(Messages, "floating", [40, 0, 10, 60]), nanoseconds);
            evidence_of(&find(&[&best, &worst], true)).map(|(counter, ..)| counter)
        };
        assert_eq!(found(15), None);
        assert_eq!(found(100), Some(Counter::Wait));
        let idle = wait(row(Messages, "floating", [40, 0, 10, 60]), 100)
            .with(|outcome| outcome.counters.handlers = 3);
        assert_eq!(evidence_of(&find(&[&best, &idle], true)), None, "three events cannot hold up a run");
    }

    #[test]
    fn a_difference_of_many_parts_has_no_single_cause() {
        let best = row(Messages, "best", [40, 40, 40, 40]);
        let slow = row(Messages, "slow", [50, 50, 50, 50]);
        assert_eq!(find(&[&best, &slow], true).contrast.unwrap().because, None);
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
        let contrast = finding.contrast.unwrap();
        assert_eq!((contrast.differs, contrast.loser.mechanism), (Differs::Mechanism, Messages));
        assert_eq!(contrast.loser.policies, ["single"]);
        let other = finding.other.unwrap();
        assert_eq!((other.differs, other.ratio), (Differs::Policy, 1.1));
        let contrast = find(&rows[..2], true).contrast.unwrap();
        assert_eq!((contrast.differs, contrast.ratio), (Differs::Policy, 1.1));
    }

    #[test]
    fn a_mechanism_of_which_a_row_is_tied_is_no_contrast() {
        let rows = [
            row(Bulk, "fixed:1", [1000, 0, 0, 0]),
            row(Deposit, "single", [1001, 0, 0, 0]),
            row(Bulk, "single", [1100, 0, 0, 0]),
            row(Deposit, "fixed:1", [4000, 0, 0, 0]),
        ];
        let rows: Vec<_> = rows.iter().collect();
        let finding = find(&rows, true);
        assert_eq!(names(&finding.tied), ["single"]);
        let contrast = finding.contrast.unwrap();
        assert_eq!((contrast.differs, contrast.loser.mechanism), (Differs::Policy, Bulk));
    }

    #[test]
    fn rows_within_the_spread_of_the_winner_are_tied() {
        let rows = [
            row(Messages, "single", [100, 0, 0, 0]).spread_by(0.1),
            row(Messages, "floating", [109, 0, 0, 0]).spread_by(0.1),
            row(Messages, "fixed:1", [200, 0, 0, 0]).spread_by(0.1),
        ];
        let rows: Vec<_> = rows.iter().collect();
        let finding = find(&rows, false);
        assert_eq!(names(&finding.tied), ["floating"]);
        assert_eq!(finding.contrast.unwrap().loser.policies, ["fixed:1"]);
        let finding = find(&rows[..2], false);
        assert!(finding.contrast.is_none() && finding.tied.len() == 1 && !finding.unrepeated);
    }

    #[test]
    fn one_run_of_this_host_says_that_nobody_knows_the_spread() {
        let rows = [row(Messages, "single", [100, 0, 0, 0]), row(Messages, "floating", [200, 0, 0, 0])];
        let rows: Vec<_> = rows.iter().collect();
        assert!(find(&rows, false).unrepeated && !find(&rows, true).unrepeated);
    }

    #[test]
    fn a_wrong_answer_never_wins_and_never_loses() {
        let wrong = Row { verified: false, ..row(Messages, "floating", [1, 0, 0, 0]) };
        let right = row(Messages, "single", [100, 0, 0, 0]);
        let finding = find(&[&wrong, &right], true);
        assert_eq!(finding.winner.unwrap().policies, ["single"]);
        assert!(finding.contrast.is_none() && finding.tied.is_empty());
        assert!(find(&[&wrong], true).winner.is_none());
    }

    #[test]
    fn processors_that_took_turns_have_times_and_no_causes() {
        let best = row(Messages, "single", [40, 0, 10, 0]);
        let mut crowded = row(Messages, "floating", [40, 0, 10, 60]);
        crowded.oversubscribed = true;
        let rows = [&best, &crowded];
        let finding = find(&rows, false);
        assert!(finding.oversubscribed && finding.contrast.unwrap().because.is_none());
    }
}
