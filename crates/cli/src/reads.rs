//! Files that runs of a laboratory read besides their specifications: machine files and input files, found from the
//! run's folder, and their digests. This module must never run anything.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use lab::campaign::Digests;
use lab::{Specification, record};
use tempest::entry::Entry;
use units::text;
use worlds::files::{self, Unreadable};
use worlds::{Target, host, inputs, machines};

use crate::app::App;
use crate::progress::lock;

/// A machine's name with settings.
type Machine = (String, Vec<(String, String)>);

/// Digests of the machines and files that runs read, each made once.
pub(crate) struct Reads<'h> {
    app: &'h App,
    machines: Mutex<BTreeMap<Machine, Result<String, String>>>,
    files: Mutex<BTreeMap<PathBuf, Result<String, String>>>,
}

impl<'h> Reads<'h> {
    pub(crate) fn new(app: &'h App) -> Self {
        Self { app, machines: Mutex::default(), files: Mutex::default() }
    }

    /// The digests of the machine and files of a run, or their mistakes.
    pub(crate) fn digests(&self, run: &Specification) -> Result<Digests, String> {
        let machine = (machine(run), run.settings.clone());
        let entry = self.app.programs.find(&run.program).map_err(|unknown| unknown.to_string())?;
        let files = inputs(entry, run).into_iter().filter(|(_, value)| value.is_of_person());
        let file = |(key, value): (&str, Input)| {
            let path = PathBuf::from(text::os(&value.text));
            let digest = once(&self.files, path, |path| digest(path))?;
            Ok(format!("{key}={digest}"))
        };
        let inputs: Result<Vec<_>, String> = files.map(file).collect();
        Ok(Digests { machine: once(&self.machines, machine, of_machine)?, inputs: inputs?.join(" ") })
    }
}

/// Returns the result for a key, made now unless it is known.
fn once<K: Ord + Clone>(
    known: &Mutex<BTreeMap<K, Result<String, String>>>,
    key: K,
    make: impl FnOnce(&K) -> Result<String, String>,
) -> Result<String, String> {
    if let Some(found) = lock(known).get(&key) {
        return found.clone();
    }
    let made = make(&key);
    lock(known).entry(key).or_insert(made).clone()
}

/// The digest that identifies a machine with its settings. For a model it is the digest of all its values, those of
/// extended files included; for this host its description.
fn of_machine((name, settings): &Machine) -> Result<String, String> {
    match Target::find(name, settings) {
        Ok(Target::Native) => Ok(host()),
        Ok(Target::Model { machine, .. }) => Ok(format!("{:016x}", machine.digest())),
        Err(error) => Err(error.to_string()),
    }
}

fn digest(path: &Path) -> Result<String, String> {
    let unreadable = |why: Unreadable| format!("{}: {why}", text::path(path));
    let file = files::open(path).map_err(unreadable)?;
    record::digest(file).map_err(|error| unreadable(error.into()))
}

/// The machine of a run as this process finds it: the path of a machine file from the folder of the run.
pub(crate) fn machine(run: &Specification) -> String {
    match machines::file(&run.machine) {
        Some(path) => located(run, path),
        None => run.machine.clone(),
    }
}

/// The value of an input.
pub(crate) struct Input {
    /// The value; of a file its path as this process finds it.
    pub(crate) text: String,
    is_path: bool,
}

impl Input {
    /// Whether it is the path of a file that a person has.
    fn is_of_person(&self) -> bool {
        self.is_path
    }
}

/// The inputs of a run, paths of files from the folder of the run.
pub(crate) fn inputs<'r>(entry: &Entry, run: &'r Specification) -> Vec<(&'r str, Input)> {
    let is_path = |key: &str, value: &str| {
        let is_file = entry.inputs.iter().any(|input| input.key == key && input.is_file());
        is_file && inputs::get(value).is_none()
    };
    let input = |(key, value): &'r (String, String)| {
        let is_path = is_path(key, value);
        let text = if is_path { located(run, value) } else { value.clone() };
        (key.as_str(), Input { text, is_path })
    };
    run.inputs.iter().map(input).collect()
}

fn located(run: &Specification, path: &str) -> String {
    match &run.folder {
        Some(folder) => text::of(folder.join(text::os(path))),
        None => path.to_owned(),
    }
}
