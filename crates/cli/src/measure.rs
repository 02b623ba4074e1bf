//! Runs one combination of program, machine and policy, as often as asked, and keeps every outcome.

use programs::{Entry, Instance};
use tempest::{Failure, Launch, Outcome, Policy, Shape};
use units::Time;

use crate::arguments::Common;
use crate::target::{self, Target};
use crate::{Problem, input};

/// The most program threads of a run.
const MAX_THREADS: u32 = 1 << 20;

/// A program with its inputs, checked.
pub(crate) struct Subject {
    pub(crate) entry: &'static Entry,
    pub(crate) instance: Box<dyn Instance>,
    pub(crate) mechanism: &'static str,
}

impl Subject {
    /// What the command line asks for.
    pub(crate) fn find(common: &Common) -> Result<Self, Problem> {
        let entry = programs::find(&common.program).map_err(Problem::wrong)?;
        let mechanism = entry.mechanisms.iter().find(|name| **name == common.mechanism).ok_or_else(|| {
            let known = entry.mechanisms.join(", ");
            Problem::wrong(format!(
                "mechanism `{}`: expected one of {known} for `{}`",
                common.mechanism, entry.name
            ))
        })?;
        let given = input::given(entry, &common.inputs)?;
        let instance = (entry.load)(&given).map_err(Problem::Wrong)?;
        Ok(Self { entry, instance, mechanism })
    }
}

/// One combination to be run.
pub(crate) struct Setting<'a> {
    pub(crate) subject: &'a Subject,
    pub(crate) target: &'a Target,
    pub(crate) nodes: u32,
    pub(crate) processors: u32,
    pub(crate) threads: u32,
    pub(crate) policy: Policy,
    pub(crate) seed: u64,
    pub(crate) stall_limit: Option<Time>,
}

/// What came of a combination: at least one outcome, by time, the fastest first.
pub(crate) struct Measured {
    outcomes: Vec<Outcome>,
}

impl Setting<'_> {
    /// Runs it `repeat` times.
    pub(crate) fn measure(&self, repeat: u32) -> Result<Measured, Problem> {
        let mut outcomes = (0..repeat).map(|_| self.once()).collect::<Result<Vec<_>, _>>()?;
        outcomes.sort_by_key(Outcome::timed);
        Ok(Measured { outcomes })
    }

    fn once(&self) -> Result<Outcome, Problem> {
        let split = self.policy.split(self.processors).map_err(Problem::wrong)?;
        let shape = self.shape(split.computing)?;
        let launch = Launch {
            job: self.subject.instance.job(shape, self.seed).map_err(Problem::wrong)?,
            nodes: self.nodes,
            processors: self.processors,
            threads: self.threads,
            policy: self.policy.clone(),
            seed: self.seed,
            stall_limit: self.stall_limit,
        };
        self.target.world().run(&launch).map_err(|failure| match failure {
            Failure::Refused(why) => Problem::wrong(why),
            other => Problem::Failed(format!(
                "{} on {} under `{}`: {other}",
                self.subject.entry.name,
                self.target.name(),
                self.policy
            )),
        })
    }

    /// How many threads there will be, if they are not too many: a program prepares its work for each.
    fn shape(&self, computing: u32) -> Result<Shape, Problem> {
        let threads = computing.saturating_mul(self.threads);
        if self.nodes.saturating_mul(threads) > MAX_THREADS {
            return Err(Problem::wrong(format!(
                "--nodes {} with {computing} computing processors and --threads {}: expected at most {MAX_THREADS} \
                 threads in all",
                self.nodes, self.threads
            )));
        }
        Ok(Shape { nodes: self.nodes, threads })
    }

    /// More processors than this host has cores, where that matters.
    pub(crate) fn is_oversubscribed(&self) -> bool {
        let split = self.policy.split(self.processors);
        let processors = split.map_or(self.processors, |split| split.computing + split.dedicated);
        self.target.is_native() && (self.nodes * processors) as usize > native::Local::cores()
    }
}

impl Measured {
    /// The outcome of median time.
    pub(crate) fn median(&self) -> &Outcome {
        &self.outcomes[self.outcomes.len() / 2]
    }

    /// How often it ran.
    pub(crate) fn runs(&self) -> usize {
        self.outcomes.len()
    }

    /// Least and greatest time.
    pub(crate) fn spread(&self) -> (Time, Time) {
        let times = || self.outcomes.iter().map(Outcome::timed);
        (times().min().unwrap_or_default(), times().max().unwrap_or_default())
    }

    /// Whether every answer was right.
    pub(crate) fn verified(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.report.verified())
    }

    /// What was wrong, of every run.
    pub(crate) fn failures(&self) -> impl Iterator<Item = &str> {
        self.outcomes.iter().flat_map(|outcome| &outcome.report.failures).map(String::as_str)
    }
}

/// The machine of that name with the settings of the command line.
pub(crate) fn target(name: &str, common: &Common) -> Result<Target, Problem> {
    Target::find(name, &target::settings(&common.settings)?)
}
