//! Runs one combination of program, machine and policy, as often as asked, and keeps every outcome.

use tempest::entry::{Entry, Instance, Plan};
use tempest::{Breakdown, Counters, Failure, Launch, Mechanism, Outcome, Policy, Shape};
use trace::Recorder;
use units::Time;

use crate::arguments::Common;
use crate::programs::programs;
use crate::quantity::several;
use crate::sharing::Sharing;
use crate::target::{self, Target};
use crate::{Problem, both, input, names};

/// The most program threads of a run.
const MAX_THREADS: u32 = 1 << 20;

/// A program with its inputs, checked.
pub(crate) struct Subject {
    pub(crate) entry: &'static Entry,
    pub(crate) instance: Box<dyn Instance>,
    pub(crate) sharing: Sharing,
}

impl Subject {
    /// What the command line asks for, and the mechanisms that it names; `or_else` says which are used if it names none.
    pub(crate) fn find(
        common: &Common,
        mechanisms: &[String],
        or_else: fn(&Entry) -> &[Mechanism],
    ) -> Result<(Self, Vec<Mechanism>), Problem> {
        let (mechanisms, sharing) = (names::mechanisms(mechanisms), Sharing::read(common));
        match programs().find(&common.program) {
            Ok(entry) => {
                let mechanisms = mechanisms.and_then(|asked| written(entry, asked)).and_then(|asked| {
                    let used = if asked.is_empty() { or_else(entry) } else { &asked };
                    Sharing::check(common, entry, used).map(|()| asked)
                });
                let ((instance, mechanisms), sharing) =
                    both(both(Self::load(entry, common), mechanisms), sharing)?;
                Ok((Self { entry, instance, sharing }, mechanisms))
            }
            // What inputs there are, nobody knows.
            Err(unknown) => both(
                Err(Problem::wrong(unknown.to_string())),
                both(mechanisms, sharing).map(|(asked, _)| asked),
            ),
        }
    }

    fn load(entry: &Entry, common: &Common) -> Result<Box<dyn Instance>, Problem> {
        let (given, verdict) = input::given(entry, &common.inputs);
        let loaded = (entry.load)(&given).map_err(|bad| Problem::Wrong(bad.texts()));
        both(verdict, loaded).map(|((), instance)| instance)
    }
}

/// The mechanisms asked for, if the program is written for all of them.
fn written(entry: &Entry, asked: Vec<Mechanism>) -> Result<Vec<Mechanism>, Problem> {
    let missing = asked.iter().filter(|asked| !entry.mechanisms.contains(asked));
    let missing: Vec<_> = missing.map(|asked| not_written(entry, *asked)).collect();
    if missing.is_empty() { Ok(asked) } else { Err(Problem::Wrong(missing)) }
}

fn not_written(entry: &Entry, asked: Mechanism) -> String {
    format!("mechanism `{asked}`: expected one of {} for `{}`", mechanism_names(entry), entry.name)
}

/// The mechanisms of a program, for people.
pub(crate) fn mechanism_names(entry: &Entry) -> String {
    let names: Vec<_> = entry.mechanisms.iter().map(|mechanism| mechanism.name()).collect();
    names.join(", ")
}

/// What was counted and spent in the part of a run that is timed.
pub(crate) struct Region {
    pub(crate) counters: Counters,
    pub(crate) breakdown: Breakdown,
}

/// The region that counts: the first phase, or the whole run if there is none.
pub(crate) fn region(outcome: &Outcome) -> Region {
    let whole = Region { counters: outcome.counters, breakdown: outcome.breakdown };
    let timed = outcome.phases.first();
    timed.map_or(whole, |phase| Region { counters: phase.counters, breakdown: phase.breakdown })
}

/// One combination to be run.
pub(crate) struct Setting<'a> {
    pub(crate) subject: &'a Subject,
    pub(crate) target: &'a Target,
    pub(crate) mechanism: Mechanism,
    pub(crate) nodes: u32,
    pub(crate) processors: u32,
    pub(crate) threads: u32,
    pub(crate) policy: Policy,
    pub(crate) seed: u64,
    pub(crate) stall_limit: Option<Time>,
    pub(crate) trace: Option<Recorder>,
}

/// What came of a combination: at least one outcome, by time, the fastest first.
pub(crate) struct Measured {
    outcomes: Vec<Outcome>,
}

impl Setting<'_> {
    /// Runs it `repeat` times, and tells before each how many there have been.
    pub(crate) fn measure(&self, repeat: u32, mut tell: impl FnMut(u32)) -> Result<Measured, Problem> {
        let run = |number| {
            tell(number);
            self.once()
        };
        let mut outcomes = (0..repeat).map(run).collect::<Result<Vec<_>, _>>()?;
        outcomes.sort_by_key(Outcome::timed);
        Ok(Measured { outcomes })
    }

    fn once(&self) -> Result<Outcome, Problem> {
        let split = self.policy.split(self.processors).map_err(Problem::wrong)?;
        let shape = self.shape(split.computing)?;
        let plan = Plan {
            seed: self.seed,
            block: self.subject.sharing.block,
            protocol: Some(self.subject.sharing.protocol),
            ..Plan::new(self.mechanism, shape)
        };
        let job = self.subject.instance.job(&plan).map_err(|bad| Problem::wrong(bad.to_string()))?;
        let launch = Launch {
            mechanism: self.mechanism,
            nodes: self.nodes,
            processors: self.processors,
            threads: self.threads,
            seed: self.seed,
            stall_limit: self.stall_limit,
            trace: self.trace.clone(),
            ..Launch::new(job, self.policy.clone())
        };
        self.target.world().run(&launch).map_err(|failure| match failure {
            Failure::Refused(why) => Problem::wrong(self.target.refusing(why)),
            other => Problem::Failed(format!(
                "{} by {} on {} under `{}`: {other}",
                self.subject.entry.name,
                self.mechanism,
                self.target.label(),
                self.policy
            )),
        })
    }

    /// How many threads there will be, if they are not too many: a program prepares its work for each.
    fn shape(&self, computing: u32) -> Result<Shape, Problem> {
        let threads = computing.saturating_mul(self.threads);
        if self.nodes.saturating_mul(threads) > MAX_THREADS {
            return Err(Problem::wrong(format!(
                "--nodes {} with {} each and --threads {}: expected at most {MAX_THREADS} threads in all",
                self.nodes,
                several(computing, "computing processor", "computing processors"),
                self.threads
            )));
        }
        Ok(Shape { nodes: self.nodes, threads })
    }

    /// How shared memory is kept coherent, where data moves through it.
    pub(crate) fn sharing(&self) -> Option<Sharing> {
        (self.mechanism == Mechanism::SharedMemory).then_some(self.subject.sharing)
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
    let (settings, verdict) = target::settings(&common.settings);
    both(verdict, Target::find(name, &settings)).map(|((), target)| target)
}
