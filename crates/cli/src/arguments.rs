//! The arguments of the command line, read into types. This module must never do anything about them.
//!
//! The parser stops at the first value that is wrong. Therefore values are [`Deferred`]: each keeps its mistake until all of them
//! can be told.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::Resettable;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use report::page::{LEAST_WIDTH, Page};
use tempest::entry::UnknownName;
use tempest::{Mechanism, Policy};
use units::Time;
use worlds::{AskedFree, Baseline, Reference, Repeat};

use crate::app::App;
use crate::deferred::{self, Deferred, Setting};
use crate::problem::Problem;

/// The name of the command in the examples and cross-references of this file.
const NAME: &str = "tradewind";

/// One program, two worlds: runs fine-grain communication on this host and on modelled machines.
#[derive(Debug, Parser)]
#[command(name = "tradewind", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Arguments {
    /// Reads the command line of the binary of an app. It is refused where it asks for help or is wrong.
    pub(crate) fn read(app: &App) -> Result<Self, clap::Error> {
        Self::parse(app, env::args_os())
    }

    /// Reads these arguments, the first of which is the name of the command.
    pub(crate) fn parse(
        app: &App,
        arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    ) -> Result<Self, clap::Error> {
        let mut command = command(app);
        let matches = command.try_get_matches_from_mut(arguments)?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }
}

/// The command line of the binary of an app.
pub(crate) fn command(app: &App) -> clap::Command {
    named(Arguments::command(), app)
}

/// The command line of the binary of an app, or of its subcommand `subcommand`.
pub(crate) fn part(app: &App, subcommand: Option<&str>) -> Result<clap::Command, Problem> {
    let mut command = command(app);
    command.build();
    let Some(asked) = subcommand else { return Ok(command) };
    let known = command.get_subcommands().map(clap::Command::get_name);
    let unknown = UnknownName::new("subcommand", asked, known);
    command.find_subcommand(asked).cloned().ok_or_else(|| Problem::wrong(unknown.to_string()))
}

/// The command as a binary of another name has it: usage, examples and cross-references say that name. Examples with programs
/// that the binary does not have are left out.
fn named(mut command: clap::Command, app: &App) -> clap::Command {
    let name = app.name.as_str();
    if name == NAME {
        return command;
    }
    let told =
        |help: &clap::builder::StyledStr| help.to_string().replace(&format!("{NAME} "), &format!("{name} "));
    let version: &str = format!("({NAME} {})", env!("CARGO_PKG_VERSION")).leak();
    let own: &str = name.to_owned().leak();
    for part in command.get_subcommands_mut() {
        let after = part.get_after_help().map(told).and_then(|examples| possible(&examples, app));
        let changed = part.clone().mut_args(|arg| match arg.get_help().map(told) {
            Some(help) => arg.help(help),
            None => arg,
        });
        *part = changed.after_help(after.map_or(Resettable::Reset, |after| Resettable::Value(after.into())));
    }
    command.name(own).bin_name(own).version(version)
}

/// The examples whose programs an app has; `None` if it has none of them.
fn possible(examples: &str, app: &App) -> Option<String> {
    let (title, lines) = examples.split_once('\n')?;
    let has = |line: &&str| {
        let mut words = line.split_whitespace().skip(1);
        let runs = words.next().is_some_and(|word| word == "run" || word == "compare");
        !runs || words.next().is_some_and(|program| app.programs.find(program).is_ok())
    };
    let lines: Vec<_> = lines.lines().filter(has).collect();
    (!lines.is_empty()).then(|| format!("{title}\n{}", lines.join("\n")))
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List machines, programs, policies, mechanisms, studies, claims; or one program with its inputs
    #[command(after_help = "Examples:\n  \
        tradewind list programs\n  \
        tradewind list programs fetch-add\n  \
        tradewind list policies --json")]
    List(List),
    /// Show every value of a modelled machine, where it comes from, and what follows from it
    #[command(after_help = "Examples:\n  \
        tradewind explain paragon\n  \
        tradewind explain paragon --policy inject\n  \
        tradewind explain my-machine.toml --set processor.clock=100MHz --json")]
    Explain(Explain),
    /// Run a program once (or --repeat times) on one machine under one policy
    #[command(after_help = "Examples:\n  \
        tradewind run fetch-add --policy single --input skew=0.99\n  \
        tradewind run iccg --machine hurricane-1 --policy fixed:1 --json\n  \
        tradewind run em3d --mechanism bulk --trace em3d.perfetto-trace\n  \
        tradewind run iccg --input my-matrix.mtx.gz\n  \
        tradewind run iccg --machine hurricane-1 --set network.latency=\"1 us\"")]
    Run(Run),
    /// Run a program by every mechanism under every policy on several machines, check every answer, rank them
    #[command(after_help = "Examples:\n  \
        tradewind compare iccg\n  \
        tradewind compare fetch-add --machine native,ideal --input skew=0.99\n  \
        tradewind compare iccg --machine my-machine.toml --policy single,fixed:1\n  \
        tradewind compare wator --machine meiko-cs2 --free steps=10..100")]
    Compare(Compare),
    /// Run a study, a file that says what is run and drawn: its numbers as tables, its figures as pictures
    ///
    /// The file may be anybody's, in any folder; machine files and input files are found from there. Results of runs are recorded:
    /// a second call is instant, and a call after an interruption goes on where the first one stopped.
    #[command(after_help = "Examples:\n  \
        tradewind study split-c-polling\n  \
        tradewind study my-study.toml --out results\n  \
        tradewind study my-study.toml --jobs 2 --json")]
    Study(Study),
    /// Write what studies found into one HTML file: figures and tables beside the literature, and the machines drawn
    ///
    /// Nothing is run: results are those of the record, or of folders that `tradewind study` has written. The page needs no network and
    /// no script; it reads on a screen, light or dark, and on paper.
    #[command(after_help = "Examples:\n  \
        tradewind report split-c-table1 --out split-c.html\n  \
        tradewind report results --out results.html --pictures pictures\n  \
        tradewind report")]
    Report(Report),
    /// Hold measurements against what the literature says: run what is needed, print each claim with its verdict
    ///
    /// Results of runs are recorded: a second call is instant, and a call after an interruption goes on where the first
    /// one stopped. A changed command or machine file runs again. A claim that differs is a result, not a failure.
    #[command(after_help = "Examples:\n  \
        tradewind claims alewife.table2 fixed-floating.model\n  \
        tradewind claims split-c.table1 split-c.gap2 --json\n  \
        tradewind claims split-c --ledger\n  \
        tradewind claims widget --sensitivity\n  \
        tradewind claims split-c --sensitivity=10%")]
    Claims(Claims),
    /// Measure this host and write its machine file, for models of it and predictions
    ///
    /// Takes less than a minute, in which nothing else should run. A file that this command wrote before is replaced;
    /// any other file is left alone.
    #[command(after_help = "Examples:\n  \
        tradewind calibrate\n  \
        tradewind explain host.toml\n  \
        tradewind compare em3d --machine native,host.toml --nodes 2 --processors 1")]
    Calibrate(Calibrate),
    /// Run memory-model tests on the shared memory, and hold every final state against all that sequential consistency allows
    ///
    /// Tests are read from files and from all files *.litmus below folders, for X86 and RISCV. Each runs many times, its
    /// threads on nodes of their own, with schedules and delays drawn from the seed. A forbidden state ends the command with
    /// 1. If a file cannot be read, the others run all the same, and the command ends with 2.
    #[command(after_help = "Examples:\n  \
        tradewind litmus SB.litmus\n  \
        tradewind litmus my-tests --repeat 2000 --seed 7\n  \
        tradewind litmus my-tests --machine native,s-coma --block 32 --json\n  \
        tradewind litmus my-tests --frames 1 --prefetch")]
    Litmus(Litmus),
    /// Evaluate an analytic model: its figures, its curves as data and as a picture
    #[command(after_help = "Examples:\n  \
        tradewind model fixed-floating --set computation=\"56.5 us\"\n  \
        tradewind model fixed-floating --out curves.svg\n  \
        tradewind model alewife-tables")]
    Model(Model),
    /// Print the completions of this command for a shell
    #[command(after_help = "Examples:\n  \
        tradewind completions bash > ~/.local/share/bash-completion/completions/tradewind")]
    Completions(Completions),
    /// Print the manual page of this command, or of one of its subcommands
    #[command(after_help = "Examples:\n  \
        tradewind man > ~/.local/share/man/man1/tradewind.1\n  \
        tradewind man run > ~/.local/share/man/man1/tradewind-run.1")]
    Man(Manual),
    /// Print the file of a shipped machine, to be copied and changed
    #[command(after_help = "Examples:\n  \
        tradewind machine paragon > my-machine.toml\n  \
        tradewind explain my-machine.toml")]
    Machine(MachineFile),
}

#[derive(Debug, Args)]
pub(crate) struct MachineFile {
    /// The name of a shipped machine: see `tradewind list machines`
    pub(crate) name: String,
}

#[derive(Debug, Args)]
pub(crate) struct Manual {
    /// A subcommand; the command itself if not said
    pub(crate) subcommand: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// The kind of things to show [default: everything but claims]
    pub(crate) what: Option<What>,
    /// The thing to show alone and in full: a program with its inputs
    #[arg(requires = "what")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The name of a shipped model, or a machine file
    #[arg(value_name = "NAME|FILE", value_parser = deferred::name())]
    pub(crate) machine: String,
    /// Show the machine as it is under this policy
    #[arg(long, value_name = "P", value_parser = deferred::policy)]
    pub(crate) policy: Option<Deferred<Policy>>,
    /// Set a value of the machine file, for example network.latency="1 us"; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = deferred::setting)]
    pub(crate) settings: Vec<Setting>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum What {
    Machines,
    Programs,
    Policies,
    Mechanisms,
    Studies,
    /// Shown only on request: there are very many
    Claims,
}

#[derive(Debug, Args)]
pub(crate) struct Study {
    /// The file of a study, or the name of a shipped one: see `tradewind list studies`
    #[arg(value_name = "FILE|NAME", value_parser = deferred::name())]
    pub(crate) study: String,
    /// Write tables, JSON and figures into this folder, which must be empty, missing, or made by this command for this study
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Number of runs on models at a time; runs on this host are always done one after the other [default: the number of cores]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = deferred::some("--jobs"))]
    pub(crate) jobs: Option<Deferred<u32>>,
    #[command(flatten)]
    pub(crate) node_options: NodeOptions,
    /// Keep the results of runs in this file [default: a file in the user's data folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Look for input files that do not travel with a shipped study in this folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Do more than 10000 runs, if the study asks for so many: up to 100000
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Report {
    /// Names or files of studies whose runs are on record, or folders that `tradewind study` has written, or that have such
    /// folders in them [default: every shipped study of which there are runs on record]
    #[arg(value_name = "STUDY|FILE|DIR", value_parser = deferred::name())]
    pub(crate) of: Vec<String>,
    /// The page to write
    #[arg(long, value_name = "FILE.html", default_value = "report.html")]
    pub(crate) out: PathBuf,
    /// Write every picture of the page into this folder too, as SVG; it must be empty, missing, or made by this command
    #[arg(long, value_name = "DIR")]
    pub(crate) pictures: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) place: NodePlace,
    /// Look for results of runs in this file [default: a file in the user's data folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Look for input files that do not travel with the shipped studies in this folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Claims {
    /// Beginnings of ids, in whole parts: `split-c.gap` does not select `split-c.gap2` [default: all claims]
    #[arg(value_name = "ID-PREFIX")]
    pub(crate) prefixes: Vec<String>,
    /// Read the claims from the files *.toml of this folder instead of the shipped ones
    #[arg(long, value_name = "DIR")]
    pub(crate) claims: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) node_options: NodeOptions,
    /// Keep the results of runs in this file [default: a file in the user's data folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Write every claim with its verdict into this file too, tab-separated
    #[arg(long, value_name = "FILE.tsv", conflicts_with_all = ["ledger", "sensitivity"])]
    pub(crate) out: Option<PathBuf>,
    /// Hold the claims against the measured values of a record that --out wrote, without a run
    #[arg(long, value_name = "FILE.tsv", conflicts_with_all = ["ledger", "sensitivity", "record"])]
    pub(crate) recount: Option<PathBuf>,
    /// Look for input files that do not travel with the shipped studies in this folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Print the free parameters of each model instead of the claims: values that claims fixed or that were chosen,
    /// and the verdicts of the claims that fixed none
    #[arg(long)]
    pub(crate) ledger: bool,
    /// Raise each free parameter by a share, 5% unless stated, one at a time, and print which claims move by how much.
    /// Every run is done once for each free parameter of its machine: minutes for a study
    #[arg(long, value_name = "SHARE", num_args = 0..=1, require_equals = true, default_missing_value = "5%")]
    #[arg(conflicts_with = "ledger", value_parser = share)]
    pub(crate) sensitivity: Option<f64>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Calibrate {
    /// The machine file to write
    #[arg(long, value_name = "FILE", default_value = "host.toml")]
    pub(crate) out: PathBuf,
    /// Number of measurements of everything, after one that warms up; the median counts
    #[arg(long, value_name = "R", default_value = "9", allow_negative_numbers = true, value_parser = deferred::some("--repeat"))]
    pub(crate) repeat: Deferred<u32>,
    #[command(flatten)]
    pub(crate) node_options: NodeOptions,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Litmus {
    /// Tests, or folders with tests
    #[arg(value_name = "FILE|DIR", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Machines to run them on
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "native,hurricane", value_parser = deferred::name())]
    pub(crate) machine: Vec<String>,
    /// Set a value of the models' machine files, for example network.latency="1 us"; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = deferred::setting)]
    pub(crate) settings: Vec<Setting>,
    /// The policy on every machine [default: the one that a machine is named after, or floating, or one that it can do]
    #[arg(long, value_name = "P", value_parser = deferred::policy)]
    pub(crate) policy: Option<Deferred<Policy>>,
    #[command(flatten)]
    pub(crate) node_options: NodeOptions,
    #[command(flatten)]
    pub(crate) memory: Memory,
    /// Pages of other nodes that a node has room for: 1 to 64 [default: all]. With few of them pages with variables give way to
    /// others, which threads access between the test's accesses
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = deferred::frames)]
    pub(crate) frames: Option<Deferred<u32>>,
    /// Have threads prefetch variables before their accesses. A model drops every prefetch
    #[arg(long)]
    pub(crate) prefetch: bool,
    /// Number of runs of each test on each machine
    #[arg(long, value_name = "R", default_value = "1000", allow_negative_numbers = true, value_parser = deferred::some("--repeat"))]
    pub(crate) repeat: Deferred<u32>,
    /// Seed of schedules and delays
    #[arg(long, value_name = "S", default_value = "1", allow_negative_numbers = true, value_parser = deferred::whole("--seed", 0, u64::MAX))]
    pub(crate) seed: Deferred<u64>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Model {
    /// The model
    pub(crate) name: ModelName,
    /// Set a value of the model, for example latency="60 us"; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = deferred::setting)]
    pub(crate) settings: Vec<Setting>,
    /// Draw its curves into this file, as SVG
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ModelName {
    /// When a dedicated protocol processor pays
    FixedFloating,
    /// Bandwidths and latencies of fourteen machines, also in terms of a miss to local memory
    AlewifeTables,
}

/// Where nodes live when the machine is this host.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Place {
    /// All nodes in one process
    Local,
    /// Each node in a process of its own
    Processes,
}

/// The place of the nodes of runs on this host.
#[derive(Debug, Args)]
pub(crate) struct NodePlace {
    /// Where the nodes of a native run live
    #[arg(long, value_enum, default_value = "local")]
    pub(crate) world: Place,
    /// Nodes in each process, with --world processes
    #[arg(long, value_name = "N", default_value = "1", allow_negative_numbers = true, value_parser = deferred::some("--nodes-per-process"))]
    pub(crate) nodes_per_process: Deferred<u32>,
}

/// The place of the nodes of runs on this host, and its time limit.
#[derive(Debug, Args)]
pub(crate) struct NodeOptions {
    #[command(flatten)]
    pub(crate) place: NodePlace,
    /// Time of silence after which a process is lost, with --world processes
    #[arg(long, value_name = "TIME", default_value = "5 s", allow_hyphen_values = true, value_parser = deferred::peer_timeout)]
    pub(crate) peer_timeout: Deferred<Time>,
}

/// How shared memory is kept coherent.
#[derive(Debug, Args)]
pub(crate) struct Memory {
    /// The protocol that keeps shared memory coherent, see `tradewind list mechanisms` [default: stache]. With mechanism
    /// shared-memory only
    #[arg(long, value_name = "P")]
    pub(crate) protocol: Option<String>,
    /// Bytes of a coherence block of shared memory: 16, 32, 64 or 128 [default: 64; 128 for a program on this host alone].
    /// With mechanism shared-memory only
    #[arg(long, value_name = "BYTES", allow_negative_numbers = true, value_parser = deferred::block)]
    pub(crate) block: Option<Deferred<u32>>,
}

/// How results are printed.
#[derive(Debug, Args)]
pub(crate) struct Output {
    /// Columns of the output [default: COLUMNS, or the terminal's, or 80]
    #[arg(long, value_name = "COLUMNS", allow_negative_numbers = true, value_parser = deferred::whole("--width", LEAST_WIDTH, u16::MAX))]
    width: Option<Deferred<u16>>,
    /// Machine-readable output, described in docs/json.md
    #[arg(long)]
    pub(crate) json: bool,
}

impl Output {
    /// The page that results are printed on.
    pub(crate) fn page(&self) -> Result<Page, Problem> {
        deferred::optional(&self.width).map(Page::find)
    }
}

/// Arguments that `run` and `compare` have in common.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// The program: see `tradewind list programs`
    pub(crate) program: String,
    #[command(flatten)]
    pub(crate) node_options: NodeOptions,
    /// Set a value of the machine file, for example network.latency="1 us"; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = deferred::setting)]
    pub(crate) settings: Vec<Setting>,
    /// Threads of the program on each computing processor [default: 1, or as many as the program needs]
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = deferred::some("--threads"))]
    pub(crate) threads: Option<Deferred<u32>>,
    #[command(flatten)]
    pub(crate) memory: Memory,
    /// An input of the program, or the path of its file alone; may be repeated
    #[arg(long = "input", value_name = "KEY=VALUE|FILE", value_parser = deferred::name())]
    pub(crate) inputs: Vec<String>,
    /// Seed of everything that is left to chance
    #[arg(long, value_name = "S", default_value = "1", allow_negative_numbers = true, value_parser = deferred::whole("--seed", 0, u64::MAX))]
    pub(crate) seed: Deferred<u64>,
    /// Time without any progress after which a run is given up, for example "10 s", in the world's own time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = deferred::stall_limit)]
    pub(crate) stall_limit: Option<Deferred<Time>>,
    /// Time of this host without one modelled event after which the process ends: a thread on a model loops without a call that
    /// takes modelled time, such as a poll
    #[arg(long, value_name = "TIME", default_value = "30 s", allow_hyphen_values = true, value_parser = deferred::host_limit)]
    pub(crate) host_limit: Deferred<Time>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// `native` for this host, the name of a shipped model, or a machine file
    #[arg(long, value_name = "native|NAME|FILE", default_value = "native", value_parser = deferred::name())]
    pub(crate) machine: String,
    /// Number of nodes [default: the machine's own; native: 2, or 1 on too few cores; or as many as the program needs]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = deferred::some("--nodes"))]
    pub(crate) nodes: Option<Deferred<u32>>,
    /// Processors of each node [default: the machine's own; native: as many as there are cores for]
    #[arg(long, value_name = "P", allow_negative_numbers = true, value_parser = deferred::some("--processors"))]
    pub(crate) processors: Option<Deferred<u32>>,
    /// A preset, for example floating, fixed:1 or single+helper: presets and options are in `tradewind list policies` [default:
    /// floating, or else the first that the machine can do: `tradewind explain` says it]
    #[arg(long, value_name = "P", value_parser = deferred::policy)]
    pub(crate) policy: Option<Deferred<Policy>>,
    /// The mechanism by which data moves, see `tradewind list mechanisms` [default: the program's first that the machine can do]
    #[arg(long, value_name = "M", value_parser = deferred::mechanism)]
    pub(crate) mechanism: Option<Deferred<Mechanism>>,
    /// Measure the speed-up on a model over another run of the same problem: uniprocessor, one processor with its memory, where
    /// tags and messages take no time
    #[arg(long, value_name = "B", value_parser = deferred::baseline)]
    pub(crate) baseline: Option<Deferred<Baseline>>,
    /// Number of runs on this host, or auto for as many as it takes; the median is reported
    #[arg(long, value_name = "R|auto", default_value = "1", allow_negative_numbers = true, value_parser = deferred::repeat)]
    pub(crate) repeat: Deferred<Repeat>,
    /// Show the inputs and all that was counted, in place of a screen of 24 lines
    #[arg(long)]
    pub(crate) all: bool,
    /// Write every event into this file, for Perfetto (ui.perfetto.dev)
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Modelled time between samples of how busy each part of a model is and how many events wait, for the trace [default: 10 us]
    #[arg(long, value_name = "TIME", requires = "trace", allow_hyphen_values = true, value_parser = deferred::trace_interval)]
    pub(crate) trace_interval: Option<Deferred<Time>>,
    /// Draw the curves of a program that has some, such as traffic, into this file, as SVG; of another program, where the time
    /// of its events went on a model
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// Machines to compare on [default: native and paragon, or hurricane-1 for a program that paragon cannot run]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = deferred::name())]
    pub(crate) machine: Vec<String>,
    /// Number of nodes, the same on every machine [default: with native among the machines 2, or as many as the program needs;
    /// else 4]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = deferred::some("--nodes"))]
    pub(crate) nodes: Option<Deferred<u32>>,
    /// Processors of each node, the same on every machine [default: with native among the machines as many as this host has
    /// cores for, where 2 or 3 cores make two tables: 2 nodes of 1 and 1 node of 2; else 2]
    #[arg(long, value_name = "P", allow_negative_numbers = true, value_parser = deferred::some("--processors"))]
    pub(crate) processors: Option<Deferred<u32>>,
    /// Show all rows, findings and inputs, in place of the best rows that fit a screen of 24 lines
    #[arg(long)]
    pub(crate) all: bool,
    /// Explain the words, marks and columns of the tables
    #[arg(long)]
    pub(crate) legend: bool,
    /// Show all rows, with traffic and how busy processors were
    #[arg(long)]
    pub(crate) counters: bool,
    /// Policies to compare, see `tradewind list policies` [default: every preset that the machine can do, where there are
    /// processors for it]. One that is listed
    /// twice is measured twice
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = deferred::policy)]
    pub(crate) policy: Vec<Deferred<Policy>>,
    /// Mechanisms to compare [default: all that the program is written for]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = deferred::mechanism)]
    pub(crate) mechanism: Vec<Deferred<Mechanism>>,
    /// Show how much faster each row is than another run, its speed-up: uniprocessor, one processor of a model with its memory,
    /// where tags and messages take no time; or a row, such as messages:single
    #[arg(long, value_name = "ROW", value_parser = deferred::reference)]
    pub(crate) baseline: Option<Deferred<Reference>>,
    /// Inputs of unknown value: run every row at all ends of their ranges, show the band of its ratio to the best, and say
    /// whether the ranking survives. NAME,NAME where the program states the values, else NAME=LOW..HIGH or NAME=A,B; may be
    /// repeated, for 3 inputs and 16 cases at most
    #[arg(long, value_name = "NAME[=VALUES]", value_parser = deferred::free)]
    pub(crate) free: Vec<Deferred<Vec<AskedFree>>>,
    /// Native runs of each combination; the median counts. With auto, as many as it takes until the medians are known well
    /// enough, or a few seconds are over. A model gives the same result every time and runs once
    #[arg(long, value_name = "R|auto", default_value = "auto", allow_negative_numbers = true, value_parser = deferred::repeat)]
    pub(crate) repeat: Deferred<Repeat>,
    /// Draw the tables into this file: as a picture, or as a page with further pictures and tables
    #[arg(long, value_name = "FILE.svg|FILE.html")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// Reads a share of a value: `5%` or `5 %`.
fn share(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    let share = number.map(|number| number / 100.0).filter(|share| share.is_finite() && *share > 0.0);
    share.ok_or_else(|| "expected a share above zero such as 5%".to_owned())
}
