//! A combination of program, target, mechanism and policy, and the result of running it. This module must
//! never know how results look.

use compare::{Combination, MachineShape, Way};
use tempest::entry::Plan;
use tempest::outcome::{Failure, Outcome, Refusal, RunProgress};
use tempest::policy::Split;
use tempest::world::{Launch, World};
use tempest::{Mechanism, Policy, Shape};
use trace::Recorder;
use units::Time;

use crate::limits::MAX_THREADS;
use crate::{Error, FailedRun, HostLimit, Hosting, Mistake, Sharing, Subject, Target, cores};

/// A combination to be run, every choice made. [`Run`](crate::Run) makes one with defaults.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The program with its inputs.
    pub subject: Subject,
    /// The machine.
    pub target: Target,
    /// The mechanism by which data moves.
    pub mechanism: Mechanism,
    /// The place of the nodes of a run on this host.
    pub hosting: Hosting,
    /// The number of nodes.
    pub nodes: u32,
    /// The number of processors of each node.
    pub processors: u32,
    /// The number of the program's threads on each computing processor.
    pub threads: u32,
    /// The policy: which processors inject messages and run handlers, and when.
    pub policy: Policy,
    /// The seed of everything left to chance.
    pub seed: u64,
    /// The time without any progress after which a run is given up, in the world's own time; `None` for no
    /// limit.
    pub stall_limit: Option<Time>,
    /// The limit of this host's time for a run on a model without a modelled event; `None` for no limit.
    pub host_limit: Option<HostLimit>,
    /// The recorder of the run's events; `None` if the run is not traced.
    pub trace: Option<Recorder>,
    /// The place where a model notes the time that the present run has progress; `None` if it is not needed.
    pub progress: Option<RunProgress>,
}

impl Setting {
    /// The combination with the outcomes of its runs, in the order of measurement: at least one.
    pub(crate) fn combination(&self, outcomes: Vec<Outcome>) -> Combination {
        let ran = Combination::new(self.way(), self.split(), self.is_oversubscribed(), outcomes);
        ran.sent_by_one(self.target.has_lone_sender(&self.policy))
    }

    /// Runs the combination once.
    pub(crate) fn once(&self) -> Result<Outcome, Error> {
        let launch = self.launch()?;
        let run = || self.world().run(&launch);
        let ran = match (&self.host_limit, &launch.progress) {
            (Some(limit), Some(progress)) => limit.watch(progress, |failure| self.failed(failure), run),
            _ => run(),
        };
        ran.map_err(|failure| match failure {
            Failure::Refused(why) => self.target.refusal(why).into(),
            failure => Error::Failed(Box::new(self.failed(failure))),
        })
    }

    /// The world that makes the run.
    fn world(&self) -> Box<dyn World> {
        if self.target.is_native() { self.hosting.world(&self.order()) } else { self.target.world() }
    }

    /// The arguments of the `run` command that makes this run, for a [process](crate::hosting::order) of it.
    fn order(&self) -> Vec<String> {
        let Self { subject, mechanism, nodes, processors, threads, policy, seed, .. } = self;
        let mut order: Vec<String> = ["run", subject.entry.name].map(str::to_owned).to_vec();
        order.extend(self.hosting.arguments());
        let options = [
            ("--mechanism", mechanism.to_string()),
            ("--policy", policy.to_string()),
            ("--nodes", nodes.to_string()),
            ("--processors", processors.to_string()),
            ("--threads", threads.to_string()),
            ("--seed", seed.to_string()),
        ];
        let inputs = subject.texts.iter().map(|text| ("--input", text.clone()));
        let shared = (*mechanism == Mechanism::SharedMemory).then(|| {
            let sharing = subject.sharing;
            [("--block", sharing.block.to_string()), ("--protocol", sharing.protocol.to_string())]
        });
        let all = options.into_iter().chain(inputs).chain(shared.into_iter().flatten());
        order.extend(all.flat_map(|(name, value)| [name.to_owned(), value]));
        order
    }

    /// Whether the place of the nodes can have all of them.
    ///
    /// # Errors
    /// The [refusal](Hosting::check) of the place.
    pub fn check_place(&self) -> Result<(), Refusal> {
        if self.target.is_native() { self.hosting.check(self.nodes) } else { Ok(()) }
    }

    /// Takes part in the run as a process of it, and ends with it. For a process that has an [order](crate::hosting::order).
    ///
    /// # Errors
    /// If the run cannot be made.
    pub fn take_part(&self) -> Result<(), Error> {
        self.once().map(drop)
    }

    /// The run with the error that ended it.
    pub fn failed(&self, failure: Failure) -> FailedRun {
        FailedRun {
            program: self.subject.entry.name,
            mechanism: self.mechanism,
            target: self.target.label(),
            policy: self.policy.clone(),
            failure,
        }
    }

    /// The run as a world takes it.
    ///
    /// # Errors
    /// [`Error::Wrong`] if the program cannot run so, or the node has too few processors for the policy.
    pub fn launch(&self) -> Result<Launch, Error> {
        let job = self.subject.instance.job(&self.plan()?).map_err(Mistake::Plan)?;
        Ok(Launch {
            mechanism: self.mechanism,
            nodes: self.nodes,
            processors: self.processors,
            threads: self.threads,
            seed: self.seed,
            stall_limit: self.stall_limit,
            trace: self.trace.clone(),
            progress: self.progress.clone().or_else(|| (!self.target.is_native()).then(RunProgress::default)),
            problems: self.subject.problems.clone(),
            ..Launch::new(job, self.policy.clone())
        })
    }

    /// The plan by which the program prepares its job. Settings of one subject with equal plans have equal jobs.
    ///
    /// # Errors
    /// [`Error::Wrong`] if there are too many threads, or the node has too few processors for the policy.
    pub fn plan(&self) -> Result<Plan, Error> {
        let split = self.policy.split(self.processors).map_err(Mistake::Policy)?;
        let shape = self.shape(split.computing)?;
        let Sharing { block, protocol } = self.subject.sharing;
        let problem = self.subject.problem.unwrap_or(shape);
        let plan = Plan::new(self.mechanism, shape);
        Ok(Plan { problem, seed: self.seed, block, protocol: Some(protocol), ..plan })
    }

    /// The number of threads of each node, if the total is allowed: a program prepares its work for each of
    /// them.
    fn shape(&self, computing: u32) -> Result<Shape, Mistake> {
        let threads = computing.saturating_mul(self.threads);
        if self.nodes.saturating_mul(threads) > MAX_THREADS {
            return Err(Mistake::TooManyThreads { nodes: self.nodes, computing, threads: self.threads });
        }
        Ok(Shape { nodes: self.nodes, threads })
    }

    /// The nodes and processors of the machine.
    pub fn machine_shape(&self) -> MachineShape {
        MachineShape { nodes: self.nodes, processors: self.processors }
    }

    /// The mechanism and the policy, which name the combination within one machine.
    pub fn way(&self) -> Way {
        Way { mechanism: self.mechanism, policy: self.policy.to_string() }
    }

    /// The processors [at work](Target::at_work) on each node. Under a policy that needs more of them than there are, all count as
    /// computing.
    pub fn split(&self) -> Split {
        let all = Split { computing: self.processors, dedicated: 0 };
        self.target.at_work(&self.policy, self.processors).unwrap_or(all)
    }

    /// The shared memory of the run; `None` where no data moves through it.
    pub fn sharing(&self) -> Option<Sharing> {
        (self.mechanism == Mechanism::SharedMemory).then_some(self.subject.sharing)
    }

    /// Whether a native run has more processors than this host has cores, so that they take turns and times mean little.
    pub fn is_oversubscribed(&self) -> bool {
        let split = self.split();
        self.target.is_native() && self.nodes as usize * split.all() as usize > cores()
    }
}
