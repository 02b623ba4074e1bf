//! A run as a library user asks for it: a program, and the settings that differ from the defaults.

use std::ops::ControlFlow;

use compare::{Combination, MachineShape};
use tempest::entry::{Coherence, Entry};
use tempest::outcome::Outcome;
use tempest::{Mechanism, Policy};
use trace::Recorder;
use units::Time;

use crate::shape::AskedShape;
use crate::{Error, HostLimit, Hosting, Repeat, Setting, Sharing, Subject, Target};

/// A request to run a program on one target. Defaults: this host, the program's first mechanism that the machine can
/// do, as many nodes and processors as the machine has, one thread on each computing processor, the [usual
/// policy](Target::usual_policy) of the machine, the seed 1, one run.
///
/// ```
/// # let entry = tempest::entry::find("histogram", apps::ALL).unwrap();
/// use tradewind_worlds::{Run, Target};
///
/// let run = Run::of(entry).on(Target::find("hurricane", &[])?).nodes(4).input("values", "50");
/// let outcome = run.policy("hurricane:2".parse()?).run()?;
/// assert!(outcome.report.verified());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Run {
    entry: Entry,
    inputs: Vec<(String, String)>,
    block: Option<u32>,
    protocol: &'static Coherence,
    target: Target,
    mechanism: Option<Mechanism>,
    hosting: Hosting,
    nodes: Option<u32>,
    processors: Option<u32>,
    threads: Option<u32>,
    policy: Option<Policy>,
    seed: u64,
    stall_limit: Option<Time>,
    host_limit: Option<HostLimit>,
    trace: Option<Recorder>,
    repeat: Repeat,
}

impl Run {
    /// Makes a run of a program with every choice left to its default.
    pub fn of(entry: &Entry) -> Self {
        Self {
            entry: *entry,
            inputs: Vec::new(),
            block: None,
            protocol: Sharing::default().protocol,
            target: Target::Native,
            mechanism: None,
            hosting: Hosting::default(),
            nodes: None,
            processors: None,
            threads: None,
            policy: None,
            seed: 1,
            stall_limit: None,
            host_limit: None,
            trace: None,
            repeat: Repeat::Times(1),
        }
    }

    /// Sets the machine.
    pub fn on(self, target: impl Into<Target>) -> Self {
        Self { target: target.into(), ..self }
    }

    /// Gives the program an input. Where the input is a file, `value` is a path, or the name of a [shipped
    /// file](crate::inputs::ALL).
    pub fn input(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.inputs.push((key.into(), value.into()));
        self
    }

    /// Sets the mechanism by which data moves.
    pub fn mechanism(self, mechanism: Mechanism) -> Self {
        Self { mechanism: Some(mechanism), ..self }
    }

    /// Sets the place of the nodes of a run on this host.
    pub fn hosting(self, hosting: Hosting) -> Self {
        Self { hosting, ..self }
    }

    /// Sets the number of nodes. Left open, it is the machine's own, or as many as the program needs.
    pub fn nodes(self, nodes: u32) -> Self {
        Self { nodes: Some(nodes), ..self }
    }

    /// Sets the number of processors of each node.
    pub fn processors(self, processors: u32) -> Self {
        Self { processors: Some(processors), ..self }
    }

    /// Sets the number of the program's threads on each computing processor. Left open, it is as many as the program needs,
    /// mostly 1.
    pub fn threads(self, threads: u32) -> Self {
        Self { threads: Some(threads), ..self }
    }

    /// Sets the policy.
    pub fn policy(self, policy: Policy) -> Self {
        Self { policy: Some(policy), ..self }
    }

    /// Sets the size of a block of shared memory, in bytes: one of [`Plan::BLOCKS`](tempest::entry::Plan::BLOCKS). The
    /// default is [the usual one](Sharing::usual_block) of the target.
    pub fn block(self, bytes: u32) -> Self {
        Self { block: Some(bytes), ..self }
    }

    /// Sets the protocol that keeps shared memory coherent.
    pub fn protocol(self, protocol: &'static Coherence) -> Self {
        Self { protocol, ..self }
    }

    /// Sets the seed of everything that is left to chance.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Sets the time without any progress after which a run is given up, in the world's own time.
    pub fn stall_limit(self, limit: Time) -> Self {
        Self { stall_limit: Some(limit), ..self }
    }

    /// Limits this host's time for a run on a model between modelled events. A program that loops without a call that
    /// takes modelled time, such as a poll, would run for ever: the thread that calls [`run`](Self::run) cannot be
    /// stopped. The default is no limit, since only the caller may end its process; the command line has a limit of 30
    /// seconds.
    pub fn host_limit(self, limit: HostLimit) -> Self {
        Self { host_limit: Some(limit), ..self }
    }

    /// Sets the recorder of the run's events. The caller finishes the recorder.
    pub fn trace(self, recorder: Recorder) -> Self {
        Self { trace: Some(recorder), ..self }
    }

    /// Sets how often the program runs.
    pub fn repeat(self, repeat: Repeat) -> Self {
        Self { repeat, ..self }
    }

    /// Completes the request: makes every open choice and reads the inputs.
    ///
    /// # Errors
    /// Every mistake in the inputs; or the program is not written for the mechanism.
    pub fn setting(self) -> Result<Setting, Error> {
        let inputs: Vec<_> = self.inputs.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let written = Subject::check(&self.entry, self.mechanism.as_slice());
        let ((), subject) = Error::both(written, Subject::load(&self.entry, &inputs))?;
        let mechanism = self.mechanism.unwrap_or_else(|| self.target.usual_mechanism(&self.entry));
        subject.check_inputs(&[mechanism])?;
        let block = self.block.unwrap_or_else(|| Sharing::usual_block([&self.target]));
        let sharing = Sharing { block, protocol: self.protocol };
        let least = subject.instance.least();
        let asked = AskedShape { nodes: self.nodes, processors: self.processors };
        let MachineShape { nodes, processors } = self.target.shape(asked, least);
        let policy = self.policy.unwrap_or_else(|| self.target.usual_policy(mechanism));
        Ok(Setting {
            mechanism,
            subject: subject.sharing(sharing),
            target: self.target,
            hosting: self.hosting,
            nodes,
            processors,
            threads: self.threads.unwrap_or(least.threads),
            policy,
            seed: self.seed,
            stall_limit: self.stall_limit,
            host_limit: self.host_limit,
            trace: self.trace,
            progress: None,
        })
    }

    /// Runs the program, as often as [`repeat`](Self::repeat) says.
    ///
    /// # Errors
    /// [`Error::Wrong`] if the request cannot be run; [`Error::Failed`] if a run did not end well.
    pub fn measure(self) -> Result<Combination, Error> {
        let repeat = self.repeat;
        let ran = self.setting()?.measure(repeat, |_| ControlFlow::Continue(()))?;
        Ok(ran.expect("nothing stopped it"))
    }

    /// Runs the program, as often as [`repeat`](Self::repeat) says, and returns the outcome of median time.
    ///
    /// # Errors
    /// [`Error::Wrong`] if the request cannot be run; [`Error::Failed`] if a run did not end well.
    pub fn run(self) -> Result<Outcome, Error> {
        Ok(self.measure()?.median().clone())
    }
}
