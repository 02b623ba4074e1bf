//! The adaptive policy's judgement: when a node dedicates a processor to handlers, and when it takes one back.
//!
//! One pure rule for every world. A world measures what its node did in an interval and gives the [`Reading`] to the node's
//! [`Controller`]; what that answers the world does, and reports as an [`Adjustment`]. This module must never know how a
//! world measures, or how it moves a processor from one role to the other.
//!
//! # The rule
//!
//! *When a change is worth trying.* A handler is the same work whoever runs it, so a dedicated processor does not save it. What it
//! saves its node is *looking*: polls, and changes between threads and handlers. And what it costs is a processor. So the first
//! is tried where looking is a good [part](GAIN) of what events take, and the threads' own work [fits](MARGIN) the processors that
//! are left; another where those dedicated are [full](FULL) and [events wait](WAITING) for them. The first is also tried where
//! processors compute while events wait, and these would keep one processor [busy](UNUSED) but not [full](FULL): answers that
//! come late cost time on other nodes, which no share of this one's time shows. A dedicated processor is taken back where what
//! all of them do would fit one fewer with room to spare; the last of them only where those that compute have [no time](SPARE)
//! left, since nobody else would do anything with it.
//!
//! *Whether it was.* No formula knows a program: threads may not divide evenly among the processors that are left. So every
//! change is a trial. While it seemed worth it, and then [as long](TRIAL) after it, the controller notes how much the node gets
//! done ([`Reading::progress`]), and it goes back where that became much [less](WORSE). What was before a change seemed worth it
//! is not compared: the program may have done something else.
//!
//! *How it comes to rest.* What is tried has seemed worth it for some intervals, and after each change the controller looks on
//! for a number of them. Each change that takes back the one before doubles that number, so that a load on which nothing is
//! right costs ever less, up to [a bound](LONGEST), which keeps it able to follow a load that changes; each change in the same
//! direction makes it the [first](FIRST) again.

use std::fmt;

use units::Time;

use crate::NodeId;

/// Of what events take of the computing processors' time: what share of it must be looking before one is dedicated. Below a
/// quarter, what is won is less than what is lost where threads do not divide evenly among the processors left.
const GAIN: f64 = 0.25;

/// Of a processor's time: by how much the threads' own work must be less than what the processors left can do.
const MARGIN: f64 = 0.25;

/// Of their time: how busy dedicated processors are before there is one more.
const FULL: f64 = 0.8;

/// Of the time of those that would stay: how busy they would be, at most, when one is taken back. Far enough from [`FULL`] that
/// one more is not wanted at once.
const UNUSED: f64 = 0.4;

/// Events that wait, for each computing processor, from which on they queue: every one of them could have one at once.
const WAITING: f64 = 1.0;

/// Of a processor's time: how much of it those that compute must have left for a dedicated one to be of no use to them. Less than
/// [`MARGIN`], so that what made room for it does not take it back.
const SPARE: f64 = 0.1;

/// By what share less must be done after a change than before for the change to be taken back. A program has times of its own
/// in which it does more and less: what differs by less than a quarter need not be the change's doing.
const WORSE: f64 = 0.25;

/// Intervals for which a wish must last, and from one change to the next at first: so many that one does not decide.
const FIRST: usize = 4;

/// Intervals after a change until it is judged: some times [`FIRST`], since programs go round in loops longer than that.
const TRIAL: usize = 16;

/// Intervals from one change to the next, at most: a trial that fails is then a thirty-second part of the time.
const LONGEST: usize = 512;

/// What a node did in an interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reading {
    /// When the interval ended, since the run began.
    pub at: Time,
    /// Processors of the node.
    pub processors: u32,
    /// Of those, how many were dedicated to handlers.
    pub dedicated: u32,
    /// Share of the computing processors' time, 0 to 1, that handlers took.
    pub handlers: f64,
    /// Share of the computing processors' time, 0 to 1, that went into looking for events, and into changing between them and
    /// threads: what they would be spared if others ran the handlers.
    pub looking: f64,
    /// Share of the computing processors' time, 0 to 1, in which they had nothing to do.
    pub idle: f64,
    /// Share of the dedicated processors' time, 0 to 1, that handlers took; 0 where there are none.
    pub protocol: f64,
    /// Events that waited to be dispatched, on the average over the interval.
    pub waiting: f64,
    /// How much the node got done for each unit of time, threads' own work and handlers alike, in any unit that is the same
    /// in all readings; 0 in a world that cannot say.
    pub progress: f64,
}

/// Why a controller decided as it did.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Why {
    /// Looking for events and changing to them was this share of what they took.
    Looking(f64),
    /// Dedicated processors were busy for this share of their time.
    Full(f64),
    /// So many events waited, on the average.
    Waiting(f64),
    /// Dedicated processors were busy for this share of their time only.
    Unused(f64),
    /// The change before was for the worse: this share of what the node got done before it, it got done after it.
    Worse(f64),
}

/// A change that was made on a node.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Adjustment {
    /// The node.
    pub node: NodeId,
    /// When, since the run began.
    pub at: Time,
    /// How many of its processors are dedicated from then on.
    pub dedicated: u32,
    /// Why.
    pub why: Why,
}

/// A change that has not proved itself.
#[derive(Clone, Copy, Debug)]
struct Trial {
    /// Dedicated processors before it.
    from: u32,
    /// The mean progress before it.
    before: f64,
}

/// What the intervals since a change were like.
#[derive(Clone, Copy, Debug, Default)]
struct Since {
    intervals: usize,
    /// Of all of them on the average, later of about the last [`FIRST`].
    handlers: f64,
    looking: f64,
    idle: f64,
    protocol: f64,
    waiting: f64,
    /// Of all, their sum.
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

    /// What got done in them, on the average.
    fn progress(&self) -> f64 {
        self.progress / self.intervals as f64
    }
}

/// What seems worth trying.
#[derive(Clone, Copy, Debug, Default)]
struct Wish {
    /// So many dedicated processors.
    dedicated: u32,
    /// In so many intervals, one after the other.
    intervals: usize,
    /// Of those, the sum.
    progress: f64,
}

/// Decides for one node.
#[derive(Clone, Debug)]
pub struct Controller {
    since: Since,
    trial: Option<Trial>,
    /// Intervals to look on after a change.
    stay: usize,
    wish: Wish,
    /// Whether the last change dedicated one more; `None` before there was one.
    rose: Option<bool>,
}

impl Default for Controller {
    fn default() -> Self {
        Self { since: Since::default(), trial: None, stay: FIRST, wish: Wish::default(), rose: None }
    }
}

impl Controller {
    /// For a node that has dedicated no processor yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many processors are to be dedicated from now on and why, if that changes. The intervals of readings begin when the
    /// change before has been made.
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

    /// What has seemed worth trying for long enough.
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

    /// What seems worth trying.
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

    /// How many processors the threads' own work takes: what is left of their time. Shares known from samples may come to more
    /// than all of it.
    fn own(&self, computing: f64) -> f64 {
        let Since { handlers, looking, idle, .. } = self.since;
        (1.0 - handlers - looking - idle).max(0.0) * computing
    }

    /// Why one of the `computing` processors should be dedicated too.
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
        // What was taken back needs no proof: it was so before.
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

    /// A node in one interval: handlers, looking, idle, protocol, waiting, progress.
    type Measured = [f64; 6];

    /// Four processors that look for as long as they handle: a dedicated one is busy for 0.7 of its time.
    const LOOKS: [Measured; 2] = [[0.2, 0.2, 0.3, 0.0, 0.0, 1.0], [0.0, 0.0, 0.3, 0.7, 0.0, 1.2]];

    /// Four processors that compute, and hardly look.
    const COMPUTES: [Measured; 2] = [[0.01, 0.01, 0.0, 0.0, 0.0, 3.9], [0.0, 0.0, 0.0, 0.05, 0.0, 3.0]];

    /// Drives a controller through `intervals`: what changed at which of them, from 1.
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
