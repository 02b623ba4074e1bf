//! The findings of the dispatch probe: means over all messages, processors in use, and whether a handler ran that had to wait.
//!
//! This module must never know how messages were handled.

use std::collections::BTreeMap;

use tempest::{Merge, Report};

use super::item::Kind;
use super::record::Handled;
use super::study::Synchronization;
use crate::kit::statistics::Batches;

/// The part of the messages, from the first on, that means leave out.
const LEFT_OUT: f64 = 0.1;

/// The findings of a run, from the measurements of its messages.
#[derive(Debug)]
pub(super) struct Found<'h> {
    all: &'h [Handled],
    /// Accesses to words and locks.
    accesses: u64,
    /// The messages of each key that add to its word.
    adding: BTreeMap<u64, u64>,
    /// The messages whose computing overlapped with another message of their key.
    overlaps: u64,
    /// The messages that ran beside a sequential one.
    intrusions: u64,
}

/// The time for which a message must have its node for itself, if it is sequential.
fn span(message: &Handled) -> (u64, u64) {
    (if message.postponed { message.entered } else { message.began }, message.ended)
}

impl<'h> Found<'h> {
    pub(super) fn of(all: &'h [Handled], accesses: u64) -> Self {
        let mut adding = BTreeMap::new();
        for message in all.iter().filter(|message| message.kind != Kind::NoSync) {
            *adding.entry(message.key).or_default() += 1;
        }
        Self { all, accesses, adding, overlaps: overlaps(all), intrusions: intrusions(all) }
    }

    /// The figures, and the checks of the run. `last` is the value of a key's word at the end.
    pub(super) fn report(&self, synchronization: Synchronization, last: impl Fn(u64) -> u64) -> Report {
        let excludes = synchronization != Synchronization::None;
        let (overlaps, intrusions) = (self.overlaps, self.intrusions);
        let mut report = Report::checked(!excludes || overlaps == 0, || {
            format!("{overlaps} messages ran beside another one of their key: expected none")
        });
        report.merge(Report::checked(intrusions == 0, || {
            format!("{intrusions} messages ran beside a sequential one: expected none")
        }));
        let wrong = self.adding.iter().find(|(key, due)| excludes && last(**key) != **due);
        report.merge(Report::checked(wrong.is_none(), || {
            let (key, due) = wrong.expect("there is a wrong word");
            format!("the word of key {key} is {}: expected {due}", last(*key))
        }));
        self.figures(report)
    }

    fn figures(&self, report: Report) -> Report {
        let report = self.occupancy(self.waits(report));
        let count = self.all.len() as f64;
        let postponed = self.all.iter().filter(|message| message.postponed).count() as f64;
        let (free, beside) = self.beside();
        let mut report = report
            .figure("parallel", self.parallel() as f64, Merge::Max)
            .figure("accesses", self.accesses as f64 / count, Merge::Max)
            .figure("postponed", postponed / count, Merge::Max)
            .figure("overtook", self.overtook() as f64 / count, Merge::Max)
            .figure("overlaps", self.overlaps as f64, Merge::Max)
            .figure("intrusions", self.intrusions as f64, Merge::Max);
        if free > 0 {
            report = report.figure("beside", beside as f64 / free as f64, Merge::Max);
        }
        report
    }

    /// Adds the figures of waits.
    fn waits(&self, mut report: Report) -> Report {
        let counted = self.counted();
        let made = counted.iter().map(|message| message.made);
        let (first, last) = (made.clone().min().unwrap_or(0) as f64, made.max().unwrap_or(0) as f64);
        let mut batches = Batches::EMPTY;
        for message in &counted {
            batches.add(message.made as f64, &(first..last.max(first + 1.0)), wait(message));
        }
        let response: f64 =
            counted.iter().map(|message| message.ended.saturating_sub(message.made) as f64).sum();
        report = report.measured("wait", batches.mean() / 1e6, "ns", Merge::Max);
        if batches.half_width().is_finite() {
            report = report.measured("wait +-", batches.half_width() / 1e6, "ns", Merge::Max);
        }
        let kinds = [
            ("wait.keyed", Kind::Keyed),
            ("wait.sequential", Kind::Sequential),
            ("wait.nosync", Kind::NoSync),
        ];
        for (name, kind) in kinds {
            let of_kind: Vec<f64> =
                counted.iter().filter(|message| message.kind == kind).map(|message| wait(message)).collect();
            if !of_kind.is_empty() && of_kind.len() < counted.len() {
                let mean = of_kind.iter().sum::<f64>() / of_kind.len() as f64;
                report = report.measured(name, mean / 1e6, "ns", Merge::Max);
            }
        }
        report.measured("response", response / counted.len().max(1) as f64 / 1e6, "ns", Merge::Max)
    }

    /// Adds the figures of processors in use.
    fn occupancy(&self, report: Report) -> Report {
        let sum = |of: fn(&Handled) -> u64| self.all.iter().map(|message| of(message) as f64).sum::<f64>();
        let first = self.all.iter().map(|message| message.began).min().unwrap_or(0);
        let last = self.all.iter().map(|message| message.ended).max().unwrap_or(0);
        let whole = last.saturating_sub(first).max(1) as f64;
        let (computing, busy) = (sum(|message| message.ended - message.entered), sum(|message| message.busy));
        report
            .measured("rate", self.all.len() as f64 / whole * 1e9, "M/s", Merge::Max)
            .figure("load", computing / whole, Merge::Max)
            .figure("busy", busy / whole, Merge::Max)
            .figure("wasted", 1.0 - computing / busy.max(1.0), Merge::Max)
    }

    /// The messages that count for means: all but the first.
    fn counted(&self) -> Vec<&'h Handled> {
        let mut messages: Vec<_> = self.all.iter().collect();
        messages.sort_by_key(|message| message.made);
        messages.split_off((self.all.len() as f64 * LEFT_OUT) as usize)
    }

    /// The messages that began to compute before a message that was made earlier.
    fn overtook(&self) -> usize {
        let mut messages: Vec<_> = self.all.iter().map(|message| (message.made, message.entered)).collect();
        messages.sort_unstable();
        let mut latest = 0;
        let mut overtakes = |(_, entered): &(u64, u64)| {
            let earlier = latest;
            latest = latest.max(*entered);
            *entered < earlier
        };
        messages.iter().filter(|message| overtakes(message)).count()
    }

    /// The most messages that computed at once.
    fn parallel(&self) -> usize {
        let mut edges: Vec<(u64, bool)> =
            self.all.iter().flat_map(|message| [(message.entered, true), (message.ended, false)]).collect();
        // At one instant the ends come first.
        edges.sort_unstable();
        let (mut now, mut most) = (0_usize, 0);
        for (_, begins) in edges {
            now = if begins { now + 1 } else { now.saturating_sub(1) };
            most = most.max(now);
        }
        most
    }

    /// The messages that need no exclusion, and the number of them that began while a handler of a key ran.
    fn beside(&self) -> (usize, usize) {
        let mut keyed: Vec<_> =
            self.all.iter().filter(|message| message.kind == Kind::Keyed).map(span).collect();
        keyed.sort_unstable();
        let mut free: Vec<_> = self
            .all
            .iter()
            .filter(|message| message.kind == Kind::NoSync)
            .map(|message| message.began)
            .collect();
        free.sort_unstable();
        let (mut next, mut latest, mut beside) = (0, 0, 0);
        for &began in &free {
            while next < keyed.len() && keyed[next].0 <= began {
                latest = keyed[next].1.max(latest);
                next += 1;
            }
            beside += usize::from(latest > began);
        }
        (free.len(), beside)
    }
}

fn wait(message: &Handled) -> f64 {
    message.entered.saturating_sub(message.made) as f64
}

/// The messages that computed while an earlier message of their key did.
fn overlaps(all: &[Handled]) -> u64 {
    let mut of_keys: BTreeMap<u64, Vec<(u64, u64)>> = BTreeMap::new();
    for message in all.iter().filter(|message| message.kind == Kind::Keyed) {
        of_keys.entry(message.key).or_default().push((message.entered, message.ended));
    }
    of_keys.into_values().map(|mut spans| overlapping(&mut spans)).sum()
}

/// The spans that begin before an earlier one has ended.
fn overlapping(spans: &mut [(u64, u64)]) -> u64 {
    spans.sort_unstable();
    let mut latest = 0;
    let mut count = 0;
    for &mut (from, to) in spans {
        count += u64::from(from < latest);
        latest = latest.max(to);
    }
    count
}

/// The messages that ran beside a sequential one.
fn intrusions(all: &[Handled]) -> u64 {
    let mut spans: Vec<_> =
        all.iter().map(|message| (span(message), message.kind == Kind::Sequential)).collect();
    spans.sort_unstable();
    let (mut latest, mut latest_alone, mut count) = (0, 0, 0);
    for ((from, to), alone) in spans {
        count += u64::from(from < if alone { latest } else { latest_alone });
        latest = latest.max(to);
        latest_alone = latest_alone.max(if alone { to } else { 0 });
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: Kind, key: u64, entered: u64, ended: u64) -> Handled {
        let busy = ended - entered;
        Handled { kind, key, made: 0, began: entered, entered, ended, busy, postponed: false }
    }

    fn failures(all: &[Handled], words: &[u64]) -> Vec<String> {
        let report = Found::of(all, 0).report(Synchronization::Keyed, |key| words[key as usize]);
        report.failures
    }

    #[test]
    fn messages_of_a_key_one_after_the_other_are_right() {
        let all = [
            message(Kind::Keyed, 0, 10, 20),
            message(Kind::Keyed, 1, 12, 25),
            message(Kind::Keyed, 0, 20, 30),
            message(Kind::NoSync, 0, 12, 28),
            message(Kind::Sequential, 1, 30, 40),
        ];
        assert_eq!(failures(&all, &[2, 2]), [""; 0]);
        assert_eq!(Found::of(&all, 0).parallel(), 3);
        assert_eq!(Found::of(&all, 0).beside(), (1, 1));
        let late = Handled { made: 1, ..message(Kind::Keyed, 0, 20, 30) };
        let early = Handled { made: 2, ..message(Kind::Keyed, 1, 12, 25) };
        assert_eq!(Found::of(&[late, early], 0).overtook(), 1);
    }

    #[test]
    fn an_overlap_of_a_key_an_intrusion_and_a_lost_addition_are_found() {
        let overlap = [message(Kind::Keyed, 0, 10, 20), message(Kind::Keyed, 0, 19, 30)];
        assert!(failures(&overlap, &[2])[0].starts_with("1 messages ran beside another one of their key"));
        for other in [message(Kind::Keyed, 1, 19, 30), message(Kind::NoSync, 1, 5, 11)] {
            let alone = [message(Kind::Sequential, 0, 10, 20), other];
            let words = [1, u64::from(other.kind == Kind::Keyed)];
            assert!(failures(&alone, &words)[0].starts_with("1 messages ran beside a sequential one"));
        }
        let lost = [message(Kind::Keyed, 0, 10, 20), message(Kind::Keyed, 0, 20, 30)];
        assert_eq!(failures(&lost, &[1]), ["the word of key 0 is 1: expected 2"]);
    }

    #[test]
    fn what_computed_nothing_is_wasted() {
        let spins = Handled { began: 0, busy: 20, ..message(Kind::Keyed, 0, 10, 20) };
        let report = Found::of(&[spins], 0).report(Synchronization::Lock, |_| 1);
        let wasted = report.figures.iter().find(|figure| figure.name == "wasted").expect("a figure");
        assert!((wasted.value - 0.5).abs() < 1e-9);
    }
}
