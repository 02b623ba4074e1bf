//! Findings in words, for people. Must never find anything itself, and never say more than a finding does.

use crate::agreement::{Agreement, Choice, Extent, Name, Verdict};
use crate::finding::{Because, Contrast, Counter, Differs, Evidence, Finding, WORTHY};
use crate::parts::Part;
use crate::quantity::{bytes, percent, seconds, several};
use crate::ranking::Row;
use crate::target::label;

/// From this ratio on it is said how many times as fast; below, by how many percent.
const TIMES: f64 = 2.0;

/// From this share of a difference on, a part is nearly made up for by others.
const NEARLY: f64 = 4.0;

/// Of more rows that are tied only the number is told.
const TIES_NAMED: usize = 3;

/// A finding about one machine, in a sentence or more.
pub(crate) fn finding(finding: &Finding<'_>, repeatable: bool) -> String {
    let Some(winner) = finding.winner else {
        let why = if finding.ran {
            "no answer was right, so nothing is ranked."
        } else {
            "nothing could run here."
        };
        return why.to_owned();
    };
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
    let Contrast { loser, differs, ratio, because, .. } = contrast;
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
    let by = format!("{by}{within}{}", overlap(contrast));
    match (contrast.processors, because) {
        (Some((of_winner, of_loser)), None) if of_loser < of_winner => {
            format!("{by}: {}.", computing([worst, best], [of_loser, of_winner]))
        }
        (Some((of_winner, of_loser)), because) => {
            let although = computing([worst, best], [of_loser, of_winner]);
            let why = because
                .as_ref()
                .map_or(String::new(), |because| format!("; {}", cause(because, best, worst)));
            format!("{by}, although {although}{why}.")
        }
        (None, Some(because)) if because.made_up.is_some() => {
            format!("{by}: {}.", cause(because, best, worst))
        }
        (None, Some(because)) => format!("{by} because of {}.", cause(because, best, worst)),
        (None, None) if winner.oversubscribed || loser.oversubscribed => format!("{by}."),
        (None, None) if *ratio < 1.0 + WORTHY => format!("{by}."),
        (None, None) => format!("{by}; no part of the time accounts for it alone."),
    }
}

fn overlap(contrast: &Contrast<'_>) -> &'static str {
    if contrast.overlaps { ", though their runs overlap" } else { "" }
}

/// How many processors of each node compute under two policies or mechanisms.
fn computing([one, other]: [&str; 2], [of_one, of_other]: [u32; 2]) -> String {
    format!(
        "{one} computes on {} of each node, {other} on {of_other}",
        several(of_one, "processor", "processors")
    )
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
    let more = seconds(because.seconds);
    let extent = match because.made_up {
        Some((less, _)) => {
            let much = if because.share >= NEARLY { "nearly" } else { "partly" };
            format!("{more} more {part} per processor with {worst}, {much} made up by less {}", less.name())
        }
        None => format!("{part}, {more} more per processor"),
    };
    match &because.evidence {
        // After a colon it would seem to explain the part that is less.
        Some(found) if because.made_up.is_some() => format!("{extent}; {}", evidence(found, best, worst)),
        Some(found) => format!("{extent}: {}", evidence(found, best, worst)),
        None if because.made_up.is_some() => extent,
        None => format!("{extent}; no counter stands out"),
    }
}

fn evidence(found: &Evidence, best: &str, worst: &str) -> String {
    let Evidence { counter, winner, loser } = *found;
    // What it is, its value, and how such values are written.
    let (what, write): (&str, fn(f64) -> String) = match counter {
        Counter::Refused => ("sends that found no room at first", percent),
        Counter::Bytes => ("bytes sent", |value| bytes(value as u64)),
        Counter::Interrupts => ("interrupts taken", whole),
        Counter::Sent => ("messages and deposits sent", whole),
        Counter::OwnHandlers => return own_handlers(loser, best, worst),
        Counter::Protocol => return busy("the protocol processors are", winner, loser, best, worst),
        Counter::Queue => return busy("the dispatch queue is", winner, loser, best, worst),
        Counter::Keys => ("events that waited for a busy key", percent),
        Counter::Waits => ("waits of threads", whole),
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
    let crowded = names(&agreement.crowded);
    let [all, each] = machines(agreement);
    let said = match rankings(agreement, &all, &each) {
        _ if agreement.compared.len() < 2 && !agreement.crowded.is_empty() => {
            return format!(
                "no word on whether machines agree: on {crowded} processors took turns, and times mean little."
            );
        }
        None => match agreement.choices.first() {
            Some(Choice { mechanism, policy, .. }) => {
                format!("nothing but {mechanism} under {policy} ran on {all}: there is nothing to choose.")
            }
            None => format!("{} have nothing in common to be compared.", names(&agreement.compared)),
        },
        Some(said) => match agreement.extent {
            Extent::All => format!("{said}."),
            Extent::SomePolicies => format!("of the policies that {all} can run, {said}."),
            Extent::SomeMechanisms => format!("of what {all} can run, {said}."),
        },
    };
    match (agreement.crowded.is_empty(), agreement.partly_crowded) {
        (true, false) => said,
        (true, true) => format!("{said} Where processors took turns nothing is compared."),
        (false, _) => format!("{said} Nothing is said of {crowded}: processors took turns."),
    }
}

fn names(machines: &[Name<'_>]) -> String {
    list(machines.iter().map(|(name, file)| label(name, *file)))
}

/// The machines as they are called at first, and later.
fn machines(agreement: &Agreement<'_>) -> [String; 2] {
    let names = list(agreement.choices.iter().map(Choice::label));
    match agreement.choices.len() {
        2 => [format!("both {names}"), "both".to_owned()],
        _ => [names, "all of them".to_owned()],
    }
}

fn list(names: impl Iterator<Item = String>) -> String {
    let names: Vec<_> = names.collect();
    match names.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.concat(),
    }
}

impl Choice<'_> {
    fn label(&self) -> String {
        label(self.machine.0, self.machine.1)
    }
}

/// What there is to say of the mechanism and of the policy; `None` if there was no choice of either.
fn rankings(agreement: &Agreement<'_>, all: &str, each: &str) -> Option<String> {
    // The machines are named once.
    let first = if agreement.extent == Extent::All { all } else { each };
    let mechanism = agreement.mechanism.as_ref().map(|verdict| match verdict {
        Verdict::Best(one) => best("mechanism", one.name(), first),
        Verdict::Tied(one) => tied("mechanism", one.name(), first),
        Verdict::Differs => differs("mechanism", agreement, |choice| choice.mechanism.to_string()),
    });
    let on = if mechanism.is_some() { each } else { first };
    let policy = agreement.policy.as_ref().map(|verdict| match verdict {
        Verdict::Best(one) => best("policy", one, on) + &by_which(agreement),
        Verdict::Tied(one) => tied("policy", one, on) + &by_which(agreement),
        Verdict::Differs => differs("policy", agreement, |choice| way(agreement, choice)),
    });
    let said: Vec<_> = mechanism.into_iter().chain(policy).collect();
    (!said.is_empty()).then(|| said.join("; "))
}

fn best(what: &str, one: &str, on: &str) -> String {
    format!("{one} is the best {what} on {on}")
}

fn tied(what: &str, one: &str, on: &str) -> String {
    format!("{one} is the best {what}, or tied with the best, on {on}")
}

/// By which mechanism a policy is the best, where that is not plain.
fn by_which(agreement: &Agreement<'_>) -> String {
    match agreement.mechanism {
        Some(Verdict::Tied(mechanism)) => format!(", with {mechanism}"),
        Some(Verdict::Differs) => ", with the best mechanism of each".to_owned(),
        _ => String::new(),
    }
}

/// The policy, and the mechanism where machines differ in it.
fn way(agreement: &Agreement<'_>, choice: &Choice<'_>) -> String {
    match agreement.mechanism {
        None | Some(Verdict::Best(_)) => choice.policy.clone(),
        _ => format!("{} under {}", choice.mechanism, choice.policy),
    }
}

fn differs(what: &str, agreement: &Agreement<'_>, name: impl Fn(&Choice<'_>) -> String) -> String {
    let choices = agreement.choices.iter().map(|choice| format!("{} on {}", name(choice), choice.label()));
    format!("the best {what} differs: {}", choices.collect::<Vec<_>>().join(", "))
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
    fn the_number_of_computing_processors_is_told_first() {
        let mut rows =
            [row(Messages, "floating", [400, 0, 100, 0]), row(Messages, "single", [400, 0, 600, 0])];
        rows[1].split.computing = 1;
        assert_eq!(
            said(&rows, true),
            "floating is 2.0 times as fast as single: single computes on 1 processor of each node, floating on 2."
        );
        rows[0].split.computing = 1;
        rows[1].split.computing = 2;
        assert!(said(&rows, true).starts_with(
            "floating is 2.0 times as fast as single, although single computes on 2 processors of each node, \
             floating on 1; message overhead, 500 us more per processor"
        ));
    }

    #[test]
    fn what_is_made_up_for_is_no_cause() {
        let rows =
            [row(Messages, "fixed:1", [1000, 0, 100, 1500]), row(Messages, "single", [1000, 0, 1400, 264])];
        assert_eq!(
            said(&rows, true),
            "fixed:1 beats single by 2 %: 1.3 ms more message overhead per processor with single, nearly made up by less \
             synchronization."
        );
    }

    #[test]
    fn where_nothing_ran_nothing_is_said_of_answers() {
        assert_eq!(said(&[], true), "nothing could run here.");
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
