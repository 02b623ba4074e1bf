//! The adaptive policy on this host: the processors of a node that run handlers first, and the others, which leave them alone.
//!
//! # Roles
//!
//! Threads stay on their processor, so a *dedicated* processor keeps its threads. Dedicated means handlers first: the processor serves
//! at every poll of its threads and between any two of them. When its threads have ended or wait it only serves; the policy therefore
//! picks the processors that idled most while the node was measured. The other processors of the node *leave events alone* meanwhile:
//! they look for none at polls, between threads, or while they idle and spin. Without a dedicated processor every processor serves.
//!
//! # A change of roles loses no event
//!
//! Roles are advice. A role tells a processor where not to look *for now*. It is one word of the node, read relaxed; a processor that
//! reads it late looks once too often or once too seldom. Correctness does not depend on it:
//!
//! - Every processor may run handlers at any moment: mutual exclusion is by the node's locks and keys, not by roles.
//! - Before it sleeps a processor looks for all events, whatever its role, and so does a processor that wakes up: the message that woke
//!   it has woken no other. So the argument of `parker` covers every processor, and the last to become idle sees exactly what `ending`
//!   needs.
//! - All processors of the node may compute, so all are asked when a right is taken away (`requests`).
//! - A thread that waits for room, or for a key, serves whatever its role.
//!
//! No event waits for ever for a dedicated processor that computes without polling: a processor that leaves events alone still looks at
//! every [`POINTS_PER_READING`]-th opportunity, and after it has idled for its whole spin.
//!
//! # Measuring
//!
//! Measuring needs no thread of its own. Every processor of the node reads the clock at every [`POINTS_PER_READING`]-th opportunity to
//! serve. When an [`INTERVAL_NS`] has passed and no other processor is measuring, it reads the gauges of the node's processors and asks the
//! node's [`Controller`].
//!
//! The progress of a node is the number of events and wake-ups that its processors have handled. The work of threads shows in it only as
//! far as they send messages or wait for some: a thread that only computes is known only to be not idle.
//!
//! A processor that shares its core with others would measure the host's scheduling, and has no core to give to handlers. So in a world
//! with more processors than cores no processor is ever dedicated.
//!
//! This module must never know messages, or the mutual exclusion of handlers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tempest::NodeId;
use tempest::outcome::Adjustment;
use tempest::policy::Servers;
use tempest::world::Launch;
use tempest::world::{Controller, Reading};
use units::Time;

use crate::lock::lock;
use crate::padding::{CachePadded, PaddedCounter, bump};
use crate::parts::gauge::Gauge;
use crate::parts::tuning::{INTERVAL_NS, POINTS_PER_READING};

/// Time between two changes for tests ([`Judging::Restless`]), in nanoseconds: about as long as a batch.
const RESTLESS_NS: u64 = 20_000;

/// Source of the decisions about roles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Judging {
    /// The controller, from measurements.
    #[default]
    Measured,
    /// For tests: every processor in turn, then none, then all but one, whatever the measurements.
    Restless,
}

/// The roles of a node's processors, and the measurements behind them.
pub(crate) struct Adaptive {
    /// Bit set of the dedicated processors, by their number on the node, below 64.
    dedicated: PaddedCounter,
    /// By processor: its looks for events.
    seats: Box<[Seat]>,
    /// Time of the next measurement, in nanoseconds from the start.
    due_ns: PaddedCounter,
    judge: Mutex<Judge>,
}

/// A processor's counters of its looks for events.
#[derive(Default)]
#[repr(align(128))]
struct Seat {
    /// Number of opportunities to serve.
    points: AtomicU64,
    /// Time of looks that found no event, in nanoseconds, estimated from samples.
    looking_ns: AtomicU64,
}

/// Values of a processor's gauge and seat at the last reading.
#[derive(Clone, Copy, Default)]
struct Marks {
    waited_ns: u64,
    serving_ns: u64,
    looking_ns: u64,
    handled: u64,
}

/// State between two readings.
struct Judge {
    node: NodeId,
    judging: Judging,
    controller: Controller,
    /// Start of the interval, in nanoseconds, and every processor's counters then.
    since_ns: u64,
    marks: Vec<Marks>,
    /// Each processor's activity in the last interval.
    did: Vec<Did>,
    /// Number of changes made for tests.
    turns: u64,
    adjustments: Vec<Adjustment>,
}

/// A processor's activity in an interval.
#[derive(Clone, Copy, Default)]
struct Did {
    /// Shares of its time, from 0 to 1.
    idle: f64,
    serving: f64,
    looking: f64,
    /// Events and wake-ups that it handled.
    handled: u64,
}

impl Adaptive {
    /// The roles of a node, if the policy adapts and there are roles to change.
    pub(crate) fn of(launch: &Launch, node: NodeId, judging: Judging, oversubscribed: bool) -> Option<Self> {
        let adapts = launch.policy.servers == Servers::Adaptive && launch.processors > 1;
        let judged = judging == Judging::Restless || !oversubscribed;
        (adapts && judged).then(|| Self::new(node, launch.processors, judging))
    }

    /// The roles of a node with `processors` processors, none of them dedicated.
    fn new(node: NodeId, processors: u32, judging: Judging) -> Self {
        let judge = Judge {
            node,
            judging,
            controller: Controller::new(),
            since_ns: 0,
            marks: vec![Marks::default(); processors as usize],
            did: vec![Did::default(); processors as usize],
            turns: 0,
            adjustments: Vec::new(),
        };
        Self {
            dedicated: PaddedCounter::default(),
            seats: (0..processors).map(|_| Seat::default()).collect(),
            due_ns: CachePadded(AtomicU64::new(judging.interval_ns())),
            judge: Mutex::new(judge),
        }
    }

    /// The changes of roles, in order of time.
    pub(crate) fn adjustments(&self) -> Vec<Adjustment> {
        lock(&self.judge).adjustments.clone()
    }

    /// Whether a processor of the node is dedicated.
    #[inline]
    pub(crate) fn has_dedicated(&self) -> bool {
        self.dedicated.0.load(Ordering::Relaxed) != 0
    }

    /// Whether a processor leaves events to the dedicated ones.
    #[inline]
    pub(crate) fn leaves_events(&self, processor: usize) -> bool {
        let dedicated = self.dedicated.0.load(Ordering::Relaxed);
        dedicated != 0 && !holds(dedicated, processor)
    }

    /// Counts an opportunity of a processor. Returns true at every [`POINTS_PER_READING`]-th.
    #[inline]
    pub(crate) fn count_point(&self, processor: usize) -> bool {
        let points = &self.seats[processor].points;
        bump(points, 1);
        points.load(Ordering::Relaxed).is_multiple_of(POINTS_PER_READING)
    }

    /// Counts a look that found no event, made at a [`POINTS_PER_READING`]-th opportunity, and its time.
    pub(crate) fn count_looking(&self, processor: usize, took_ns: u64) {
        bump(&self.seats[processor].looking_ns, took_ns * POINTS_PER_READING);
    }

    /// Measures, if it is time and no other processor does: by the gauges of all processors, and the number of waiting events of the node.
    pub(crate) fn measure(&self, gauges: &[Arc<Gauge>], waiting: impl FnOnce() -> usize, now: u64) {
        if now < self.due_ns.0.load(Ordering::Relaxed) {
            return;
        }
        let Ok(mut judge) = self.judge.try_lock() else { return };
        self.due_ns.0.store(now + judge.judging.interval_ns(), Ordering::Relaxed);
        let before = self.dedicated.0.load(Ordering::Relaxed);
        if let Some(after) = judge.judge(gauges, waiting, &self.seats, before, now) {
            self.dedicated.0.store(after, Ordering::Relaxed);
        }
    }
}

impl Judging {
    fn interval_ns(self) -> u64 {
        match self {
            Self::Measured => INTERVAL_NS,
            Self::Restless => RESTLESS_NS,
        }
    }
}

impl Judge {
    /// Returns the new set of dedicated processors, if it changes.
    fn judge(
        &mut self,
        gauges: &[Arc<Gauge>],
        waiting: impl FnOnce() -> usize,
        seats: &[Seat],
        dedicated: u64,
        now: u64,
    ) -> Option<u64> {
        if self.judging == Judging::Restless {
            return Some(self.next_turn());
        }
        let elapsed = now.saturating_sub(self.since_ns);
        if elapsed == 0 {
            return None;
        }
        self.read(gauges, seats, now, elapsed);
        let reading = self.reading(waiting(), dedicated, now, elapsed);
        let (count, why) = self.controller.observe(&reading)?;
        let at = Time::from_nanoseconds(now);
        self.adjustments.push(Adjustment { node: self.node, at, dedicated: count, why });
        let idle: Vec<f64> = self.did.iter().map(|did| did.idle).collect();
        Some(choose(dedicated, count, &idle))
    }

    fn next_turn(&mut self) -> u64 {
        self.turns += 1;
        let all = self.marks.len().min(64) as u64;
        match self.turns % (all + 2) {
            0 => 0,
            turn if turn <= all => 1 << (turn - 1),
            _ => lowest(all - 1),
        }
    }

    /// Reads each processor's activity since the last reading.
    fn read(&mut self, gauges: &[Arc<Gauge>], seats: &[Seat], now: u64, elapsed: u64) {
        self.since_ns = now;
        let first = self.node.0 as usize * self.marks.len();
        let gauges = &gauges[first..first + self.marks.len()];
        let own = self.marks.iter_mut().zip(&mut self.did);
        for ((gauge, seat), (mark, did)) in gauges.iter().zip(seats).zip(own) {
            let next = Marks {
                waited_ns: gauge.waited_until(now).total_ns(),
                serving_ns: gauge.serving_ns.load(Ordering::Relaxed),
                looking_ns: seat.looking_ns.load(Ordering::Relaxed),
                handled: gauge.handled.load(Ordering::Relaxed),
            };
            let share = |from: u64, to: u64| (to.saturating_sub(from) as f64 / elapsed as f64).min(1.0);
            *did = Did {
                idle: share(mark.waited_ns, next.waited_ns),
                serving: share(mark.serving_ns, next.serving_ns),
                looking: share(mark.looking_ns, next.looking_ns),
                handled: next.handled - mark.handled,
            };
            *mark = next;
        }
    }

    fn reading(&self, waiting: usize, dedicated: u64, now: u64, elapsed: u64) -> Reading {
        let mean = |of: fn(&Did) -> f64, are_dedicated: bool| {
            let those =
                self.did.iter().enumerate().filter(|(number, _)| holds(dedicated, *number) == are_dedicated);
            let (sum, count) = those.fold((0.0, 0), |(sum, count), (_, did)| (sum + of(did), count + 1));
            if count == 0 { 0.0 } else { sum / f64::from(count) }
        };
        Reading {
            at: Time::from_nanoseconds(now),
            processors: self.marks.len() as u32,
            dedicated: dedicated.count_ones(),
            handlers: mean(|did| did.serving, false),
            looking: mean(|did| did.looking, false),
            idle: mean(|did| did.idle, false),
            protocol: mean(|did| did.serving, true),
            waiting: waiting as f64,
            progress: self.did.iter().map(|did| did.handled).sum::<u64>() as f64 / elapsed as f64,
        }
    }
}

/// Changes the number of dedicated processors to `count`: adds the processors that idled most, and removes the ones with the least.
fn choose(dedicated: u64, count: u32, idle: &[f64]) -> u64 {
    let idle = &idle[..idle.len().min(64)];
    let pick = |mask: u64, are: bool| (0..idle.len()).filter(move |number| holds(mask, *number) == are);
    let more = |a: &usize, b: &usize| idle[*a].total_cmp(&idle[*b]).then(a.cmp(b));
    let mut mask = dedicated;
    while mask.count_ones() < count
        && let Some(number) = pick(mask, false).max_by(more)
    {
        mask |= 1 << number;
    }
    while mask.count_ones() > count
        && let Some(number) = pick(mask, true).min_by(more)
    {
        mask &= !(1 << number);
    }
    mask
}

/// Whether a bit set contains `processor`; false from 64 on.
#[inline]
fn holds(mask: u64, processor: usize) -> bool {
    processor < 64 && mask >> processor & 1 == 1
}

/// The set of the first `count` processors.
fn lowest(count: u64) -> u64 {
    1_u64.checked_shl(count as u32).map_or(u64::MAX, |end| end - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_idle_most_are_dedicated_and_those_that_do_so_least_go_back() {
        let idle = [0.1, 0.7, 0.3];
        assert_eq!(choose(0b000, 1, &idle), 0b010);
        assert_eq!(choose(0b010, 2, &idle), 0b110);
        assert_eq!(choose(0b110, 1, &idle), 0b010);
        assert_eq!(choose(0b010, 0, &idle), 0b000);
    }

    #[test]
    fn only_who_is_not_dedicated_leaves_events_alone_and_only_where_somebody_is() {
        let adaptive = Adaptive::new(NodeId(0), 2, Judging::Measured);
        assert!(!adaptive.leaves_events(0) && !adaptive.leaves_events(1));
        adaptive.dedicated.0.store(0b10, Ordering::Relaxed);
        assert!(adaptive.leaves_events(0) && !adaptive.leaves_events(1));
    }

    #[test]
    fn every_role_has_its_turn_where_they_change_for_no_reason() {
        let adaptive = Adaptive::new(NodeId(0), 3, Judging::Restless);
        let mut judge = lock(&adaptive.judge);
        let turns: Vec<u64> = (0..6).map(|_| judge.next_turn()).collect();
        assert_eq!(turns, [0b001, 0b010, 0b100, 0b011, 0, 0b001]);
    }
}
