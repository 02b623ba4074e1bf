//! The rule of the adaptive policy: when a node dedicates a processor to handlers, and when that processor
//! computes again.
//!
//! One pure rule serves every world. A world measures its node over an interval and gives the [`Reading`] to
//! the node's [`Controller`]. The world carries out the controller's answer and reports it as an
//! [`Adjustment`]. This module must never know how a world measures, or how it moves a processor from one
//! role to the other.
//!
//! # The rule
//!
//! *When a change is worth a trial.* A handler is the same work on every processor, so a dedicated processor does not
//! save the node any work in handlers. It saves the node the *looking*: polls, and switches between threads and
//! handlers. It costs the node a computing processor.
//!
//! - The first processor is dedicated where looking is a large [share](GAIN) of the time of events, and the
//!   threads' own work [fits](MARGIN) the processors that remain.
//! - The first is also dedicated where events wait while processors compute, and the handlers would keep one
//!   processor [busy](UNUSED) but not [full](FULL). Late answers cost time on other nodes, which no share of
//!   this node's time shows.
//! - Another is dedicated where the dedicated ones are [full](FULL) and [events wait](WAITING).
//! - One is released where the work of all dedicated processors would fit one fewer with room to spare. The
//!   last one is released only where the computing processors have [no idle time](SPARE) left; otherwise
//!   nothing would use it.
//!
//! *Whether the change was right.* No formula knows a program: its threads may not divide evenly among the remaining
//! processors. So every change is a trial. While a change seems worth a trial, and for [a number of intervals](TRIAL)
//! after it is made, the controller records how much work the node gets done ([`Reading::progress`]). It reverts the
//! change if that fell by a [wide](WORSE) margin. Progress from before the change seemed worth a trial is not compared,
//! because the program may have been in another phase then.
//!
//! *How the rule comes to rest.* A change must seem worth a trial for several intervals, and after each change the
//! controller waits for a number of intervals. A change that reverts the previous one doubles that number, so that a
//! load for which no change helps costs ever less, up to [a bound](LONGEST) that keeps the controller able to follow a
//! load that changes. A change in the same direction resets the number to the [first](FIRST).

use std::fmt;

use units::Time;

use crate::NodeId;

/// The share of the computing processors' time for events (handlers and looking) that looking must take before a first
/// processor is dedicated. Below a quarter the gain is smaller than the loss where threads do not divide evenly among
/// the remaining processors.
const GAIN: f64 = 0.25;

/// The spare time, in processors, that the remaining computing processors must have beyond the threads' own work before
/// another processor is dedicated.
const MARGIN: f64 = 0.25;

/// The share of their time for which dedicated processors must be busy before another is dedicated.
const FULL: f64 = 0.8;

/// The share of their time for which the remaining dedicated processors may at most be busy after a dedicated processor
/// is released. It is far enough below [`FULL`] that no processor is dedicated again at once.
const UNUSED: f64 = 0.4;

/// The number of waiting events per computing processor above which events count as queueing: each such processor could
/// take one event at once.
const WAITING: f64 = 1.0;

/// Idle time, in processors. The last dedicated processor computes again when the computing processors together have
/// less idle time than this. It is less than [`MARGIN`], so that the margin which let the processor be dedicated does
/// not release it.
const SPARE: f64 = 0.1;

/// The share by which progress must fall after a change for the change to be reverted. A program does more at
/// some times than at others: a difference of less than a quarter need not be the effect of the change.
const WORSE: f64 = 0.25;

/// The number of consecutive intervals for which a change must seem worth a trial, and the least number of intervals
/// between two changes. The number is above 1, so that one interval does not decide.
const FIRST: usize = 4;

/// The number of intervals after which a change is judged: several times [`FIRST`], because a loop of the program may
/// last longer than that.
const TRIAL: usize = 16;

/// The largest number of intervals between two changes. With this number, trials that fail take a thirty-second part of
/// the time.
const LONGEST: usize = 512;

/// A measurement of one node over one interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reading {
    /// The time at which the interval ended, since the run began.
    pub at: Time,
    /// The number of processors of the node.
    pub processors: u32,
    /// The number of processors that were dedicated to handlers.
    pub dedicated: u32,
    /// The share of the computing processors' time, 0 to 1, that handlers took.
    pub handlers: f64,
    /// The share of the computing processors' time, 0 to 1, that went into looking for events and into switching
    /// between events and threads. The computing processors save this time if other processors run the handlers.
    pub looking: f64,
    /// The share of the computing processors' time, 0 to 1, in which these processors were idle.
    pub idle: f64,
    /// The share of the dedicated processors' time, 0 to 1, that handlers took; 0 if there are no dedicated
    /// processors.
    pub protocol: f64,
    /// The mean number of events that waited to be dispatched.
    pub waiting: f64,
    /// The work that the node got done per unit of time: threads' own work and handlers together. The unit is arbitrary
    /// but the same in all readings; 0 in a world that cannot measure progress.
    pub progress: f64,
}

/// The reason why an adaptive node changes its number of dedicated processors.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Why {
    /// Looking for events, and switching to them, took this share of the time that events took.
    Looking(f64),
    /// The dedicated processors were busy for this share of their time.
    Full(f64),
    /// This number of events waited for a processor, on average.
    Waiting(f64),
    /// The dedicated processors were busy for only this share of their time.
    Unused(f64),
    /// The previous change made things worse: the node's progress since then was this share of its progress before.
    Worse(f64),
}

/// A change of the number of processors that a node dedicates to handlers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Adjustment {
    /// The node whose number of dedicated processors changed.
    pub node: NodeId,
    /// The time of the change, since the run began.
    pub at: Time,
    /// The number of dedicated processors after the change.
    pub dedicated: u32,
    /// The reason for the change.
    pub why: Why,
}

/// A change whose effect has not been judged yet.
#[derive(Clone, Copy, Debug)]
struct Trial {
    /// The number of dedicated processors before the change.
    from: u32,
    /// The mean progress before the change, to be compared with the progress after it.
    before: f64,
}

/// Averages over the intervals since the last change.
#[derive(Clone, Copy, Debug, Default)]
struct Since {
    intervals: usize,
    /// The mean of [`Reading::handlers`] since the last change: over all intervals at first, later over about the last
    /// [`FIRST`] intervals.
    handlers: f64,
    /// The mean of [`Reading::looking`] since the last change: over all intervals at first, later over about the last
    /// [`FIRST`] intervals.
    looking: f64,
    /// The mean of [`Reading::idle`] since the last change: over all intervals at first, later over about the last
    /// [`FIRST`] intervals.
    idle: f64,
    /// The mean of [`Reading::protocol`] since the last change: over all intervals at first, later over about the last
    /// [`FIRST`] intervals.
    protocol: f64,
    /// The mean of [`Reading::waiting`] since the last change: over all intervals at first, later over about the last
    /// [`FIRST`] intervals.
    waiting: f64,
    /// The sum of the progress of all intervals since the last change.
    progress: f64,
}

impl Since {
    fn add(&mut self, reading: &Reading) {
        self.progress += reading.progress;
        self.intervals += 1;
        let weight = 1.0 / self.intervals.min(FIRST) as f64;
        let towards = |mean: &mut f64, value: f64| *mean += (value - *mean) * weight;
        towards(&mut self.handlers, reading.handlers);
        towards(&mut self.looking, reading.looking);
        towards(&mut self.idle, reading.idle);
        towards(&mut self.protocol, reading.protocol);
        towards(&mut self.waiting, reading.waiting);
    }

    /// The mean progress of the intervals since the last change.
    fn progress(&self) -> f64 {
        self.progress / self.intervals as f64
    }
}

/// A change that seems worth a trial, and the number of intervals for which it has.
#[derive(Clone, Copy, Debug, Default)]
struct Wish {
    /// The number of dedicated processors that seems best.
    dedicated: u32,
    /// The number of consecutive intervals in which `dedicated` processors have seemed best.
    intervals: usize,
    /// The sum of the node's progress over the intervals in which `dedicated` processors have seemed best.
    progress: f64,
}

/// The adaptive rule for one node: takes a [`Reading`] of each interval, and answers with changes of the number of
/// processors dedicated to handlers.
#[derive(Clone, Debug)]
pub struct Controller {
    since: Since,
    trial: Option<Trial>,
    /// The least number of intervals from the last change to the next.
    stay: usize,
    wish: Wish,
    /// Whether the last change dedicated one more processor; `None` before the first change.
    rose: Option<bool>,
}

impl Default for Controller {
    fn default() -> Self {
        Self { since: Since::default(), trial: None, stay: FIRST, wish: Wish::default(), rose: None }
    }
}

impl Controller {
    /// Makes the controller of a node without dedicated processors.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the reading of an interval. Returns the new number of dedicated processors and the reason, or `None` for
    /// no change. The next interval begins when the world has carried the change out.
    pub fn observe(&mut self, reading: &Reading) -> Option<(u32, Why)> {
        self.since.add(reading);
        let failed = self.trial.take_if(|_| self.since.intervals == TRIAL);
        let failed = failed.filter(|trial| self.since.progress() < trial.before * (1.0 - WORSE));
        let (dedicated, why) = match failed {
            Some(trial) => (trial.from, Why::Worse(self.since.progress() / trial.before)),
            None => self.lasting(reading)?,
        };
        self.change(reading.dedicated, dedicated, why);
        Some((dedicated, why))
    }

    /// Takes the reading of an interval. Returns the number of dedicated processors that has seemed best for enough
    /// intervals, and the reason, if it differs from the present number.
    fn lasting(&mut self, reading: &Reading) -> Option<(u32, Why)> {
        let better = self.better(reading);
        let dedicated = better.map_or(reading.dedicated, |(dedicated, _)| dedicated);
        if dedicated != self.wish.dedicated {
            self.wish = Wish { dedicated, ..Wish::default() };
        }
        self.wish.intervals += 1;
        self.wish.progress += reading.progress;
        better.filter(|_| self.wish.intervals >= FIRST && self.since.intervals >= self.stay)
    }

    /// The change that seems worth a trial now, if there is one: the new number of dedicated processors, and the
    /// reason.
    fn better(&self, reading: &Reading) -> Option<(u32, Why)> {
        let Reading { processors, dedicated, .. } = *reading;
        let computing = f64::from(processors - dedicated);
        if let Some(why) = self.wants_more(computing, dedicated) {
            return Some((dedicated + 1, why));
        }
        let Since { protocol, .. } = self.since;
        let unused = match dedicated {
            0 => false,
            1 => protocol < UNUSED && computing - self.own(computing) < SPARE,
            more => protocol * f64::from(more) < UNUSED * f64::from(more - 1),
        };
        unused.then(|| (dedicated - 1, Why::Unused(protocol)))
    }

    /// The number of processors, at most `computing`, that the threads' own work keeps busy: the computing processors'
    /// time without handlers, looking and idling. Sampled shares may sum to more than 1, so the result is bounded below
    /// by 0.
    fn own(&self, computing: f64) -> f64 {
        let Since { handlers, looking, idle, .. } = self.since;
        (1.0 - handlers - looking - idle).max(0.0) * computing
    }

    /// The reason to dedicate another processor, if there is one, on a node with `computing` computing and `dedicated`
    /// dedicated processors.
    fn wants_more(&self, computing: f64, dedicated: u32) -> Option<Why> {
        let Since { handlers, looking, protocol, waiting, .. } = self.since;
        let own = self.own(computing);
        if own + MARGIN > computing - 1.0 {
            return None;
        }
        let queues = waiting > WAITING * computing;
        if dedicated > 0 {
            return (protocol > FULL && queues).then_some(Why::Full(protocol));
        }
        let events = handlers + looking;
        if looking > GAIN * events {
            return Some(Why::Looking(looking / events));
        }
        let load = handlers * computing;
        let fills_one = load > UNUSED && load < FULL;
        (fills_one && queues && own > load).then_some(Why::Waiting(waiting))
    }

    fn change(&mut self, from: u32, to: u32, why: Why) {
        let rises = to > from;
        let returns = self.rose.is_some_and(|rose| rose != rises);
        self.stay = if returns { (2 * self.stay).min(LONGEST) } else { FIRST };
        self.rose = Some(rises);
        // A reverted change needs no trial: the node ran that way before.
        let proven = matches!(why, Why::Worse(_));
        let before = self.wish.progress / self.wish.intervals as f64;
        self.trial = (!proven).then_some(Trial { from, before });
        self.since = Since::default();
        self.wish = Wish { dedicated: to, ..Wish::default() };
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Looking(share) => {
                write!(f, "looking for events was {:.0} % of what they took", share * 100.0)
            }
            Self::Full(share) => {
                write!(f, "dedicated processors were busy for {:.0} % of their time", share * 100.0)
            }
            Self::Waiting(events) => write!(f, "{events:.1} events waited on the average"),
            Self::Unused(share) => {
                write!(f, "dedicated processors were busy for only {:.0} % of their time", share * 100.0)
            }
            Self::Worse(share) => {
                write!(
                    f,
                    "since the change before, it got done {:.0} % of what it did until then",
                    share * 100.0
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fields of a [`Reading`]: handlers, looking, idle, protocol, waiting, progress.
    type Measured = [f64; 6];

    /// Readings of four processors without and with a dedicated processor. They look for events as long as they run
    /// handlers; the dedicated processor is busy for 0.7 of its time.
    const LOOKS: [Measured; 2] = [[0.2, 0.2, 0.3, 0.0, 0.0, 1.0], [0.0, 0.0, 0.3, 0.7, 0.0, 1.2]];

    /// Readings of four processors without and with a dedicated processor. They compute, and hardly look for events.
    const COMPUTES: [Measured; 2] = [[0.01, 0.01, 0.0, 0.0, 0.0, 3.9], [0.0, 0.0, 0.0, 0.05, 0.0, 3.0]];

    /// Drives a controller through `intervals`. Returns the interval of each change, from 1, with the change.
    fn drive(processors: u32, intervals: u64, load: impl Fn(u64, usize) -> Measured) -> Vec<(u64, u32, Why)> {
        let (mut controller, mut dedicated, mut changes) = (Controller::new(), 0, Vec::new());
        for interval in 1..=intervals {
            let [handlers, looking, idle, protocol, waiting, progress] = load(interval, dedicated as usize);
            let at = Time::from_microseconds(interval);
            let reading =
                Reading { at, processors, dedicated, handlers, looking, idle, protocol, waiting, progress };
            if let Some((now, why)) = controller.observe(&reading) {
                assert_eq!(now.abs_diff(dedicated), 1, "one at a time");
                dedicated = now;
                changes.push((interval, now, why));
            }
        }
        changes
    }

    #[test]
    fn handlers_alone_are_no_reason() {
        // 0.02 of 0.52 is looking.
        assert_eq!(drive(4, 1000, |_, _| [0.5, 0.02, 0.1, 0.0, 2.0, 1.0]), []);
    }

    #[test]
    fn where_looking_is_half_of_it_one_is_dedicated_and_stays() {
        assert_eq!(drive(4, 1000, |_, dedicated| LOOKS[dedicated]), [(4, 1, Why::Looking(0.5))]);
    }

    #[test]
    fn nobody_is_dedicated_where_threads_would_not_fit_those_left() {
        // Own work 0.7 of four: 2.8 and the margin are more than 3.
        assert_eq!(drive(4, 1000, |_, _| [0.1, 0.2, 0.0, 0.0, 0.0, 1.0]), []);
    }

    #[test]
    fn what_was_worse_is_taken_back_and_tried_ever_less() {
        let slower = [LOOKS[0], [0.0, 0.0, 0.3, 0.7, 0.0, 0.5]];
        let changes = drive(4, 1500, |_, dedicated| slower[dedicated]);
        let at = |dedicated: u32| {
            changes
                .iter()
                .filter(move |change| change.1 == dedicated)
                .map(|change| change.0)
                .collect::<Vec<_>>()
        };
        // Tried for 16 intervals, after 4, 8, 32, 128, and then always 512.
        assert_eq!(at(1), [4, 28, 76, 220, 748, 1276]);
        assert_eq!(at(0), [20, 44, 92, 236, 764, 1292]);
        assert_eq!(changes[1].2, Why::Worse(0.5));
    }

    #[test]
    fn a_change_is_judged_by_the_mean_of_many_intervals() {
        // Before: 1.0. After: 0.5 in three of four intervals, 2.0 or 1.0 in the fourth: 0.875 or 0.625 on the average.
        let load = |fourth| {
            move |interval: u64, dedicated: usize| match (dedicated, interval % 4) {
                (0, _) => LOOKS[0],
                (_, 0) => [0.0, 0.0, 0.3, 0.7, 0.0, fourth],
                _ => [0.0, 0.0, 0.3, 0.7, 0.0, 0.5],
            }
        };
        assert_eq!(drive(4, 1000, load(2.0)).len(), 1);
        assert_eq!(drive(4, 20, load(1.0)), [(4, 1, Why::Looking(0.5)), (20, 0, Why::Worse(0.625))]);
    }

    #[test]
    fn it_follows_a_load_that_changes() {
        let load = |interval: u64, dedicated: usize| match interval {
            101..=200 => COMPUTES[dedicated],
            _ => LOOKS[dedicated],
        };
        let changes: Vec<_> = drive(4, 300, load).iter().map(|&(at, dedicated, _)| (at, dedicated)).collect();
        // Idle time of three processors falls from 0.9 by a quarter an interval: below 0.1 in the eighth, and three more.
        // Own work falls from 3.92 towards 1.2 in the same way: below 2.75 in the second, and three more.
        assert_eq!(changes, [(4, 1), (111, 0), (205, 1)]);
    }

    #[test]
    fn another_is_dedicated_when_those_are_full_and_events_wait() {
        let load = |waiting| {
            move |_: u64, dedicated: usize| match dedicated {
                0 => [0.2, 0.2, 0.3, 0.0, 0.0, 1.0],
                1 => [0.0, 0.0, 0.7, 0.95, waiting, 1.2],
                _ => [0.0, 0.0, 0.4, 0.6, 0.0, 1.5],
            }
        };
        let expected = [(4, 1, Why::Looking(0.5)), (8, 2, Why::Full(0.95))];
        assert_eq!(drive(4, 1000, load(20.0)), expected);
        assert_eq!(drive(4, 1000, load(2.0)), expected[..1]);
    }

    #[test]
    fn the_last_that_computes_goes_on() {
        let full = |_: u64, dedicated: usize| match dedicated {
            0 => [0.2, 0.2, 0.5, 0.0, 0.0, 1.0],
            _ => [0.0, 0.0, 1.0, 1.0, 100.0, 1.0],
        };
        assert_eq!(drive(2, 1000, full).len(), 1);
        assert_eq!(drive(1, 1000, full), []);
        // Shares that are known from samples may come to more than all: 0.9 of handlers and 0.9 of nothing to do.
        let sampled = |interval: u64, dedicated: usize| match dedicated {
            0 => full(interval, 0),
            _ => [0.9, 0.0, 0.9, 1.0, 100.0, 1.0],
        };
        assert_eq!(drive(2, 1000, sampled).len(), 1);
    }

    #[test]
    fn events_that_wait_for_processors_that_compute_are_a_reason_if_they_keep_one_busy() {
        let load = |handlers| {
            move |_: u64, dedicated: usize| match dedicated {
                0 => [handlers, 0.0, 0.3, 0.0, 5.0, 1.0],
                _ => [0.0, 0.0, 0.2, 0.5, 0.0, 1.0],
            }
        };
        // Of four processors: 0.5, 0.2 and 1.0 of one.
        assert_eq!(drive(4, 1000, load(0.125)), [(4, 1, Why::Waiting(5.0))]);
        assert_eq!(drive(4, 1000, load(0.05)), []);
        assert_eq!(drive(4, 1000, load(0.25)), []);
    }
}
