//! A machine as the command line names it, and the world behind it.

use machine::Machine;
use native::Local;
use sim::Model;
use tempest::{Failure, Job, Launch, Policy, Program, Protocol, Report, Setup, Thread, World};

use crate::ending::Wrong;
use crate::shipped::{self, Shipped};
use crate::{files, naming};

/// The name of this host.
pub(crate) const NATIVE: &str = "native";

/// How this host runs programs: all nodes in one process.
const LOCAL: &str = "local";

/// How a model runs programs.
const MODEL: &str = "model";

/// Nodes, and processors of each, of this host unless the run says otherwise.
const NATIVE_SHAPE: (u32, u32) = (2, 2);

/// A value of a machine file replaced on the command line.
pub(crate) type Override = (String, String);

/// A machine, and the world that runs programs on it.
pub(crate) struct Host {
    /// Its name.
    pub(crate) name: String,
    /// Where it comes from, for people.
    pub(crate) origin: String,
    /// The model; `None` for this host.
    pub(crate) model: Option<Machine>,
    world: Box<dyn World>,
}

impl Host {
    /// This host.
    pub(crate) fn native() -> Self {
        let origin = format!("this host, {} cores", Local::cores());
        Self { name: NATIVE.to_owned(), origin, model: None, world: Box::new(Local::new()) }
    }

    /// A machine by the name or file that the command line gives it.
    ///
    /// # Errors
    /// If there is none, or all that is wrong with its file and the overrides.
    pub(crate) fn find(given: &str, overrides: &[Override]) -> Result<Self, Vec<String>> {
        if given == NATIVE {
            return Ok(Self::native());
        }
        if is_file(given) {
            let text = files::machine(given).map_err(|error| vec![no_machine_file(given, &error)])?;
            return Self::model(given, &text, given.to_owned(), overrides);
        }
        match shipped::find(shipped::MACHINES, given) {
            Some(shipped) => Self::shipped(shipped, overrides),
            None => Err(vec![format!("{}, or a .toml file", naming::unknown("machine", given, &names()))]),
        }
    }

    /// A machine that travels inside the binary.
    ///
    /// # Errors
    /// All that is wrong with the overrides.
    pub(crate) fn shipped(shipped: &Shipped<str>, overrides: &[Override]) -> Result<Self, Vec<String>> {
        Self::model(shipped.file, shipped.content, "shipped".to_owned(), overrides)
    }

    fn model(file: &str, text: &str, origin: String, overrides: &[Override]) -> Result<Self, Vec<String>> {
        let machine = Machine::parse_with(file, text, overrides)
            .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>())?;
        let world = Box::new(Model::new(machine.clone()));
        Ok(Self { name: machine.name.clone(), origin, model: Some(machine), world })
    }

    /// Whether this is a model: its runs repeat themselves.
    pub(crate) fn is_model(&self) -> bool {
        self.model.is_some()
    }

    /// How it runs programs, in the words of `--world`.
    pub(crate) fn world(&self) -> &'static str {
        if self.is_model() { MODEL } else { LOCAL }
    }

    /// Nodes, and processors of each, unless the run says otherwise.
    pub(crate) fn shape(&self) -> (u32, u32) {
        self.model.as_ref().map_or(NATIVE_SHAPE, |machine| (machine.nodes, machine.processors))
    }

    /// Cores that the run can use at once; `None` where any number of processors is as good as real.
    pub(crate) fn cores(&self) -> Option<usize> {
        (!self.is_model()).then(Local::cores)
    }

    /// Runs a job.
    ///
    /// # Errors
    /// As [`World::run`].
    pub(crate) fn run(&self, launch: &Launch) -> Result<tempest::Outcome, Failure> {
        self.world.run(launch)
    }

    /// Whether one node of so many processors can obey the policy: its world is asked to run nothing under it.
    pub(crate) fn can(&self, policy: &Policy, processors: u32) -> bool {
        let (job, policy) = (Job::new::<Nothing>(()), policy.clone());
        let launch = Launch { job, nodes: 1, processors, threads: 1, policy, seed: 0, stall_limit: None };
        self.run(&launch).is_ok()
    }
}

/// The program that does nothing.
struct Nothing;

impl Protocol for Nothing {
    type Config = ();
    fn install((): &(), _: &mut Setup<'_>) -> Self {
        Self
    }
}

impl Program for Nothing {
    fn main(&self, _: &Thread<'_>) {}
    fn report(&self) -> Report {
        Report::default()
    }
}

/// Checks `--world` against the machines it is to hold for.
pub(crate) fn check_world(world: Option<&str>, hosts: &[Host], wrong: &mut Wrong) {
    match world {
        None => {}
        Some(LOCAL) if hosts.is_empty() || hosts.iter().any(|host| !host.is_model()) => {}
        Some(LOCAL) => wrong.note("--world local: expected machine `native`; a model has only one world"),
        Some(other) => wrong.note(format!("--world {other}: expected local")),
    }
}

/// The machines that have a name.
pub(crate) fn names() -> Vec<&'static str> {
    std::iter::once(NATIVE).chain(shipped::MACHINES.iter().map(|machine| machine.name)).collect()
}

fn is_file(given: &str) -> bool {
    given.ends_with(".toml") || given.contains('/')
}

fn no_machine_file(path: &str, error: &str) -> String {
    format!("{path}: {error}: expected a machine file or one of {}", names().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_machine() {
        for name in names() {
            let host = Host::find(name, &[]).unwrap_or_else(|errors| panic!("{errors:?}"));
            assert_eq!((host.name.as_str(), host.is_model()), (name, name != NATIVE));
        }
    }

    #[test]
    fn a_world_says_itself_what_it_can() {
        let policy = |text: &str| text.parse::<Policy>().unwrap();
        let native = Host::native();
        assert!(native.can(&policy("fixed:1"), 2) && !native.can(&policy("fixed:2"), 2));
        assert!(!native.can(&policy("hurricane-1"), 2));
        assert!(Host::find("ideal", &[]).is_ok_and(|ideal| ideal.can(&policy("hurricane-1"), 2)));
    }
}
