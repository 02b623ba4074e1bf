//! A command for programs and protocols of one's own. This module must never know what any of them does.

use std::env;
use std::path::Path;
use std::process::ExitCode;

use cli::House;
use tempest::entry::{Coherence, Entry};

/// Gives programs every subcommand of `tradewind`: `run`, `compare`, `study`, `report`, `explain`, `list`, `claims`, `calibrate`,
/// `litmus`, `model`, `machine`. Reads the arguments of the process; the result is the code with which the process ends.
///
/// The microbenchmarks of [`probes`] are there as well, because `calibrate` and `claims` run them. A program whose name another
/// one has is refused with both.
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

/// The command line for programs and protocols of one's own.
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
    /// A command that is called as its binary is, with the microbenchmarks of [`probes`] and the coherence protocols of
    /// [`protocols`].
    pub fn new() -> Self {
        Self { name: name(), programs: Vec::new(), protocols: Vec::new() }
    }

    /// With another name in help and errors.
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// With these programs as well.
    pub fn programs(mut self, programs: &[Entry]) -> Self {
        self.programs.extend(programs);
        self
    }

    /// With these protocols as well: `--protocol` chooses among all of them by name. The first one of [`protocols`] is used unless
    /// a person says another.
    pub fn protocols(mut self, protocols: &[Coherence]) -> Self {
        self.protocols.extend(protocols);
        self
    }

    /// Reads the arguments of the process and does what they say; the result is the code with which the process ends: 0 where it is
    /// done, 1 where a run or a check failed, 2 where the arguments or an input were wrong, or two programs or protocols have one
    /// name.
    pub fn main(self) -> ExitCode {
        let programs = [&self.programs, probes::ALL];
        match House::new(&self.name, &programs, &[protocols::COHERENCE, &self.protocols]) {
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

/// The name by which the process was called, without its folder.
fn name() -> String {
    let called = env::args_os().next().unwrap_or_default();
    let name = Path::new(&called).file_stem().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "tradewind".to_owned())
}
