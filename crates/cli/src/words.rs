//! Findings in words, for people. Must never find anything itself, and never say more than a finding does.

use tempest::Mechanism;

use crate::agreement::{Agreement, Choice};
use crate::finding::{Because, Contrast, Counter, Differs, Evidence, Finding};
use crate::parts::Part;
use crate::quantity::{bytes, percent, seconds, several};
use crate::ranking::Row;

/// From this ratio on it is said how many times as fast; below, by how many percent.
const TIMES: f64 = 2.0;

/// Of more rows that are tied only the number is told.
const TIES_NAMED: usize = 3;

/// A finding about one machine, in a sentence or more.
pub(crate) fn finding(finding: &Finding<'_>, repeatable: bool) -> String {
    let Some(winner) = finding.winner else { return "no answer was right, so nothing is ranked.".to_owned() };
    let mut said = match &finding.contrast {
        Some(contrast) => vec![difference(finding, winner, contrast)],
        None if finding.tied.is_empty() => {
            return format!("{} has nothing to be compared with.", finding.full(winner));
        }
        None => vec![no_difference(finding, repeatable)],
    };
    said.extend(finding.other.as_ref().map(|other| in_passing(finding, other)));
    if finding.contrast.is_some() && !finding.tied.is_empty() {
        said.push(ties(finding, repeatable));
    }
    if finding.oversubscribed {
        said.push("Processors took turns on too few cores: these times mean little.".to_owned());
    }
    if finding.unrepeated {
        said.push("One run each: the spread is not known.".to_owned());
    }
    said.join(" ")
}

fn no_difference(finding: &Finding<'_>, repeatable: bool) -> String {
    let rows = several(finding.tied.len() as u32 + 1, "row", "rows");
    match repeatable {
        true => format!("no difference worth a name: the {rows} are as good as equal."),
        false => format!("no difference shown: the {rows} are within the spread of the runs."),
    }
}

fn in_passing(finding: &Finding<'_>, other: &Contrast<'_>) -> String {
    let what = match other.differs {
        Differs::Policy => "policy",
        Differs::Mechanism => "mechanism",
    };
    let longer = percent(other.ratio - 1.0);
    format!("The next {what}, {}, takes {longer} longer.", finding.full(other.loser))
}

fn ties(finding: &Finding<'_>, repeatable: bool) -> String {
    let mut names: Vec<_> = finding.tied.iter().take(TIES_NAMED).map(|row| finding.full(row)).collect();
    match finding.tied.len().saturating_sub(names.len()) {
        0 => {}
        more => names.push(format!("{more} more")),
    }
    let how = if repeatable { "As good as equal to the best" } else { "Within the spread of the best" };
    format!("{how}: {}.", names.join(", "))
}

impl Finding<'_> {
    /// A row by all that it takes to know it.
    fn full(&self, row: &Row) -> String {
        match self.several_mechanisms {
            true => format!("{} under {}", row.mechanism, policy(row)),
            false => policy(row).to_owned(),
        }
    }
}

fn policy(row: &Row) -> &str {
    row.policies.first().map_or("", String::as_str)
}

fn difference(finding: &Finding<'_>, winner: &Row, contrast: &Contrast<'_>) -> String {
    let Contrast { loser, differs, ratio, because } = contrast;
    let ([best, worst], within) = match differs {
        Differs::Policy if finding.several_mechanisms => {
            ([winner, *loser].map(policy), format!(" ({})", winner.mechanism))
        }
        Differs::Policy => ([winner, *loser].map(policy), String::new()),
        Differs::Mechanism => {
            ([winner, *loser].map(|row| row.mechanism.name()), each_at_its_best(winner, loser))
        }
    };
    let by = match *ratio {
        ratio if ratio >= TIMES => format!("{best} is {ratio:.1} times as fast as {worst}"),
        ratio => format!("{best} beats {worst} by {}", percent(ratio - 1.0)),
    };
    match because {
        Some(because) => format!("{by}{within} because of {}.", cause(because, best, worst)),
        None if winner.oversubscribed || loser.oversubscribed => format!("{by}{within}."),
        None => format!("{by}{within}; no part of the time accounts for it alone."),
    }
}

fn each_at_its_best(winner: &Row, loser: &Row) -> String {
    match (policy(winner), policy(loser)) {
        (one, other) if one == other => format!(" (each at its best, under {one})"),
        (one, other) => format!(" (each at its best, under {one} and {other})"),
    }
}

fn cause(because: &Because, best: &str, worst: &str) -> String {
    let part = match because.part {
        Part::Memory => "waiting for memory and the network interface",
        part => part.name(),
    };
    let extent = format!("{part}, {} more per processor", seconds(because.seconds));
    match &because.evidence {
        Some(found) => format!("{extent}: {}", evidence(found, best, worst)),
        None => format!("{extent}; no counter stands out"),
    }
}

fn evidence(found: &Evidence, best: &str, worst: &str) -> String {
    let Evidence { counter, winner, loser } = *found;
    // What it is, its value, and how such values are written.
    let (what, write): (&str, fn(f64) -> String) = match counter {
        Counter::ComputingProcessors => return fewer(winner, loser, best, worst),
        Counter::Refused => ("sends that found no room at first", percent),
        Counter::Bytes => ("bytes sent", |value| bytes(value as u64)),
        Counter::Interrupts => ("interrupts taken", whole),
        Counter::Sent => ("messages and deposits sent", whole),
        Counter::OwnHandlers => return own_handlers(loser, best, worst),
        Counter::Protocol => return busy("the protocol processors are", winner, loser, best, worst),
        Counter::Queue => return busy("the dispatch queue is", winner, loser, best, worst),
        Counter::Keys => ("events that waited for a busy key", percent),
        Counter::Wait => ("mean wait of an event for its handler", |value| seconds(value * 1e-9)),
    };
    let versus = winner.map_or(String::new(), |winner| format!(", with {best} {}", write(winner)));
    format!("{what}, with {worst} {}{versus}", write(loser))
}

fn busy(what: &str, winner: Option<f64>, loser: f64, best: &str, worst: &str) -> String {
    let versus = match winner {
        Some(winner) => format!("{} with {best}", percent(winner)),
        None => format!("{best} needs none"),
    };
    format!("{what} {} busy with {worst}, {versus}", percent(loser))
}

fn fewer(winner: Option<f64>, loser: f64, best: &str, worst: &str) -> String {
    let fewer = several(loser as u32, "processor", "processors");
    let more = winner.map_or(String::new(), |winner| format!(", {best} on {winner:.0}"));
    format!("{worst} computes on {fewer} of each node{more}")
}

fn own_handlers(handlers: f64, best: &str, worst: &str) -> String {
    format!(
        "with {worst} the computing processors run the {handlers:.0} handlers, which {best} leaves to others"
    )
}

fn whole(value: f64) -> String {
    format!("{value:.0}")
}

/// Whether the machines rank alike, in a sentence.
pub(crate) fn agreement(agreement: &Agreement<'_>) -> String {
    let machines: Vec<_> = agreement.choices.iter().map(|choice| choice.machine).collect();
    let all = machines.join(" and ");
    let mechanism = agreement.mechanism.as_ref().map(|one| one.map(Mechanism::name));
    let policy = agreement.policy.as_ref().map(Option::as_deref);
    let said = match (mechanism, policy) {
        (None, None) => format!("{all} have too little in common to be compared."),
        (Some(Some(mechanism)), Some(Some(policy))) => {
            format!("{all} agree on the mechanism ({mechanism}) and on the policy ({policy}).")
        }
        (Some(Some(mechanism)), None) => format!("{all} agree on the mechanism ({mechanism})."),
        (None, Some(Some(policy))) => format!("{all} agree on the policy ({policy})."),
        (Some(Some(mechanism)), Some(None)) => format!(
            "{all} agree on the mechanism ({mechanism}) but not on the policy: {}.",
            each(agreement, |choice| &choice.policy)
        ),
        (Some(None), Some(Some(policy))) => format!(
            "{all} agree on the policy ({policy}) but not on the mechanism: {}.",
            each(agreement, |choice| choice.mechanism.name())
        ),
        (None, Some(None)) => {
            format!("{all} do not agree on the policy: {}.", each(agreement, |choice| &choice.policy))
        }
        (Some(None), None) => {
            format!(
                "{all} do not agree on the mechanism: {}.",
                each(agreement, |choice| choice.mechanism.name())
            )
        }
        (Some(None), Some(None)) => format!(
            "{all} agree neither on the mechanism nor on the policy: {}.",
            each(agreement, |choice| &choice.whole)
        ),
    };
    let crowded: Vec<_> = agreement
        .choices
        .iter()
        .filter(|choice| choice.oversubscribed)
        .map(|choice| choice.machine)
        .collect();
    match crowded.is_empty() {
        true => said,
        false => format!("{said} On {} processors took turns: its times mean little.", crowded.join(" and ")),
    }
}

fn each<'c>(agreement: &'c Agreement<'_>, name: impl Fn(&'c Choice<'_>) -> &'c str) -> String {
    let choices = agreement.choices.iter().map(|choice| format!("{} on {}", name(choice), choice.machine));
    choices.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use tempest::Mechanism::{Bulk, Messages};

    use super::*;
    use crate::finding::find;
    use crate::ranking::samples::row;

    fn said(rows: &[Row], repeatable: bool) -> String {
        finding(&find(&rows.iter().collect::<Vec<_>>(), repeatable), repeatable)
    }

    #[test]
    fn a_finding_says_who_won_by_how_much_and_why() {
        let queue = |row: Row, share| row.with(|outcome| outcome.dispatching.busy = Some(share));
        let rows = [
            queue(row(Messages, "fixed:1", [400, 0, 100, 500]), 0.48),
            queue(row(Messages, "floating", [400, 0, 100, 620]), 0.84),
        ];
        assert_eq!(
            said(&rows, true),
            "fixed:1 beats floating by 12 % because of synchronization, 120 us more per processor: the dispatch queue is \
             84 % busy with floating, 48 % with fixed:1."
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
            said(&rows, true),
            "bulk is 2.2 times as fast as messages (each at its best, under fixed:1 and single) because of message \
             overhead, 600 us more per processor: messages and deposits sent, with messages 9000, with bulk 1000. The next \
             policy, bulk under single, takes 6 % longer."
        );
    }

    #[test]
    fn a_difference_without_a_cause_is_stated_without_one() {
        let rows = [row(Messages, "a", [100, 100, 100, 100]), row(Messages, "b", [110, 110, 110, 110])];
        assert_eq!(said(&rows, true), "a beats b by 10 %; no part of the time accounts for it alone.");
        let rows = [row(Messages, "a", [100, 0, 0, 0]), row(Messages, "b", [150, 0, 0, 0])];
        assert_eq!(
            said(&rows, true),
            "a beats b by 50 % because of compute, 50 us more per processor; no counter stands out."
        );
    }

    #[test]
    fn what_is_tied_is_called_tied() {
        let rows = [row(Messages, "a", [100, 0, 0, 0]), row(Messages, "b", [105, 0, 0, 0])];
        let native = rows.map(|row| row.spread_by(0.1));
        assert_eq!(
            said(&native, false),
            "no difference shown: the 2 rows are within the spread of the runs."
        );
        let rows = [row(Messages, "a", [1000, 0, 0, 0]), row(Messages, "b", [1001, 0, 0, 0])];
        assert_eq!(said(&rows, true), "no difference worth a name: the 2 rows are as good as equal.");
        assert_eq!(said(&rows[..1], true), "a has nothing to be compared with.");
    }

    #[test]
    fn times_that_mean_little_are_called_so() {
        let mut rows = [row(Messages, "a", [100, 0, 0, 0]), row(Messages, "b", [150, 0, 0, 0])];
        rows[1].oversubscribed = true;
        assert_eq!(
            said(&rows, false),
            "a beats b by 50 %. Processors took turns on too few cores: these times mean little. One run each: the spread \
             is not known."
        );
        rows.iter_mut().for_each(|row| row.verified = false);
        assert_eq!(said(&rows, false), "no answer was right, so nothing is ranked.");
    }
}
