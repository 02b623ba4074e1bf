//! The command line: which part of everything is measured, how often, and how it is printed.

use crate::contenders::{ALL, Kind, Name};
use crate::workload::{Cell, KEYS, Keys, Topology};

const USAGE: &str = "\
cargo bench -p tradewind-pdq --bench dispatch -- [OPTIONS]
  --quick            a tenth of the time, coarse
  --rounds N         rounds, 5 by default
  --keys LIST        of 1, 16, 1024, 1M, zipf, hot
  --handler LIST     nanoseconds, of 0, 50, 200
  --workers LIST     1 (beside a producer), 2 (that produce)
  --only LIST        contenders by name
  --brief            of the rivals, only the best
  uncontended N      only N uncontended round trips, to count instructions";

/// The handlers' nanoseconds of computation.
const HANDLERS: [u32; 3] = [0, 50, 200];

#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) rounds: usize,
    pub(crate) quick: bool,
    pub(crate) brief: bool,
    /// Number of uncontended round trips to run, and nothing else.
    pub(crate) uncontended: Option<u64>,
    keys: Vec<Keys>,
    handlers: Vec<u32>,
    topologies: Vec<Topology>,
    only: Option<Vec<Name>>,
}

impl Options {
    /// Reads the arguments.
    ///
    /// # Errors
    ///
    /// A message for the user.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            rounds: 5,
            quick: false,
            brief: false,
            uncontended: None,
            keys: KEYS.to_vec(),
            handlers: HANDLERS.to_vec(),
            topologies: vec![Topology::Split, Topology::Both],
            only: None,
        };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value\n{USAGE}"));
            match argument.as_str() {
                "--quick" => (options.quick, options.rounds) = (true, 3),
                "--brief" => options.brief = true,
                "--rounds" => options.rounds = number(&value()?)?.max(1),
                "--keys" => options.keys = list(&value()?, key_set)?,
                "--handler" => options.handlers = list(&value()?, handler)?,
                "--workers" => options.topologies = list(&value()?, topology)?,
                "--only" => options.only = Some(list(&value()?, contender)?),
                "uncontended" => options.uncontended = Some(number(&value()?)? as u64),
                // Cargo says that this is a benchmark.
                "--bench" => {}
                _ => return Err(format!("what is {argument}?\n{USAGE}")),
            }
        }
        Ok(options)
    }

    pub(crate) fn keys(&self) -> &[Keys] {
        &self.keys
    }

    pub(crate) fn handlers(&self) -> &[u32] {
        &self.handlers
    }

    /// The cells over these keys.
    pub(crate) fn cells(&self, keys: Keys) -> impl Iterator<Item = Cell> {
        let handlers =
            move |topology| self.handlers.iter().map(move |&handler| Cell { topology, keys, handler });
        self.topologies.iter().flat_map(move |&topology| handlers(topology))
    }

    /// Contenders that run in a cell.
    pub(crate) fn contenders(&self, cell: Cell) -> Vec<Name> {
        let chosen = |name: &Name| match &self.only {
            None => true,
            // The references of our queue come along with it.
            Some(only) => {
                only.contains(name) || (name.kind() == Kind::Reference && only.contains(&Name::Ours))
            }
        };
        ALL.into_iter().filter(|name| name.applies(cell) && chosen(name)).collect()
    }
}

fn list<T>(text: &str, one: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    text.split(',').map(one).collect()
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("{text} is not a number"))
}

fn key_set(text: &str) -> Result<Keys, String> {
    let matches = |keys: &Keys| keys.to_string().split_whitespace().next() == Some(text);
    KEYS.into_iter().find(matches).ok_or_else(|| format!("no such keys: {text}\n{USAGE}"))
}

fn handler(text: &str) -> Result<u32, String> {
    HANDLERS
        .into_iter()
        .find(|handler| handler.to_string() == text)
        .ok_or_else(|| format!("no such handler: {text}\n{USAGE}"))
}

fn topology(text: &str) -> Result<Topology, String> {
    match text {
        "1" => Ok(Topology::Split),
        "2" => Ok(Topology::Both),
        _ => Err(format!("no such number of workers: {text}\n{USAGE}")),
    }
}

fn contender(text: &str) -> Result<Name, String> {
    let names = || ALL.map(Name::text).join(", ");
    ALL.into_iter()
        .find(|name| name.text() == text)
        .ok_or_else(|| format!("no such contender: {text}; there are {}", names()))
}
