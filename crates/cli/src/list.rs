//! `tradewind list`: what there is.

use std::io::Write;
use std::process::ExitCode;

use machine::Machine;
use programs::{Input, PROGRAMS};
use serde_json::{Value, json};
use tempest::Mechanism;
use tempest::policy::PRESETS;

use crate::arguments::{List, What};
use crate::measure::mechanism_names;
use crate::page::Page;
use crate::shipped::MACHINES;
use crate::target::NATIVE;
use crate::{Problem, json};

/// One section of the list.
struct Section {
    title: &'static str,
    rows: Vec<Row>,
}

struct Row {
    name: String,
    summary: String,
    /// Inputs of a program.
    inputs: &'static [Input],
}

impl Row {
    fn new(name: impl Into<String>, summary: impl Into<String>) -> Self {
        Self { name: name.into(), summary: summary.into(), inputs: &[] }
    }
}

/// Lists what was asked for.
pub(crate) fn list(arguments: &List, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let all = [
        (What::Machines, machines as fn() -> Section),
        (What::Programs, programs),
        (What::Policies, policies),
        (What::Mechanisms, mechanisms),
    ];
    let chosen = all.iter().filter(|(what, _)| arguments.what.is_none_or(|asked| asked == *what));
    let sections: Vec<_> = chosen.map(|(_, section)| section()).collect();
    if arguments.json {
        let values = sections.iter().map(|section| (section.title.to_owned(), as_json(section)));
        json::write(out, &Value::Object(values.collect()))?;
    } else {
        let page = Page::find(None);
        sections.iter().try_for_each(|section| print(section, &page, out))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn machines() -> Section {
    let mut rows = vec![Row::new(
        NATIVE,
        format!("this host: every processor is an OS thread; {} cores", native::Local::cores()),
    )];
    for file in MACHINES {
        let text = String::from_utf8_lossy(file.bytes);
        let machine =
            Machine::parse(file.path, &text).expect("shipped machine files are valid: a test parses each");
        let shape = format!(
            "{} ({} nodes of {} processors, {})",
            machine.summary, machine.nodes, machine.processors, file.path
        );
        rows.push(Row::new(machine.name, shape));
    }
    Section { title: "machines", rows }
}

fn programs() -> Section {
    let row = |entry: &programs::Entry| Row {
        name: entry.name.to_owned(),
        summary: format!("{} ({})", entry.summary, mechanism_names(entry)),
        inputs: entry.inputs,
    };
    Section { title: "programs", rows: PROGRAMS.iter().map(row).collect() }
}

fn policies() -> Section {
    let row = |preset: &tempest::policy::Preset| {
        let count = if preset.counted { ":COUNT" } else { "" };
        Row::new(format!("{}{count}", preset.name), preset.summary)
    };
    Section { title: "policies", rows: PRESETS.iter().map(row).collect() }
}

fn mechanisms() -> Section {
    let rows = Mechanism::ALL.map(|mechanism| Row::new(mechanism.name(), mechanism.summary()));
    Section { title: "mechanisms", rows: rows.into() }
}

fn as_json(section: &Section) -> Value {
    let row = |row: &Row| {
        let mut value = json!({ "name": row.name, "summary": row.summary });
        if section.title == "programs" {
            let input = |input: &Input| {
                json!({
                    "key": input.key,
                    "default": input.default,
                    "kind": input.kind.to_string(),
                    "meaning": input.meaning,
                })
            };
            value["inputs"] = row.inputs.iter().map(input).collect();
        }
        value
    };
    section.rows.iter().map(row).collect()
}

fn print(section: &Section, page: &Page, out: &mut impl Write) -> Result<(), Problem> {
    writeln!(out, "{}", section.title)?;
    let width = section.rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    for row in &section.rows {
        writeln!(out, "{}", page.fold(&format!("  {:width$}  ", row.name), &row.summary))?;
        for Input { key, default, kind, meaning } in row.inputs {
            writeln!(out, "  {:width$}    --input {key}={default}", "")?;
            let text = format!("{kind}: {meaning}");
            writeln!(out, "{}", page.fold(&format!("  {:width$}        ", ""), &text))?;
        }
    }
    writeln!(out)?;
    Ok(())
}
