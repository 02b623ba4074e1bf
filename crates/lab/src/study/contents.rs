//! The contents of a study. This module must never run anything, nor know the value of a metric.

use machine::NATIVE;

use super::band::Band;
use super::figure::Figure;
use super::mapping::Mapping;
use crate::Claim;
use crate::expression::Expression;
use crate::mistake::Place;
use crate::specification::{FIELDS, NodeProcesses, Specification};
use crate::toml::Table;

/// The most runs that a study may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Most(pub u64);

impl Most {
    pub(super) fn expected(self) -> String {
        format!("at most {} in a study; --yes allows {}", self.0, Study::MOST_ASKED.0)
    }
}

/// A file of `studies/`, or of a user.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// Name of the study: that of the file unless it says another.
    pub name: String,
    /// A one-line description for people.
    pub summary: String,
    /// Path of the file.
    pub file: String,
    /// The input files that a person must have for it: they do not travel with it.
    pub files: Vec<OwnFile>,
    /// Sources of figures, in the order of the file.
    pub sources: Vec<Source>,
    /// Metrics that follow from metrics.
    pub derived: Vec<Derived>,
    /// Orders and shapes.
    pub checks: Vec<Check>,
    /// Metrics at further values of inputs that the source of the claims leaves open.
    pub bands: Vec<Band>,
    /// Expected values of metrics that nobody published as a result: claims of [`Role::Bound`](crate::Role::Bound).
    pub bounds: Vec<Claim>,
    /// The claims used to choose an unpublished value, an input of its runs, say.
    pub fits: Vec<String>,
    /// Pictures of its numbers.
    pub figures: Vec<Figure>,
    /// Labels in pictures for values of a field, or columns.
    pub labels: Vec<(String, String)>,
    /// Parts of the original that the models leave out, a sentence each.
    pub leaves_out: Vec<String>,
}

/// A source of figures, and their uses.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The run, model or survey.
    pub origin: Origin,
    /// Stated values by name: lists of `each` first, then the [fields](Specification::fields) of a run.
    pub fields: Vec<(String, String)>,
    /// Uses of the figures.
    pub metrics: Vec<Mapping>,
    /// The axes of its table that have an unknown value.
    pub free: Vec<String>,
    /// The number of times that it is run: more than once only on this host, where times differ.
    pub rounds: u32,
    /// Number of the table among the tables of its kind, from 0: each table has a table of results.
    pub table: usize,
    /// Places in the file.
    pub places: Places,
}

/// The places of a table of the file and of its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The beginning of the table.
    pub table: Place,
    fields: Vec<(&'static str, Place)>,
}

/// Kind of a source of figures.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// A program on a machine.
    Run(Box<Specification>),
    /// An analytic model, with its settings.
    Model {
        /// Name, as in `tradewind model NAME`.
        name: String,
        /// Settings, as `--set` takes them.
        settings: Vec<(String, String)>,
    },
    /// Machines of a table.
    Survey {
        /// File, relative to the studies.
        file: String,
    },
}

/// A metric that follows from others.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    /// Name of the metric.
    pub metric: String,
    /// Expression of its value.
    pub value: Expression,
    /// Reason why this expression says the same as the claim.
    pub because: String,
    /// Place in the file.
    pub place: Place,
}

/// An order or a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The claim it decides.
    pub claim: String,
    /// Expressions that must all hold.
    pub holds: Vec<Expression>,
    /// Reason why these expressions say the same as the claim.
    pub because: String,
    /// Place in the file.
    pub place: Place,
}

impl Places {
    pub(super) fn of(table: &Table<'_>) -> Self {
        let keys = FIELDS.iter().chain(&["inputs", "set"]).filter(|key| table.has(key));
        Self { table: table.place, fields: keys.map(|key| (*key, table.place_of(key))).collect() }
    }

    /// The place of the value of a key; of the table where it has none.
    pub fn field(&self, key: &str) -> Place {
        self.fields.iter().find(|(known, _)| *known == key).map_or(self.table, |(_, place)| *place)
    }
}

impl Source {
    /// The number of runs on this host where the study says nothing: the median of nine lies between the second and the
    /// eighth with 96 percent.
    pub const ROUNDS: u32 = 9;

    /// The number of runs on this host in each round, after one that warms up; their median counts.
    pub const WARM: u32 = 3;

    /// Whether it yields a metric of this name.
    pub fn yields(&self, name: &str) -> bool {
        self.metrics
            .iter()
            .filter_map(|mapping| mapping.metric.as_ref())
            .any(|metric| metric.capture(name).is_some())
    }

    /// The value of the field `name`, as stated.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }
}

impl Study {
    /// Has the runs on this host done with their nodes in these processes.
    pub fn run_in(&mut self, processes: Option<NodeProcesses>) {
        for source in &mut self.sources {
            if let Origin::Run(run) = &mut source.origin
                && run.machine == NATIVE
            {
                run.processes = processes;
            }
        }
    }

    /// Maximum number of runs of a study without a confirmation.
    pub const MOST: Most = Most(10_000);

    /// Maximum number of runs of a study with a confirmation.
    pub const MOST_ASKED: Most = Most(100_000);

    /// The number of runs, each of several rounds counted.
    pub fn runs(&self) -> u64 {
        let rounds = |source: &Source| match &source.origin {
            Origin::Run(_) => u64::from(source.rounds),
            _ => 0,
        };
        self.sources.iter().map(rounds).sum()
    }

    /// Label in pictures and tables of a value of a field, or a column.
    pub fn label<'a>(&'a self, name: &'a str) -> &'a str {
        self.labels.iter().find(|(known, _)| known == name).map_or(name, |(_, label)| label)
    }

    /// A text in pictures, with the label of each of its parts: `gets, np` has two.
    pub fn labelled(&self, text: &str) -> String {
        text.split(", ").map(|part| self.label(part)).collect::<Vec<_>>().join(", ")
    }
}

/// An input file that a person must have for a study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnFile {
    /// The name of the file, as inputs of runs name it.
    pub name: String,
    /// A description of the file, for people who look for it.
    pub what: String,
    /// The place of its line in the study.
    pub place: Place,
}

impl OwnFile {
    /// Whether a run reads the file.
    pub fn is_read_by(&self, run: &Specification) -> bool {
        run.inputs.iter().any(|(_, value)| *value == self.name)
    }
}
