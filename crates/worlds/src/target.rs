//! The target that a program runs on: this host, or a modelled machine by its name or file.

use std::sync::Arc;

use compare::MachineShape;
use compare::ranking::{Calibration, Machine as Described};
use machine::{Capability, Machine};
use native::Local;
use sim::Model;
use tempest::entry::{Entry, Least};
use tempest::outcome::Refusal;
use tempest::policy::{Injector, PRESETS, Split};
use tempest::world::World;
use tempest::{Mechanism, Policy};

use crate::shape::{self, AskedShape};
use crate::{Error, Mistake, NATIVE, machines};

/// The default policy of a run on a machine that can do it. [`Target::usual_policy`] is that of every machine.
pub const USUAL_POLICY: &str = "floating";

/// The models that a program is compared on; the first that can run it is taken. The first has a second processor in
/// each node that serves the network, so that the choice of the processor for handlers matters; the second has every
/// mechanism.
const USUAL_MODELS: [&str; 2] = ["paragon", "hurricane-1"];

/// The number of cores of this host that the process may use: limited by its affinity and by the quota of its control
/// group.
pub fn cores() -> usize {
    Local::cores()
}

/// A machine to run on. A copy shares the machine with its original.
#[derive(Clone, Debug)]
pub enum Target {
    /// This host: every processor is an OS thread.
    Native,
    /// A modelled machine.
    Model {
        /// The machine.
        machine: Arc<Machine>,
        /// The path of the file that describes it; `None` for a shipped machine.
        file: Option<String>,
    },
}

impl Target {
    /// Finds the machine of a name: `native`, a shipped machine, or a file. `settings` replace values of the
    /// machine file: dotted keys such as `network.latency`, values such as `1 us`.
    ///
    /// # Errors
    /// No machine has the name; or every mistake in the machine's files and in the settings.
    pub fn find(name: &str, settings: &[(String, String)]) -> Result<Self, Error> {
        if name == NATIVE {
            return match settings.first() {
                None => Ok(Self::Native),
                Some((key, _)) => Err(Mistake::NativeSetting { key: key.clone() }.into()),
            };
        }
        let (path, text) = machines::read(name)?;
        let machine = machines::parse(&path, &text, settings)?;
        Ok(Self::Model { machine: Arc::new(machine), file: machines::file(name).map(str::to_owned) })
    }

    /// The name of the machine.
    pub fn name(&self) -> &str {
        match self {
            Self::Native => NATIVE,
            Self::Model { machine, .. } => &machine.name,
        }
    }

    /// The file that describes the machine, if it does not ship: two files may give their machines one name.
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::Native => None,
            Self::Model { file, .. } => file.as_deref(),
        }
    }

    /// The name of the machine, with its file if it does not ship: `mine (mine.toml)`.
    pub fn label(&self) -> String {
        self.file().map_or_else(|| self.name().to_owned(), |file| format!("{} ({file})", self.name()))
    }

    /// The machine file as it was read; `None` for this host.
    pub fn machine(&self) -> Option<&Machine> {
        match self {
            Self::Native => None,
            Self::Model { machine, .. } => Some(machine),
        }
    }

    /// The name of the machine that the file is a measurement of, if it is a measurement: `native` in a file that
    /// `calibrate` wrote.
    pub fn measured(&self) -> Option<&str> {
        Some(&self.machine()?.calibrated.as_ref()?.of)
    }

    /// The host that the file is a measurement of, if it says so.
    pub fn measured_host(&self) -> Option<&str> {
        self.machine()?.calibrated.as_ref()?.host.as_deref()
    }

    /// The place of the nodes that the file is a measurement of, if it says so: the [name](crate::Hosting::name) of one.
    pub fn measured_world(&self) -> Option<&str> {
        self.machine()?.calibrated.as_ref()?.world.as_deref()
    }

    /// The values on which the measurements of a calibrated machine disagree, if its file names some: results of the
    /// machine are then not sure.
    pub fn disturbed(&self) -> Option<&str> {
        self.machine()?.calibrated.as_ref()?.disturbed.as_deref()
    }

    /// The machine as rankings name it.
    pub fn described(&self) -> Described {
        let of = self.measured().map(str::to_owned);
        let host = self.measured_host().map(str::to_owned);
        let disturbed = self.disturbed().map(str::to_owned);
        let world = self.measured_world().map(str::to_owned);
        Described {
            name: self.name().to_owned(),
            file: self.file().map(str::to_owned),
            native: self.is_native(),
            summary: self.machine().map(|machine| machine.summary.clone()),
            digest: self.machine().map(Machine::digest),
            calibration: of.map(|of| Calibration { of, host, world, disturbed }),
        }
    }

    /// A reason for refusing something, behind the file of the machine that refuses it.
    pub fn refusing(&self, why: impl ToString) -> String {
        self.file().map_or_else(|| why.to_string(), |file| format!("{file}: {}", why.to_string()))
    }

    /// Makes the mistake for an ability that this machine lacks.
    pub(crate) fn refusal(&self, why: Refusal) -> Mistake {
        Mistake::Refused { file: self.file().map(str::to_owned), why: Box::new(why) }
    }

    /// Whether this is the host: two runs on it can differ in time.
    pub fn is_native(&self) -> bool {
        matches!(self, Self::Native)
    }

    /// The nodes and processors of a run of a program that needs at least `least`, with the requested numbers: by
    /// default as many processors as cores on this host, the machine's own on a model.
    pub fn shape(&self, asked: AskedShape, least: Least) -> MachineShape {
        let machine = match self {
            Self::Native => return shape::of_run(asked, least, cores() as u32),
            Self::Model { machine, .. } => machine,
        };
        let nodes = machine.nodes.max(least.nodes);
        asked.or(MachineShape { nodes, processors: machine.processors.max(least.processors) })
    }

    /// The default machines of a comparison: this host, and `paragon`, or `hurricane-1` if `paragon` cannot run the
    /// program.
    pub fn usual(entry: &Entry) -> Vec<&'static str> {
        let runs = |name: &&&str| {
            let able = Self::find(name, &[]).map(|model| model.mechanisms()).unwrap_or_default();
            entry.mechanisms.iter().any(|mechanism| able.contains(mechanism))
        };
        std::iter::once(NATIVE).chain(USUAL_MODELS.iter().find(runs).copied()).collect()
    }

    /// The default policy of a run by a mechanism: [`USUAL_POLICY`], or else the first preset that the machine can do.
    /// If it can do none, [`USUAL_POLICY`] all the same, and [`check`](Self::check) gives the reason.
    pub fn usual_policy(&self, mechanism: Mechanism) -> Policy {
        let usual = || USUAL_POLICY.parse().expect("a preset is a policy");
        self.first_policy(mechanism).unwrap_or_else(usual)
    }

    fn first_policy(&self, mechanism: Mechanism) -> Option<Policy> {
        let names = [USUAL_POLICY].into_iter().chain(PRESETS.iter().map(|preset| preset.name));
        let policies = names.filter_map(|name| name.parse().ok());
        policies.into_iter().find(|policy| self.check(mechanism, policy).is_ok())
    }

    /// The default mechanism of a run of a program: the program's first that the machine can do under some policy, or
    /// else its first.
    pub fn usual_mechanism(&self, entry: &Entry) -> Mechanism {
        let can = |mechanism: &&Mechanism| self.first_policy(**mechanism).is_some();
        *entry.mechanisms.iter().find(can).unwrap_or(&entry.mechanisms[0])
    }

    /// Checks that the machine has everything that a mechanism and a policy need.
    ///
    /// # Errors
    /// A refusal that names what the machine lacks.
    pub fn check(&self, mechanism: Mechanism, policy: &Policy) -> Result<(), Refusal> {
        match self {
            Self::Native => Local::check(mechanism, policy),
            Self::Model { machine, .. } => Model::new((**machine).clone()).check(mechanism, policy),
        }
    }

    /// Checks that a run on the machine can have these numbers of nodes, processors of each, and threads on each
    /// computing processor.
    ///
    /// # Errors
    /// A refusal that names the number that is too small or too large.
    pub fn check_size(
        &self,
        policy: &Policy,
        MachineShape { nodes, processors }: MachineShape,
        threads: u32,
    ) -> Result<(), Refusal> {
        match self {
            Self::Native => Local::check_size(policy, nodes, processors, threads),
            Self::Model { machine, .. } => {
                Model::new((**machine).clone()).check_size(policy, nodes, processors, threads)
            }
        }
        .map(drop)
    }

    /// Checks that a grid in the settings has exactly one place for each of `nodes` nodes.
    ///
    /// # Errors
    /// A refusal with the number of nodes that there must be.
    pub fn check_nodes(&self, nodes: u32) -> Result<(), Refusal> {
        self.machine().map_or(Ok(()), |machine| Model::new(machine.clone()).check_nodes(nodes))
    }

    /// The working processors of a node of `processors` under a policy: computing ones, and those with another duty,
    /// dedicated or added.
    ///
    /// # Errors
    /// [`Refusal::NoneComputes`] if none would be left to compute.
    pub fn at_work(&self, policy: &Policy, processors: u32) -> Result<Split, Refusal> {
        match self {
            Self::Native => policy.split(processors),
            Self::Model { machine, .. } => Model::new((**machine).clone()).at_work(policy, processors),
        }
    }

    /// Whether one dedicated processor of a node sends for all computing ones under a policy.
    pub fn has_lone_sender(&self, policy: &Policy) -> bool {
        let each_sends = |machine: &Machine| machine.can.contains(&Capability::SenderInjects);
        policy.injector == Injector::Protocol && self.machine().is_some_and(|machine| !each_sends(machine))
    }

    /// The policy that represents all policies under which nodes of `processors` behave the same on this machine. If a
    /// model's file has values of its own for a policy, the policy represents itself.
    #[must_use]
    pub fn canonical(&self, policy: &Policy, processors: u32) -> Policy {
        let canonical = policy.canonical(processors);
        match self {
            Self::Model { machine, .. } => {
                let is_own = |policy: &Policy| machine.policies().any(|own| own == policy.preset());
                if is_own(policy) || is_own(&canonical) { policy.clone() } else { canonical }
            }
            Self::Native => canonical,
        }
    }

    /// The mechanisms that the machine can do under some policy.
    pub fn mechanisms(&self) -> Vec<Mechanism> {
        Mechanism::ALL.into_iter().filter(|mechanism| self.first_policy(*mechanism).is_some()).collect()
    }

    /// The world that runs jobs on this machine.
    pub fn world(&self) -> Box<dyn World> {
        match self {
            Self::Native => Box::new(Local::new()),
            Self::Model { machine, .. } => Box::new(Model::new((**machine).clone())),
        }
    }
}

impl From<Machine> for Target {
    /// A machine that was read or made by the program itself.
    fn from(machine: Machine) -> Self {
        Self::Model { machine: Arc::new(machine), file: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_machine_has_a_usual_policy_for_every_mechanism_that_it_can_do() {
        for (machine, mechanism, expected) in [
            ("native", Mechanism::Messages, "floating"),
            ("hurricane-1", Mechanism::SharedMemory, "floating"),
            ("alewife", Mechanism::Messages, "floating"),
            ("now", Mechanism::Messages, "proc"),
            ("meiko-cs2", Mechanism::Bulk, "proc"),
            ("s-coma", Mechanism::SharedMemory, "s-coma"),
        ] {
            let target = Target::find(machine, &[]).expect("it ships");
            assert_eq!(target.usual_policy(mechanism).to_string(), expected);
            assert!(target.check(mechanism, &target.usual_policy(mechanism)).is_ok());
        }
        let coma = Target::find("s-coma", &[]).expect("it ships");
        assert_eq!(coma.usual_policy(Mechanism::Messages).to_string(), USUAL_POLICY);
    }
}
