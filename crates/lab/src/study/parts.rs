//! The tables of a study: runs, models, surveys, derived metrics, checks, and bounds. This module must never know a
//! metric's value.

use machine::NATIVE;

use super::contents::{Check, Derived, Most, Origin, Places, Source};
use super::texts::{Texts, complete};
use crate::claim::{Claim, Relation, Role, Stated};
use crate::expression::{self, Value};
use crate::specification::{FIELDS, Specification, field_name};
use crate::template::Axis;
use crate::toml::{self, Table};
use crate::{claim, template};

/// The keys of a run whose values may be lists.
const LISTS: [&str; 2] = ["inputs", "set"];

/// Something of a file that yields figures: its key, and how a table of it is read.
pub(super) struct Kind {
    pub(super) key: &'static str,
    pub(super) origin: fn(&Texts<'_, '_>) -> Option<Origin>,
}

pub(super) const KINDS: [Kind; 3] = [
    Kind { key: RUN, origin: run },
    Kind { key: "model", origin: model },
    Kind { key: "survey", origin: survey },
];

const RUN: &str = "run";

/// The key of the axes of unknown value.
const FREE: &str = "free";

/// The choices that are ranked over the values of free axes.
pub const RANKED: [&str; 2] = ["mechanism", "policy"];

/// Everything of one kind that yields figures. A table that stands for more runs than allowed is read as one.
pub(super) fn sources(top: &Table<'_>, kind: &Kind, prefix: &str, most: Most) -> Vec<Source> {
    let mut sources = Vec::new();
    for (number, table) in top.tables(kind.key).iter().enumerate() {
        let mut axes = axes(table);
        let count = template::count(&axes);
        if count > most.0 {
            top.report(table.place, kind.key, Some(format!("{count} runs")), most.expected());
            axes.iter_mut().for_each(|axis| axis.values.truncate(1));
        }
        let free = if kind.key == RUN { free(table, &axes) } else { Vec::new() };
        for filling in template::fillings(&axes) {
            let texts = Texts { table, filling };
            let source = source(&texts, kind, number, prefix);
            sources.extend(source.map(|source| Source { free: free.clone(), ..source }));
        }
        table.finish();
    }
    sources
}

/// All lists by which a table stands for many: lists of `each`, and lists in place of values.
fn axes(table: &Table<'_>) -> Vec<Axis> {
    let mut axes = template::axes(table);
    let fields = FIELDS.iter().filter(|key| table.has_list(key));
    let fields = fields.map(|key| (*key, (*key).to_owned(), table.list(key)));
    let fields: Vec<_> = fields.collect();
    for (key, name, values) in fields.into_iter().chain(LISTS.iter().flat_map(|key| lists(table, key))) {
        if axes.iter().any(|axis| axis.names().any(|known| known == name)) {
            table.refuse(key, format!("a name that `each` does not have: {name}"));
        } else {
            axes.push(template::axis(table, key, &name, values));
        }
    }
    axes
}

/// The axes of a table that have an unknown value, over which its numbers have bands. A choice that is ranked is known.
fn free(table: &Table<'_>, axes: &[Axis]) -> Vec<String> {
    let free = table.texts(FREE, "a list of names of axes, such as [\"steps\"]");
    for (index, name) in free.iter().enumerate().filter(|(index, name)| !free[..*index].contains(name)) {
        let values =
            axes.iter().find(|axis| axis.names().any(|known| known == name)).map(|axis| axis.values.len());
        let expected = match values {
            _ if RANKED.contains(&name.as_str()) => {
                format!("axes of unknown value; `{name}` is a choice that is ranked")
            }
            _ if free[index + 1..].contains(name) => format!("each axis once; `{name}` stands there twice"),
            // Values with a mistake have been reported.
            Some(0) => continue,
            None | Some(1) => format!(
                "axes of this run with two values or more, such as inputs = {{ {name} = [10, 100] }}; `{name}` has no such range"
            ),
            Some(_) => continue,
        };
        table.refuse(FREE, expected);
    }
    free
}

/// The lists in a table of inputs or settings, by their names among the fields of a run.
fn lists(table: &Table<'_>, key: &'static str) -> Vec<(&'static str, String, Vec<String>)> {
    let lists = table.inner(key).map(|inner| inner.lists_or_none()).unwrap_or_default();
    let list = |(name, values): (&str, Option<Vec<String>>)| Some((key, field_name(key, name), values?));
    lists.into_iter().filter_map(list).collect()
}

fn source(texts: &Texts<'_, '_>, kind: &Kind, number: usize, prefix: &str) -> Option<Source> {
    let origin = (kind.origin)(texts);
    let is_run = kind.key == RUN;
    let metrics = texts.mappings(is_run, prefix);
    let repeat = if is_run { texts.count("repeat") } else { None };
    let origin = origin?;
    let mut fields = match &origin {
        Origin::Run(run) => run.fields(),
        Origin::Model { name, settings } => {
            [&[("model".to_owned(), name.clone())], settings.as_slice()].concat()
        }
        Origin::Survey { file } => vec![("survey".to_owned(), file.clone())],
    };
    let is_field = |name: &str| fields.iter().any(|(field, _)| field == name);
    let own: Vec<_> = texts.filling.pairs().iter().filter(|(name, _)| !is_field(name)).cloned().collect();
    fields.splice(0..0, own);
    let rounds = match &origin {
        Origin::Run(run) if run.machine == NATIVE => repeat.unwrap_or(Source::ROUNDS),
        _ => 1,
    };
    let places = Places::of(texts.table);
    Some(Source { origin, fields, metrics, free: Vec::new(), rounds, table: number, places })
}

/// A program on a machine.
fn run(texts: &Texts<'_, '_>) -> Option<Origin> {
    let program = texts.required("program", "the name of a program");
    let machine = texts.required("machine", "the name of a machine, or a machine file");
    let specification = |program, machine| Specification {
        program,
        machine,
        policy: texts.field("policy", "the name of a policy"),
        mechanism: texts.field("mechanism", "the name of a mechanism"),
        protocol: texts.field("protocol", "the name of a protocol"),
        baseline: texts.field("baseline", "the name of a baseline, such as \"uniprocessor\""),
        block: texts.count("block"),
        nodes: texts.count("nodes"),
        processors: texts.count("processors"),
        threads: texts.count("threads"),
        inputs: texts.pairs("inputs"),
        settings: texts.pairs("set"),
        seed: texts.count("seed").map_or(1, u64::from),
        ..Specification::default()
    };
    let mut run = specification(program?, machine?);
    run.repeat = (run.machine == NATIVE).then_some(Source::WARM);
    Some(Origin::Run(Box::new(run)))
}

/// An analytic model.
fn model(texts: &Texts<'_, '_>) -> Option<Origin> {
    let name = texts.required("name", "the name of a model, such as \"fixed-floating\"");
    let settings = texts.pairs("set");
    Some(Origin::Model { name: name?, settings })
}

/// Machines of a table.
fn survey(texts: &Texts<'_, '_>) -> Option<Origin> {
    let file = texts.required("file", "a file of machines, such as \"data/machine-survey.toml\"");
    Some(Origin::Survey { file: file? })
}

const BECAUSE: &str = "one line that says why this is what the claim states";

/// The derived metrics of a table.
pub(super) fn derived(table: &Table<'_>, prefix: &str) -> Vec<Derived> {
    let one = |filling| {
        let texts = Texts { table, filling };
        let metric = texts.text("metric", "the name of a metric: the id of a claim");
        let value = texts.expression("value", "an expression over metrics", prefix, expression::Kind::Number);
        let because = texts.text("because", BECAUSE);
        Some(Derived {
            metric: complete(&metric?, prefix),
            value: value?,
            because: because?,
            place: table.place,
        })
    };
    let all = template::each(table).into_iter().filter_map(one).collect();
    table.finish();
    all
}

/// The checks of a table: one for each claim it names. If all its fillings name the same, everything must hold.
pub(super) fn checks(table: &Table<'_>, prefix: &str) -> Vec<Check> {
    let mut checks: Vec<Check> = Vec::new();
    for filling in template::each(table) {
        let texts = Texts { table, filling };
        let claim = texts.text("claim", "the id of a claim");
        let because = texts.text("because", BECAUSE);
        let holds = texts.expression("holds", "a comparison of metrics", prefix, expression::Kind::Flag);
        let (Some(claim), Some(because), Some(holds)) = (claim, because, holds) else { continue };
        let claim = complete(&claim, prefix);
        match checks.iter_mut().find(|check| check.claim == claim) {
            Some(check) => check.holds.push(holds),
            None => checks.push(Check { claim, holds: vec![holds], because, place: table.place }),
        }
    }
    table.finish();
    checks
}

/// The bounds of a table: claims that the study makes itself. The stated value is an expression of numbers alone, so
/// that the reader sees where it comes from.
pub(super) fn bounds(table: &Table<'_>, prefix: &str, file: &str) -> Vec<Claim> {
    let one = |filling| {
        let texts = Texts { table, filling };
        let id = texts.text("id", "the name of the metric that is held against it");
        let place = texts.text("where", "what it follows from");
        let statement = texts.text("statement", "the statement in words");
        let unit = texts.optional("unit", "a text").unwrap_or_default();
        let relation = relation(table);
        let tolerance = table.optional("tolerance", "a share of what is stated, above 0", toml::positive);
        let key = relation.name();
        let expected = "an expression of numbers; or at_least or at_most in its place";
        let stated =
            match texts.expression(key, expected, prefix, expression::Kind::Number)?.evaluate(&|_| None) {
                Some(Value::Number(number)) => Some(Stated::Number(number, number.to_string())),
                _ => {
                    table.refuse(key, "an expression of numbers alone, whose value is finite");
                    None
                }
            };
        if let (Some(Stated::Number(0.0, _)), Some(_)) = (&stated, tolerance) {
            table.refuse("tolerance", format!("no share of {key}, which is 0"));
        }
        Some(Claim {
            id: complete(&id?, prefix),
            place: place?,
            role: Role::Bound,
            kind: claim::Kind::Value,
            statement: statement?,
            value: Some(stated?),
            relation,
            tolerance,
            unit,
            confidence: claim::DERIVED.to_owned(),
            fit: false,
            held_out: false,
            work: None,
            file: file.to_owned(),
            line: table.place.line,
        })
    };
    let all = template::each(table).into_iter().filter_map(one).collect();
    table.finish();
    all
}

/// Required relation of a metric to the number of a bound: given by the key of the number. A second such key is a
/// mistake.
fn relation(table: &Table<'_>) -> Relation {
    let all = [Relation::About, Relation::AtLeast, Relation::AtMost];
    let mut written = all.into_iter().filter(|relation| table.has(relation.name()));
    let first = written.next().unwrap_or_default();
    for second in written {
        let _ = table.item(second.name());
        table.refuse(second.name(), format!("no such key beside {}", first.name()));
    }
    first
}
