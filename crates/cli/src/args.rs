//! The options and their help.
//!
//! Values stay texts here: `request` reads them, so that a person sees everything that is wrong at once and not the
//! first mistake only.

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  tradewind list                                  machines, programs, policies, mechanisms
  tradewind run iccg                              on this host
  tradewind run iccg --machine hurricane-1        on a modelled machine
  tradewind compare iccg                          every policy on both, ranked

Results go to standard output, progress and errors to standard error.
Exit status: 0 done; 1 the run or a check failed; 2 the command line or an input was wrong.";

const LIST_EXAMPLES: &str = "\
Examples:
  tradewind list                        everything
  tradewind list programs               programs with their inputs
  tradewind list machines --json        for scripts";

const RUN_EXAMPLES: &str = "\
Examples:
  tradewind run fetch_add --policy floating
  tradewind run fetch_add --input words=1 --input window=1 --seed 7
  tradewind run iccg --input matrix=494_bus --policy fixed:1
  tradewind run iccg --input my-matrix.mtx.gz --machine hurricane-1 --json
  tradewind run iccg --machine hurricane-1 --set network.latency=\"1 us\"
  tradewind run iccg --machine ./my-machine.toml --nodes 16";

const COMPARE_EXAMPLES: &str = "\
Examples:
  tradewind compare iccg
  tradewind compare fetch_add --input skew=0.99 --nodes 2 --processors 3
  tradewind compare iccg --machine hurricane-1,./my-machine.toml
  tradewind compare iccg --machine native --policy single,fixed:1 --repeat 15";

/// Choose who runs the protocol: the same program natively and on modelled machines.
#[derive(Parser, Debug)]
#[command(name = "tradewind", version, about, after_help = EXAMPLES, max_term_width = 80)]
struct Tradewind {
    #[command(subcommand)]
    command: Command,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// List machines, programs, policies and mechanisms
    #[command(after_help = LIST_EXAMPLES)]
    List(ListArgs),
    /// Run a program once and say what came of it
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// Run a program under every policy on several machines and rank them
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(CompareArgs),
}

/// What there is to list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Kind {
    /// This host and the models
    Machines,
    /// What can be run, with its inputs
    Programs,
    /// Who injects, who runs handlers, when
    Policies,
    /// How data moves
    Mechanisms,
}

#[derive(Args, Debug)]
pub(crate) struct ListArgs {
    /// What to list; everything if not given
    #[arg(value_enum, hide_possible_values = true, value_name = "machines|programs|policies|mechanisms")]
    pub(crate) kind: Option<Kind>,
    /// Print JSON, as documented in docs/json.md
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// Where to run: `native` (this host), the name of a model, or a machine file [default: native]
    #[arg(long, value_name = "native|NAME|FILE")]
    pub(crate) machine: Option<String>,
    /// Who runs handlers: PRESET[:COUNT][+OPTION]…, see `tradewind list policies` [default: floating]
    #[arg(long, value_name = "P")]
    pub(crate) policy: Option<String>,
    /// Nodes [default: 2; of a model: as its file says]
    #[arg(long, value_name = "N")]
    pub(crate) nodes: Option<String>,
    /// Processors of each node [default: 2; of a model: as its file says]
    #[arg(long, value_name = "P")]
    pub(crate) processors: Option<String>,
    /// Run so often and show the median by time; a model must repeat itself [default: 1]
    #[arg(long, value_name = "R")]
    pub(crate) repeat: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// Where to run, comma separated: `native`, names of models, machine files [default: native,hurricane-1]
    #[arg(long, value_name = "LIST")]
    pub(crate) machine: Option<String>,
    /// Policies to compare, comma separated [default: every one that the machine can do]
    #[arg(long, value_name = "LIST")]
    pub(crate) policy: Option<String>,
    /// Nodes of every machine, so that rows can be compared [default: 4]
    #[arg(long, value_name = "N")]
    pub(crate) nodes: Option<String>,
    /// Processors of each node of every machine [default: 2]
    #[arg(long, value_name = "P")]
    pub(crate) processors: Option<String>,
    /// Run each so often and compare medians [default: 5; on a model, which repeats itself, 1]
    #[arg(long, value_name = "R")]
    pub(crate) repeat: Option<String>,
}

/// The options of `run` and `compare` alike.
#[derive(Args, Debug)]
pub(crate) struct CommonArgs {
    /// What to run, see `tradewind list programs`
    pub(crate) program: String,
    /// How machine `native` runs: `local`, all nodes in one process [default: local]
    #[arg(long, value_name = "local")]
    pub(crate) world: Option<String>,
    /// Another value for one of a model's file, such as `network.latency="1 us"`; again for more
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Program threads of each computing processor [default: 1]
    #[arg(long, value_name = "T")]
    pub(crate) threads: Option<String>,
    /// How data moves, see `tradewind list mechanisms` [default: the program's first]
    #[arg(long, value_name = "M")]
    pub(crate) mechanism: Option<String>,
    /// What the program is told; a file by path or by the name of a shipped one; again for more
    #[arg(long, value_name = "KEY=VALUE|FILE")]
    pub(crate) input: Vec<String>,
    /// Seed of all that is left to chance, a whole number [default: 1]
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<String>,
    /// Give up when nothing has happened for so long in the world's own time, such as `10 s` [default: never]
    #[arg(long, value_name = "TIME")]
    pub(crate) stall_limit: Option<String>,
    /// Print JSON, as documented in docs/json.md
    #[arg(long)]
    pub(crate) json: bool,
}

/// Why there is no command to obey.
#[derive(Debug)]
pub(crate) enum Refused {
    /// Help or the version was asked for.
    Help(String),
    /// The arguments cannot be understood.
    Wrong(String),
}

/// Reads the arguments of this process.
///
/// # Errors
/// What to print instead.
pub(crate) fn read() -> Result<Command, Refused> {
    let refused = |error: clap::Error| {
        let text = error.render().to_string();
        match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Refused::Help(text),
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                Refused::Wrong(format!("expected a command\n\n{text}"))
            }
            _ => Refused::Wrong(text.trim_start_matches("error: ").to_owned()),
        }
    };
    Tradewind::try_parse().map(|read| read.command).map_err(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_make_sense() {
        use clap::CommandFactory;
        Tradewind::command().debug_assert();
    }
}
