//! The curve: the result of each load, the saturation point, and the figures. This module must never know how a load is
//! offered.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use tempest::{Merge, Report};

use super::load::Load;
use super::study::Study;
use crate::kit::arrivals::Arrivals;
use crate::kit::statistics::wait;

/// The least share of the offered throughput that is accepted of a load that is kept up with.
const KEPT: f64 = 0.95;

/// The figure of a curve without a point below saturation: a load to try.
const NONE_BELOW: &str = "no load below saturation: try --input loads=";

/// A load, as the threads offer it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Target {
    /// Messages per second of each sender. In a closed loop it only says how long messages are counted.
    pub(super) rate: f64,
    /// Number of messages that each thread keeps under way, in a closed loop.
    pub(super) window: Option<u32>,
}

/// The result of one load. Rates are messages per second of each sender; latencies are femtoseconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Point {
    pub(super) target: Target,
    pub(super) offered: f64,
    pub(super) accepted: f64,
    pub(super) latency: f64,
    pub(super) half_width: f64,
    pub(super) median: f64,
    pub(super) p99: f64,
    /// The messages of the whole run up to here: made, and handled.
    pub(super) totals: [u64; 2],
}

/// The points of a program's curve, and the study that they are checked against.
#[derive(Debug)]
pub(super) struct Curve {
    study: Arc<Study>,
    /// The mean latency of a lone message, in femtoseconds.
    lone: f64,
    /// The rate per sender that a flood has, in messages per second.
    carried: f64,
    /// The rate per sender that a load of 1 is, in messages per second.
    capacity: f64,
    points: Vec<Point>,
}

impl Curve {
    pub(super) fn new(study: &Arc<Study>, lone: f64, carried: f64, capacity: f64) -> Self {
        Self { study: Arc::clone(study), lone, carried, capacity, points: Vec::new() }
    }

    /// The loads of the input `loads`, ascending.
    pub(super) fn targets(&self) -> Vec<Target> {
        let asked = &self.study.asked;
        if asked.arrivals == Arrivals::Closed {
            // No more can come than there and back in two latencies.
            let under_way = |window: u32| f64::from(window) * f64::from(self.study.threads);
            let most = |window| self.capacity.min(under_way(window) * 1e15 / (2.0 * self.lone));
            let target = |window: &u32| Target { rate: most(*window), window: Some(*window) };
            return asked.windows.0.iter().map(target).collect();
        }
        let rate = |load: &Load| match load {
            Load::Share(share) => share * self.capacity,
            Load::Rate(rate) => rate.messages(asked.size.get()).expect("it was checked"),
        };
        let mut rates: Vec<f64> = asked.loads.all.iter().map(rate).collect();
        rates.sort_by(f64::total_cmp);
        rates.dedup();
        rates.into_iter().map(|rate| Target { rate, window: None }).collect()
    }

    /// Adds the result of a load.
    pub(super) fn add(&mut self, point: Point) {
        let place = self.points.partition_point(|other| other.target.rate <= point.target.rate);
        self.points.insert(place, point);
    }

    /// Whether a load is kept up with.
    fn keeps_up(&self, point: &Point) -> bool {
        let asked = &self.study.asked;
        let between = 1e15 * f64::from(asked.arrivals.at_once()) / self.capacity;
        let counted = point.offered > 0.0;
        counted
            && point.accepted >= KEPT * point.offered
            && point.latency <= asked.bound * (self.lone + between)
    }

    /// The largest load that is kept up with, and the next one above it.
    fn bracket(&self) -> (Option<&Point>, Option<&Point>) {
        let end = self.points.iter().rposition(|point| self.keeps_up(point)).map_or(0, |last| last + 1);
        (end.checked_sub(1).map(|last| &self.points[last]), self.points.get(end))
    }

    /// The load half way between the highest that is kept up with and the next one above it.
    pub(super) fn between(&self) -> Option<Target> {
        let (kept, lost) = self.bracket();
        let low = kept.map_or(0.0, |kept| kept.target.rate);
        Some(Target { rate: (low + lost?.target.rate) / 2.0, window: None })
    }

    /// The report with the curve's figures.
    pub(super) fn report(&self) -> Report {
        let rates = Rates::of(self.study.asked.size.get());
        let time = |femtoseconds: f64| femtoseconds * 1e-6;
        let lost = self.points.iter().find(|point| point.totals[0] != point.totals[1]);
        let mut report = Report::checked(lost.is_none(), || {
            let [made, handled] = lost.map_or([0; 2], |point| point.totals);
            format!("{made} messages were made, and {handled} handled")
        });
        report = report.measured("lone", time(self.lone), "ns", Merge::Max);
        report = rates.add(report, "flood", self.carried);
        report = rates.add(report, "capacity", self.capacity);
        for point in &self.points {
            let row = self.row(point);
            let name = |column: &str| named(format!("{row}.{column}"));
            report = rates.add(report, &format!("{row}.offered"), point.offered);
            report = rates.add(report, &format!("{row}.accepted"), point.accepted);
            let theory = self.theory(point);
            let times = [
                ("latency", Some(point.latency)),
                ("+-", Some(point.half_width)),
                ("median", Some(point.median)),
                ("p99", Some(point.p99)),
                ("theory", theory),
            ];
            for (column, latency) in
                times.into_iter().filter_map(|(column, latency)| Some((column, latency?)))
            {
                report = report.measured(name(column), time(latency), "ns", Merge::Max);
            }
        }
        if self.study.asked.arrivals == Arrivals::Closed { report } else { self.saturation(report, rates) }
    }

    /// The name of a point's row.
    fn row(&self, point: &Point) -> String {
        match point.target.window {
            Some(window) => format!("window[{window}]"),
            None => format!("load[{}]", share(point.target.rate / self.capacity)),
        }
    }

    /// The mean latency by theory, in femtoseconds, where there is one.
    fn theory(&self, point: &Point) -> Option<f64> {
        let asked = &self.study.asked;
        let sources =
            asked.pattern.sources(self.study.space.nodes).filter(|_| asked.arrivals == Arrivals::Poisson)?;
        let service = 1e15 / (self.carried * f64::from(sources));
        let load = point.target.rate / self.carried;
        (load < 1.0).then(|| self.lone + wait(load, service))
    }

    /// Adds where saturation lies.
    fn saturation(&self, mut report: Report, rates: Rates) -> Report {
        let share = |point: &Point| point.target.rate / self.capacity;
        let (kept, lost) = self.bracket();
        if let Some(kept) = kept {
            report = report.figure("saturation", share(kept), Merge::Max);
            report = rates.add(report, "saturation.rate", kept.accepted);
        }
        if let Some(lost) = lost {
            report = report.figure("saturation.below", share(lost), Merge::Max);
        }
        let least = self.targets().first().map_or(0.0, |target| target.rate);
        match (kept, lost) {
            (Some(kept), _) if kept.target.rate >= least => report,
            (_, None) => report,
            (_, Some(lost)) => {
                let low = kept.map_or(lost.target.rate, |kept| kept.target.rate);
                report.figure(NONE_BELOW, low / 2.0 / self.capacity, Merge::Max)
            }
        }
    }
}

/// The units of rates in reports. Rates of messages with bytes are in MB/s. Rates of messages without a payload are in
/// M/s, under names of their own, so that the name of a figure fixes its unit.
#[derive(Clone, Copy)]
struct Rates {
    ending: &'static str,
    scale: f64,
    unit: &'static str,
}

impl Rates {
    /// The way for messages with a payload of this size in bytes.
    fn of(size: u64) -> Self {
        match size {
            0 => Self { ending: ".messages", scale: 1e-6, unit: "M/s" },
            size => Self { ending: "", scale: size as f64 / 1e6, unit: "MB/s" },
        }
    }

    /// Adds a rate of messages each second.
    fn add(self, report: Report, name: &str, rate: f64) -> Report {
        report.measured(named(format!("{name}{}", self.ending)), rate * self.scale, self.unit, Merge::Max)
    }
}

/// A share with up to four digits behind the point.
fn share(share: f64) -> String {
    let text = format!("{share:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A name that lives as long as the process. Each name is kept once.
fn named(name: String) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    match names.get(name.as_str()) {
        Some(name) => name,
        None => {
            let name: &'static str = name.leak();
            names.insert(name);
            name
        }
    }
}
