//! `tradewind list`: what there is.

use std::io::Write;
use std::process::ExitCode;

use machine::Machine;
use programs::PROGRAMS;
use serde_json::{Value, json};
use tempest::policy::PRESETS;

use crate::arguments::{List, What};
use crate::shipped::MACHINES;
use crate::target::NATIVE;
use crate::text::fold;
use crate::{Problem, json};

/// One section of the list.
struct Section {
    title: &'static str,
    rows: Vec<Row>,
}

struct Row {
    name: String,
    summary: String,
    /// Inputs of a program: key, default, meaning.
    inputs: Vec<[&'static str; 3]>,
}

impl Row {
    fn new(name: impl Into<String>, summary: impl Into<String>) -> Self {
        Self { name: name.into(), summary: summary.into(), inputs: Vec::new() }
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
        sections.iter().try_for_each(|section| print(section, out))?;
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
        summary: format!("{} ({})", entry.summary, entry.mechanisms.join(", ")),
        inputs: entry.inputs.iter().map(|input| [input.key, input.default, input.meaning]).collect(),
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
    Section { title: "mechanisms", rows: vec![Row::new("messages", "active messages of up to 14 words")] }
}

fn as_json(section: &Section) -> Value {
    let row = |row: &Row| {
        let mut value = json!({ "name": row.name, "summary": row.summary });
        if section.title == "programs" {
            let input = |[key, default, meaning]: &[&str; 3]| json!({ "key": key, "default": default, "meaning": meaning });
            value["inputs"] = row.inputs.iter().map(input).collect();
        }
        value
    };
    section.rows.iter().map(row).collect()
}

fn print(section: &Section, out: &mut impl Write) -> Result<(), Problem> {
    writeln!(out, "{}", section.title)?;
    let width = section.rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    for row in &section.rows {
        writeln!(out, "{}", fold(&format!("  {:width$}  ", row.name), &row.summary))?;
        for [key, default, meaning] in &row.inputs {
            writeln!(out, "  {:width$}    --input {key}={default}", "")?;
            writeln!(out, "{}", fold(&format!("  {:width$}        ", ""), meaning))?;
        }
    }
    writeln!(out)?;
    Ok(())
}
