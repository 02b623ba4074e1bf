//! From a machine's name or file to a world.

use std::path::Path;

use machine::Machine;
use native::Local;
use sim::Model;
use tempest::{Mechanism, Policy, World};

use crate::Problem;
use crate::names::suggestion;
use crate::quantity::several;
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
    Model {
        machine: Box<Machine>,
        /// Where it is described, if not inside the command.
        file: Option<String>,
    },
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
        let (path, text) = read(name)?;
        let machine = Machine::parse_with(&path, &text, settings, &base)
            .map_err(|errors| Problem::Wrong(errors.to_string().lines().map(str::to_owned).collect()))?;
        Ok(Self::Model { machine: Box::new(machine), file: file(name).map(str::to_owned) })
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Native => NATIVE,
            Self::Model { machine, .. } => &machine.name,
        }
    }

    /// The file that describes it, if the user named one: two files may give their machines the same name.
    pub(crate) fn file(&self) -> Option<&str> {
        match self {
            Self::Native => None,
            Self::Model { file, .. } => file.as_deref(),
        }
    }

    /// Its name, and its file if it has one.
    pub(crate) fn label(&self) -> String {
        label(self.name(), self.file())
    }

    /// The machine whose measurement it is, if it is one of a machine that is there.
    pub(crate) fn measured(&self) -> Option<&str> {
        match self {
            Self::Native => None,
            Self::Model { machine, .. } => {
                machine.calibrated.as_ref().map(|calibrated| calibrated.of.as_str())
            }
        }
    }

    /// The host that it is a measurement of, if its file says so.
    pub(crate) fn measured_host(&self) -> Option<&str> {
        match self {
            Self::Native => None,
            Self::Model { machine, .. } => machine.calibrated.as_ref()?.host.as_deref(),
        }
    }

    /// A reason for refusing something, with the file of the machine that refuses it.
    pub(crate) fn refusing(&self, reason: String) -> String {
        self.file().map_or(reason.clone(), |file| format!("{file}: {reason}"))
    }

    /// Whether two runs can differ in time.
    pub(crate) fn is_native(&self) -> bool {
        matches!(self, Self::Native)
    }

    /// Nodes and processors when nobody says.
    pub(crate) fn shape(&self) -> (u32, u32) {
        match self {
            Self::Native => NATIVE_SHAPE,
            Self::Model { machine, .. } => (machine.nodes, machine.processors),
        }
    }

    /// Whether the machine has what a mechanism and a policy need, or what it lacks.
    pub(crate) fn check(&self, mechanism: Mechanism, policy: &Policy) -> Result<(), String> {
        match self {
            Self::Native => Local::check(mechanism, policy),
            Self::Model { machine, .. } => Model::new((**machine).clone()).check(mechanism, policy),
        }
    }

    pub(crate) fn world(&self) -> Box<dyn World> {
        match self {
            Self::Native => Box::new(Local::new()),
            Self::Model { machine, .. } => Box::new(Model::new((**machine).clone())),
        }
    }
}

/// The cores that this command may use, in words: `the 2 cores of this host`.
pub(crate) fn cores() -> String {
    format!("the {} of this host", several(Local::cores() as u32, "core", "cores"))
}

/// The name of a machine, and its file if it has one.
pub(crate) fn label(name: &str, file: Option<&str>) -> String {
    file.map_or_else(|| name.to_owned(), |file| format!("{name} ({file})"))
}

/// `KEY=VALUE` of every `--set`, and what is wrong with the others: they must not hide mistakes in the good ones.
pub(crate) fn settings(texts: &[String]) -> (Vec<(String, String)>, Result<(), Problem>) {
    let split = |text: &String| {
        let pair = text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
        pair.ok_or_else(|| format!("--set {text}: expected KEY=VALUE, such as network.latency=\"1 us\""))
    };
    let (good, bad): (Vec<_>, Vec<_>) = texts.iter().map(split).partition(Result::is_ok);
    let mistakes: Vec<_> = bad.into_iter().filter_map(Result::err).collect();
    let verdict = if mistakes.is_empty() { Ok(()) } else { Err(Problem::Wrong(mistakes)) };
    (good.into_iter().flatten().collect(), verdict)
}

/// The file that a machine's name means, if it means one.
pub(crate) fn file(name: &str) -> Option<&str> {
    let is_file = shipped::find(MACHINES, name).is_none() && (name.ends_with(".toml") || name.contains('/'));
    is_file.then_some(name)
}

/// Whether two names mean the same machine, however they are written.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    let place = |name| file(name).and_then(|path| std::fs::canonicalize(path).ok());
    one == other || place(one).is_some_and(|one| place(other) == Some(one))
}

/// What the machine file `from` extends by this name: a shipped machine, or a file beside it.
pub(crate) fn base(from: &str, name: &str) -> Option<(String, String)> {
    let beside = || Path::new(from).parent().map(|folder| folder.join(name));
    match file(name) {
        None => read(name).ok(),
        Some(_) => read(beside()?.to_str()?).ok(),
    }
}

/// Name for errors, and text, of a shipped machine or a file.
fn read(name: &str) -> Result<(String, String), Problem> {
    if let Some(file) = shipped::find(MACHINES, name) {
        return Ok((file.path.to_owned(), String::from_utf8_lossy(file.bytes).into_owned()));
    }
    if file(name).is_none() {
        return Err(Problem::wrong(unknown(name)));
    }
    let bytes = std::fs::read(name).map_err(|error| Problem::wrong(format!("{name}: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        Problem::wrong(format!("{name}: byte {}: expected UTF-8 text", error.utf8_error().valid_up_to()))
    })?;
    Ok((name.to_owned(), text))
}

fn unknown(name: &str) -> String {
    let file = format!("{name}.toml");
    let nearest = match Path::new(&file).is_file() {
        true => format!(" did you mean `{file}`?"),
        false => suggestion(name, MACHINES.iter().map(|file| file.name).chain([NATIVE])),
    };
    format!(
        "unknown machine `{name}`:{nearest} expected {NATIVE}, {}, or a file such as my-machine.toml",
        shipped::names(MACHINES)
    )
}
