//! Timed regions: all threads enter together, at no cost to the program.

use tempest::{Breakdown, Counters, PhaseRecord};
use units::Time;

use crate::cluster::Cluster;

/// The regions entered so far, and who waits to enter the next.
#[derive(Debug, Default)]
pub(crate) struct Phases {
    starts: Vec<Start>,
    waiting: Vec<(usize, u32)>,
    entering: &'static str,
}

#[derive(Debug)]
struct Start {
    name: &'static str,
    at: Time,
    counters: Counters,
    breakdown: Breakdown,
}

impl Cluster {
    /// A thread enters the next region. True if it must wait for others.
    ///
    /// # Panics
    /// If threads enter different regions.
    pub(crate) fn enter_phase(&mut self, node: usize, thread: u32, name: &'static str) -> bool {
        let threads: usize = self.nodes.iter().map(|node| node.threads.all.len()).sum();
        if self.measure.phases.waiting.is_empty() {
            self.measure.phases.entering = name;
        }
        let entering = self.measure.phases.entering;
        assert!(entering == name, "phase `{name}` is entered while other threads enter phase `{entering}`");
        if self.measure.phases.waiting.len() + 1 < threads {
            self.measure.phases.waiting.push((node, thread));
            return true;
        }
        self.begin_phase(name);
        for (node, thread) in std::mem::take(&mut self.measure.phases.waiting) {
            self.make_ready(node, thread);
        }
        false
    }

    /// How many threads wait to enter the next region.
    pub(crate) fn phase_arrivals(&self) -> usize {
        self.measure.phases.waiting.len()
    }

    fn begin_phase(&mut self, name: &'static str) {
        let index = self.measure.phases.starts.len() as u32;
        self.record(trace::Event::Phase { index, name });
        let (counters, breakdown) = self.totals();
        self.measure.phases.starts.push(Start { name, at: self.agenda.now, counters, breakdown });
    }

    /// The regions, the last of them ending now.
    pub(crate) fn phase_records(&self) -> Vec<PhaseRecord> {
        let (counters, breakdown) = self.totals();
        let end = Start { name: "", at: self.agenda.now, counters, breakdown };
        let ends = self.measure.phases.starts.iter().skip(1).chain([&end]);
        let record = |(start, end): (&Start, &Start)| PhaseRecord {
            name: start.name,
            time: end.at - start.at,
            counters: end.counters - start.counters,
            breakdown: end.breakdown - start.breakdown,
        };
        self.measure.phases.starts.iter().zip(ends).map(record).collect()
    }

    /// Counts of all processors, and the time of the computing ones, up to now.
    pub(crate) fn totals(&self) -> (Counters, Breakdown) {
        let (mut counters, mut breakdown) = (Counters::default(), Breakdown::default());
        for core in &self.cores {
            counters += core.counters;
            if core.counted {
                breakdown += core.breakdown_at(self.agenda.now);
            }
        }
        (counters, breakdown)
    }
}
