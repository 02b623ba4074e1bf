//! The command line for a user's own programs and protocols. This module must never know the effect of a program or protocol.

use std::env;
use std::path::Path;
use std::process::ExitCode;

use cli::App;
use tempest::entry::{Coherence, Entry};

/// Runs the command line of a crate's own `programs`, with every subcommand of `tradewind`, such as `run`, `compare`, `study` and
/// `explain`. Reads the arguments of the process. Returns the code with which the process should end.
///
/// The microbenchmarks of [`probes`] are included, because `calibrate` and `claims` run them. If two programs have one name, the
/// command is refused with an error that names both.
///
/// ```no_run
/// # const HISTOGRAM: tradewind::tempest::entry::Entry = tradewind::apps::ALL[0];
/// fn main() -> std::process::ExitCode {
///     tradewind::main(&[HISTOGRAM])
/// }
/// ```
pub fn main(programs: &[Entry]) -> ExitCode {
    Command::new().programs(programs).main()
}

/// Builder of a command line for a user's own programs and protocols.
///
/// ```no_run
/// # const HISTOGRAM: tradewind::tempest::entry::Entry = tradewind::apps::ALL[0];
/// # const MINE: tradewind::tempest::entry::Coherence = tradewind::protocols::stache::STACHE;
/// fn main() -> std::process::ExitCode {
///     tradewind::Command::new().programs(&[HISTOGRAM]).protocols(&[MINE]).main()
/// }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Command {
    name: String,
    programs: Vec<Entry>,
    protocols: Vec<Coherence>,
}

impl Command {
    /// Makes a command line named after its binary, with the microbenchmarks of [`probes`] and the coherence protocols of
    /// [`protocols`].
    pub fn new() -> Self {
        Self { name: name(), programs: Vec::new(), protocols: Vec::new() }
    }

    /// Sets the command's name in help and errors, in place of the binary's.
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Adds programs, which the subcommands accept by name.
    pub fn programs(mut self, programs: &[Entry]) -> Self {
        self.programs.extend(programs);
        self
    }

    /// Adds coherence protocols: the option `--protocol` chooses among all by name. The default is the first protocol of
    /// [`protocols`].
    pub fn protocols(mut self, protocols: &[Coherence]) -> Self {
        self.protocols.extend(protocols);
        self
    }

    /// Reads the arguments of the process and executes them. Returns the exit code: 0 on success; 1 if a run or a check failed; 2 if the
    /// arguments or an input were wrong, or two programs or protocols have one name.
    pub fn main(self) -> ExitCode {
        let programs = [&self.programs, probes::ALL];
        match App::new(&self.name, &programs, &[protocols::COHERENCE, &self.protocols]) {
            Ok(house) => cli::main(&house),
            Err(why) => cli::refuse(&self.name, &why),
        }
    }
}

impl Default for Command {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the name of the binary, without its folder.
fn name() -> String {
    let called = env::args_os().next().unwrap_or_default();
    let name = Path::new(&called).file_stem().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "tradewind".to_owned())
}
