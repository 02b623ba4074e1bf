//! Timed regions: all threads enter one together, at no cost to the program.
//!
//! This module must never know the work in a region, nor how its readings were taken.

use tempest::outcome::{Breakdown, Counters, PhaseRecord, ProtocolTime, Resource};
use tempest::world::expect_region;
use units::Time;

use super::spending::{Booked, Spending};
use super::utilization::BusyTimes;

/// The measurements from the beginning of a run to an instant.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) at: Time,
    pub(crate) counters: Counters,
    /// The booked time of each processor that began as a computing processor.
    pub(crate) booked: Vec<Booked>,
    pub(crate) protocol: Vec<ProtocolTime>,
    pub(crate) busy: BusyTimes,
}

impl Reading {
    /// The breakdown of all processors together.
    pub(crate) fn breakdown(&self) -> Breakdown {
        let mut all = Breakdown::default();
        self.booked.iter().for_each(|core| all += core.breakdown);
        all
    }
}

/// The regions entered since the start, and the threads that wait to enter the next.
#[derive(Debug, Default)]
pub(crate) struct Phases {
    starts: Vec<(&'static str, Reading)>,
    /// The threads that wait to enter the next region, by node and index.
    waiting: Vec<(usize, u32)>,
    entering: &'static str,
}

/// The consequence of a thread's entering a region.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Entry {
    /// The thread waits for other threads.
    Waits,
    /// The thread is the last to enter. The region begins, and the other threads go on.
    Begins {
        /// The number of the region, in the order of first entry.
        index: u32,
        /// The threads that waited, by node and index.
        waiting: Vec<(usize, u32)>,
    },
}

impl Phases {
    /// Lets a thread of a node enter the next region. The run has `threads` threads.
    ///
    /// # Panics
    /// If threads enter different regions, or more than a run may have.
    pub(crate) fn enter(&mut self, node: usize, thread: u32, name: &'static str, threads: usize) -> Entry {
        if self.waiting.is_empty() {
            self.entering = name;
        }
        let entering = self.entering;
        assert!(entering == name, "phase `{name}` is entered while other threads enter phase `{entering}`");
        if self.waiting.len() + 1 < threads {
            self.waiting.push((node, thread));
            return Entry::Waits;
        }
        expect_region(self.starts.len(), name);
        Entry::Begins { index: self.starts.len() as u32, waiting: std::mem::take(&mut self.waiting) }
    }

    /// Begins a region with this reading.
    pub(crate) fn begin(&mut self, name: &'static str, reading: Reading) {
        self.starts.push((name, reading));
    }

    /// The name of the region that was entered last.
    pub(crate) fn current(&self) -> Option<&'static str> {
        self.starts.last().map(|(name, _)| *name)
    }

    /// The number of threads that wait to enter the next region.
    pub(crate) fn arrivals(&self) -> usize {
        self.waiting.len()
    }

    /// The records of all regions, the last of which ends with this reading. `name` names a part of the machine by its kind and
    /// its place in that kind.
    pub(crate) fn records(
        &self,
        end: &Reading,
        name: impl Fn(Resource, usize) -> String,
    ) -> Vec<PhaseRecord> {
        let mut spending = vec![Spending::default(); end.booked.len()];
        let mut spent = |from: &Reading, to: &Reading| {
            let cores = spending.iter_mut().zip(from.booked.iter().zip(&to.booked));
            let mut all = Breakdown::default();
            cores.for_each(|(core, (from, to))| all += core.between(from, to));
            all
        };
        let ends = self.starts.iter().skip(1).map(|(_, reading)| reading).chain([end]);
        let record = |((region, start), end): (&(&'static str, Reading), &Reading)| PhaseRecord {
            name: region,
            time: end.at - start.at,
            counters: end.counters - start.counters,
            breakdown: spent(start, end),
            protocol: end.protocol.iter().zip(&start.protocol).map(|(end, start)| end.since(start)).collect(),
            utilization: end.busy.since(Some(&start.busy), &name),
        };
        self.starts.iter().zip(ends).map(record).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(at: u64, handlers: u64, compute: u64) -> Reading {
        Reading {
            at: Time::from_nanoseconds(at),
            counters: Counters { handlers, ..Counters::default() },
            booked: vec![Booked {
                at: Time::from_nanoseconds(at),
                breakdown: Breakdown {
                    compute: Time::from_nanoseconds(compute).into(),
                    ..Breakdown::default()
                },
                idle: Time::ZERO,
            }],
            protocol: Vec::new(),
            busy: BusyTimes::default(),
        }
    }

    #[test]
    fn a_region_begins_when_the_last_thread_has_come() {
        let mut phases = Phases::default();
        assert_eq!(phases.enter(0, 0, "solve", 3), Entry::Waits);
        assert_eq!(phases.enter(1, 0, "solve", 3), Entry::Waits);
        assert_eq!(phases.arrivals(), 2);
        let begins = Entry::Begins { index: 0, waiting: vec![(0, 0), (1, 0)] };
        assert_eq!(phases.enter(0, 1, "solve", 3), begins);
        phases.begin("solve", reading(5, 1, 2));
        assert_eq!(phases.current(), Some("solve"));
        assert_eq!(phases.enter(0, 1, "gather", 1), Entry::Begins { index: 1, waiting: Vec::new() });
    }

    #[test]
    #[should_panic(expected = "phase `gather` is entered while other threads enter phase `solve`")]
    fn threads_enter_one_region() {
        let mut phases = Phases::default();
        phases.enter(0, 0, "solve", 2);
        phases.enter(0, 1, "gather", 2);
    }

    #[test]
    fn a_region_has_what_was_measured_between_its_ends() {
        let mut phases = Phases::default();
        phases.begin("solve", reading(10, 3, 4));
        phases.begin("gather", reading(30, 8, 5));
        let records = phases.records(&reading(37, 9, 11), |_, _| String::new());
        let seen: Vec<_> = records
            .iter()
            .map(|one| (one.name, one.time, one.counters.handlers, one.breakdown.compute))
            .collect();
        let ns = Time::from_nanoseconds;
        assert_eq!(seen, [("solve", ns(20), 5, ns(1).into()), ("gather", ns(7), 1, ns(6).into())]);
    }
}
