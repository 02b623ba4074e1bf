//! The adaptive policy on this host: which processors of a node run its handlers first, and which leave them alone.
//!
//! # Roles
//!
//! Threads stay on their processor, so one that is *dedicated* keeps those that it has. To be dedicated means handlers
//! first: it serves at every poll of its threads and between any two of them. Where its threads have ended, or wait, it does
//! nothing else, and it is such processors that are chosen: those that idled most while the node was measured. The other
//! processors of the node *leave events alone* meanwhile: their polls and the moments between their threads do not look for
//! any, nor do they while they idle and spin. Where nobody is dedicated every processor serves.
//!
//! # Why a change of roles loses nothing
//!
//! Roles are advice. A role says where a processor does not look *for now*; it is one word of the node, read relaxed, and who
//! reads it late looks too early or once too seldom. What correctness rests on takes no notice of it:
//!
//! - Every processor may run handlers at any moment: the node's locks and keys exclude, not roles.
//! - Before it lies down a processor looks at all there is, whatever its role, and so does one that gets up: a message that
//!   has woken it has woken nobody else. So every processor is one of those that `berth` speaks of, and the last to become
//!   idle sees exactly what `ending` says.
//! - All processors of the node may compute, so all are asked when a right is taken away (`requests`).
//! - A thread that waits for room, or for a key, serves whatever its role.
//!
//! Nobody waits for ever for a dedicated processor that computes and does not poll: one that leaves events alone looks all the
//! same at every [`POINTS`]-th point at which it could, and when it has idled for as long as it spins.
//!
//! # Measuring
//!
//! There is no thread for it. Whichever processor of the node comes to a point where it might serve looks at the clock at every
//! [`POINTS`]-th of them; when an [`INTERVAL_NS`] has passed, and nobody else does it at the moment, it reads the gauges of the
//! node's processors and asks the node's [`Controller`].
//!
//! What a node gets done is told by the events and the wake-ups that its processors have dealt with. Threads' own work shows in
//! it as far as they send messages, or wait for some: of a thread that only computes nothing is known but that it is not idle.
//!
//! A processor that shares its core with others measures how the host divides it, and has no core to give to handlers: where
//! a world has more processors than the host has cores, nobody is ever dedicated.
//!
//! This module must never know messages, or how handlers exclude each other.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tempest::policy::Servers;
use tempest::world::{Controller, Reading};
use tempest::{Adjustment, Launch, NodeId};
use units::Time;

use crate::apart::{Alone, Apart, bump};
use crate::lock::lock;
use crate::measure::gauge::Gauge;

/// Points where a processor might serve between two looks at the clock: a look costs as much as a handler, a point that
/// finds nothing a few loads.
const POINTS: u64 = 64;

/// Between two readings. Times of handlers are known from samples, one batch in sixteen, of a few microseconds: so that an
/// interval has some dozens of them. What a change costs, caches that fill again, is a hundredth of it.
const INTERVAL_NS: u64 = 1_000_000;

/// Between two changes, where they are made for no reason: about what a batch takes.
const RESTLESS_NS: u64 = 20_000;

/// Who says what is dedicated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Judging {
    /// The controller, from what was measured.
    #[default]
    Measured,
    /// For tests: every processor in turn, then none, then all but one, whatever was measured.
    Restless,
}

/// The roles of a node's processors, and what they come of.
pub(crate) struct Adaptive {
    /// A bit for each processor that is dedicated, by its number on the node: one of the first 64.
    dedicated: Apart,
    /// Per processor.
    seats: Box<[Seat]>,
    /// When to measure next, in nanoseconds from the start.
    due_ns: Apart,
    judge: Mutex<Judge>,
}

/// What a processor counts of its looks for events.
#[derive(Default)]
#[repr(align(128))]
struct Seat {
    /// Points where it might have served.
    points: AtomicU64,
    /// What looks took that found nothing, in nanoseconds, known from samples.
    looking_ns: AtomicU64,
}

/// What a processor's gauge and seat had counted.
#[derive(Clone, Copy, Default)]
struct Marks {
    waited_ns: u64,
    serving_ns: u64,
    looking_ns: u64,
    handled: u64,
}

/// What is remembered from one reading to the next.
struct Judge {
    node: NodeId,
    judging: Judging,
    controller: Controller,
    /// When the interval began, and what every processor had counted by then.
    since_ns: u64,
    marks: Vec<Marks>,
    /// What each did in the last interval.
    did: Vec<Did>,
    /// Changes for no reason.
    turns: u64,
    adjustments: Vec<Adjustment>,
}

/// What a processor did in an interval.
#[derive(Clone, Copy, Default)]
struct Did {
    /// Shares of its time, 0 to 1.
    idle: f64,
    serving: f64,
    looking: f64,
    /// Events and wake-ups that it dealt with.
    handled: u64,
}

impl Adaptive {
    /// For a node of a run, where the policy adapts and there is something to change.
    pub(crate) fn of(launch: &Launch, node: NodeId, judging: Judging, oversubscribed: bool) -> Option<Self> {
        let adapts = launch.policy.servers == Servers::Adaptive && launch.processors > 1;
        let judged = judging == Judging::Restless || !oversubscribed;
        (adapts && judged).then(|| Self::new(node, launch.processors, judging))
    }

    /// For a node with so many processors, none of which is dedicated.
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
            dedicated: Apart::default(),
            seats: (0..processors).map(|_| Seat::default()).collect(),
            due_ns: Alone(AtomicU64::new(judging.interval_ns())),
            judge: Mutex::new(judge),
        }
    }

    /// What was done, in order of time.
    pub(crate) fn adjustments(&self) -> Vec<Adjustment> {
        lock(&self.judge).adjustments.clone()
    }

    /// Whether any processor is dedicated.
    #[inline]
    pub(crate) fn has_dedicated(&self) -> bool {
        self.dedicated.0.load(Ordering::Relaxed) != 0
    }

    /// Whether a processor is to leave events to others.
    #[inline]
    pub(crate) fn leaves_events(&self, processor: usize) -> bool {
        let dedicated = self.dedicated.0.load(Ordering::Relaxed);
        dedicated != 0 && !holds(dedicated, processor)
    }

    /// Counts a point of a processor; true at every [`POINTS`]-th.
    #[inline]
    pub(crate) fn count_point(&self, processor: usize) -> bool {
        let points = &self.seats[processor].points;
        bump(points, 1);
        points.load(Ordering::Relaxed).is_multiple_of(POINTS)
    }

    /// Counts a look of a processor, at a [`POINTS`]-th point, that took so long and found nothing.
    pub(crate) fn count_looking(&self, processor: usize, took_ns: u64) {
        bump(&self.seats[processor].looking_ns, took_ns * POINTS);
    }

    /// Measures, if that is due and nobody else does: by the gauges of all processors, and the events of the node that wait.
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
    /// Who is to be dedicated from now on, if that changes.
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

    /// What each processor did since the last time.
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

/// So many processors dedicated, where `dedicated` are: those that idled most are added, those that did so least go back.
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

/// Whether a set of the first 64 processors has one.
#[inline]
fn holds(mask: u64, processor: usize) -> bool {
    processor < 64 && mask >> processor & 1 == 1
}

/// The set of the `count` first processors.
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
