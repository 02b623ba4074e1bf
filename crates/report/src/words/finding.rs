//! A finding about one machine, in a sentence or more. This module must never find anything itself.

use compare::counter::{Counter, Evidence};
use compare::finding::{Because, Cause, Contrast, Differs, EmptyPolls, TooFew};
use compare::interval::CONFIDENCE;
use compare::margin::Processors;
use compare::{Bottleneck, Finding, Part, Way};
use tempest::outcome::Resource;
use units::plural::several;

use super::sure;
use crate::names::{self, part as name};
use crate::quantity::{bytes, count, percent, seconds};

/// The ratio from which it is said how many times as fast; below, by how many percent.
const TIMES: f64 = 2.0;

/// The share of a difference from which a part is nearly made up for by others.
const NEARLY: f64 = 4.0;

/// The number of tied rows that are named; of more only the number is told.
const TIES_NAMED: usize = 3;

/// The sentence on rows that decide nothing, because the operating system took `SHARE` of their time.
const BUSY: &str =
    "This host is busy: SHARE of the time the processors were taken away; rows marked ! decide nothing.";

/// The sentence on rows that ran on more processors than there are cores.
const TURNS: &str = "Processors took turns on too few cores: these times mean little.";

/// The sentence on runs that are too short.
const BRIEF: &str =
    "Runs this short are in good part their own beginning and end: give the program more work.";

/// A finding in words.
pub fn finding(finding: &Finding) -> String {
    let Some(winner) = &finding.winner else {
        let said = if finding.ran {
            "no answer was right, so nothing is ranked."
        } else {
            "nothing could run here."
        };
        return said.to_owned();
    };
    let contrast = finding.contrast.as_ref();
    let first = match contrast {
        Some(contrast) => difference(finding, winner, contrast),
        None if finding.tied.is_empty() => {
            let alone = format!("{} has nothing to be compared with.", full(finding, winner));
            return [alone].into_iter().chain(bottlenecks(finding, winner)).collect::<Vec<_>>().join(" ");
        }
        None => no_difference(finding),
    };
    let said = [
        Some(first),
        contrast.and_then(|contrast| more_at_work(winner, contrast)),
        bottlenecks(finding, winner),
        finding.empty_polls.as_ref().map(too_often),
        finding.other.as_ref().map(|other| in_passing(finding, other)),
        contrast.filter(|_| !finding.tied.is_empty()).map(|_| ties(finding)),
        finding.busy.map(|share| BUSY.replace("SHARE", &percent(share))),
        finding.oversubscribed.then(|| TURNS.to_owned()),
        finding.brief.then(|| BRIEF.to_owned()),
    ];
    said.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The parts of the machine that limit the winner and the loser, unless the evidence has told of the loser's already.
fn bottlenecks(finding: &Finding, winner: &Way) -> Option<String> {
    let contrast = finding.contrast.as_ref();
    let of_loser =
        contrast.and_then(|contrast| contrast.bottleneck.as_ref().filter(|found| !is_told(contrast, found)));
    let names = contrast.map_or([&*winner.policy, ""], |contrast| told_apart(winner, contrast));
    let said: Vec<_> = [finding.bottleneck.as_ref(), of_loser]
        .into_iter()
        .zip(names)
        .filter_map(|(found, way)| {
            found.map(|found| format!("{} with {way}{}", saturated(found), alone(found)))
        })
        .collect();
    let mut said = said.join(", ");
    if let Some(first) = said.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    (!said.is_empty()).then(|| said + ".")
}

/// Whether the evidence of a contrast is that this part of the loser's is busy.
fn is_told(contrast: &Contrast, found: &Bottleneck) -> bool {
    if found.lone_sender {
        return false;
    }
    let Cause::Part(Because { evidence: Some(evidence), .. }) = contrast.cause else { return false };
    match evidence.counter {
        Counter::Protocol => found.resource.is_protocol_processor(),
        Counter::Queue => found.resource == Resource::DispatchQueue,
        _ => false,
    }
}

/// The row that loses by polls that found nothing, and its remedy.
fn too_often(EmptyPolls { loser, polls }: &EmptyPolls) -> String {
    let policy = &loser.policy;
    let less = if policy.contains("+every=") { "a larger K".to_owned() } else { format!("{policy}+every=K") };
    format!(
        "{} polls that found nothing decide against {policy}: {less} polls less often.",
        count(*polls as u64)
    )
}

/// Why one dedicated processor is so busy, if it sends for others.
fn alone(found: &Bottleneck) -> &'static str {
    if found.lone_sender {
        ", where one of each node sends for all others (`can` has no `sender-injects`)"
    } else {
        ""
    }
}

/// The busy part, and the share of time for which it is busy.
fn saturated(found: &Bottleneck) -> String {
    let busy = percent(found.busy);
    match found.all {
        true => format!("the {} are {busy} busy", names::all(found.resource)),
        false => format!("{} is {busy} busy", names::one(found.resource, &found.name)),
    }
}

fn no_difference(finding: &Finding) -> String {
    let rows = several(finding.tied.len() as u32 + 1, "row");
    if finding.repeatable {
        return format!("no difference worth a name: the {rows} are as good as equal.");
    }
    if let Some(TooFew { runs, needed }) = finding.too_few {
        let runs = several(runs as u64, "run");
        return format!("nothing can be told apart from {runs}: expected at least --repeat {needed}.");
    }
    let (told, sure) = (percent(finding.room.unwrap_or(0.0)), percent(CONFIDENCE));
    let within = format!("with {sure} confidence the {rows} are within {told} of each other.");
    match finding.unclear {
        true => format!(
            "the runs differ too much to tell: {within} A quieter host, or a larger --repeat, would tell more."
        ),
        false => format!("no difference: {within}"),
    }
}

fn in_passing(finding: &Finding, other: &Contrast) -> String {
    let what = match other.differs {
        Differs::Policy => "policy",
        Differs::Mechanism => "mechanism",
    };
    let (sure, longer) = (sure(&other.margin), percent(other.margin.known() - 1.0));
    format!("The next {what}, {}, takes {sure}{longer} longer.", full(finding, &other.loser))
}

fn ties(finding: &Finding) -> String {
    let mut names: Vec<_> = finding.tied.iter().take(TIES_NAMED).map(|way| full(finding, way)).collect();
    match finding.tied.len().saturating_sub(names.len()) {
        0 => {}
        more => names.push(format!("{more} more")),
    }
    let how = match finding.repeatable {
        true => "As good as equal to the best",
        false => "Not told from the best",
    };
    format!("{how}: {}.", names.join(", "))
}

/// A row by all that it takes to know it.
fn full(finding: &Finding, way: &Way) -> String {
    match finding.several_mechanisms {
        true => format!("{} under {}", way.mechanism, way.policy),
        false => way.policy.clone(),
    }
}

fn difference(finding: &Finding, winner: &Way, contrast: &Contrast) -> String {
    let Contrast { loser, differs, margin, processors, cause, .. } = contrast;
    let [best, worst] = told_apart(winner, contrast);
    let within = match differs {
        Differs::Policy if finding.several_mechanisms => format!(" ({})", winner.mechanism),
        Differs::Policy => String::new(),
        Differs::Mechanism => each_at_its_best(winner, loser),
    };
    let sure = sure(margin);
    let by = match margin.known() {
        ratio if ratio >= TIMES => format!("{best} is {sure}{ratio:.1} times as fast as {worst}"),
        ratio => format!("{best} beats {worst} by {sure}{}", percent(ratio - 1.0)),
    };
    let by = by + &within;
    match (processors, cause) {
        (Some(of), _) if of.loser < of.winner => format!("{by}: {}.", computing(of, best, worst)),
        (Some(of), Cause::Part(because)) => {
            format!("{by}, although {}; {}.", computing(of, best, worst), part(because, best, worst))
        }
        (Some(of), _) => format!("{by}, although {}.", computing(of, best, worst)),
        (None, Cause::Part(because)) if because.made_up.is_some() => {
            format!("{by}: {}.", part(because, best, worst))
        }
        (None, Cause::Part(because)) => format!("{by} because of {}.", part(because, best, worst)),
        (None, Cause::ManyParts) => format!("{by}; no part of the time accounts for it alone."),
        (None, _) => format!("{by}."),
    }
}

/// The names by which the winner and the loser of a contrast are told apart.
fn told_apart<'w>(winner: &'w Way, contrast: &'w Contrast) -> [&'w str; 2] {
    match contrast.differs {
        Differs::Policy => [&winner.policy, &contrast.loser.policy],
        Differs::Mechanism => [winner.mechanism.name(), contrast.loser.mechanism.name()],
    }
}

/// The processors at work, if the winner has more, unless the numbers of computing processors tell it already.
fn more_at_work(winner: &Way, contrast: &Contrast) -> Option<String> {
    let of = contrast.margin.at_work.filter(|of| contrast.processors != Some(*of))?;
    let [best, worst] = told_apart(winner, contrast);
    Some(format!(
        "With {best} each node has {} at work, with {worst} {}.",
        several(of.winner, "processor"),
        of.loser
    ))
}

/// The numbers of computing processors of each node.
fn computing(of: &Processors, best: &str, worst: &str) -> String {
    let processors = several(of.loser, "processor");
    format!("{worst} computes on {processors} of each node, {best} on {}", of.winner)
}

fn each_at_its_best(winner: &Way, loser: &Way) -> String {
    match (&winner.policy, &loser.policy) {
        (one, other) if one == other => format!(" (each at its best, under {one})"),
        (one, other) => format!(" (each at its best, under {one} and {other})"),
    }
}

fn part(because: &Because, best: &str, worst: &str) -> String {
    let part = match because.part {
        Part::Memory => "waiting for memory and the network interface",
        Part::Idle => "idle time",
        part => name(part),
    };
    let more = seconds(because.seconds);
    let evidence = because.evidence.as_ref().map(|found| evidence(found, best, worst));
    match (because.made_up, evidence) {
        (Some(less), found) => {
            let much = if because.share >= NEARLY { "nearly" } else { "partly" };
            let less = name(less.part);
            // After a colon a counter would seem to explain the part that is less.
            let found = found.map_or_else(String::new, |found| format!("; {found}"));
            format!("{more} more {part} per processor with {worst}, {much} made up by less {less}{found}")
        }
        (None, Some(found)) => format!("{part}, {more} more per processor: {found}"),
        (None, None) => format!("{part}, {more} more per processor; no counter stands out"),
    }
}

fn evidence(found: &Evidence, best: &str, worst: &str) -> String {
    let Evidence { counter, winner, loser } = *found;
    let whole = |value: f64| format!("{value:.0}");
    // What the counter is, and how its values are written.
    let (what, write): (&str, fn(f64) -> String) = match counter {
        Counter::Refused => ("sends that found no room at first", percent),
        Counter::Bytes => ("bytes sent", |value| bytes(value as u64)),
        Counter::Interrupts => ("interrupts taken", whole),
        Counter::EmptyPolls => ("polls that found nothing", whole),
        Counter::Sent => ("messages and deposits sent", whole),
        Counter::Keys => ("events that waited for a busy key", percent),
        Counter::Waits => ("waits of threads", whole),
        Counter::Wait => ("mean wait of an event for its handler", |value| seconds(value * 1e-9)),
        Counter::Protocol => return busy("the protocol processors are", found, best, worst),
        Counter::Queue => return busy("the dispatch queue is", found, best, worst),
        Counter::OwnHandlers => {
            return format!(
                "with {worst} the computing processors run the {loser:.0} handlers, which {best} leaves to others"
            );
        }
    };
    let versus = winner.map_or(String::new(), |winner| format!(", with {best} {}", write(winner)));
    format!("{what}, with {worst} {}{versus}", write(loser))
}

fn busy(what: &str, found: &Evidence, best: &str, worst: &str) -> String {
    let versus = match found.winner {
        Some(winner) => format!("{} with {best}", percent(winner)),
        None => format!("{best} needs none"),
    };
    format!("{what} {} busy with {worst}, {versus}", percent(found.loser))
}

#[cfg(test)]
mod tests {
    use compare::Row;
    use compare::samples::{ranking, row};
    use tempest::Mechanism::{Bulk, Messages};

    use super::*;

    fn on(machine: &str, rows: &[Row]) -> String {
        finding(&compare::finding::of(&ranking(machine, rows)))
    }

    fn said(rows: &[Row]) -> String {
        on("model", rows)
    }

    #[test]
    fn a_finding_says_who_won_by_how_much_and_why() {
        let queue = |row: Row, share| row.with(|outcome| outcome.dispatching.busy = Some(share));
        let rows = [
            queue(row(Messages, "fixed:1", [400, 0, 100, 500]), 0.48),
            queue(row(Messages, "floating", [400, 0, 100, 620]), 0.84),
        ];
        assert_eq!(
            said(&rows),
            "fixed:1 beats floating by 12 % because of synchronization, 120 us more per processor: the dispatch queue is \
             84 % busy with floating, 48 % with fixed:1."
        );
    }

    #[test]
    fn a_finding_says_what_the_winner_has_more_of_who_sends_alone_and_who_polls_in_vain() {
        let mut rows =
            [row(Messages, "hurricane-1:2", [40, 0, 10, 0]), row(Messages, "fixed:1", [40, 0, 0, 60])];
        rows[0].split.dedicated = 2;
        rows[1] = rows[1].clone().dedicated_busy(0.99);
        rows[1].lone_sender = true;
        let text = said(&rows);
        assert!(
            text.contains("With hurricane-1:2 each node has 4 processors at work, with fixed:1 2."),
            "{text}"
        );
        assert!(
            text.contains("where one of each node sends for all others (`can` has no `sender-injects`)"),
            "{text}"
        );
        let polls = |row: Row, polls| row.counting(|counters| counters.empty_polls = Some(polls));
        let rows = [
            polls(row(Messages, "single+interrupt", [400, 0, 50, 0]), 0),
            polls(row(Messages, "single", [400, 0, 150, 0]), 161_000),
        ];
        let text = said(&rows);
        let vain = "161k polls that found nothing decide against single: single+every=K polls less often.";
        assert!(text.ends_with(vain), "{text}");
    }

    #[test]
    fn a_finding_names_the_part_that_limits_the_winner_and_the_loser() {
        let rows = [
            row(Messages, "single", [400, 0, 100, 0]).busy(Resource::Link, "3→4", 0.972),
            row(Messages, "fixed:1", [400, 0, 0, 600]).dedicated_busy(0.99),
        ];
        assert_eq!(
            said(&rows),
            "single is 2.0 times as fast as fixed:1 because of synchronization, 600 us more per processor: the protocol \
             processors are 99 % busy with fixed:1, single needs none. Link 3→4 is 97 % busy with single."
        );
        let rows = rows.map(|row| row.with(|outcome| outcome.phases[0].utilization[0].count = 2));
        let of_both = [rows[0].clone(), rows[1].clone().with(|outcome| outcome.utilization.clear())];
        assert!(said(&of_both).ends_with(
            "no counter stands out. The links are 97 % busy with single, the dedicated processors are 99 % busy with fixed:1."
        ));
        assert_eq!(
            said(&rows[..1]),
            "single has nothing to be compared with. The links are 97 % busy with single."
        );
    }

    #[test]
    fn mechanisms_are_compared_each_at_its_best() {
        let rows = [
            row(Bulk, "fixed:1", [400, 0, 100, 0]),
            row(Bulk, "single", [400, 0, 130, 0]),
            row(Messages, "single", [400, 0, 700, 0]).counting(|counters| counters.messages = 9000),
        ];
        assert_eq!(
            said(&rows),
            "bulk is 2.2 times as fast as messages (each at its best, under fixed:1 and single) because of message \
             overhead, 600 us more per processor: messages and deposits sent, with messages 9000, with bulk 1000. The next \
             policy, bulk under single, takes 6 % longer."
        );
    }

    #[test]
    fn a_difference_without_a_cause_is_stated_without_one() {
        let rows = [row(Messages, "a", [100, 100, 100, 100]), row(Messages, "b", [110, 110, 110, 110])];
        assert_eq!(said(&rows), "a beats b by 10 %; no part of the time accounts for it alone.");
        let rows = [row(Messages, "a", [100, 0, 0, 0]), row(Messages, "b", [150, 0, 0, 0])];
        assert_eq!(
            said(&rows),
            "a beats b by 50 % because of compute, 50 us more per processor; no counter stands out."
        );
    }

    #[test]
    fn the_number_of_computing_processors_is_told_first() {
        let mut rows =
            [row(Messages, "floating", [400, 0, 100, 0]), row(Messages, "single", [400, 0, 600, 0])];
        rows[1].split.computing = 1;
        assert_eq!(
            said(&rows),
            "floating is 2.0 times as fast as single: single computes on 1 processor of each node, floating on 2."
        );
        rows[0].split.computing = 1;
        rows[1].split.computing = 2;
        assert!(said(&rows).starts_with(
            "floating is 2.0 times as fast as single, although single computes on 2 processors of each node, \
             floating on 1; message overhead, 500 us more per processor"
        ));
    }

    #[test]
    fn what_is_made_up_for_is_no_cause() {
        let rows =
            [row(Messages, "fixed:1", [1000, 0, 100, 1500]), row(Messages, "single", [1000, 0, 1400, 364])];
        assert_eq!(
            said(&rows),
            "fixed:1 beats single by 6 %: 1.3 ms more message overhead per processor with single, nearly made up by less \
             synchronization."
        );
    }

    #[test]
    fn where_nothing_ran_nothing_is_said_of_answers() {
        assert_eq!(said(&[]), "nothing could run here.");
    }

    #[test]
    fn what_is_tied_is_called_tied() {
        let rows = [row(Messages, "a", [100, 0, 0, 0]), row(Messages, "b", [105, 0, 0, 0])];
        let measured = rows.map(|row| row.within(0.1));
        assert_eq!(
            on("native", &measured),
            "the runs differ too much to tell: with 95 % confidence the 2 rows are within 28 % of each other. A quieter \
             host, or a larger --repeat, would tell more."
        );
        let rows = [row(Messages, "a", [100, 0, 0, 0]), row(Messages, "b", [102, 0, 0, 0])];
        let measured = rows.map(|row| row.within(0.02));
        assert_eq!(
            on("native", &measured),
            "no difference: with 95 % confidence the 2 rows are within 6 % of each other."
        );
        let rows = [row(Messages, "a", [1000, 0, 0, 0]), row(Messages, "b", [1001, 0, 0, 0])];
        assert_eq!(said(&rows), "no difference worth a name: the 2 rows are as good as equal.");
        assert_eq!(said(&rows[..1]), "a has nothing to be compared with.");
    }

    #[test]
    fn times_that_mean_little_are_called_so() {
        let mut rows = [row(Messages, "a", [100, 0, 0, 0]), row(Messages, "b", [150, 0, 0, 0])];
        rows[1].oversubscribed = true;
        assert_eq!(
            on("native", &rows),
            "a beats b by 50 %. Processors took turns on too few cores: these times mean little."
        );
        rows.iter_mut().for_each(|row| row.verified = false);
        assert_eq!(on("native", &rows), "no answer was right, so nothing is ranked.");
    }
}
