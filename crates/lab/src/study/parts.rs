//! The tables of a study: runs, models, surveys, what follows, what is checked, and bounds. Must never know a
//! metric's value.

use super::texts::{Texts, complete};
use super::{Check, Derived, Origin, Source};
use crate::claim::{Claim, Role, Stated};
use crate::expression::{Kind, Value};
use crate::specification::Specification;
use crate::toml::Table;
use crate::{claim, template};

/// Everything that yields figures under one key of the file.
pub(super) fn sources(
    top: &Table<'_>,
    key: &'static str,
    origin: fn(&Texts<'_, '_>) -> Option<Origin>,
) -> Vec<Source> {
    let mut sources = Vec::new();
    for table in top.tables(key) {
        for filling in template::each(&table) {
            let texts = Texts { table: &table, filling };
            let origin = origin(&texts);
            let metrics = texts.mappings(key == "run");
            sources.extend(origin.map(|origin| Source { origin, metrics, line: table.line }));
        }
        table.finish();
    }
    sources
}

/// A program on a machine.
pub(super) fn run(texts: &Texts<'_, '_>) -> Option<Origin> {
    let program = texts.text("program", "the name of a program");
    let machine = texts.text("machine", "the name of a machine, or a machine file");
    let specification = |program, machine| Specification {
        program,
        machine,
        policy: texts.optional("policy", "the name of a policy"),
        mechanism: texts.optional("mechanism", "the name of a mechanism"),
        protocol: texts.optional("protocol", "the name of a protocol"),
        block: texts.count("block"),
        nodes: texts.count("nodes"),
        processors: texts.count("processors"),
        threads: texts.count("threads"),
        inputs: texts.pairs("inputs"),
        settings: texts.pairs("set"),
        seed: texts.count("seed").map_or(1, u64::from),
    };
    Some(Origin::Run(Box::new(specification(program?, machine?))))
}

/// An analytic model.
pub(super) fn model(texts: &Texts<'_, '_>) -> Option<Origin> {
    let name = texts.text("name", "the name of a model, such as \"fixed-floating\"");
    let settings = texts.pairs("set");
    Some(Origin::Model { name: name?, settings })
}

/// Machines of a table.
pub(super) fn survey(texts: &Texts<'_, '_>) -> Option<Origin> {
    let file = texts.text("file", "a file of machines, such as \"data/machine-survey.toml\"");
    Some(Origin::Survey { file: file? })
}

const BECAUSE: &str = "one line that says why this is what the claim states";

/// What a table makes follow from metrics.
pub(super) fn derived(table: &Table<'_>, prefix: &str) -> Vec<Derived> {
    let one = |filling| {
        let texts = Texts { table, filling };
        let metric = texts.text("metric", "the name of a metric: the id of a claim");
        let value = texts.expression("value", "an expression over metrics", prefix, Kind::Number);
        let because = texts.text("because", BECAUSE);
        Some(Derived {
            metric: complete(&metric?, prefix),
            value: value?,
            because: because?,
            line: table.line,
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
        let holds = texts.expression("holds", "a comparison of metrics", prefix, Kind::Flag);
        let (Some(claim), Some(because), Some(holds)) = (claim, because, holds) else { continue };
        let claim = complete(&claim, prefix);
        match checks.iter_mut().find(|check| check.claim == claim) {
            Some(check) => check.holds.push(holds),
            None => checks.push(Check { claim, holds: vec![holds], because, line: table.line }),
        }
    }
    table.finish();
    checks
}

/// The bounds of a table: claims that the study makes itself. What they state is an expression of numbers alone, so that
/// the reader sees where it comes from.
pub(super) fn bounds(table: &Table<'_>, prefix: &str, file: &str) -> Vec<Claim> {
    let one = |filling| {
        let texts = Texts { table, filling };
        let id = texts.text("id", "the name of the metric that is held against it");
        let place = texts.text("where", "what it follows from");
        let statement = texts.text("statement", "the statement in words");
        let unit = texts.optional("unit", "a text").unwrap_or_default();
        let stated = texts.expression("stated", "an expression of numbers", prefix, Kind::Number);
        let stated = match stated?.evaluate(&|_| None) {
            Some(Value::Number(number)) => Some(Stated::Number(number, number.to_string())),
            _ => {
                table.refuse("stated", "an expression of numbers alone, whose value is finite");
                None
            }
        };
        Some(Claim {
            id: complete(&id?, prefix),
            place: place?,
            role: Role::Bound,
            kind: claim::Kind::Value,
            statement: statement?,
            value: Some(stated?),
            unit,
            confidence: claim::DERIVED.to_owned(),
            fit: false,
            held_out: false,
            work: None,
            file: file.to_owned(),
            line: table.line,
        })
    };
    let all = template::each(table).into_iter().filter_map(one).collect();
    table.finish();
    all
}
