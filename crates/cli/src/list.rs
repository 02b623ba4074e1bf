//! `tradewind list`: what there is.

use std::io::Write;
use std::process::ExitCode;

use serde_json::{Value, json};
use tempest::entry::{Coherence, Entry, Input};
use tempest::policy::PRESETS;
use tempest::{Mechanism, Policy};
use worlds::{NATIVE, Target, machines};

use crate::arguments::{List, What};
use crate::measure::mechanism_names;
use crate::page::Page;
use crate::quantity::several;
use crate::shipped::CLAIMS;
use crate::{House, Problem, json, numbers};

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
    /// What a policy needs of a machine, in the words of machine files' `can`.
    needs: Vec<&'static str>,
}

impl Row {
    fn new(name: impl Into<String>, summary: impl Into<String>) -> Self {
        Self { name: name.into(), summary: summary.into(), inputs: &[], needs: Vec::new() }
    }
}

/// Lists what was asked for.
pub(crate) fn list(house: &House, arguments: &List, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let width = numbers::width(arguments.width.as_deref())?;
    let all = [
        (What::Machines, models as fn(&House) -> Section),
        (What::Programs, programs),
        (What::Policies, policies),
        (What::Mechanisms, mechanisms),
        (What::Studies, studies),
        (What::Claims, claims),
    ];
    // Claims are very many, and none of them can be said to another command as a whole.
    let is_shown = |what| arguments.what.map_or(what != What::Claims, |asked| asked == what);
    let chosen = all.iter().filter(|(what, _)| is_shown(*what));
    let sections: Vec<_> = chosen.map(|(_, section)| section(house)).collect();
    if arguments.json {
        let values = sections.iter().map(|section| (section.title.to_owned(), as_json(section)));
        json::write(out, &Value::Object(values.collect()))?;
    } else {
        let page = Page::find(width);
        sections.iter().try_for_each(|section| print(section, &page, out))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn models(_: &House) -> Section {
    let mut rows = vec![Row::new(
        NATIVE,
        format!("this host: every processor is an OS thread; {} cores", worlds::cores()),
    )];
    for file in machines::ALL {
        let machine = machines::get(file.name).expect("shipped machine files are valid: a test parses each");
        // Most summaries begin with their size.
        let said = match machine.summary.contains(&several(machine.nodes, "node", "nodes")) {
            true => format!("{} ({})", machine.summary, file.path),
            false => {
                let nodes = several(machine.nodes, "node", "nodes");
                let processors = several(machine.processors, "processor", "processors");
                format!("{} ({nodes} of {processors}, {})", machine.summary, file.path)
            }
        };
        rows.push(Row::new(machine.name, said));
    }
    Section { title: "machines", rows }
}

fn programs(house: &House) -> Section {
    let row = |entry: &Entry| Row {
        name: entry.name.to_owned(),
        summary: format!("{} ({})", entry.summary, mechanism_names(entry)),
        inputs: entry.inputs,
        needs: Vec::new(),
    };
    Section { title: "programs", rows: house.programs.entries().iter().map(row).collect() }
}

fn policies(_: &House) -> Section {
    let row = |preset: &tempest::policy::Preset| {
        let count = if preset.counted { ":COUNT" } else { "" };
        let nowhere = if is_somewhere(preset.name) { "" } else { NOWHERE };
        let row = Row::new(format!("{}{count}", preset.name), format!("{}{nowhere}", preset.summary));
        Row { needs: needs(preset.name), ..row }
    };
    Section { title: "policies", rows: PRESETS.iter().map(row).collect() }
}

/// Summaries stand beside names that are not wider than this, and below wider ones.
const WIDEST_NAME: usize = 30;

/// Of presets that need a machine of the user's own.
const NOWHERE: &str = " (neither this host nor a shipped machine has it)";

/// What may stand behind the name of a policy.
pub(crate) const OPTIONS: &[(&str, &str)] = &[
    ("+serial", "one handler of a node at a time"),
    ("+keyed", "handlers of different keys side by side"),
    ("+poll", "processors look for messages"),
    ("+interrupt", "processors are interrupted by messages"),
    ("+every=K", "a computing processor looks at every K-th back-edge of a loop; 0: never"),
    ("+strict", "floating: each processor has its turn to look, also one that computes and looks late"),
    ("+bound", "threads stay on their processors, also where a node has one queue of ready threads"),
    ("+helper", "a helper of each node, which is no processor, runs what nobody has run for 50 us"),
    ("+helper=TIME", "the same after another time, such as 20us"),
];

/// What a policy needs of a machine.
fn needs(policy: &str) -> Vec<&'static str> {
    policy.parse::<Policy>().map_or_else(|_| Vec::new(), |policy| policy.needs())
}

/// What an option adds to that, where it may stand.
fn needs_of_option(option: &str) -> Vec<&'static str> {
    let option = option.replace('K', "1").replace("TIME", "1us");
    let without = needs("floating");
    needs(&format!("floating{option}")).into_iter().filter(|need| !without.contains(need)).collect()
}

/// Needs, in words behind a summary.
fn needing(needs: &[&str]) -> String {
    if needs.is_empty() { String::new() } else { format!("; needs {}", needs.join(", ")) }
}

/// Whether this host or a shipped machine can do a policy.
fn is_somewhere(policy: &str) -> bool {
    let Ok(policy) = policy.parse() else { return false };
    let names = machines::ALL.iter().map(|file| file.name).chain([NATIVE]);
    let mut targets = names.filter_map(|name| Target::find(name, &[]).ok());
    targets.any(|target| Mechanism::ALL.iter().any(|mechanism| target.check(*mechanism, &policy).is_ok()))
}

fn mechanisms(house: &House) -> Section {
    let row = |mechanism: Mechanism| match mechanism {
        Mechanism::SharedMemory => {
            Row::new(mechanism.name(), format!("{} (--protocol {})", mechanism.summary(), protocols(house)))
        }
        _ => Row::new(mechanism.name(), mechanism.summary()),
    };
    Section { title: "mechanisms", rows: Mechanism::ALL.map(row).into() }
}

/// What may keep shared memory coherent, for people.
fn protocols(house: &House) -> String {
    let protocol = |protocol: &Coherence| format!("{protocol}: {}", protocol.summary);
    house.protocols.iter().map(protocol).collect::<Vec<_>>().join("; ")
}

fn studies(_: &House) -> Section {
    let rows = crate::studies::studies().into_iter().map(|study| Row::new(study.name, study.summary));
    Section { title: "studies", rows: rows.collect() }
}

fn claims(_: &House) -> Section {
    let all = CLAIMS.iter().flat_map(crate::studies::shipped_claims);
    let rows = all.map(|claim| Row::new(claim.id, format!("{}: {}", claim.place, claim.statement)));
    Section { title: "claims", rows: rows.collect() }
}

fn as_json(section: &Section) -> Value {
    let row = |row: &Row| {
        let mut value = json!({ "name": row.name, "summary": row.summary });
        if section.title == "policies" {
            value["needs"] = json!(row.needs);
        }
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
        if width > WIDEST_NAME {
            writeln!(out, "  {}", row.name)?;
            writeln!(out, "{}", page.fold("      ", &row.summary))?;
            continue;
        }
        let said = format!("{}{}", row.summary, needing(&row.needs));
        writeln!(out, "{}", page.fold(&format!("  {:width$}  ", row.name), &said))?;
        for Input { key, default, kind, meaning } in row.inputs {
            writeln!(out, "  {:width$}    --input {key}={default}", "")?;
            let text = format!("{kind}: {meaning}");
            writeln!(out, "{}", page.fold(&format!("  {:width$}        ", ""), &text))?;
        }
    }
    if section.title == "policies" {
        let head = page.fold("  ", "options, behind any of them, such as floating+keyed+every=16:");
        writeln!(out, "{head}")?;
        for (option, meaning) in OPTIONS {
            let said = format!("{meaning}{}", needing(&needs_of_option(option)));
            writeln!(out, "{}", page.fold(&format!("  {option:width$}  "), &said))?;
        }
    }
    writeln!(out)?;
    Ok(())
}
