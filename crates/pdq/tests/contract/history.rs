//! The record of a concurrent run, and a check from outside, afterwards, that it obeys the ordering rule.
//!
//! Threads record their actions in logs of their own, with times of one logical clock. An item is *older* than another if
//! that can be known: its producer enqueued it first, or its `enqueue` returned before the other's was called. The clock
//! is relaxed throughout: recording must not add an order that the queue failed to give.
//!
//! This module must never know how a queue works, only its promises.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};

use tradewind_pdq::Key;

/// A time of the logical clock.
pub(crate) type Time = u64;

/// An arrival that is buffered by a worker: when it takes its place is not known.
pub(crate) const UNKNOWN: Time = Time::MAX;

/// The clock of a run.
#[derive(Debug, Default)]
pub(crate) struct Clock(AtomicU64);

impl Clock {
    pub(crate) fn tick(&self) -> Time {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

/// The n-th item of a producer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Item {
    pub(crate) producer: usize,
    pub(crate) number: usize,
}

/// A call of `enqueue` that was accepted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) item: Item,
    pub(crate) key: Key,
    pub(crate) called: Time,
    pub(crate) returned: Time,
}

/// A handler's run, or that of a continuation: step 0, 1 and so on until one is the last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) item: Item,
    pub(crate) step: u32,
    pub(crate) last: bool,
    /// Before the call that took it.
    pub(crate) asked: Time,
    pub(crate) start: Time,
    pub(crate) end: Time,
    /// After its key was given back or handed on.
    pub(crate) released: Time,
}

/// A server asked for any item and got none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Empty {
    pub(crate) asked: Time,
    pub(crate) answered: Time,
}

/// The record of one thread, or of all together.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    pub(crate) arrivals: Vec<Arrival>,
    pub(crate) parts: Vec<Part>,
    pub(crate) empties: Vec<Empty>,
    /// Returned by `abort`.
    pub(crate) handed_back: Vec<Item>,
}

/// Violations of the ordering rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Violation {
    /// O5, O8: it arrived, and neither ran to its end nor was handed back.
    Lost(Item),
    /// O5: it ran, or was handed back, more than once, or without having arrived, or not step by step.
    NotOnce(Item),
    /// O1, O3, O4: two that conflict ran at once.
    Overlap(Item, Item),
    /// O1, O3: two that conflict, and the younger ran first.
    Overtaken { older: Item, younger: Item },
    /// O7: a server got nothing although this item could be dispatched all the time.
    Idle(Item),
}

/// An item from the start of its first step to the end of its last one.
#[derive(Clone, Copy, Debug)]
struct Run {
    arrival: Arrival,
    asked: Time,
    start: Time,
    end: Time,
    released: Time,
}

impl History {
    pub(crate) fn merge(logs: impl IntoIterator<Item = Self>) -> Self {
        logs.into_iter().fold(Self::default(), |mut all, log| {
            all.arrivals.extend(log.arrivals);
            all.parts.extend(log.parts);
            all.empties.extend(log.empties);
            all.handed_back.extend(log.handed_back);
            all
        })
    }

    /// O1, O3, O4, O5 and O8 hold.
    pub(crate) fn check(&self) -> Result<(), Violation> {
        let mut runs = self.runs()?;
        runs.sort_unstable_by_key(|run| run.start);
        check_keys(&runs)?;
        check_sequential(&runs)
    }

    /// O7 holds too: for runs in which an item is taken only to be run at once, and by a server that may take any.
    pub(crate) fn check_work_conservation(&self) -> Result<(), Violation> {
        let runs = self.runs()?;
        for empty in &self.empties {
            let could_go = |run: &&Run| {
                let waited = run.arrival.returned < empty.asked && run.asked > empty.answered;
                waited && !runs.iter().any(|other| other.may_block(run, empty.asked))
            };
            if let Some(run) = runs.iter().find(could_go) {
                return Err(Violation::Idle(run.arrival.item));
            }
        }
        Ok(())
    }

    /// O5: every arrival with its one run.
    fn runs(&self) -> Result<Vec<Run>, Violation> {
        let mut parts: BTreeMap<Item, Vec<Part>> = BTreeMap::new();
        self.parts.iter().for_each(|part| parts.entry(part.item).or_default().push(*part));
        let mut back: HashMap<Item, usize> = HashMap::new();
        self.handed_back.iter().for_each(|item| *back.entry(*item).or_default() += 1);
        let mut runs = Vec::new();
        for arrival in &self.arrivals {
            let item = arrival.item;
            match (parts.remove(&item), back.remove(&item)) {
                (None, None) => return Err(Violation::Lost(item)),
                (None, Some(1)) => {}
                (Some(parts), None) => runs.push(one_run(*arrival, parts)?),
                // It was handed back as a continuation: it has run up to there.
                (Some(parts), Some(1)) if parts.iter().all(|part| !part.last) => {
                    runs.push(run_of(*arrival, parts)?);
                }
                _ => return Err(Violation::NotOnce(item)),
            }
        }
        match parts.into_keys().chain(back.into_keys()).next() {
            Some(item) => Err(Violation::NotOnce(item)),
            None => Ok(runs),
        }
    }
}

fn one_run(arrival: Arrival, parts: Vec<Part>) -> Result<Run, Violation> {
    let lasts = parts.iter().filter(|part| part.last).count();
    let run = run_of(arrival, parts)?;
    match lasts {
        0 => Err(Violation::Lost(arrival.item)),
        1 => Ok(run),
        _ => Err(Violation::NotOnce(arrival.item)),
    }
}

fn run_of(arrival: Arrival, mut parts: Vec<Part>) -> Result<Run, Violation> {
    parts.sort_unstable_by_key(|part| part.step);
    let last = parts.len() - 1;
    let in_steps = parts.iter().zip(0..).all(|(part, step)| part.step == step);
    let in_order = parts.windows(2).all(|pair| pair[0].end < pair[1].start && !pair[0].last);
    if !in_steps || !in_order {
        return Err(Violation::NotOnce(arrival.item));
    }
    let (first, last) = (&parts[0], &parts[last]);
    Ok(Run { arrival, asked: first.asked, start: first.start, end: last.end, released: last.released })
}

impl Run {
    /// Whether this one, still unfinished at `time`, may have stood before `other`.
    fn may_block(&self, other: &Self, time: Time) -> bool {
        let (this, that) = (&self.arrival, &other.arrival);
        this.item != that.item
            && self.released > time
            && this.key.conflicts(that.key)
            && !that.is_older_than(this)
    }
}

impl Arrival {
    fn is_older_than(&self, other: &Self) -> bool {
        let by_program = self.item.producer == other.item.producer && self.item.number < other.item.number;
        by_program || self.returned < other.called
    }
}

/// O1: the items of each user key, one at a time and in order.
fn check_keys(runs: &[Run]) -> Result<(), Violation> {
    let mut by_key: HashMap<u64, Vec<&Run>> = HashMap::new();
    for run in runs {
        if let Key::User(key) = run.arrival.key {
            by_key.entry(key).or_default().push(run);
        }
    }
    for runs in by_key.values() {
        if let Some(pair) = runs.windows(2).find(|pair| pair[0].end > pair[1].start) {
            return Err(Violation::Overlap(pair[0].arrival.item, pair[1].arrival.item));
        }
        let mut before = Before::default();
        for run in runs {
            before.may_precede(&run.arrival)?;
            before.add(&run.arrival);
        }
    }
    Ok(())
}

/// O3 and O4: a sequential item overlaps nothing; older items have ended before it, younger ones start after it.
fn check_sequential(runs: &[Run]) -> Result<(), Violation> {
    let mut before = Before::default();
    let mut longest: Option<&Run> = None;
    let mut last_sequential: Option<&Run> = None;
    let mut sequential = Before::default();
    for run in runs {
        let is_sequential = run.arrival.key == Key::Sequential;
        let other = if is_sequential { longest } else { last_sequential };
        if let Some(other) = other.filter(|other| other.end > run.start) {
            return Err(Violation::Overlap(other.arrival.item, run.arrival.item));
        }
        // The others among those before conflict with a sequential one only.
        if is_sequential { &before } else { &sequential }.may_precede(&run.arrival)?;
        before.add(&run.arrival);
        if is_sequential {
            sequential.add(&run.arrival);
            last_sequential = Some(run);
        }
        if longest.is_none_or(|longest| longest.end < run.end) {
            longest = Some(run);
        }
    }
    Ok(())
}

/// The arrivals of earlier runs, as far as they can prove a violation of order.
#[derive(Default)]
struct Before {
    /// The youngest item of each producer.
    youngest: HashMap<usize, Item>,
    /// The arrival that was called last.
    latest: Option<Arrival>,
}

impl Before {
    fn add(&mut self, arrival: &Arrival) {
        let item = arrival.item;
        let youngest = self.youngest.entry(item.producer).or_insert(item);
        *youngest = item.max(*youngest);
        if self.latest.is_none_or(|latest| latest.called < arrival.called) {
            self.latest = Some(*arrival);
        }
    }

    /// None of them is younger than `next`, which conflicts with all of them.
    fn may_precede(&self, next: &Arrival) -> Result<(), Violation> {
        let by_program = self.youngest.get(&next.item.producer).filter(|younger| **younger > next.item);
        let by_time = self.latest.as_ref().filter(|latest| next.is_older_than(latest));
        match by_program.copied().or(by_time.map(|latest| latest.item)) {
            Some(younger) => Err(Violation::Overtaken { older: next.item, younger }),
            None => Ok(()),
        }
    }
}
