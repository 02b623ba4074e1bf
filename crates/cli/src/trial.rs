//! One combination of program, machine and policy: made ready, run, repeated, measured.

use tempest::policy::Split;
use tempest::{Failure, Launch, Outcome, Policy, Shape};
use units::Time;

use crate::host::Host;
use crate::request::Request;

/// The most program threads of a run: each has a stack, and programs make room for each before a world is asked.
const MAX_THREADS: u32 = 1 << 20;

/// A combination, ready to run.
pub(crate) struct Trial<'a> {
    pub(crate) host: &'a Host,
    pub(crate) launch: Launch,
    /// The roles of a node's processors.
    pub(crate) split: Split,
}

impl<'a> Trial<'a> {
    /// Makes a combination ready.
    ///
    /// # Errors
    /// Why the program or the policy cannot run in this shape.
    pub(crate) fn new(
        request: &Request,
        host: &'a Host,
        policy: &Policy,
        (nodes, processors): (u32, u32),
    ) -> Result<Self, String> {
        let split = policy.split(processors)?;
        let threads = split.computing.saturating_mul(request.threads);
        if threads.saturating_mul(nodes) > MAX_THREADS {
            return Err(format!(
                "{nodes} nodes of {threads} threads: expected at most {MAX_THREADS} threads in all"
            ));
        }
        let launch = Launch {
            job: request.instance.job(Shape { nodes, threads }, request.seed)?,
            nodes,
            processors,
            threads: request.threads,
            policy: policy.clone(),
            seed: request.seed,
            stall_limit: request.stall_limit,
        };
        Ok(Self { host, launch, split })
    }

    /// Runs it once.
    ///
    /// # Errors
    /// As [`tempest::World::run`].
    pub(crate) fn run(&self) -> Result<Outcome, Failure> {
        self.host.run(&self.launch)
    }

    /// Whether processors outnumber the cores of the host, so that they take turns.
    pub(crate) fn oversubscribed(&self) -> bool {
        let processors = u64::from(self.launch.nodes) * u64::from(self.split.computing + self.split.dedicated);
        self.host.cores().is_some_and(|cores| processors > cores as u64)
    }

    /// What came of several runs.
    ///
    /// # Errors
    /// If a model did not repeat itself.
    pub(crate) fn measured(&self, runs: Vec<Outcome>) -> Result<Measured, Failure> {
        if self.host.is_model() && runs.iter().any(|run| identity(run) != identity(&runs[0])) {
            return Err(Failure::Program("the same run of a model came out differently".to_owned()));
        }
        Ok(Measured::of(runs))
    }
}

/// What must be the same whenever a model runs the same.
fn identity(run: &Outcome) -> (Time, Option<u64>, bool) {
    (run.time, run.digest, run.report.verified())
}

/// What came of running a combination.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    /// The run of median time (of two in the middle, the faster), or the first that was not verified.
    pub(crate) outcome: Outcome,
    /// How often it ran.
    pub(crate) repeat: usize,
    /// Shortest and longest time.
    pub(crate) spread: (Time, Time),
}

impl Measured {
    /// Of runs that all ended; at least one.
    fn of(mut runs: Vec<Outcome>) -> Self {
        runs.sort_by_key(|run| headline(run).time);
        let repeat = runs.len();
        let spread = (headline(&runs[0]).time, headline(&runs[repeat - 1]).time);
        let wrong = runs.iter().position(|run| !run.report.verified());
        let outcome = runs.swap_remove(wrong.unwrap_or((repeat - 1) / 2));
        Self { outcome, repeat, spread }
    }

    /// The time that counts.
    pub(crate) fn time(&self) -> Time {
        headline(&self.outcome).time
    }

    /// Whether every run was verified.
    pub(crate) fn verified(&self) -> bool {
        self.outcome.report.verified()
    }
}

/// The part of a run by which it is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Headline {
    /// The name of the timed region; `None`: the whole run.
    pub(crate) phase: Option<&'static str>,
    pub(crate) time: Time,
    /// Messages sent in it.
    pub(crate) messages: u64,
    /// Bytes sent in it.
    pub(crate) bytes: u64,
}

/// The first timed region, which is the one that a program is about; without any, the whole run.
pub(crate) fn headline(outcome: &Outcome) -> Headline {
    let (phase, time, counters) = match outcome.phases.first() {
        Some(phase) => (Some(phase.name), phase.time, &phase.counters),
        None => (None, outcome.time, &outcome.counters),
    };
    Headline { phase, time, messages: counters.messages, bytes: counters.volume.total() }
}

/// What was wrong with an answer, in a few lines; `None` if nothing was.
pub(crate) fn complaint(outcome: &Outcome) -> Option<String> {
    /// More lines than this say nothing new.
    const LISTED: usize = 8;
    let report = &outcome.report;
    if report.verified() {
        return None;
    }
    if report.failures.is_empty() {
        return Some("nothing was checked".to_owned());
    }
    let mut lines: Vec<_> = report.failures.iter().take(LISTED).cloned().collect();
    if report.failures.len() > LISTED {
        lines.push(format!("and {} more", report.failures.len() - LISTED));
    }
    Some(lines.join("\n  "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempest::{Breakdown, Counters, Dispatching, PhaseRecord, Report, Utilization};

    fn run(nanoseconds: u64, right: bool) -> Outcome {
        let time = Time::from_nanoseconds(nanoseconds);
        let (counters, breakdown) = (Counters::default(), Breakdown::default());
        Outcome {
            time: time * 3,
            phases: vec![PhaseRecord { name: "solve", time, counters, breakdown }],
            counters,
            breakdown,
            utilization: Utilization::default(),
            dispatching: Dispatching::default(),
            events: None,
            digest: None,
            report: Report::checked(right, || "1 is not 2".to_owned()),
        }
    }

    #[test]
    fn the_median_stands_for_all_runs() {
        let measured = Measured::of([50, 10, 30, 20].map(|time| run(time, true)).to_vec());
        assert_eq!(measured.time(), Time::from_nanoseconds(20));
        assert_eq!(measured.spread, (Time::from_nanoseconds(10), Time::from_nanoseconds(50)));
        assert!(measured.verified() && complaint(&measured.outcome).is_none());
    }

    #[test]
    fn one_wrong_run_makes_all_wrong() {
        let measured = Measured::of(vec![run(1, true), run(2, true), run(9, false)]);
        assert!(!measured.verified());
        assert_eq!(complaint(&measured.outcome).unwrap(), "1 is not 2");
    }
}
