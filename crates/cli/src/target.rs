//! From a machine's name or file to a world.

use machine::Machine;
use native::Local;
use sim::Model;
use tempest::{Mechanism, Policy, World};

use crate::Problem;
use crate::names::suggestion;
use crate::shipped::{self, MACHINES};

/// The name of this host.
pub(crate) const NATIVE: &str = "native";

/// Nodes and processors of a native run when nobody says.
const NATIVE_SHAPE: (u32, u32) = (2, 2);

/// A machine to run on.
pub(crate) enum Target {
    /// This host.
    Native,
    /// A model.
    Model(Box<Machine>),
}

impl Target {
    /// The machine of that name or file, with settings from the command line.
    pub(crate) fn find(name: &str, settings: &[(String, String)]) -> Result<Self, Problem> {
        if name == NATIVE {
            return match settings.first() {
                None => Ok(Self::Native),
                Some((key, _)) => Err(Problem::wrong(format!(
                    "--set {key}: machine `{NATIVE}` is this host and has no values to set; expected a model"
                ))),
            };
        }
        let (file, text) = read(name)?;
        let machine = Machine::parse_with(&file, &text, settings)
            .map_err(|errors| Problem::Wrong(errors.to_string().lines().map(str::to_owned).collect()))?;
        Ok(Self::Model(Box::new(machine)))
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Native => NATIVE,
            Self::Model(machine) => &machine.name,
        }
    }

    /// Whether two runs can differ in time.
    pub(crate) fn is_native(&self) -> bool {
        matches!(self, Self::Native)
    }

    /// Nodes and processors when nobody says.
    pub(crate) fn shape(&self) -> (u32, u32) {
        match self {
            Self::Native => NATIVE_SHAPE,
            Self::Model(machine) => (machine.nodes, machine.processors),
        }
    }

    /// Whether the machine has what a mechanism and a policy need.
    pub(crate) fn can(&self, mechanism: Mechanism, policy: &Policy) -> bool {
        match self {
            Self::Native => Local::check(mechanism, policy).is_ok(),
            Self::Model(machine) => Model::new((**machine).clone()).check(mechanism, policy).is_ok(),
        }
    }

    pub(crate) fn world(&self) -> Box<dyn World> {
        match self {
            Self::Native => Box::new(Local::new()),
            Self::Model(machine) => Box::new(Model::new((**machine).clone())),
        }
    }
}

/// `KEY=VALUE` of every `--set`.
pub(crate) fn settings(texts: &[String]) -> Result<Vec<(String, String)>, Problem> {
    let split = |text: &String| {
        let pair = text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
        pair.ok_or_else(|| format!("--set {text}: expected KEY=VALUE, such as network.latency=\"1 us\""))
    };
    let (good, bad): (Vec<_>, Vec<_>) = texts.iter().map(split).partition(Result::is_ok);
    match bad.is_empty() {
        true => Ok(good.into_iter().flatten().collect()),
        false => Err(Problem::Wrong(bad.into_iter().filter_map(Result::err).collect())),
    }
}

/// Name for errors, and text, of a shipped machine or a file.
fn read(name: &str) -> Result<(String, String), Problem> {
    if let Some(file) = shipped::find(MACHINES, name) {
        return Ok((file.path.to_owned(), String::from_utf8_lossy(file.bytes).into_owned()));
    }
    if !name.ends_with(".toml") && !name.contains('/') {
        return Err(Problem::wrong(unknown(name)));
    }
    let bytes = std::fs::read(name).map_err(|error| Problem::wrong(format!("{name}: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        Problem::wrong(format!("{name}: byte {}: expected UTF-8 text", error.utf8_error().valid_up_to()))
    })?;
    Ok((name.to_owned(), text))
}

fn unknown(name: &str) -> String {
    let nearest = suggestion(name, MACHINES.iter().map(|file| file.name).chain([NATIVE]));
    format!(
        "unknown machine `{name}`:{nearest} expected {NATIVE}, {}, or a file such as my-machine.toml",
        shipped::names(MACHINES)
    )
}
