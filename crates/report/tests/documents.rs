//! The page and the schemas of the JSON documents follow from their types.
//!
//! `docs/schema/*.json` and the tables of `docs/json.md` are made here. After a change of the types,
//! `TRADEWIND_WRITE=1 cargo test -p tradewind-report --test documents` writes them anew.

#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use schemars::{Schema, schema_for};
use serde_json::Value;
use tradewind_report::document as documents;

/// Each document: the command that prints it with `--json`, and its schema.
fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("list", schema_for!(documents::List)),
        ("explain", schema_for!(documents::Explain)),
        ("run", schema_for!(documents::Run)),
        ("compare", schema_for!(documents::Comparison)),
        ("study", schema_for!(documents::Study)),
        ("claims", schema_for!(documents::Claims)),
        ("claims --ledger", schema_for!(documents::Ledger)),
        ("claims --sensitivity", schema_for!(documents::Sensitivity)),
        ("calibrate", schema_for!(documents::Calibrate)),
        ("litmus", schema_for!(documents::Litmus)),
        ("model fixed-floating", schema_for!(documents::FixedFloating)),
        ("model alewife-tables", schema_for!(documents::Surveys)),
        ("errors", schema_for!(documents::NoResult)),
    ]
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// Compares a file with what it should be, or writes it.
fn hold(path: &Path, expected: &str) {
    if env::var_os("TRADEWIND_WRITE").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder for documents");
        fs::write(path, expected).expect("a document is written");
    }
    let found = fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == expected,
        "{} is not what the types say: TRADEWIND_WRITE=1 cargo test -p tradewind-report --test documents",
        path.display()
    );
}

#[test]
fn the_schemas_follow_from_the_types() {
    for (command, schema) in schemas() {
        let name = command.replace(" --", "-").replace(' ', "-");
        let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n";
        hold(&docs().join("schema").join(format!("{name}.json")), &text);
    }
}

#[test]
fn the_page_follows_from_the_types() {
    let path = docs().join("json.md");
    let mut page = fs::read_to_string(&path).expect("docs/json.md");
    let mut known = BTreeSet::new();
    for (command, schema) in schemas() {
        let rows = Walk::of(&schema);
        let (begin, end) = (format!("<!-- keys of {command} -->\n"), "<!-- end -->");
        let from =
            page.find(&begin).unwrap_or_else(|| panic!("docs/json.md: expected {begin}")) + begin.len();
        let to = from + page[from..].find(end).expect("an end of the table");
        page.replace_range(from..to, &table(&rows, &known));
        known.extend(rows.iter().filter(|_| command == "run").cloned());
    }
    hold(&path, &page);
}

/// A key, as the page has it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    key: String,
    kind: String,
    null: String,
    meaning: String,
}

impl Row {
    /// The row without what stands before an array.
    fn tails(&self) -> impl Iterator<Item = Self> {
        let cuts = self.key.match_indices("[].").map(|(at, cut)| at + cut.len());
        std::iter::once(0).chain(cuts).map(|cut| Self { key: self.key[cut..].to_owned(), ..self.clone() })
    }
}

/// The table of these rows, but for those that another table has.
fn table(rows: &[Row], known: &BTreeSet<Row>) -> String {
    let mut table = "\n| key | type | null | meaning |\n|---|---|---|---|\n".to_owned();
    let (mut repeated, mut of) = (Vec::new(), String::new());
    for row in rows {
        match row.tails().find(|tail| known.contains(tail)) {
            None => {
                let Row { key, kind, null, meaning } = row;
                table += &format!("| `{key}` | {kind} | {null} | {meaning} |\n");
            }
            // What lies within a key goes without saying.
            Some(tail) if tail.key.contains(['.', '[']) => {}
            Some(tail) => {
                let before = row.key.strip_suffix(&tail.key).unwrap_or_default().trim_end_matches('.');
                let names = if before == of { String::new() } else { format!("in `{before}` ") };
                of = before.to_owned();
                repeated.push(format!("{names}`{}`", tail.key));
            }
        }
    }
    if !repeated.is_empty() {
        table += &format!("\nThese keys are those of `run --json`: {}.\n", repeated.join(", "));
    }
    table + "\n"
}

/// Goes through a schema key by key.
struct Walk<'s> {
    definitions: Option<&'s Value>,
    rows: Vec<Row>,
}

impl Walk<'_> {
    fn of(schema: &Schema) -> Vec<Row> {
        let schema = schema.as_value();
        let mut walk = Walk { definitions: schema.get("$defs"), rows: Vec::new() };
        walk.object(schema, "");
        walk.rows
    }
}

impl<'s> Walk<'s> {
    /// What a schema refers to, if it does.
    fn resolve(&self, schema: &'s Value) -> &'s Value {
        let name = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
        let found = name.and_then(|name| self.definitions?.get(name));
        found.unwrap_or(schema)
    }

    /// A schema that may be null without its null, and whether it may.
    fn without_null(schema: &'s Value) -> (&'s Value, bool) {
        let is_null = |schema: &&Value| schema["type"] == "null";
        match schema.get("anyOf").and_then(Value::as_array) {
            Some(all) if all.iter().any(|one| is_null(&one)) => {
                (all.iter().find(|one| !is_null(one)).unwrap_or(schema), true)
            }
            _ => (schema, schema["type"].as_array().is_some_and(|types| types.iter().any(|it| it == "null"))),
        }
    }

    fn object(&mut self, schema: &'s Value, prefix: &str) {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
        for (name, property) in properties {
            let key = format!("{prefix}{name}");
            let (meaning, null) = described(property);
            let (inner, nullable) = Self::without_null(property);
            assert!(nullable == null.is_some(), "{key}: expected a paragraph that begins with Null");
            assert!(!meaning.is_empty(), "{key}: expected a description");
            let kind = self.kind(inner);
            self.rows.push(Row { key: key.clone(), kind, null: null.unwrap_or("never".into()), meaning });
            self.within(inner, &key);
        }
    }

    /// The keys within a value.
    fn within(&mut self, schema: &'s Value, key: &str) {
        let schema = self.resolve(Self::without_null(schema).0);
        if let Some(items) = schema.get("items") {
            self.within(items, &format!("{key}[]"));
        } else if let Some(values) = schema.get("additionalProperties").filter(|values| values.is_object()) {
            self.within(values, &format!("{key}.NAME"));
        } else {
            self.object(schema, &format!("{key}."));
        }
    }

    fn kind(&self, schema: &'s Value) -> String {
        let schema = self.resolve(schema);
        if let Some(all) = ["anyOf", "oneOf"].iter().find_map(|of| schema.get(of)?.as_array()) {
            let mut kinds: Vec<_> = all.iter().map(|one| self.kind(one)).collect();
            kinds.dedup();
            return kinds.join(" or ");
        }
        let one = |kind: &str| match kind {
            "string" => "text".to_owned(),
            "integer" => "whole".to_owned(),
            "boolean" => "flag".to_owned(),
            "array" => match schema.get("items") {
                Some(items) => format!("array of {}", self.kind(items)),
                None => "pair".to_owned(),
            },
            "object" => match schema.get("additionalProperties").filter(|values| values.is_object()) {
                Some(values) => format!("object of {}", self.kind(Self::without_null(values).0)),
                None => "object".to_owned(),
            },
            other => other.to_owned(),
        };
        match &schema["type"] {
            Value::String(kind) => one(kind),
            Value::Array(kinds) => {
                let kind = kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null");
                one(kind.expect("a type that is not null"))
            }
            _ => panic!("{schema}: expected a type"),
        }
    }
}

/// The description of a property, and when it is null.
fn described(property: &Value) -> (String, Option<String>) {
    let text = property["description"].as_str().unwrap_or_default();
    let mut paragraphs: Vec<_> = text.split("\n\n").map(|paragraph| paragraph.replace('\n', " ")).collect();
    let last = paragraphs.last().and_then(|last| last.strip_prefix("Null ")).map(str::to_owned);
    if last.is_some() {
        paragraphs.pop();
    }
    let null = last.map(|null| null.trim_end_matches('.').to_owned());
    (paragraphs.join(" ").trim_end_matches('.').to_owned(), null)
}
